//! Steps.

use countersign_registry::PARALLEL;
use countersign_wiring::{Condition, SyntaxError, runtime_type};

use super::fields::Fields;
use super::{DraftKind, DraftStep, for_each, gate};
use crate::compile_context::World;
use crate::diagnostic::Code;
use crate::model::{ExecutionMode, OnError};
use crate::node::{Node, Text, Yaml};
use crate::on_warning::OnWarning;
use crate::sink::{Sink, Spot};

/// The longest name of a step or variable.
pub(crate) const MAX_NAME: usize = 64;
/// The longest condition, in bytes: three of them joined can still be read.
const MAX_CONDITION: usize = 2_000;
/// The most steps, sub-steps included.
const MAX_STEPS: usize = 500;
/// How deep `parallel` may stand in `parallel`.
const DEEPEST: usize = 2;

/// The keys of the kinds of steps, to say where a key belongs.
const TOOL_KEYS: [&str; 10] = [
    "action",
    "inputs",
    "params",
    "output_key",
    "timeout_seconds",
    "retry_count",
    "connector",
    "endpoint",
    "operations",
    "parallel_steps",
];
pub(super) const GATE_KEYS: [&str; 9] = [
    "preview_from",
    "preview_limit",
    "preview_columns",
    "prompt",
    "timeout_minutes",
    "on_reject",
    "approvers",
    "quorum",
    "assurance",
];

/// Whether a text can name a step or a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first
        && text.len() <= MAX_NAME
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Reads every step below `steps`.
pub(super) fn all<'w>(
    fields: &mut Fields<'_>,
    world: World<'w>,
    mode: ExecutionMode,
    sink: &mut Sink<'_>,
) -> Vec<DraftStep<'w>> {
    if fields.node("steps").is_none() {
        fields.missing("steps", sink);
    }
    let nodes = fields.list("steps", MAX_STEPS, sink);
    if let (true, Some(node)) = (nodes.is_empty(), fields.node("steps"))
        && matches!(node.yaml, Yaml::List(_))
    {
        sink.report(Code::MissingKey, node.spot, "steps", "there are no steps");
    }
    let mut reader = Reader { world, mode, steps: Vec::new() };
    for (top, node) in nodes.iter().enumerate() {
        reader.step(node, Place { top, parent: None, depth: 0 }, sink);
    }
    reader.steps
}

/// Reads steps into one list.
pub(super) struct Reader<'w> {
    pub(super) world: World<'w>,
    pub(super) mode: ExecutionMode,
    pub(super) steps: Vec<DraftStep<'w>>,
}

/// Where a step stands.
#[derive(Clone, Copy)]
struct Place {
    top: usize,
    parent: Option<usize>,
    depth: usize,
}

impl<'w> Reader<'w> {
    fn step(&mut self, node: &Node, place: Place, sink: &mut Sink<'_>) {
        if self.steps.len() >= MAX_STEPS {
            if self.steps.len() == MAX_STEPS && place.parent.is_some() {
                sink.report(
                    Code::OutOfRange,
                    node.spot,
                    "steps",
                    format!("there are more than {MAX_STEPS} steps"),
                );
            }
            return;
        }
        let before = sink.enter(Some(provisional_name(node, self.steps.len())));
        if let Some(mut fields) = Fields::of(node, "", sink) {
            self.step_fields(&mut fields, place, sink);
        }
        sink.enter(before);
    }

    fn step_fields(&mut self, fields: &mut Fields<'_>, place: Place, sink: &mut Sink<'_>) {
        let name = self.name(fields, sink);
        let words = [("tool", Word::Tool), ("llm_task", Word::Llm), ("approval", Word::Approval)];
        if fields.node("step_type").is_none() {
            fields.missing("step_type", sink);
        }
        let word = fields.choice("step_type", &words, sink);
        let mut step = DraftStep {
            name,
            description: fields.text("description", sink).map(|text| text.text).unwrap_or_default(),
            kind: DraftKind::Unknown,
            output_key: None,
            condition: condition(fields, sink),
            on_error: on_error(fields, sink),
            on_warning: on_warning(fields, sink),
            retry_count: None,
            timeout_seconds: None,
            for_each: None,
            parent: place.parent,
            top: place.top,
        };
        match word {
            Some(Word::Approval) => {
                step.kind = DraftKind::Approval(gate::approval(fields, sink));
                self.finish_gate(step, fields, place, sink);
            }
            word => {
                let is_parallel = fields
                    .node("action")
                    .is_some_and(|n| matches!(&n.yaml, Yaml::Text(t) if t == PARALLEL));
                step.output_key = fields.text("output_key", sink);
                if let Some(key) = &step.output_key {
                    check_name(key, "output_key", sink);
                }
                if is_parallel {
                    self.parallel(step, fields, place, sink);
                } else {
                    self.action(step, word, fields, sink);
                }
            }
        }
    }

    /// The name; a step without one gets its number, so that more can be said about it.
    fn name(&self, fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Text {
        let Some(name) = fields.required("name", sink) else {
            return Text { text: format!("step {}", self.steps.len() + 1), spot: fields.spot };
        };
        check_name(&name, "name", sink);
        name
    }

    fn finish_gate(
        &mut self,
        step: DraftStep<'w>,
        fields: &mut Fields<'_>,
        place: Place,
        sink: &mut Sink<'_>,
    ) {
        if place.depth > 0 {
            let problem = sink.problem(
                Code::Misplaced,
                step.name.spot,
                "step_type",
                "an approval cannot stand among parallel steps",
            );
            sink.push(problem.hint("put it before or after the parallel step"));
        }
        if let Some((OnError::Skip | OnError::Retry, spot)) = step.on_error {
            let problem = sink.problem(
                Code::NotAChoice,
                spot,
                "on_error",
                "a gate that cannot be opened always stops the run",
            );
            sink.push(problem.hint("leave `on_error` out; `on_reject` says what a denial means"));
        }
        if let Some((_, spot)) = step.on_warning {
            let message = "a gate reads nothing that could be wrong";
            let problem = sink.problem(Code::Misplaced, spot, "on_warning", message);
            sink.push(problem.hint("write it at the step whose warnings it is about"));
        }
        for_each::misplaced(fields, "write it at the step whose calls this gate signs", sink);
        take_rest(fields, &TOOL_KEYS, "belongs to tool steps", sink);
        self.steps.push(step);
    }

    fn parallel(
        &mut self,
        mut step: DraftStep<'w>,
        fields: &mut Fields<'_>,
        place: Place,
        sink: &mut Sink<'_>,
    ) {
        let _ = fields.node("action");
        let params = fields.map("params", sink);
        let own = fields.node("parallel_steps").cloned();
        let inner = params
            .iter()
            .find(|(key, _)| key.text == "parallel_steps")
            .map(|(_, node)| node.clone());
        for (key, _) in params.iter().filter(|(key, _)| key.text != "parallel_steps") {
            sink.report(
                Code::UnknownKey,
                key.spot,
                "params",
                format!("unknown key `{}`", key.text),
            );
        }
        step.kind = DraftKind::Parallel;
        let spot = step.name.spot;
        let this = self.steps.len();
        self.steps.push(step);
        for_each::misplaced(fields, "write it at a step under `parallel_steps`", sink);
        take_rest(fields, &GATE_KEYS, "belongs to approval steps", sink);
        if place.depth >= DEEPEST {
            let message = format!("parallel steps nest deeper than {DEEPEST} levels");
            return sink.report(Code::Misplaced, spot, "parallel_steps", message);
        }
        match own.or(inner).map(|node| (node.spot, node.yaml)) {
            Some((_, Yaml::List(nodes))) if !nodes.is_empty() => {
                for node in &nodes {
                    self.step(
                        node,
                        Place { top: place.top, parent: Some(this), depth: place.depth + 1 },
                        sink,
                    );
                }
            }
            Some((spot, _)) => sink.report(
                Code::WrongShape,
                spot,
                "parallel_steps",
                "`parallel_steps` is a list of at least one step",
            ),
            None => {
                sink.report(
                    Code::MissingKey,
                    spot,
                    "parallel_steps",
                    "`parallel_steps` is missing",
                );
            }
        }
    }
}

/// The `step_type`.
#[derive(Clone, Copy)]
pub(super) enum Word {
    Tool,
    Llm,
    Approval,
}

fn provisional_name(node: &Node, at: usize) -> String {
    let Yaml::Map(entries) = &node.yaml else { return format!("step {}", at + 1) };
    let name = entries.iter().find(|(key, _)| key.text == "name").map(|(_, node)| &node.yaml);
    match name {
        Some(Yaml::Text(text)) if !text.trim().is_empty() => text.clone(),
        _ => format!("step {}", at + 1),
    }
}

pub(super) fn check_name(name: &Text, field: &str, sink: &mut Sink<'_>) {
    let shown: String = name.text.chars().take(60).collect();
    if runtime_type(&name.text).is_some() {
        sink.report(
            Code::Ambiguous,
            name.spot,
            field,
            format!("`{shown}` is a variable of every run already"),
        );
    } else if !is_name(&name.text) {
        let words: String = name
            .text
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .take(MAX_NAME)
            .collect();
        let hint = if is_name(&words) {
            format!("write `{words}`")
        } else {
            format!("use a letter, then letters, digits, `_` and `-`, at most {MAX_NAME}")
        };
        let problem = sink.problem(
            Code::InvalidName,
            name.spot,
            field,
            format!("`{shown}` is not a name that references can use"),
        );
        sink.push(problem.hint(hint));
    }
}

fn condition(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<(Condition, Spot)> {
    if let Some(Node { yaml: Yaml::Map(_), spot }) = fields.node("condition") {
        let problem = sink.problem(
            Code::BadCondition,
            *spot,
            "condition",
            "the condition was read as a mapping, because it starts with a brace",
        );
        sink.push(
            problem.hint("put the whole condition in quotes: condition: \"{step.count} > 0\""),
        );
        return None;
    }
    let text = fields.text("condition", sink)?;
    if text.text.len() > MAX_CONDITION {
        let message = format!("the condition is longer than {MAX_CONDITION} characters");
        sink.report(Code::OutOfRange, text.spot, "condition", message);
        return None;
    }
    // Conditions of parallel steps are joined with those of their sub-steps, in parentheses.
    let joined = Condition::parse(&format!("((({})))", text.text));
    match Condition::parse(&text.text)
        .and_then(|condition| joined.map(|_| condition).map_err(|error| error_at(0, error)))
    {
        Ok(condition) => Some((condition, text.spot)),
        Err(error) => {
            let spot = inside(&text, error.at, sink);
            let problem =
                sink.problem(Code::BadCondition, spot, "condition", error.message.clone());
            sink.push(problem.maybe_hint(error.help));
            None
        }
    }
}

fn error_at(at: usize, error: SyntaxError) -> SyntaxError {
    SyntaxError { at, ..error }
}

/// The place of the byte `at` of a text, when the text stands in the source as it is.
pub(crate) fn inside(text: &Text, at: usize, sink: &Sink<'_>) -> Spot {
    let whole = sink.lines.narrow(text.spot, &text.text);
    let verbatim = whole.end - whole.start == text.text.len();
    if !verbatim {
        return text.spot;
    }
    let length = text.text[at..].chars().next().map_or(1, char::len_utf8);
    Spot { start: whole.start + at, end: whole.start + at + length }
}

fn on_error(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<(OnError, Spot)> {
    let spot = fields.node("on_error").map(|node| node.spot);
    let words = [("skip", OnError::Skip), ("stop", OnError::Stop), ("retry", OnError::Retry)];
    fields.choice("on_error", &words, sink).zip(spot)
}

fn on_warning(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<(OnWarning, Spot)> {
    let spot = fields.node("on_warning").map(|node| node.spot);
    let words =
        [("continue", OnWarning::Continue), ("gate", OnWarning::Gate), ("stop", OnWarning::Stop)];
    fields.choice("on_warning", &words, sink).zip(spot)
}

/// A number that is known to be small.
pub(super) fn small(number: Option<i64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}

/// Reports what was not taken, and says so when a key belongs to another kind of step.
pub(super) fn take_rest(
    fields: &mut Fields<'_>,
    foreign: &[&str],
    belongs: &str,
    sink: &mut Sink<'_>,
) {
    fields
        .report_unknown(&|key| foreign.contains(&key).then(|| format!("`{key}` {belongs}")), sink);
}
