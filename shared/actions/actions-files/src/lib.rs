//! Actions on what a person has: files, which are their documents (F-080…F-086), and to-dos (F-075…F-079).
//!
//! [`actions`] read, add and copy. [`destructive`] change, move and remove files: each needs a signature of exactly what it
//! does (K-25), which [`FileEffects`] says.

mod change_file;
mod copy_file;
mod effects;
mod file;
mod find_file;
mod front_matter;
mod patch;
mod read_file;
mod restore_file;
mod search;
mod todos;

use std::sync::Arc;

use countersign_identity::UserId;
use countersign_registry::action::{ActionError, Handler};
use countersign_store_content::{ContentError, ContentStore, Document};

pub use effects::FileEffects;

/// The actions that destroy nothing.
#[must_use]
pub fn actions(content: &Arc<ContentStore>) -> Vec<Arc<dyn Handler>> {
    let store = || Arc::clone(content);
    vec![
        Arc::new(read_file::ReadFile(store())),
        Arc::new(find_file::FindFileByName(store())),
        Arc::new(search::SearchDocuments(store())),
        Arc::new(copy_file::CopyFile(store())),
        Arc::new(restore_file::RestoreFile(store())),
        Arc::new(todos::CreateTodo(store())),
        Arc::new(todos::ListTodos(store())),
        Arc::new(todos::UpdateTodo(store())),
        Arc::new(todos::CompleteTodo(store())),
        Arc::new(todos::SearchTodos(store())),
    ]
}

/// The actions that change, move and remove files.
#[must_use]
pub fn destructive(content: &Arc<ContentStore>) -> Vec<Arc<dyn Handler>> {
    let store = || Arc::clone(content);
    vec![
        Arc::new(change_file::PatchFile(store())),
        Arc::new(change_file::MoveFile(store())),
        Arc::new(change_file::DeleteFile(store())),
    ]
}

/// A file and its text.
async fn text_of(
    content: &ContentStore,
    owner: &UserId,
    named: &str,
) -> Result<(Document, String), ActionError> {
    let document = content.named(owner, named).await.map_err(failed)?;
    let body = content.document_body(owner, &document.id).await.map_err(failed)?;
    body.ok_or_else(|| failed(ContentError::NoDocument(named.chars().take(80).collect())))
}

/// An argument that fits its schema, and nevertheless cannot be.
fn refused(code: &'static str, message: impl Into<String>) -> ActionError {
    ActionError::terminal(code, message)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape `map_err` wants")]
fn failed(error: ContentError) -> ActionError {
    ActionError::from_failure(&error)
}
