//! Questions to one agent that belong together.

use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::RunId;

countersign_ids::prefixed_id! {
    /// A conversation.
    pub struct ConversationId("conv");
}

/// A conversation of a person with one of their agents. Its questions are runs: what was asked and answered is theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The conversation.
    pub id: ConversationId,
    /// Whose.
    pub user_id: UserId,
    /// The agent, `prof_…`.
    pub profile_id: String,
    /// Its name for people: the beginning of its first question, unless its owner has changed it.
    pub title: String,
    /// When its first question was asked.
    pub created_at: Timestamp,
}

/// Instead of the id of a conversation: one that begins with the question.
const NEW: &str = "new";

/// So many of the latest questions of a conversation are looked at: for what a model is shown, and for a summary.
pub const LATEST: i32 = 8;

/// The most characters of a title.
pub const MAX_TITLE: usize = 200;

impl ConversationId {
    /// That of a conversation which begins with this run: the same request begins it once.
    #[must_use]
    pub fn of_first(run: &RunId) -> Self {
        let digits = run.as_str().trim_start_matches(RunId::PREFIX);
        Self(format!("{}{digits}", Self::PREFIX))
    }
}

impl Conversation {
    /// The title of a conversation that begins with this question: its first words, on one line.
    #[must_use]
    pub fn titled_by(question: &str) -> String {
        const SHORT: usize = 80;
        let line: Vec<&str> = question.split_whitespace().collect();
        let line = line.join(" ");
        match line.char_indices().nth(SHORT) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
            None => line,
        }
    }
}

/// In which conversation something is asked: `new`, or its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum InConversation {
    /// In one that begins with this question.
    New,
    /// In one that there is.
    Known(ConversationId),
}

impl TryFrom<String> for InConversation {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == NEW {
            return Ok(Self::New);
        }
        let known = ConversationId::parse(&text).map(Self::Known);
        known.map_err(|_| format!("must be `{NEW}`, or the id of a conversation, `conv_…`"))
    }
}

impl From<InConversation> for String {
    fn from(one: InConversation) -> Self {
        match one {
            InConversation::New => NEW.to_owned(),
            InConversation::Known(id) => id.to_string(),
        }
    }
}

/// Where a question was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedIn {
    /// The conversation.
    pub conversation: ConversationId,
    /// Whether a model looked on the web for the answer. What such a model is shown could get into a search, and what it answers
    /// may repeat what a page told it to do: its answers are shown only to models that look there too, and others only to others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_on_web: bool,
    /// Its number among the questions of the conversation: 1, 2, … Two that are asked at once may have the same number.
    pub number: u32,
    /// Whether its model also says what was asked and answered so far.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_summary: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expect: &str) {
        assert_eq!(Conversation::titled_by(question), expect);
    }

    #[test]
    fn r_105_a_conversation_is_called_by_its_first_words() {
        check("Who gave\n  loans?", "Who gave loans?");
        check(&"owl ".repeat(30), &format!("{}…", "owl ".repeat(20).trim_end()));
        check(&"é".repeat(81), &format!("{}…", "é".repeat(80)));
        check(" ", "");
    }

    #[test]
    fn r_105_a_question_is_asked_in_a_new_conversation_or_in_one_that_there_is() {
        let read = |text: &str| serde_json::from_value::<InConversation>(text.into());
        let id = ConversationId::of_first(&RunId::from_bytes([7; 16]));
        assert_eq!(id, ConversationId::from_bytes([7; 16]));
        assert_eq!(read("new").unwrap(), InConversation::New);
        assert_eq!(read(id.as_str()).unwrap(), InConversation::Known(id.clone()));
        assert_eq!(serde_json::to_value(InConversation::Known(id.clone())).unwrap(), id.as_str());
        for wrong in ["", "New", "conv_1", "run_07070707070707070707070707070707"] {
            let said = read(wrong).unwrap_err().to_string();
            assert_eq!(said, "must be `new`, or the id of a conversation, `conv_…`");
        }
    }
}
