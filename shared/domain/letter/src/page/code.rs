//! The page that asks for the one-time code.

use askama::Template;
use countersign_approval::Verdict;
use jiff::Timestamp;

use super::STYLE;
use crate::error::LetterError;
use crate::text::Shown;
use crate::when::moment;

/// One answer of the form, as it is sent along.
#[derive(Debug, Clone)]
pub struct GivenAnswer {
    /// The number in the field's name.
    pub n: u64,
    /// The value of `choice-{n}`.
    pub choice: &'static str,
    /// The value of `evidence-{n}`.
    pub evidence: String,
}

/// Asks for the code that was just mailed; carries the decision along.
#[derive(Debug, Clone)]
pub struct CodePage {
    /// Where the code went, masked: `a…@example.org`.
    pub address: Shown,
    /// The decision that was chosen.
    pub verdict: Verdict,
    /// The answers that were chosen, where they were asked for.
    pub answers: Vec<GivenAnswer>,
    /// The same in words: `done`.
    pub answer: Option<Shown>,
    /// What it is about, in one line.
    pub title: Shown,
    /// The nonce of the decision page.
    pub nonce: String,
    /// The note of the decision page.
    pub note: String,
    /// When the code ends.
    pub expires: Timestamp,
    /// What was wrong with the code just sent; nothing was changed.
    pub problem: Option<String>,
}

#[derive(Template)]
#[template(path = "page/code.html")]
struct Html<'a> {
    style: &'static str,
    page: &'a CodePage,
}

impl CodePage {
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
}
