//! The page on which a person decides.

use askama::Template;
use countersign_approval::Verdict;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{STYLE, StrikeTold};
use crate::effect::{EffectGroup, Requests};
use crate::error::LetterError;
use crate::mail::{Anchor, Asked};
use crate::picture::Picture;
use crate::preview::Preview;
use crate::sends::approving_sends;
use crate::text::{Shown, fingerprint};
use crate::when::{moment, until};

/// The longest note, in characters.
pub const MAX_NOTE: usize = 2_000;

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

/// A request that was sent, with nobody knowing what came of it.
#[derive(Debug, Clone)]
pub struct UnknownCallView {
    /// Its number: the form's fields are `choice-{n}` and `evidence-{n}`.
    pub n: u64,
    /// What the step does.
    pub what: Shown,
    /// Who allowed sending it, and the receipt: `by Ann, rcpt_…`.
    pub approved: Shown,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// What to look for, and where: `key 9f… at api.bank.example`.
    pub look_for: Shown,
    /// What sending it again risks, where it risks something.
    pub warning: Option<Shown>,
    /// The request itself.
    pub request: EffectGroup,
    /// The choice of the form just sent: `done`, `not_done` or `again`.
    pub chosen: Option<&'static str>,
    /// The evidence of the form just sent.
    pub evidence: String,
}

/// Everything the decision page shows.
#[derive(Debug, Clone)]
pub struct DecisionPage {
    /// What is asked.
    pub asked: Asked,
    /// The agent that asks, by the name of its profile.
    pub agent: Option<Shown>,
    /// What will be done, in the words of the playbook's author: the steps' descriptions.
    pub what: Shown,
    /// The approval's id.
    pub approval: Shown,
    /// The version of what is shown.
    pub version: u64,
    /// Who started the run.
    pub asker: Shown,
    /// What it is about, in one line.
    pub title: Shown,
    /// Whom this link belongs to.
    pub approver: Shown,
    /// What the playbook or the agent says to the approver.
    pub prompt: Shown,
    /// Who has written the prompt.
    pub prompt_lead: &'static str,
    /// That the prompt is older than what was struck out, when something was.
    pub prompt_note: Option<String>,
    /// Where the whole prompt is; an absolute address.
    pub prompt_url: Option<String>,
    /// What cannot be taken back, and is covered by this signature.
    pub effects: Requests,
    /// That somebody changed what was asked, so that earlier signatures are void.
    pub changed: Option<Shown>,
    /// What was struck out so far, the earliest first.
    pub strikes: Vec<StrikeTold>,
    /// Requests whose outcome is asked for.
    pub outcomes: Vec<UnknownCallView>,
    /// How many other requests, signed together with those, the run may send once they are answered.
    pub unsent: u64,
    /// How many values, files or pages the steps before could not read; `warnings` names them.
    pub unread: u64,
    /// How many of the requests would not be sent as things stand; `warnings` says why.
    pub not_sent: u64,
    /// What the approver should look at twice.
    pub warnings: Vec<Shown>,
    /// Where all warnings are, when not all are written out; an absolute address.
    pub warnings_url: Option<String>,
    /// The rows acted upon.
    pub preview: Preview,
    /// Where all rows are; an absolute address.
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
    /// How many have given which answers: `1 of 2 for done`; none before the first.
    pub tally: Option<String>,
    /// Signatures needed in all.
    pub needed: u32,
    /// When a decision comes too late.
    pub deadline: Timestamp,
    /// The time of rendering.
    pub now: Timestamp,
    /// What it takes to decide.
    pub assurance: Assurance,
    /// Why whoever this link belongs to may not decide now, as a sentence.
    pub barred: Option<String>,
    /// The page's nonce: MAC of link, digest and version.
    pub nonce: String,
    /// The newest checkpoint of the ledger.
    pub anchor: Option<Anchor>,
    /// What was wrong with the form just sent; nothing was changed.
    pub problem: Option<String>,
    /// The note of the form just sent.
    pub note: String,
    /// The steps of models that can be rewritten; none when changes cannot be asked for.
    pub revisable: Vec<Shown>,
    /// Whether somebody who asks for changes cannot sign what comes of them.
    pub bars_who_asks: bool,
    /// The wish of the form just sent, with its instructions.
    pub wish: Option<(Verdict, String)>,
}

#[derive(Template)]
#[template(path = "page/decision.html")]
struct Html<'a> {
    style: &'static str,
    page: &'a DecisionPage,
}

impl UnknownCallView {
    fn is_chosen(&self, choice: &str) -> bool {
        self.chosen == Some(choice)
    }

    fn sent(&self) -> String {
        self.sent_at.to_zoned(TimeZone::UTC).strftime("%a %-d %b %Y, %H:%M:%S UTC").to_string()
    }
}

impl DecisionPage {
    /// Writes the page.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn html(&self) -> Result<String, LetterError> {
        Ok(Html { style: STYLE, page: self }.render()?)
    }

    /// The heading, after the agent's name.
    fn asks(&self) -> &'static str {
        match (self.outcomes.is_empty(), &self.barred) {
            (true, None) => "asks for your signature",
            (true, Some(_)) => "asks for a signature",
            (false, _) => "does not know what happened",
        }
    }

    fn outcome_lead(&self) -> String {
        match self.outcomes.len() {
            1 => "This request was sent, and no answer came. Look whether it was done, then say what happened.".to_owned(),
            count => format!("These {count} requests were sent, and no answer came. Look whether each was done, then say what happened to each."),
        }
    }

    /// What follows once it is answered.
    fn waits(&self) -> String {
        let more = match self.unsent {
            0 => return "The run waits.".to_owned(),
            1 => "1 more request that was".to_owned(),
            count => format!("up to {count} more requests that were"),
        };
        format!(
            "The run waits. When it goes on, it sends {more} signed together with this, and asks nobody again. “It was not done” may end it instead."
        )
    }

    fn unread(&self) -> Option<String> {
        match self.unread {
            0 => None,
            1 => Some("1 warning about what this is based on".to_owned()),
            count => Some(format!("{count} warnings about what this is based on")),
        }
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
            _ if !self.outcomes.is_empty() => self.equal_answers(),
            (needed, _) if self.barred.is_some() => format!("{} of {needed} given", self.given),
            (1, _) => "Yours is the only signature needed".to_owned(),
            (needed, 1) => format!("{} of {needed} given; yours would be the last", self.given),
            (needed, _) => format!("{} of {needed} given", self.given),
        }
    }

    /// Only equal answers add up.
    fn equal_answers(&self) -> String {
        match (self.needed, self.tally.as_ref()) {
            (1, _) if self.barred.is_some() => "1 answer needed".to_owned(),
            (1, _) => "Yours is the only answer needed".to_owned(),
            (needed, None) => format!("{needed} equal answers needed, none given"),
            (needed, Some(tally)) => format!("{needed} equal answers needed; {}", tally.as_str()),
        }
    }

    fn preview_title(&self) -> &'static str {
        if self.effects.is_empty() { "What the run has found" } else { "What it is based on" }
    }

    fn digest_meaning(&self) -> &'static str {
        if !self.outcomes.is_empty() {
            "This digest stands for the requests above: what was sent, when, with which key, and by whose permission."
        } else if self.effects.is_empty() {
            "This digest stands for the question, all rows and all warnings above, and for the sealed plan: every step, its settings and their order. If any of these changes, the digest changes and you are asked to sign again."
        } else {
            "This digest stands for the sealed plan and for every request above, whether all of it is shown here or not. If any of that changes, the digest changes and your signature is asked for again."
        }
    }

    /// What a decision leads to, in the words above the buttons.
    fn consequence(&self) -> String {
        let effect = match self.effects.irreversible() {
            _ if !self.outcomes.is_empty() => {
                "“I do not know” leaves the outcome unknown; nothing is sent.".to_owned()
            }
            0 => "Nothing goes on before this is approved.".to_owned(),
            count => approving_sends(count, self.not_sent, self.remaining().into()),
        };
        match self.assurance {
            Assurance::LinkCode => format!("{effect} A code is mailed to you to confirm."),
            _ => effect,
        }
    }

    /// That something that is shown would not be sent.
    fn unsendable(&self) -> Option<String> {
        let count = self.effects.irreversible();
        match self.not_sent {
            0 => None,
            all if all >= count => Some("As things stand, approving sends nothing".to_owned()),
            some => Some(format!("As things stand, {some} of {count} requests would not be sent")),
        }
    }

    fn wishes(&self, verdict: Verdict) -> bool {
        self.wish.as_ref().is_some_and(|(wish, _)| *wish == verdict)
    }

    fn instructions(&self) -> &str {
        self.wish.as_ref().map_or("", |(_, instructions)| instructions)
    }

    /// Whether this page takes a decision; otherwise it only shows.
    fn decides(&self) -> bool {
        self.assurance != Assurance::SignedIn && self.barred.is_none()
    }
}
