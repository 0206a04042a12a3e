//! One-time codes.

use super::make::{after, start};
use crate::{Code, CodeCheck, Digest, StoredCode};

fn stored(code: &Code) -> StoredCode {
    code.stored(Digest::from_bytes([3; 32]), 0, 1, start())
}

fn check(typed: &str, version: u32, seconds: i64, tries_left: u8, expect: CodeCheck) {
    let code = Code::from_random([0, 0, 0, 0, 0, 0, 0x30, 0x39]);
    let stored = StoredCode { tries_left, ..stored(&code) };
    assert_eq!(stored.check(typed, version, after(seconds)), expect, "{typed}");
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
    assert_eq!(moved.check("012345", 1, after(1)), CodeCheck::Wrong);
    assert!(!serde_json::to_string(&stored(&code)).unwrap().contains("12345"));
    assert!(!format!("{code:?}").contains("12345"));
}
