//! Marked text where there is no markup: at a terminal, in the text of a mail.

use super::{Mark, Part, Shown};

/// What stands in brackets beside code points and secrets; the last two are words of the terminal.
const WORDS: [&str; 5] = ["space", "tab", "line feed", "empty", "doubtful"];

impl Shown {
    /// The text with its marks in brackets, `[U+202E]`, so that no text passes for a mark. Line feeds within stay; what was cut is
    /// not there, and not counted.
    #[must_use]
    pub fn bracketed(&self) -> String {
        self.parts().iter().map(part).collect()
    }
}

fn part(part: &Part) -> String {
    match &part.mark {
        None => unlike_marks(&part.text),
        Some(Mark::Secret) => format!("[secret: {}]", part.text),
        Some(mark) => match mark.note() {
            Some(note) => format!("[{} {note}]", part.text),
            None => format!("[{}]", part.text),
        },
    }
}

/// Text without a mark; a bracket that would begin one is written as its code point.
fn unlike_marks(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            '[' if begins_mark(&text[at + 1..]) => written.push_str("[U+005B]"),
            '\t' => written.push_str("[tab]"),
            _ => written.push(character),
        }
    }
    written
}

/// Whether what is behind a bracket reads like a mark.
fn begins_mark(rest: &str) -> bool {
    let is_word = |word: &&str| rest.strip_prefix(*word).is_some_and(|end| end.starts_with(']'));
    let mut behind = rest.chars();
    behind.next();
    rest.starts_with("U+")
        || rest.starts_with("secret:")
        || behind.as_str().starts_with(" U+")
        || WORDS.iter().any(is_word)
}
