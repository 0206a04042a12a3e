//! The HTML of messages: the tags of styles and of code, without attributes, and the named entities of Telegram.

use super::{MAX_DEPTH, Span, Spans, Style};

const STYLES: [(&str, Style); 9] = [
    ("b", Style::Bold),
    ("strong", Style::Bold),
    ("i", Style::Italic),
    ("em", Style::Italic),
    ("u", Style::Underline),
    ("ins", Style::Underline),
    ("s", Style::Strike),
    ("strike", Style::Strike),
    ("del", Style::Strike),
];

const ENTITIES: [(&str, char); 4] = [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"')];

/// The pieces of a text.
pub(super) fn read(text: &str, depth: u8) -> Vec<Span> {
    let shown = |(shown, used): (char, usize)| (Span::Text(shown.into()), used);
    Spans::read(text, |at| tagged(&text[at..], depth).or_else(|| entity(&text[at..]).map(shown)))
}

fn entity(rest: &str) -> Option<(char, usize)> {
    let (name, shown) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name))?;
    Some((*shown, name.len()))
}

/// An element that begins here, and how many bytes it has. What is not closed is text.
fn tagged(rest: &str, depth: u8) -> Option<(Span, usize)> {
    let inner = rest.strip_prefix('<').filter(|_| depth < MAX_DEPTH)?;
    let (name, inner) = inner.split_once('>')?;
    let end = inner.find(&format!("</{name}>"))?;
    let (content, used) = (&inner[..end], 2 * name.len() + end + 5);
    if content.trim().is_empty() {
        return None;
    }
    let span = match (name, STYLES.iter().find(|(tag, _)| *tag == name)) {
        (_, Some((_, style))) => Span::Styled(*style, read(content, depth + 1)),
        ("code", _) => Span::Code(decoded(content)),
        ("pre", _) => Span::Block(decoded(content)),
        _ => return None,
    };
    Some((span, used))
}

/// Code, in which tags are text.
fn decoded(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(next) = rest.chars().next() {
        let (shown, used) = entity(rest).unwrap_or((next, next.len_utf8()));
        text.push(shown);
        rest = &rest[used..];
    }
    text
}
