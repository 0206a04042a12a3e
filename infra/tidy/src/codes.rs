//! Every error code has a page in `docs/errors`, and every page a code.

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;

use crate::project::Project;

const PAGES: &str = "docs/errors";

/// Files whose names in capitals are not codes of ours: settings of the environment, relations between people, and
/// what other services answer.
const OTHER_NAMES: [&str; 7] = [
    "shared/entry/lambda-entry/src/boot.rs",
    "shared/entry/lambda-entry/src/settings.rs",
    "shared/adapters/aws/src/trust.rs",
    "shared/domain/registry/src/explain/formats.rs",
    "shared/domain/knowledge/src/model/relationship.rs",
    "shared/domain/connector/src/graphql.rs",
    "shared/domain/connector/src/written/text.rs",
];

/// Every code without a page, every page without a code, and every page that does not say what to do.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    check(project)
        .unwrap_or_else(|error| vec![format!("the patterns of this rule are wrong: {error}")])
}

fn check(project: &Project) -> Result<Vec<String>, regex::Error> {
    let sources = sources(project);
    let mut codes: BTreeMap<String, &str> = BTreeMap::new();
    for (file, text) in &sources {
        if is_ours(file) {
            codes.extend(named(text)?.into_iter().map(|code| (code, file.as_str())));
        }
    }
    let pages = pages(project);
    let mut broken: Vec<String> = codes
        .iter()
        .filter(|(code, _)| !pages.contains_key(*code))
        .map(|(code, file)| format!("`{code}` of `{file}` has no page: write `{PAGES}/{code}.md`"))
        .collect();
    for (code, page) in &pages {
        let literal = format!("\"{code}\"");
        if !sources.iter().any(|(_, text)| text.contains(&literal)) {
            broken.push(format!("no error has the code of `{PAGES}/{code}.md`: remove the page"));
        }
        broken.extend(unhelpful(code, page));
    }
    Ok(broken)
}

/// What a reader of a page looks for.
fn unhelpful(code: &str, page: &str) -> Option<String> {
    let is_titled = page.lines().next() == Some(format!("# {code}").as_str());
    let problem = match (is_titled, page.contains("**What to do")) {
        (true, true) => return None,
        (false, _) => format!("does not begin with `# {code}`"),
        (true, false) => "does not say what to do".to_owned(),
    };
    Some(format!("`{PAGES}/{code}.md` {problem}"))
}

/// The pages, by code.
fn pages(project: &Project) -> BTreeMap<String, String> {
    let pages = project.files.iter().filter(|file| file.starts_with(PAGES));
    pages
        .filter_map(|file| {
            let code = file.file_stem()?.to_str()?.to_owned();
            Some((code, project.text(file)?))
        })
        .collect()
}

/// The Rust files of ours that are no tests, without their tests.
fn sources(project: &Project) -> Vec<(String, String)> {
    let files = project.files.iter().filter(|file| is_production(file));
    files
        .filter_map(|file| {
            let text = project.text(file)?;
            let own = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
            Some((file.display().to_string(), own.to_owned()))
        })
        .collect()
}

fn is_production(file: &Path) -> bool {
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let is_test =
        stem.ends_with("tests") || file.components().any(|part| part.as_os_str() == "tests");
    is_rust && !is_test && !file.ends_with("build.rs") && !file.starts_with("infra/tidy")
}

/// The command line's own words are checked from page to code only: most of its names are of the environment.
fn is_ours(file: &str) -> bool {
    (file.starts_with("functions/") || file.starts_with("shared/")) && !OTHER_NAMES.contains(&file)
}

/// Names in capitals with an underscore that stand alone in a text, and every `code = "…"` of a derived failure.
fn named(text: &str) -> Result<Vec<String>, regex::Error> {
    let literal = Regex::new(r#"(env!\()?"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)""#)?;
    let derived = Regex::new(r#"\bcode = "([^"]+)""#)?;
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && !line.contains("rename_all")
    });
    let mut found = Vec::new();
    for line in lines {
        let plain = literal.captures_iter(line).filter(|found| found.get(1).is_none());
        found.extend(plain.map(|found| found[2].to_owned()));
        found.extend(derived.captures_iter(line).map(|found| found[1].to_owned()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{named, unhelpful};

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(named(text).unwrap(), expect, "{text}");
    }

    #[test]
    fn codes_are_found_where_they_are_written() {
        check(r#"#[failure(code = "BROKEN", retryable)]"#, &["BROKEN"]);
        check(r#"Problem::conflict("NAME_TAKEN", text)"#, &["NAME_TAKEN"]);
        check(r#"None => ("GATE_SKIPPED", "was skipped"),"#, &["GATE_SKIPPED"]);
    }

    #[test]
    fn other_names_are_not_codes() {
        check(r#"env!("CARGO_PKG_VERSION")"#, &[]);
        check(r#"#[serde(rename_all = "SCREAMING_SNAKE_CASE")]"#, &[]);
        check(r#"/// as "NOT_FOUND""#, &[]);
        check(r#""GET" "NOT FOUND" "not_found""#, &[]);
    }

    #[test]
    fn a_page_has_its_title_and_says_what_to_do() {
        assert_eq!(unhelpful("A_B", "# A_B\n\nx\n\n**What to do.** y\n"), None);
        assert!(unhelpful("A_B", "# A_C\n\n**What to do.** y\n").is_some());
        assert!(unhelpful("A_B", "# A_B\n\nx\n").is_some());
    }
}
