//! Records that are written out in a param: keys and words that the action would refuse at run time, perhaps behind a gate
//! that somebody has signed.

use countersign_registry::{Items, Slot, nearest};

use crate::diagnostic::Code;
use crate::node::{Node, Text, Yaml};
use crate::read::fields::not_a_choice;
use crate::sink::Sink;

/// Checks a param against what its records may have. What is filled in at run time is left to the action.
pub(super) fn check(slot: &Slot, node: &Node, field: &str, sink: &mut Sink<'_>) {
    let (Some(items), Yaml::List(records)) = (&slot.items, &node.yaml) else { return };
    for (at, record) in records.iter().enumerate() {
        if let Yaml::Map(entries) = &record.yaml {
            keys(items, record, entries, &format!("{field}[{at}]"), sink);
        }
    }
}

fn keys(items: &Items, record: &Node, entries: &[(Text, Node)], field: &str, sink: &mut Sink<'_>) {
    for (key, node) in entries {
        let path = format!("{field}.{}", key.text);
        if !items.keys.contains(&key.text) {
            unknown(items, key, field, sink);
        } else if let (Some(words), Yaml::Text(text)) = (items.words.get(&key.text), &node.yaml)
            && !text.contains('{')
            && !words.contains(text)
        {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let text = Text { text: text.clone(), spot: node.spot };
            not_a_choice(&key.text, &path, &text, &words, sink);
        }
    }
    for key in &items.required {
        if !entries.iter().any(|(given, _)| given.text == *key) {
            let message = format!("`{key}` is missing");
            sink.report(Code::MissingInput, record.spot, &format!("{field}.{key}"), message);
        }
    }
}

fn unknown(items: &Items, key: &Text, field: &str, sink: &mut Sink<'_>) {
    let shown: String = key.text.chars().take(60).collect();
    let likely = nearest(&key.text, items.keys.iter().map(String::as_str));
    let hint = likely.map(|likely| format!("did you mean `{likely}`?"));
    let path = format!("{field}.{shown}");
    let problem = sink.problem(Code::UnknownKey, key.spot, &path, format!("unknown key `{shown}`"));
    sink.push(problem.maybe_hint(hint));
}
