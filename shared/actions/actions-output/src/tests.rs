mod memory;
mod not_kept;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_actions_knowledge::GraphPort;
use countersign_identity::UserId;
use countersign_registry::action::{ActionError, Asking, Call, RunInfo};
use countersign_report::WrittenDestination;
use jiff::Timestamp;
use serde_json::{Value, json};

use self::memory::{Memory, Profile};
use crate::{ContentPort, actions};

fn call(action: &str, data: Value, params: &Value) -> Call {
    let user = UserId::from_bytes([1; 16]);
    let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
    Call {
        run: "run_1".into(),
        step: "write report".into(),
        owner: user.clone(),
        action: action.into(),
        inputs: [("data".to_owned(), data)].into_iter().collect(),
        params: params.as_object().cloned().unwrap_or_default(),
        idempotency_key: "key".into(),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now,
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: "prof_1".into(),
            profile_name: "Nonprofit Investigator".into(),
            playbook_id: None,
            query: "who?".into(),
            run_context: "interactive".into(),
            dry_run: false,
            invoked_by: user,
            team: None,
            started_at: now,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

async fn run(
    content: &Arc<Memory>,
    profile: Vec<Value>,
    call: &Call,
) -> Result<Value, ActionError> {
    let graph = Arc::clone(content) as Arc<dyn GraphPort>;
    let profile = Arc::new(Profile(profile));
    let all = actions(Arc::clone(content) as Arc<dyn ContentPort>, graph, profile);
    all.iter().find(|action| action.name() == call.action).unwrap().run(call).await
}

async fn check(data: Value, destinations: &Value, expect: &[(&str, &str)]) -> (Arc<Memory>, Value) {
    let content = Arc::new(Memory::default());
    let output = run(
        &content,
        Vec::new(),
        &call("route_output", data, &json!({"destinations": destinations})),
    )
    .await
    .unwrap();
    let told: Vec<(&str, &str)> = output["routed_to"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["destination"].as_str().unwrap(), row["status"].as_str().unwrap()))
        .collect();
    assert_eq!(told, expect, "{output}");
    (content, output)
}

fn people() -> Value {
    json!([{"name": "Ada", "ein": "1"}, {"name": "Bo", "ein": "2"}, {"name": "Ada again", "ein": "1"}])
}

#[tokio::test]
async fn f_284_entities_go_to_the_graph() {
    let destinations = json!([
        {"type": "knowledge_graph", "config": {"namespace": "nonprofits", "source": "people"}},
        {"type": "knowledge_graph", "config": {"source": "nobody"}},
    ]);
    let data = json!({"people": people()});
    let expect = [("knowledge_graph", "success"), ("knowledge_graph", "error")];
    let (_, output) = check(data, &destinations, &expect).await;
    let details = json!({"key": "key/0", "namespace": "nonprofits", "items": 3});
    assert_eq!(output["routed_to"][0]["details"], details);
}

#[tokio::test]
async fn f_280_f_282_f_285_f_287_data_goes_to_every_kind() {
    let (content, output) = check(
        json!({"entity_name": "River Trust", "people": people()}),
        &json!([
            {"type": "document", "config": {"filename_template": "x_{entity_name}_{date}.md", "folder_id": "f", "create_if_missing": true,
                "sections": [{"title": "People", "source": "people"}]}},
            {"type": "data_workspace_table", "config": {"workspace_id": "research", "table_name": "people", "source": "people",
                "create_if_missing": true, "deduplication_key": ["ein"]}},
            {"type": "file_export", "format": "csv", "transforms": [{"type": "pick", "path": "people"}]},
            {"type": "chat", "config": {"sections": [{"title": "People", "source": "people"}]}}
        ]),
        &[("document", "success"), ("data_workspace_table", "success"), ("file_export", "success"), ("chat", "success")],
    )
    .await;
    assert_eq!(output["success"], true);
    assert_eq!(output["routed_to"][0]["details"]["filename"], "x_river_trust_2026-11-21.md");
    assert_eq!(output["routed_to"][1]["details"]["rows_inserted"], 2);
    assert_eq!(output["routed_to"][1]["details"]["rows_skipped"], 1);
    let documents = content.documents.lock().unwrap();
    let document = documents.values().next().unwrap();
    assert!(
        document.body.contains("| Ada again | 1 |") && document.body.contains("- Run: `run_1`"),
        "{}",
        document.body
    );
    let exports = content.exports.lock().unwrap();
    assert_eq!(
        String::from_utf8(exports.values().next().unwrap().body.clone()).unwrap(),
        "name,ein\r\nAda,1\r\nBo,2\r\nAda again,1\r\n"
    );
}

#[tokio::test]
async fn f_289_rows_say_where_they_come_from() {
    let (content, _) = check(
        json!([{"name": "Ada", "note": "dropped"}]),
        &json!([{"type": "data_workspace_table", "config": {"table_name": "t", "create_if_missing": true, "schema_mapping": {"name": "TEXT"}}}]),
        &[("data_workspace_table", "success")],
    )
    .await;
    let tables = content.rows.lock().unwrap();
    let row = tables["default/t"].values().next().unwrap();
    assert_eq!(
        Value::Object(row.clone()),
        json!({"name": "Ada", "_source": "run_1/write report", "_query": "who?", "_timestamp": "2026-11-21T10:00:00Z"})
    );
}

#[tokio::test]
async fn f_288_a_false_condition_skips_its_destination() {
    let destinations = json!([{"type": "chat", "condition": "{count} > 2"}, {"type": "chat", "condition": "{count} > 3"}]);
    check(people(), &destinations, &[("chat", "success"), ("chat", "skipped")]).await;
}

#[tokio::test]
async fn f_292_destinations_are_independent() {
    let destinations =
        json!([{"type": "document", "config": {"folder_id": "nowhere"}}, {"type": "chat"}]);
    let (_, output) =
        check(people(), &destinations, &[("document", "error"), ("chat", "success")]).await;
    assert_eq!(output["success"], false);
    assert_eq!(output["routed_to"][0]["error"]["code"], "FOLDER_NOT_FOUND");
}

#[tokio::test]
async fn f_281_f_286_a_folder_gets_a_document_and_a_document_more_text() {
    let (content, output) = check(
        people(),
        &json!([{"type": "folder", "config": {"folder_id": "f", "create_if_missing": true}}]),
        &[("folder", "success")],
    )
    .await;
    assert_eq!(output["routed_to"][0]["details"]["folder_id"], "f");
    let id = output["routed_to"][0]["details"]["document_id"].as_str().unwrap().to_owned();
    let config = json!({"document_id": id, "title": "More", "sections": [{"title": "People"}]});
    let params = json!({"destinations": [{"type": "append_to_existing", "config": config}]});
    let output = run(&content, Vec::new(), &call("route_output", people(), &params)).await.unwrap();
    assert_eq!(output["routed_to"][0]["details"]["document_id"], id.as_str());
    assert!(content.documents.lock().unwrap()[&id].body.contains("# More"));
}

#[tokio::test]
async fn f_283_the_tables_of_a_database_are_independent() {
    let data = json!({"people": people(), "grants": [{"amount": "much"}]});
    let tables = json!([
        {"table_name": "people"}, {"table_name": "grants", "schema_mapping": {"amount": "REAL"}},
    ]);
    let (_, output) = check(
        data,
        &json!([{"type": "data_workspace_db", "config": {"tables": tables}}]),
        &[("data_workspace_db", "error")],
    )
    .await;
    let row = &output["routed_to"][0];
    assert_eq!(row["details"]["tables"][0]["rows_inserted"], 3);
    assert_eq!(row["details"]["tables"][1]["error"]["code"], "TABLE_ROW_INVALID");
    assert!(row["error"]["message"].as_str().unwrap().starts_with("1 of 2 tables: `grants`"));
}

#[tokio::test]
async fn f_292_what_passes_is_tried_again_and_what_does_not_says_where_to() {
    let content = Arc::new(Memory { outages: Mutex::new(2), ..Memory::default() });
    let params = json!({"destinations": [{"type": "document"}, {"type": "chat"}]});
    let step = call("route_output", people(), &params);
    let output = run(&content, Vec::new(), &step).await.unwrap();
    assert_eq!(output["success"], true, "{output}");
    *content.outages.lock().unwrap() = 9;
    let other = Call { idempotency_key: "other".into(), ..step };
    let output = run(&content, Vec::new(), &other).await.unwrap();
    let error = &output["routed_to"][0]["error"];
    assert_eq!(error["code"], "STORE_UNAVAILABLE");
    assert_eq!(error["retry"], "/api/agent-factory/executions/run_1/repeat");
    assert_eq!(*content.outages.lock().unwrap(), 6);
}

#[tokio::test]
async fn f_314_a_table_that_does_not_fit_says_what_to_check_and_the_answer_is_shown() {
    let table =
        json!({"table_name": "t", "create_if_missing": true, "schema_mapping": {"name": "REAL"}});
    let destinations = json!([{"type": "data_workspace_table", "config": table}, {"type": "chat"}]);
    let (_, output) =
        check(people(), &destinations, &[("data_workspace_table", "error"), ("chat", "success")])
            .await;
    let help = output["routed_to"][0]["error"]["help"].as_str().unwrap();
    assert!(help.contains("schema_mapping"), "{help}");
}

#[tokio::test]
async fn f_292_when_nothing_is_reached_the_step_fails() {
    let content = Arc::new(Memory::default());
    let params =
        json!({"destinations": [{"type": "document", "config": {"folder_id": "nowhere"}}]});
    let error =
        run(&content, Vec::new(), &call("route_output", people(), &params)).await.unwrap_err();
    assert_eq!(error.code, "OUTPUT_NOT_ROUTED");
    assert!(error.message.contains("the folder `nowhere` does not exist"), "{}", error.message);
}

#[tokio::test]
async fn a_second_attempt_writes_nothing_and_answers_the_same() {
    let content = Arc::new(Memory::default());
    let params = json!({"destinations": [
        {"type": "document"}, {"type": "file_export"},
        {"type": "data_workspace_table", "config": {"table_name": "t", "create_if_missing": true}}]});
    let first = run(&content, Vec::new(), &call("route_output", people(), &params)).await.unwrap();
    let again = Call {
        now: "2026-11-22T10:00:00Z".parse().unwrap(),
        ..call("route_output", people(), &params)
    };
    let second = run(&content, Vec::new(), &again).await.unwrap();
    assert_eq!(first, second);
    let rows: usize = content.rows.lock().unwrap().values().map(BTreeMap::len).sum();
    let counts =
        (content.documents.lock().unwrap().len(), content.exports.lock().unwrap().len(), rows);
    assert_eq!(counts, (1, 1, 3));
}

#[tokio::test]
async fn problems_are_found_before_anything_is_written() {
    let content = Arc::new(Memory::default());
    let params = json!({"destinations": [{"type": "document"}, {"type": "fax"}, {"type": "chat", "condition": "{a >"}]});
    let error =
        run(&content, Vec::new(), &call("route_output", people(), &params)).await.unwrap_err();
    assert_eq!(error.code, "OUTPUT_INVALID");
    assert!(
        error.message.contains("destinations[1].type: `type` must be one of"),
        "{}",
        error.message
    );
    assert_eq!(content.documents.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn f_288_a_field_that_no_record_has_is_a_warning() {
    let table = json!({
        "type": "data_workspace_table", "transforms": [{"type": "select", "fields": ["name", "pey"]}],
        "config": {"table_name": "t", "create_if_missing": true, "schema_mapping": {"name": "TEXT", "paid": {"type": "REAL", "from": "pay_out"}}},
    });
    let step = call("route_output", people(), &json!({"destinations": [table]}));
    let output = run(&Arc::new(Memory::default()), Vec::new(), &step).await.unwrap();
    let expect = [
        "table `t`: no record has `pay_out`, so that `paid` has no value",
        "data_workspace_table: no record has `pey`, which its `transforms` name",
    ];
    assert_eq!((&output["warnings"], &output["warning_count"]), (&json!(expect), &json!(2)));
}

#[tokio::test]
async fn f_136_a_section_whose_source_the_data_does_not_have_is_a_warning() {
    let sections =
        json!([{"title": "A", "source": "data"}, {"title": "B", "source": "b", "empty": "None."}]);
    let tried = [
        ("markdown", &sections, "says \"Not known\""),
        ("structured", &json!([sections[0]]), "is `null`"),
    ];
    for (format, sections, says) in tried {
        let chat = json!({"type": "chat", "format": format, "config": {"sections": sections}});
        let step = call("route_output", people(), &json!({"destinations": [chat]}));
        let output = run(&Arc::new(Memory::default()), Vec::new(), &step).await.unwrap();
        let expect = "chat: the data has no `data`, which one of its `sections` shows; the section";
        assert_eq!(output["warnings"], json!([format!("{expect} {says}")]), "{format}");
    }
}

#[tokio::test]
async fn f_171_a_step_without_destinations_takes_the_profiles() {
    let content = Arc::new(Memory::default());
    let step = call("route_output", people(), &json!({}));
    let output = run(&content, vec![json!({"type": "chat"})], &step).await.unwrap();
    assert_eq!(output["routed_to"][0]["destination"], "chat");
    let error = run(&content, Vec::new(), &step).await.unwrap_err();
    assert_eq!(error.code, "OUTPUT_NO_DESTINATION");
}

#[tokio::test]
async fn f_052_records_become_rows_of_a_table() {
    let content = Arc::new(Memory::default());
    let step = call("save_to_workspace", people(), &json!({"upsert_key": ["ein"]}));
    let output = run(&content, Vec::new(), &step).await.unwrap();
    let told = (output["table_name"].as_str().unwrap(), output["workspace_id"].as_str().unwrap());
    assert_eq!(told, ("write_report", "default"));
    assert_eq!((&output["rows_inserted"], &output["warning_count"]), (&json!(2), &json!(1)));
    assert_eq!(output, run(&content, Vec::new(), &step).await.unwrap());
    let twice = json!([{"no": "O-1", "pay": 10}, {"no": "O-1", "pay": 11}]);
    let step =
        call("save_to_workspace", twice, &json!({"table_name": "bills", "upsert_key": ["no"]}));
    let output = run(&content, Vec::new(), &step).await.unwrap();
    let expect = "1 record has the same `no` as an earlier one of this call, and took its place";
    assert_eq!(output["warnings"], json!([expect]));

    let refused = |data: Value, params: Value| {
        let content = Arc::clone(&content);
        async move {
            run(&content, Vec::new(), &call("save_to_workspace", data, &params))
                .await
                .unwrap_err()
                .code
        }
    };
    assert_eq!(refused(json!("text"), json!({})).await, "OUTPUT_NOT_RECORDS");
    assert_eq!(refused(people(), json!({"upsert_key": ["nmae"]})).await, "OUTPUT_INVALID");
    assert_eq!(refused(people(), json!({"table_name": "a#b"})).await, "OUTPUT_INVALID");
}

#[test]
fn the_contract_says_which_destinations_are_read() {
    let registry = countersign_registry::Registry::builtin();
    let contract = registry.get("route_output").unwrap();
    let schema = contract.params.iter().find_map(|slot| slot.schema.clone()).unwrap();
    let read =
        |destination: Value| serde_json::from_value::<WrittenDestination>(destination).is_ok();
    let all = json!({ "format": "json", "condition": "a > 1", "transforms": [], "confirm": false, "config": {} });
    let kinds = schema["items"]["oneOf"].as_array().unwrap();
    let word = |kind: &Value| kind["properties"]["type"]["const"].as_str().unwrap().to_owned();
    let words: Vec<String> = kinds.iter().map(word).collect();
    let kinds_of_release = [
        "document",
        "folder",
        "append_to_existing",
        "data_workspace_table",
        "data_workspace_db",
        "chat",
        "file_export",
        "knowledge_graph",
    ];
    assert_eq!(words, kinds_of_release);
    for kind in kinds {
        let known = &kind["properties"];
        let config = match word(kind).as_str() {
            "folder" => json!({ "folder_id": "f" }),
            "append_to_existing" => json!({ "document_id": format!("doc_{}", "0".repeat(32)) }),
            "data_workspace_table" => json!({ "table_name": "t" }),
            "data_workspace_db" => json!({ "tables": [{ "table_name": "t" }] }),
            _ => json!({}),
        };
        for format in known["format"]["enum"].as_array().unwrap() {
            let mut destination = all.clone();
            destination["type"] = word(kind).into();
            destination["format"] = format.clone();
            destination["config"] = config.clone();
            assert!(destination.as_object().unwrap().keys().all(|key| known.get(key).is_some()));
            assert!(read(destination), "{kind}, {format}");
        }
    }
}
