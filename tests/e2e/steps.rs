//! What the actions of a playbook give, with data that stands in it: one run shows many.

use serde_json::{Value, json};

use crate::case::{Person, person, step};

const DATA: &str = r#"
id: all-on-data
name: All on data
description: Computes on data that stands here.
execution_mode: deterministic
inputs:
  - {name: rows, type: list}
  - {name: count, type: number}
  - {name: nothing, type: string}
steps:
  - {name: has, step_type: tool, action: transform_data, inputs: {data: "{rows}"}, operations: [{type: filter, field: name, operator: contains, value: OWL}]}
  - {name: among, step_type: tool, action: transform_data, inputs: {data: "{rows}"}, operations: [{type: filter, field: ein, operator: in, value: ["1", "3"]}]}
  - {name: below, step_type: tool, action: transform_data, inputs: {data: "{rows}"}, operations: [{type: filter, field: amount, operator: lt, value: 20}, {type: sort, field: amount, direction: desc}]}
  - {name: summed, step_type: tool, action: transform_data, inputs: {data: "{rows}"}, operations: [{type: aggregate, function: sum, field: amount, as: total}]}
  - {name: distinct, step_type: tool, action: transform_data, output_key: kinds, inputs: {data: "{rows}"}, operations: [{type: deduplicate, field: kind}, {type: limit, count: 1}]}
  - name: same_name
    step_type: tool
    action: cross_reference
    inputs: {dataset_a: "{rows}", dataset_b: [{name: "Owl Fund"}, {name: "Owl Funds"}]}
    params: {match_strategy: exact}
  - name: same_id
    step_type: tool
    action: cross_reference
    inputs: {dataset_a: "{rows}", dataset_b: [{name: "Quite another name", ein: "3"}]}
    params: {match_strategy: external_id, id_field_a: ein, id_field_b: ein}
  - name: exactly
    step_type: tool
    action: match_entities
    inputs: {entities: [{name: "Jane Doe", type: PERSON}, {name: "Jane  DOE", type: PERSON}, {name: "Jayne Doe", type: PERSON}]}
    params: {strategy: exact}
  - name: identified
    step_type: tool
    action: match_entities
    inputs: {entities: [{name: "Owl Fund", type: ORG, external_ids: {ein: "12-3456789"}}, {name: "OF Incorporated", type: ORG, external_ids: {ein: "123456789"}}]}
  - name: acquainted
    step_type: tool
    action: match_entities
    inputs: {entities: [{name: J SMITH, type: PERSON, context: [OWL FUND]}, {name: JOHN SMITH, type: PERSON, context: [OWL FUND]}]}
  - name: typed
    step_type: tool
    action: transform_data
    inputs: {data: [{whole: "{count}", text: "{count} of {rows[0].name}", list: "{rows[*].ein}", from: "{30_days_ago}", on: "{today}", run: "{execution_id}", caller: "{caller_name}"}]}
  - {name: both, step_type: tool, action: transform_data, condition: "{has.count} == 2 AND {kinds.count} == 1 AND NOT ({below.count} > 9)", inputs: {data: [{a: 1}]}}
  - {name: either, step_type: tool, action: transform_data, condition: "{nothing} is defined OR {rows[0].name} == 'Owl Fund'", inputs: {data: [{a: 1}]}}
  - {name: neither, step_type: tool, action: transform_data, condition: "{nothing} is defined OR {has.count} > 2", inputs: {data: [{a: 1}]}}
"#;

async fn output(who: &Person, run: &str, name: &str) -> Value {
    who.get(&format!("/executions/{run}/outputs/{name}")).await["output"].clone()
}

fn names(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_011_f_048_f_049_f_051_f_151_f_155_f_157_f_158_f_243_f_244_one_run_computes_all_that_a_playbook_can_say()
 {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(DATA).await;
    let rows = json!([
        { "name": "Owl Fund", "ein": "1", "amount": 5, "kind": "a" },
        { "name": "River Trust", "ein": "2", "amount": 15, "kind": "a" },
        { "name": "Old OWL", "ein": "3", "amount": 25, "kind": "b" },
    ]);
    let inputs = json!({ "rows": rows, "count": 3 });
    let run = ana.start(&agent, "all-on-data", inputs).await;
    let ended = ana.reaches(&run, "complete").await;
    let of = |name: &'static str| {
        let (ana, run) = (&ana, &run);
        async move { output(ana, run, name).await }
    };
    assert_eq!(names(&of("has").await["data"]), ["Owl Fund", "Old OWL"]);
    assert_eq!(names(&of("among").await["data"]), ["Owl Fund", "Old OWL"]);
    assert_eq!(names(&of("below").await["data"]), ["River Trust", "Owl Fund"]);
    assert_eq!(of("summed").await["data"][0]["total"], 45);
    assert_eq!(names(&of("distinct").await["data"]), ["Owl Fund"]);
    let same = of("same_name").await;
    assert_eq!(
        (&same["count"], &same["matches"][0]["entity_b"]["name"]),
        (&json!(1), &json!("Owl Fund"))
    );
    let same = of("same_id").await;
    assert_eq!(same["matches"][0]["entity_a"]["name"], "Old OWL", "{same:#}");
    assert_eq!((&same["count"], same["unmatched_a"].as_array().unwrap().len()), (&json!(1), 2));
    let exactly = of("exactly").await;
    assert_eq!(
        (exactly["resolved"].as_array().unwrap().len(), &exactly["merge_count"]),
        (2, &json!(1))
    );
    let identified = of("identified").await;
    assert_eq!(identified["resolved"].as_array().unwrap().len(), 1, "{identified:#}");
    let acquainted = of("acquainted").await;
    assert_eq!(acquainted["resolved"].as_array().unwrap().len(), 1, "{acquainted:#}");
    let typed = of("typed").await["data"][0].clone();
    assert_eq!(
        (&typed["whole"], &typed["text"], &typed["list"], &typed["run"]),
        (&json!(3), &json!("3 of Owl Fund"), &json!(["1", "2", "3"]), &json!(run))
    );
    assert_eq!(typed["caller"], "ana", "steps know who started the run (A-011)");
    let day = |name: &str| typed[name].as_str().unwrap().parse::<jiff::civil::Date>().unwrap();
    assert_eq!((day("on") - day("from")).get_days(), 30, "{typed:#}");
    for (name, status) in [("both", "done"), ("either", "done"), ("neither", "skipped")] {
        assert_eq!(step(&ended, name)["status"], status, "{name}: {ended:#}");
    }
    let names: Vec<&str> = ended["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["name"].as_str().unwrap())
        .collect();
    assert_eq!((names[0], names[names.len() - 1]), ("has", "neither"), "in listed order (F-151)");
}

const UPSERT: &str = r#"
id: kept-by-key
name: Kept by key
execution_mode: deterministic
inputs:
  - {name: rows, type: list}
steps:
  - name: kept
    step_type: tool
    action: save_to_workspace
    inputs: {data: "{rows}"}
    params: {table_name: kept_by_key, upsert_key: [ein]}
"#;

#[tokio::test]
async fn f_052_a_row_of_a_known_key_is_updated() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(UPSERT).await;
    let mut counts = Vec::new();
    for rows in [
        json!([{ "ein": "1", "amount": 5 }, { "ein": "2", "amount": 6 }]),
        json!([{ "ein": "2", "amount": 7 }, { "ein": "3", "amount": 8 }]),
    ] {
        let run = ana.start(&agent, "kept-by-key", json!({ "rows": rows })).await;
        ana.reaches(&run, "complete").await;
        let kept = output(&ana, &run, "kept").await;
        counts.push((kept["rows_inserted"].clone(), kept["rows_updated"].clone()));
    }
    assert_eq!(counts, [(json!(2), json!(0)), (json!(1), json!(1))]);
    let table = ana.get("/workspaces/default/tables/kept_by_key/rows").await;
    let mut rows: Vec<(String, Value)> = table["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["ein"].as_str().unwrap().to_owned(), row["amount"].clone()))
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let amounts: Vec<f64> = rows.iter().map(|(_, amount)| amount.as_f64().unwrap()).collect();
    assert_eq!(amounts, [5.0, 7.0, 8.0], "{table:#}");
    // A call without a key is told what the key of its table makes one of.
    let unkeyed = UPSERT.replace(", upsert_key: [ein]", "");
    ana.playbook(&unkeyed.replace("id: kept-by-key", "id: kept-without")).await;
    let rows = json!([{ "ein": "4", "amount": 9 }, { "ein": "4", "amount": 10 }]);
    let run = ana.start(&agent, "kept-without", json!({ "rows": rows })).await;
    ana.reaches(&run, "complete").await;
    let kept = output(&ana, &run, "kept").await;
    let said = "1 record has the same `ein` as an earlier one of this call, and took its place";
    assert_eq!(kept["warnings"], json!([said]), "{kept:#}");
}

const TASKS: &str = r#"
id: fails-and-goes-on
name: Fails and goes on
execution_mode: deterministic
steps:
  - {name: fails, step_type: tool, action: route_output, on_error: ON_ERROR, inputs: {data: [{a: 1}]}, params: {destinations: [{type: document, config: {folder_id: nowhere}}]}}
  - {name: after, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}}
"#;

#[tokio::test]
async fn f_148_f_312_a_step_that_fails_is_skipped_tried_again_or_ends_the_run_as_its_author_says() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    for (on_error, state, after) in
        [("skip", "partial", "done"), ("stop", "error", "not_run"), ("retry", "error", "not_run")]
    {
        let id = format!("fails-{on_error}");
        let yaml = TASKS.replace("ON_ERROR", on_error).replace("fails-and-goes-on", &id);
        ana.playbook(&yaml).await;
        let run = ana.start(&agent, &id, json!({})).await;
        let ended = ana.reaches(&run, state).await;
        assert_eq!(step(&ended, "fails")["status"], "failed", "{on_error}");
        assert_eq!(step(&ended, "after")["status"], after, "{on_error}: {ended:#}");
    }
}
