//! The source files of a tree, by crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::tokens::{self, Token};
use crate::project::{TidyError, read, walk};

/// Folders whose crates are tests of the rest.
const TEST_CRATES: [&str; 2] = ["tests", "infra/tidy"];
/// Folders of a crate that hold no production code.
const TEST_FOLDERS: [&str; 3] = ["tests", "benches", "examples"];

/// One file of production code.
#[derive(Debug)]
pub(super) struct Source {
    /// Its path below the root.
    pub(super) path: PathBuf,
    /// The folder of its crate.
    pub(super) package: String,
    /// Its module below the crate: `["actions", "mod_name"]`; nothing for the roots `lib.rs` and `main.rs`.
    pub(super) module: Vec<String>,
    /// Every line of the file, comments and tests included.
    pub(super) written: usize,
    /// What is left without comments and tests.
    pub(super) tokens: Vec<Token>,
}

impl Source {
    /// The lines that hold production code, between two tokens.
    pub(super) fn lines_between(&self, from: usize, to: usize) -> usize {
        count_lines(self.tokens.get(from..=to).unwrap_or_default())
    }

    /// The lines that hold production code.
    pub(super) fn lines(&self) -> usize {
        count_lines(&self.tokens)
    }
}

/// How many lines tokens stand on.
pub(super) fn count_lines(tokens: &[Token]) -> usize {
    tokens.iter().flat_map(Token::lines).collect::<BTreeSet<_>>().len()
}

/// Reads every file of production code below a folder, in the order of their paths.
///
/// # Errors
/// [`TidyError`] naming what cannot be read.
pub(super) fn load(root: &Path) -> Result<Vec<Source>, TidyError> {
    let mut files = Vec::new();
    walk(root, root, &mut files)?;
    files.sort();
    let packages = packages(root, &files);
    let (mut sources, mut only_for_tests) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
        let Some((package, below)) = packages.iter().rev().find_map(|package| {
            Some((package, file.strip_prefix(package).ok()?.strip_prefix("src").ok()?))
        }) else {
            continue;
        };
        let text = read(&root.join(file))?;
        let all = tokens::read(&text)
            .map_err(|reason| TidyError::Source { path: file.clone(), reason })?;
        let found = tokens::production(&all);
        let home = home_of_modules(file);
        only_for_tests.extend(found.test_modules.iter().map(|name| home.join(name)));
        sources.push(Source {
            path: file.clone(),
            package: package.clone(),
            module: module(below),
            written: text.lines().count(),
            tokens: found.tokens,
        });
    }
    sources.retain(|source| {
        let stem = source.path.with_extension("");
        !only_for_tests.iter().any(|test| stem.starts_with(test))
    });
    Ok(sources)
}

/// The folders with a crate, tests left out.
fn packages(root: &Path, files: &[PathBuf]) -> Vec<String> {
    let manifests = files.iter().filter(|file| file.ends_with("Cargo.toml"));
    let is_crate = |file: &&PathBuf| {
        fs::read_to_string(root.join(file)).is_ok_and(|text| text.contains("[package]"))
    };
    let folders = manifests.filter(is_crate).filter_map(|file| file.parent()?.to_str());
    let is_test = |folder: &&str| {
        TEST_CRATES.contains(folder) || folder.split('/').any(|part| TEST_FOLDERS.contains(&part))
    };
    folders.filter(|folder| !is_test(folder)).map(str::to_owned).collect()
}

/// Where the modules that a file declares stand.
fn home_of_modules(file: &Path) -> PathBuf {
    let is_root = ["lib.rs", "main.rs", "mod.rs"].iter().any(|root| file.ends_with(root));
    if is_root {
        file.parent().map(Path::to_owned).unwrap_or_default()
    } else {
        file.with_extension("")
    }
}

/// The path of the module in a file below `src`.
fn module(below: &Path) -> Vec<String> {
    let stem = below.with_extension("");
    let mut parts: Vec<String> =
        stem.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let root = if parts.len() == 1 { &["lib", "main"][..] } else { &["mod"] };
    if parts.last().is_some_and(|last| root.contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// Files by the crate they belong to.
pub(super) fn by_package(sources: &[Source]) -> BTreeMap<&str, Vec<&Source>> {
    let mut found: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        found.entry(&source.package).or_default().push(source);
    }
    found
}

/// A file for the tests of figures.
#[cfg(test)]
pub(super) fn source(path: &str, text: &str) -> Source {
    let (package, below) = path.split_once("/src/").unwrap();
    Source {
        path: path.into(),
        package: package.to_owned(),
        module: module(Path::new(below)),
        written: text.lines().count(),
        tokens: tokens::production(&tokens::read(text).unwrap()).tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::{load, source};
    use std::fs;

    #[test]
    fn comments_blanks_and_tests_are_no_lines() {
        let text = "//! A.\n\nfn f() {\n    // why\n    g(\"a\nb\");\n}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        let source = source("a/src/lib.rs", text);
        assert_eq!((source.lines(), source.written), (4, 11));
    }

    #[test]
    fn test_crates_and_modules_of_tests_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        let files = [
            ("a/Cargo.toml", "[package]"),
            ("a/src/lib.rs", "#[cfg(test)] mod tests; mod b; mod c;"),
            ("a/src/tests.rs", "fn t() {}"),
            ("a/src/tests/more.rs", "fn t() {}"),
            ("a/src/b.rs", "#[cfg(test)] mod tests;"),
            ("a/src/b/tests.rs", "fn t() {}"),
            ("a/src/c/mod.rs", "fn f() {}"),
            ("a/tests/e2e.rs", "fn t() {}"),
            ("tests/Cargo.toml", "[package]"),
            ("tests/src/lib.rs", "fn t() {}"),
        ];
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = load(root.path()).unwrap();
        let modules: Vec<_> = found
            .iter()
            .map(|source| (source.path.to_str().unwrap(), source.module.join("::")))
            .collect();
        let expect = [("a/src/b.rs", "b"), ("a/src/c/mod.rs", "c"), ("a/src/lib.rs", "")];
        assert_eq!(modules, expect.map(|(path, module)| (path, module.to_owned())));
    }
}
