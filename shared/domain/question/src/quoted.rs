//! Texts in quotation marks, and texts that are called by the name of their input: `topic: water`.

use serde_json::Value;

use crate::Found;

/// Pairs of quotation marks.
const MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];

/// The longest text that is taken, in bytes.
const MAX_TEXT: usize = 1_000;

/// Texts in quotation marks, in order.
pub(crate) fn marked(question: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = question.get(at..) {
        let opening = rest.char_indices().find_map(|(place, character)| {
            let (_, closing) = MARKS.iter().find(|(open, _)| *open == character)?;
            Some((at + place + character.len_utf8(), *closing))
        });
        let Some((start, closing)) = opening else { break };
        let Some(length) = question[start..].find(closing) else { break };
        let text = question[start..start + length].trim();
        if !text.is_empty() && length <= MAX_TEXT {
            found.push(said(text.into(), start, start + length));
        }
        at = start + length + closing.len_utf8();
    }
    found
}

/// The texts that an input may be: what is called by its name, else those in quotation marks.
pub(crate) fn texts(question: &str, name: &str) -> Vec<Found> {
    match called(question, name) {
        Some((start, end)) => vec![said(unmarked(&question[start..end]).into(), start, end)],
        None => marked(question),
    }
}

/// The lists that an input may be: what is called by its name, in parts; else all texts in quotation marks.
pub(crate) fn lists(question: &str, name: &str) -> Vec<Found> {
    if let Some((start, end)) = called_many(question, name) {
        let items = question[start..end].split([',', ';']).flat_map(|part| part.split(" and "));
        let items = items.map(unmarked).filter(|item| !item.is_empty());
        let items: Vec<Value> = items.map(Value::from).collect();
        return vec![said(Value::Array(items), start, end)];
    }
    let all = marked(question);
    match (all.first(), all.last()) {
        (Some(first), Some(last)) => {
            let (start, end) = (first.start, last.end);
            vec![said(all.into_iter().map(|one| one.value).collect(), start, end)]
        }
        _ => Vec::new(),
    }
}

fn said(value: Value, start: usize, end: usize) -> Found {
    Found { value, last: None, start, end }
}

fn unmarked(text: &str) -> &str {
    text.trim()
        .trim_matches(|c: char| MARKS.iter().any(|(open, close)| c == *open || c == *close))
        .trim()
}

/// Where the text after `name:` or `name =` is, up to the next mark.
fn called(question: &str, name: &str) -> Option<(usize, usize)> {
    let start = after_name(question, name)?;
    bounded(question, start, &[',', ';', '\n', '?'])
}

/// The same with the commas between its parts.
fn called_many(question: &str, name: &str) -> Option<(usize, usize)> {
    let start = after_name(question, name)?;
    bounded(question, start, &[';', '\n', '?'])
}

fn bounded(question: &str, start: usize, ends: &[char]) -> Option<(usize, usize)> {
    let rest = question.get(start..)?;
    let lead = rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let text = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let text = text.trim_end().trim_end_matches(['.', '!']);
    let start = start + lead;
    (!text.is_empty() && text.len() <= MAX_TEXT).then_some((start, start + text.len()))
}

fn after_name(question: &str, name: &str) -> Option<usize> {
    // Letters of other alphabets may change their length with their case; then the name is not found.
    let lower = question.to_lowercase();
    if lower.len() != question.len() {
        return None;
    }
    [name.to_lowercase(), name.to_lowercase().replace(['_', '-'], " ")].iter().find_map(|name| {
        let at = lower.find(name.as_str())?;
        let is_word = !lower[..at].ends_with(char::is_alphanumeric);
        let after = at + name.len();
        let rest = lower.get(after..)?;
        let trimmed = rest.trim_start();
        let mark = trimmed.starts_with([':', '=']).then_some(1)?;
        is_word.then_some(after + (rest.len() - trimmed.len()) + mark)
    })
}
