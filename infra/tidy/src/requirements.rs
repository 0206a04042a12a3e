//! Every requirement a test or a document names stands in `docs/requirements.md`, with one sentence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;

use crate::project::Project;

/// The list of them.
pub const LIST: &str = "docs/requirements.md";

/// The list itself, and what is made of it.
const GENERATED: [&str; 2] = ["requirements.md", "coverage.md"];

/// Every id that is named somewhere and not explained.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    missing(project)
        .unwrap_or_else(|error| vec![format!("the patterns of this rule are wrong: {error}")])
}

fn missing(project: &Project) -> Result<Vec<String>, regex::Error> {
    let list = project.text(Path::new(LIST)).unwrap_or_default();
    let explained = explained(&list)?;
    let mut named: BTreeMap<String, String> = BTreeMap::new();
    for file in
        project.files.iter().filter(|file| !GENERATED.iter().any(|name| file.ends_with(name)))
    {
        let extension = file.extension().unwrap_or_default();
        let Some(text) = project.text(file).filter(|_| extension == "rs" || extension == "md")
        else {
            continue;
        };
        for id in ids(&text)? {
            named.entry(id).or_insert_with(|| file.display().to_string());
        }
    }
    let unknown = named.into_iter().filter(|(id, _)| !explained.contains(id));
    Ok(unknown
        .map(|(id, file)| format!("`{id}` is named in `{file}` and missing in `{LIST}`"))
        .collect())
}

/// The ids that a text names: `F-047` anywhere, `fn f_047_…` in tests.
fn ids(text: &str) -> Result<BTreeSet<String>, regex::Error> {
    // P-256 is a curve, not a requirement.
    let written = Regex::new(r"\b([ACFHKR])-(\d{2,3})\b|\b(P)-(0\d{2})\b")?;
    let tested = Regex::new(r"fn ([acfhkpr])_(\d{2,3})_")?;
    let found = written.captures_iter(text).chain(tested.captures_iter(text));
    let id = |found: regex::Captures<'_>| {
        let parts: Vec<&str> = found.iter().skip(1).flatten().map(|part| part.as_str()).collect();
        parts.join("-").to_uppercase()
    };
    Ok(found.map(id).collect())
}

/// The ids that begin a line of the list and are followed by a sentence.
fn explained(list: &str) -> Result<BTreeSet<String>, regex::Error> {
    let line = Regex::new(r"(?m)^[-*| \t]*([ACFHKPR]-\d{2,3})[*| \t:]+[^|* \t\n:].{8,}$")?;
    Ok(line.captures_iter(list).map(|found| found[1].to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::{explained, ids};

    #[test]
    fn ids_are_found_in_prose_and_in_test_names() {
        let found = ids(
            "see F-158 and K-08; fn k_56_undefined_is_false() fn f_047_x() SHA-256 P-256 P-003",
        )
        .unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["F-047", "F-158", "K-08", "K-56", "P-003"]
        );
    }

    #[test]
    fn a_listed_id_needs_a_sentence() {
        let found = explained("- **F-047** Extracts people from text.\n- K-08\n| K-09 | Something is decided here. |\n").unwrap();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["F-047", "K-09"]);
    }
}
