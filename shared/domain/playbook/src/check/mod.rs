//! The links between steps: rules 1 to 4 of section 12, and what may surprise.

mod answers;
mod approvers;
mod arguments;
mod assurance;
mod columns;
mod conditions;
mod flow;
mod for_each;
mod item;
mod mentions;
mod on_warning;
mod optional;
mod retries;
mod revise;
mod slots;
mod summary;
pub(crate) mod types;
mod unquoted;
mod unused;

use std::collections::BTreeSet;

use countersign_registry::{DataType, nearest};
use countersign_wiring::{Reference, type_of_path};

pub(crate) use flow::Flow;
pub use revise::MAX_DONE_AGAIN;
use types::InferredOutputs;

pub(crate) use mentions::{Mention, Where, bare};

use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::draft::{Draft, DraftAction, DraftApproval, DraftKind, DraftStep, not_bound};
use crate::names::{Names, Target};
use crate::sink::Sink;

/// What checking found out, beside the problems.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Per step, whether an effect depends on it.
    pub(crate) leads_to_effect: Vec<bool>,
}

/// Checks every link.
pub(crate) fn links(
    draft: &Draft<'_>,
    names: &Names<'_>,
    world: CompileContext<'_>,
    sink: &mut Sink<'_>,
) -> Checked {
    let mentions = mentions::of_steps(draft, sink);
    let output = mentions::of_output(draft, sink);
    let needs: Vec<BTreeSet<usize>> = mentions.iter().map(|own| needed(own, names)).collect();
    let flow = Flow::of(draft, names, &needs);
    // Steps refer to earlier ones only, so what they refer to was inferred before.
    let mut inferred = Vec::with_capacity(draft.steps.len());
    for (at, own) in mentions.iter().enumerate() {
        let check = Check { draft, names, flow: &flow, inferred: &inferred };
        let before = sink.enter(Some(draft.steps[at].name.text.clone()));
        for mention in own {
            check.mention(Some(at), mention, sink);
        }
        let outputs = slots::check(&check, at, world, sink);
        for_each::check(&check, at, world, sink);
        columns::check(&check, at, sink);
        conditions::check(&check, at, sink);
        approvers::check(&check, at, world, sink);
        revise::check(&check, at, sink);
        unquoted::check(&check, at, sink);
        sink.enter(before);
        inferred.push(outputs);
    }
    let check = Check { draft, names, flow: &flow, inferred: &inferred };
    for mention in &output {
        check.mention(None, mention, sink);
    }
    flow.warnings(draft, &needed(&output, names), sink);
    assurance::check(draft, world, sink);
    retries::check(draft, world, sink);
    on_warning::check(draft, sink);
    bindings(draft, world, sink);
    summary::check(draft, sink);
    optional::check(draft, sink);
    unused::check(draft, mentions.iter().flatten().chain(&output), sink);
    Checked { leads_to_effect: flow.leads_to_effect }
}

/// The steps that mentions use; of a parallel step used as a whole, all.
fn needed(mentions: &[Mention], names: &Names<'_>) -> BTreeSet<usize> {
    let targets = mentions.iter().filter_map(|mention| match names.target(&mention.reference) {
        Target::Step(step, _) => Some(names.family(step)),
        _ => None,
    });
    targets.flatten().collect()
}

/// What a single check needs to know.
pub(crate) struct Check<'a> {
    pub(crate) draft: &'a Draft<'a>,
    pub(crate) names: &'a Names<'a>,
    flow: &'a Flow,
    inferred: &'a [InferredOutputs],
}

impl<'a> Check<'a> {
    /// What is done at a step, when it is an action.
    fn action(&self, at: usize) -> Option<&'a DraftAction<'a>> {
        match &self.draft.steps[at].kind {
            DraftKind::Action(action) => Some(action),
            _ => None,
        }
    }

    /// What is asked at a step, when it is a gate.
    fn gate(&self, at: usize) -> Option<&'a DraftApproval> {
        match &self.draft.steps[at].kind {
            DraftKind::Approval(gate) => Some(gate),
            _ => None,
        }
    }
}

impl Check<'_> {
    /// The type of a step's result.
    pub(crate) fn result_type(&self, step: usize) -> DataType {
        types::result_type(self.draft, self.inferred, step)
    }

    /// The type a reference leads to; anything when it leads nowhere, which is reported elsewhere.
    pub(crate) fn type_of(&self, reference: &Reference) -> DataType {
        match self.names.target(reference) {
            Target::Variable(data_type) => {
                type_of_path(&data_type, reference.segments()).unwrap_or(DataType::Any)
            }
            Target::Step(step, path) => {
                type_of_path(&self.result_type(step), &path).unwrap_or(DataType::Any)
            }
            _ => DataType::Any,
        }
    }

    /// Rule 3 (F-162), rule 4 (F-163) and K-52 for one reference of a step, or of the output.
    fn mention(&self, from: Option<usize>, mention: &Mention, sink: &mut Sink<'_>) {
        if sink.is_full() || from.is_some_and(|at| self.is_item(at, mention, sink)) {
            return;
        }
        match self.names.target(&mention.reference) {
            Target::Nothing => self.unknown(from, mention, sink),
            Target::NoSubStep(parallel, field) => self.no_sub_step(parallel, &field, mention, sink),
            Target::Variable(data_type) => {
                path(&data_type, mention.reference.segments(), mention, sink);
            }
            Target::Step(step, rest) => {
                if mention.place == Where::Param {
                    let message = format!(
                        "`{{{}}}` is a step's result, and params hold settings only",
                        mention.reference
                    );
                    let problem =
                        sink.problem(Code::StepInParams, mention.spot, &mention.field, message);
                    return sink.push(
                        problem.hint("wire it under `inputs`, or use an input of the playbook"),
                    );
                }
                if let Some(from) =
                    from.filter(|&from| self.draft.steps[from].top <= self.draft.steps[step].top)
                {
                    return self.not_earlier(from, step, mention, sink);
                }
                if self.names.is_whole_parallel(&mention.reference) && !mention.whole {
                    return self.several(step, mention, sink);
                }
                if self.is_of_one_call(step, &rest, mention, sink) {
                    return;
                }
                path(&self.result_type(step), &rest, mention, sink);
            }
        }
    }

    fn unknown(&self, from: Option<usize>, mention: &Mention, sink: &mut Sink<'_>) {
        let root = mention.reference.root();
        let likely = || {
            let likely = mention.reference.with_root(self.likely(from, root)?);
            Some(format!("did you mean `{likely}`?"))
        };
        let hint = match self.item_of_another(root).or_else(likely) {
            Some(hint) => hint,
            None => "use the name of an earlier step, of an input of the playbook, or a variable such as `today`".to_owned(),
        };
        let message = format!("there is no step or input `{root}`");
        let problem = sink.problem(Code::UnknownStep, mention.spot, &mention.field, message);
        sink.push(problem.hint(hint));
    }

    fn no_sub_step(&self, parallel: usize, field: &str, mention: &Mention, sink: &mut Sink<'_>) {
        let own: Vec<&str> = self
            .names
            .children(parallel)
            .iter()
            .map(|&child| self.draft.steps[child].key())
            .collect();
        let likely =
            nearest(field, own.iter().copied()).map(|likely| format!("did you mean `{likely}`?"));
        let all = || {
            format!(
                "its results are {}",
                own.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
            )
        };
        let message =
            format!("`{}` has no sub-step `{field}`", self.draft.steps[parallel].name.text);
        let problem = sink.problem(Code::UnknownField, mention.spot, &mention.field, message);
        sink.push(problem.hint(likely.unwrap_or_else(all)));
    }

    fn several(&self, parallel: usize, mention: &Mention, sink: &mut Sink<'_>) {
        let message = format!("`{{{}}}` holds the results of several steps", mention.reference);
        let problem = sink.problem(Code::BadReference, mention.spot, &mention.field, message);
        let first =
            self.names.children(parallel).first().map(|&child| self.draft.steps[child].key());
        sink.push(problem.maybe_hint(
            first.map(|first| format!("name one of them: `{{{}.{first}}}`", mention.reference)),
        ));
    }

    fn not_earlier(&self, from: usize, to: usize, mention: &Mention, sink: &mut Sink<'_>) {
        let (own, other) = (&self.draft.steps[from], &self.draft.steps[to]);
        let place = sink.place(other.name.spot);
        if let Some(circle) = self.flow.circle(from, to) {
            let names: Vec<&str> =
                circle.iter().map(|&at| self.draft.steps[at].name.text.as_str()).collect();
            let message = format!("these steps need each other: {}", names.join(" → "));
            let problem = sink.problem(Code::Cycle, mention.spot, &mention.field, message);
            return sink
                .push(problem.hint("break the circle: let one of them use an input or a literal"));
        }
        let (message, hint) = if own.top == other.top {
            let message = format!(
                "`{}` runs beside `{}`, so it cannot use its result",
                own.name.text, other.name.text
            );
            (message, "put the step that needs the other one after the parallel step".to_owned())
        } else {
            let message = format!("`{}` comes after `{}`", other.name.text, own.name.text);
            (message, format!("move `{}` in front of `{}`", other.name.text, own.name.text))
        };
        let problem = sink.problem(Code::NotEarlier, mention.spot, &mention.field, message);
        sink.push(problem.hint(hint).see(place, "it stands here"));
    }
}

fn path(
    from: &DataType,
    rest: &[countersign_wiring::Segment],
    mention: &Mention,
    sink: &mut Sink<'_>,
) {
    if let Err(error) = type_of_path(from, rest) {
        let message = format!("`{{{}}}`: {error}", mention.reference);
        let problem = sink.problem(Code::UnknownField, mention.spot, &mention.field, message);
        sink.push(problem.maybe_hint(error.help()));
    }
}

/// Rule 5 for the playbook as a whole, and one warning when nobody knows what is bound.
fn bindings(draft: &Draft<'_>, world: CompileContext<'_>, sink: &mut Sink<'_>) {
    let Some(bindings) = world.bindings else {
        let is_unknown =
            |connector: &str| world.known.is_none_or(|known| known.endpoints(connector).is_none());
        let required = draft.required_connectors.iter().map(|text| (text.text.as_str(), text.spot));
        let connectors = required.chain(draft.steps.iter().flat_map(DraftStep::connectors));
        let unknown = connectors.filter(|(connector, _)| is_unknown(connector));
        if let Some(spot) = unknown.map(|(_, spot)| spot).min() {
            let problem = sink.problem(
                Code::BindingsUnknown,
                spot,
                "required_connectors",
                "connectors and endpoints were not checked",
            );
            sink.push(problem.hint("no profile is known here; they are checked when a run starts"));
        }
        return;
    };
    for connector in
        draft.required_connectors.iter().filter(|text| bindings.endpoints(&text.text).is_none())
    {
        not_bound(connector, "required_connectors", bindings, sink);
    }
}
