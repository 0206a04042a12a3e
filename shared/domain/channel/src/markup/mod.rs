//! Marked-up text: read once, written as each service wants it.
//!
//! Only styles are read: bold, italic, underlined, struck out, code. A link is written out with its address, because a
//! label could say another; everything else is text, and stays what it is.

mod html;
mod markdown;
mod write;

use countersign_registry::actions::send_channel_message::Format;

pub use write::{discord, slack, telegram};

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Text, shown as it is.
    Text(String),
    /// Pieces in a style.
    Styled(Style, Vec<Span>),
    /// Code in a line.
    Code(String),
    /// Lines of code.
    Block(String),
}

/// A style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Style {
    Bold,
    Italic,
    Underline,
    Strike,
}

impl Style {
    /// Its mark among those of bold, italic, underlined and struck out.
    fn of(self, [bold, italic, underline, strike]: [&'static str; 4]) -> &'static str {
        match self {
            Self::Bold => bold,
            Self::Italic => italic,
            Self::Underline => underline,
            Self::Strike => strike,
        }
    }
}

/// Styles inside each other; deeper ones are text.
const MAX_DEPTH: u8 = 4;

/// The pieces of a message.
#[must_use]
pub fn read(message: &str, format: Format) -> Vec<Span> {
    match format {
        Format::Plain => vec![Span::Text(message.to_owned())],
        Format::Markdown => markdown::read(message, 0),
        Format::Html => html::read(message, 0),
    }
}

/// How long what is shown is, in UTF-16.
#[must_use]
pub fn length(spans: &[Span]) -> usize {
    let of = |span: &Span| match span {
        Span::Text(text) | Span::Code(text) | Span::Block(text) => text.encode_utf16().count(),
        Span::Styled(_, inner) => length(inner),
    };
    spans.iter().map(of).sum()
}

/// Collects pieces; text that follows text is one.
#[derive(Default)]
struct Spans {
    done: Vec<Span>,
    text: String,
}

impl Spans {
    /// The pieces of a text; `piece` gives the one that begins at a byte, and how many bytes it has. What begins no piece is text.
    fn read(text: &str, piece: impl Fn(usize) -> Option<(Span, usize)>) -> Vec<Span> {
        let mut spans = Self::default();
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            if let Some((span, used)) = piece(at) {
                spans.push(span);
                at += used;
            } else {
                spans.text.push(next);
                at += next.len_utf8();
            }
        }
        spans.finish()
    }

    fn push(&mut self, span: Span) {
        if let Span::Text(text) = span {
            self.text.push_str(&text);
        } else {
            self.end_text();
            self.done.push(span);
        }
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Span::Text(std::mem::take(&mut self.text)));
        }
    }

    fn finish(mut self) -> Vec<Span> {
        self.end_text();
        self.done
    }
}

#[cfg(test)]
mod tests;
