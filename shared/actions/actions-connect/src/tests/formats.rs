//! Files of other formats than XML, through the whole action.

use serde_json::json;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const TABLES: &str = "\
id: grants
name: Grants
type: file_parser
version: 1.0.0
connection: { source: upload, accepted_formats: [csv, jsonl, pdf] }
endpoints:
  table:
    description: reads tables
    parser: csv
    fields:
      - { field: name, column: [Name, Recipient] }
      - { field: amount, column: Amount, type: number }
    response_mapping: { entity_type: grant, entity_extraction: [{ field: name, entity_type: ORG }] }
  lines:
    description: reads lines
    parser: jsonl
";

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn call(endpoint: &str, source: Value) -> Call {
    call_of("grants", endpoint, json!({ "source": source }))
}

#[tokio::test]
async fn f_099_csv_uploads_carry_the_same_provenance_as_xml() {
    let world =
        World::new(TABLES).file(7, "g.csv", b"Name,Amount\nNorthshore,\"240,000\"\n".to_vec());
    let output = run(world, &call("table", json!(file_id(7).as_str()))).await.unwrap();
    let record = &output["results"][0];
    assert_eq!(
        Value::Object(own_fields(record)),
        json!({ "name": "Northshore", "amount": 240_000 })
    );
    let expect = json!({
        "_source": "grants", "_endpoint": "table", "_source_ref": file_id(7).as_str(), "_source_name": "g.csv",
        "_retrieved_at": "2026-03-04T05:06:07Z", "_entity_type": "grant",
        "_entity_rules": [{ "field": "name", "entity_type": "ORG" }],
    });
    for (key, value) in expect.as_object().unwrap() {
        assert_eq!(&record[key], value, "{key}");
    }
}

#[tokio::test]
async fn f_099_of_a_directory_each_file_is_read_on_its_own() {
    let yaml = TABLES.replace("source: upload", "source: directory");
    let world = World::new(&yaml)
        .in_folder("all", 1, "a.csv", b"Recipient;Amount\nA;1\n".to_vec())
        .in_folder("all", 2, "cut.csv", b"Name,Amount\n\"A,1\n".to_vec())
        .in_folder("all", 3, "old.csv", b"Name,Amount\nCaf\xE9,1\n".to_vec())
        .in_folder("all", 4, "page.pdf", b"%PDF-1.7".to_vec())
        .in_folder("all", 5, "z.CSV", b"Name,Amount\nZ,many\n".to_vec());
    let output = run(world, &call("table", json!("all"))).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(2), &json!(2)));
    let codes: Vec<_> = output["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["name"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        codes,
        [("cut.csv", "FILE_TRUNCATED"), ("old.csv", "FILE_ENCODING"), ("page.pdf", "FILE_FORMAT")],
        "a PDF is accepted, but not by a parser of tables"
    );
    assert_eq!(output["warnings"][0]["record"], 1);
    assert_eq!(output["warnings"][0]["message"], "line 2: `many` is not of type number");
}

#[tokio::test]
async fn f_099_a_bad_line_is_a_warning_without_a_record() {
    let world = World::new(TABLES).file(7, "l.jsonl", b"{\"a\":1}\n{\n{\"a\":2}\n".to_vec());
    let output = run(world, &call("lines", json!(file_id(7).as_str()))).await.unwrap();
    assert_eq!(output["count"], 2);
    let warning = &output["warnings"][0];
    assert_eq!((&warning["record"], &warning["name"]), (&Value::Null, &json!("l.jsonl")));
    assert!(warning["message"].as_str().unwrap().starts_with("line 2 is left out"), "{warning}");
}

#[tokio::test]
async fn f_099_an_address_may_end_in_anything_but_another_format() {
    let server = MockServer::builder().start().await;
    for name in ["/export", "/export.php", "/export.csv"] {
        let answer = ResponseTemplate::new(200).set_body_string("Name,Amount\nA,1\n");
        Mock::given(path(name)).respond_with(answer).mount(&server).await;
    }
    let yaml = TABLES.replace("source: upload", "source: url");
    let read = |name: &str| call("table", json!(format!("{}{name}?format=csv", server.uri())));
    for name in ["/export", "/export.php", "/export.csv"] {
        let output = run(World::new(&yaml), &read(name)).await.unwrap();
        assert_eq!(output["results"][0]["amount"], 1, "{name}");
    }
    check(World::new(&yaml), &read("/export.pdf"), "FILE_FORMAT").await;
}

#[tokio::test]
async fn f_099_a_workbook_cut_on_its_way_is_refused() {
    let yaml = TABLES.replace("parser: csv", "parser: xlsx").replace("[csv, jsonl", "[xlsx, jsonl");
    let world = World::new(&yaml).file(7, "g.xlsx", b"PK\x03\x04 and nothing more".to_vec());
    check(world, &call("table", json!(file_id(7).as_str())), "FILE_TRUNCATED").await;
}

#[tokio::test]
async fn f_091_values_of_a_file_become_what_its_endpoint_declares() {
    let yaml = TABLES
        .replace(
            "      - { field: amount, column: Amount, type: number }\n",
            "      - { field: amount, column: Amount }\n      - { field: paid, column: Paid }\n",
        )
        .replace(
            "    response_mapping: { entity_type: grant,",
            "    locale: de-DE\n    output_schema: { fields: [{ name: name, type: string }, { name: amount, type: decimal }, { name: paid, type: date }] }\n    response_mapping: { entity_type: grant,",
        );
    let rows = b"Name;Amount;Paid\nA;1.250,50;03.05.2024\nB;a lot;\n".to_vec();
    let world = World::new(&yaml).file(7, "g.csv", rows);
    let output = run(world, &call("table", json!(file_id(7).as_str()))).await.unwrap();
    let own = |n: usize| Value::Object(own_fields(&output["results"][n]));
    assert_eq!(own(0), json!({ "name": "A", "amount": "1250.50", "paid": "2024-05-03" }));
    assert_eq!(own(1), json!({ "name": "B", "amount": null, "paid": null }));
    let warning = &output["warnings"][0];
    assert_eq!(
        (&warning["field"], &warning["record"]),
        (&json!("amount"), &json!(1)),
        "{output:#}"
    );
}

#[tokio::test]
async fn f_093_an_argument_that_no_file_needs_is_refused() {
    let world = World::new(TABLES).file(7, "g.csv", b"Name,Amount\nA,1\n".to_vec());
    let call =
        call_of("grants", "table", json!({ "source": file_id(7).as_str(), "tax_year": 2023 }));
    let error = run(world, &call).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_ARGUMENT", "{error:?}");
}
