//! Diagnostics and stages as text.

use std::fmt::Write as _;

use countersign_document::{Problem, Verdict};
use countersign_registry::CALL_CONNECTOR;
use schemars::JsonSchema;
use serde::Serialize;

use crate::compile::Compiled;
use crate::diagnostic::{Diagnostic, PlaybookSource, StepReport};
use crate::model::{Step, StepKind, ValidPlaybook};
use crate::on_warning::OnWarning;

/// Diagnostics as a compiler prints them, with the lines they are about, and a last line that counts them.
#[must_use]
pub fn text(source: &PlaybookSource, diagnostics: &[Diagnostic], colour: bool) -> String {
    let problems: Vec<Problem> = diagnostics.iter().map(Diagnostic::problem).collect();
    countersign_document::text(&source.origin, &source.text, &problems, colour)
}

/// What compiling a text has found, for machines.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookJudgement")]
pub struct Judgement {
    /// Whether the playbook can run, and every problem.
    #[serde(flatten)]
    pub verdict: Verdict<Diagnostic>,
    /// The same by step, in listed order.
    pub steps: Vec<StepReport>,
    /// What the text compiles to, when there are no errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playbook: Option<ValidPlaybook>,
}

impl From<Compiled> for Judgement {
    fn from(compiled: Compiled) -> Self {
        let Compiled { playbook, diagnostics, steps, elsewhere: _ } = compiled;
        let verdict = Verdict::of(playbook.is_some(), diagnostics, Diagnostic::is_error);
        Self { verdict, steps, playbook }
    }
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
