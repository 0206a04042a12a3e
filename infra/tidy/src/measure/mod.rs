//! `cargo measure`: how large the code is, and where it says the same twice.
//!
//! Production code is what stands below `src` of a crate of `shared`, `functions` and `infra/cli`, without comments, blank
//! lines and tests. Each figure is a module that says its rule; none needs a compiler, so that any commit can be measured.

mod circles;
mod commit;
mod duplicates;
mod examples;
mod functions;
mod paths;
mod readers;
mod sources;
mod table;
mod tokens;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

pub use self::commit::at_commit;
pub use self::examples::Example;
use self::sources::Source;
pub use self::table::table;
use crate::project::{Project, TidyError};

/// The most lines a file should have.
const MAX_FILE: usize = 400;

/// The most files of a crate that may need each other.
const MAX_CIRCLE: usize = 3;

/// Every circle of more than three files, and every file that reads a document by hand.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let sources = match sources::load(&project.root) {
        Ok(sources) => sources,
        Err(error) => return vec![error.to_string()],
    };
    let circles = circles::of(&sources).into_iter().filter(|circle| circle.len() > MAX_CIRCLE);
    let circles =
        circles.map(|circle| format!("these files need each other: {}", circle.join(", ")));
    let readers = readers::of(&sources).into_iter();
    let readers =
        readers.map(|file| format!("`{file}` reads a document by hand: declare its type"));
    circles.chain(readers).collect()
}

/// Which kinds and actions are measured.
#[derive(Debug, Clone)]
pub struct Examples {
    /// Kinds of documents.
    pub kinds: Vec<String>,
    /// Actions.
    pub actions: Vec<String>,
}

/// The figures of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Lines of production code, by the name of the crate's folder.
    pub lines: BTreeMap<String, usize>,
    /// How long functions are.
    pub functions: Lengths,
    /// How many files there are.
    pub files: usize,
    /// Files above 400 lines, comments and tests included.
    pub long_files: Vec<String>,
    /// Files of a crate that need each other, the largest circle first.
    pub circles: Vec<Vec<String>>,
    /// Field readers written by hand.
    pub field_readers: Vec<String>,
    /// Pairs of functions that say the same, each as its file and its name.
    pub duplicate_pairs: Vec<[String; 2]>,
    /// Lines per kind of document; nothing for one that is not there.
    pub kinds: BTreeMap<String, Option<Example>>,
    /// Lines per action beside its logic.
    pub actions: BTreeMap<String, Option<Example>>,
}

/// Lengths in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Lengths {
    /// How many there are.
    pub count: usize,
    /// Half of them have at most this.
    pub median: usize,
    /// Nine of ten have at most this.
    pub p90: usize,
    /// The longest.
    pub max: usize,
}

impl Figures {
    /// Measures the tree below a folder.
    ///
    /// # Errors
    /// [`TidyError`] naming what cannot be read.
    pub fn of(root: &Path, examples: &Examples) -> Result<Self, TidyError> {
        let sources = sources::load(root)?;
        let functions: Vec<_> = sources.iter().flat_map(functions::of).collect();
        let long = sources.iter().filter(|source| source.written > MAX_FILE);
        let each = |names: &[String], of: fn(&[Source], &str) -> Option<Example>| {
            names.iter().map(|name| (name.clone(), of(&sources, name))).collect()
        };
        Ok(Self {
            lines: lines(&sources),
            functions: lengths(functions.iter().map(functions::Function::lines).collect()),
            files: sources.len(),
            long_files: long.map(|source| source.path.display().to_string()).collect(),
            circles: circles::of(&sources),
            field_readers: readers::of(&sources),
            duplicate_pairs: duplicates::pairs(&functions),
            kinds: each(&examples.kinds, examples::kind),
            actions: each(&examples.actions, examples::action),
        })
    }

    /// Lines of production code in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.lines.values().sum()
    }
}

/// By the folder's own name: it stays when a crate moves to another layer.
fn lines(sources: &[Source]) -> BTreeMap<String, usize> {
    let short = |package: &str| package.rsplit('/').next().unwrap_or(package).to_owned();
    sources::by_package(sources)
        .into_iter()
        .map(|(package, files)| (short(package), files.into_iter().map(Source::lines).sum()))
        .collect()
}

fn lengths(mut lengths: Vec<usize>) -> Lengths {
    lengths.sort_unstable();
    Lengths {
        count: lengths.len(),
        median: functions::percentile(&lengths, 50),
        p90: functions::percentile(&lengths, 90),
        max: functions::percentile(&lengths, 100),
    }
}
