//! Seeding the library: the shipped profiles, connectors and playbooks become system templates.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;

const KINDS: [&str; 3] = ["connectors", "playbooks", "profiles"];

/// Puts every file of `library/` through the administrators' door; unchanged templates stay as they are.
///
/// # Errors
/// [`CliError::Refused`] naming the first template the door refuses.
pub(super) async fn seed(project: &Path, door: &Door, console: &Console) -> Result<(), CliError> {
    let mut templates = Vec::new();
    for kind in KINDS {
        for file in files(&project.join("library").join(kind))? {
            let source = fs::read_to_string(&file)
                .map_err(|source| CliError::io(format!("reading `{}`", file.display()), source))?;
            let name = file
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
                .unwrap_or_default();
            templates
                .push((format!("/api/admin/library/{kind}/{name}"), json!({ "yaml": source })));
        }
    }
    if templates.is_empty() {
        return Ok(());
    }
    let step = console.step("seeding the library");
    for (path, body) in &templates {
        door.put(path, body).await?;
    }
    step.done(&format!("the library holds {} templates", templates.len()));
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|source| CliError::io(format!("reading `{}`", folder.display()), source))?
            .path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
