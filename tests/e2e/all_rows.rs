//! The page that shows all rows of a gate.

use serde_json::json;

use crate::case::person;

/// Two lists of one length stand in one output; the gate shows the second.
const PLAYBOOK: &str = r#"
id: two-lists
name: Two lists
description: Compares two lists and asks about what only the second has.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: first, type: list, required: true}
  - {name: second, type: list, required: true}
steps:
  - name: compared
    step_type: tool
    action: cross_reference
    inputs: {dataset_a: "{first}", dataset_b: "{second}"}
    params: {match_strategy: exact, name_field_a: name, name_field_b: name}
  - name: sign_off
    step_type: approval
    preview_from: compared.unmatched_b
    preview_limit: 1
    prompt: Keep these?
  - name: kept
    step_type: tool
    action: transform_data
    inputs: {data: "{compared.unmatched_b}"}
    operations: [{type: limit, value: 9}]
"#;

#[tokio::test]
async fn issue_11_all_rows_are_those_of_the_list_that_is_signed_not_of_another_as_long() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(PLAYBOOK).await;
    let names = |names: [&str; 3]| json!(names.map(|name| json!({ "name": name })));
    let inputs = json!({
        "first": names(["Almond Trust", "Birch Trust", "Cedar Trust"]),
        "second": names(["Dahlia Fund", "Elder Fund", "Fern Fund"]),
    });
    let run = ana.start(&agent, "two-lists", inputs).await;
    ana.reaches(&run, "awaiting_approval").await;
    let link = maria.link().await;
    let page = maria.approver().open(&link).await.unwrap();
    assert!(
        page.html.contains("Dahlia Fund") && !page.html.contains("Elder Fund"),
        "{}",
        page.html
    );
    let rows = maria.approver().open(&format!("{link}/rows")).await.unwrap();
    assert_eq!(rows.status, 200, "{}", rows.html);
    for name in ["Dahlia Fund", "Elder Fund", "Fern Fund"] {
        assert!(rows.html.contains(name), "`{name}` is not in {}", rows.html);
    }
    assert!(!rows.html.contains("Trust"), "{}", rows.html);
}
