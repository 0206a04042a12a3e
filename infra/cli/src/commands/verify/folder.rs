//! The folders of an export, as they lie on the disk.

use std::fs;
use std::path::Path;

use countersign_approval::chain::{Export, File};

use crate::error::CliError;

/// Everything that stands in the three folders.
pub(super) fn export(folder: &Path) -> Result<Export, CliError> {
    if !folder.is_dir() {
        return Err(CliError::Argument(format!("there is no folder `{}`", folder.display())));
    }
    Ok(Export {
        entries: files(&folder.join("entries"))?,
        checkpoints: files(&folder.join("checkpoints"))?,
        keys: files(&folder.join("keys"))?,
    })
}

fn files(folder: &Path) -> Result<Vec<File>, CliError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let failed = |source| CliError::io(format!("reading `{}`", folder.display()), source);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A folder is not a file of an export: it is read as an empty one, and told as unreadable.
        let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path).map_err(failed)? };
        files.push(File { name, bytes });
    }
    Ok(files)
}
