//! The part of XPath that connectors use, matched by local name.
//!
//! `//A/B` anywhere in the document, `/A/B` from its root, `A/B` below the record (or the root element), `.//A`
//! anywhere below it, `*` for any one name, `@name` for an attribute as the last step, and `A | B` for alternatives.
//! Namespaces and prefixes are ignored: filings differ in both, and mean the same.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a text is not a path of the supported part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    /// Nothing there.
    #[error("the path `{0}` has an empty step or alternative")]
    EmptyStep(String),
    /// A step that is not a name, `*` or `@name`.
    #[error(
        "`{step}` in `{path}` is not a name, `*` or `@name`; predicates, functions and other axes are not supported"
    )]
    Step {
        /// The step.
        step: String,
        /// The path.
        path: String,
    },
    /// `//` in the middle.
    #[error("`//` may only stand at the head of `{0}`")]
    InnerDescendant(String),
    /// More than the bound.
    #[error("the path has more than {MAX_STEPS} steps or {MAX_ALTERNATIVES} alternatives")]
    TooLong,
}

/// Steps of one alternative.
const MAX_STEPS: usize = 32;
/// Alternatives of one path.
const MAX_ALTERNATIVES: usize = 32;

/// Where an alternative starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// `//A`: anywhere in the document.
    Anywhere,
    /// `/A`: the document element.
    Root,
    /// `A`: a child of the base.
    Child,
    /// `.//A`: anywhere below the base.
    Below,
}

/// One alternative of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Where it starts.
    pub anchor: Anchor,
    /// Element names, `*` for any.
    pub steps: Vec<String>,
    /// The attribute of the last element, when the value stands there.
    pub attribute: Option<String>,
}

impl Alternative {
    /// Whether an element, given by the names of its ancestors and its own, is meant. `base` is the depth of the
    /// element relative paths start from: 0 for the document itself.
    #[must_use]
    pub fn matches<S: AsRef<str>>(&self, names: &[S], base: usize) -> bool {
        let count = self.steps.len();
        let Some(first) = names.len().checked_sub(count) else { return false };
        let placed = match self.anchor {
            Anchor::Anywhere => true,
            Anchor::Root => first == 0,
            Anchor::Child => first == base,
            Anchor::Below => first >= base,
        };
        placed
            && self
                .steps
                .iter()
                .zip(&names[first..])
                .all(|(step, name)| step == "*" || step == name.as_ref())
    }

    /// Whether it starts at the record rather than at the document.
    #[must_use]
    pub fn is_relative(&self) -> bool {
        matches!(self.anchor, Anchor::Child | Anchor::Below)
    }
}

/// A path: alternatives in order of preference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct XPath {
    text: String,
    alternatives: Vec<Alternative>,
}

impl XPath {
    /// Reads a path.
    ///
    /// # Errors
    /// [`InvalidPath`] when it uses more of XPath than is supported.
    pub fn parse(text: &str) -> Result<Self, InvalidPath> {
        let alternatives: Vec<_> =
            text.split('|').map(|part| parse_alternative(part.trim())).collect::<Result<_, _>>()?;
        if alternatives.len() > MAX_ALTERNATIVES {
            return Err(InvalidPath::TooLong);
        }
        Ok(Self { text: text.trim().to_owned(), alternatives })
    }

    /// The alternatives, most preferred first.
    #[must_use]
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// The same path with its relative alternatives taken from the document's root, as `root_element` means them.
    #[must_use]
    pub fn rooted(mut self) -> Self {
        for alternative in &mut self.alternatives {
            alternative.anchor = match alternative.anchor {
                Anchor::Child => Anchor::Root,
                Anchor::Below => Anchor::Anywhere,
                anchor => anchor,
            };
        }
        self
    }

    /// The path as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

fn parse_alternative(text: &str) -> Result<Alternative, InvalidPath> {
    let (anchor, rest) = if let Some(rest) = text.strip_prefix(".//") {
        (Anchor::Below, rest)
    } else if let Some(rest) = text.strip_prefix("//") {
        (Anchor::Anywhere, rest)
    } else if let Some(rest) = text.strip_prefix("./") {
        (Anchor::Child, rest)
    } else if let Some(rest) = text.strip_prefix('/') {
        (Anchor::Root, rest)
    } else {
        (Anchor::Child, text)
    };
    if rest.contains("//") {
        return Err(InvalidPath::InnerDescendant(text.to_owned()));
    }
    let mut steps: Vec<String> = Vec::new();
    let mut attribute = None;
    for step in rest.split('/') {
        if step.is_empty() || attribute.is_some() {
            return Err(InvalidPath::EmptyStep(text.to_owned()));
        }
        match step.strip_prefix('@') {
            Some(name) => attribute = Some(local(name, text)?.to_owned()),
            None if step == "*" => steps.push("*".to_owned()),
            None => steps.push(local(step, text)?.to_owned()),
        }
    }
    if steps.len() > MAX_STEPS {
        return Err(InvalidPath::TooLong);
    }
    if steps.is_empty() && anchor != Anchor::Child {
        return Err(InvalidPath::EmptyStep(text.to_owned()));
    }
    Ok(Alternative { anchor, steps, attribute })
}

/// The local part of a name, which may carry a prefix.
fn local<'a>(step: &'a str, path: &str) -> Result<&'a str, InvalidPath> {
    let name = step.rsplit_once(':').map_or(step, |(_, name)| name);
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if starts && name.chars().all(fits) && !step.contains("::") {
        Ok(name)
    } else {
        Err(InvalidPath::Step { step: step.to_owned(), path: path.to_owned() })
    }
}

impl TryFrom<String> for XPath {
    type Error = InvalidPath;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<XPath> for String {
    fn from(path: XPath) -> Self {
        path.text
    }
}

impl fmt::Display for XPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidPath, XPath};

    fn check(path: &str, element: &str, base: usize, matches: bool) {
        let path = XPath::parse(path).unwrap();
        let names: Vec<&str> = element.split('/').collect();
        let found = path.alternatives().iter().any(|alternative| alternative.matches(&names, base));
        assert_eq!(found, matches, "{path} on {element} from {base}");
    }

    #[test]
    fn f_099_paths_match_by_local_name_and_place() {
        check("//EIN", "Return/ReturnHeader/Filer/EIN", 0, true);
        check("//Filer/EIN", "Return/ReturnHeader/Filer/EIN", 0, true);
        check("//efile:Filer/efile:EIN", "Return/ReturnHeader/Filer/EIN", 0, true);
        check("//Filer/EIN", "Return/Filer/Group/EIN", 0, false);
        check("/Return/ReturnHeader", "Return/ReturnHeader", 0, true);
        check("/ReturnHeader", "Return/ReturnHeader", 0, false);
        check("PersonNm", "Return/IRS990/Row/PersonNm", 3, true);
        check("PersonNm", "Return/IRS990/Row/Group/PersonNm", 3, false);
        check(".//PersonNm", "Return/IRS990/Row/Group/PersonNm", 3, true);
        check(".//Row", "Return/IRS990/Row", 3, false);
        check("A | PersonNm", "Return/IRS990/Row/PersonNm", 3, true);
        check("*/Name", "Return/Row/Any/Name", 2, true);
    }

    #[test]
    fn what_is_not_supported_is_refused_by_name() {
        for (text, part) in [
            ("//A[1]", "A[1]"),
            ("text()", "text()"),
            ("ancestor::A", "ancestor::A"),
            ("A//B", "//"),
            ("A||B", "empty"),
            ("", "empty"),
            ("//", "empty"),
            ("@a/B", "empty"),
            ("/", "empty"),
        ] {
            let error = XPath::parse(text).unwrap_err();
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
        assert_eq!(XPath::parse("A/".repeat(40).trim_end_matches('/')), Err(InvalidPath::TooLong));
    }
}
