//! How far the requirements are met: what `docs/requirements.md` says of each, and that what it says is true as far as a
//! program can tell.
//!
//! A line may end with a state: `[done: test, …]` names tests that show the whole of it through a public door, `[partly: …]` says
//! what is missing. `cargo coverage` makes `docs/coverage.md` of them.

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

use crate::project::Project;
use crate::requirements::LIST;

/// What `cargo coverage` writes.
pub const PAGE: &str = "docs/coverage.md";

/// Where tests go through a public door: the HTTP API, the mailed links, the command line, the documents.
const DOORS: [&str; 2] = ["tests/", "infra/cli/tests/"];
/// Tests beside them that ask stores themselves.
const STORES: &str = "tests/e2e/stores";

/// How far a requirement is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// These tests show it.
    Done(Vec<String>),
    /// This is missing.
    Partly(String),
}

/// A requirement of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Such as `F-180`.
    pub id: String,
    /// Nothing where nobody has looked yet.
    pub state: Option<State>,
}

/// Every requirement of the list, in its order.
///
/// # Errors
/// The pattern of a line, if it is none.
pub fn read(list: &str) -> Result<Vec<Requirement>, regex::Error> {
    let line = Regex::new(r"(?m)^- \*\*([A-Z]-\d{2,3})\*\* .*?(?: \[(done|partly): (.+)\])?$")?;
    let state = |found: &regex::Captures<'_>| {
        let text = found.get(3)?.as_str();
        Some(match &found[2] {
            "done" => State::Done(text.split(", ").map(|name| name.trim().to_owned()).collect()),
            _ => State::Partly(text.to_owned()),
        })
    };
    let one =
        |found: regex::Captures<'_>| Requirement { id: found[1].to_owned(), state: state(&found) };
    Ok(line.captures_iter(list).map(one).collect())
}

/// The page of the states.
#[must_use]
pub fn page(requirements: &[Requirement]) -> String {
    let count = |is: fn(&State) -> bool| {
        requirements.iter().filter(|one| one.state.as_ref().is_some_and(is)).count()
    };
    let done = count(|state| matches!(state, State::Done(_)));
    let partly = count(|state| matches!(state, State::Partly(_)));
    let mut page = format!(
        "# Coverage\n\nHow far the requirements are met. `cargo coverage` makes this page of the states in [requirements.md](requirements.md); it is not\nedited. *done*: the tests named show all of it through a public door (the HTTP API, the mailed links, the command line). *partly*: what is\nmissing. Requirements that nobody has looked at in this way have no line.\n\n| done | partly | named by a test or a document, without a state |\n|---|---|---|\n| {done} | {partly} | {} |\n\n| id | state | shown by, or missing |\n|---|---|---|\n",
        requirements.len() - done - partly
    );
    for Requirement { id, state } in requirements {
        let (state, text) = match state {
            None => continue,
            Some(State::Done(tests)) => {
                let named: Vec<String> = tests.iter().map(|test| format!("`{test}`")).collect();
                ("done", named.join(", "))
            }
            Some(State::Partly(missing)) => ("partly", missing.clone()),
        };
        page += &format!("| {id} | {state} | {text} |\n");
    }
    page
}

/// Tests that are named and do not exist behind a public door, and a page that is not the one of the list.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let list = project.text(Path::new(LIST)).unwrap_or_default();
    match read(&list).and_then(|requirements| Ok((tests(project)?, requirements))) {
        Ok((tests, requirements)) => {
            let mut broken = unknown(&requirements, &tests);
            if project.text(Path::new(PAGE)).as_deref() != Some(&page(&requirements)) {
                broken.push(format!("`{PAGE}` is not what `{LIST}` says: run `cargo coverage`"));
            }
            broken
        }
        Err(error) => vec![format!("the patterns of this rule are wrong: {error}")],
    }
}

fn unknown(requirements: &[Requirement], tests: &BTreeSet<String>) -> Vec<String> {
    let mut broken = Vec::new();
    for Requirement { id, state } in requirements {
        let Some(State::Done(named)) = state else { continue };
        let missing = named.iter().filter(|name| !tests.contains(*name));
        broken.extend(missing.map(|name| {
            format!("`{id}` is said to be shown by `{name}`, and no test behind a public door is called so")
        }));
    }
    broken
}

/// The names of all tests that go through a public door.
fn tests(project: &Project) -> Result<BTreeSet<String>, regex::Error> {
    let function =
        Regex::new(r"#\[(?:tokio::)?test[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn (\w+)")?;
    let behind = |file: &&std::path::PathBuf| {
        let is_rust = file.extension().is_some_and(|kind| kind == "rs");
        let is_inside = file.starts_with(STORES);
        is_rust && !is_inside && DOORS.iter().any(|door| file.starts_with(door))
    };
    let mut names = BTreeSet::new();
    for text in project.files.iter().filter(behind).filter_map(|file| project.text(file)) {
        names.extend(function.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Requirement, State, page, read, unknown};

    const LIST: &str = "# Requirements\n\n- **F-047** Reads `a[]`. [done: f_047_it_reads, f_047_it_reads_again]\n- **F-158** Writes `b[]`. [partly: nothing is written on Sundays]\n- **K-08** Decides `c[]`\n";

    fn states() -> Vec<Requirement> {
        read(LIST).unwrap()
    }

    #[test]
    fn a_line_may_end_with_a_state() {
        let of = |id: &str, state| Requirement { id: id.to_owned(), state };
        let tests = ["f_047_it_reads", "f_047_it_reads_again"].map(str::to_owned).to_vec();
        let expect = [
            of("F-047", Some(State::Done(tests))),
            of("F-158", Some(State::Partly("nothing is written on Sundays".to_owned()))),
            of("K-08", None),
        ];
        assert_eq!(states(), expect);
    }

    #[test]
    fn what_is_done_needs_a_test_that_exists() {
        let known = BTreeSet::from(["f_047_it_reads".to_owned()]);
        let broken = unknown(&states(), &known);
        assert_eq!(broken.len(), 1);
        assert!(broken[0].starts_with("`F-047` is said to be shown by `f_047_it_reads_again`"));
    }

    #[test]
    fn the_page_counts_and_lists_the_states() {
        let page = page(&states());
        assert!(page.contains("| 1 | 1 | 1 |"), "{page}");
        assert!(page.contains("| F-047 | done | `f_047_it_reads`, `f_047_it_reads_again` |"));
        assert!(page.contains("| F-158 | partly | nothing is written on Sundays |"));
        assert!(!page.contains("K-08"));
    }
}
