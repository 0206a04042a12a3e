//! Files on their way into the workspace: asked for at the door, sent to the bucket.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{FACTORY, items, text};
use crate::door::Door;
use crate::error::CliError;

/// The door takes a hundred files a request.
const AT_ONCE: usize = 100;

/// The files of a folder by name, or the one file that is named. Hidden files are left out.
///
/// # Errors
/// [`CliError::Io`] when it cannot be read.
pub(crate) fn files(place: &Path) -> Result<Vec<PathBuf>, CliError> {
    if place.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let entries = fs::read_dir(place)
        .map_err(|source| CliError::io(format!("reading `{}`", place.display()), source))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|file| file.is_file() && !name(file).starts_with('.'));
    found.sort();
    Ok(found)
}

/// Uploads files; returns their ids in the same order.
///
/// # Errors
/// [`CliError::Io`] when a file cannot be read, whatever the door says otherwise.
pub(crate) async fn uploaded(door: &Door, files: &[PathBuf]) -> Result<Vec<String>, CliError> {
    let mut ids = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let contents: Vec<Vec<u8>> =
            some.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
        let listed: Vec<Value> = some
            .iter()
            .zip(&contents)
            .map(|(file, content)| json!({ "name": name(file), "size": content.len() }))
            .collect();
        let places = door.post(&format!("{FACTORY}/uploads"), &json!({ "files": listed })).await?;
        for (place, content) in items(&places).iter().zip(contents) {
            door.send(place, content).await?;
            ids.extend(text(place, "file_id"));
        }
    }
    Ok(ids)
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    fs::read(file).map_err(|source| CliError::io(format!("reading `{}`", file.display()), source))
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{files, name};

    #[test]
    fn a_folder_gives_its_visible_files_in_order_and_a_file_itself() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["b.xml", "a.xml", ".hidden"] {
            std::fs::write(folder.path().join(file), "x").unwrap();
        }
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        let found: Vec<String> =
            files(folder.path()).unwrap().iter().map(|file| name(file)).collect();
        assert_eq!(found, ["a.xml", "b.xml"]);
        let one = folder.path().join("a.xml");
        assert_eq!(files(&one).unwrap(), [one]);
        assert!(files(&folder.path().join("none")).is_err());
    }
}
