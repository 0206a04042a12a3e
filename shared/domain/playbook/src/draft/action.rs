//! Steps that call an action: its contract, and the endpoint of a connector.

use countersign_document::did_you_mean;
use countersign_document::words::{found, shortened};
use countersign_registry::actions::research_with_tools::ResearchWithTools;
use countersign_registry::{Action as _, CALL_CONNECTOR, Contract, nearest};
use countersign_wiring::references;
use serde_json::Value;

use super::step::{At, Steps};
use super::{DraftAction, DraftKind, DraftStep, Entries};
use crate::compile_context::{Bindings, EndpointContract};
use crate::diagnostic::Code;
use crate::model::ExecutionMode;
use crate::sink::{Sink, Spot, Text};
use crate::written::{Answer, Call, LlmTask};

impl<'d> Steps<'d> {
    pub(super) fn action(
        &mut self,
        call: &Call<'d>,
        mut step: DraftStep<'d>,
        task: Option<&LlmTask>,
        at: At<'_>,
        sink: &mut Sink<'_>,
    ) {
        let Some(action) = self.source.text(&at.below("action"), Some(call.action)) else {
            return self.push(step);
        };
        let contract = self.contract(&action, sink);
        let mut params = self.source.entries(&at.below("params"));
        self.move_into_params(contract, &mut params, at, sink);
        let answer = task.map(|task| &task.output_schema);
        let uses_llm = answer.is_some() || contract.is_some_and(|contract| contract.uses_llm);
        if uses_llm && self.mode == ExecutionMode::Deterministic {
            model_forbidden(&step.name, sink);
        }
        if let Some(contract) = contract {
            as_declared(contract, &action, answer, sink);
        }
        let endpoint =
            contract.filter(|c| c.is_open()).and_then(|_| self.endpoint(&params, &step, sink));
        if task.is_none() && uses_llm {
            written_out(&params, sink);
        }
        if action.text == ResearchWithTools::NAME {
            self.tools(&params, sink);
        }
        let is_sound = |key: &str| self.source.read.is_sound(&at.below(key));
        step.kind = DraftKind::Action(DraftAction {
            action: action.text,
            contract,
            endpoint,
            inputs: self.source.entries(&at.below("inputs")),
            params,
            output_schema: answer.map(Answer::model),
            has_known_result: is_sound("step_type") && is_sound("output_schema"),
            llm: uses_llm,
            allow_missing: task.is_some_and(|task| task.allow_missing),
            model: task.and_then(LlmTask::model),
        });
        self.push(step);
    }

    fn contract(&self, action: &Text, sink: &mut Sink<'_>) -> Option<&'d Contract> {
        let contract = self.world.contracts.get(&action.text);
        if contract.is_none() {
            let likely = self.world.contracts.suggest(&action.text);
            let message = format!("there is no action `{}`", shortened(&action.text));
            let problem = sink.problem(Code::UnknownAction, action.spot, "action", message);
            sink.push(problem.maybe_hint(likely.map(did_you_mean)));
        }
        contract
    }

    /// Rule 5 (F-164): the connector is bound to the profile and has the endpoint.
    fn endpoint(
        &self,
        params: &Entries<'d>,
        step: &DraftStep<'_>,
        sink: &mut Sink<'_>,
    ) -> Option<&'d EndpointContract> {
        let connector = literal(params, "connector", step.name.spot, sink);
        let endpoint = literal(params, "endpoint", step.name.spot, sink);
        self.found((&connector?, "connector"), (&endpoint?, "endpoint"), sink)
    }

    /// The endpoint of this name, each with the field that names it.
    pub(super) fn found(
        &self,
        (connector, connector_field): (&Text, &str),
        (endpoint, endpoint_field): (&Text, &str),
        sink: &mut Sink<'_>,
    ) -> Option<&'d EndpointContract> {
        let endpoints = match self.world.bindings {
            Some(bindings) => {
                let bound = bindings.endpoints(&connector.text);
                if bound.is_none() {
                    not_bound(connector, connector_field, bindings, sink);
                }
                bound
            }
            // What the author's connector of this name does not have, a run will hardly find.
            None => self.world.known.and_then(|known| known.endpoints(&connector.text)),
        }?;
        let found = endpoints.get(&endpoint.text);
        if found.is_none() {
            let likely = nearest(&endpoint.text, endpoints.keys().map(String::as_str));
            let message =
                format!("the connector `{}` has no endpoint `{}`", connector.text, endpoint.text);
            let problem =
                sink.problem(Code::UnknownEndpoint, endpoint.spot, endpoint_field, message);
            sink.push(problem.maybe_hint(likely.map(did_you_mean)));
        }
        found
    }

    /// K-53: what may be beside the action is a param.
    fn move_into_params(
        &self,
        contract: Option<&Contract>,
        params: &mut Entries<'d>,
        at: At<'_>,
        sink: &mut Sink<'_>,
    ) {
        for key in ["connector", "endpoint", "operations"] {
            let Some(part) = self.source.tree.part(&at.below(key)) else { continue };
            let own = Text { text: key.to_owned(), spot: part.key_bytes().into() };
            if contract.is_some_and(|contract| !takes(contract, key)) {
                not_taken(&own, sink);
            } else if let Some((twice, _)) = params.iter().find(|(param, _)| param.text == key) {
                let message = format!("`{key}` is written beside the action and in `params`");
                let field = format!("params.{key}");
                let problem = sink.problem(Code::Duplicate, twice.spot, &field, message);
                let other = sink.place(own.spot);
                sink.push(problem.see(other, "the other one").hint("keep one of them"));
            } else {
                params.push((own, part));
            }
        }
    }
}

fn takes(contract: &Contract, key: &str) -> bool {
    contract.is_open() || contract.params.iter().any(|slot| slot.name == key)
}

fn not_taken(key: &Text, sink: &mut Sink<'_>) {
    let name = &key.text;
    let message = format!("the action takes no `{name}`");
    let problem = sink.problem(Code::UnknownKey, key.spot, name, message);
    let owner = if name == "operations" { "transform_data" } else { CALL_CONNECTOR };
    sink.push(problem.hint(format!("`{name}` belongs to `action: {owner}`")));
}

/// What a model answers is declared by the step; what other actions answer, by their contract.
fn as_declared(contract: &Contract, action: &Text, answer: Option<&Answer>, sink: &mut Sink<'_>) {
    let name = &action.text;
    let (code, message, hint) = match (contract.answers_as_declared(), answer) {
        (true, None) => (
            Code::SchemaMissing,
            format!("`{name}` is what a model does, and the step does not say what it must answer"),
            "write `step_type: llm_task` with an `output_schema`",
        ),
        (false, Some(_)) => (
            Code::Misplaced,
            format!("`{name}` is not what a model does: its results are known"),
            "write `step_type: tool`, without `output_schema`",
        ),
        _ => return,
    };
    let problem = sink.problem(code, action.spot, "action", message);
    sink.push(problem.hint(hint));
}

/// What a model is told in the params is the author's word alone: a variable may hold what a stranger wrote.
fn written_out(params: &Entries<'_>, sink: &mut Sink<'_>) {
    for (key, _) in params.iter().filter(|(_, part)| !references(part.value()).is_empty()) {
        let name = &key.text;
        let message =
            format!("`{name}` holds a reference: a model would take what it leads to as its task");
        let problem = sink.problem(Code::Misplaced, key.spot, name, message);
        sink.push(problem.hint("give it as `data`, such as `data: {question: \"{question}\"}`"));
    }
}

fn model_forbidden(step: &Text, sink: &mut Sink<'_>) {
    let message = format!("`{}` calls a model, but `execution_mode` is `deterministic`", step.text);
    let problem = sink.problem(Code::ModelForbidden, step.spot, "step_type", message);
    sink.push(problem.hint("use `execution_mode: hybrid`, or a tool step"));
}

/// Reports a connector that the profile has not bound.
pub(crate) fn not_bound(connector: &Text, field: &str, bindings: &Bindings, sink: &mut Sink<'_>) {
    let likely = nearest(&connector.text, bindings.connectors());
    let hint = likely.map_or_else(
        || "bind it to the profile, or choose one that is bound".to_owned(),
        did_you_mean,
    );
    let message =
        format!("the connector `{}` is not bound to the profile", shortened(&connector.text));
    let problem = sink.problem(Code::NotBound, connector.spot, field, message);
    sink.push(problem.hint(hint));
}

/// Connector and endpoint are written out, so that what a playbook can reach is known before it runs.
fn literal(params: &Entries<'_>, key: &str, spot: Spot, sink: &mut Sink<'_>) -> Option<Text> {
    let Some((_, part)) = params.iter().find(|(param, _)| param.text == key) else {
        let message = format!("`{CALL_CONNECTOR}` needs `{key}`");
        sink.report(Code::MissingInput, spot, key, message);
        return None;
    };
    let spot = part.bytes().into();
    match part.value() {
        Value::String(text) if !text.contains('{') => Some(Text { text: text.clone(), spot }),
        Value::String(_) => {
            let message = format!("`{key}` is written out, not filled in");
            let problem = sink.problem(Code::WrongShape, spot, key, message);
            sink.push(problem.hint("what a playbook can reach is known before it runs"));
            None
        }
        other => {
            let message = format!("`{key}` must be a string, found {}", found(other));
            // What is beside the action was reported with its shape.
            if !sink.has(Code::WrongShape, &message) {
                sink.report(Code::WrongShape, spot, key, message);
            }
            None
        }
    }
}
