//! The calls of a step over a list as people read them: numbered from 1, each with what it answered beside its status. The data of the
//! answer keep the form that other steps read.

use countersign_registry::SAID_OF_OUTPUTS;
use countersign_store_runs::item_name;
use countersign_wiring::Reference;
use serde_json::{Map, Value};

use super::Results;

/// Fields of an answer with one record that only say that it is one.
const OF_LISTS: [&str; 2] = ["count", "has_more"];

impl Results<'_> {
    /// What a reference leads to, the result of a step or its list of calls, as people read it.
    pub(super) fn for_people(&self, source: &str, value: Value) -> Value {
        let reference = Reference::parse(source).ok();
        let step = reference.and_then(|reference| self.plan.step(reference.root()));
        match step.and_then(|step| step.for_each.as_ref()) {
            Some(each) => shown(value, each.key.is_none()),
            None => value,
        }
    }
}

fn shown(value: Value, is_numbered: bool) -> Value {
    let rows = |calls: &[Value]| calls.iter().map(|call| row(call, is_numbered)).collect();
    match value {
        Value::Object(mut fields) => {
            if let Some(Value::Array(calls)) = fields.get("results") {
                let rows = rows(calls);
                fields.insert("results".to_owned(), rows);
            }
            Value::Object(fields)
        }
        Value::Array(calls) if calls.iter().all(is_call) => rows(&calls),
        other => other,
    }
}

fn is_call(value: &Value) -> bool {
    ["n", "key", "status", "output"].iter().all(|field| value.get(field).is_some())
}

/// One call, a field for each column.
fn row(call: &Value, is_numbered: bool) -> Value {
    let key = call["key"].as_str().unwrap_or_default();
    let mut row = Map::new();
    if is_numbered {
        let name = item_name(key, true);
        row.insert(
            "call".to_owned(),
            name.parse::<u64>().map_or_else(|_| name.into(), Value::from),
        );
    } else {
        let number = call["n"].as_u64().map(|n| n.saturating_add(1));
        row.insert("call".to_owned(), number.into());
        row.insert("item".to_owned(), key.into());
    }
    row.insert("status".to_owned(), call["status"].clone());
    for (name, value) in answered(&call["output"]) {
        let is_taken = row.contains_key(&name) || name == "message";
        row.insert(if is_taken { format!("answer_{name}") } else { name }, value);
    }
    if let Some(message) = call["message"].as_str().filter(|message| !message.is_empty()) {
        row.insert("message".to_owned(), message.into());
    }
    Value::Object(row)
}

/// The fields of an answer. One record that is a list alone is shown itself; fields of a field stand beside the others.
fn answered(output: &Value) -> Vec<(String, Value)> {
    let Some(fields) = output.as_object() else {
        let answer = (!output.is_null()).then(|| ("answer".to_owned(), output.clone()));
        return answer.into_iter().collect();
    };
    let own = fields
        .iter()
        .filter(|(name, _)| !name.starts_with('_') && !SAID_OF_OUTPUTS.contains(&name.as_str()));
    let record = only_record(fields);
    let own = own.filter(|(name, _)| {
        record.is_none_or(|(list, _)| name.as_str() != list && !OF_LISTS.contains(&name.as_str()))
    });
    let of_record = record.into_iter().flat_map(|(_, record)| record);
    own.chain(of_record).flat_map(|(name, value)| flat(name, value)).collect()
}

/// The record of an answer that has one list, with one record in it; and the name of the list.
fn only_record(fields: &Map<String, Value>) -> Option<(&str, &Map<String, Value>)> {
    let lists = fields.iter().filter(|(name, _)| !SAID_OF_OUTPUTS.contains(&name.as_str()));
    let mut lists = lists.filter_map(|(name, value)| Some((name, value.as_array()?)));
    match (lists.next(), lists.next()) {
        (Some((name, list)), None) => match list.as_slice() {
            [Value::Object(record)] => Some((name.as_str(), record)),
            _ => None,
        },
        _ => None,
    }
}

fn flat(name: &str, value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(inner) if !inner.is_empty() => {
            inner.iter().map(|(part, value)| (format!("{name}_{part}"), value.clone())).collect()
        }
        other => vec![(name.to_owned(), other.clone())],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(output: &Value, is_numbered: bool, expect: &Value) {
        let call = json!({ "n": 0, "key": "0", "status": "done", "output": output, "message": "" });
        let whole = json!({ "count": 1, "results": [call], "done": 1 });
        let expected = json!({ "count": 1, "results": [expect], "done": 1 });
        assert_eq!(shown(whole, is_numbered), expected);
        assert_eq!(shown(json!([call]), is_numbered), json!([expect]));
    }

    #[test]
    fn calls_count_from_1_and_show_what_was_answered() {
        let paid = json!({ "status": "booked", "receipt": "R-7", "warnings": [], "warning_count": 0, "_raw": 1 });
        let expect =
            json!({ "call": 1, "status": "done", "answer_status": "booked", "receipt": "R-7" });
        check(&paid, true, &expect);
        let one = json!({ "payments": [{ "id": "T-1", "to": { "name": "Owl" } }], "count": 1, "has_more": false, "page": 2 });
        let expect = json!({ "call": 1, "item": "0", "status": "done", "page": 2, "id": "T-1", "to_name": "Owl" });
        check(&one, false, &expect);
        check(&Value::Null, true, &json!({ "call": 1, "status": "done" }));
        check(&json!("ok"), true, &json!({ "call": 1, "status": "done", "answer": "ok" }));
    }

    #[test]
    fn why_a_call_failed_is_shown_and_one_of_an_earlier_run_has_no_number() {
        let failed =
            json!({ "n": 1, "key": "INV-2", "status": "failed", "output": null, "message": "no" });
        let expect = json!({ "call": 2, "item": "INV-2", "status": "failed", "message": "no" });
        assert_eq!(row(&failed, false), expect);
        let before = json!({ "n": null, "key": "2", "status": "sent_before", "output": null, "message": "in run_1" });
        assert_eq!(row(&before, true)["call"], 3);
        assert_eq!(row(&before, false)["call"], Value::Null);
    }

    #[test]
    fn other_values_stay_as_they_are() {
        for value in [json!([{ "n": 0 }]), json!("x"), json!({ "done": 1 })] {
            assert_eq!(shown(value.clone(), true), value);
        }
    }
}
