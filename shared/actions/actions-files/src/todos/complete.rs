//! `complete_todo` (F-078).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::complete_todo as declared;
use countersign_registry::shape::filled;
use countersign_store_content::ContentStore;
use countersign_todo::{Change, State};

use super::changed;

pub(crate) struct CompleteTodo(pub(crate) Arc<ContentStore>);

impl Perform for CompleteTodo {
    type Action = declared::CompleteTodo;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let add_note = filled(params.completion_note);
        let change = Change { state: Some(State::Done), add_note, ..Change::default() };
        let todo = changed(&self.0, call, &inputs.todo_id, &change).await?.todo;
        let completed_at = todo.completed_at.unwrap_or(call.now).to_string();
        Ok(declared::Output { success: true, completed_at })
    }
}
