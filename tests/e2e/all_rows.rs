//! The pages that show all rows and all warnings of a gate.

use std::fmt::Write as _;

use serde_json::json;

use crate::case::person;
use crate::filings::upload;

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

/// A gate that shows records with lists in them.
const PARTS: &str = r#"
id: parts-lists
name: Lists of parts
description: Asks about records with lists.
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: taken
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: limit, value: 9}]
  - name: sign_off
    step_type: approval
    preview_from: taken.data
    prompt: Keep these?
  - name: kept
    step_type: tool
    action: transform_data
    inputs: {data: "{taken.data}"}
    operations: [{type: limit, value: 9}]
"#;

#[tokio::test]
async fn f_200_a_long_list_in_a_row_is_counted_linked_and_whole_on_the_page_of_all_rows() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(PARTS).await;
    let parts = json!([
        { "sku": "part-1", "_erp": "e-1" }, { "sku": "part-2" }, { "sku": "part-3" }, { "sku": "part-4", "ends": null },
    ]);
    let rows = json!({ "rows": [{ "name": "A\u{336}nn\u{2215}Lee", "parts": parts }] });
    let run = ana.start(&agent, "parts-lists", rows).await;
    ana.reaches(&run, "awaiting_approval").await;
    let link = maria.link().await;
    let page = maria.approver().open(&link).await.unwrap().html;
    assert!(page.contains("part-3") && !page.contains("part-4"), "{page}");
    assert!(page.contains("2 more values inside") && page.contains("/rows\">See all"), "{page}");
    // A name that would look crossed out, or like an address, is marked.
    assert!(page.contains("U+0336") && page.contains("U+2215, not /"), "{page}");
    assert!(!page.contains('\u{336}'), "{page}");
    let all = maria.approver().open(&format!("{link}/rows")).await.unwrap().html;
    for part in ["part-1", "_erp", "e-1", "part-4", "ends", "null"] {
        assert!(all.contains(part), "`{part}` is not in {all}");
    }
    assert!(!all.contains("more values inside") && !all.contains("left out"), "{all}");
}

const AMOUNTS: &str = r"
id: amount-files
name: Amount files
type: file_parser
version: 1.0.0
description: Amounts of files.
connection: {source: upload}
endpoints:
  amounts:
    description: A row each.
    parser: csv
    fields: [{field: amount, column: amount, type: decimal}]
";

const SIGNED_OFF: &str = r#"
id: many-unread
name: Many unread
description: Reads amounts and asks.
version: 1.0.0
required_connectors: [amount-files]
execution_mode: deterministic
inputs:
  - {name: files, type: list, required: true}
steps:
  - name: read
    step_type: tool
    action: call_connector
    connector: amount-files
    endpoint: amounts
    inputs: {source: "{files}"}
  - name: ask
    step_type: approval
    prompt: Rely on these?
  - name: kept
    step_type: tool
    action: transform_data
    inputs: {data: "{read.results}"}
    operations: [{type: limit, value: 9}]
"#;

#[tokio::test]
async fn f_311_an_approver_sees_each_of_more_warnings_than_the_request_writes_out() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.post("/connectors", &json!({ "yaml": AMOUNTS })).await;
    ana.bind(&agent, "amount-files").await;
    ana.playbook(SIGNED_OFF).await;
    let rows = (1..=70).fold("amount\n".to_owned(), |mut rows, n| {
        let _ = writeln!(rows, "about {n}");
        rows
    });
    let files = upload(&ana, vec![("amounts.csv".to_owned(), rows.into())]).await;
    let run = ana.start(&agent, "many-unread", json!({ "files": files })).await;
    ana.reaches(&run, "awaiting_approval").await;

    let link = maria.link().await;
    let page = maria.approver().open(&link).await.unwrap().html;
    assert!(page.contains("about 50") && !page.contains("about 51"), "{page}");
    assert!(page.contains("… and 20 more of them") && page.contains("See all warnings"), "{page}");
    let all = maria.approver().open(&format!("{link}/warnings")).await.unwrap();
    assert_eq!(all.status, 200, "{}", all.html);
    assert!(all.html.contains("All 70 warnings"), "{}", all.html);
    for n in [1, 50, 51, 70] {
        assert!(all.html.contains(&format!("`about {n}`")), "{n}: {}", all.html);
    }

    let request = maria.request(&run).await;
    let path = format!("/approvals/{}/warnings", request["approval"].as_str().unwrap());
    let first = maria.get(&format!("{path}?limit=40")).await;
    let next = first["next"].as_str().unwrap_or_else(|| panic!("{first:#}"));
    let rest = maria.get(&format!("{path}?limit=40&cursor={next}")).await;
    let count = |page: &serde_json::Value| page["items"].as_array().map(Vec::len);
    assert_eq!((count(&first), count(&rest), &rest["next"]), (Some(40), Some(30), &json!(null)));
    let last = &rest["items"][29];
    assert_eq!(last["step"], "read");
    assert!(last["warning"].as_str().unwrap().contains("`about 70`"), "{last}");
    let other = person("other", &["global:analyst", "decide"]).await;
    assert_eq!(other.refused(&path, None).await.0, 404);
}
