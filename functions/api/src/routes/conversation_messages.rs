//! `/conversations/{id}/messages`.

use countersign_run::{ConversationId, Head, RunId, RunStatus, Strategy};
use countersign_store_kit::Page as Stored;
use countersign_web::{Page, PageQuery, Path, Problem};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::execution::state;
use super::found;
use crate::Context;
use crate::lists::{Asked, PageOf};

/// Questions of a page that are looked at together.
const AT_ONCE: usize = 8;
/// So many characters of a message are shown; all of it is at `/executions/{id}`.
const MAX_CONTENT: usize = 4_000;

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum MessageRole {
    User,
    Assistant,
}

/// A question, or what its run gave back.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Message {
    /// The run and the role.
    message_id: String,
    #[schema(value_type = String)]
    conversation_id: ConversationId,
    /// `user`: the question; `assistant`: the answer.
    #[schema(value_type = String)]
    role: MessageRole,
    /// The text; null of an answer that is not there (yet). Of a longer text its first 4,000 characters.
    content: Option<String>,
    /// When it was asked, or answered.
    #[schema(value_type = Option<String>, format = DateTime)]
    created_at: Option<Timestamp>,
    metadata: MessageMetadata,
}

/// What a message belongs to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MessageMetadata {
    /// The run that answers.
    #[schema(value_type = String)]
    execution_id: RunId,
    /// Where it stands.
    #[schema(value_type = String)]
    status: RunStatus,
    /// How its answer is found: `pipeline`, `playbook`, `direct` or `research`.
    #[schema(value_type = Option<String>)]
    strategy: Option<Strategy>,
    /// Whether `content` is only the beginning.
    is_cut: bool,
}

/// What was asked and answered in a conversation of the caller, newest first. `limit` counts questions; each comes behind its
/// answer.
#[utoipa::path(
    get, path = "/conversations/{id}/messages", tag = "conversations",
    params(("id" = String, Path, description = "`conv_…`"), PageQuery),
    responses((status = 200, body = Page<Message>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path(id): Path<ConversationId>,
) -> PageOf<Message> {
    let (ctx, owner) = (&asked.ctx, &asked.owner);
    found(ctx.runs.conversation(owner, &id).await?)?;
    let paging = asked.paging("messages", &[("conversation", Some(id.as_str()))]).await?;
    let page = ctx.runs.asked_in(&id, None, paging.window()).await?;
    let messages =
        page.items.iter().map(|head| -> BoxFuture<'_, _> { Box::pin(exchange(ctx, &id, head)) });
    let messages: Vec<[Message; 2]> =
        futures::stream::iter(messages.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
    paging.page(Stored { items: messages.into_iter().flatten().collect(), next: page.next })
}

/// An answer and its question.
async fn exchange(
    ctx: &Context,
    id: &ConversationId,
    head: &Head,
) -> Result<[Message; 2], Problem> {
    let (status, content) = match head.status {
        None => (state(ctx, head).await?.status, None),
        Some(status) => {
            let response = ctx.runs.response(&head.run).await?;
            (status, response.and_then(|response| response.content))
        }
    };
    let message = |role, name, content: Option<String>, created_at| {
        let (content, is_cut) = content.map_or((None, false), beginning);
        let (execution_id, strategy) = (head.run.clone(), head.strategy);
        Message {
            message_id: format!("{}/{name}", head.run),
            conversation_id: id.clone(),
            role,
            content,
            created_at,
            metadata: MessageMetadata { execution_id, status, strategy, is_cut },
        }
    };
    let question = Some(head.query.clone());
    Ok([
        message(MessageRole::Assistant, "answer", content, head.finished_at),
        message(MessageRole::User, "question", question, Some(head.started_at)),
    ])
}

/// The beginning of a text, and whether there is more of it.
fn beginning(mut text: String) -> (Option<String>, bool) {
    let end = text.char_indices().nth(MAX_CONTENT).map(|(end, _)| end);
    if let Some(end) = end {
        text.truncate(end);
    }
    (Some(text), end.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_106_of_a_long_text_the_beginning_is_shown() {
        let check = |many: usize, shown: usize, is_cut: bool| {
            let (content, cut) = beginning("é".repeat(many));
            assert_eq!((content.map(|text| text.chars().count()), cut), (Some(shown), is_cut));
        };
        check(0, 0, false);
        check(MAX_CONTENT, MAX_CONTENT, false);
        check(MAX_CONTENT + 1, MAX_CONTENT, true);
    }
}
