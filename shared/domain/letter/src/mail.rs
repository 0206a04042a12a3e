//! The mails. Each is rendered twice, as text and as HTML, from the same few trusted values.

mod changed;
mod finished;
mod source_alert;
mod too_few;

use askama::Template;
use countersign_approval::Verdict;
use jiff::Timestamp;

use crate::error::LetterError;
use crate::text::{Label, fingerprint};
use crate::when::{moment, until};

pub use changed::{DeadlineNotice, StrikeNotice, Why};
pub use finished::{DecisionFact, Ending, FinishedMail, Reader};
pub use source_alert::{SourceAlert, TroubleMail};
pub use too_few::TooFewMail;

/// A finished mail body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// One line, no line breaks.
    pub subject: String,
    /// The plain text part.
    pub text: String,
    /// The HTML part.
    pub html: String,
}

impl Rendered {
    fn of(
        subject: String,
        text: &impl Template,
        html: &impl Template,
    ) -> Result<Self, LetterError> {
        Ok(Self { subject, text: text.render()?, html: html.render()? })
    }
}

/// A word for what has this id, or an occurrence.
fn kind(id: &str) -> &'static str {
    match id.split('_').next() {
        Some("mon") => "Monitor",
        Some("trig") => "Trigger",
        _ => "Schedule",
    }
}

/// What a signature is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Asked {
    /// A gate in a playbook.
    Step,
    /// One call of a tool.
    Tool,
    /// What became of calls without an answer.
    Outcome,
    /// A plan, before it starts.
    Plan,
    /// A result, before it is accepted.
    Result,
    /// An article, before it is published.
    Publish,
    /// Two records, before they become one.
    Merge,
    /// An answer to a question.
    Clarification,
}

impl Asked {
    /// Reads the name an approval's kind has on the wire.
    #[must_use]
    pub fn named(kind: &str) -> Option<Self> {
        kind.parse().ok()
    }

    /// What it is called in a sentence: `your signature is needed for …`.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Asked::Step => "the next steps of a run",
            Asked::Tool => "one action of a run",
            Asked::Outcome => "the question what became of something that was sent",
            Asked::Plan => "a plan",
            Asked::Result => "a result",
            Asked::Publish => "a publication",
            Asked::Merge => "a merge of two records",
            Asked::Clarification => "an answer to a question",
        }
    }
}

impl Asked {
    /// What is needed of the approver.
    #[must_use]
    pub fn needed(self) -> &'static str {
        if self == Asked::Outcome { "answer" } else { "signature" }
    }

    /// What the deadline does.
    #[must_use]
    pub fn at_deadline(self) -> &'static str {
        if self == Asked::Outcome {
            "the outcome stays unknown"
        } else {
            "the request counts as denied"
        }
    }
}

/// The newest sealed entry of the ledger: an anchor that its reader holds from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The sequence number of the checkpoint.
    pub sequence: u64,
    /// The hash of the chain's head, in hex.
    pub head: String,
}

impl Anchor {
    /// The head hash in groups.
    #[must_use]
    pub fn groups(&self) -> String {
        fingerprint(&self.head).join(" ")
    }
}

/// An address a mail may link to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailLink(String);

impl MailLink {
    /// Checks that `url` is an absolute HTTP address made of visible ASCII without quotes, brackets or spaces.
    ///
    /// # Errors
    /// [`LetterError::Link`] otherwise.
    pub fn parse(url: &str) -> Result<Self, LetterError> {
        let absolute = url.starts_with("https://") || url.starts_with("http://");
        let plain = url.bytes().all(|b| b.is_ascii_graphic() && !b"\"'<>\\^`{|}".contains(&b));
        if absolute && plain && url.len() <= 2_000 {
            Ok(Self(url.to_owned()))
        } else {
            Err(LetterError::Link)
        }
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for MailLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is said of a request that no person asks for.
#[derive(Debug, Clone)]
pub struct OnBehalf {
    /// The display name of the owner.
    pub owner: Label,
    /// What was asked with: a key, a file, the end of a run.
    pub with: Option<Label>,
}

/// Asks one approver for a signature, for the first time or again.
#[derive(Debug, Clone)]
pub struct ApprovalMail {
    /// What is asked.
    pub asked: Asked,
    /// The approval's id.
    pub approval: Label,
    /// The run's id, where there is one.
    pub run: Option<Label>,
    /// Who asks: the display name of the requester, or what asks for them.
    pub asker: Label,
    /// Whom it asks for, when no person asks.
    pub on_behalf: Option<OnBehalf>,
    /// What it is about: the name of the playbook or profile, as its owner chose it.
    pub about: Label,
    /// The signed link to the page.
    pub link: MailLink,
    /// When a decision comes too late.
    pub deadline: Timestamp,
    /// The time of writing.
    pub now: Timestamp,
    /// Signatures already given.
    pub given: u32,
    /// Signatures needed in all.
    pub needed: u32,
    /// The newest checkpoint of the ledger.
    pub anchor: Option<Anchor>,
    /// Why it is sent.
    pub why: Why,
    /// How many values, files or pages the steps before could not read.
    pub unread: u64,
}

/// A one-time code, mailed to the approver's own address.
#[derive(Debug, Clone)]
pub struct CodeMail {
    /// The code, digits only.
    pub code: String,
    /// The approval it is for.
    pub approval: Label,
    /// The decision that was chosen on the page.
    pub verdict: Verdict,
    /// The answer that was chosen, where one was asked for: `done`.
    pub answer: Option<Label>,
    /// Whether it decides nothing and only strikes requests out, or brings them back.
    pub striking: bool,
    /// What it is about: the name of the playbook or profile, as its owner chose it.
    pub about: Label,
    /// When the code ends.
    pub expires: Timestamp,
}

/// Tells that a source refuses a credential.
#[derive(Debug, Clone)]
pub struct CredentialMail {
    /// The connector.
    pub connector: Label,
    /// The agent it is bound to.
    pub profile: Label,
    /// When the source refused.
    pub at: Timestamp,
}

#[derive(Template)]
#[template(path = "mail/credential.txt", escape = "none")]
struct CredentialText<'a> {
    mail: &'a CredentialMail,
}

#[derive(Template)]
#[template(path = "mail/credential.html")]
struct CredentialHtml<'a> {
    mail: &'a CredentialMail,
}

impl CredentialMail {
    /// Writes the mail.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn render(&self) -> Result<Rendered, LetterError> {
        Rendered::of(
            format!("{} rejects your credential", self.connector),
            &CredentialText { mail: self },
            &CredentialHtml { mail: self },
        )
    }

    fn since(&self) -> String {
        moment(self.at)
    }
}

#[derive(Template)]
#[template(path = "mail/approval.txt", escape = "none")]
struct ApprovalText<'a> {
    mail: &'a ApprovalMail,
}

#[derive(Template)]
#[template(path = "mail/approval.html")]
struct ApprovalHtml<'a> {
    mail: &'a ApprovalMail,
}

#[derive(Template)]
#[template(path = "mail/code.txt", escape = "none")]
struct CodeText<'a> {
    mail: &'a CodeMail,
}

#[derive(Template)]
#[template(path = "mail/code.html")]
struct CodeHtml<'a> {
    mail: &'a CodeMail,
}

impl ApprovalMail {
    /// Writes the mail.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn render(&self) -> Result<Rendered, LetterError> {
        Rendered::of(self.subject(), &ApprovalText { mail: self }, &ApprovalHtml { mail: self })
    }

    fn subject(&self) -> String {
        format!("{} {} is needed: {}", self.why.opening(), self.asked.needed(), self.about)
    }

    fn is_reminder(&self) -> bool {
        self.why == Why::Reminder
    }

    fn notice(&self) -> Option<String> {
        self.why.notice()
    }

    fn due(&self) -> String {
        format!("{} ({})", moment(self.deadline), until(self.now, self.deadline))
    }

    fn warnings(&self) -> Option<String> {
        match self.unread {
            0 => None,
            1 => Some("1 about what this is based on, on the page".to_owned()),
            count => Some(format!("{count} about what this is based on, on the page")),
        }
    }

    fn signatures(&self) -> String {
        match (self.given, self.needed) {
            (_, 1) => "one is needed".to_owned(),
            (given, needed) => format!("{given} of {needed} given"),
        }
    }
}

impl CodeMail {
    /// Writes the mail. The code stands in the body only: subjects show on locked screens.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn render(&self) -> Result<Rendered, LetterError> {
        Rendered::of(
            "Your one-time code".to_owned(),
            &CodeText { mail: self },
            &CodeHtml { mail: self },
        )
    }

    fn groups(&self) -> String {
        let digits: Vec<char> =
            self.code.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
        digits.chunks(3).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    }

    fn decision(&self) -> String {
        match &self.answer {
            _ if self.striking => "strike out parts of".to_owned(),
            Some(answer) if self.verdict == Verdict::Approve => format!("answer “{answer}” to"),
            _ => self.verdict.does().to_owned(),
        }
    }

    fn ends(&self) -> String {
        moment(self.expires)
    }
}
