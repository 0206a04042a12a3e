//! What can go wrong with content.

use countersign_failure::Failure;
use countersign_report::ReportError;
use countersign_store_kit::StoreError;

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
    #[error("`{0}` is not the id of a folder: use 1 to 100 letters, digits, `_` and `-`")]
    #[failure(code = "FOLDER_ID_INVALID", status = 422)]
    FolderId(String),
    /// No such document of this owner.
    #[error("there is no document `{0}`")]
    #[failure(code = "DOCUMENT_NOT_FOUND", help = "`GET /documents` lists those there are")]
    NoDocument(String),
    /// Only Markdown can be added to.
    #[error("`{0}` is not Markdown, and only Markdown can be added to")]
    #[failure(code = "DOCUMENT_NOT_MARKDOWN", status = 409, help = "write a new document")]
    NotMarkdown(String),
    /// It would be too large to be read and written whole.
    #[error("`{0}` would be larger than 4 MB")]
    #[failure(code = "DOCUMENT_TOO_LARGE", status = 422, help = "start a new document")]
    DocumentTooLarge(String),
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
