//! Another commit's tree, in a folder of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::{Examples, Figures};
use crate::project::TidyError;

/// Measures the tree of a commit with the rules of this one.
///
/// # Errors
/// [`TidyError`] naming what git or the system refuses.
pub fn at_commit(root: &Path, commit: &str, examples: &Examples) -> Result<Figures, TidyError> {
    let folder = unpacked(root, commit)?;
    Figures::of(folder.path(), examples)
}

fn unpacked(root: &Path, commit: &str) -> Result<TempDir, TidyError> {
    let failed = |reason: String| TidyError::Commit { commit: commit.to_owned(), reason };
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let archive = folder.path().join("tree.tar");
    let mut pack = Command::new("git");
    pack.current_dir(root).args(["archive", "--format=tar", "--output"]).arg(&archive);
    said(pack.arg(commit).output()).map_err(&failed)?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xf").arg(&archive).arg("-C").arg(folder.path());
    said(unpack.output()).map_err(&failed)?;
    fs::remove_file(&archive).map_err(|error| failed(error.to_string()))?;
    Ok(folder)
}

fn said(output: std::io::Result<Output>) -> Result<(), String> {
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(text) }
}

#[cfg(test)]
mod tests {
    use super::{Examples, at_commit, said};
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    fn git(folder: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let mut command = Command::new("git");
        said(command.current_dir(folder).args(identity).args(arguments).output()).unwrap();
    }

    #[test]
    fn a_commit_is_measured_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let examples = Examples { kinds: vec![], actions: vec![] };
        fs::create_dir_all(folder.path().join("a/src")).unwrap();
        fs::write(folder.path().join("a/Cargo.toml"), "[package]").unwrap();
        fs::write(folder.path().join("a/src/lib.rs"), "fn f() {}\n").unwrap();
        git(folder.path(), &["init", "--quiet"]);
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "--quiet", "-m", "one"]);
        fs::write(folder.path().join("a/src/lib.rs"), "fn f() {}\nfn g() {}\n").unwrap();
        let total = |commit| at_commit(folder.path(), commit, &examples).map(|each| each.total());
        assert_eq!(total("HEAD").unwrap(), 1);
        assert!(total("nothing").unwrap_err().to_string().starts_with("measuring `nothing`: "));
    }
}
