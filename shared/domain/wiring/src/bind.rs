//! Filling the slots of a contract.

use countersign_registry::{DataType, Slot, nearest};
use serde_json::{Map, Value};

use crate::coerce::coerce;
use crate::error::WiringError;
use crate::resolve::{Filling, Undefined, parse, render};
use crate::scope::Scope;

/// What is wrong with a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotProblem {
    /// A required slot has no value.
    Missing,
    /// The value has another type, or is not one of the choices.
    Type,
    /// A reference has no value, or a text is malformed.
    Wiring,
    /// The contract has no such slot.
    Unknown,
}

/// A slot that could not be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{slot}`: {message}")]
pub struct SlotError {
    /// The slot.
    pub slot: String,
    /// What kind of problem it is.
    pub problem: SlotProblem,
    /// What happened, without quoting data.
    pub message: String,
}

/// Resolves what is wired to `slots` and checks it (F-039): defaults are filled in and each value gets its slot's type.
///
/// A slot whose value is a single reference without a value, or null, counts as left out; so an optional input may be
/// wired to a step that was skipped.
///
/// With [`Undefined::Null`] a reference without a value is null wherever it stands alone, also inside of a list or an object. One to a
/// field of a result that does not exist is what [`gap`](crate::gap) made of it.
///
/// # Errors
/// Every [`SlotError`] there is.
pub fn bind(
    given: &Map<String, Value>,
    slots: &[Slot],
    scope: &Scope,
    undefined: Undefined,
) -> Result<Map<String, Value>, Vec<SlotError>> {
    let errors = given.keys().filter_map(|name| unknown(name, slots)).collect();
    let filled =
        |slot: &Slot| (slot.name.clone(), fill(slot, given.get(&slot.name), scope, undefined));
    all_or_errors(errors, slots.iter().map(filled))
}

/// The values that there are, by name. When there are `errors`, or one of the values is an error, all errors.
///
/// # Errors
/// Every error there is.
pub fn all_or_errors<E>(
    mut errors: Vec<E>,
    values: impl Iterator<Item = (String, Result<Option<Value>, E>)>,
) -> Result<Map<String, Value>, Vec<E>> {
    let mut all = Map::new();
    for (name, value) in values {
        match value {
            Ok(value) => all.extend(value.map(|value| (name, value))),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}

/// Resolves what is wired to slots that are not known here, such as those of a connector's endpoint.
///
/// As with [`bind`], a single reference without a value, or null, counts as left out; types are for whoever knows the
/// slots to check.
///
/// # Errors
/// Every [`SlotError`] there is.
pub fn bind_open(
    given: &Map<String, Value>,
    scope: &Scope,
) -> Result<Map<String, Value>, Vec<SlotError>> {
    let wired = |(name, value): (&String, &Value)| {
        let wired = wire(value, scope, Undefined::Fails)
            .map(|value| value.filter(|value| !value.is_null()))
            .map_err(|e| error(name, SlotProblem::Wiring, e.to_string()));
        (name.clone(), wired)
    };
    all_or_errors(Vec::new(), given.iter().map(wired))
}

fn unknown(name: &str, slots: &[Slot]) -> Option<SlotError> {
    if slots.iter().any(|slot| slot.name == name) {
        return None;
    }
    let likely = nearest(name, slots.iter().map(|slot| slot.name.as_str()));
    let message = likely.map_or_else(
        || "there is no such slot".to_owned(),
        |l| format!("there is no such slot; did you mean `{l}`?"),
    );
    Some(error(name, SlotProblem::Unknown, message))
}

fn fill(
    slot: &Slot,
    given: Option<&Value>,
    scope: &Scope,
    undefined: Undefined,
) -> Result<Option<Value>, SlotError> {
    let wired = given.map(|value| wire(value, scope, undefined)).transpose();
    let wired = wired.map_err(|e| error(&slot.name, SlotProblem::Wiring, e.to_string()))?.flatten();
    match wired.filter(|value| !value.is_null()).or_else(|| slot.default.clone()) {
        Some(value) => typed(slot, value).map(Some),
        // Only a slot of any type can hold a null, or what says why there is nothing.
        None if slot.required
            && given.is_some()
            && undefined == Undefined::Null
            && slot.data_type == DataType::Any =>
        {
            let filled = given.map(|value| Filling::new(scope, undefined).fill(value)).transpose();
            filled
                .map(|value| Some(value.unwrap_or_default()))
                .map_err(|e| error(&slot.name, SlotProblem::Wiring, e.to_string()))
        }
        None if slot.required => {
            let because =
                if given.is_some() { "what is wired to it has no value" } else { "it is required" };
            Err(error(&slot.name, SlotProblem::Missing, because.to_owned()))
        }
        None => Ok(None),
    }
}

/// The resolved value, or nothing when it is a single reference that leads nowhere.
fn wire(value: &Value, scope: &Scope, undefined: Undefined) -> Result<Option<Value>, WiringError> {
    if let Value::String(text) = value
        && let Some(reference) = parse(text)?.whole()
        && reference.value(scope).is_none()
    {
        return Ok(None);
    }
    Filling::new(scope, undefined).fill(value).map(Some)
}

fn typed(slot: &Slot, value: Value) -> Result<Value, SlotError> {
    let value = coerce(value, &slot.data_type)
        .map_err(|e| error(&slot.name, SlotProblem::Type, e.to_string()))?;
    if slot.choices.is_empty() || slot.choices.contains(&render(&value)) {
        return Ok(value);
    }
    let choices = slot.choices.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
    Err(error(&slot.name, SlotProblem::Type, format!("expected one of {choices}")))
}

fn error(slot: &str, problem: SlotProblem, message: String) -> SlotError {
    SlotError { slot: slot.to_owned(), problem, message }
}

#[cfg(test)]
mod tests {
    use countersign_registry::DataType;
    use serde_json::json;

    use super::*;

    fn check(given: &Value, expect: Result<Value, &[&str]>) {
        let slots = [
            Slot::required("data", DataType::array(DataType::Object), ""),
            Slot::optional("limit", DataType::Integer, "").or(20),
            Slot::optional("since", DataType::Date, ""),
            Slot::optional("mode", DataType::String, "").or("fast").one_of(&["fast", "slow"]),
        ];
        let scope = Scope::new().with("s", json!({"rows": [{"a": 1}], "none": null}));
        let got =
            bind(given.as_object().unwrap(), &slots, &scope, Undefined::Fails).map(Value::Object);
        let got = got.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            got,
            expect.map_err(|texts| texts.iter().map(|&t| t.to_owned()).collect()),
            "{given}"
        );
    }

    #[test]
    fn f_136_with_gaps_what_has_no_value_is_null_and_the_rest_is_filled_in() {
        let slots = [Slot::required("data", DataType::Any, "")];
        let scope = Scope::new().with("s", json!({"rows": [{"a": "{s.gone}"}]}));
        let given = json!({"data": {"rows": "{s.rows}", "more": ["{s.gone}"]}});
        let bound = bind(given.as_object().unwrap(), &slots, &scope, Undefined::Null);
        let expect = json!({"data": {"rows": [{"a": "{s.gone}"}], "more": [null]}});
        assert_eq!(Value::from(bound.unwrap()), expect);
        let whole = json!({"data": "{s.gone}"});
        let bound = bind(whole.as_object().unwrap(), &slots, &scope, Undefined::Null);
        assert_eq!(Value::from(bound.unwrap()), json!({"data": null}));
        assert!(bind(whole.as_object().unwrap(), &slots, &scope, Undefined::Fails).is_err());
        let inside = json!({"data": "so {s.gone}"});
        assert!(bind(inside.as_object().unwrap(), &slots, &scope, Undefined::Null).is_err());
        assert!(bind(given.as_object().unwrap(), &slots, &scope, Undefined::Fails).is_err());
    }

    #[test]
    fn r_027_a_field_of_a_result_that_does_not_exist_says_why() {
        let slots = [Slot::required("data", DataType::Any, "")];
        let gap = crate::gap(Some("no answer within 3 s"));
        let scope = Scope::new().with("s", gap.clone()).with("t", json!({"_skipped": true}));
        let given =
            json!({"data": {"whole": "{s}", "field": "{s.answer}", "skipped": "{t.answer}"}});
        let bound = bind(given.as_object().unwrap(), &slots, &scope, Undefined::Null);
        let expect = json!({"data": {"whole": gap, "field": gap, "skipped": null}});
        assert_eq!(Value::from(bound.unwrap()), expect);
        assert!(bind(given.as_object().unwrap(), &slots, &scope, Undefined::Fails).is_err());
        let alone = json!({"data": "{s.answer}"});
        let bound = bind(alone.as_object().unwrap(), &slots, &scope, Undefined::Null);
        assert_eq!(Value::from(bound.unwrap()), json!({"data": gap}));
    }

    #[test]
    fn f_039_values_are_checked_against_the_contract() {
        check(
            &json!({"data": "{s.rows}", "limit": "5"}),
            Ok(json!({"data": [{"a": 1}], "limit": 5, "mode": "fast"})),
        );
        check(
            &json!({"data": "{s.gone}", "mode": "quick", "limt": 1}),
            Err(&[
                "`limt`: there is no such slot; did you mean `limit`?",
                "`data`: what is wired to it has no value",
                "`mode`: expected one of `fast`, `slow`",
            ]),
        );
        check(&json!({"data": 1}), Err(&["`data`: expected object[], found a number"]));
        check(&json!({"data": ["{s.gone}"]}), Err(&["`data`: `{s.gone}` leads to no value"]));
    }

    #[test]
    fn optional_slots_wired_to_nothing_are_left_out() {
        let expect = json!({"data": [], "limit": 20, "mode": "fast"});
        check(
            &json!({"data": [], "since": "{last_execution_date}", "limit": "{s.none}"}),
            Ok(expect),
        );
    }

    #[test]
    fn unknown_slots_are_resolved_and_may_be_left_out() {
        let scope = Scope::new().with("n", json!(3));
        let given =
            json!({"a": "{n}", "since": "{last_execution_date}", "none": null, "text": "n={n}"});
        let bound = bind_open(given.as_object().unwrap(), &scope).map(Value::Object);
        assert_eq!(bound, Ok(json!({"a": 3, "text": "n=3"})));
        let wrong = json!({"a": "{", "b": "{gone} here"});
        let errors = bind_open(wrong.as_object().unwrap(), &scope).unwrap_err();
        assert_eq!(errors.iter().map(|e| e.slot.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }
}
