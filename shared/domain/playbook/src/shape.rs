//! Problems of a playbook's shape, in the terms of playbooks.

use countersign_document::{Problem, Tree};
use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::outline::Outline;
use crate::sink::Sink;

/// A problem that was found before there were steps.
pub(crate) fn unreadable(problem: Problem) -> Diagnostic {
    let place = problem.span.unwrap_or_default();
    let diagnostic = Diagnostic::new(Code::Syntax, place, problem.message);
    Diagnostic { hint: problem.hint, ..diagnostic }
}

/// Reports problems, those first that are first in the source.
pub(crate) fn report(problems: &[Problem], tree: &Tree, outline: &Outline, sink: &mut Sink<'_>) {
    let mut problems: Vec<&Problem> = problems.iter().collect();
    problems.sort_by_key(|problem| problem.span.map(|span| span.start));
    for problem in problems {
        if sink.is_full() {
            return;
        }
        sink.push(told(problem, tree, outline));
    }
}

/// A problem with the step and the key that it concerns.
fn told(problem: &Problem, tree: &Tree, outline: &Outline) -> Diagnostic {
    let code = code(problem, tree);
    let (step, field) = match outline.step_of(&problem.pointer) {
        Some((_, name, rest)) => (Some(name.to_owned()), dotted(rest)),
        None => (None, dotted(&problem.pointer)),
    };
    let place = place(problem, code, tree, outline);
    Diagnostic {
        step,
        field,
        hint: list_of(problem, code, tree).or_else(|| problem.hint.clone()),
        related: problem.related.clone(),
        ..Diagnostic::new(code, place, problem.message.as_str())
    }
}

/// The code of a problem. What has none of playbooks has one that all kinds of documents share.
fn code(problem: &Problem, tree: &Tree) -> Code {
    let value = tree.part(&problem.pointer).map(countersign_document::Part::value);
    let is_empty = || value.and_then(Value::as_array).is_some_and(Vec::is_empty);
    let is_condition = || problem.pointer.ends_with("/condition");
    match problem.code.as_str() {
        "yaml" => Code::Syntax,
        "unknown_key" => Code::UnknownKey,
        "missing" | "empty" => Code::MissingKey,
        "length" if is_empty() => Code::MissingKey,
        "length" => Code::OutOfRange,
        "choice" => Code::NotAChoice,
        "duplicate" => Code::Duplicate,
        // An unquoted reference.
        "type" if is_condition() && value.is_some_and(Value::is_object) => Code::BadCondition,
        // A name of no letters is a key without a value.
        "P007" | "P004" if problem.message.ends_with(" is empty") => Code::MissingKey,
        own => Code::parse(own).unwrap_or(Code::WrongShape),
    }
}

/// Of a `for_each` that is only the name of its list, how it is written.
fn list_of(problem: &Problem, code: Code, tree: &Tree) -> Option<String> {
    let is_each = code == Code::WrongShape && problem.pointer.ends_with("/for_each");
    let text = tree.part(&problem.pointer).filter(|_| is_each)?.value().as_str()?;
    let is_short = text.len() <= 100 && !text.contains(['"', '\n']);
    is_short.then(|| format!("write `for_each: {{in: \"{}\"}}`", text.trim()))
}

/// Where a problem is shown. What is missing is shown at the first key beside it.
fn place(problem: &Problem, code: Code, tree: &Tree, outline: &Outline) -> Place {
    let own = problem.span.unwrap_or_default();
    let is_missing = tree.part(&problem.pointer).is_none_or(|part| part.value().is_null());
    let is_told = problem.span != tree.span(&problem.pointer);
    if !matches!(code, Code::MissingKey | Code::SchemaMissing) || !is_missing || is_told {
        return own;
    }
    if code == Code::SchemaMissing
        && let Some((step, ..)) = outline.step_of(&problem.pointer)
    {
        return tree.span(&format!("{step}/name")).unwrap_or(own);
    }
    let (above, _) = problem.pointer.rsplit_once('/').unwrap_or_default();
    let first = tree.part(above).and_then(|part| part.entries().next());
    let first = first.and_then(|(_, first)| tree.span_of(&first.key_bytes()));
    first.unwrap_or(own)
}

/// `preview_columns[0].format` of `/preview_columns/0/format`.
fn dotted(pointer: &str) -> String {
    let problem = Problem::error("", pointer, "");
    problem.path()
}
