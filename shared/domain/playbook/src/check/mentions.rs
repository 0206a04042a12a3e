//! Where references stand.

use countersign_document::Part;
use countersign_wiring::{Part as Piece, Reference, SyntaxError, Template};
use serde_json::Value;

use crate::diagnostic::Code;
use crate::draft::{Draft, DraftKind, DraftStep, inside};
use crate::model::SECTIONS;
use crate::sink::{Sink, Spot, Text};

/// The part of a step a reference stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    Input,
    Param,
    /// The list of a `for_each`.
    List,
    /// The key of an item of a `for_each`.
    Key,
    Condition,
    Prompt,
    Preview,
    Output,
}

/// One reference.
#[derive(Debug, Clone)]
pub(crate) struct Mention {
    pub(crate) reference: Reference,
    pub(crate) spot: Spot,
    pub(crate) field: String,
    pub(crate) place: Where,
    /// Whether it is a whole value: under `inputs`, shown by a gate, or a section of the output.
    pub(crate) whole: bool,
}

/// Every reference of every step; reports malformed ones.
pub(crate) fn of_steps(draft: &Draft<'_>, sink: &mut Sink<'_>) -> Vec<Vec<Mention>> {
    let each = draft.steps.iter().map(|step| {
        let before = sink.enter(Some(step.name.text.clone()));
        let mut found = Vec::new();
        of_step(step, &mut found, sink);
        sink.enter(before);
        found
    });
    each.collect()
}

fn of_step(step: &DraftStep<'_>, found: &mut Vec<Mention>, sink: &mut Sink<'_>) {
    if let Some((condition, spot)) = &step.condition {
        for reference in condition.references() {
            let spot = sink.narrow(*spot, &reference.to_string());
            let field = "condition".to_owned();
            found.push(Mention {
                reference: reference.clone(),
                spot,
                field,
                place: Where::Condition,
                whole: false,
            });
        }
    }
    if let Some(each) = &step.for_each {
        if let Some(list) = &each.list {
            of_bare(list, Where::List, "for_each.in", found, sink);
        }
        if let Some(key) = &each.key {
            of_text(&key.text, key.spot, Where::Key, "for_each.key", found, sink);
        }
    }
    match &step.kind {
        DraftKind::Action(action) => {
            for (place, prefix, entries) in
                [(Where::Input, "inputs", &action.inputs), (Where::Param, "params", &action.params)]
            {
                for (key, part) in entries {
                    of_part(*part, place, &format!("{prefix}.{}", key.text), found, sink);
                }
            }
        }
        DraftKind::Approval(gate) => {
            if let Some(prompt) = &gate.prompt {
                of_text(&prompt.text, prompt.spot, Where::Prompt, "prompt", found, sink);
            }
            if let Some(preview) = &gate.preview_from {
                of_bare(preview, Where::Preview, "preview_from", found, sink);
            }
        }
        DraftKind::Parallel | DraftKind::Unknown => {}
    }
}

/// Every reference of the output.
pub(crate) fn of_output(draft: &Draft<'_>, sink: &mut Sink<'_>) -> Vec<Mention> {
    let mut found = Vec::new();
    let Some(output) = &draft.output else { return found };
    if let Some(text) = &output.template {
        of_text(&text.text, text.spot, Where::Output, "output.template", &mut found, sink);
    }
    if let Some(text) = &output.summary_prompt {
        // It has no references, and its braces have to be in pairs.
        let (field, ignored) = ("output.summary_prompt", &mut Vec::new());
        of_text(&text.text, text.spot, Where::Output, field, ignored, sink);
    }
    // Where the sections are to be in a template.
    found.retain(|mention: &Mention| mention.reference.to_string() != SECTIONS);
    for (at, section) in output.sections.iter().enumerate() {
        if let Some(source) = &section.source {
            let field = format!("output.sections[{at}].source");
            of_bare(source, Where::Output, &field, &mut found, sink);
        }
    }
    found
}

/// The references of every string in a value.
fn of_part(
    part: Part<'_>,
    place: Where,
    field: &str,
    found: &mut Vec<Mention>,
    sink: &mut Sink<'_>,
) {
    if let Value::String(text) = part.value() {
        of_text(text, part.bytes().into(), place, field, found, sink);
    }
    let entries = part.entries().map(|(_, below)| below);
    entries.chain(part.items()).for_each(|below| of_part(below, place, field, found, sink));
}

fn of_text(
    text: &str,
    spot: Spot,
    place: Where,
    field: &str,
    found: &mut Vec<Mention>,
    sink: &mut Sink<'_>,
) {
    let template = match Template::parse(text) {
        Ok(template) => template,
        Err(error) => return malformed(&Text { text: text.to_owned(), spot }, &error, field, sink),
    };
    let whole = place == Where::Input && template.whole().is_some();
    for part in template.parts() {
        if let Piece::Reference(reference, range) = part {
            let spot = sink.narrow(spot, &text[range.clone()]);
            found.push(Mention {
                reference: reference.clone(),
                spot,
                field: field.to_owned(),
                place,
                whole,
            });
        }
    }
}

fn of_bare(text: &Text, place: Where, field: &str, found: &mut Vec<Mention>, sink: &mut Sink<'_>) {
    match bare(&text.text) {
        Ok(reference) => {
            found.push(Mention {
                reference,
                spot: text.spot,
                field: field.to_owned(),
                place,
                whole: place != Where::List,
            });
        }
        Err(error) => malformed(text, &error, field, sink),
    }
}

/// A reference that stands alone, with or without its braces.
pub(crate) fn bare(text: &str) -> Result<Reference, SyntaxError> {
    let text = text.trim();
    let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    let before = text.len() - inner.len();
    Reference::parse(inner.trim()).map_err(|mut error| {
        error.at = error.at.min(text.len().saturating_sub(before));
        error.help =
            error.help.or_else(|| Some("write one reference, such as `step.results`".to_owned()));
        error
    })
}

fn malformed(text: &Text, error: &SyntaxError, field: &str, sink: &mut Sink<'_>) {
    let at = if text.text.is_char_boundary(error.at) { error.at } else { 0 };
    let spot = inside(text, at, sink);
    let problem = sink.problem(Code::BadReference, spot, field, error.message.clone());
    sink.push(problem.maybe_hint(error.help.clone()));
}
