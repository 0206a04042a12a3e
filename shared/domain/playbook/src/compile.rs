//! The stages in order.

use std::collections::HashSet;

use countersign_document::{Document as _, Tree, mended};
use serde::Serialize;

use crate::compile_context::CompileContext;
use crate::diagnostic::{Code, Diagnostic, PlaybookSource, StepReport};
use crate::draft::{Draft, Source};
use crate::model::ValidPlaybook;
use crate::named_elsewhere::NamedElsewhere;
use crate::names::Names;
use crate::outline::Outline;
use crate::sink::{Sink, Spot};
use crate::written::Playbook;
use crate::{check, lower, shape};

/// What compiling gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compiled {
    /// The playbook, when there are no errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playbook: Option<ValidPlaybook>,
    /// Every problem, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// What F-166 reports, per step in listed order.
    pub steps: Vec<StepReport>,
    /// What it names that is kept elsewhere.
    #[serde(skip)]
    pub elsewhere: NamedElsewhere,
}

impl Compiled {
    /// Of a text that could not be read.
    fn unread(diagnostics: Vec<Diagnostic>) -> Self {
        let elsewhere = NamedElsewhere::default();
        Self { playbook: None, diagnostics, steps: Vec::new(), elsewhere }
    }

    /// Whether it can run.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.playbook.is_some()
    }

    /// The errors among the problems.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error())
    }
}

/// Compiles a playbook: reports every problem at once, or gives a playbook in which every step links.
///
/// Runs on save, in the editor, and again when a run starts, then with the profile's bindings (F-159). The source may be
/// anything: at most 256 KB are read, aliases and nesting are bounded, and at most 100 problems are reported.
#[must_use]
pub fn compile(source: &PlaybookSource, world: &CompileContext<'_>) -> Compiled {
    let tree = match Tree::parse(&source.text, Playbook::KIND, Playbook::LIMITS) {
        Ok(tree) => tree,
        Err(problem) => {
            let diagnostics = vec![shape::unreadable(*problem)];
            return Compiled::unread(diagnostics);
        }
    };
    let mut sink = Sink::new(&tree);
    let outline = Outline::of(&tree);
    let read = mended::<Playbook>(&tree);
    shape::report(&read.problems, &tree, &outline, &mut sink);
    let Some(playbook) = &read.value else {
        return Compiled::unread(sink.finish());
    };
    let source = Source { tree: &tree, outline: &outline, read: &read };
    let draft = Draft::of(playbook, source, *world, &mut sink);
    let names = Names::of(&draft, &mut sink);
    let checked = check::links(&draft, &names, *world, &mut sink);
    let playbook =
        if sink.has_errors() { None } else { lowered(&draft, &names, &checked, &mut sink) };
    let diagnostics = sink.finish();
    let elsewhere = NamedElsewhere::of(&draft);
    Compiled { playbook, steps: reports(&draft, &diagnostics), diagnostics, elsewhere }
}

fn lowered(
    draft: &Draft<'_>,
    names: &Names<'_>,
    checked: &check::Checked,
    sink: &mut Sink<'_>,
) -> Option<ValidPlaybook> {
    match lower::playbook(draft, names, checked) {
        Ok(playbook) => Some(playbook),
        Err(why) => {
            sink.report(
                Code::Syntax,
                Spot::default(),
                "",
                format!("the playbook could not be put together: {why}"),
            );
            None
        }
    }
}

fn reports(draft: &Draft<'_>, diagnostics: &[Diagnostic]) -> Vec<StepReport> {
    let mut seen = HashSet::new();
    let names =
        draft.steps.iter().map(|step| step.name.text.as_str()).filter(|name| seen.insert(*name));
    names.map(|name| StepReport::of(name, diagnostics)).collect()
}
