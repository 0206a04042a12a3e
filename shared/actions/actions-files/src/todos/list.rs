//! `list_todos` (F-076).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::list_todos as declared;
use countersign_registry::actions::todo_record::Todos;
use countersign_store_content::ContentStore;
use countersign_todo::Filter;

use super::output;
use crate::failed;

pub(crate) struct ListTodos(pub(crate) Arc<ContentStore>);

impl Perform for ListTodos {
    type Action = declared::ListTodos;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Todos, ActionError> {
        let declared::Params { tags, deadline_before, file_id: file, limit } = params;
        let filter = Filter { state: inputs.state, tags, deadline_before, file };
        let found = self.0.find_todos(&call.owner, limit as usize, |todo| filter.takes(todo));
        Ok(output(found.await.map_err(failed)?))
    }
}
