//! Steps that make one call for each item of a list.

use countersign_playbook::{self as playbook, Bindings, EndpointContract, ForEach};
use countersign_registry::{DataType, Field, Reach, Registry, Slot};
use countersign_run::DryRun;
use serde_json::{Map, Value, json};

use super::{action, approval, planned, step};
use crate::{DryRunContext, Plan, StandInSource, StepKind, check};

/// A call of a bank for each of these items.
fn pay(list: &str, key: Option<&str>) -> playbook::Step {
    let inputs = json!({ "amount": "{item.amount}", "to": "{item.iban}" });
    let kind = playbook::StepKind::Action {
        action: "call_connector".to_owned(),
        inputs: object(&inputs),
        params: object(&json!({ "connector": "bank", "endpoint": "pay" })),
        output_key: None,
        output_schema: None,
        llm: false,
        allow_missing: false,
        model: None,
        irreversible: true,
        function: "tool-connect-write".to_owned(),
    };
    let for_each = ForEach {
        list: list.to_owned(),
        item: "item".to_owned(),
        key: key.map(str::to_owned),
        parallel: 1,
        max: 100,
    };
    playbook::Step { for_each: Some(for_each), ..step("pay", kind) }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn read(name: &str) -> playbook::Step {
    step(name, action(false, None))
}

/// What the step reads, and who signs for it.
#[track_caller]
fn check_signed(steps: Vec<playbook::Step>, reads: &[&str], gate: Option<&str>) {
    let plan = planned(steps);
    let pay = plan.step("pay").unwrap();
    assert_eq!(pay.reads, reads);
    assert_eq!(pay.covered_by.as_deref(), gate);
    let kind = if gate.is_some() { StepKind::Tool } else { StepKind::GatedTool };
    assert_eq!(pay.kind, kind);
    assert_eq!(check(&plan), Ok(()));
}

#[test]
fn k_10_the_gate_signs_when_the_list_is_known() {
    let gate = || step("ask", approval());
    let pay = |key| pay("vendors.data", key);
    check_signed(vec![read("vendors"), gate(), pay(None)], &["vendors"], Some("ask"));
    check_signed(vec![gate(), read("vendors"), pay(None)], &["vendors"], None);
    // What the key refers to has to be known as well.
    let key = Some("{month.data}-{item.invoice}");
    let known = vec![read("month"), read("vendors"), gate(), pay(key)];
    check_signed(known, &["month", "vendors"], Some("ask"));
    let late = vec![read("vendors"), gate(), read("month"), pay(key)];
    check_signed(late, &["month", "vendors"], None);
    check_signed(vec![gate(), self::pay("numbers", None)], &[], Some("ask"));
}

/// A test of a plan that pays, where the bank is known and has these samples.
fn tested(list: &str, samples: &Value) -> Result<Plan, Vec<String>> {
    let state =
        Slot::required("state", DataType::Record(vec![field("code", DataType::Integer)]), "");
    let endpoint = EndpointContract {
        description: String::new(),
        reach: Reach::Source,
        inputs: Vec::new(),
        outputs: vec![state],
        irreversible: true,
    };
    let mut endpoints = Bindings::none();
    endpoints.bind("bank", [("pay".to_owned(), endpoint)]);
    let (registry, samples) = (Registry::builtin(), object(samples));
    let mode = DryRun::Reads;
    let rehearsal =
        DryRunContext { mode, registry: &registry, endpoints: &endpoints, samples: &samples };
    let mut plan = planned(vec![read("vendors"), step("ask", approval()), pay(list, None)]);
    if let Err(problems) = rehearsal.apply(&mut plan) {
        return Err(problems.iter().map(ToString::to_string).collect());
    }
    assert_eq!(check(&plan), Ok(()));
    Ok(plan)
}

fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type)
}

fn output(plan: &Plan) -> (StandInSource, Value) {
    let stand_in = plan.step("pay").unwrap().stand_in.clone().unwrap();
    (stand_in.source, Value::Object(stand_in.output))
}

#[test]
fn k_46_a_test_pays_nobody_and_says_so_in_the_shape_of_the_result() {
    let plan = tested("vendors.data", &json!({})).unwrap();
    let none = json!({
        "results": [], "count": 0, "done": 0, "failed": 0, "unknown": 0, "not_sent": 0, "struck": 0, "sent_before": 0,
        "warnings": [], "warning_count": 0,
    });
    assert_eq!(output(&plan), (StandInSource::Blank, none));
    let pay = plan.step("pay").unwrap();
    assert!(!pay.irreversible && pay.for_each.is_some(), "it still shows the call of each item");
}

#[test]
fn f_341_the_counts_of_a_sample_follow_from_its_results() {
    let done = |n: u32| json!({ "n": n, "status": "done", "output": { "state": { "code": "7" } } });
    let struck = json!({ "n": 2, "status": "struck", "output": null });
    let plan = tested("vendors.data", &json!({ "pay": { "results": [done(0), done(1), struck] } }))
        .unwrap();
    let (source, said) = output(&plan);
    assert_eq!(source, StandInSource::Sample);
    assert_eq!((&said["count"], &said["done"], &said["struck"]), (&json!(3), &json!(2), &json!(1)));
    assert_eq!(said["results"][0]["output"]["state"]["code"], 7, "each answer has its type");
    let own = tested("vendors.data", &json!({ "pay": { "count": 40, "done": 38 } })).unwrap();
    let (_, said) = output(&own);
    assert_eq!(
        (&said["count"], &said["done"], &said["failed"]),
        (&json!(40), &json!(38), &json!(0))
    );
}

#[test]
fn f_341_a_sample_of_one_call_does_not_fit() {
    let told = tested("vendors.data", &json!({ "pay": { "state": { "code": 7 } } })).unwrap_err();
    assert_eq!(told, ["`pay.state`: is not an output of this step"]);
    let wrong =
        json!({ "pay": { "results": [{ "n": 0, "output": { "state": "sent" } }], "done": "all" } });
    let told = tested("vendors.data", &wrong).unwrap_err();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.iter().any(|one| one.starts_with("`pay.results`: at `[0].output.state`")),
        "{told:?}"
    );
}
