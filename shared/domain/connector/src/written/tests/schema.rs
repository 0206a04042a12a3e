//! The published schema.

use std::path::PathBuf;
use std::sync::LazyLock;

use countersign_document::{Limits, Tree};
use serde_json::Value;

use super::corpus;
use crate::schema::schema;
use crate::{parse, parse_template};

static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&schema()).unwrap());

/// What the schema says against a document.
fn objections(document: &Value) -> Vec<String> {
    let errors = VALIDATOR.iter_errors(document);
    errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
}

pub(super) fn tree(text: &str) -> Value {
    Tree::parse(text, "connector", Limits::DEFAULT).unwrap().value
}

fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

#[test]
fn f_107_the_published_schema_is_the_one_the_parser_goes_by() {
    assert!(jsonschema::draft202012::meta::is_valid(&schema()));
    let published = std::fs::read_to_string(project("docs/schema/connector.json")).unwrap();
    let own = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    assert!(
        published == own,
        "docs/schema/connector.json is not what the parser goes by: run `cargo countersign schema connector > docs/schema/connector.json`"
    );
}

#[test]
fn f_107_the_library_and_the_corpus_are_valid() {
    let mut texts: Vec<String> = corpus::ALL.map(str::to_owned).into();
    for file in std::fs::read_dir(project("library/connectors")).unwrap() {
        texts.push(std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    assert!(texts.len() > corpus::ALL.len());
    for text in texts {
        let parsed = parse_template(&text);
        assert!(parsed.definition.is_some(), "{:#?}", parsed.diagnostics);
        assert_eq!(objections(&tree(&text)), Vec::<String>::new(), "{text}");
        let wrapped = serde_json::json!({ "connector": tree(&text) });
        assert_eq!(objections(&wrapped), Vec::<String>::new());
        assert!(parse_template(&wrapped.to_string()).definition.is_some());
    }
}

#[test]
fn f_107_the_examples_of_the_docs_are_valid() {
    let docs = std::fs::read_to_string(project("docs/connectors.md")).unwrap();
    let blocks = docs.split("```yaml").skip(1).filter_map(|rest| rest.split("```").next());
    let mut checked = 0;
    // Behind the fence stands the type, or nothing where the block is a whole connector; `tests/documents` has the parts.
    for (kind, block) in blocks.filter_map(|block| block.split_once('\n')) {
        if !["connection:", "endpoints:"].iter().all(|key| block.contains(&format!("{key}\n"))) {
            continue;
        }
        let head = match kind.trim() {
            "" => String::new(),
            kind => format!("id: example\nname: Example\nversion: 1.0.0\ntype: {kind}\n"),
        };
        let text = head + block;
        let parsed = parse(&text);
        assert!(parsed.definition.is_some(), "{text}\n{:#?}", parsed.diagnostics);
        assert_eq!(objections(&tree(&text)), Vec::<String>::new(), "{text}");
        checked += 1;
    }
    assert!(checked >= 3);
}

#[test]
fn f_107_what_may_be_written_is_described() {
    fn look(place: &str, value: &Value, silent: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                if map.get("additionalProperties") == Some(&Value::Bool(false)) {
                    let keys = map["properties"].as_object().unwrap();
                    let mut say = |name: &String, key: &Value| {
                        // What all types share is described once.
                        let referred = key == &Value::Bool(true)
                            || key["$ref"].is_string()
                            || key["anyOf"][0]["$ref"].is_string();
                        if key["description"].is_null() && !referred {
                            silent.push(format!("{place}/{name}"));
                        }
                    };
                    keys.iter().for_each(|(name, key)| say(name, key));
                }
                map.iter().for_each(|(key, value)| look(&format!("{place}/{key}"), value, silent));
            }
            Value::Array(items) => items.iter().for_each(|item| look(place, item, silent)),
            _ => {}
        }
    }
    let mut silent = Vec::new();
    look("", &schema(), &mut silent);
    assert_eq!(silent, Vec::<String>::new());
}
