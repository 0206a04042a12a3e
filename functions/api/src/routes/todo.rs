//! `/todos/{id}`.

use countersign_store_content::TodoChange;
use countersign_todo::{Change, Day, MAX_TEXT, Priority, State as TodoState, Tag, Todo, TodoId};
use countersign_web::{FieldError, Json, Problem};
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use super::answers::TodoAnswer;
use super::{JsonOf, Named, Reader, json_of, now};

/// What is to be different; what is left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TodoPatch {
    /// `TODO`, `NEXT`, `WAITING` or `DONE`.
    #[schema(value_type = Option<String>)]
    state: Option<TodoState>,
    /// `A`, `B` or `C`; `null` for none.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    priority: Option<Option<Priority>>,
    /// A day; `null` for none.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, format = Date)]
    deadline: Option<Option<Day>>,
    /// A day; `null` for none.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, format = Date)]
    scheduled: Option<Option<Day>>,
    /// Tags that it gets.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    add_tags: Vec<Tag>,
    /// Tags that it loses.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    remove_tags: Vec<Tag>,
    /// What is noted on it.
    add_note: Option<String>,
}

/// A member that is there, whether it is `null` or not.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// One to-do of the caller.
#[utoipa::path(
    get, path = "/todos/{id}", tag = "content", params(("id" = String, Path, description = "`todo_…`")),
    responses((status = 200, body = TodoAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(Named(ctx, Reader(ref owner), id): Named<TodoId>) -> JsonOf<Todo> {
    json_of(ctx.content.todo(owner, &id).await?)
}

/// Changes a to-do of the caller, such as to tick it off: `{"state": "DONE"}`.
#[utoipa::path(
    patch, path = "/todos/{id}", tag = "content", params(("id" = String, Path, description = "`todo_…`")), request_body = TodoPatch,
    responses((status = 200, body = TodoAnswer), (status = 404, description = "TODO_NOT_FOUND"), (status = 422, description = "INVALID_INPUT, TODO_TOO_MANY_TAGS"))
)]
pub(crate) async fn change(
    Named(ctx, Reader(ref owner), id): Named<TodoId>,
    Json(patch): Json<TodoPatch>,
) -> JsonOf<Todo> {
    let change = patch.checked()?;
    let (todo, now) = (id.as_str(), now());
    let asked = TodoChange { owner, todo, change: &change, idempotency_key: None, now };
    Ok(Json(ctx.content.change_todo(asked).await?.todo))
}

impl TodoPatch {
    fn checked(self) -> Result<Change, Problem> {
        let too_long = |note: &String| note.chars().count() > MAX_TEXT;
        if self.add_note.as_ref().is_some_and(too_long) {
            let message = format!("has at most {MAX_TEXT} characters");
            return Err(Problem::invalid(vec![FieldError::new("add_note", message)]));
        }
        Ok(Change {
            state: self.state,
            priority: self.priority,
            deadline: self.deadline,
            scheduled: self.scheduled,
            add_tags: self.add_tags,
            remove_tags: self.remove_tags,
            add_note: self.add_note.filter(|note| !note.trim().is_empty()),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Change, TodoPatch};

    fn check(body: serde_json::Value) -> Result<Change, Vec<String>> {
        let patch: TodoPatch =
            serde_json::from_value(body).map_err(|error| vec![error.to_string()])?;
        patch
            .checked()
            .map_err(|problem| problem.errors.iter().map(|one| one.path.clone()).collect())
    }

    #[test]
    fn f_077_null_empties_and_what_is_left_out_stays() {
        assert_eq!(check(json!({})), Ok(Change::default()));
        let emptied = Change { deadline: Some(None), ..Change::default() };
        assert_eq!(check(json!({ "deadline": null })), Ok(emptied));
        assert_eq!(check(json!({ "add_note": "x".repeat(10_001) })), Err(vec!["add_note".into()]));
        assert!(check(json!({ "state": "done" })).is_err());
        assert!(check(json!({ "deadline": "soon" })).is_err());
        for other in ["owner", "title", "body"] {
            assert!(check(json!({ other: "me" })).is_err(), "{other}");
        }
    }
}
