use std::time::Duration;

use countersign_identity::UserId;
use countersign_registry::action::{ActionError, Asking, Call, RunInfo};
use serde_json::{Map, Value, json};

fn call(action: &str, inputs: &Value, params: &Value) -> Call {
    let object = |value: &Value| value.as_object().cloned().unwrap_or_else(Map::new);
    let owner = UserId::from_bytes([1; 16]);
    let now = "2026-11-21T10:00:00Z".parse().unwrap();
    let info = RunInfo {
        profile_id: "prof_1".to_owned(),
        profile_name: "Investigator".to_owned(),
        playbook_id: None,
        query: String::new(),
        run_context: "interactive".to_owned(),
        dry_run: false,
        invoked_by: owner.clone(),
        team: None,
        started_at: now,
        monitor: None,
        warnings: Vec::new(),
    };
    Call {
        run: "run_1".to_owned(),
        step: "step".to_owned(),
        owner,
        action: action.to_owned(),
        inputs: object(inputs),
        params: object(params),
        idempotency_key: "key".to_owned(),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now,
        remaining: Duration::from_secs(60),
        info,
    }
}

fn run(action: &str, inputs: &Value, params: &Value) -> Result<Value, ActionError> {
    let actions = super::actions();
    let handler = actions.iter().find(|handler| handler.name() == action).unwrap();
    futures::executor::block_on(handler.run(&call(action, inputs, params)))
}

fn check_refused(action: &str, inputs: &Value, params: &Value, code: &str) {
    let error = run(action, inputs, params).unwrap_err();
    assert_eq!(error.code, code, "{error}");
}

#[test]
fn f_051_transform_data_answers_with_data_and_count() {
    let inputs = json!({"data": {"results": [{"n": 1}, {"n": 2}], "count": 2}});
    let params =
        json!({"operations": [{"type": "filter", "field": "n", "operator": "gt", "value": 1}]});
    assert_eq!(
        run("transform_data", &inputs, &params).unwrap(),
        json!({"count": 1, "data": [{"n": 2}], "warnings": [], "warning_count": 0})
    );
    check_refused("transform_data", &json!({"data": "x"}), &params, "BAD_INPUT");
    check_refused(
        "transform_data",
        &inputs,
        &json!({"operations": [{"type": "x"}]}),
        "BAD_OPERATION",
    );
}

#[test]
fn f_047_extract_entities_names_its_method_and_refuses_ml() {
    let inputs = json!({"data": [{"name": "DOE, JANE", "organization_name": "OWL FUND"}]});
    let params = json!({"entity_types": "auto", "relationship_type": "OFFICER_OF"});
    let output = run("extract_entities", &inputs, &params).unwrap();
    assert_eq!(output["count"], 2);
    let person = &output["entities"][0];
    assert_eq!(
        (person["type"].as_str(), person["method"].as_str(), person["source_field"].as_str()),
        (Some("PERSON"), Some("gazetteer"), Some("name"))
    );
    assert_eq!(person["related_to"], json!({"name": "OWL FUND", "type": "ORG"}));
    assert_eq!((&output["warnings"], &output["warning_count"]), (&json!([]), &json!(0)));
    let long = json!({"data": [{"officer": "A".repeat(301), "name": "DOE, JANE"}]});
    let rules = json!({"rules": [{"field": "officer", "entity_type": "PERSON"}]});
    let output = run("extract_entities", &long, &rules).unwrap();
    assert_eq!((&output["count"], &output["warning_count"]), (&json!(1), &json!(1)), "{output:#}");
    check_refused("extract_entities", &inputs, &json!({"strategy": "ml"}), "BAD_PARAM");
    check_refused("extract_entities", &inputs, &json!({"relationship_type": "LIKES"}), "BAD_PARAM");
    check_refused("extract_entities", &inputs, &json!({"entity_types": 7}), "BAD_PARAM");
}

#[test]
fn f_243_rules_arrive_with_the_record_set_or_as_a_param() {
    let rules = json!([{"field": "n", "entity_type": "PERSON", "relationship_type": "MEMBER_OF"}]);
    let by_set = run(
        "extract_entities",
        &json!({"data": {"results": [{"n": "Qx Vt"}], "_entity_rules": rules}}),
        &json!({"strategy": "rules"}),
    )
    .unwrap();
    let by_param = run(
        "extract_entities",
        &json!({"data": [{"n": "Qx Vt"}]}),
        &json!({"strategy": "rules", "rules": rules}),
    )
    .unwrap();
    assert_eq!(by_set, by_param);
    assert_eq!(
        (by_set["count"].as_u64(), by_set["entities"][0]["method"].as_str()),
        (Some(1), Some("rules"))
    );
}

#[test]
fn f_049_cross_reference_carries_both_records_whole() {
    let a = json!([{"name": "SMITH, ROBERT", "title": "CHAIR", "organization_name": "OWL FUND"}]);
    let b = json!([{"name": "Bob Smith", "title": "TREASURER", "organization_name": "FOX FUND"}, {"name": "ANN LEE"}]);
    let output =
        run("cross_reference", &json!({"dataset_a": a, "dataset_b": b}), &json!({})).unwrap();
    assert_eq!(output["count"], 1);
    let found = &output["matches"][0];
    assert_eq!(
        (found["entity_a"]["title"].as_str(), found["entity_b"]["organization_name"].as_str()),
        (Some("CHAIR"), Some("FOX FUND"))
    );
    assert_eq!(found["match_method"], "fuzzy_name");
    assert_eq!(
        (output["unmatched_a"].as_array().map(Vec::len), &output["unmatched_b"]),
        (Some(0), &json!([{"name": "ANN LEE"}]))
    );
    check_refused(
        "cross_reference",
        &json!({"dataset_a": a, "dataset_b": b}),
        &json!({"match_strategy": "ml"}),
        "BAD_PARAM",
    );
    check_refused(
        "cross_reference",
        &json!({"dataset_a": a, "dataset_b": b}),
        &json!({"match_threshold": "high"}),
        "BAD_PARAM",
    );
}

#[test]
fn cross_reference_says_which_field_no_record_has() {
    let a = json!([{"name": "Ann Lee", "ein": "1"}]);
    let inputs = json!({"dataset_a": a, "dataset_b": ["Ann Lee"]});
    let told = |params: Value| {
        let output = run("cross_reference", &inputs, &params).unwrap();
        assert_eq!(output["warning_count"], output["warnings"].as_array().unwrap().len());
        (output["count"].clone(), output["warnings"].clone())
    };
    let near = "dataset_a: `nmae`: no record has this field; did you mean `name`?";
    assert_eq!(told(json!({"name_field_a": "nmae"})), (json!(0), json!([near])));
    let warned = ["dataset_a: `_entity`: no record has this field"];
    assert_eq!(told(json!({"entity_field": "_entity"})), (json!(0), json!(warned)));
    assert_eq!(told(json!({"distinct_field": "eni"})).1.as_array().map(Vec::len), Some(1));
    assert_eq!(
        told(json!({"name_field_a": "name", "distinct_field": "ein"})),
        (json!(1), json!([]))
    );
}
