//! `extract_entities` (F-047): connector rules, word lists and shape. No model.

use std::collections::BTreeSet;

use countersign_knowledge::extract::{Extraction, Request, Rule, extract};
use countersign_knowledge::{EntityType, Relationship};
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::extract_entities as declared;
use countersign_registry::shape::{Formed, Names, filled};
use countersign_registry::{Perform, Warnings};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

pub(crate) struct ExtractEntities;

impl Perform for ExtractEntities {
    type Action = declared::ExtractEntities;

    async fn perform(
        &self,
        _: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Formed<declared::Output>, ActionError> {
        find(&inputs, params)
    }
}

fn find(
    inputs: &declared::Inputs,
    params: declared::Params,
) -> Result<Formed<declared::Output>, ActionError> {
    let rules_only = params.strategy == declared::Strategy::Rules;
    let rules = match params.rules {
        Some(rules) => rules.into_iter().map(rule).collect::<Result<_, _>>()?,
        None => rules_of(&inputs.data.set)?,
    };
    let relationship = filled(params.relationship_type).as_deref().map(relationship).transpose()?;
    let request = Request { types: types(params.entity_types), relationship, rules };
    let found = extract(&inputs.data.items, &request);
    let Extraction { mut entities, left_out } =
        found.map_err(|error| ActionError::from_failure(&error))?;
    if rules_only {
        // The corporate trustee a rule's field turned out to hold was found by that rule's field all the same.
        let ruled = |field: &str| request.rules.iter().any(|rule| rule.field == field);
        entities.retain(|entity| {
            entity.method == countersign_knowledge::recognise::Method::Rules
                || ruled(&entity.source_field)
        });
    }
    let mut output = Map::new();
    output.insert("count".to_owned(), entities.len().into());
    output.insert("entities".to_owned(), json!(entities));
    left_out.into_iter().collect::<Warnings>().write(&mut output);
    Ok(Value::Object(output).into())
}

/// `auto`, or nothing, means every type.
fn types(written: Names) -> Option<BTreeSet<EntityType>> {
    match written {
        Names::One(text) if text.eq_ignore_ascii_case("auto") || text.trim().is_empty() => None,
        Names::One(text) => Some(text.split(',').map(EntityType::from).collect()),
        Names::Several(names) if names.is_empty() => None,
        Names::Several(names) => Some(names.iter().map(|n| EntityType::from(n.as_str())).collect()),
    }
}

fn relationship(text: &str) -> Result<Relationship, ActionError> {
    let unknown = || {
        let message = format!("`relationship_type`: the graph has no relationship `{text}`");
        ActionError::terminal("BAD_PARAM", message)
    };
    Relationship::parse(text).ok_or_else(unknown)
}

fn rule(written: declared::Rule) -> Result<Rule, ActionError> {
    let relationship_type =
        filled(written.relationship_type).as_deref().map(relationship).transpose()?;
    let entity_type = filled(written.entity_type).unwrap_or_else(|| "auto".to_owned());
    Ok(Rule { field: written.field, entity_type, relationship_type })
}

/// The record set's own `_entity_rules`.
fn rules_of(set: &Map<String, Value>) -> Result<Vec<Rule>, ActionError> {
    let rules = set.get("_entity_rules").filter(|rules| !rules.is_null());
    let Some(rules) = rules else { return Ok(Vec::new()) };
    Vec::<Rule>::deserialize(rules).map_err(|_| {
        let message = "`_entity_rules` must be a list of {field, entity_type, relationship_type}";
        ActionError::terminal("BAD_INPUT", message)
    })
}
