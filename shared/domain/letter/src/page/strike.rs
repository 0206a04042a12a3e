//! Striking out on the pages: what one request's page offers, what the decision page tells, and the page that asks for the code.

use askama::Template;
use jiff::Timestamp;

use super::STYLE;
use crate::error::LetterError;
use crate::strike_verbs::StrikeVerbs;
use crate::text::Shown;
use crate::when::moment;

/// One strike of a request, as the decision page tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrikeTold {
    /// The version it made.
    pub version: u32,
    /// Who did what, and when.
    pub what: Shown,
}

/// Whether a single request is struck out, and the form that changes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectStrike {
    /// Who struck it out, and when; none while it stays.
    pub by: Option<Shown>,
    /// The form; none when the reader only looks.
    pub form: Option<EffectStrikeForm>,
}

/// The form that strikes out one request, or restores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectStrikeForm {
    /// Where it is sent.
    pub action: String,
    /// The page's nonce.
    pub nonce: String,
    /// The step.
    pub step: String,
}

/// Asks for the code that was just mailed to strike requests out; carries the marks along.
#[derive(Debug, Clone)]
pub struct StrikeCodePage {
    /// Where the code went, masked: `a…@example.org`.
    pub address: Shown,
    /// What it is about, in one line.
    pub title: Shown,
    /// Where the form is sent.
    pub action: String,
    /// The nonce of the page before.
    pub nonce: String,
    /// The step.
    pub step: String,
    /// The first request that had a mark.
    pub first: u64,
    /// The last request that had one.
    pub last: u64,
    /// The requests that were marked.
    pub rows: Vec<u64>,
    /// How many requests are struck out by it.
    pub struck: usize,
    /// How many come back.
    pub restored: usize,
    /// When the code ends.
    pub expires: Timestamp,
    /// What was wrong with the code just sent; nothing was changed.
    pub problem: Option<String>,
}

#[derive(Template)]
#[template(path = "page/strike_code.html")]
struct Html<'a> {
    style: &'static str,
    page: &'a StrikeCodePage,
}

impl StrikeCodePage {
    /// Writes the page.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn html(&self) -> Result<String, LetterError> {
        Ok(Html { style: STYLE, page: self }.render()?)
    }

    fn ends(&self) -> String {
        moment(self.expires)
    }

    fn doing(&self) -> String {
        StrikeVerbs::Infinitive.words(rows(self.struck), rows(self.restored))
    }

    fn button(&self) -> &'static str {
        if self.struck == 0 { "Bring back" } else { "Strike out" }
    }
}

fn rows(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 row".to_owned()),
        _ => Some(format!("{count} rows")),
    }
}
