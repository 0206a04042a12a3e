//! `for_each`: one call for each item of a list.

use super::DraftEach;
use super::fields::Fields;
use super::step::{check_name, is_name, small};
use crate::diagnostic::Code;
use crate::node::{Node, Text, Yaml};
use crate::sink::{Sink, Spot};

pub(super) const KEY: &str = "for_each";

/// What the item is called when `as` is left out.
const ITEM: &str = "item";
/// The most calls side by side.
const MAX_PARALLEL: i64 = 10;
/// The most items anybody can sign at once.
const MAX_ITEMS: i64 = 1_000;
/// The longest time one call may take, seconds: one invocation makes several, and must have the time for the next.
pub(super) const MAX_CALL: i64 = 240;
/// How many items the list may have when `max` is left out.
const ITEMS: u32 = 100;

/// Reads `for_each`, if the step has it.
pub(super) fn read(step: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<DraftEach> {
    let (key, node) = step.entry(KEY)?;
    let mut fields = match &node.yaml {
        Yaml::Map(_) => Fields::of(node, KEY, sink)?,
        _ => return not_a_mapping(key, node, sink),
    };
    let each = DraftEach {
        spot: key.spot,
        list: list(&mut fields, sink),
        item: item(&mut fields, key.spot, sink),
        key: text(&mut fields, "key", sink),
        parallel: small(fields.integer("parallel", 1..=MAX_PARALLEL, sink)).unwrap_or(1),
        max: small(fields.integer("max", 1..=MAX_ITEMS, sink)).unwrap_or(ITEMS),
    };
    fields.finish(sink);
    Some(each)
}

/// Reports `for_each` at a step that cannot have it.
pub(super) fn misplaced(step: &mut Fields<'_>, hint: &str, sink: &mut Sink<'_>) {
    let Some((key, _)) = step.entry(KEY) else { return };
    let message = format!("`{KEY}` belongs to tool steps");
    let problem = sink.problem(Code::Misplaced, key.spot, KEY, message);
    sink.push(problem.hint(hint));
}

fn not_a_mapping(key: &Text, node: &Node, sink: &mut Sink<'_>) -> Option<DraftEach> {
    let spot = if matches!(node.yaml, Yaml::Null) { key.spot } else { node.spot };
    let message = format!("`{KEY}` is a mapping, found {}", node.kind());
    let list = match &node.yaml {
        Yaml::Text(text) if is_short(text) => text.trim(),
        _ => "{step.results}",
    };
    let problem = sink.problem(Code::WrongShape, spot, KEY, message);
    sink.push(problem.hint(format!("write `{KEY}: {{in: \"{list}\"}}`")));
    None
}

fn list(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<Text> {
    if fields.node("in").is_none() {
        let message = "`in` is missing";
        let problem = sink.problem(Code::MissingKey, fields.spot, &fields.path("in"), message);
        sink.push(problem.hint("name the list: `in: \"{step.results}\"`"));
        return None;
    }
    let list = text(fields, "in", sink)?;
    if !list.text.trim().is_empty() {
        return Some(list);
    }
    sink.report(Code::MissingKey, list.spot, &fields.path("in"), "`in` is empty");
    None
}

/// A text with references. Without quotes YAML reads the brace as a mapping.
fn text(fields: &mut Fields<'_>, key: &'static str, sink: &mut Sink<'_>) -> Option<Text> {
    let Some(Node { yaml: Yaml::Map(entries), spot }) = fields.node(key) else {
        return fields.text(key, sink);
    };
    let message = format!("`{key}` was read as a mapping, because it starts with a brace");
    let problem = sink.problem(Code::WrongShape, *spot, &fields.path(key), message);
    let meant = match &entries[..] {
        [(meant, Node { yaml: Yaml::Null, .. })] if is_short(&meant.text) => meant.text.as_str(),
        _ => "step.results",
    };
    sink.push(problem.hint(format!("put it in quotes: `{key}: \"{{{meant}}}\"`")));
    None
}

/// Whether a hint can repeat what was written.
fn is_short(text: &str) -> bool {
    text.len() <= 100 && !text.contains(['"', '\n'])
}

/// The name of the item. One that cannot be used is reported, and stands for what was meant.
fn item(fields: &mut Fields<'_>, each: Spot, sink: &mut Sink<'_>) -> Text {
    let Some(name) = fields.text("as", sink) else {
        return Text { text: ITEM.to_owned(), spot: each };
    };
    let bare = name.text.trim_start_matches('{').trim_end_matches('}').trim();
    if bare == name.text || !is_name(bare) {
        check_name(&name, "for_each.as", sink);
        return name;
    }
    let message = format!("`as` is the name alone, found `{}`", name.text);
    let problem = sink.problem(Code::InvalidName, name.spot, "for_each.as", message);
    sink.push(problem.hint(format!("write `{bare}`")));
    Text { text: bare.to_owned(), ..name }
}
