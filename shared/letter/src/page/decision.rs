//! The page on which a person decides.

use askama::Template;
use jiff::Timestamp;

use super::STYLE;
use crate::error::LetterError;
use crate::mail::{Anchor, Asked};
use crate::picture::Picture;
use crate::preview::{Effect, Preview};
use crate::text::{Shown, fingerprint};
use crate::when::{moment, until};

/// The longest note, in characters.
pub const NOTE_LIMIT: usize = 2_000;

/// What it takes to decide, beside the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assurance {
    /// The link alone.
    Link,
    /// A one-time code, mailed when the form is sent.
    LinkCode,
    /// Signing in; this page then only shows.
    SignedIn,
}

/// Everything the decision page shows.
#[derive(Debug, Clone)]
pub struct DecisionPage {
    /// What is asked.
    pub asked: Asked,
    /// The approval's id.
    pub approval: Shown,
    /// The version of what is shown.
    pub version: u64,
    /// Who asks.
    pub asker: Shown,
    /// What it is about, in one line.
    pub title: Shown,
    /// The step that waits, where there is one.
    pub step: Option<Shown>,
    /// Whom this link belongs to.
    pub approver: Shown,
    /// What the playbook or the agent says to the approver.
    pub prompt: Shown,
    /// What cannot be taken back, and is covered by this signature.
    pub effects: Vec<Effect>,
    /// The rows acted upon.
    pub preview: Preview,
    /// Where all rows are, when they are kept; an absolute address.
    pub rows_url: Option<String>,
    /// The plan around this gate.
    pub picture: Picture,
    /// The plan as text, shown when there is no picture.
    pub plan_text: Shown,
    /// The digest of what is signed, in hex.
    pub digest: String,
    /// The most this can cost, in words, where it is known.
    pub cost_bound: Option<Shown>,
    /// Signatures given.
    pub given: u32,
    /// Signatures needed in all.
    pub needed: u32,
    /// When a decision comes too late.
    pub deadline: Timestamp,
    /// The time of rendering.
    pub now: Timestamp,
    /// What it takes to decide.
    pub assurance: Assurance,
    /// The page's nonce: MAC of link, digest and version.
    pub nonce: String,
    /// The newest checkpoint of the ledger.
    pub anchor: Option<Anchor>,
    /// What was wrong with the form just sent; nothing was changed.
    pub problem: Option<String>,
    /// The note of the form just sent.
    pub note: String,
}

#[derive(Template)]
#[template(path = "page/decision.html")]
struct Html<'a> {
    style: &'static str,
    page: &'a DecisionPage,
}

impl DecisionPage {
    /// Writes the page.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn html(&self) -> Result<String, LetterError> {
        Ok(Html { style: STYLE, page: self }.render()?)
    }

    fn due(&self) -> String {
        moment(self.deadline)
    }

    fn due_in(&self) -> String {
        until(self.now, self.deadline)
    }

    fn fingerprint(&self) -> Vec<String> {
        fingerprint(&self.digest)
    }

    fn remaining(&self) -> u32 {
        self.needed.saturating_sub(self.given)
    }

    /// What this signature does to the count, in words.
    fn signatures(&self) -> String {
        match (self.needed, self.remaining()) {
            (1, _) => "Yours is the only one needed".to_owned(),
            (needed, 1) => format!("{} of {needed} given; yours would be the last", self.given),
            (needed, _) => format!("{} of {needed} given", self.given),
        }
    }

    fn needs_code(&self) -> bool {
        self.assurance == Assurance::LinkCode
    }

    fn needs_sign_in(&self) -> bool {
        self.assurance == Assurance::SignedIn
    }

    fn irreversible(&self) -> usize {
        self.effects.iter().filter(|effect| effect.irreversible).count()
    }
}
