//! The Markdown of messages: `**bold**`, `*italic*`, `_italic_`, `~~struck out~~`, code, and links written out.

use super::{MAX_DEPTH, Span, Spans, Style};

/// The pieces of a text.
pub(super) fn read(text: &str, depth: u8) -> Vec<Span> {
    Spans::read(text, |at| {
        let (rest, before) = (&text[at..], text[..at].chars().next_back());
        marked(rest, before, depth).or_else(|| escaped(rest))
    })
}

/// The mark behind a backslash.
fn escaped(rest: &str) -> Option<(Span, usize)> {
    let mark = rest.strip_prefix('\\')?.chars().next().filter(char::is_ascii_punctuation)?;
    Some((Span::Text(mark.into()), 1 + mark.len_utf8()))
}

/// The piece that begins here, and how many bytes it has.
fn marked(rest: &str, before: Option<char>, depth: u8) -> Option<(Span, usize)> {
    if depth >= MAX_DEPTH {
        return None;
    }
    match rest.as_bytes().first()? {
        b'`' => block(rest).or_else(|| code(rest)),
        b'[' => link(rest),
        b'*' => styled(rest, "**", Style::Bold, depth)
            .or_else(|| styled(rest, "*", Style::Italic, depth)),
        b'~' => styled(rest, "~~", Style::Strike, depth),
        b'_' if !before.is_some_and(char::is_alphanumeric) => {
            styled(rest, "_", Style::Italic, depth)
        }
        _ => None,
    }
}

fn block(rest: &str) -> Option<(Span, usize)> {
    let inner = rest.strip_prefix("```")?;
    let end = inner.find("```")?;
    let code = inner[..end].trim_matches('\n');
    (!code.trim().is_empty()).then(|| (Span::Block(code.to_owned()), end + 6))
}

fn code(rest: &str) -> Option<(Span, usize)> {
    let inner = rest.strip_prefix('`')?;
    let end = inner.find(['`', '\n']).filter(|end| inner[*end..].starts_with('`'))?;
    (!inner[..end].trim().is_empty()).then(|| (Span::Code(inner[..end].to_owned()), end + 2))
}

/// `[label](address)`, written out.
fn link(rest: &str) -> Option<(Span, usize)> {
    let inner = rest.strip_prefix('[')?;
    let middle = inner.find(['[', ']', '\n']).filter(|at| inner[*at..].starts_with("]("))?;
    let address = &inner[middle + 2..];
    let end = address.find([')', '(', ' ', '\n']).filter(|at| address[*at..].starts_with(')'))?;
    let (label, address) = (&inner[..middle], &address[..end]);
    let text = format!("{label} ({address})");
    Some((Span::Text(text), 1 + middle + 2 + end + 1))
}

/// A style between two marks in one paragraph, without white space at its edges.
fn styled(rest: &str, mark: &str, style: Style, depth: u8) -> Option<(Span, usize)> {
    let inner = rest.strip_prefix(mark)?;
    let paragraph = inner.split("\n\n").next().unwrap_or_default();
    if paragraph.starts_with(char::is_whitespace) {
        return None;
    }
    let end = end_of(paragraph, mark)?;
    Some((Span::Styled(style, read(&inner[..end], depth + 1)), end + 2 * mark.len()))
}

/// Where the closing mark stands: behind something, and neither escaped nor part of a longer one, and `_` not within a
/// word. All of this is known before what is between the marks is read: nothing is read only to be dropped.
fn end_of(text: &str, mark: &str) -> Option<usize> {
    let closes = |at: &usize| {
        let (before, after) = (&text[..*at], &text[*at + mark.len()..]);
        let is_longer = mark.len() == 1 && (before.ends_with(mark) || after.starts_with(mark));
        let is_in_word = mark == "_" && after.starts_with(char::is_alphanumeric);
        !before.is_empty()
            && !is_in_word
            && !before.ends_with(|c: char| c.is_whitespace() || c == '\\')
            && !is_longer
    };
    text.match_indices(mark).map(|(at, _)| at).find(closes)
}
