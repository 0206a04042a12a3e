//! The parts of inputs and params: what the action would refuse at run time, perhaps behind a gate that somebody has
//! signed. What is wrong with a value as a whole is said by [`super::slots`].

use countersign_document::Part;
use countersign_registry::{
    DataType, Findings, InputTypes, Path, Problem, ProblemKind, Slot, Step, explain,
};
use countersign_wiring::{Condition, Scope, references, resolve, type_of_value};
use serde_json::{Map, Value};

use super::Check;
use super::types::InferredOutputs;
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::sink::{Sink, Spot, Text};

/// The arguments of one side of a step whose types fit.
pub(super) struct Arguments<'a> {
    /// `inputs` or `params`.
    pub(super) field: &'static str,
    /// The step.
    pub(super) at: usize,
    entries: &'a [(Text, Part<'a>)],
    values: Map<String, Value>,
    open: Vec<(Path, &'a Value)>,
    /// Where something was found: the rules say nothing about it.
    found: Vec<Path>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(field: &'static str, at: usize, entries: &'a [(Text, Part<'a>)]) -> Self {
        Self { field, at, entries, values: Map::new(), open: Vec::new(), found: Vec::new() }
    }

    /// Checks the parts of one argument, as it will be without what is filled in.
    pub(super) fn argument(
        &mut self,
        check: &Check<'_>,
        slot: &'a Slot,
        mut value: Value,
        sink: &mut Sink<'_>,
    ) {
        let path = Path::of(&slot.name);
        let mut open = Vec::new();
        settle(&mut value, &path, &mut open);
        if let Some(schema) = &slot.schema {
            let Findings { problems, open, forms } = explain(schema, &value, &path, &open);
            problems.iter().for_each(|problem| self.report(problem, sink));
            self.found.extend(problems.into_iter().map(|problem| problem.path));
            for (path, schema) in open.iter().filter(|(path, _)| path.steps().len() > 1) {
                self.filled(check, &value, path, schema, sink);
            }
            self.open.extend(open);
            for (path, _, text) in &forms {
                self.condition(path, text, sink);
            }
        }
        self.values.insert(slot.name.clone(), value);
    }

    /// What needs more than one place to be judged, or the types of what is wired to the inputs. Gives back what these
    /// say about the outputs.
    pub(super) fn rules(
        self,
        action: &str,
        inputs: &InputTypes,
        world: CompileContext<'_>,
        sink: &mut Sink<'_>,
    ) -> InferredOutputs {
        let problems = world.contracts.rules(action, self.values.clone(), &self.open);
        self.report_new(&problems, sink);
        if problems.iter().any(|problem| problem.kind != ProblemKind::NoEffect) {
            return Vec::new();
        }
        let inferred = world.contracts.infer(action, self.values.clone(), &self.open, inputs);
        self.report_new(&inferred.problems, sink);
        inferred.outputs
    }

    /// Reports what is about a place of which nothing was said.
    fn report_new(&self, problems: &[Problem], sink: &mut Sink<'_>) {
        let is_new =
            |problem: &&Problem| !self.found.iter().any(|path| path.touches(&problem.path));
        problems.iter().filter(is_new).for_each(|problem| self.report(problem, sink));
    }

    fn report(&self, problem: &Problem, sink: &mut Sink<'_>) {
        let code = match problem.kind {
            ProblemKind::UnknownKey => Code::UnknownKey,
            ProblemKind::Missing => Code::MissingInput,
            ProblemKind::WrongType => Code::TypeMismatch,
            ProblemKind::NotAChoice => Code::NotAChoice,
            ProblemKind::UnknownField => Code::UnknownField,
            ProblemKind::OutOfRange => Code::OutOfRange,
            ProblemKind::NoEffect => Code::NoEffect,
        };
        let is_key = problem.kind == ProblemKind::UnknownKey;
        let spot = self.spot(&problem.path, is_key);
        let told = sink.problem(code, spot, &self.name(&problem.path), problem.message.clone());
        sink.push(told.maybe_hint(problem.hint.clone()));
    }

    /// A part that holds a variable (K-52). Nothing is converted inside a value, so its type has to be the one asked for.
    fn filled(
        &self,
        check: &Check<'_>,
        value: &Value,
        path: &Path,
        schema: &Value,
        sink: &mut Sink<'_>,
    ) {
        let Some(written) = part(value, path) else { return };
        let from = type_of_value(written, &|reference| check.type_in(self.at, reference));
        if fits(&from, schema) {
            return;
        }
        let wanted = countersign_registry::data_type(schema, false);
        let message = format!("{} takes {wanted}, this is {from}", path.what());
        let spot = self.spot(path, false);
        sink.report(Code::TypeMismatch, spot, &self.name(path), message);
    }

    fn condition(&self, path: &Path, text: &str, sink: &mut Sink<'_>) {
        if let Err(error) = Condition::parse(text) {
            let spot = self.spot(path, false);
            let problem = sink.problem(Code::BadCondition, spot, &self.name(path), error.message);
            sink.push(problem.maybe_hint(error.help));
        }
    }

    fn name(&self, path: &Path) -> String {
        format!("{}.{path}", self.field)
    }

    /// Where a path leads in the source; of what is not written there, what should hold it.
    fn spot(&self, path: &Path, is_key: bool) -> Spot {
        let [Step::Key(name), rest @ ..] = path.steps() else { return Spot::default() };
        let Some((key, part)) = self.entries.iter().find(|(key, _)| key.text == *name) else {
            return Spot::default();
        };
        let mut part = *part;
        let mut spot = if is_key && rest.is_empty() { key.spot } else { part.bytes().into() };
        for (at, step) in rest.iter().enumerate() {
            let below = match step {
                Step::Key(name) => part.get(name),
                Step::Entry(entry) => part.entry(*entry),
            };
            let Some(below) = below else { return spot };
            part = below;
            let is_last = is_key && at + 1 == rest.len();
            spot = if is_last { part.key_bytes().into() } else { part.bytes().into() };
        }
        spot
    }
}

/// Whether the schema says what is wrong with the parts of a value.
pub(super) fn explains(slot: &Slot, value: &Value) -> bool {
    let inside = |schema| explain(schema, value, &Path::of(&slot.name), &[]).problems;
    let problems = slot.schema.as_ref().map(inside).unwrap_or_default();
    problems.iter().any(|problem| problem.path.steps().len() > 1)
}

/// Finds the parts that are filled in during a run; the braces of other texts become what they stand for.
fn settle(value: &mut Value, at: &Path, open: &mut Vec<Path>) {
    match value {
        Value::String(_) if !references(value).is_empty() => open.push(at.clone()),
        Value::String(_) => {
            // A malformed text was reported as such.
            if let Ok(plain) = resolve(value, &Scope::new()) {
                *value = plain;
            }
        }
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(n, item)| settle(item, &at.entry(n), open));
        }
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| settle(value, &at.key(key), open));
        }
        _ => {}
    }
}

fn part<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps().iter().skip(1).try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Entry(entry) => value.get(entry),
    })
}

/// Whether values of a type can be what a schema asks for.
fn fits(from: &DataType, schema: &Value) -> bool {
    if let Some(branches) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        return branches.iter().any(|branch| fits(from, branch));
    }
    let Some(wanted) =
        schema["type"].as_str().or_else(|| schema["enum"].is_array().then_some("string"))
    else {
        return true;
    };
    match from {
        DataType::Any => true,
        DataType::String | DataType::Date | DataType::Decimal => wanted == "string",
        DataType::Number | DataType::Integer => matches!(wanted, "number" | "integer"),
        DataType::Boolean => wanted == "boolean",
        DataType::Object | DataType::Record(_) => wanted == "object",
        DataType::Array(_) => wanted == "array",
    }
}
