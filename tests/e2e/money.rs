//! Sums as sources write them: read by the locale that is declared, added to the cent, and nothing left out without a word.

use serde_json::{Value, json};

use crate::case::{Person, person, step};
use crate::filings::upload;

const CONNECTOR: &str = r"
id: ledger-files
name: Ledger files
type: file_parser
version: 1.0.0
description: Amounts in two countries' ways of writing.
connection: {source: upload}
endpoints:
  american:
    description: Amounts as in the United States.
    parser: csv
    locale: en-US
    fields:
      - {field: amount, column: Amount, type: decimal}
      - {field: paid, column: Paid, type: date}
      - {field: written, column: Amount, type: string}
  german:
    description: Amounts as in Germany.
    parser: csv
    delimiter: ';'
    locale: de-DE
    fields:
      - {field: amount, column: Betrag, type: decimal}
      - {field: paid, column: Datum, type: date}
  listed:
    description: Amounts of a program.
    parser: json
    fields:
      - {field: exact, path: amount, type: decimal}
      - {field: near, path: amount, type: number}
  spaced:
    description: Amounts behind names, without a header.
    parser: csv
    header: false
    fields: [{field: amount, column: 3, type: decimal}]
";

const PLAYBOOK: &str = r#"
id: add-up
name: Add up
description: Adds amounts to the cent.
version: 1.0.0
required_connectors: [ledger-files]
execution_mode: deterministic
inputs:
  - {name: american, type: list, required: true}
  - {name: german, type: list, required: true}
  - {name: over, type: decimal, required: true}
steps:
  - name: us
    step_type: tool
    action: call_connector
    connector: ledger-files
    endpoint: american
    inputs: {source: "{american}"}
  - name: de
    step_type: tool
    action: call_connector
    connector: ledger-files
    endpoint: german
    inputs: {source: "{german}"}
  - name: us_sum
    step_type: tool
    action: transform_data
    inputs: {data: "{us.results}"}
    operations: [{type: aggregate, function: sum, field: amount, as: total}]
  - name: us_mean
    step_type: tool
    action: transform_data
    inputs: {data: "{us.results}"}
    operations: [{type: aggregate, function: avg, field: amount, as: mean}]
  - name: de_sum
    step_type: tool
    action: transform_data
    inputs: {data: "{de.results}"}
    operations: [{type: aggregate, function: sum, field: amount, as: total}]
  - name: large
    step_type: tool
    action: transform_data
    condition: "{us_sum.data[0].total} > {over}"
    inputs: {data: "{us.results}"}
    operations: [{type: filter, field: amount, operator: gt, value: "0.10"}]
  - name: compared
    step_type: tool
    action: transform_data
    inputs: {data: "{us.results}"}
    operations: [{type: filter, field: written, operator: gt, value: 100}]
  - name: too_much
    step_type: tool
    action: transform_data
    inputs: {data: [{amount: "9999999999999999999999999999"}, {amount: "0.01"}]}
    operations: [{type: aggregate, function: sum, field: amount, as: total}]
    on_error: skip
"#;

const AMERICAN: &str = "Amount,Paid\n\"$4,200.00\",12/31/2024\n(45.00),1/2/2025\n0.10,2025-01-03\n0.20,01/04/2025\n\
    \"12.500,00\",05.01.2025\n";
const GERMAN: &str = "Betrag;Datum\n12.500,00;31.12.2024\n-3,50 €;02.01.2025\n$4;03.01.25\n";

async fn output(ana: &Person, run: &str, step: &str) -> Value {
    ana.get(&format!("/executions/{run}/outputs/{step}")).await["output"].clone()
}

#[tokio::test]
async fn f_099_amounts_of_two_countries_are_added_to_the_cent() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": CONNECTOR })).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "ledger-files").await;
    ana.playbook(PLAYBOOK).await;
    let us = upload(&ana, vec![("us.csv".to_owned(), AMERICAN.into())]).await;
    let de = upload(&ana, vec![("de.csv".to_owned(), GERMAN.into())]).await;
    let inputs = json!({ "american": us, "german": de, "over": "999.99" });
    let run = ana.start(&agent, "add-up", inputs).await;
    let done = ana.reaches(&run, "partial").await;
    let too_much = step(&done, "too_much");
    assert_eq!(
        (&too_much["status"], &too_much["code"]),
        (&json!("failed"), &json!("DECIMAL_OVERFLOW")),
        "{too_much:#}"
    );
    let told = done["warnings"].as_array().unwrap().iter().find(|of| of["step"] == "us").unwrap();
    assert_eq!(told["count"], 2, "{told:#}");
    let place = told["first"][0].as_str().unwrap();
    for part in ["us.csv", "line 6", "`amount`", "`12.500,00`"] {
        assert!(place.contains(part), "`{part}` is not in `{place}`");
    }

    let read = output(&ana, &run, "us").await;
    let amounts: Vec<&Value> =
        read["results"].as_array().unwrap().iter().map(|row| &row["amount"]).collect();
    assert_eq!(json!(amounts), json!(["4200.00", "-45.00", "0.10", "0.20", null]), "{read:#}");
    assert_eq!(read["results"][0]["paid"], "2024-12-31");
    assert_eq!(read["results"][0]["written"], "$4,200.00", "a text keeps its text");
    let warnings = read["warnings"].to_string();
    assert!(warnings.contains("12.500,00") && warnings.contains("05.01.2025"), "{warnings}");

    let sum = |step| output(&ana, &run, step);
    assert_eq!(sum("us_sum").await["data"], json!([{ "total": "4155.30" }]));
    assert_eq!(sum("us_mean").await["data"], json!([{ "mean": "1038.825" }]));
    assert_eq!(sum("de_sum").await["data"], json!([{ "total": "12496.50" }]));
    let read = output(&ana, &run, "de").await;
    assert_eq!(read["results"][0]["paid"], "2024-12-31");
    assert_eq!(read["results"][1]["paid"], "2025-01-02");
    let warnings = read["warnings"].to_string();
    assert!(warnings.contains("`$4`") && warnings.contains("four digits"), "{warnings}");

    let large = output(&ana, &run, "large").await;
    let left_out =
        |what: &str| format!("operation 1: null in 1 of 5 records, which {what} leaves out");
    let said = |output: &Value| output["warnings"][0]["message"].clone();
    assert_eq!((&large["count"], &large["warning_count"]), (&json!(2), &json!(1)), "{large:#}");
    assert_eq!(said(&large), left_out("the comparison"));
    assert_eq!(said(&sum("us_sum").await), left_out("the sum"));
    assert_eq!(said(&sum("us_mean").await), left_out("the average"));
    let compared = output(&ana, &run, "compared").await;
    assert_eq!(compared["count"], 0);
    let told = compared["warnings"].as_array().unwrap();
    let texts: Vec<&Value> = told.iter().map(|warning| &warning["text"]).collect();
    assert_eq!(json!(texts), json!(["$4,200.00", "(45.00)", "12.500,00"]));
}

const CONTROL: &str = r#"
id: control-total
name: Control total
description: Goes on when the sum is the one that was told.
version: 1.0.0
required_connectors: [ledger-files]
execution_mode: deterministic
inputs:
  - {name: files, type: list, required: true}
  - {name: told, type: decimal, required: true}
steps:
  - name: read
    step_type: tool
    action: call_connector
    connector: ledger-files
    endpoint: american
    inputs: {source: "{files}"}
  - name: sum
    step_type: tool
    action: transform_data
    inputs: {data: "{read.results}"}
    operations: [{type: aggregate, function: sum, field: amount, as: total}]
  - name: agrees
    step_type: tool
    action: transform_data
    condition: "{sum.data[0].total} == {told}"
    inputs: {data: "{sum.data}"}
    operations: [{type: filter, field: total, operator: eq, value: "4200.30"}]
"#;

#[tokio::test]
async fn f_311_files_of_another_kind_among_good_ones_are_left_out_by_name() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": CONNECTOR })).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "ledger-files").await;
    ana.playbook(CONTROL).await;
    let file = |name: &str, content: &str| (name.to_owned(), content.as_bytes().to_vec());
    let files = vec![
        file("good.csv", "Amount,Paid\n\"$4,200.00\",12/31/2024\n0.3,1/2/2025\n"),
        file("printed.csv", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"),
        file("page.csv", "<!DOCTYPE html>\n<html><body><p>Sign in</p></body></html>\n"),
    ];
    let files = upload(&ana, files).await;
    let inputs = json!({ "files": files, "told": "4200.3" });
    let run = ana.start(&agent, "control-total", inputs).await;
    let done = ana.reaches(&run, "partial").await;
    // The sum writes 4200.30, and what was told is 4200.3: the same number.
    assert_eq!(step(&done, "agrees")["status"], "done", "{done:#}");
    assert_eq!(output(&ana, &run, "agrees").await["count"], 1);
    let read = output(&ana, &run, "read").await;
    let failed = read["errors"].as_array().unwrap();
    let named = |name: &str, kind: &str| {
        failed.iter().any(|one| one["name"] == name && one.to_string().contains(kind))
    };
    assert_eq!(failed.len(), 2, "{read:#}");
    assert!(named("printed.csv", "a PDF") && named("page.csv", "a page of HTML"), "{read:#}");
}

#[tokio::test]
async fn f_099_no_figure_of_a_file_is_rounded_or_moved_without_a_word() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": CONNECTOR })).await;
    let tried = async |endpoint: &str, name: &str, content: &str| {
        let files = upload(&ana, vec![(name.to_owned(), content.into())]).await;
        let body = json!({ "endpoint": endpoint, "inputs": { "source": files[0] } });
        ana.post("/connectors/ledger-files/test", &body).await
    };
    let long = r#"[{"amount": 1234567890123456.78}, {"amount": 0.10}]"#;
    let said = tried("listed", "amounts.json", long).await;
    let rows = &said["output"]["results"];
    assert_eq!(rows[0]["exact"], "1234567890123456.78", "{said:#}");
    assert_eq!((&rows[0]["near"], &rows[1]["near"]), (&Value::Null, &json!(0.1)), "{said:#}");
    let warnings = said["output"]["warnings"].to_string();
    for part in ["amounts.json", "record 1", "\"near\"", "more digits than a number keeps"] {
        assert!(warnings.contains(part), "`{part}` is not in {warnings}");
    }

    let said = tried("spaced", "amounts.csv", "\"Doe, J\", \"b, c\", 7.25\n").await;
    assert_eq!(said["output"]["results"][0]["amount"], "7.25", "{said:#}");
}

const ASKS_ABOVE: &str = r#"
id: asks-above
name: Asks above a limit
description: Asks when an amount is above a limit.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: amount, type: string, required: true}
  - {name: day, type: string, required: true}
steps:
  - {name: ask, step_type: approval, prompt: "Take {amount}?", condition: "{amount} > 10000 OR {day} > '2026-12-31'"}
  - name: taken
    step_type: tool
    action: transform_data
    inputs: {data: [{amount: "{amount}"}]}
    operations: [{type: limit, count: 1}]
"#;

#[tokio::test]
async fn k_56_a_gate_whose_condition_cannot_be_decided_asks() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(ASKS_ABOVE).await;
    let started = async |amount: &str, day: &str| {
        ana.start(&agent, "asks-above", json!({ "amount": amount, "day": day })).await
    };
    ana.reaches(&started("9000.00", "2026-03-01").await, "complete").await;
    for (amount, day) in
        [("10000.01", "2026-03-01"), ("90,000.00", "2026-03-01"), ("1", "03/01/2027")]
    {
        let run = started(amount, day).await;
        let waits = ana.reaches(&run, "awaiting_approval").await;
        assert_ne!(step(&waits, "taken")["status"], "done", "{waits:#}");
        let request = maria.request(&run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let shown = maria.get(&path).await.to_string();
        let is_undecided = amount != "10000.01";
        assert_eq!(shown.contains("could not be decided whether to ask"), is_undecided, "{shown}");
    }
}
