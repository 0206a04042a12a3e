//! The conversation that a question is asked in, and what a model is shown of it (R-022, R-037, R-105).

use countersign_identity::UserId;
use countersign_profile::Profile;
use countersign_report::content;
use countersign_run::summary::Summary;
use countersign_run::{
    AskedIn, Conversation, ConversationId, Head, InConversation, LATEST, Response, RunId, RunStatus,
};
use countersign_store_kit::{Op, Window};
use countersign_web::Problem;
use countersign_wiring::literal_text;
use futures::future::{BoxFuture, try_join_all};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::Starter;
use crate::asking::Made;
use crate::yaml::is_plain;

/// After so many questions a model says what was asked and answered so far (R-087).
const EVERY: u32 = 3;
/// So many bytes in all: what is made of it is a part of a playbook, whose text has a limit.
const MAX_BYTES: usize = 64 * 1024;
/// So many characters of a question.
const MAX_QUESTION: usize = 2_000;
/// So many characters of an answer.
const MAX_ANSWER: usize = 4_000;

/// The conversation of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Within {
    /// The conversation.
    pub conversation: Conversation,
    /// Whether the question begins it.
    pub is_new: bool,
    /// Its number among the questions of the conversation.
    pub number: u32,
}

impl Within {
    /// Finds the conversation, or says how one begins.
    ///
    /// # Errors
    /// A [`Problem`] when the caller has no such conversation with this agent.
    pub(crate) async fn of(
        ctx: Starter<'_>,
        (owner, profile): (&UserId, &Profile),
        wanted: &InConversation,
        (run, question): (&RunId, &str),
    ) -> Result<Self, Problem> {
        if question.trim().is_empty() {
            return Err(Problem::field("query", "a conversation consists of questions: ask one"));
        }
        match wanted {
            InConversation::New => Ok(Self {
                conversation: begun(owner, profile, run, question, ctx.now),
                is_new: true,
                number: 1,
            }),
            InConversation::Known(id) => {
                let known = ctx.runs.conversation(owner, id).await?;
                let conversation =
                    known.ok_or_else(|| Problem::no_such("conversation", id.as_str()))?;
                if conversation.profile_id != profile.id.as_str() {
                    let message = "is a conversation with another agent";
                    return Err(Problem::field("conversation", message));
                }
                Self::next(ctx, conversation).await
            }
        }
    }

    /// As the next question of a conversation that there is.
    pub(crate) async fn next(
        ctx: Starter<'_>,
        conversation: Conversation,
    ) -> Result<Self, Problem> {
        let latest = ctx.runs.asked_in(&conversation.id, None, Window::first(1)).await?;
        let before = latest.items.first().and_then(|head| head.asked_in.as_ref());
        let number = before.map_or(0, |asked| asked.number).saturating_add(1);
        Ok(Self { conversation, is_new: false, number })
    }

    /// What was asked before, of one that has begun.
    pub(crate) fn earlier(&self) -> Option<Earlier<'_>> {
        let conversation = &self.conversation.id;
        (!self.is_new).then_some(Earlier { conversation, before: None, number: self.number })
    }

    /// What was asked before a run that is repeated.
    pub(crate) fn before<'a>(&'a self, head: &'a Head) -> Earlier<'a> {
        let conversation = &self.conversation.id;
        Earlier { conversation, before: Some(head), number: self.number }
    }

    /// As the head of the run says it, which follows a playbook that was made for this.
    pub(crate) fn asked_in(&self, made: Option<Made>) -> AskedIn {
        let (is_on_web, has_summary) = match made {
            Some(Made::Research { is_on_web, has_summary }) => (is_on_web, has_summary),
            Some(Made::Call) | None => (false, false),
        };
        let conversation = self.conversation.id.clone();
        AskedIn { conversation, is_on_web, number: self.number, has_summary }
    }

    /// What is written together with the run.
    pub(crate) fn written(&self, ctx: Starter<'_>) -> Result<Op, Problem> {
        match self.is_new {
            true => Ok(ctx.runs.begin_conversation(&self.conversation)?),
            false => Ok(ctx.runs.continue_conversation(&self.conversation)),
        }
    }
}

/// A conversation that begins with the question of this run. Its id follows from the run's, so that the same request begins one.
fn begun(
    owner: &UserId,
    profile: &Profile,
    run: &RunId,
    question: &str,
    now: Timestamp,
) -> Conversation {
    Conversation {
        id: ConversationId::of_first(run),
        user_id: owner.clone(),
        profile_id: profile.id.to_string(),
        title: Conversation::titled_by(question),
        created_at: now,
    }
}

/// Of which conversation something is shown, and to whom.
#[derive(Debug, Clone, Copy)]
pub struct Earlier<'a> {
    pub(crate) conversation: &'a ConversationId,
    /// Only what was asked before this run; of a new run, everything.
    pub(crate) before: Option<&'a Head>,
    /// The number of the question that is asked.
    pub(crate) number: u32,
}

/// What a model is shown of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The latest questions with their answers, the oldest in front; before them perhaps a summary of what was earlier.
    pub(crate) exchanges: Vec<Value>,
    /// Whether it is time for a new summary.
    pub(crate) is_long: bool,
}

impl Earlier<'_> {
    /// What a model is shown that looks on the web, or one that does not.
    pub(crate) async fn shown(self, ctx: Starter<'_>, is_on_web: bool) -> Result<Shown, Problem> {
        let page = ctx.runs.asked_in(self.conversation, self.before, Window::first(LATEST)).await?;
        let mut summary = None;
        for head in &page.items {
            if let Some(found) = summary_of(ctx, head, is_on_web).await? {
                summary = Some((head, found));
                break;
            }
        }
        let since = page.items.iter().rev().filter(|head| match &summary {
            Some((of, _)) => is_after(head, of),
            None => true,
        });
        let later = try_join_all(since.map(|head| exchange(ctx, head, is_on_web)));
        let covered = summary.as_ref().map_or(0, |(_, summary)| summary.turns_covered);
        // A repetition is not shown all that was asked before its own number.
        let is_long = self.before.is_none() && self.number.saturating_sub(covered) >= EVERY;
        let told = summary.as_ref().map(|(_, one)| {
            let text = cut(&one.summary_text, MAX_ANSWER);
            json!({ "summary": text, "of_questions": one.turns_covered })
        });
        let left = MAX_BYTES.saturating_sub(told.as_ref().map_or(0, bytes));
        let later = fitting(later.await?, left);
        Ok(Shown { exchanges: told.into_iter().chain(later).collect(), is_long })
    }
}

/// What a run says of its conversation so far, for a model that looks on the web or one that does not.
async fn summary_of(
    ctx: Starter<'_>,
    head: &Head,
    is_on_web: bool,
) -> Result<Option<Summary>, Problem> {
    if without_answer(head, is_on_web).is_some() {
        return Ok(None);
    }
    Ok(ctx.runs.summary(head).await?)
}

/// Whether a summary cannot know what came of a question: it was asked after the run that sums up, or answered after that began.
fn is_after(head: &Head, summary: &Head) -> bool {
    let place = |head: &Head| (head.started_at, head.run.clone());
    place(head) > place(summary)
        || (head.run != summary.run
            && head.finished_at.is_none_or(|ended| ended >= summary.started_at))
}

/// The latest of these, as many as fit into so many bytes.
fn fitting(mut exchanges: Vec<Value>, mut left: usize) -> Vec<Value> {
    let mut fits = |one: &&Value| {
        let rest = left.checked_sub(bytes(one));
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let many = exchanges.iter().rev().take_while(&mut fits).count();
    exchanges.split_off(exchanges.len() - many)
}

/// How long it is in the playbook.
fn bytes(one: &Value) -> usize {
    literal_text(&one.to_string()).len()
}

/// One question with its answer, or why there is none.
fn exchange<'a>(
    ctx: Starter<'a>,
    head: &'a Head,
    is_on_web: bool,
) -> BoxFuture<'a, Result<Value, Problem>> {
    Box::pin(async move {
        let question = cut(&head.query, MAX_QUESTION);
        if let Some(why) = without_answer(head, is_on_web) {
            return Ok(json!({ "question": question, "not_shown": why }));
        }
        let response = ctx.runs.response(&head.run).await?;
        Ok(match response.and_then(said) {
            Some(answer) => json!({ "question": question, "answer": cut(&answer, MAX_ANSWER) }),
            None => json!({ "question": question, "not_shown": "it has no answer in text" }),
        })
    })
}

/// What a run has answered: the text alone, since the next model need not know where a document is from, nor how it is escaped.
fn said(response: Response) -> Option<String> {
    let text = response.content?;
    Some(if response.format == "markdown" { content(&text) } else { text })
}

/// Why the answer to an earlier question is not shown.
fn without_answer(head: &Head, is_on_web: bool) -> Option<&'static str> {
    let was_on_web = head.asked_in.as_ref().is_some_and(|asked| asked.is_on_web);
    match head.status {
        None => Some("it is not answered yet"),
        Some(RunStatus::Complete | RunStatus::Partial) if was_on_web == is_on_web => None,
        Some(RunStatus::Complete | RunStatus::Partial) if is_on_web => {
            Some("the answer may hold what is not for the web")
        }
        Some(RunStatus::Complete | RunStatus::Partial) => Some("the answer was found on the web"),
        Some(_) => Some("it was not answered"),
    }
}

/// The beginning of a text. Characters that a playbook has no place for, or writes with six, are left out.
fn cut(text: &str, most: usize) -> String {
    let plain = text.chars().filter(|c| matches!(c, '\n' | '\t') || is_plain(*c));
    let mut kept: String = plain.clone().take(most).collect();
    if plain.count() > most {
        kept.push_str(" […]");
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn r_037_of_an_answer_only_its_content_is_shown() {
        let check = |format: &str, content: &str, expect: &str| {
            let content = Some(content.to_owned());
            let response = Response { format: format.to_owned(), content, ..Response::default() };
            assert_eq!(said(response).as_deref(), Some(expect));
        };
        let document = "## Answer\n\nOne \\*Owl\\* Fund.\n\n---\n\n**Provenance**\n\n- Run: `run_1`\n- Agent: Looks\n";
        check("markdown", document, "## Answer\n\nOne *Owl* Fund.");
        check("json", r#"{"a": "\*"}"#, r#"{"a": "\*"}"#);
        assert_eq!(said(Response::default()), None);
    }

    #[test]
    fn r_037_of_a_long_text_the_beginning_is_shown() {
        assert_eq!(cut("a\u{1b}[2J\nb\u{2028}c", 99), "a[2J\nbc");
        assert_eq!(cut("ééé", 3), "ééé");
        assert_eq!(cut("éééé", 3), "ééé […]");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn r_037_what_is_shown_is_the_end_of_what_was_said_and_fits(texts in proptest::collection::vec("[a{\u{ff}]{0,12000}", 0..12)) {
            let all: Vec<Value> = texts.iter().map(|text| json!({ "question": text })).collect();
            let shown = fitting(all.clone(), MAX_BYTES);
            prop_assert!(all.ends_with(&shown));
            let bytes = |some: &[Value]| some.iter().map(bytes).sum::<usize>();
            prop_assert!(bytes(&shown) <= MAX_BYTES);
            let more = &all[all.len().saturating_sub(shown.len() + 1)..];
            prop_assert!(shown.len() == all.len() || bytes(more) > MAX_BYTES, "no more would fit");
        }
    }
}
