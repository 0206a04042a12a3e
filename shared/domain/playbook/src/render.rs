//! Diagnostics and stages as text.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use countersign_registry::CALL_CONNECTOR;
use serde_json::{Value, json};

use crate::compile::Compiled;
use crate::diagnostic::{Diagnostic, Place, PlaybookSource, Severity};
use crate::model::{Step, StepKind, ValidPlaybook};
use crate::on_warning::OnWarning;

/// Diagnostics as a compiler prints them, with the lines they are about, and a last line that counts them.
#[must_use]
pub fn text(source: &PlaybookSource, diagnostics: &[Diagnostic], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut rendered = String::new();
    for diagnostic in diagnostics {
        rendered.push_str(&renderer.render(&[group(source, diagnostic)]));
        rendered.push_str("\n\n");
    }
    rendered.push_str(&summary(source, diagnostics));
    rendered
}

fn group<'a>(source: &'a PlaybookSource, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut snippet = Snippet::source(source.text.as_str())
        .path(source.origin.as_str())
        .annotation(AnnotationKind::Primary.span(range(source, diagnostic.place)));
    for related in &diagnostic.related {
        snippet = snippet.annotation(
            AnnotationKind::Context
                .span(range(source, related.place))
                .label(related.label.as_str()),
        );
    }
    let group = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.as_str())
        .element(snippet);
    match &diagnostic.hint {
        Some(hint) => group.element(Level::HELP.message(hint.as_str())),
        None => group,
    }
}

/// The bytes of a place, inside the source whatever the place says.
fn range(source: &PlaybookSource, place: Place) -> Range<usize> {
    let length = source.text.len();
    let start = place.start.min(length);
    start..place.end.clamp(start, length)
}

fn summary(source: &PlaybookSource, diagnostics: &[Diagnostic]) -> String {
    let count =
        |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let many =
        |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let errors = many(count(Severity::Error), "error");
    format!("{}: {errors}, {}\n", source.origin, many(count(Severity::Warning), "warning"))
}

/// The same for machines: `{valid, diagnostics, steps, playbook?}`. `steps` has the shape of F-166.
#[must_use]
pub fn json(compiled: &Compiled) -> Value {
    let mut value = json!({
        "valid": compiled.is_valid(),
        "diagnostics": compiled.diagnostics,
        "steps": compiled.steps,
    });
    if let (Some(playbook), Some(fields)) = (&compiled.playbook, value.as_object_mut()) {
        fields.insert("playbook".to_owned(), json!(playbook));
    }
    value
}

/// The stages of a playbook as a tree, in the order they run.
#[must_use]
pub fn stages(playbook: &ValidPlaybook) -> String {
    let mut tree = format!("{} ({})\n", playbook.name, playbook.id);
    branch(&mut tree, &playbook.steps, "");
    tree
}

fn branch(tree: &mut String, steps: &[Step], indent: &str) {
    for (at, step) in steps.iter().enumerate() {
        let last = at + 1 == steps.len();
        let (fork, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let number = if indent.is_empty() { format!("{} ", at + 1) } else { String::new() };
        // Writing to a String cannot fail.
        let _ = writeln!(tree, "{indent}{fork}{number}{}{}", step.name, remarks(step));
        if let StepKind::Parallel { steps, .. } = &step.kind {
            branch(tree, steps, &format!("{indent}{below}"));
        }
    }
}

fn remarks(step: &Step) -> String {
    let mut remarks = match &step.kind {
        // Without a profile nobody knows what the endpoint does, nor which function calls it.
        StepKind::Action { action, irreversible: true, .. } if action == CALL_CONNECTOR => {
            format!("  {action}, signed if the endpoint has an effect")
        }
        StepKind::Action { action, irreversible, function, .. } => {
            let signed = if *irreversible { ", cannot be taken back" } else { "" };
            format!("  {action} on {function}{signed}")
        }
        StepKind::Parallel { steps, .. } => format!("  {} side by side", steps.len()),
        StepKind::Approval { quorum, .. } if *quorum > 1 => {
            format!("  waits for {quorum} approvals")
        }
        StepKind::Approval { .. } => "  waits for approval".to_owned(),
    };
    if let Some(each) = &step.for_each {
        let _ = write!(remarks, ", for each of {}, at most {}", each.list, each.max);
        if each.parallel > 1 {
            let _ = write!(remarks, ", {} side by side", each.parallel);
        }
    }
    if let Some(on_warning) = step.on_warning {
        let meaning = match on_warning {
            OnWarning::Continue => "goes on with warnings",
            OnWarning::Gate => "warnings are signed",
            OnWarning::Stop => "warnings end the run",
        };
        let _ = write!(remarks, ", {meaning}");
    }
    if let Some(condition) = &step.condition {
        let _ = write!(remarks, ", if {condition}");
    }
    remarks
}
