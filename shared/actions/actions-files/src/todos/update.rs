//! `update_todo` (F-077).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::update_todo as declared;
use countersign_registry::shape::filled;
use countersign_store_content::ContentStore;
use countersign_todo::Change;

use super::changed;

pub(crate) struct UpdateTodo(pub(crate) Arc<ContentStore>);

impl Perform for UpdateTodo {
    type Action = declared::UpdateTodo;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let change = Change {
            state: params.state,
            priority: params.priority.map(Some),
            deadline: params.deadline.map(Some),
            scheduled: params.scheduled.map(Some),
            add_tags: params.add_tags,
            remove_tags: params.remove_tags,
            add_note: filled(params.add_note),
        };
        let changed = changed(&self.0, call, &inputs.todo_id, &change).await?;
        Ok(declared::Output { success: true, updated_fields: changed.updated_fields })
    }
}
