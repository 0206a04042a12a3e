//! What can go wrong with content.

use countersign_failure::{Class, Failure};
use countersign_report::ReportError;
use countersign_store_kit::StoreError;

/// Why content cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The folder does not exist and may not be made.
    #[error("the folder `{0}` does not exist")]
    NoFolder(String),
    /// Not the id of a folder.
    #[error("`{0}` is not the id of a folder: use 1 to 100 letters, digits, `_` and `-`")]
    FolderId(String),
    /// The table does not exist and may not be made.
    #[error("the table `{table}` does not exist in the workspace `{workspace}`")]
    NoTable {
        /// The workspace.
        workspace: String,
        /// The table.
        table: String,
    },
    /// The table's columns or key differ.
    #[error(transparent)]
    Shape(#[from] ReportError),
    /// The table or bucket failed.
    #[error("reading or writing content")]
    Store(#[from] StoreError),
}

impl Failure for ContentError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoFolder(_) => "FOLDER_NOT_FOUND",
            Self::FolderId(_) => "FOLDER_ID_INVALID",
            Self::NoTable { .. } => "TABLE_NOT_FOUND",
            Self::Shape(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Store(error) => error.class(),
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::NoFolder(_) | Self::NoTable { .. } => 404,
            Self::FolderId(_) => 422,
            Self::Shape(error) => error.http_status(),
            Self::Store(error) => error.http_status(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::NoFolder(_) | Self::NoTable { .. } => {
                Some("create it first, or set `create_if_missing: true`".to_owned())
            }
            Self::Shape(error) => error.help(),
            _ => None,
        }
    }
}
