//! The mail about a schedule, monitor or trigger that does not do what its owner made it for.

use askama::Template;
use jiff::Timestamp;

use super::{MailLink, Rendered};
use crate::error::LetterError;
use crate::text::Label;
use crate::when::moment;

/// What does not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceAlert {
    /// A monitor cannot look, or cannot start the run of what it found.
    Failing,
    /// A step of a monitor cannot look, while the others do.
    FailingInPart,
    /// Items that a monitor found are parked.
    Parked {
        /// So many.
        items: usize,
        /// Found at so many looks.
        batches: usize,
    },
    /// A due time or an event came to no run.
    SkippedOccurrence {
        /// Whether it could not be begun in time; otherwise it was skipped.
        is_missed: bool,
    },
    /// A run failed, was to be tried again, and is not.
    Abandoned {
        /// How often it was tried.
        attempts: usize,
    },
}

/// Tells the owner what does not work, and what to do about it.
#[derive(Debug, Clone)]
pub struct TroubleMail {
    /// What.
    pub trouble: SourceAlert,
    /// The id of the schedule, monitor or trigger.
    pub id: Label,
    /// What its owner calls it.
    pub name: Label,
    /// Since when.
    pub since: Timestamp,
    /// The code of the reason.
    pub code: Label,
    /// What was due.
    pub occurrence: Option<Label>,
    /// Where it is read what the code means and what to do.
    pub link: Option<MailLink>,
}

#[derive(Template)]
#[template(path = "mail/trouble.txt", escape = "none")]
struct TroubleText<'a> {
    mail: &'a TroubleMail,
}

#[derive(Template)]
#[template(path = "mail/trouble.html")]
struct TroubleHtml<'a> {
    mail: &'a TroubleMail,
}

impl SourceAlert {
    /// What has happened, in a few words.
    #[must_use]
    pub fn headline(self) -> String {
        match self {
            Self::Failing => "cannot look".to_owned(),
            Self::FailingInPart => "a step cannot look".to_owned(),
            Self::Parked { items: 1, .. } => "1 item is parked".to_owned(),
            Self::Parked { items, batches: 1 } => format!("{items} items are parked"),
            Self::Parked { items, batches } => {
                format!("{items} items of {batches} batches are parked")
            }
            Self::SkippedOccurrence { is_missed: true } => "a run was missed".to_owned(),
            Self::SkippedOccurrence { is_missed: false } => "a run was skipped".to_owned(),
            Self::Abandoned { .. } => "a run failed and is not tried again".to_owned(),
        }
    }

    /// What it means, and what to do.
    #[must_use]
    pub fn advice(self, id: &str) -> String {
        match self {
            Self::Failing => format!(
                "It tries again at each interval, and what is new at its source until then is found once it can look. \
                 `countersign monitors show {id}` says what went wrong."
            ),
            Self::FailingInPart => format!(
                "The other steps go on, and runs of what they find are warned that this one is missing. It tries again at each \
                 interval, and what is new at its source until then is found once it can look. `countersign monitors show {id}` \
                 says what went wrong."
            ),
            Self::Parked { .. } => format!(
                "Nothing processes them any more. `countersign monitors parked {id}` lists them with their batch and the \
                 reason; once that is mended, `countersign monitors retry {id} BATCH` processes them as they were found."
            ),
            Self::SkippedOccurrence { is_missed: true } => format!(
                "The next ones are tried as usual. `countersign occurrences {id}` lists what ran and what did not."
            ),
            Self::SkippedOccurrence { is_missed: false } => format!(
                "The next ones are tried as usual; those for which the reason holds too come to nothing. \
                 `countersign occurrences {id}` lists what ran and what did not."
            ),
            Self::Abandoned { attempts } => format!(
                "{}, and another attempt was to follow: the reason stands above. What the run did is done and is not done \
                 again. `countersign occurrences {id}` lists its runs.",
                tried(attempts)
            ),
        }
    }
}

/// How often something was tried.
fn tried(attempts: usize) -> String {
    match attempts {
        1 => "It was tried once".to_owned(),
        many => format!("It was tried {many} times"),
    }
}

impl TroubleMail {
    /// Writes the mail.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn render(&self) -> Result<Rendered, LetterError> {
        Rendered::of(self.title(), &TroubleText { mail: self }, &TroubleHtml { mail: self })
    }

    fn title(&self) -> String {
        format!("{}: {}", self.name, self.trouble.headline())
    }

    fn kind(&self) -> &'static str {
        super::kind(self.id.as_str())
    }

    fn advice(&self) -> String {
        self.trouble.advice(self.id.as_str())
    }

    fn began(&self) -> String {
        moment(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_what_was_missed_keeps_nothing_that_comes_from_running() {
        let advice = |is_missed| SourceAlert::SkippedOccurrence { is_missed }.advice("sched_1");
        assert!(!advice(true).contains("come to nothing"), "{}", advice(true));
        assert!(advice(false).contains("for which the reason holds"), "{}", advice(false));
    }

    #[test]
    fn issue_14_what_is_given_up_says_how_often_it_was_tried() {
        let advice = |attempts| SourceAlert::Abandoned { attempts }.advice("sched_1");
        assert!(advice(1).starts_with("It was tried once, and another attempt was to follow"));
        assert!(advice(2).starts_with("It was tried 2 times"), "{}", advice(2));
    }
}
