//! Problems as text for people.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::problem::{Problem, Severity};

/// Problems as a compiler prints them, with the lines they are about, and a last line that counts them. `origin` is the
/// name of the file, `source` its text.
#[must_use]
pub fn text(origin: &str, source: &str, problems: &[Problem], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut rendered = String::new();
    for problem in problems {
        rendered.push_str(&renderer.render(&[group(origin, source, problem)]));
        rendered.push_str("\n\n");
    }
    rendered.push_str(&summary(origin, problems));
    rendered
}

fn group<'a>(origin: &'a str, source: &'a str, problem: &'a Problem) -> Group<'a> {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let bytes = problem.span.unwrap_or_default().range(source.len());
    let mut snippet =
        Snippet::source(source).path(origin).annotation(AnnotationKind::Primary.span(bytes));
    for related in &problem.related {
        let other = AnnotationKind::Context.span(related.span.range(source.len()));
        snippet = snippet.annotation(other.label(related.label.as_str()));
    }
    let title = level.primary_title(problem.message.as_str()).id(problem.code.as_str());
    let group = title.element(snippet);
    match &problem.hint {
        Some(hint) => group.element(Level::HELP.message(hint.as_str())),
        None => group,
    }
}

fn summary(origin: &str, problems: &[Problem]) -> String {
    let count = |severity| problems.iter().filter(|one| one.severity == severity).count();
    let many =
        |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let errors = many(count(Severity::Error), "error");
    format!("{origin}: {errors}, {}\n", many(count(Severity::Warning), "warning"))
}
