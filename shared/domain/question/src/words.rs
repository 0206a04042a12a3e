//! The words of a text with their places.

use serde_json::Value;

use crate::Found;

/// Words that are looked at; a question may have 16,000 characters.
const MAX_WORDS: usize = 4_000;

/// A word without the marks around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    /// Where it is, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Word<'_> {
    /// Whether it is this word, which is given in small letters.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.text.to_lowercase() == word
    }
}

/// What words say: a value, and the same when it is the end of a span of time; nothing of words that are passed over. And how many
/// words these are.
pub(crate) type Said = (Option<(Value, Option<Value>)>, usize);

/// Every value among words, none of which is in two. `read` gives what the words from one on begin with.
pub(crate) fn scanned(words: &[Word<'_>], read: impl Fn(usize) -> Option<Said>) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (said, taken) = read(at).unwrap_or((None, 1));
        found.extend(said.map(|(value, last)| Found {
            value,
            last,
            start: words[at].start,
            end: words[at + taken - 1].end,
        }));
        at += taken;
    }
    found
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, character.is_whitespace()) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                words.extend(bare(text, from, at));
                start = None;
            }
            _ => {}
        }
        if words.len() >= MAX_WORDS {
            break;
        }
    }
    words
}

fn bare(text: &str, start: usize, end: usize) -> Option<Word<'_>> {
    let whole = text.get(start..end)?;
    let is_mark = |c: char| !c.is_alphanumeric();
    let inner = whole.trim_start_matches(|c: char| is_mark(c) && c != '-');
    let start = end - inner.len();
    let inner = inner.trim_end_matches(is_mark);
    (!inner.is_empty()).then_some(Word { text: inner, start, end: start + inner.len() })
}
