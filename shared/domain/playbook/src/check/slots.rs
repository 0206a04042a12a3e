//! Inputs and params against the contract: rules 1 and 2 (F-160, F-161).

use countersign_document::{Part, did_you_mean, listed};
use countersign_registry::{DataType, InputTypes, Slot, nearest};
use countersign_wiring::{
    Compat, Scope, Template, coerce, compatible, references, resolve, type_of_value,
};
use serde_json::Value;

use super::Check;
use super::arguments::{self, Arguments};
use super::types::InferredOutputs;
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::sink::{Sink, Text};

/// Which side of a contract.
struct Side<'a> {
    field: &'static str,
    other: &'static str,
    slots: &'a [Slot],
    others: &'a [Slot],
    entries: &'a [(Text, Part<'a>)],
    /// The step.
    at: usize,
}

/// Checks the slots of one step. Gives back what its inputs say about its outputs.
pub(super) fn check(
    check: &Check<'_>,
    at: usize,
    world: CompileContext<'_>,
    sink: &mut Sink<'_>,
) -> InferredOutputs {
    let Some(action) = check.action(at) else { return Vec::new() };
    let Some(contract) = action.contract else { return Vec::new() };
    let inputs: Option<&[Slot]> = match (contract.is_open(), action.endpoint) {
        (true, Some(endpoint)) => Some(&endpoint.inputs),
        (true, None) => None,
        (false, _) => Some(&contract.inputs),
    };
    if let Some(slots) = inputs {
        let entries = &action.inputs;
        side(
            check,
            &Side {
                field: "inputs",
                other: "params",
                slots,
                others: &contract.params,
                entries,
                at,
            },
            sink,
        );
    }
    let slots = &contract.params;
    let params = Side {
        field: "params",
        other: "inputs",
        slots,
        others: inputs.unwrap_or_default(),
        entries: &action.params,
        at,
    };
    if action.llm && contract.params.is_empty() {
        return Vec::new();
    }
    let inputs = input_types(check, at, &action.inputs);
    side(check, &params, sink).rules(&contract.name, &inputs, world, sink)
}

fn input_types(check: &Check<'_>, at: usize, inputs: &[(Text, Part<'_>)]) -> InputTypes {
    let type_of = |part: &Part<'_>| type_of_value(part.value(), &|name| check.type_in(at, name));
    inputs.iter().map(|(key, part)| (key.text.clone(), type_of(part))).collect()
}

fn side<'a>(check: &Check<'_>, side: &Side<'a>, sink: &mut Sink<'_>) -> Arguments<'a> {
    let mut arguments = Arguments::new(side.field, side.at, side.entries);
    // A name that is written wrongly is one mistake: what it was meant to be is not missed as well.
    let mut meant = Vec::new();
    for (key, part) in side.entries {
        match side.slots.iter().find(|slot| slot.name == key.text) {
            Some(slot) => {
                if let Some(value) = value(check, slot, *part, side, sink) {
                    arguments.argument(check, slot, value, sink);
                }
            }
            None => meant.extend(unknown(key, side, sink)),
        }
    }
    let connection = ["connector", "endpoint"];
    for slot in side.slots.iter().filter(|slot| slot.required && slot.default.is_none()) {
        let given = side.entries.iter().any(|(key, _)| key.text == slot.name);
        // A missing connector or endpoint was reported when the step was read.
        let said = side.field == "params" && connection.contains(&slot.name.as_str());
        if !given && !said && !meant.contains(&slot.name.as_str()) {
            missing(check, slot, side, sink);
        }
    }
    arguments
}

/// Reports a name that the action does not take; gives the one it was probably meant to be.
fn unknown<'a>(key: &Text, side: &Side<'a>, sink: &mut Sink<'_>) -> Option<&'a str> {
    if sink.is_full() {
        return None;
    }
    let shown: String = key.text.chars().take(60).collect();
    let names = side.slots.iter().map(|slot| slot.name.as_str());
    let likely = nearest(&key.text, names.clone())
        .filter(|_| side.others.iter().all(|slot| slot.name != key.text));
    let hint = if side.others.iter().any(|slot| slot.name == key.text) {
        Some(format!("`{shown}` stands under `{}`", side.other))
    } else if let Some(likely) = likely {
        Some(format!("did you mean `{likely}`?"))
    } else if let Some(likely) =
        nearest(&key.text, side.others.iter().map(|slot| slot.name.as_str()))
    {
        Some(format!("did you mean `{likely}` under `{}`?", side.other))
    } else {
        let all = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        (!all.is_empty()).then(|| format!("known: {all}"))
    };
    let field = format!("{}.{shown}", side.field);
    let problem = sink.problem(
        Code::UnknownKey,
        key.spot,
        &field,
        format!("the action takes no `{shown}` under `{}`", side.field),
    );
    sink.push(problem.maybe_hint(hint));
    likely
}

/// Rule 1 (F-160), with the result of an earlier step that would fit.
fn missing(check: &Check<'_>, slot: &Slot, side: &Side<'_>, sink: &mut Sink<'_>) {
    let step = &check.draft.steps[side.at];
    let message = format!("`{}` needs `{}` ({})", step.name.text, slot.name, slot.data_type);
    let field = format!("{}.{}", side.field, slot.name);
    let problem = sink.problem(Code::MissingInput, step.name.spot, &field, message);
    let fits = if side.field == "inputs" { fitting_part(check, side.at, slot) } else { None };
    let hint = match fits {
        Some(reference) => format!("add `{}: \"{{{reference}}}\"` under `inputs`", slot.name),
        None => format!("add `{}` under `{}`", slot.name, side.field),
    };
    sink.push(problem.hint(hint));
}

/// What would fill a slot: in a step with `for_each` a part of the item, otherwise of an earlier result.
fn fitting_part(check: &Check<'_>, at: usize, slot: &Slot) -> Option<String> {
    match &check.draft.steps[at].for_each {
        Some(each) => {
            let item = check.item_type(each);
            let DataType::Record(fields) = item else { return None };
            let same = fields.iter().find(|field| field.name == slot.name)?;
            Some(format!("{}.{}", each.item.text, same.name))
        }
        None => fitting_output(check, at, &slot.data_type),
    }
}

/// The newest result that has exactly the type asked for.
fn fitting_output(check: &Check<'_>, at: usize, wanted: &DataType) -> Option<String> {
    if *wanted == DataType::Any {
        return None;
    }
    let top = check.draft.steps[at].top;
    (0..at).rev().filter(|&earlier| check.draft.steps[earlier].top < top).find_map(|earlier| {
        let DataType::Record(fields) = check.result_type(earlier) else {
            return None;
        };
        let fits =
            fields.iter().find(|field| compatible(&field.data_type, wanted) == Compat::Exact)?;
        Some(format!("{}.{}", check.draft.steps[earlier].key(), fits.name))
    })
}

/// Rule 2 (F-161). The value as the action gets it, when its type fits.
fn value(
    check: &Check<'_>,
    slot: &Slot,
    part: Part<'_>,
    side: &Side<'_>,
    sink: &mut Sink<'_>,
) -> Option<Value> {
    let json = part.value().clone();
    // Reported as what it is meant to be.
    if check.unquoted(side.at, &json).is_some() {
        return None;
    }
    if !json.is_null() {
        return if references(&json).is_empty() {
            literal(slot, part, &json, side, sink)
        } else {
            wired(check, slot, part, json, side, sink)
        };
    }
    if slot.required && slot.default.is_none() {
        let field = format!("{}.{}", side.field, slot.name);
        let message = format!("`{}` is required, but empty", slot.name);
        sink.report(Code::MissingInput, part.bytes().into(), &field, message);
    }
    None
}

fn literal(
    slot: &Slot,
    part: Part<'_>,
    json: &Value,
    side: &Side<'_>,
    sink: &mut Sink<'_>,
) -> Option<Value> {
    // A malformed text was reported as such.
    let plain = resolve(json, &Scope::new()).ok()?;
    let field = format!("{}.{}", side.field, slot.name);
    let typed = match coerce(plain.clone(), &slot.data_type) {
        Ok(typed) => typed,
        // The first part that does not fit would hide the others.
        Err(_) if arguments::explains(slot, &plain) => return Some(json.clone()),
        Err(error) => {
            let message = format!("`{}` does not fit: {error}", slot.name);
            sink.report(Code::TypeMismatch, part.bytes().into(), &field, message);
            return None;
        }
    };
    // A declared param is explained by its schema.
    let has_choices = !slot.choices.is_empty() && slot.schema.is_none();
    let text = typed.as_str().filter(|_| has_choices);
    if let Some(text) = text.filter(|text| !slot.choices.iter().any(|choice| choice == text)) {
        let choices: Vec<&str> = slot.choices.iter().map(String::as_str).collect();
        let message = format!(
            "`{}` is one of {}, found `{text}`",
            slot.name,
            listed(choices.iter().copied())
        );
        let problem = sink.problem(Code::NotAChoice, part.bytes().into(), &field, message);
        sink.push(problem.maybe_hint(nearest(text, choices).map(did_you_mean)));
        return None;
    }
    if typed == plain {
        // Its braces become what they stand for with those of the values that variables are in.
        return Some(json.clone());
    }
    let message = format!("`{}` takes {}; the literal is converted", slot.name, slot.data_type);
    let problem = sink.problem(Code::LooseTypeCoercion, part.bytes().into(), &field, message);
    sink.push(problem.hint(format!("write `{typed}`")));
    Some(typed)
}

fn wired(
    check: &Check<'_>,
    slot: &Slot,
    part: Part<'_>,
    json: Value,
    side: &Side<'_>,
    sink: &mut Sink<'_>,
) -> Option<Value> {
    let from = type_of_value(&json, &|reference| check.type_in(side.at, reference));
    let field = format!("{}.{}", side.field, slot.name);
    let (code, why, hint, used) = match compatible(&from, &slot.data_type) {
        Compat::Exact | Compat::Deferred => return Some(json),
        Compat::Loose(why) => (Code::LooseTypeCoercion, format!(": {why}"), None, Some(json)),
        Compat::Incompatible => {
            let hint = part_that_fits(&from, &json, &slot.data_type);
            (Code::TypeMismatch, String::new(), hint, None)
        }
    };
    let message = format!("`{}` takes {}, this is {from}{why}", slot.name, slot.data_type);
    let problem = sink.problem(code, part.bytes().into(), &field, message);
    sink.push(problem.maybe_hint(hint));
    used
}

/// The part of a wired record that would fit: `.results` of a record set, a field of a record.
pub(super) fn part_that_fits(from: &DataType, json: &Value, wanted: &DataType) -> Option<String> {
    let template = Template::parse(json.as_str()?).ok()?;
    let whole = template.whole()?;
    let fits = |data_type: &DataType| compatible(data_type, wanted) == Compat::Exact;
    match from {
        DataType::Record(fields) => {
            let field = fields.iter().find(|field| fits(&field.data_type))?;
            Some(format!("use `{{{whole}.{}}}`", field.name))
        }
        DataType::Array(item) => match item.as_ref() {
            DataType::Record(fields) => {
                let field =
                    fields.iter().find(|field| fits(&DataType::array(field.data_type.clone())))?;
                Some(format!("use `{{{whole}[*].{}}}`", field.name))
            }
            item if fits(item) => Some(format!("use `{{{whole}[0]}}` for the first")),
            _ => None,
        },
        _ => None,
    }
}
