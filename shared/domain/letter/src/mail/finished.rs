//! The mail at the end of a run.

use askama::Template;
use jiff::Timestamp;

use super::Rendered;
use crate::error::LetterError;
use crate::text::Label;
use crate::when::moment;

/// The most requests one mail lists; the record has them all.
const MAX_DECISIONS: usize = 10;

/// How a request of a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
pub enum Ending {
    /// The right people approved.
    #[strum(to_string = "approved")]
    Approved,
    /// Somebody denied.
    #[strum(to_string = "denied")]
    Denied,
    /// The deadline passed.
    #[strum(to_string = "not decided in time")]
    TimedOut,
    /// Somebody asked for changes.
    #[strum(to_string = "sent back for changes")]
    Revised,
    /// The run ended first.
    #[strum(to_string = "closed undecided")]
    Closed,
    /// Enough people said what became of something that was sent.
    #[strum(to_string = "what happened was answered")]
    Answered,
    /// They did not know, or did not agree.
    #[strum(to_string = "what happened was left unanswered")]
    Unanswered,
}

/// How a request of a run ended, by whom and when. Never what was noted: a note is anybody's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionFact {
    /// How.
    pub ending: Ending,
    /// The usernames of those who decided so.
    pub by: Vec<Label>,
    /// When.
    pub at: Timestamp,
    /// The usernames of those who left a note.
    pub noted: Vec<Label>,
    /// Whether it was refused and the run went on without the steps behind it.
    pub went_on: bool,
}

impl DecisionFact {
    /// `denied by maria, Sat 21 Nov 2026, 14:05 UTC; maria left a note`.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = <&str>::from(self.ending).to_owned();
        if !self.by.is_empty() {
            line.push_str(" by ");
            line.push_str(&listed(&self.by));
        }
        line.push_str(", ");
        line.push_str(&moment(self.at));
        if !self.noted.is_empty() {
            line.push_str("; ");
            line.push_str(&listed(&self.noted));
            line.push_str(" left a note");
        }
        if self.went_on {
            line.push_str("; the run went on without the steps behind it");
        }
        line
    }
}

/// `ada`, `ada and bob`, `ada, bob and cyd`.
fn listed(names: &[Label]) -> String {
    let names: Vec<&str> = names.iter().map(Label::as_str).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Who reads of the end of a run, and where they see more. There is no page of it to link to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reader {
    /// Whose run it is: they see the record.
    Owner,
    /// Who has started it with an agent of somebody else's: they see what it gave back, and no decisions.
    Member {
        /// The team.
        team: Label,
        /// The agent.
        agent: Label,
    },
    /// The same when the agent was removed.
    MemberWithoutAgent,
}

/// Tells that a run has ended.
#[derive(Debug, Clone)]
pub struct FinishedMail {
    /// Who reads it.
    pub reader: Reader,
    /// The run's id.
    pub run: Label,
    /// The due time it belongs to, when a clock started it.
    pub occurrence: Option<Label>,
    /// Which attempt of that it is, from the second on: `second attempt`.
    pub attempt: Option<Label>,
    /// What its owner calls the schedule, monitor or trigger that asked for it.
    pub asked_by: Option<Label>,
    /// When it is tried again, or that it is not, where it failed and something tries it by itself.
    pub again: Option<Label>,
    /// How many items of a monitor are parked, because this run ended so.
    pub parked: Option<usize>,
    /// The status in words, as the run's fold names it.
    pub status: Label,
    /// The agent's profile.
    pub profile: Label,
    /// The playbook, where there is one.
    pub playbook: Option<Label>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// Steps that were done.
    pub steps_done: u32,
    /// How many their conditions skipped.
    pub steps_skipped: u32,
    /// Steps in all.
    pub steps: u32,
    /// What became of its requests for approval, in the order they were opened.
    pub decisions: Vec<DecisionFact>,
    /// The code of the first step that failed.
    pub error: Option<Label>,
    /// Who cancelled it, by username.
    pub cancelled_by: Option<Label>,
    /// Steps of which nobody knows whether their effect happened.
    pub unknown: u32,
    /// Values and files that its steps could not read, and answers of a model.
    pub warnings: u64,
}

#[derive(Template)]
#[template(path = "mail/finished.txt", escape = "none")]
struct FinishedText<'a> {
    mail: &'a FinishedMail,
}

#[derive(Template)]
#[template(path = "mail/finished.html")]
struct FinishedHtml<'a> {
    mail: &'a FinishedMail,
}

impl FinishedMail {
    /// Writes the mail.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn render(&self) -> Result<Rendered, LetterError> {
        Rendered::of(
            format!("{}: {}", self.profile, self.status),
            &FinishedText { mail: self },
            &FinishedHtml { mail: self },
        )
    }

    /// What the reader can see of the run.
    fn shown(&self) -> &'static str {
        match self.reader {
            Reader::Owner => "The record of the run, with every decision and note, is shown by:",
            Reader::Member { .. } => "What it gave back is shown by:",
            Reader::MemberWithoutAgent => {
                "Its agent is removed: what it gave back is not shown any more."
            }
        }
    }

    /// The command that shows it.
    fn command(&self) -> Option<String> {
        let run = &self.run;
        match &self.reader {
            Reader::Owner => Some(format!("countersign show {run}")),
            Reader::Member { team, agent } => {
                Some(format!("countersign teams runs {team} {agent} {run}"))
            }
            Reader::MemberWithoutAgent => None,
        }
    }

    fn span(&self) -> String {
        format!("{} to {}", moment(self.started), moment(self.finished))
    }

    fn decided(&self) -> Vec<String> {
        let more = self.decisions.len().saturating_sub(MAX_DECISIONS);
        let lines = self.decisions.iter().take(MAX_DECISIONS).map(DecisionFact::line);
        lines.chain((more > 0).then(|| format!("and {more} more, see the record"))).collect()
    }

    /// The schedule, monitor or trigger that asked for it: a word for what it is, padded, and its name.
    fn source(&self) -> Option<(&'static str, &Label)> {
        let occurrence = self.occurrence.as_ref()?;
        self.asked_by.as_ref().map(|name| (super::kind(occurrence.as_str()), name))
    }

    fn parked_items(&self) -> Option<String> {
        let items = match self.parked? {
            1 => "1 item is".to_owned(),
            many => format!("{many} items are"),
        };
        Some(format!("{items} parked: nothing processes what this run was to, see the monitor"))
    }

    fn warned(&self) -> Option<String> {
        (self.warnings > 0)
            .then(|| format!("{} about what it is based on, see the record", self.warnings))
    }

    /// `Run run_…, second attempt of mon_…-…`.
    fn which(&self) -> String {
        match (&self.occurrence, &self.attempt) {
            (None, _) => format!("Run {}", self.run),
            (Some(occurrence), None) => format!("Run {} of {occurrence}", self.run),
            (Some(occurrence), Some(attempt)) => {
                format!("Run {}, {attempt} of {occurrence}", self.run)
            }
        }
    }

    fn in_doubt(&self) -> Option<String> {
        let steps = match self.unknown {
            0 => return None,
            1 => "one step".to_owned(),
            many => format!("{many} steps"),
        };
        Some(format!(
            "whether the effect of {steps} happened; look there before you start it again"
        ))
    }
}
