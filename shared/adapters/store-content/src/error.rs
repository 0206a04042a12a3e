//! What can go wrong with content.

use countersign_document::FOLDER_RULE;
use countersign_failure::Failure;
use countersign_report::ReportError;
use countersign_store_kit::StoreError;
use countersign_team::ThreadId;
use countersign_todo::MAX_TAGS;

use crate::ids::DocumentId;

/// Why content cannot be written or read.
#[derive(Debug, thiserror::Error, Failure)]
#[failure(status = 404)]
pub enum ContentError {
    /// The folder does not exist and may not be made.
    #[error("the folder `{0}` does not exist")]
    #[failure(
        code = "FOLDER_NOT_FOUND",
        help = "create it first, or set `create_if_missing: true`"
    )]
    NoFolder(String),
    /// Not the id of a folder.
    #[error("`{0}` is not the id of a folder: it {rule}", rule = FOLDER_RULE)]
    #[failure(code = "FOLDER_ID_INVALID", status = 422)]
    FolderId(String),
    /// No such document of this owner.
    #[error("there is no document `{0}`")]
    #[failure(
        code = "DOCUMENT_NOT_FOUND",
        help = "`GET /api/agent-factory/documents` lists those there are"
    )]
    NoDocument(String),
    /// Only Markdown can be added to.
    #[error("`{0}` is not Markdown, and only Markdown can be added to")]
    #[failure(code = "DOCUMENT_NOT_MARKDOWN", status = 409, help = "write a new document")]
    NotMarkdown(String),
    /// It is not the one that people saw when they signed.
    #[error("`{0}` is not what it was when its change was signed; nothing was changed")]
    #[failure(
        code = "DOCUMENT_CHANGED",
        status = 409,
        help = "start the run again: the document is shown and signed as it is now"
    )]
    Changed(String),
    /// It would be too large to be read and written whole.
    #[error("`{0}` would be larger than 4 MB")]
    #[failure(code = "DOCUMENT_TOO_LARGE", status = 422, help = "start a new document")]
    DocumentTooLarge(String),
    /// A path that leads to several documents.
    #[error("there are several documents `{path}`, such as {one} and {other}")]
    #[failure(code = "DOCUMENT_AMBIGUOUS", status = 409, help = "name it by its id")]
    Ambiguous {
        /// The path.
        path: String,
        /// One of them.
        one: DocumentId,
        /// Another one.
        other: DocumentId,
    },
    /// Where a document is to be, another one is.
    #[error("there is another document at `{0}`")]
    #[failure(
        code = "DOCUMENT_PATH_TAKEN",
        status = 409,
        help = "move or remove the document that is there, or choose another folder"
    )]
    PathTaken(String),
    /// A folder in which no name can be looked for.
    #[error("the folder `{0}` has too many documents to look for one by its name")]
    #[failure(code = "FOLDER_TOO_LARGE", status = 409, help = "name the document by its id")]
    FolderTooLarge(String),
    /// No such to-do of this owner.
    #[error("there is no to-do `{0}`")]
    #[failure(
        code = "TODO_NOT_FOUND",
        help = "`GET /api/agent-factory/todos` lists those there are"
    )]
    NoTodo(String),
    /// So many to-dos that they cannot be one text.
    #[error("there are too many to-dos to read a list of them as one text")]
    #[failure(
        code = "TODO_LIST_TOO_LONG",
        status = 409,
        help = "`GET /api/agent-factory/todos?file=…` lists them page by page"
    )]
    TooManyTodos,
    /// It would have too many tags.
    #[error("a to-do has at most {MAX_TAGS} tags")]
    #[failure(code = "TODO_TOO_MANY_TAGS", status = 422, help = "remove some in the same change")]
    TooManyTags,
    /// No such thread of this team.
    #[error("there is no thread `{0}` in this team")]
    #[failure(code = "THREAD_NOT_FOUND", help = "leave `thread_id` out to begin a new thread")]
    NoThread(ThreadId),
    /// The table does not exist and may not be made.
    #[error("the table `{table}` does not exist in the workspace `{workspace}`")]
    #[failure(code = "TABLE_NOT_FOUND", help = "create it first, or set `create_if_missing: true`")]
    NoTable {
        /// The workspace.
        workspace: String,
        /// The table.
        table: String,
    },
    /// The table's columns or key differ.
    #[error(transparent)]
    #[failure(forward)]
    Shape(#[from] ReportError),
    /// The table or bucket failed.
    #[error("reading or writing content")]
    #[failure(forward)]
    Store(#[from] StoreError),
}
