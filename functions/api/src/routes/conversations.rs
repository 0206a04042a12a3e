//! `/conversations`.

use countersign_identity::UserId;
use countersign_profile::ProfileId;
use countersign_run::summary::Summary;
use countersign_run::{Conversation, ConversationId};
use countersign_store_kit::{Page as Stored, Window};
use countersign_web::{Page, Problem};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::answers::SummaryAnswer;
use crate::Context;
use crate::conversation_query::ConversationQuery;
use crate::lists::{Asked, PageOf};

/// Conversations that are looked at together.
const AT_ONCE: i32 = 100;

/// A conversation of the caller with one of their agents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationView {
    /// `conv_…`.
    #[schema(value_type = String)]
    id: ConversationId,
    /// Whose.
    #[schema(value_type = String)]
    user_id: UserId,
    /// The agent.
    profile_id: String,
    /// The beginning of its first question, or what its owner calls it.
    title: String,
    /// When its first question was asked.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// What was asked and answered up to the question `turns_covered`, in the words of a model; of one conversation alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SummaryAnswer>)]
    summary: Option<Summary>,
}

impl From<Conversation> for ConversationView {
    fn from(one: Conversation) -> Self {
        let Conversation { id, user_id, profile_id, title, created_at } = one;
        Self { id, user_id, profile_id, title, created_at, summary: None }
    }
}

impl ConversationView {
    /// The same with what a model says of it.
    pub(super) fn with(self, summary: Option<Summary>) -> Self {
        Self { summary, ..self }
    }
}

/// The caller's conversations, newest first. One begins with a question, at `POST /executions`.
#[utoipa::path(
    get, path = "/conversations", tag = "conversations", params(ConversationQuery),
    responses((status = 200, body = Page<ConversationView>))
)]
pub(crate) async fn list(asked: Asked<ConversationQuery>) -> PageOf<ConversationView> {
    let profile = asked.query.profile_id.as_ref().map(ProfileId::as_str);
    let paging = asked.paging("conversations", &[("profile", profile)]).await?;
    let read = |window| -> BoxFuture<'_, _> {
        let (runs, owner) = (&asked.ctx.runs, &asked.owner);
        Box::pin(async move { runs.conversations(owner, window).await })
    };
    let takes = |one: &Conversation| profile.is_none_or(|profile| one.profile_id == profile);
    let found = paging.sifted(read, takes).await?;
    let items = found.items.into_iter().map(ConversationView::from).collect();
    paging.page(Stored { items, next: found.next })
}

/// Removes the conversations with an agent (F-178).
pub(super) async fn remove(
    ctx: &Context,
    owner: &UserId,
    profile: &ProfileId,
) -> Result<(), Problem> {
    let mut after = None;
    loop {
        let page = ctx.runs.conversations(owner, Window { limit: AT_ONCE, after }).await?;
        for one in page.items.iter().filter(|one| one.profile_id == profile.as_str()) {
            ctx.runs.forget_conversation(owner, &one.id).await?;
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(()),
        }
    }
}
