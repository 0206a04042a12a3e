//! Counts in `docs/assurance.md` stand in the tests they are said to come from.

use std::path::{Path, PathBuf};

use crate::blocks::root;

/// How many rows the table of hostile cases has, and those whose count is not that of their test.
pub(crate) fn counts() -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(root().join("docs/assurance.md")).unwrap();
    let (_, table) = text.split_once("## Hostile cases per area").expect("the chapter is there");
    let mut sources = Vec::new();
    for folder in ["functions", "infra", "shared", "tests"] {
        walk(&root().join(folder), &mut sources);
    }
    let rows: Vec<Row> = table.lines().filter_map(row).collect();
    let wrong = rows.iter().filter_map(|row| checked(&row.test, &row.held, &sources).err());
    let few = rows.iter().filter(|row| number(&row.held) < number(&row.least));
    let few =
        few.map(|row| format!("`{}` held {}, asked for are {}", row.test, row.held, row.least));
    (rows.len(), wrong.chain(few).collect())
}

/// A row of the table.
struct Row {
    test: String,
    /// How many cases the test is said to hold, with `_` between thousands.
    held: String,
    /// How many were asked for; a dash where nothing was.
    least: String,
}

fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [_, test, held, least] = cells[..] else { return None };
    let name = test.split('`').skip(1).step_by(2).nth(1)?;
    let test = name.rsplit("::").next()?.to_owned();
    Some(Row { test, held: held.replace(',', "_"), least: least.to_owned() })
}

fn number(text: &str) -> u64 {
    text.replace(['_', ','], "").parse().unwrap_or_default()
}

/// A constant of the test's file has the count, or the number of cases that are drawn does.
fn checked(test: &str, held: &str, sources: &[PathBuf]) -> Result<(), String> {
    let texts = sources.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    let of_test = texts.filter(|text| text.contains(&format!("fn {test}(")));
    let of_test: Vec<String> = of_test.collect();
    let [text] = &of_test[..] else {
        return Err(format!("{} files have a test `{test}`", of_test.len()));
    };
    let plain = held.replace('_', "");
    let says = |line: &str| {
        let line = line.trim();
        let is_constant = line.starts_with("const ") && line.ends_with(&format!(" = {held};"));
        is_constant
            || line.contains(&format!("with_cases({held})"))
            || line.contains(&format!("with_cases({plain})"))
    };
    if text.lines().any(says) { Ok(()) } else { Err(format!("`{test}` does not assert {held}")) }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}
