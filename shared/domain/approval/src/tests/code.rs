//! One-time codes.

use proptest::prelude::*;

use super::make::{after, start};
use crate::{
    Choice, Code, CodeAllowance, CodeCheck, CodeScope, Digest, OutcomeAnswer, StoredCode, Verdict,
};

fn approve() -> CodeScope {
    CodeScope::of(Verdict::Approve, &[])
}

fn deny() -> CodeScope {
    CodeScope::of(Verdict::Deny, &[])
}

fn stored(code: &Code) -> StoredCode {
    code.stored(Digest::from_bytes([3; 32]), 0, 1, approve(), start())
}

fn check(typed: &str, version: u32, seconds: i64, tries_left: u8, expect: CodeCheck) {
    let code = Code::from_random([0, 0, 0, 0, 0, 0, 0x30, 0x39]);
    let stored = StoredCode { tries_left, ..stored(&code) };
    assert_eq!(stored.check(typed, version, &approve(), after(seconds)), expect, "{typed}");
}

#[test]
fn a_code_is_right_only_as_typed_in_time_and_for_its_version() {
    check("012345", 1, 1, 5, CodeCheck::Right);
    check(" 012 345\n", 1, 599, 1, CodeCheck::Right);
    check("12345", 1, 1, 5, CodeCheck::Wrong);
    check("012346", 1, 1, 5, CodeCheck::Wrong);
    check("", 1, 1, 5, CodeCheck::Wrong);
    check("012345", 1, 600, 5, CodeCheck::Spent);
    check("012345", 1, 1, 0, CodeCheck::Spent);
    check("012345", 2, 1, 5, CodeCheck::Spent);
}

#[test]
fn a_code_is_bound_to_its_slot_and_never_stored_or_printed() {
    let code = Code::from_random([0, 0, 0, 0, 0, 0, 0x30, 0x39]);
    let moved = StoredCode { slot: 1, ..stored(&code) };
    assert_eq!(moved.check("012345", 1, &approve(), after(1)), CodeCheck::Wrong);
    assert!(!serde_json::to_string(&stored(&code)).unwrap().contains("12345"));
    assert!(!format!("{code:?}").contains("12345"));
}

#[test]
fn a_code_mailed_for_one_verdict_does_not_decide_the_other() {
    let code = Code::from_random([0, 0, 0, 0, 0, 0, 0x30, 0x39]);
    let approving = stored(&code);
    assert_eq!(approving.check("012345", 1, &deny(), after(1)), CodeCheck::Spent);
    // The hash is bound to it too, whatever the record says.
    let relabelled = StoredCode { scope: deny(), ..approving };
    assert_eq!(relabelled.check("012345", 1, &deny(), after(1)), CodeCheck::Wrong);
}

#[test]
fn k_49_a_code_mailed_for_one_answer_does_not_give_another() {
    let code = Code::from_random([0, 0, 0, 0, 0, 0, 0x30, 0x39]);
    let scope = |choice, evidence: Option<&str>| {
        CodeScope::of(Verdict::Approve, &[OutcomeAnswer::new(0, choice, evidence)])
    };
    let done = scope(Choice::Done, Some("statement 47"));
    let mailed = code.stored(Digest::from_bytes([3; 32]), 0, 1, done.clone(), start());
    let check = |scope: &CodeScope| mailed.check("012345", 1, scope, after(1));
    assert_eq!(check(&scope(Choice::Done, Some("another word"))), CodeCheck::Right);
    for other in [scope(Choice::Again, None), scope(Choice::NotDone, None), approve(), deny()] {
        assert_eq!(check(&other), CodeCheck::Spent);
        assert_ne!(other.name(), done.name(), "one code takes the place of the other");
        let relabelled = StoredCode { scope: other.clone(), ..mailed.clone() };
        assert_eq!(relabelled.check("012345", 1, &other, after(1)), CodeCheck::Wrong);
    }
    let kept: StoredCode = serde_json::from_str(&serde_json::to_string(&mailed).unwrap()).unwrap();
    assert_eq!(kept, mailed);
}

#[test]
fn a_code_mailed_for_one_strike_does_not_confirm_another() {
    let code = Code::from_random([0, 0, 0, 0, 0, 0, 0x30, 0x39]);
    let struck = CodeScope::of_strike("pay", &[17, 3]);
    let mailed = code.stored(Digest::from_bytes([3; 32]), 0, 1, struck.clone(), start());
    let check = |scope: &CodeScope| mailed.check("012345", 1, scope, after(1));
    assert_eq!(check(&CodeScope::of_strike("pay", &[3, 17])), CodeCheck::Right);
    let of = CodeScope::of_strike;
    let others = [of("pay", &[3]), of("pay", &[3, 17, 18]), of("pay", &[]), of("pay2", &[3, 17])];
    for other in others.into_iter().chain([approve(), deny()]) {
        assert_eq!(check(&other), CodeCheck::Spent);
        assert_ne!(other.name(), struck.name(), "one code takes the place of the other");
        let relabelled = StoredCode { scope: other.clone(), ..mailed.clone() };
        assert_eq!(relabelled.check("012345", 1, &other, after(1)), CodeCheck::Wrong);
    }
    let kept: StoredCode = serde_json::from_str(&serde_json::to_string(&mailed).unwrap()).unwrap();
    assert_eq!(kept, mailed);
}

#[test]
fn a_code_rests_for_a_minute_after_it_was_mailed() {
    let stored = stored(&Code::from_random([1; 8]));
    assert!(stored.is_fresh(after(59)) && !stored.is_fresh(after(60)));
    assert!(stored.is_good(after(599)) && !stored.is_good(after(600)));
    assert!(!StoredCode { tries_left: 0, ..stored }.is_fresh(after(1)));
}

#[test]
fn k_09_a_code_confirms_these_instructions_in_this_mode() {
    let scope = CodeScope::of_revision(Verdict::Enhance, "Pay less.");
    let others = [
        CodeScope::of_revision(Verdict::Enhance, "Pay more."),
        CodeScope::of_revision(Verdict::Override, "Pay less."),
        CodeScope::of(Verdict::Enhance, &[]),
        approve(),
        deny(),
    ];
    let names: Vec<String> = others.iter().map(CodeScope::name).collect();
    assert!(!names.contains(&scope.name()), "{names:?}");
    let code = Code::from_random([3; 8]);
    let stored = code.stored(Digest::from_bytes([5; 32]), 2, 1, scope.clone(), start());
    let check = |scope: &CodeScope| stored.check(&code.to_string(), 1, scope, after(1));
    assert_eq!(check(&scope), CodeCheck::Right);
    assert!(others.iter().all(|other| check(other) != CodeCheck::Right));
}

#[test]
fn five_codes_at_once_then_one_every_half_hour_for_ever() {
    let mut allowance = CodeAllowance::full(start());
    for _ in 0..5 {
        allowance = allowance.take(after(10)).unwrap();
    }
    assert_eq!(allowance.take(after(11)), Err(after(10 + 1_800)));
    for hour in 1..=200_i64 {
        // Somebody asks without end, and still there is the next one.
        let at = 10 + hour * 1_800;
        assert!(allowance.take(after(at - 1)).is_err(), "{hour}");
        allowance = allowance.take(after(at)).unwrap();
        assert!(allowance.take(after(at)).is_err(), "{hour}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_more_codes_than_the_rate_and_never_none_for_ever(waits in prop::collection::vec(0_i64..7_200, 1..60)) {
        let (mut at, mut taken, mut allowance) = (0, 0_i64, CodeAllowance::full(start()));
        for wait in waits {
            at += wait;
            match allowance.take(after(at)) {
                Ok(rest) => (allowance, taken) = (rest, taken + 1),
                Err(next) => {
                    prop_assert!(next > after(at) && next <= after(at + 1_800));
                    prop_assert!(allowance.take(next).is_ok());
                }
            }
            prop_assert!(taken <= 5 + at / 1_800, "{taken} codes in {at} seconds");
        }
    }
}
