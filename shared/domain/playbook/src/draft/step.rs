//! Steps, in one list.

use countersign_document::Whole;
use countersign_wiring::{Condition, SyntaxError};

use super::{DraftApproval, DraftEach, DraftEscalation, DraftKind, DraftStep, Source};
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::model::ExecutionMode;
use crate::sink::{Sink, Spot, Text};
use crate::written::{Call, ForEach, Gate, LlmTask, MAX_STEPS, Playbook, Step, Tool};

/// Puts steps into one list.
pub(super) struct Steps<'d> {
    pub(super) source: Source<'d>,
    pub(super) world: CompileContext<'d>,
    pub(super) mode: ExecutionMode,
    steps: Vec<DraftStep<'d>>,
}

/// Where a step is.
#[derive(Clone, Copy)]
pub(super) struct At<'p> {
    pub(super) pointer: &'p str,
    top: usize,
    parent: Option<usize>,
}

impl At<'_> {
    pub(super) fn below(self, key: &str) -> String {
        format!("{}/{key}", self.pointer)
    }
}

impl<'d> Steps<'d> {
    /// Every step of a playbook.
    pub(super) fn read(
        playbook: &'d Playbook,
        source: Source<'d>,
        world: CompileContext<'d>,
        sink: &mut Sink<'_>,
    ) -> Vec<DraftStep<'d>> {
        let mode = playbook.mode();
        let mut reader = Self { source, world, mode, steps: Vec::new() };
        if !source.read.is_sample("/steps") {
            for (top, step) in playbook.steps.iter().enumerate() {
                let pointer = format!("/steps/{top}");
                reader.step(step, At { pointer: &pointer, top, parent: None }, sink);
            }
        }
        reader.steps
    }

    fn step(&mut self, step: &'d Step, at: At<'_>, sink: &mut Sink<'_>) {
        let Some(name) = self.source.outline.name(at.pointer) else { return };
        if self.steps.len() >= MAX_STEPS {
            return self.too_many(at, sink);
        }
        let before = sink.enter(Some(name.to_owned()));
        let mut draft = self.bare(name, at);
        if self.source.read.is_sample(at.pointer) {
            self.steps.push(draft);
        } else {
            draft.condition = self.condition(step, at, sink);
            match step {
                Step::Tool(tool) => self.tool(tool, draft, at, sink),
                Step::LlmTask(task) => self.llm_task(task, draft, at, sink),
                Step::Approval(gate) => self.gate(gate, draft, at),
            }
        }
        sink.enter(before);
    }

    fn too_many(&mut self, at: At<'_>, sink: &mut Sink<'_>) {
        let spot = self.source.spot(at.pointer);
        let message = format!("there are more than {MAX_STEPS} steps");
        // Reporting the first is enough.
        if !sink.has(Code::OutOfRange, &message) {
            sink.report(Code::OutOfRange, spot, "steps", message);
        }
    }

    /// What is known of a step whatever it does.
    fn bare(&self, name: &str, at: At<'_>) -> DraftStep<'d> {
        let spot = match self.source.name(&at.below("name")) {
            Some(name) => name.spot,
            None => self.first_key(at),
        };
        DraftStep {
            name: Text { text: name.to_owned(), spot },
            description: String::new(),
            kind: DraftKind::Unknown,
            output_key: self.source.name(&at.below("output_key")),
            condition: None,
            on_error: None,
            on_warning: None,
            retry_count: None,
            backoff_multiplier: None,
            timeout_seconds: None,
            for_each: None,
            parent: at.parent,
            top: at.top,
        }
    }

    fn first_key(&self, at: At<'_>) -> Spot {
        let first = self.source.entries(at.pointer).into_iter().next();
        first.map_or_else(|| self.source.spot(at.pointer), |(key, _)| key.spot)
    }

    fn condition(&self, step: &Step, at: At<'_>, sink: &mut Sink<'_>) -> Option<(Condition, Spot)> {
        let condition = match step {
            Step::Tool(tool) => &tool.condition,
            Step::LlmTask(task) => &task.condition,
            Step::Approval(gate) => &gate.condition,
        };
        let text = self.source.text(&at.below("condition"), condition.as_deref())?;
        match parsed(&text.text) {
            Ok(condition) => Some((condition, text.spot)),
            Err(error) => {
                let spot = inside(&text, error.at, sink);
                let problem = sink.problem(Code::BadCondition, spot, "condition", error.message);
                sink.push(problem.maybe_hint(error.help));
                None
            }
        }
    }

    fn tool(&mut self, tool: &'d Tool, mut draft: DraftStep<'d>, at: At<'_>, sink: &mut Sink<'_>) {
        draft.description = tool.description.to_string();
        self.failures(&tool.call(), &mut draft, at);
        if tool.is_parallel() {
            draft.kind = DraftKind::Parallel;
            return self.parallel(tool, draft, at, sink);
        }
        draft.for_each = tool.for_each.as_ref().map(|each| self.for_each(each, at));
        let call = tool.call();
        self.action(&call, draft, None, at, sink);
    }

    fn llm_task(
        &mut self,
        task: &'d LlmTask,
        mut draft: DraftStep<'d>,
        at: At<'_>,
        sink: &mut Sink<'_>,
    ) {
        draft.description = task.description.to_string();
        let call = task.call();
        self.failures(&call, &mut draft, at);
        self.action(&call, draft, Some(task), at, sink);
    }

    fn failures(&self, call: &Call<'_>, draft: &mut DraftStep<'_>, at: At<'_>) {
        draft.on_error = self.source.placed(&at.below("on_error"), call.on_error);
        draft.on_warning = self.source.placed(&at.below("on_warning"), call.on_warning);
        draft.retry_count = call.retry_count;
        draft.backoff_multiplier = call.backoff_multiplier;
        draft.timeout_seconds = call.timeout_seconds;
    }

    /// The texts of a list, with where they are written.
    fn texts(&self, names: &[String], key: &str, at: At<'_>) -> Vec<Text> {
        let text = |(n, name): (usize, &String)| {
            self.source.text(&at.below(&format!("{key}/{n}")), Some(name))
        };
        names.iter().enumerate().filter_map(text).collect()
    }

    fn escalation(&self, gate: &Gate, at: At<'_>) -> Option<DraftEscalation> {
        let escalation = gate.escalation.as_ref()?;
        Some(DraftEscalation {
            to: self.texts(&escalation.to, "escalation/to", at),
            after_minutes: escalation.after_minutes.map(Whole::to),
        })
    }

    fn gate(&mut self, gate: &'d Gate, mut draft: DraftStep<'d>, at: At<'_>) {
        let text = |key: &str, text: Option<&str>| self.source.text(&at.below(key), text);
        draft.description = gate.description.to_string();
        draft.on_error = self
            .source
            .placed(&at.below("on_error"), gate.on_error.map(|_| crate::model::OnError::Stop));
        draft.kind = DraftKind::Approval(DraftApproval {
            preview_from: text("preview_from", gate.preview_from.as_deref()),
            preview_limit: gate.preview_limit.to(),
            preview_columns: gate.columns(),
            column_spots: (0..gate.columns().len())
                .map(|n| self.source.spot(&at.below(&format!("preview_columns/{n}/field"))))
                .collect(),
            prompt: text("prompt", Some(&gate.prompt)),
            timeout_minutes: gate.timeout_minutes.map(Whole::to),
            escalation: self.escalation(gate, at),
            on_reject: gate.on_reject,
            approvers: self.texts(&gate.approvers, "approvers", at),
            quorum: gate.quorum.to(),
            assurance: self.source.placed(&at.below("assurance"), gate.assurance),
            revise: self.texts(&gate.revise, "revise", at),
        });
        draft.output_key = None;
        self.steps.push(draft);
    }

    fn for_each(&self, each: &ForEach, at: At<'_>) -> DraftEach {
        let below = |key: &str| at.below(&format!("for_each/{key}"));
        let spot = self.source.key_spot(&at.below("for_each"));
        let bare = |name: Text| {
            let bare = name.text.trim_start_matches('{').trim_end_matches('}').trim();
            Text { text: bare.to_owned(), ..name }
        };
        let left_out = || Text { text: ForEach::ITEM.to_owned(), spot };
        DraftEach {
            spot,
            list: self.source.text(&below("in"), Some(&each.list)),
            item: self.source.name(&below("as")).map_or_else(left_out, bare),
            key: self.source.text(&below("key"), each.key.as_deref()),
            parallel: each.parallel.to(),
            max: each.max.to(),
        }
    }

    fn parallel(&mut self, tool: &'d Tool, draft: DraftStep<'d>, at: At<'_>, sink: &mut Sink<'_>) {
        let parent = Some(self.steps.len());
        self.steps.push(draft);
        let (steps, key) = match (&tool.parallel_steps, &tool.params.parallel_steps) {
            (Some(steps), _) => (steps, "parallel_steps"),
            (None, Some(steps)) => (steps, "params/parallel_steps"),
            (None, None) => return,
        };
        for (n, step) in steps.iter().enumerate() {
            let pointer = at.below(&format!("{key}/{n}"));
            self.step(step, At { pointer: &pointer, parent, ..at }, sink);
        }
    }

    pub(super) fn push(&mut self, step: DraftStep<'d>) {
        self.steps.push(step);
    }
}

/// Conditions of parallel steps are joined with those of their sub-steps, in parentheses.
fn parsed(text: &str) -> Result<Condition, SyntaxError> {
    let condition = Condition::parse(text)?;
    let joined = Condition::parse(&format!("((({text})))"));
    joined.map(|_| condition).map_err(|error| SyntaxError { at: 0, ..error })
}

/// The place of the byte `at` of a text, when the text is in the source as it is.
pub(crate) fn inside(text: &Text, at: usize, sink: &Sink<'_>) -> Spot {
    let whole = sink.narrow(text.spot, &text.text);
    let verbatim = whole.end - whole.start == text.text.len();
    if !verbatim {
        return text.spot;
    }
    let length = text.text[at..].chars().next().map_or(1, char::len_utf8);
    Spot { start: whole.start + at, end: whole.start + at + length }
}
