//! `create_todo` (F-075).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::create_todo as declared;
use countersign_store_content::{ContentStore, derived};
use countersign_todo::{State, Todo, TodoId};

use super::title;
use crate::failed;

pub(crate) struct CreateTodo(pub(crate) Arc<ContentStore>);

impl Perform for CreateTodo {
    type Action = declared::CreateTodo;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let mut tags = params.tags;
        tags.sort();
        tags.dedup();
        let todo = Todo {
            id: TodoId::from_bytes(derived(&["todo", &call.idempotency_key])),
            owner: call.owner.clone(),
            title: title(&inputs.title)?,
            body: inputs.body,
            state: State::from(params.state),
            priority: params.priority,
            deadline: params.deadline,
            scheduled: params.scheduled,
            tags,
            file: params.target_file,
            notes: Vec::new(),
            run: Some(call.run.clone()),
            created_at: call.now,
            updated_at: call.now,
            completed_at: None,
            version: 0,
        };
        let todo = self.0.create_todo(&todo).await.map_err(failed)?;
        let (todo_id, file_path) = (todo.id.to_string(), todo.file.path());
        Ok(declared::Output { success: true, todo_id, file_path })
    }
}
