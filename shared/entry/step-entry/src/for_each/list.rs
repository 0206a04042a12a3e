//! The calls of a step that makes one for each item of a list, with their wiring resolved.

use std::collections::BTreeMap;

use countersign_plan::{ForEach, PlanStep};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_wiring::{Reference, Scope, render, resolve};
use serde_json::Value;

use crate::prepare::{Prepared, prepare};

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// What the playbook calls it; unique in the list.
    pub(crate) key: String,
    /// Its arguments.
    pub(crate) prepared: Prepared,
}

/// Problems of items that are told one by one.
const MAX_TOLD: usize = 5;

/// The longest key of an item, in characters: it is shown, and part of records.
const MAX_KEY: usize = 200;

/// Every call of the step, in the order of the list; none for an empty list.
///
/// # Errors
/// `FOR_EACH_NOT_A_LIST`, `FOR_EACH_TOO_MANY`, `FOR_EACH_DUPLICATE`, or `STEP_INPUT_INVALID` with the items that cannot be
/// prepared.
pub(crate) fn items(
    step: &PlanStep,
    each: &ForEach,
    contract: &Contract,
    scope: &Scope,
) -> Result<Vec<Item>, ActionError> {
    let list = list(each, scope)?;
    let mut scope = scope.clone();
    let mut items = Vec::with_capacity(list.len());
    let mut problems = Vec::new();
    for (n, value) in list.into_iter().enumerate() {
        scope.insert(&each.item, value);
        match item(step, each, contract, &scope, n) {
            Ok(item) => items.push(item),
            Err(problem) => problems.push(format!("item {}: {problem}", n + 1)),
        }
    }
    if problems.is_empty() {
        distinct(&items)?;
        return Ok(items);
    }
    let more = problems.len().saturating_sub(MAX_TOLD);
    problems.truncate(MAX_TOLD);
    if more > 0 {
        problems.push(format!("and {more} more items"));
    }
    Err(ActionError::terminal("STEP_INPUT_INVALID", problems.join("; ")))
}

fn list(each: &ForEach, scope: &Scope) -> Result<Vec<Value>, ActionError> {
    let not_a_list = |what: &str| {
        let message = format!("`{{{}}}` {what}; `for_each` takes a list", each.list);
        ActionError::terminal("FOR_EACH_NOT_A_LIST", message)
    };
    let value = Reference::parse(&each.list).ok();
    let value =
        value.and_then(|reference| reference.value(scope).map(std::borrow::Cow::into_owned));
    let list = match value {
        Some(Value::Array(list)) => list,
        Some(_) => return Err(not_a_list("is not a list")),
        None => return Err(not_a_list("has no value")),
    };
    if list.len() > each.max as usize {
        let message = format!(
            "`{{{}}}` has {} items, and this step makes at most {} calls",
            each.list,
            list.len(),
            each.max
        );
        let error = ActionError::terminal("FOR_EACH_TOO_MANY", message);
        return Err(error.with_help("raise `max`, up to 1,000, or shorten the list before"));
    }
    Ok(list)
}

fn item(
    step: &PlanStep,
    each: &ForEach,
    contract: &Contract,
    scope: &Scope,
    n: usize,
) -> Result<Item, String> {
    let key = match &each.key {
        None => n.to_string(),
        Some(text) => key(text, scope)?,
    };
    let prepared = prepare(step, contract, scope).map_err(|problems| problems.join("; "))?;
    Ok(Item { key, prepared })
}

fn key(text: &str, scope: &Scope) -> Result<String, String> {
    let key = resolve(&Value::from(text), scope).map_err(|error| format!("`key`: {error}"))?;
    let key = render(&key);
    match key.chars().count() {
        0 => Err("`key` is empty".to_owned()),
        1..=MAX_KEY => Ok(key),
        more => Err(format!("`key` has {more} characters, more than {MAX_KEY}")),
    }
}

/// Two items with one key would be one payment or two, and nobody could say which.
fn distinct(items: &[Item]) -> Result<(), ActionError> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (n, item) in items.iter().enumerate() {
        if let Some(first) = seen.insert(&item.key, n) {
            let message =
                format!("items {} and {} have the same key `{}`", first + 1, n + 1, item.key);
            let error = ActionError::terminal("FOR_EACH_DUPLICATE", message);
            return Err(error.with_help("choose a `key` that is different for every item"));
        }
    }
    Ok(())
}
