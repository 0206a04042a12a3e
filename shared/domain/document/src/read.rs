//! Reading a document: serde decides, the schema explains, the rules check the rest.

use std::sync::Arc;

use serde_json::Value;

use crate::explain::{Naming, explain};
use crate::kind::Document;
use crate::mend::Mend;
use crate::normal::{fits, normalise};
use crate::problem::Problem;
use crate::remarked::Remarked;
use crate::rules::Rules;
use crate::schema::remarked;
use crate::tree::Tree;

/// The most problems that are reported.
const MAX_PROBLEMS: usize = 100;

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<T> {
    /// The document, when there is no error.
    pub value: Option<T>,
    /// Every problem, in the order of the text.
    pub problems: Vec<Problem>,
}

/// Reads YAML or JSON.
#[must_use]
pub fn read<T: Document>(text: &str) -> Reading<T> {
    read_with(text, |_, _| {})
}

/// Reads YAML or JSON, with rules that the document's type does not know, such as those about other documents.
#[must_use]
pub fn read_with<T: Document>(text: &str, more: impl FnOnce(&T, &mut Rules<'_>)) -> Reading<T> {
    match Tree::parse(text, T::KIND, T::LIMITS) {
        Err(problem) => Reading { value: None, problems: vec![*problem] },
        Ok(mut tree) => {
            if T::WRAPPED {
                tree.unwrap(T::KIND);
            }
            judge(&tree, more)
        }
    }
}

/// Reads a value that has no text, such as the body of a request. Problems have no span.
#[must_use]
pub fn read_value<T: Document>(value: Value) -> Reading<T> {
    read_value_with(value, |_, _| {})
}

/// [`read_value`] with rules that the document's type does not know.
#[must_use]
pub fn read_value_with<T: Document>(
    value: Value,
    more: impl FnOnce(&T, &mut Rules<'_>),
) -> Reading<T> {
    judge(&Tree::of_value(value), more)
}

/// A document that may be broken: everything of it that can be read, for a kind whose checks go on when its shape is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Mended<T> {
    /// The document. What is broken is left out, or replaced by a sample. `None` when nothing can be read.
    pub value: Option<T>,
    /// Every problem of its shape, and what [`Document::rules`] report. In no order.
    pub problems: Vec<Problem>,
    mends: Vec<Mend>,
}

impl<T> Mended<T> {
    /// Whether a part is what is written: nothing in it, and nothing that it is in, was left out or replaced.
    #[must_use]
    pub fn is_sound(&self, pointer: &str) -> bool {
        !self.mends.iter().any(|mend| mend.touches(pointer))
    }

    /// Whether a part is a sample, or in one.
    #[must_use]
    pub fn is_sample(&self, pointer: &str) -> bool {
        self.mends.iter().any(|mend| mend.replaces(pointer))
    }
}

/// Reads what can be read of a document.
#[must_use]
pub fn mended<T: Document>(tree: &Tree) -> Mended<T> {
    mended_with(tree, |_, _| {})
}

fn mended_with<T: Document>(tree: &Tree, more: impl FnOnce(&T, &mut Rules<'_>)) -> Mended<T> {
    let mut problems = tree.duplicates().to_vec();
    let mut mends = Vec::new();
    let schema = remarked::<T>();
    let first = T::deserialize(&tree.value).ok().filter(|_| fits(&schema, &tree.value));
    let value = first.or_else(|| again(tree, &schema, &mut mends, &mut problems));
    if let Some(value) = &value {
        let mut rules = Rules::new(tree, &mends);
        value.rules(&mut rules);
        more(value, &mut rules);
        problems.extend(rules.into_found());
    }
    Mended { value, problems, mends }
}

fn judge<T: Document>(tree: &Tree, more: impl FnOnce(&T, &mut Rules<'_>)) -> Reading<T> {
    let Mended { value, mut problems, mends } = mended_with(tree, more);
    // Without a text the order of the findings stays.
    problems.sort_by_key(|problem| problem.span.map(|span| span.start));
    problems.dedup();
    problems.truncate(MAX_PROBLEMS);
    let value = value.filter(|_| mends.is_empty() && !problems.iter().any(Problem::is_error));
    Reading { value, problems }
}

/// Reads what serde refused: first with everything written in one way, then with everything explained and mended.
fn again<T: Document>(
    tree: &Tree,
    schema: &Arc<Remarked>,
    mends: &mut Vec<Mend>,
    problems: &mut Vec<Problem>,
) -> Option<T> {
    let mut whole = tree.value.clone();
    normalise(schema, &mut whole);
    if let Some(value) = T::deserialize(&whole).ok().filter(|_| fits(schema, &whole)) {
        return Some(value);
    }
    let before = problems.len();
    let naming = Naming { kind: T::KIND, out_of_range: T::OUT_OF_RANGE };
    *mends = explain(schema, naming, tree, &mut whole, problems);
    match serde_path_to_error::deserialize::<_, T>(whole) {
        Ok(value) => Some(value),
        Err(error) => {
            if problems.len() == before {
                problems.push(unexplained(tree, T::KIND, error.path()));
            }
            None
        }
    }
}

/// serde refuses what the schema accepts: its own words are for programmers.
fn unexplained(tree: &Tree, kind: &str, path: &serde_path_to_error::Path) -> Problem {
    let mut pointer = String::new();
    for segment in path {
        let key = match segment {
            serde_path_to_error::Segment::Seq { index } => index.to_string(),
            serde_path_to_error::Segment::Map { key } => crate::tree::escaped(key),
            _ => continue,
        };
        pointer = format!("{pointer}/{key}");
    }
    let what = crate::words::what(&pointer, kind);
    let message = format!("{what} does not have the form that is needed here");
    let span = tree.span(&pointer);
    Problem::error("shape", pointer, message).at(span)
}
