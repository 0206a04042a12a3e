//! Conversations, and the runs that answer their questions.

use countersign_identity::UserId;
use countersign_run::summary::{FIELD, STEP, Summary};
use countersign_run::{Conversation, ConversationId, Head, LATEST, RunId};
use countersign_store_kit::{Expr, Op, Page, Query, Window, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore, keys};

/// Marks that are removed together.
const AT_ONCE: i32 = 100;

/// Where the run of a question is found.
#[derive(Serialize, Deserialize)]
struct Question {
    run: RunId,
    asked_at: Timestamp,
}

impl RunStore {
    /// The conversation of its owner.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn conversation(
        &self,
        owner: &UserId,
        id: &ConversationId,
    ) -> Result<Option<Conversation>> {
        self.table.get(&keys::conversation(owner, id)).await
    }

    /// The conversations of a person, newest first.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn conversations(
        &self,
        owner: &UserId,
        window: Window,
    ) -> Result<Page<Conversation>> {
        let query = Query::index(&keys::conversations(owner)).descending();
        let found = self.table.query(query.within(window)).await?;
        found.decode(self.table.name())
    }

    /// What begins a conversation together with the run of its first question.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when it cannot be written.
    pub fn begin_conversation(&self, begun: &Conversation) -> Result<Op> {
        let put = Write::put(&keys::conversation(&begun.user_id, &begun.id), begun)?.if_absent();
        let sort = keys::conversation_sort(begun);
        Ok(self.table.op(put.indexed(&keys::conversations(&begun.user_id), &sort)))
    }

    /// What keeps a further question from being written once the conversation was removed.
    #[must_use]
    pub fn continue_conversation(&self, known: &Conversation) -> Op {
        let key = keys::conversation(&known.user_id, &known.id);
        self.table.op(Write::check(&key, Expr::exists()))
    }

    /// Gives a conversation another title; none when its owner has no such conversation.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn rename_conversation(
        &self,
        owner: &UserId,
        id: &ConversationId,
        title: &str,
    ) -> Result<Option<Conversation>> {
        let update = Write::update(&keys::conversation(owner, id)).set("title", &title)?;
        if !self.table.try_write(update.when(Expr::exists())).await? {
            return Ok(None);
        }
        self.conversation(owner, id).await
    }

    /// The runs of a conversation, newest first; only those that were asked for before one of them, when that is given.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn asked_in(
        &self,
        id: &ConversationId,
        before: Option<&Head>,
        window: Window,
    ) -> Result<Page<Head>> {
        let mut query = Query::partition(&keys::questions(id)).consistent().descending();
        let mut window = window;
        if let Some(before) = before {
            // The end of a range belongs to it, and is left out below.
            query = query.between("0", &keys::owner_sort(before.started_at, &before.run));
            window.limit = window.limit.saturating_add(1);
        }
        let found: Page<Question> =
            self.table.query(query.within(window)).await?.decode(self.table.name())?;
        let is_before = |run: &&RunId| before.is_none_or(|before| before.run != **run);
        let runs: Vec<&RunId> = found.items.iter().map(|one| &one.run).filter(is_before).collect();
        Ok(Page { items: self.heads_in_order(&runs).await?, next: found.next })
    }

    /// What the run of a question says of its conversation so far; none when it says nothing of it.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table or bucket does not answer.
    pub async fn summary(&self, head: &Head) -> Result<Option<Summary>> {
        let Some(asked) = head.asked_in.as_ref().filter(|asked| asked.has_summary) else {
            return Ok(None);
        };
        let outcome = self.outcome(&head.run, STEP).await?;
        let text = outcome.as_ref().and_then(|outcome| outcome.output[FIELD].as_str());
        let text = text.filter(|text| !text.trim().is_empty());
        Ok(text.map(|text| Summary { summary_text: text.to_owned(), turns_covered: asked.number }))
    }

    /// The latest summary of a conversation, looked for in its latest questions.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table or bucket does not answer.
    pub async fn latest_summary(&self, id: &ConversationId) -> Result<Option<Summary>> {
        for head in &self.asked_in(id, None, Window::first(LATEST)).await?.items {
            if let Some(summary) = self.summary(head).await? {
                return Ok(Some(summary));
            }
        }
        Ok(None)
    }

    /// Removes a conversation; `false` when its owner has no such conversation. Its runs stay, with its id.
    /// Doing it again goes on where it stopped.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn forget_conversation(&self, owner: &UserId, id: &ConversationId) -> Result<bool> {
        if self.conversation(owner, id).await?.is_none() {
            return Ok(false);
        }
        loop {
            let query = Query::partition(&keys::questions(id)).consistent().limit(AT_ONCE);
            let page = self.table.query(query).await?;
            let found: Page<Question> = page.decode(self.table.name())?;
            if found.items.is_empty() {
                break;
            }
            let marks = found.items.iter().map(|one| keys::question(id, one.asked_at, &one.run));
            self.table.write_many(marks.map(|key| Write::delete(&key)).collect()).await?;
        }
        // Last, so that what is broken off is found again.
        self.table.write(Write::delete(&keys::conversation(owner, id))).await?;
        Ok(true)
    }
}

/// What is written with the run of a question.
pub(crate) fn mark(head: &Head) -> Result<Option<Write>> {
    let Some(asked) = &head.asked_in else { return Ok(None) };
    let question = Question { run: head.run.clone(), asked_at: head.started_at };
    let key = keys::question(&asked.conversation, head.started_at, &head.run);
    Write::put(&key, &question).map(Some)
}
