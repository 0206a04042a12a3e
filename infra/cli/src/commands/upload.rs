//! Files on their way into the workspace: asked for at the door, sent to the bucket.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{FACTORY, items, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;

/// The door takes a hundred files a request.
const AT_ONCE: usize = 100;

/// How many names a sentence has.
const MAX_NAMED: usize = 5;

/// The files of a folder by name, or the one file that is named, and what else the folder has.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Each once, however many links lead to it.
    pub(crate) files: Vec<PathBuf>,
    /// One sentence for each reason to leave something out.
    pub(crate) left_out: Vec<String>,
}

impl Found {
    /// Those of the files that are wanted; the others are left out for the reason given.
    pub(crate) fn only(mut self, place: &Path, why: &str, wanted: impl Fn(&Path) -> bool) -> Self {
        let (files, others): (Vec<_>, Vec<_>) =
            self.files.into_iter().partition(|file| wanted(file));
        self.left_out.extend(said(place, why, &others));
        Self { files, ..self }
    }

    /// The files; says what is left out.
    pub(crate) fn told(self, console: &Console) -> Vec<PathBuf> {
        self.left_out.into_iter().for_each(|said| console.note(said));
        self.files
    }
}

/// Looks what there is. Folders in a folder are left out, and so are hidden files and a second link to a file.
///
/// # Errors
/// [`CliError::Io`] when it cannot be read.
pub(crate) fn files(place: &Path) -> Result<Found, CliError> {
    if place.is_file() {
        return Ok(Found { files: vec![place.to_owned()], left_out: Vec::new() });
    }
    let cannot = |source| CliError::io(format!("reading `{}`", place.display()), source);
    let entries = fs::read_dir(place).map_err(cannot)?;
    let entries = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut all = entries.collect::<Result<Vec<_>, _>>().map_err(cannot)?;
    // A file comes before the links to it.
    all.sort_by_key(|path| (path.is_symlink(), path.clone()));
    let (hidden, all): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|path| name(path).starts_with('.'));
    let (files, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|path| path.is_file());
    let mut known = BTreeSet::new();
    let (mut files, again): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|path| known.insert(identity(path)));
    files.sort();
    let left_out = [("hidden", hidden), ("not a file", others), ("the same as another one", again)];
    let left_out = left_out.iter().filter_map(|(why, paths)| said(place, why, paths)).collect();
    Ok(Found { files, left_out })
}

/// The same for every name of a file: for links to it by name, and, where the system tells, for hard links.
#[cfg(unix)]
fn identity(path: &Path) -> (u64, u64, Option<PathBuf>) {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path)
        .map_or_else(|_| (0, 0, Some(path.to_owned())), |of| (of.dev(), of.ino(), None))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn said(place: &Path, why: &str, paths: &[PathBuf]) -> Option<String> {
    let named: Vec<String> =
        paths.iter().take(MAX_NAMED).map(|path| format!("`{}`", name(path))).collect();
    let more = paths.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = named.join(", ");
    (!paths.is_empty()).then(|| format!("left out of `{}` ({why}): {named}{more}", place.display()))
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
        let found = files(folder.path()).unwrap();
        assert_eq!(
            found.files.iter().map(|file| name(file)).collect::<Vec<_>>(),
            ["a.xml", "b.xml"]
        );
        let place = folder.path().display();
        let hidden = format!("left out of `{place}` (hidden): `.hidden`");
        assert_eq!(
            found.left_out,
            [hidden, format!("left out of `{place}` (not a file): `inner`")]
        );
        let one = folder.path().join("a.xml");
        assert_eq!(files(&one).unwrap().files, [one]);
        assert!(files(&folder.path().join("none")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_two_names_lead_to_is_sent_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("paid.csv"), "x").unwrap();
        std::os::unix::fs::symlink("paid.csv", folder.path().join("a-link.csv")).unwrap();
        std::fs::hard_link(folder.path().join("paid.csv"), folder.path().join("z.csv")).unwrap();
        let found = files(folder.path()).unwrap();
        assert_eq!(found.files, [folder.path().join("paid.csv")]);
        let said = "(the same as another one): `z.csv`, `a-link.csv`";
        assert!(found.left_out[0].ends_with(said), "{:?}", found.left_out);
    }

    #[test]
    fn what_is_not_wanted_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.xml", "b.csv"] {
            std::fs::write(folder.path().join(file), "x").unwrap();
        }
        let is_xml = |file: &std::path::Path| name(file).ends_with(".xml");
        let found = files(folder.path()).unwrap().only(folder.path(), "not `.xml`", is_xml);
        assert_eq!(found.files, [folder.path().join("a.xml")]);
        assert!(found.left_out[0].ends_with("(not `.xml`): `b.csv`"), "{:?}", found.left_out);
    }
}
