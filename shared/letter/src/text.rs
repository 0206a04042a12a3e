//! Text from outside, made safe to read: nothing invisible, nothing that turns the line around.

/// The longest [`Label`], in characters.
const LABEL_LIMIT: usize = 60;

/// A piece of [`Shown`] text: ordinary, or the name of a character that would not have been seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The text; for a marked character its code point, as `U+202E`.
    pub text: String,
    /// Whether this stands for a character that cannot be seen.
    pub marked: bool,
}

/// Untrusted text for a page. Hidden characters are named; the template engine escapes every part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    parts: Vec<Part>,
    cut: usize,
}

impl Shown {
    /// Shows `text`, cut after `limit` characters.
    #[must_use]
    pub fn new(text: &str, limit: usize) -> Self {
        let mut shown = Self::default();
        let mut characters = text.chars();
        for character in characters.by_ref().take(limit) {
            shown.push(character);
        }
        shown.cut = characters.count();
        shown
    }

    /// A line: a name, a cell, a path; at most 300 characters.
    #[must_use]
    pub fn line(text: &str) -> Self {
        Self::new(text, 300)
    }

    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// How many characters were left out at the end.
    #[must_use]
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn push(&mut self, character: char) {
        if is_hidden(character) {
            self.parts.push(Part { text: format!("U+{:04X}", u32::from(character)), marked: true });
            return;
        }
        match self.parts.last_mut() {
            Some(part) if !part.marked => part.text.push(character),
            _ => self.parts.push(Part { text: character.to_string(), marked: false }),
        }
    }
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self::line(text)
    }
}

/// Whether a character would not be seen, or would change how its neighbours are seen.
///
/// Line feed and tab are left alone: they are part of the layout of a prompt and do no harm there.
fn is_hidden(character: char) -> bool {
    if matches!(character, '\n' | '\t') {
        return false;
    }
    character.is_control()
        || matches!(u32::from(character),
            0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
            | 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF | 0xF0000..)
        || u32::from(character) & 0xFFFE == 0xFFFE
}

/// A name that an owner or an administrator chose, fit for a mail.
///
/// Only letters, digits, spaces and ``- _ ' & ( ) ,`` stay. Everything else (dots and slashes too, so that no mail
/// program makes a link of a name) becomes a middle dot; runs of spaces and dots collapse; 60 characters at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label(String);

impl Label {
    /// Reduces a name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut label = String::new();
        for character in name.chars().take(4 * LABEL_LIMIT).map(harmless) {
            if !(matches!(character, ' ' | '·') && label.ends_with(character)) {
                label.push(character);
            }
        }
        let label = label.trim();
        match label.char_indices().nth(LABEL_LIMIT) {
            Some((end, _)) => Self(format!("{}…", label[..end].trim_end())),
            None if label.is_empty() => Self("unnamed".to_owned()),
            None => Self(label.to_owned()),
        }
    }

    /// The label as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn harmless(character: char) -> char {
    match character {
        '-' | '_' | '\'' | '&' | '(' | ')' | ',' => character,
        c if c.is_whitespace() => ' ',
        c if c.is_alphanumeric() && !is_hidden(c) => c,
        _ => '·',
    }
}

/// A digest in groups of eight characters, to be compared by eye.
#[must_use]
pub fn fingerprint(digest: &str) -> Vec<String> {
    let characters: Vec<char> =
        digest.chars().take(128).filter(char::is_ascii_alphanumeric).collect();
    characters.chunks(8).map(|group| group.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Label, Shown, fingerprint};

    fn check(input: &str, expect: &str) {
        let shown = Shown::line(input);
        let written: String = shown
            .parts()
            .iter()
            .map(|p| if p.marked { format!("[{}]", p.text) } else { p.text.clone() })
            .collect();
        assert_eq!(written, expect, "{input:?}");
    }

    fn label(input: &str, expect: &str) {
        assert_eq!(Label::new(input).as_str(), expect, "{input:?}");
    }

    #[test]
    fn hidden_characters_are_named() {
        check("pay \u{202E}gpj.exe", "pay [U+202E]gpj.exe");
        check("zero\u{200B}width\u{FEFF}", "zero[U+200B]width[U+FEFF]");
        check("bell\u{7}nul\0", "bell[U+0007]nul[U+0000]");
        check("tag\u{E0041}", "tag[U+E0041]");
        check("line\nfeed\tstays", "line\nfeed\tstays");
        check("Zoë, 株式会社", "Zoë, 株式会社");
        check("", "");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        let shown = Shown::new("abcdef", 4);
        assert_eq!((shown.parts()[0].text.as_str(), shown.cut()), ("abcd", 2));
    }

    #[test]
    fn a_label_cannot_become_a_link_or_a_header() {
        label("Nonprofit Investigator", "Nonprofit Investigator");
        label("https://evil.example/x", "https·evil·example·x");
        label("a\r\nBcc: me@evil.example", "a Bcc· me·evil·example");
        label("<b>bold</b> & more", "·b·bold·b· & more");
        label("\u{202E}\u{200B}", "·");
        label("  ", "unnamed");
        label(&"x".repeat(90), &format!("{}…", "x".repeat(60)));
    }

    #[test]
    fn digests_are_grouped() {
        assert_eq!(fingerprint("00112233445566"), vec!["00112233", "445566"]);
    }
}
