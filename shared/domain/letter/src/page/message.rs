//! Pages that tell one thing: the receipt, the story of a closed request, a link that does not work.

use askama::Template;
use countersign_approval::Verdict;
use jiff::Timestamp;

use super::STYLE;
use super::request_end::RequestEnd;
use crate::error::LetterError;
use crate::text::{Shown, fingerprint};
use crate::when::moment;

/// The mood of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Good,
    /// Something is so.
    Calm,
    /// Something did not work.
    Warn,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Calm => "calm",
            Tone::Warn => "warn",
        }
    }
}

/// One signature of a closed or open request.
#[derive(Debug, Clone)]
pub struct Signature {
    /// Who signed.
    pub by: Shown,
    /// What it says.
    pub verdict: Verdict,
    /// What it answers, where something was asked: `done`, with its evidence.
    pub answer: Option<Shown>,
    /// The door it came through, in words: `by mail link and code`.
    pub how: Shown,
    /// When.
    pub at: Timestamp,
    /// Why it does not count any more, when it does not.
    pub not_counted: Option<Shown>,
}

/// A page that tells one thing.
#[derive(Debug, Clone)]
pub struct MessagePage {
    tone: Tone,
    title: String,
    lead: String,
    facts: Vec<(&'static str, Shown)>,
    signatures: Vec<Signature>,
    digest: Vec<String>,
    /// What the digest is of.
    digest_title: &'static str,
    hint: Option<&'static str>,
    /// What somebody who denied did, where that has a word of its own.
    refused: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "page/message.html")]
struct Html<'a> {
    style: &'static str,
    page: &'a MessagePage,
}

impl MessagePage {
    /// Writes the page.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn html(&self) -> Result<String, LetterError> {
        Ok(Html { style: STYLE, page: self }.render()?)
    }

    /// The receipt of a decision; `open` is how many signatures are still missing.
    #[must_use]
    pub fn receipt(
        verdict: Verdict,
        receipt: &str,
        approval: &str,
        at: Timestamp,
        digest: &str,
        open: u32,
    ) -> Self {
        let title = format!("You {}", verdict.did());
        let lead = match (verdict, open) {
            (Verdict::Enhance | Verdict::Override, _) => {
                "Your instructions are recorded, and a model rewrites what you were asked to sign. The approvers are asked again by mail. Nothing was sent."
                    .to_owned()
            }
            (Verdict::Approve, 0) => {
                "Your decision is recorded and the run goes on. You can close this page.".to_owned()
            }
            (Verdict::Approve, 1) => {
                "Your decision is recorded. One more signature is needed before anything happens."
                    .to_owned()
            }
            (Verdict::Approve, n) => format!(
                "Your decision is recorded. {n} more signatures are needed before anything happens."
            ),
            (Verdict::Deny, 0) => {
                "Your decision is recorded. What was asked for will not be done.".to_owned()
            }
            (Verdict::Deny, _) => "Your decision is recorded. Others may still decide.".to_owned(),
        };
        let facts = vec![
            ("Receipt", receipt.into()),
            ("Request", approval.into()),
            ("Recorded", moment(at).as_str().into()),
        ];
        let hint = Some(
            "Keep the receipt's number: with the exported ledger it proves what you decided, and what you saw.",
        );
        Self {
            tone: Tone::Good,
            digest: fingerprint(digest),
            digest_title: match verdict {
                Verdict::Enhance | Verdict::Override => "What you saw",
                Verdict::Approve | Verdict::Deny => "What was signed",
            },
            hint,
            ..Self::plain(Tone::Good, &title, &lead)
        }
        .with_facts(facts)
    }

    /// The receipt of answers about what was sent; `answer` in words, none of somebody who does not know. `open` is how many
    /// more equal answers it takes.
    #[must_use]
    pub fn answered(
        answer: Option<Shown>,
        receipt: &str,
        approval: &str,
        at: Timestamp,
        digest: &str,
        open: u32,
    ) -> Self {
        let verdict = if answer.is_some() { Verdict::Approve } else { Verdict::Deny };
        let mut page = Self::receipt(verdict, receipt, approval, at, digest, open);
        page.title = if answer.is_some() { "You answered" } else { "You do not know" }.to_owned();
        page.lead = match (&answer, open) {
            (Some(_), 0) => "Your answer is recorded and the run goes on. You can close this page.",
            (Some(_), 1) => "Your answer is recorded. It takes one more equal answer.",
            (Some(_), _) => "Your answer is recorded. It takes more equal answers.",
            (None, 0) => "That is recorded. The outcome stays unknown, and nothing is sent.",
            (None, _) => "That is recorded. Others may still answer.",
        }
        .to_owned();
        page.facts.splice(0..0, answer.map(|answer| ("Answer", answer)));
        page
    }

    /// The same, saying that so many approvals of other people do not count any more.
    #[must_use]
    pub fn with_lost(mut self, lost: u32) -> Self {
        let lost = match lost {
            0 => return self,
            1 => "the earlier approval of 1 person, who could not give it now".to_owned(),
            n => format!("the earlier approvals of {n} people, who could not give them now"),
        };
        self.facts.push(("Not counted", Shown::line(&lost)));
        self
    }

    /// The story of a closed question about what was sent.
    #[must_use]
    pub fn outcome_closed(
        verdict: RequestEnd,
        approval: &str,
        at: Option<Timestamp>,
        signatures: Vec<Signature>,
    ) -> Self {
        let mut page = Self::closed(verdict, approval, at, signatures);
        let (title, lead) = match verdict {
            RequestEnd::Approved => {
                ("Already answered", "This question is closed. Nothing you do here changes that.")
            }
            RequestEnd::Revised => (page.title.as_str(), page.lead.as_str()),
            _ => (
                "Closed without an answer",
                "This question is closed, and nobody knows what came of what was sent. Nothing was sent again.",
            ),
        };
        (page.title, page.lead) = (title.to_owned(), lead.to_owned());
        page.refused = Some("did not know");
        page
    }

    /// The story of a closed request: who, how and when.
    #[must_use]
    pub fn closed(
        verdict: RequestEnd,
        approval: &str,
        at: Option<Timestamp>,
        signatures: Vec<Signature>,
    ) -> Self {
        let mut facts = vec![("Request", Shown::line(approval))];
        facts.extend(at.map(|at| ("Closed", Shown::line(&moment(at)))));
        Self { signatures, ..Self::plain(Tone::Calm, verdict.title(), verdict.lead()) }
            .with_facts(facts)
    }

    /// What changed between the page and the decision; nothing was recorded.
    #[must_use]
    pub fn changed() -> Self {
        let lead = "What you were asked to sign has changed since this page was opened, so your decision was not recorded.";
        Self {
            hint: Some("Open the link in your mail again to see the new version."),
            ..Self::plain(Tone::Warn, "Please look again", lead)
        }
    }

    /// A page that was open for longer than its nonce is good, or that belongs to another link.
    #[must_use]
    pub fn stale_page() -> Self {
        let lead = "That page had been open for more than half an hour, or belongs to another link, so your decision was not recorded.";
        let hint = Some("Open the link in your mail again and decide on what it shows now.");
        Self { hint, ..Self::plain(Tone::Warn, "Please look again", lead) }
    }

    /// A link that was altered, belongs to nothing, or was replaced by a newer one.
    #[must_use]
    pub fn invalid_link() -> Self {
        let lead = "This link is not valid. It may be cut off, or a newer mail has replaced it.";
        let hint = Some(
            "Copy the whole link from the newest mail. Mail programs sometimes break long links.",
        );
        Self { hint, ..Self::plain(Tone::Warn, "Link not recognised", lead) }
    }

    /// A link whose time is over.
    #[must_use]
    pub fn expired_link() -> Self {
        let lead = "The time of this link is over. It decides nothing any more.";
        Self {
            hint: Some("A request that is not decided by its deadline counts as denied."),
            ..Self::plain(Tone::Calm, "Link expired", lead)
        }
    }

    /// A link that a newer one of the same approver replaced.
    #[must_use]
    pub fn replaced_link() -> Self {
        let lead = "A newer link was mailed to you since. This one decides nothing any more.";
        Self {
            hint: Some("Please use the newest mail about this request."),
            ..Self::plain(Tone::Calm, "Link replaced", lead)
        }
    }

    /// A code that was typed too often, is too old, or has been used.
    #[must_use]
    pub fn code_spent() -> Self {
        let lead = "This code can no longer be used. Nothing was recorded.";
        let hint = Some(
            "Open the link in your mail again and choose once more: that mails you a new code.",
        );
        Self { hint, ..Self::plain(Tone::Warn, "A new code is needed", lead) }
    }

    /// More codes were asked for than anybody needs.
    #[must_use]
    pub fn too_many_codes() -> Self {
        let lead =
            "Too many codes were mailed for this request, so no more are. Nothing was recorded.";
        let hint = Some(
            "Sign in to the console and decide there, or ask the person who runs this deployment.",
        );
        Self { hint, ..Self::plain(Tone::Warn, "No more codes", lead) }
    }

    /// The same person decided the other way before.
    #[must_use]
    pub fn decided_otherwise(approved: bool, at: Timestamp) -> Self {
        let title = if approved { "You have approved this" } else { "You have denied this" };
        let lead = "Your first decision stands. It cannot be taken back or replaced by another.";
        Self::plain(Tone::Calm, title, lead)
            .with_facts(vec![("Recorded", moment(at).as_str().into())])
    }

    /// The person behind the link may not decide (any more).
    #[must_use]
    pub fn not_allowed(reason: &str) -> Self {
        let mut page = Self::plain(Tone::Warn, "You cannot decide this", "Nothing was recorded.");
        page.facts = vec![("Reason", Shown::line(reason))];
        page
    }

    /// The form could not be read; nothing was changed.
    #[must_use]
    pub fn unreadable(problem: &str) -> Self {
        let mut page = Self::plain(
            Tone::Warn,
            "Nothing was recorded",
            "The form that was sent is not complete.",
        );
        page.facts = vec![("Problem", Shown::line(problem))];
        page.hint = Some("Open the link in your mail again and use the buttons on the page.");
        page
    }

    /// Why nothing was struck out, and what to do instead.
    #[must_use]
    pub fn not_struck(reason: &str, help: Option<&str>) -> Self {
        let lead = "The request is as it was.";
        let facts = [("Reason", Some(reason)), ("Instead", help)];
        let facts = facts.into_iter().filter_map(|(name, text)| Some((name, Shown::line(text?))));
        Self {
            hint: Some("Go back, or open the link in your mail again."),
            ..Self::plain(Tone::Warn, "Nothing was struck out", lead)
        }
        .with_facts(facts.collect())
    }

    /// Deciding needs a login; the page only shows.
    #[must_use]
    pub fn sign_in() -> Self {
        let lead =
            "This request can only be decided by somebody who has signed in. Nothing was recorded.";
        Self {
            hint: Some("Sign in to the console and open Approvals."),
            ..Self::plain(Tone::Calm, "Please sign in", lead)
        }
    }

    /// Our own failure; `reference` finds it in the logs.
    #[must_use]
    pub fn error(reference: &str) -> Self {
        let lead = "Something went wrong on our side. Nothing you sent has been lost or decided twice; please try again in a minute.";
        Self::plain(Tone::Warn, "Not now", lead).with_facts(vec![("Reference", reference.into())])
    }

    fn plain(tone: Tone, title: &str, lead: &str) -> Self {
        let (title, lead) = (title.to_owned(), lead.to_owned());
        Self {
            tone,
            title,
            lead,
            facts: Vec::new(),
            signatures: Vec::new(),
            digest: Vec::new(),
            digest_title: "What was signed",
            hint: None,
            refused: None,
        }
    }

    fn with_facts(mut self, facts: Vec<(&'static str, Shown)>) -> Self {
        self.facts = facts;
        self
    }

    fn did(&self, signature: &Signature) -> &'static str {
        let refused = self.refused.filter(|_| signature.verdict == Verdict::Deny);
        refused.unwrap_or_else(|| signature.verdict.did())
    }
}

impl Signature {
    fn moment(&self) -> String {
        moment(self.at)
    }
}
