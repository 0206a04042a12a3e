//! What is done again when somebody asks for changes at a gate.

use super::{action, approval, planned, step};

#[test]
fn k_09_what_uses_a_draft_before_its_gate_is_done_again_and_nothing_else() {
    let plan = planned(vec![
        step("read", action(false, None)),
        step("draft", action(false, Some("read"))),
        step("other", action(false, Some("read"))),
        step("trim", action(false, Some("draft"))),
        step("sum", action(false, Some("trim"))),
        step("ask", approval()),
        step("pay", action(true, Some("sum"))),
    ]);
    let again = |gate: &str, revised: &[&str]| {
        let revised: Vec<String> = revised.iter().map(|&name| name.to_owned()).collect();
        plan.done_again(gate, &revised)
    };
    let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
    assert_eq!(again("ask", &["draft"]), names(&["draft", "trim", "sum"]));
    assert_eq!(again("ask", &["other"]), names(&["other"]));
    assert_eq!(again("ask", &["pay"]), None, "it does not come before the gate");
    assert_eq!(again("ask", &["gone"]), None);
}

#[test]
fn k_09_nothing_that_was_sent_or_decided_is_done_again() {
    let plan = planned(vec![
        step("draft", action(false, None)),
        step("first", approval()),
        step("pay", action(true, Some("draft"))),
        step("ask", approval()),
        step("more", action(true, Some("draft"))),
    ]);
    assert_eq!(plan.done_again("ask", &["draft".to_owned()]), None, "`pay` was made of it");
    assert!(plan.done_again("first", &["draft".to_owned()]).is_some());
}
