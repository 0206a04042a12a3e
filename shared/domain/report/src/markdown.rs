//! Markdown in which data is never markup.
//!
//! Text from filings, connectors and people is escaped so that a viewer shows exactly its characters: no link, image,
//! heading, table cell or HTML can come out of it. Control, bidirectional and invisible characters become visible.

use std::fmt::Write as _;

use countersign_effect::is_hidden;
use countersign_links::makes_link;

/// What stands around a word and is not part of it.
const AROUND: [char; 11] = ['(', ')', '<', '>', '"', '\'', ',', ';', '.', '!', '?'];

/// A text for one line: a paragraph, a heading, a list item or a table cell. What a viewer would make a link of on its
/// own accord is written as code: escapes do not keep every viewer from it, and code is linked by none.
#[must_use]
pub fn inline(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 8);
    // A backtick would end the code, and a pipe the cell of a table.
    for word in text.split_inclusive([' ', '|', '`']) {
        let (word, end) = match word.char_indices().next_back() {
            Some((at, ' ' | '|' | '`')) => word.split_at(at),
            _ => (word, ""),
        };
        push_word(&mut out, word);
        push_escaped(&mut out, end);
    }
    out
}

fn push_word(out: &mut String, word: &str) {
    if !makes_link(word) {
        return push_escaped(out, word);
    }
    let inner = word.trim_start_matches(AROUND);
    let start = word.len() - inner.len();
    let core = inner.trim_end_matches(AROUND);
    // What makes the link may itself stand at the edge, as in `www.`.
    let (start, core) = if makes_link(core) { (start, core) } else { (0, word) };
    push_escaped(out, &word[..start]);
    let _ = write!(out, "`{core}`");
    push_escaped(out, &word[start + core.len()..]);
}

/// Every ASCII punctuation mark may be escaped; those left out have no meaning inside a line.
fn push_escaped(out: &mut String, text: &str) {
    for character in text.chars() {
        if matches!(
            character,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '~' | '!' | '$' | '#'
        ) {
            out.push('\\');
        }
        out.push(character);
    }
}

/// One line without white space at its ends; what cannot be seen is named.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            ' ' | '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' | '\u{0085}' => push_space(&mut out),
            _ if is_hidden(character) => out.push_str(&named(character)),
            _ => out.push(character),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// What stands in the place of a character that cannot be seen: `⟨U+202E⟩`.
pub(crate) fn named(hidden: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(hidden))
}

/// A text that begins a line of its own: [`inline`], and no list, heading or rule can begin it.
#[must_use]
pub fn line(text: &str) -> String {
    let text = inline(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &text[..digits], &text[digits..]),
        Some(b'-' | b'+' | b'=') if digits == 0 => format!("\\{text}"),
        _ => text,
    }
}

/// A paragraph per non-blank line.
#[must_use]
pub fn paragraphs(text: &str) -> String {
    text.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A table; numbers in columns named in `right` are set to the right. Cells are already escaped.
#[must_use]
pub fn table(header: &[String], right: &[bool], rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    push_row(&mut out, header);
    let rule: Vec<String> = header
        .iter()
        .enumerate()
        .map(|(i, _)| if right.get(i) == Some(&true) { "---:" } else { "---" }.to_owned())
        .collect();
    push_row(&mut out, &rule);
    for row in rows {
        push_row(&mut out, row);
    }
    out
}

fn push_row(out: &mut String, cells: &[String]) {
    out.push('|');
    for cell in cells {
        let _ = write!(out, " {cell} |");
    }
    out.push('\n');
}

fn push_space(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

/// A line of Markdown as it was before it was escaped: `\_` is `_`. Nothing is escaped within code.
#[must_use]
pub fn unescaped_line(line: &str) -> String {
    let (mut text, mut is_code) = (String::with_capacity(line.len()), false);
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        is_code = is_code != (character == '`');
        let escaped = (character == '\\' && !is_code)
            .then(|| rest.next_if(char::is_ascii_punctuation))
            .flatten();
        text.push(escaped.unwrap_or(character));
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{inline, line, table};

    fn check(text: &str, expect: &str) {
        assert_eq!(line(text), expect);
    }

    #[test]
    fn data_is_never_markup() {
        check("a|b", "a\\|b");
        check("two\nlines\r\n", "two lines");
        check("[x](y)", "\\[x\\](y)");
        check("[x](http://y)", "`[x](http://y`)");
        check("see (www.y.z), or a@y.z!", "see (`www.y.z`), or `a@y.z`\\!");
        check("http://y|`z.com`", "`http://y`\\|\\``z.com`\\`");
        check("<b>&amp;", "\\<b\\>\\&amp;");
        check("1. one", "1\\. one");
        check("- one", "\\- one");
        check("# one", "\\# one");
        check("---", "\\---");
        check("evil\u{202e}gpj", "evil⟨U+202E⟩gpj");
        check("pay\u{3164}\u{e0101}", "pay⟨U+3164⟩⟨U+E0101⟩");
        check("nul\0", "nul⟨U+0000⟩");
        check("", "");
    }

    /// Reads a row the way a table parser does: an unescaped pipe ends a cell.
    fn cells_of(row: &str) -> usize {
        let mut pipes = 0;
        let mut escaped = false;
        for character in row.chars() {
            pipes += usize::from(character == '|' && !escaped);
            escaped = character == '\\' && !escaped;
        }
        pipes - 1
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn every_row_has_as_many_cells_as_the_header(rows in prop::collection::vec(
            prop::collection::vec(prop_oneof![".{0,20}", "[\\\\|\n\r`\u{202e}]{0,8}"], 3), 0..6)) {
            let rows: Vec<Vec<String>> = rows.iter().map(|r| r.iter().map(|c| inline(c)).collect()).collect();
            let text = table(&["a".into(), "b".into(), "c".into()], &[], &rows);
            prop_assert_eq!(text.lines().count(), rows.len() + 2);
            for row in text.lines() {
                prop_assert_eq!(cells_of(row), 3, "{}", row);
            }
        }

        #[test]
        fn no_hidden_character_survives(text in "[\u{200b}-\u{200f}\u{202a}-\u{202e}\u{0}-\u{1f}\u{34f}\u{115f}\u{2800}\u{3164}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}a-z|<]{0,40}") {
            let out = line(&text);
            prop_assert!(!out.chars().any(super::is_hidden), "{:?}", out);
        }
    }
}
