//! `extract_entities` (F-047): connector rules, word lists and shape. No model: `strategy: ml` is refused.

use countersign_knowledge::extract::{Request, Rule, extract};
use countersign_knowledge::{EntityType, KnowledgeError, Relationship};
use countersign_registry::action::{Action, ActionError, Call};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::given;

pub(crate) struct ExtractEntities;

impl Action for ExtractEntities {
    fn name(&self) -> &'static str {
        "extract_entities"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move { find(call) })
    }
}

fn find(call: &Call) -> Result<Value, ActionError> {
    let records = given::records(call, "data")?;
    let rules_only = rules_only(call)?;
    let request =
        Request { types: types(call)?, relationship: relationship(call)?, rules: rules(call)? };
    let mut entities =
        extract(&records, &request).map_err(|error| ActionError::from_failure(&error))?;
    if rules_only {
        // The corporate trustee a rule's field turned out to hold was found by that rule's field all the same.
        let ruled = |field: &str| request.rules.iter().any(|rule| rule.field == field);
        entities.retain(|entity| {
            entity.method == countersign_knowledge::recognise::Method::Rules
                || ruled(&entity.source_field)
        });
    }
    Ok(json!({ "count": entities.len(), "entities": entities }))
}

fn rules_only(call: &Call) -> Result<bool, ActionError> {
    let refuse = |error: KnowledgeError| {
        Err(ActionError::from_failure(&error).with_help("use `auto` or `rules`"))
    };
    match given::text(call, "strategy")? {
        None | Some("auto") => Ok(false),
        Some("rules") => Ok(true),
        Some("ml") => refuse(KnowledgeError::StrategyUnavailable("ml".to_owned())),
        Some(other) => refuse(KnowledgeError::UnknownStrategy {
            given: other.chars().take(40).collect(),
            known: "`auto` and `rules`",
        }),
    }
}

fn types(call: &Call) -> Result<Option<std::collections::BTreeSet<EntityType>>, ActionError> {
    let bad = |what: &Value| {
        ActionError::terminal(
            "BAD_PARAM",
            format!("`entity_types` must be `auto` or a list of types, not {}", given::kind(what)),
        )
    };
    match call.params.get("entity_types") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text))
            if text.eq_ignore_ascii_case("auto") || text.trim().is_empty() =>
        {
            Ok(None)
        }
        Some(Value::String(text)) => Ok(Some(text.split(',').map(EntityType::from).collect())),
        Some(Value::Array(items)) if items.is_empty() => Ok(None),
        Some(Value::Array(items)) => {
            let types = items
                .iter()
                .map(|item| item.as_str().map(EntityType::from).ok_or_else(|| bad(item)));
            types.collect::<Result<_, _>>().map(Some)
        }
        Some(other) => Err(bad(other)),
    }
}

fn relationship(call: &Call) -> Result<Option<Relationship>, ActionError> {
    let Some(text) = given::text(call, "relationship_type")? else { return Ok(None) };
    let unknown = || {
        ActionError::terminal(
            "BAD_PARAM",
            format!("`relationship_type`: the graph has no relationship `{text}`"),
        )
    };
    Relationship::parse(text).map(Some).ok_or_else(unknown)
}

/// From the param `rules`, or from the record set's own `_entity_rules`.
fn rules(call: &Call) -> Result<Vec<Rule>, ActionError> {
    let of_set = || call.inputs.get("data").and_then(|data| data.get("_entity_rules"));
    let Some(rules) = call.params.get("rules").filter(|rules| !rules.is_null()).or_else(of_set)
    else {
        return Ok(Vec::new());
    };
    Vec::<Rule>::deserialize(rules)
        .map_err(|error| ActionError::terminal("BAD_PARAM", format!("`rules`: {error}")))
}
