//! An endpoint as a tool of a model (F-093).

use countersign_registry::arguments_schema;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::contract::endpoint_contract;
use crate::model::ConnectorDefinition;

/// No name of a tool is longer: what model providers take.
const MAX_NAME: usize = 64;

/// An endpoint as models are shown it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EndpointTool {
    /// `{connector}__{endpoint}`: at most 64 letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, and of which source.
    pub description: String,
    /// JSON Schema, draft 2020-12, of the arguments.
    pub input_schema: Value,
}

/// The tool of one endpoint, or `None` when the connector has no such endpoint.
#[must_use]
pub fn tool_of(definition: &ConnectorDefinition, endpoint: &str) -> Option<EndpointTool> {
    let contract = endpoint_contract(definition, endpoint)?;
    let does = definition.endpoints.get(endpoint).map_or("", |endpoint| &endpoint.description);
    let mut description = match does {
        "" => format!("`{endpoint}` of {}", definition.name),
        does => format!("{does} ({})", definition.name),
    };
    if contract.irreversible {
        description.push_str(". Its effect cannot be taken back: it waits for a signature.");
    }
    let name = name(definition.id.as_str(), endpoint);
    Some(EndpointTool { name, description, input_schema: arguments_schema(&contract.inputs) })
}

/// A name that is too long is cut, and told from its like by a digest of the whole.
fn name(connector: &str, endpoint: &str) -> String {
    let whole = format!("{connector}__{endpoint}");
    if whole.len() <= MAX_NAME {
        return whole;
    }
    let digest = hex::encode(&Sha256::digest(&whole)[..4]);
    let head: String = whole.chars().take(MAX_NAME - digest.len() - 1).collect();
    format!("{head}_{digest}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_registry::DataType;
    use serde_json::{Map, json};

    use super::*;
    use crate::{parse, parse_template};

    fn library() -> Vec<ConnectorDefinition> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../library/connectors");
        let files = std::fs::read_dir(folder).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        texts.map(|text| parse_template(&text).definition.unwrap()).collect()
    }

    /// A value of a type.
    fn example(data_type: &DataType) -> Value {
        match data_type {
            DataType::String | DataType::Any => "a".into(),
            DataType::Date => "2024-01-02".into(),
            DataType::Decimal => "1250.00".into(),
            DataType::Number => 1.5.into(),
            DataType::Integer => 1.into(),
            DataType::Boolean => true.into(),
            DataType::Object | DataType::Record(_) => json!({}),
            DataType::Array(item) => json!([example(item)]),
        }
    }

    #[test]
    fn f_093_every_endpoint_of_the_library_is_a_tool_of_a_model() {
        let mut names = BTreeSet::new();
        for definition in library() {
            for (name, endpoint) in &definition.endpoints {
                let tool = tool_of(&definition, name).unwrap();
                let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                assert!(tool.name.len() <= 64 && tool.name.chars().all(fits), "{}", tool.name);
                assert_eq!(tool.name, format!("{}__{name}", definition.id));
                assert!(tool.description.contains(&endpoint.description), "{}", tool.description);
                assert!(names.insert(tool.name.clone()), "{} twice", tool.name);
                arguments_hold(&definition, name, &tool);
            }
        }
        assert!(names.len() > 40, "{}", names.len());
    }

    fn arguments_hold(definition: &ConnectorDefinition, endpoint: &str, tool: &EndpointTool) {
        let schema = &tool.input_schema;
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{schema:#}");
        let validator = jsonschema::draft202012::new(schema).unwrap();
        let contract = endpoint_contract(definition, endpoint).unwrap();
        let all: Map<String, Value> = contract
            .inputs
            .iter()
            .map(|slot| (slot.name.clone(), example(&slot.data_type)))
            .collect();
        assert!(validator.is_valid(&all.clone().into()), "{}: {schema:#}", tool.name);
        for slot in &contract.inputs {
            let mut without = all.clone();
            without.remove(&slot.name);
            let may = !slot.required || slot.default.is_some();
            assert_eq!(validator.is_valid(&without.into()), may, "{} {}", tool.name, slot.name);
            if slot.data_type != DataType::Any {
                let mut wrong = all.clone();
                wrong.insert(slot.name.clone(), Value::Null);
                assert!(!validator.is_valid(&wrong.into()), "{} {}", tool.name, slot.name);
            }
        }
        let mut more = all;
        more.insert("not_an_argument".to_owned(), 1.into());
        assert!(!validator.is_valid(&more.into()), "{}", tool.name);
    }

    #[test]
    fn f_334_every_template_can_be_copied_and_loses_only_what_it_says() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../library/connectors");
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let copy = parse(&text);
            assert!(
                copy.diagnostics.iter().all(|said| said.code == "env_var"),
                "{:?}",
                copy.diagnostics
            );
            let (copy, mut shipped) =
                (copy.definition.unwrap(), parse_template(&text).definition.unwrap());
            shipped.auth_fields.iter_mut().for_each(|field| field.env_var = None);
            assert_eq!(copy, shipped);
        }
    }

    #[test]
    fn f_093_a_long_name_is_cut_and_stays_its_own() {
        let (long, other) = ("a".repeat(64), format!("{}b", "a".repeat(63)));
        assert_eq!(name("shelf", "list"), "shelf__list");
        assert_eq!(name(&"a".repeat(30), &"b".repeat(32)).len(), 64);
        let names: BTreeSet<String> =
            [(&long, "x"), (&other, "x"), (&long, "y")].map(|(id, one)| name(id, one)).into();
        assert_eq!(names.len(), 3);
        assert!(names.iter().all(|name| name.len() == 64), "{names:?}");
    }

    #[test]
    fn f_093_an_argument_says_what_it_is() {
        let yaml = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints:\n  drop:\n    description: Removes one\n    method: POST\n    path: /items/{id}\n    body: { since: '{since}', tags: '{tags}' }\n    parameters:\n      - { name: id, type: integer, required: true, description: its number }\n      - { name: since, type: date, default: '2024-01-02', description: from this day }\n      - { name: tags, type: 'string[]', required: true }\n      - { name: more, type: any }\n";
        let definition = parse(yaml).definition.unwrap();
        assert_eq!(tool_of(&definition, "gone"), None);
        let tool = tool_of(&definition, "drop").unwrap();
        assert_eq!(
            tool.description,
            "Removes one (Shelf). Its effect cannot be taken back: it waits for a signature."
        );
        let expect = json!({
            "id": { "type": "integer", "description": "its number" },
            "since": {
                "type": "string", "default": "2024-01-02",
                "description": "from this day; a date (yyyy-mm-dd) or a time (RFC 3339)",
            },
            "tags": { "type": "array", "items": { "type": "string" } },
            "more": {},
        });
        assert_eq!(tool.input_schema["properties"], expect);
        assert_eq!(tool.input_schema["required"], json!(["id", "tags"]));
    }
}
