//! Finding entities in records (F-047): connector rules first, then word lists and shape (F-243).
//!
//! What a rule does not name is judged by [`crate::recognise`]. Each entity says by which method it was found.

mod fields;
mod found_in;
mod limits;
mod pieces;
mod place;
mod relate;

use std::collections::{BTreeMap, BTreeSet};

use countersign_failure::json_problem;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cross::lookup;
use crate::error::KnowledgeError;
use crate::fold::{fold, squeeze};
use crate::model::{EdgeEnd, EntityType, Relationship, short};
use crate::recognise::{Method, classify, spans};

use self::fields::is_no_name_field;
pub use self::found_in::FoundIn;
pub(crate) use self::limits::long_name;
pub use self::limits::{MAX_COMPANY, MAX_IDS, MAX_WORD};
use self::pieces::pieces;
use self::relate::relate;
pub use crate::model::MAX_NAME;

pub(crate) use self::fields::field_hint;

/// The most records one call reads.
pub const MAX_RECORDS: usize = 100_000;

/// The most entities one call returns.
pub const MAX_ENTITIES: usize = 200_000;

/// A connector's word on one field (F-090).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Dotted path in the record.
    pub field: String,
    /// `PERSON`, `ORG`, …, or `auto`: read as running text.
    #[serde(default = "auto")]
    pub entity_type: String,
    /// How the entity relates to the record's organisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relationship_type: Option<Relationship>,
}

fn auto() -> String {
    "auto".to_owned()
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// Only these kinds; `None` is `auto`: all that are found.
    pub types: Option<BTreeSet<EntityType>>,
    /// The relationship of entities no rule speaks of.
    pub relationship: Option<Relationship>,
    /// The connector's rules for all records; a record's own `_entity_rules` come first.
    pub rules: Vec<Rule>,
}

/// An entity found in a record: the item of `entities` on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// The name as it stands, single-spaced.
    pub name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub entity_type: EntityType,
    /// The field it stood in.
    #[serde(default)]
    pub source_field: String,
    /// The record's place.
    #[serde(default)]
    pub source_record_index: usize,
    /// How sure, 0 to 1.
    #[serde(default = "certain")]
    pub confidence: f64,
    /// `rules`, `gazetteer` or `heuristic`.
    #[serde(default = "by_rules")]
    pub method: Method,
    /// How it relates to [`Extracted::related_to`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relationship_type: Option<Relationship>,
    /// The record's organisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related_to: Option<EdgeEnd>,
    /// Scheme → value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub external_ids: BTreeMap<String, String>,
    /// Folded names of organisations in the same record.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub context: BTreeSet<String>,
    /// The town a person is reached in, such as `Sedgewick, OR`, where it says something about the person: not the
    /// organisation's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Title, compensation, amount, … for the edge.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
    /// The connector the record came from, when it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_connector: Option<String>,
    /// Its endpoint, when it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_endpoint: Option<String>,
    /// The address that was asked, without its query, when the record said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_query: Option<String>,
    /// When the record was read, when it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved_at: Option<Timestamp>,
    /// The document that the record was read from, when it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<FoundIn>,
}

fn certain() -> f64 {
    1.0
}

fn by_rules() -> Method {
    Method::Rules
}

/// What records name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extraction {
    /// The entities.
    pub entities: Vec<Extracted>,
    /// What is too large to be resolved, with its place: a sentence each.
    pub left_out: Vec<String>,
}

/// Reads all records.
///
/// # Errors
/// [`KnowledgeError`] when there are too many records or entities, or an item is not an object.
pub fn extract(records: &[Value], request: &Request) -> Result<Extraction, KnowledgeError> {
    KnowledgeError::at_most("data", records.len(), MAX_RECORDS)?;
    let mut all = Extraction::default();
    for (index, record) in records.iter().enumerate() {
        let Some(fields) = record.as_object() else {
            return Err(KnowledgeError::BadItem {
                what: "data",
                index,
                problem: "a record must be an object".to_owned(),
            });
        };
        let is_wanted = |entity: &Extracted| {
            request.types.as_ref().is_none_or(|types| types.contains(&entity.entity_type))
        };
        for entity in read_record(index, record, fields, request)?.into_iter().filter(is_wanted) {
            match entity.too_large() {
                Some(why) => all.left_out.push(left_out(&entity, &why)),
                None => all.entities.push(entity),
            }
        }
        let count = all.entities.len() + all.left_out.len();
        KnowledgeError::at_most("entities", count, MAX_ENTITIES)?;
    }
    Ok(all)
}

fn left_out(entity: &Extracted, why: &str) -> String {
    let (index, field) = (entity.source_record_index, short(&entity.source_field));
    format!("data[{index}], `{field}`: a name is left out: {why}")
}

fn read_record(
    index: usize,
    record: &Value,
    fields: &Map<String, Value>,
    request: &Request,
) -> Result<Vec<Extracted>, KnowledgeError> {
    let own = own_rules(index, fields)?;
    let rules = if own.is_empty() { &request.rules } else { &own };
    let mut found: Vec<Extracted> =
        rules.iter().flat_map(|rule| by_rule(index, record, rule)).collect();
    for (key, value) in fields {
        let ruled = rules
            .iter()
            .any(|rule| rule.field == *key || rule.field.starts_with(&format!("{key}.")));
        if !ruled && !key.starts_with('_') {
            let hint =
                field_hint(key).or_else(|| (key == "name").then(|| record_hint(fields)).flatten());
            found.extend(by_judgement(index, key, value, hint.as_ref()));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|entity| {
        seen.insert((entity.entity_type.clone(), fold(&entity.name), entity.source_field.clone()))
    });
    relate(&mut found, record, fields, rules, request);
    Ok(found)
}

fn own_rules(index: usize, fields: &Map<String, Value>) -> Result<Vec<Rule>, KnowledgeError> {
    let Some(rules) = fields.get("_entity_rules") else { return Ok(Vec::new()) };
    let problem = |error: serde_json::Error| KnowledgeError::BadItem {
        what: "data",
        index,
        problem: format!("_entity_rules: {}", json_problem(&error.to_string())),
    };
    Vec::<Rule>::deserialize(rules).map_err(problem)
}

fn entity(
    index: usize,
    field: &str,
    name: &str,
    entity_type: EntityType,
    confidence: f64,
    method: Method,
) -> Extracted {
    Extracted {
        name: squeeze(name),
        entity_type,
        source_field: field.to_owned(),
        source_record_index: index,
        confidence,
        method,
        relationship_type: None,
        related_to: None,
        external_ids: BTreeMap::new(),
        context: BTreeSet::new(),
        place: None,
        attributes: Map::new(),
        source_connector: None,
        source_endpoint: None,
        source_query: None,
        retrieved_at: None,
        document: None,
    }
}

fn by_rule(index: usize, record: &Value, rule: &Rule) -> Vec<Extracted> {
    let texts = lookup(record, &rule.field).map(texts).unwrap_or_default();
    texts
        .iter()
        .flat_map(|text| {
            if rule.entity_type == "auto" {
                by_text(index, &rule.field, text, None)
            } else {
                named(index, rule, text)
            }
        })
        .collect()
}

/// A field a rule names holds one name. A person's field that plainly holds a company (a corporate trustee) is read so.
fn named(index: usize, rule: &Rule, text: &str) -> Vec<Extracted> {
    let kind = EntityType::from(rule.entity_type.as_str());
    if !text.chars().any(char::is_alphabetic) {
        return Vec::new();
    }
    let company = kind == EntityType::Person
        && classify(text, None)
            .is_some_and(|g| g.entity_type == EntityType::Org && g.confidence >= 0.92);
    let found = if company {
        entity(index, &rule.field, text, EntityType::Org, 0.85, Method::Gazetteer)
    } else {
        entity(index, &rule.field, text, kind, 0.97, Method::Rules)
    };
    vec![found]
}

/// What the connector calls its records says what their `name` is: `nonprofit_officer`.
fn record_hint(fields: &Map<String, Value>) -> Option<EntityType> {
    fields.get("_entity_type").and_then(Value::as_str).and_then(field_hint)
}

fn by_judgement(
    index: usize,
    field: &str,
    value: &Value,
    hint: Option<&EntityType>,
) -> Vec<Extracted> {
    match value {
        Value::Object(inner) => {
            let inner = inner
                .iter()
                .filter(|(_, v)| v.is_string())
                .map(|(key, v)| (format!("{field}.{key}"), v));
            inner
                .flat_map(|(path, v)| by_judgement(index, &path, v, field_hint(&path).as_ref()))
                .collect()
        }
        _ if is_no_name_field(field) => Vec::new(),
        other => texts(other).iter().flat_map(|text| by_text(index, field, text, hint)).collect(),
    }
}

fn by_text(index: usize, field: &str, text: &str, hint: Option<&EntityType>) -> Vec<Extracted> {
    let running = text.split_whitespace().count() > 8
        || text.split_whitespace().filter(|w| w.chars().all(char::is_lowercase)).count() > 2;
    if running {
        return pieces(text)
            .flat_map(spans)
            .filter(|span| span.text.chars().count() <= MAX_NAME)
            .map(|span| {
                entity(
                    index,
                    field,
                    &span.text,
                    span.guess.entity_type,
                    span.guess.confidence * 0.9,
                    span.guess.method,
                )
            })
            .collect();
    }
    let guess = classify(text, hint).filter(|guess| guess.confidence >= 0.6);
    guess
        .map(|guess| entity(index, field, text, guess.entity_type, guess.confidence, guess.method))
        .into_iter()
        .collect()
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => {
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
