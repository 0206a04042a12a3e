//! Names of people, organisations and places, by the recogniser of the knowledge graph.

use countersign_knowledge::recognise::spans;
use serde_json::Value;

use crate::Found;
use crate::quoted::marked;
use crate::words::Word;

/// Words that begin a question with a capital and are no part of a name.
pub(crate) const OPENINGS: [&str; 48] = [
    "a",
    "about",
    "all",
    "analyse",
    "analyze",
    "are",
    "can",
    "check",
    "compare",
    "could",
    "did",
    "do",
    "does",
    "find",
    "for",
    "follow",
    "get",
    "give",
    "has",
    "have",
    "how",
    "investigate",
    "is",
    "list",
    "look",
    "on",
    "please",
    "report",
    "search",
    "show",
    "tell",
    "the",
    "trace",
    "track",
    "was",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "whose",
    "why",
    "with",
    "write",
    "would",
    "i",
];

/// The names in a question: those in quotation marks, else those that the recogniser finds.
pub(crate) fn found(question: &str, words: &[Word<'_>]) -> Vec<Found> {
    let quoted = marked(question);
    if !quoted.is_empty() {
        return quoted;
    }
    let plain = without_openings(question, words);
    let mut from = 0;
    let mut found = Vec::new();
    for span in spans(&plain) {
        let name = span.text.trim_matches(|c: char| !c.is_alphanumeric() && c != '.');
        if name.is_empty() {
            continue;
        }
        let Some(at) = plain.get(from..).and_then(|rest| rest.find(name)) else { continue };
        let (start, end) = (from + at, from + at + name.len());
        let Some(name) = question.get(start..end).map(|name| name.trim_end_matches('.')) else {
            continue;
        };
        let end = start + name.len();
        found.push(Found { value: Value::String(name.to_owned()), last: None, start, end });
        from = end;
    }
    found
}

/// The question with the words in small letters that begin it, or one of its sentences: `Find Ann Smith` is about Ann Smith.
/// Every byte keeps its place.
fn without_openings(question: &str, words: &[Word<'_>]) -> String {
    let mut plain = question.to_owned();
    let mut is_opening = true;
    for word in words {
        let ends_sentence =
            question.get(word.end..).is_some_and(|rest| rest.starts_with(['.', '?', '!']));
        is_opening = is_opening && OPENINGS.iter().any(|opening| word.is(opening));
        if is_opening && word.text.is_ascii() {
            plain.replace_range(word.start..word.end, &word.text.to_ascii_lowercase());
        }
        is_opening = is_opening || ends_sentence;
    }
    plain
}
