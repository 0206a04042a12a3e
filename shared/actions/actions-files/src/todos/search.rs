//! `search_todos` (F-079).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::search_todos as declared;
use countersign_registry::actions::todo_record::Todos;
use countersign_store_content::ContentStore;
use countersign_todo::{Search, State, Todo};

use super::output;
use crate::failed;

/// The most to-dos that one call gives.
const MAX: usize = 100;

pub(crate) struct SearchTodos(pub(crate) Arc<ContentStore>);

impl Perform for SearchTodos {
    type Action = declared::SearchTodos;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Todos, ActionError> {
        let search = Search::of(&inputs.query);
        let of_state = |state: State| match params.states.as_slice() {
            [] => params.include_done || state != State::Done,
            states => states.contains(&state),
        };
        let takes = |todo: &Todo| search.finds(todo) && of_state(todo.state);
        let found = self.0.find_todos(&call.owner, MAX, takes).await;
        Ok(output(found.map_err(failed)?))
    }
}
