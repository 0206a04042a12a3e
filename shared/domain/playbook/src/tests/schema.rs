//! The published schema.

use std::path::PathBuf;
use std::sync::LazyLock;

use countersign_document::{Limits, Tree};
use serde_json::{Value, json};

use super::{around, compiled, guide, registry};
use crate::{CompileContext, PlaybookSource, compile, schema};

static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&schema()).unwrap());

/// A step of every kind, with every key that it may have.
const EVERY_STEP: &str = r#"  - name: both
    step_type: tool
    description: Reads two sources.
    action: parallel
    condition: "{who} is defined"
    on_error: retry
    on_warning: continue
    output_key: sides
    parallel_steps:
      - {name: left, step_type: tool, action: call_connector, connector: irs-990-xml, endpoint: officers, inputs: {year: 2024}, retry_count: 2, backoff_multiplier: 3, timeout_seconds: 60}
      - {name: right, step_type: tool, action: query_journal, inputs: {query: "{who}"}, params: {limit: 5}}
  - name: best
    step_type: tool
    action: transform_data
    inputs: {data: "{left.results}"}
    operations: [{type: limit, count: 3}]
  - name: verdict
    step_type: llm_task
    action: judge
    inputs: {text: "{best.data[0].name}"}
    output_schema: {type: scalar, fields: [{name: verdict, type: "string[]", description: Why.}]}
  - name: ask
    step_type: approval
    on_error: stop
    prompt: "Write to {left.count}, {verdict.value}?"
    preview_from: left.results
    preview_limit: 20
    preview_columns: [{field: name, label: Name}, {field: compensation, format: money, currency: EUR}]
    timeout_minutes: 2880
    on_reject: skip
    approvers: [ada, ben]
    quorum: 2
    assurance: link_code
  - name: post
    step_type: tool
    action: call_connector
    params: {connector: letters, endpoint: send}
    for_each: {in: left.results, as: one, key: "{one.name}", parallel: 2, max: 50}
    inputs: {to: "{one.name}"}
"#;

/// What the schema says against a document.
fn objections(document: &Value) -> Vec<String> {
    let errors = VALIDATOR.iter_errors(document);
    errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn tree(text: &str) -> Value {
    Tree::parse(text, "playbook", Limits::DEFAULT).unwrap().value
}

#[track_caller]
fn check(text: &str) {
    assert_eq!(objections(&tree(text)), Vec::<String>::new(), "{text}");
}

#[test]
fn f_131_the_schema_is_one_and_has_its_name() {
    assert!(jsonschema::draft202012::meta::is_valid(&schema()));
    assert_eq!(schema()["$id"], "urn:countersign:schema:playbook:1");
    assert!(!schema().to_string().contains("\"x-"));
}

#[test]
fn f_131_what_is_read_is_valid() {
    let every = around(EVERY_STEP);
    assert!(compiled(&every).is_valid(), "{:#?}", compiled(&every).diagnostics);
    check(&every);
    guide::playbooks().into_iter().for_each(check);
    let library = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../library/playbooks");
    for file in std::fs::read_dir(library).unwrap() {
        check(&std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
}

#[test]
fn f_131_a_key_of_another_kind_of_step_is_not() {
    let with = |at: &str, key: &str| {
        let mut document = tree(&around(EVERY_STEP));
        document.pointer_mut(at).unwrap()[key] = json!({ "in": "left.results" });
        objections(&document).len()
    };
    assert_eq!(with("/steps/4", "for_each"), 0);
    assert_ne!(with("/steps/3", "for_each"), 0);
    assert_ne!(with("/steps/2", "for_each"), 0);
    assert_ne!(with("/steps/1", "prompt"), 0);
}

/// What the schema refuses, Countersign refuses: it looks further, and never less far.
#[test]
fn f_131_the_schema_refuses_nothing_that_is_read() {
    let base = tree(&around(EVERY_STEP));
    let registry = registry();
    let values = [
        json!({}),
        json!([]),
        json!(""),
        json!("a"),
        json!("stop"),
        json!(0),
        json!(3),
        json!(2.5),
        json!(5.0),
        json!(5000),
        json!(true),
        json!(["a"]),
        json!({ "name": "a" }),
    ];
    let mut accepted = 0;
    for pointer in pointers(&base, "") {
        for value in &values {
            let mut document = base.clone();
            *document.pointer_mut(&pointer).unwrap() = value.clone();
            let source = PlaybookSource::new("a.yaml", document.to_string());
            if compile(&source, &CompileContext::of(&registry)).is_valid() {
                accepted += 1;
                assert_eq!(objections(&document), Vec::<String>::new(), "{pointer}: {value}");
            }
        }
    }
    assert!(accepted > 50, "{accepted}");
}

fn pointers(value: &Value, at: &str) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    let each = below.into_iter().flat_map(|(key, value)| {
        let own = format!("{at}/{key}");
        let inside = pointers(value, &own);
        std::iter::once(own).chain(inside)
    });
    each.collect()
}

#[test]
fn f_131_every_key_is_described_and_in_the_guide() {
    fn look(value: &Value, silent: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (name, key) in
                    map.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    // A tag is described by its words; `true` is described where all kinds share it.
                    let is_tag =
                        name == "step_type" || !key.is_object() || key.get("const").is_some();
                    let in_guide = guide::GUIDE.contains(&format!("`{name}`"));
                    if !in_guide || (!is_tag && key["description"].is_null()) {
                        silent.push(name.clone());
                    }
                }
                map.values().for_each(|value| look(value, silent));
            }
            Value::Array(items) => items.iter().for_each(|item| look(item, silent)),
            _ => {}
        }
    }
    let mut silent = Vec::new();
    look(&schema(), &mut silent);
    assert_eq!(silent, Vec::<String>::new());
}
