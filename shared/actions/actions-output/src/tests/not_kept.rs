//! What is said of rows that are not kept, and of destinations that are skipped.

use std::sync::Arc;

use serde_json::{Value, json};

use super::memory::Memory;
use super::{call, check, run};

#[tokio::test]
async fn rows_that_are_skipped_for_another_of_the_same_call_are_said() {
    let bill = |no: Value, pay: i64| json!({"no": no, "pay": pay});
    let (one, other) = (bill(json!("O-1"), 10), bill(json!("O-1"), 11));
    let (none, again) = (bill(json!(null), 1), bill(json!(null), 1));
    let bills = json!([one, one, other, none, again]);
    let table =
        json!({"table_name": "bills", "create_if_missing": true, "deduplication_key": ["no"]});
    let database = json!({"tables": [{"table_name": "bills", "deduplication_key": ["no"]}]});
    let destinations = json!([
        {"type": "data_workspace_table", "config": table},
        {"type": "data_workspace_db", "transforms": [], "config": database},
    ]);
    let different = "table `bills`: 1 record with the `no` of an earlier one of this call differs from it and was skipped";
    let without =
        "table `bills`: 1 record has no `no`, as an earlier one of this call, and was skipped";
    let (_, output) =
        check(bills.clone(), &json!([destinations[0]]), &[("data_workspace_table", "success")])
            .await;
    assert_eq!(output["warnings"], json!([different, without]));
    assert_eq!(output["warning_count"], 2);
    assert_eq!(output["routed_to"][0]["details"]["warnings"], output["warnings"]);
    let data = json!({ "bills": bills });
    let (_, output) =
        check(data, &json!([destinations[1]]), &[("data_workspace_db", "success")]).await;
    assert_eq!(output["warnings"], json!([different, without]));
    let (_, output) =
        check(json!([one, one]), &json!([destinations[0]]), &[("data_workspace_table", "success")])
            .await;
    assert_eq!(output["warnings"], json!([]));
}

#[tokio::test]
async fn a_table_is_not_made_of_records_without_its_key_or_with_fields_that_have_no_column() {
    let content = Arc::new(Memory::default());
    let refused = |data: Value| {
        let content = Arc::clone(&content);
        let config =
            json!({"table_name": "t", "create_if_missing": true, "deduplication_key": ["ein"]});
        let destinations = json!([{"type": "data_workspace_table", "config": config}]);
        let step = call("route_output", data, &json!({ "destinations": destinations }));
        async move { run(&content, Vec::new(), &step).await.unwrap_err().message }
    };
    let said = refused(json!([{"name": "Ada"}])).await;
    assert!(said.contains("deduplication_key: the records have no field `ein`"), "{said}");
    let said = refused(json!([{"ein": "1", "a-b": 1, "a_b": 2}])).await;
    assert!(said.contains("`a-b` and `a_b` would both be the column `a_b`"), "{said}");
    assert!(content.rows.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_condition_that_cannot_be_decided_says_why() {
    let data = json!({"sum": "90,000.00"});
    let destinations = json!([{"type": "chat", "condition": "{sum} > 10000"}]);
    let (_, output) = check(data, &destinations, &[("chat", "skipped")]).await;
    let why = "the condition is false: `90,000.00` cannot be compared with `10000`";
    assert_eq!(output["routed_to"][0]["details"], why);
}
