//! An endpoint's mapping in the words of the peer, so that both sides follow the same one.

use std::path::Path;

use countersign_connector::{
    Anchor, ConnectorDefinition, FieldRule, FormatRules, Operation, Pick, ValueType, XPath,
};
use serde_json::{Value, json};

use crate::error::CliError;

pub(super) fn definition(connector: &Path) -> Result<ConnectorDefinition, CliError> {
    let text = std::fs::read_to_string(connector)
        .map_err(|source| CliError::io(format!("reading `{}`", connector.display()), source))?;
    countersign_connector::parse(&text)
        .definition
        .ok_or_else(|| CliError::Argument(format!("`{}` is not a connector", connector.display())))
}

pub(super) fn of(connector: &Path, endpoint: &str) -> Result<Value, CliError> {
    let definition = definition(connector)?;
    let unknown = || CliError::Argument(format!("`{endpoint}` is not compared with a peer"));
    let endpoint = definition.endpoints.get(endpoint).ok_or_else(unknown)?;
    match &endpoint.operation {
        Operation::ParseXml(rules) => Ok(json!({
            "kind": "xml",
            "root": rules.root_element.as_ref().map(steps),
            "list": rules.list_element.as_ref().map(steps),
            "fields": rules.fields.iter().map(field).collect::<Vec<_>>(),
            "context": rules.context_fields.iter().map(field).collect::<Vec<_>>(),
        })),
        Operation::Parse(rules) => match &**rules {
            FormatRules::Json(rules) => Ok(json!({
                "kind": "json",
                "list": rules.results_path.as_ref().map_or_else(Vec::new, |path| keys(path.as_str())),
                "fields": rules.fields.iter().map(|rule| json!({
                    "field": rule.field,
                    "paths": rule.paths.iter().map(|path| keys(path.as_str())).collect::<Vec<_>>(),
                    "type": rule.value_type.map(name),
                })).collect::<Vec<_>>(),
            })),
            FormatRules::Csv(rules) => Ok(json!({
                "kind": "csv",
                "fields": rules.table.fields.iter().map(|rule| json!({
                    "field": rule.field,
                    "columns": rule.columns.iter().filter_map(column).collect::<Vec<_>>(),
                    "type": rule.value_type.map(name),
                })).collect::<Vec<_>>(),
            })),
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

fn field(rule: &FieldRule) -> Value {
    json!({ "field": rule.field, "paths": steps(&rule.xpath), "type": name(rule.value_type) })
}

/// A column by its name.
fn column(pick: &Pick) -> Option<&str> {
    match pick {
        Pick::Name(name) => Some(name),
        Pick::Number(_) => None,
    }
}

fn name(value_type: ValueType) -> Value {
    serde_json::to_value(value_type).unwrap_or_default()
}

/// Each alternative as its anchor and its steps.
fn steps(path: &XPath) -> Vec<Value> {
    let anchor = |anchor| match anchor {
        Anchor::Anywhere => "anywhere",
        Anchor::Root => "root",
        Anchor::Child => "child",
        Anchor::Below => "below",
    };
    let one = |one: &countersign_connector::Alternative| json!([anchor(one.anchor), one.steps]);
    path.alternatives().iter().map(one).collect()
}

/// The keys of a path without brackets.
fn keys(path: &str) -> Vec<&str> {
    path.split('.').collect()
}
