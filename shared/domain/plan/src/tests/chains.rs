//! Which steps are handed over together.

use countersign_playbook as playbook;
use serde_json::json;

use super::{action, approval, planned, step};
use crate::{Descriptor, Plan, chained, descriptors};

#[test]
fn steps_of_one_function_that_follow_each_other_are_handed_over_together() {
    let both = playbook::StepKind::Parallel {
        steps: vec![step("d", action(false, None)), step("e", action(false, None))],
        output_key: None,
    };
    let one = |name: &str| step(name, action(false, None));
    let steps = vec![
        one("a"),
        one("b"),
        one("c"),
        step("both", both),
        one("f"),
        one("g"),
        step("ask", approval()),
        step("pay", action(true, None)),
        one("h"),
    ];
    let told = |plan: &Plan| -> Vec<String> {
        let stages = descriptors(plan, "s", "").unwrap();
        let stages = chained(plan, &stages, |action| action == "transform_data").unwrap_or(stages);
        let of_stage = |stage: &Vec<Descriptor>| {
            let names = stage.iter().map(|of| [std::slice::from_ref(&of.id), &of.then].concat());
            names.map(|names| names.join(">")).collect::<Vec<_>>().join("|")
        };
        stages.iter().map(of_stage).collect()
    };
    let mut plan = planned(steps);
    assert_eq!(told(&plan), ["a>b>c", "d|e", "f>g", "ask", "pay", "h"]);
    let stages = descriptors(&plan, "s", "").unwrap();
    let sent = serde_json::to_value(chained(&plan, &stages, |_| true)).unwrap();
    assert_eq!(sent[0][0]["then"], json!(["b", "c"]));
    assert!(sent[1][0].get("then").is_none(), "the machine asks whether it is there");
    assert_eq!(chained(&plan, &stages, |_| false), None);
    plan.steps[1].function = "tool-web".to_owned();
    assert_eq!(told(&plan)[..3], ["a", "b", "c"]);
    let many = (0..60).map(|n| one(&format!("s{n}"))).collect();
    let lengths: Vec<usize> = told(&planned(many)).iter().map(|of| of.split('>').count()).collect();
    assert_eq!(lengths, [25, 25, 10]);
}
