//! Policies and floors.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use strum::VariantArray as _;

use super::make::{opening, start, tool, user, users};
use crate::{
    Assurance, Door, Floor, Kind, MAX_REQUEST_BYTES, OpenError, Policy, PolicyError, Request,
    RunContext, Status, Subject, Vocabulary, requester_may_decide,
};

#[test]
fn who_may_decide_follows_kind_and_context() {
    use RunContext::{Background, Interactive, Monitor, Scheduled};
    for kind in Kind::ALL {
        let inline = !matches!(kind, Kind::Publish | Kind::Merge);
        assert_eq!(requester_may_decide(kind, Interactive), inline, "{kind}");
        for context in [Background, Scheduled, Monitor] {
            assert!(!requester_may_decide(kind, context), "{kind}");
        }
    }
}

#[test]
fn a_gate_nobody_could_open_fails_at_once() {
    let mut own = opening(0);
    own.policy.approvers = vec![own.owner.clone()];
    let unreachable = PolicyError::Unreachable { quorum: 1, eligible: 0 };
    assert_eq!(Request::open(own.clone(), start()), Err(OpenError::Policy(unreachable)));
    own.policy.requester_may_decide = true;
    assert!(Request::open(own, start()).is_ok());

    let mut two = opening(1);
    two.policy.approvers = vec![user(1), user(1)];
    two.policy.quorum = 2;
    let unreachable = PolicyError::Unreachable { quorum: 2, eligible: 1 };
    assert_eq!(Request::open(two, start()), Err(OpenError::Policy(unreachable)));
}

#[test]
fn empty_rules_and_crowds_are_refused() {
    let check = |change: fn(&mut Policy), code: &str| {
        let mut opening = opening(2);
        change(&mut opening.policy);
        let error = Request::open(opening, start()).unwrap_err();
        assert_eq!(countersign_failure::Failure::code(&error), code);
    };
    check(|policy| policy.quorum = 0, "APPROVAL_POLICY_EMPTY");
    check(|policy| policy.denials = 0, "APPROVAL_POLICY_EMPTY");
    check(|policy| policy.doors.clear(), "APPROVAL_POLICY_EMPTY");
    check(|policy| policy.approvers = users(41), "APPROVERS_TOO_MANY");
}

#[test]
fn k_15_every_api_has_its_own_words() {
    let all = Status::VARIANTS.iter();
    let words = |vocabulary| all.clone().map(|status| status.word(vocabulary)).collect::<Vec<_>>();
    let queue = ["pending", "approved", "rejected", "expired", "expired", "expired", "expired"];
    let dialog = ["pending", "approved", "denied", "timed_out", "expired", "expired", "expired"];
    assert_eq!(words(Vocabulary::Queue), queue);
    assert_eq!(words(Vocabulary::Editorial), queue);
    assert_eq!(words(Vocabulary::Dialog), dialog);
    assert_eq!(
        words(Vocabulary::Internal),
        all.clone().map(|status| status.as_str()).collect::<Vec<_>>()
    );
}

fn assurances() -> impl Strategy<Value = Assurance> {
    prop::sample::select(vec![Assurance::Link, Assurance::LinkCode, Assurance::SignedIn])
}

fn doors() -> impl Strategy<Value = BTreeSet<Door>> {
    let all = vec![Door::Mail, Door::Console, Door::Rest, Door::Webhook];
    prop::collection::btree_set(prop::sample::select(all), 0..=4)
}

prop_compose! {
    fn policies()(
        count in 0u8..6, quorum in 0u32..5, denials in 1u32..4, assurance in assurances(),
        doors in doors(), requester_may_decide in any::<bool>(),
    ) -> Policy {
        Policy { approvers: users(count), quorum, denials, assurance, doors, requester_may_decide }
    }
}

prop_compose! {
    fn floors()(
        min_quorum in 0u32..5, max_denials in prop::option::of(1u32..4),
        assurance in prop::option::of(assurances()),
        irreversible_assurance in prop::option::of(assurances()),
        doors in prop::option::of(doors()), requester_never_decides in any::<bool>(),
    ) -> Floor {
        Floor { min_quorum, max_denials, assurance, irreversible_assurance, doors, requester_never_decides }
    }
}

fn contexts() -> impl Strategy<Value = RunContext> {
    use RunContext::{Background, Interactive, Monitor, Scheduled};
    prop::sample::select(vec![Interactive, Background, Scheduled, Monitor])
}

/// The rules of one side, as the join must keep them.
fn no_laxer(strict: &Policy, quorum: u32, denials: u32, assurance: Assurance) -> bool {
    strict.quorum >= quorum && strict.denials <= denials && strict.assurance >= assurance
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_floor_only_makes_a_policy_stricter(
        policy in policies(), floor in floors(), irreversible in any::<bool>(),
    ) {
        let strict = policy.clone().tightened(&floor, irreversible);
        prop_assert!(strict.quorum >= policy.quorum && strict.quorum >= floor.min_quorum);
        prop_assert!(strict.denials <= policy.denials);
        prop_assert!(strict.assurance >= policy.assurance);
        prop_assert!(strict.doors.is_subset(&policy.doors));
        prop_assert!(policy.requester_may_decide || !strict.requester_may_decide);
        prop_assert_eq!(&strict.approvers, &policy.approvers);
        let again = strict.clone().tightened(&floor, irreversible);
        prop_assert_eq!(again, strict);
    }

    /// Floor, kind and gate: the opened request is at least as strict as each of them.
    #[test]
    fn a_join_lowers_nothing(
        gate in policies(), floor in floors(), other in floors(), irreversible in any::<bool>(),
        kind in prop::sample::select(Kind::ALL.to_vec()), context in contexts(),
    ) {
        let may = gate.requester_may_decide && requester_may_decide(kind, context);
        let gate = Policy { requester_may_decide: may, ..gate };
        let mut opening = opening(0);
        opening.subject = Subject::of(kind);
        (opening.context, opening.irreversible) = (context, irreversible);
        (opening.policy, opening.floor) = (gate.clone(), floor.clone());
        let joined = gate.clone().tightened(&floor, irreversible);
        let request = match Request::open(opening, start()) {
            Ok(request) => request,
            // Too strict to be ever decided: refused, and not lowered.
            Err(OpenError::Policy(_)) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let strict = &request.policy;
        prop_assert_eq!(strict, &joined);
        prop_assert!(no_laxer(strict, gate.quorum, gate.denials, gate.assurance));
        prop_assert!(no_laxer(strict, floor.min_quorum, floor.max_denials.unwrap_or(u32::MAX), Assurance::default_for(irreversible)));
        let asked = if irreversible { floor.irreversible_assurance } else { floor.assurance };
        prop_assert!(strict.assurance >= asked.unwrap_or(Assurance::Link));
        prop_assert!(strict.doors.is_subset(&gate.doors));
        prop_assert!(floor.doors.as_ref().is_none_or(|doors| strict.doors.is_subset(doors)));
        prop_assert!(!strict.requester_may_decide || may && !floor.requester_never_decides);
        // A second floor on top lowers nothing of the first, and the order does not count.
        let (one, two) = (joined.clone().tightened(&other, irreversible), gate.tightened(&other, irreversible).tightened(&floor, irreversible));
        prop_assert!(no_laxer(&one, joined.quorum, joined.denials, joined.assurance));
        prop_assert_eq!(one, two);
    }
}

#[test]
fn a_prompt_nobody_reads_is_refused() {
    let with = |chars: usize| {
        let mut opening = opening(2);
        opening.prompt = "é".repeat(chars);
        Request::open(opening, start())
    };
    assert_eq!(with(20_000).unwrap().prompt.chars().count(), 20_000);
    let error = with(20_001).unwrap_err();
    assert_eq!(error, OpenError::PromptTooLong { chars: 20_001 });
    assert_eq!(countersign_failure::Failure::code(&error), "PROMPT_TOO_LONG");
}

#[test]
fn f_200_a_request_that_could_not_be_stored_is_refused_before_anybody_is_asked() {
    let with = |bytes: usize| {
        let mut opening = opening(2);
        opening.subject = tool(&json!({ "memo": "\"".repeat(bytes) }));
        Request::open(opening, start())
    };
    let kept = serde_json::to_string(&with(80_000).unwrap()).unwrap().len();
    assert!(kept > 320_000 && kept < MAX_REQUEST_BYTES, "{kept}");
    let error = with(90_000).unwrap_err();
    assert!(matches!(error, OpenError::RequestTooLarge { bytes } if bytes > MAX_REQUEST_BYTES));
    assert_eq!(countersign_failure::Failure::code(&error), "REQUEST_TOO_LARGE");
}
