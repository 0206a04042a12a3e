//! Whether a gate can be opened, and what is said of those who cannot.

use serde_json::json;

use super::*;

fn user(n: u8) -> UserId {
    UserId::from_bytes([n; 16])
}

fn rules(context: RunContext, floor: Floor) -> Rules {
    Rules { requesters: BTreeSet::from([user(1)]), context, floor }
}

fn gate(quorum: u32) -> Gate<'static> {
    Gate {
        step: "sign_off",
        kind: Kind::Step,
        irreversible: true,
        requirement: Requirement::role(Role::Analyst),
        quorum,
        names: Vec::new(),
        place: "profile.approvers".to_owned(),
    }
}

fn able(name: &str, n: u8) -> Named {
    Named { name: name.to_owned(), person: Ok(user(n)) }
}

fn unable(name: &str, why: CannotSign) -> Named {
    Named { name: name.to_owned(), person: Err(why) }
}

fn check(rules: &Rules, quorum: u32, named: &[Named], is_reachable: bool, paths: &[&str]) {
    let judged = rules.judge(&gate(quorum), named);
    let found: Vec<&str> = judged.said.iter().map(|said| said.path.as_str()).collect();
    assert_eq!((judged.is_reachable, found), (is_reachable, paths.to_vec()), "{:?}", judged.said);
}

#[test]
fn too_few_who_can_sign_are_named_with_their_reasons() {
    let background = rules(RunContext::Background, Floor::default());
    check(&background, 1, &[able("bo", 2)], true, &[]);
    let named = [able("ana", 1), able("bo", 2), unable("cy", CannotSign::Inactive)];
    check(&background, 1, &named, true, &["profile.approvers[0]", "profile.approvers[2]"]);
    let all = ["playbook.steps.sign_off", "profile.approvers[0]", "profile.approvers[2]"];
    check(&background, 2, &named, false, &all);
    let judged = background.judge(&gate(2), &named);
    let said: Vec<&str> = judged.said.iter().map(|said| said.message.as_str()).collect();
    assert!(said[0].contains("2 signatures are needed and 1"), "{said:?}");
    assert!(said[1].contains("`ana`") && said[1].contains("`background`"), "{said:?}");
    assert!(said[2].contains("`cy` is not active"), "{said:?}");
}

#[test]
fn an_interactive_run_may_be_signed_by_its_requester_unless_the_floor_says_otherwise() {
    let named = [able("ana", 1)];
    check(&rules(RunContext::Interactive, Floor::default()), 1, &named, true, &[]);
    let never = Floor { requester_never_decides: true, ..Floor::default() };
    let both = ["playbook.steps.sign_off", "profile.approvers[0]"];
    check(&rules(RunContext::Interactive, never), 1, &named, false, &both);
    let two = Floor { min_quorum: 2, ..Floor::default() };
    check(&rules(RunContext::Interactive, two), 1, &named, false, &both[..1]);
}

#[test]
fn the_same_person_twice_is_one_signature() {
    let twice = [able("bo", 2), able("bo@example.org", 2)];
    let background = rules(RunContext::Background, Floor::default());
    check(&background, 2, &twice, false, &["playbook.steps.sign_off"]);
}

#[test]
fn whose_names_count() {
    let step = |value: serde_json::Value| -> PlanStep { serde_json::from_value(value).unwrap() };
    let named = step(json!({
        "name": "ask", "kind": "gate", "on_error": "stop", "after": [],
        "gate": { "prompt": "?", "preview_limit": 10, "on_reject": "stop", "approvers": ["bo"], "quorum": 1, "covers": ["pay"] },
    }));
    let own = step(
        json!({ "name": "pay", "kind": "gated_tool", "action": "call_connector", "on_error": "stop", "irreversible": true, "after": [] }),
    );
    let behind = step(
        json!({ "name": "pay", "kind": "gated_tool", "action": "call_connector", "on_error": "stop", "irreversible": true, "after": [], "guard": "ask" }),
    );
    let agents = || vec!["cy".to_owned()];
    let registry = Registry::builtin();
    let plan: Plan = serde_json::from_value(json!({
        "version": 1, "tenant": "acme", "run": countersign_run::RunId::from_bytes([1; 16]), "owner": user(1),
        "profile": "p", "playbook": { "id": "a", "version": "1.0.0", "digest": "" }, "context": "interactive",
        "inputs": {}, "steps": [named, behind],
    }))
    .unwrap();
    let found = Gate::of(&registry, &plan, &named, agents()).unwrap();
    assert_eq!(
        (found.place.as_str(), found.names),
        ("playbook.steps.ask.approvers", vec!["bo".to_owned()])
    );
    assert!(found.irreversible);
    assert_eq!(found.requirement.required_role, Role::Analyst, "as the call behind it");
    let found = Gate::of(&registry, &plan, &own, agents()).unwrap();
    assert_eq!((found.place.as_str(), found.names), ("profile.approvers", agents()));
    assert_eq!(found.requirement.required_role, Role::Analyst);
    let behind = Gate::of(&registry, &plan, &behind, agents());
    assert!(behind.is_none(), "it asks its gate's people");
}
