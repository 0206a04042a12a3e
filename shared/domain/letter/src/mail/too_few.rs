//! The mail to the owner of a run whose request too few people can decide.

use askama::Template;
use jiff::Timestamp;

use super::{Asked, Rendered};
use crate::error::LetterError;
use crate::text::Label;
use crate::when::{moment, until};

/// Tells the owner that a run waits for more approvals than there are people who can give them.
#[derive(Debug, Clone)]
pub struct TooFewMail {
    /// What is asked.
    pub asked: Asked,
    /// The approval's id.
    pub approval: Label,
    /// The run's id.
    pub run: Label,
    /// What it is about: the name of the playbook or profile, as its owner chose it.
    pub about: Label,
    /// When a decision comes too late.
    pub deadline: Timestamp,
    /// The time of writing.
    pub now: Timestamp,
    /// How many of those who are asked and have not decided can.
    pub able: u32,
    /// How many approvals it still takes.
    pub needed: u32,
}

#[derive(Template)]
#[template(path = "mail/too_few.txt", escape = "none")]
struct TooFewText<'a> {
    mail: &'a TooFewMail,
}

#[derive(Template)]
#[template(path = "mail/too_few.html")]
struct TooFewHtml<'a> {
    mail: &'a TooFewMail,
}

impl TooFewMail {
    /// Writes the mail.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn render(&self) -> Result<Rendered, LetterError> {
        Ok(Rendered {
            subject: format!("{}: {}", self.headline(), self.about),
            text: TooFewText { mail: self }.render()?,
            html: TooFewHtml { mail: self }.render()?,
        })
    }

    fn headline(&self) -> String {
        let people = if self.able == 0 { "nobody" } else { "too few people" };
        format!("A run of yours waits for {}s that {people} can give", self.asked.needed())
    }

    fn missing(&self) -> String {
        let plural = if self.needed == 1 { "" } else { "s" };
        format!("{} {}{plural}", self.needed, self.asked.needed())
    }

    fn can_decide(&self) -> String {
        format!("{} of those who have not decided", self.able)
    }

    fn due(&self) -> String {
        format!("{} ({})", moment(self.deadline), until(self.now, self.deadline))
    }
}
