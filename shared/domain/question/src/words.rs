//! The words of a text with their places.

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
