//! `countersign uploads`: the files that people gave.

use clap::{Args, Subcommand};
use serde_json::json;

use super::listed::{List, narrowed};
use super::session::Session;
use super::{Caller, FACTORY, visible};
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Uploads {
    #[command(subcommand)]
    what: Option<What>,
    /// Those in this folder; left out, those in none.
    #[arg(long)]
    folder: Option<String>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Remove one; what runs have read of it stays.
    Remove {
        /// Its source: `file_…`, or `folders/FOLDER/file_…`.
        source: String,
    },
}

impl Uploads {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let path = format!("{FACTORY}/uploads");
        match &self.what {
            None => {
                let path = narrowed(&path, &[("folder", self.folder.clone())])?;
                UPLOADS.show(session, &path).await
            }
            Some(What::Remove { source }) => {
                session.door.delete(&format!("{path}/{}", of_a_file(source)?)).await?;
                session.say(&json!({ "removed": source }));
                Ok(())
            }
        }
    }
}

/// A source as a part of a path; what is not one names no other path.
fn of_a_file(source: &str) -> Result<&str, CliError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(is_plain);
    if source.split('/').all(is_part) {
        return Ok(source);
    }
    Err(CliError::Argument(format!("`{}` is not the source of a file", visible(source))))
}

const UPLOADS: List = List {
    fields: &["source", "name", "size", "modified_at"],
    titles: &["SOURCE", "NAME", "BYTES", "UPLOADED AT"],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_059_what_is_not_a_source_names_no_path() {
        assert!(of_a_file("file_1").is_ok() && of_a_file("folders/in-2026/file_1").is_ok());
        for other in ["", "../profiles", "folders//file_1", "file_1?x", "a/../b"] {
            assert!(of_a_file(other).is_err(), "{other}");
        }
    }
}
