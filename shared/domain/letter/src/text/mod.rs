//! Text from outside, made safe to read: nothing invisible, nothing that turns the line around.

mod bracketed;
mod look_alike;
mod script;

use countersign_effect::is_hidden;

use script::Script;

/// The longest [`Label`], in characters.
const MAX_LABEL: usize = 60;

/// Characters of an id: that of an occurrence is the longest.
const MAX_ID: usize = 100;

/// Characters of a text that are shown at once.
pub(crate) const MAX_SHOWN: usize = 1_000;

/// Characters of a text that has a page of its own.
const MAX_PAGE: usize = 400_000;

/// What a marked character counts for: a page spends about a hundred bytes on its mark.
const MARK_WEIGHT: usize = 20;

/// Characters of a value that are shown however many there are.
const LEAST_SHOWN: usize = 24;

/// Cells of one table: with so many, the page still fits an answer whatever stands in them.
pub(crate) const MAX_CELL: usize = 2_000;

/// How many characters of each of `count` values are shown, so that all of them together stay readable.
pub(crate) fn share(all: usize, count: usize) -> usize {
    (all / count.max(1)).clamp(LEAST_SHOWN, MAX_SHOWN)
}

/// How many characters of a value are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// So many of each.
    Each(usize),
    /// Of a page of `page` characters the part that the value has in `all` that is to be shown. While a page has room for
    /// all, this is more than the value has; only marks can use it up.
    Part { page: usize, all: usize },
}

impl Room {
    pub(crate) fn of(self, text: &str) -> usize {
        match self {
            Self::Each(limit) => limit,
            Self::Part { page, all } => (text.chars().count() * page / all.max(1)).max(LEAST_SHOWN),
        }
    }
}

/// A piece of [`Shown`] text: ordinary, or something that people would misread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The text; of a character that cannot be seen its code point, as `U+202E`.
    pub text: String,
    /// Why it is marked, if it is.
    pub mark: Option<Mark>,
}

/// Why a piece of text is marked.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
pub enum Mark {
    /// The character cannot be seen, or changes how its neighbours are seen; its code point stands in its place.
    #[strum(to_string = "a character that cannot be seen")]
    Hidden,
    /// A space, tab or line feed at the edge of the text.
    #[strum(to_string = "a space at the edge of the text")]
    Edge,
    /// A letter of another script than the rest of its word: its code point and script.
    #[strum(to_string = "a letter of another script in this word")]
    Script(String),
    /// A digit that is not one of `0` to `9`: its code point.
    #[strum(to_string = "a digit that is not one of 0 to 9")]
    Digit(String),
    /// A mark that is drawn over the character before it, or around it; its code point stands in its place.
    #[strum(to_string = "a mark over the character before it")]
    Overlay,
    /// Punctuation that is taken for another: its code point, and for which.
    #[strum(to_string = "a character that looks like another")]
    LookAlike(String),
    /// The place of a secret, named by the system: no text from outside can carry this mark.
    #[strum(to_string = "filled in from the credential when it is sent")]
    Secret,
}

impl Mark {
    /// What the mark means, in words.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        self.into()
    }

    /// What is written after the character itself.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::Hidden | Self::Edge | Self::Overlay | Self::Secret => None,
            Self::Script(note) | Self::Digit(note) | Self::LookAlike(note) => Some(note),
        }
    }
}

/// Untrusted text for a page. Hidden and misleading characters are named; the template engine escapes every part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    parts: Vec<Part>,
    cut: usize,
    /// While it is made: what may still be added.
    room: usize,
}

impl Shown {
    /// Shows `text`, cut after `limit` characters; a marked one counts for twenty.
    #[must_use]
    pub fn new(text: &str, limit: usize) -> Self {
        let end = text.char_indices().nth(limit).map_or(text.len(), |(end, _)| end);
        let (head, rest) = text.split_at(end);
        let mut shown = Self { room: limit, ..Self::default() };
        let start = head.len() - head.trim_start().len();
        let inner = head.trim_start();
        // What looks like the edge of a text that goes on is not its edge.
        let inner = if rest.is_empty() { inner.trim_end() } else { inner };
        shown.edge(&head[..start]);
        shown.words(inner);
        shown.edge(&head[start + inner.len()..]);
        Self { cut: shown.cut + rest.chars().count(), room: 0, ..shown }
    }

    /// What it takes of a page, in characters.
    pub(crate) fn weight(&self) -> usize {
        let weight = |part: &Part| match part.mark {
            Some(_) => MARK_WEIGHT,
            None => part.text.chars().count(),
        };
        self.parts.iter().map(weight).sum()
    }

    /// A line: a name, a cell, a path; at most 1,000 characters.
    #[must_use]
    pub fn line(text: &str) -> Self {
        Self::new(text, MAX_SHOWN)
    }

    /// The place of a secret, in the system's words.
    #[must_use]
    pub fn secret(words: &str) -> Self {
        let part = Part { text: words.to_owned(), mark: Some(Mark::Secret) };
        Self { parts: vec![part], ..Self::default() }
    }

    /// All of a text, as far as a page has room.
    #[must_use]
    pub fn whole(text: &str) -> Self {
        Self::new(text, MAX_PAGE)
    }

    /// A text of paragraphs: line feeds at its edges mean nothing and are left out.
    #[must_use]
    pub fn prose(text: &str, limit: usize) -> Self {
        Self::new(text.trim_matches('\n'), limit)
    }

    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The text with its marks, without markup: for attributes.
    #[must_use]
    pub fn plain(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }

    /// How many characters were left out at the end.
    #[must_use]
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// The same number, in groups of three digits.
    #[must_use]
    pub fn left_out(&self) -> String {
        grouped(&self.cut.to_string())
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Spaces at an edge, each named.
    fn edge(&mut self, spaces: &str) {
        for space in spaces.chars() {
            if !self.has_room(MARK_WEIGHT) {
                continue;
            }
            let text = match space {
                ' ' => "space".to_owned(),
                '\t' => "tab".to_owned(),
                '\n' => "line feed".to_owned(),
                other => code_point(other),
            };
            self.parts.push(Part { text, mark: Some(Mark::Edge) });
        }
    }

    /// Takes the room of one more character. The first that finds none is left out, and so is everything behind it.
    fn has_room(&mut self, weight: usize) -> bool {
        let fits = self.cut == 0 && self.room > 0;
        if fits {
            self.room = self.room.saturating_sub(weight);
        } else {
            self.cut += 1;
        }
        fits
    }

    /// Splits a text into words and what is between them; only within a word can scripts be mixed.
    fn words(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let length = |inside: bool| {
                rest.find(|c: char| c.is_alphanumeric() != inside).unwrap_or(rest.len())
            };
            let (between, word) = (length(false), length(true));
            let (now, then) = rest.split_at(between.max(word));
            let home = if word > 0 { script::home(now) } else { None };
            now.chars().for_each(|character| self.push(character, home));
            rest = then;
        }
    }

    fn push(&mut self, character: char, home: Option<Script>) {
        let mark = mark(character, home);
        if !self.has_room(if mark.is_some() { MARK_WEIGHT } else { 1 }) {
            return;
        }
        match (mark, self.parts.last_mut()) {
            (None, Some(part)) if part.mark.is_none() => part.text.push(character),
            (mark @ Some(Mark::Hidden | Mark::Overlay), _) => {
                self.parts.push(Part { text: code_point(character), mark });
            }
            (mark, _) => self.parts.push(Part { text: character.to_string(), mark }),
        }
    }
}

/// Why a character is marked, in a word in which `home` is the script.
fn mark(character: char, home: Option<Script>) -> Option<Mark> {
    let note = || code_point(character);
    if is_hidden(character) {
        return Some(Mark::Hidden);
    }
    let own = home.and_then(|home| script::script(character).filter(|own| *own != home));
    if let Some(own) = own {
        return Some(Mark::Script(format!("{} {}", note(), own.name())));
    }
    if script::is_foreign_digit(character) {
        return Some(Mark::Digit(note()));
    }
    if look_alike::is_overlay(character) {
        return Some(Mark::Overlay);
    }
    let other = look_alike::looks_like(character)?;
    Some(Mark::LookAlike(format!("{}, not {other}", note())))
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self::line(text)
    }
}

fn code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}

/// Digits in groups of three: `12,345`.
pub(crate) fn grouped(digits: &str) -> String {
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
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
        Self::reduced(name, MAX_LABEL)
    }

    /// Reduces an id, of which 100 characters stay: it is to be looked up.
    #[must_use]
    pub fn id(id: &str) -> Self {
        Self::reduced(id, MAX_ID)
    }

    fn reduced(name: &str, most: usize) -> Self {
        let mut label = String::new();
        for character in name.chars().take(4 * most).map(harmless) {
            if !(matches!(character, ' ' | '·') && label.ends_with(character)) {
                label.push(character);
            }
        }
        let label = label.trim();
        match label.char_indices().nth(most) {
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
mod tests;
