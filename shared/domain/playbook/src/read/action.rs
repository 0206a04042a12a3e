//! Steps that call an action.

use countersign_registry::{CALL_CONNECTOR, Contract, DataType, Field, nearest};

use super::fields::Fields;
use super::for_each;
use super::step::{GATE_KEYS, Reader, Word, small, take_rest};
use super::{DraftAction, DraftKind, DraftStep};
use crate::diagnostic::Code;
use crate::model::{ExecutionMode, OutputSchema, Shape};
use crate::node::{Node, Text, Yaml};
use crate::sink::{Sink, Spot};

impl<'w> Reader<'w> {
    pub(super) fn action(
        &mut self,
        mut step: DraftStep<'w>,
        word: Option<Word>,
        fields: &mut Fields<'_>,
        sink: &mut Sink<'_>,
    ) {
        let action = fields.required("action", sink);
        let llm = matches!(word, Some(Word::Llm));
        step.retry_count = small(fields.integer("retry_count", 0..=5, sink));
        if llm {
            for_each::misplaced(fields, "wire the whole list: a model takes it at once", sink);
        } else {
            step.for_each = for_each::read(fields, sink);
        }
        let longest = step.for_each.as_ref().map_or(840, |_| for_each::MAX_CALL);
        step.timeout_seconds = small(fields.integer("timeout_seconds", 1..=longest, sink));
        let inputs = fields.map("inputs", sink);
        let mut params = fields.map("params", sink);
        let contract = action.as_ref().and_then(|action| self.contract(action, sink));
        move_into_params(fields, contract, &mut params, sink);
        let schema = if llm { self.schema(fields, &step, sink) } else { None };
        take_rest(fields, &GATE_KEYS, "belongs to approval steps", sink);
        let Some(action) = action else { return self.steps.push(step) };
        let uses_llm = llm || contract.is_some_and(|contract| contract.uses_llm);
        if uses_llm && self.mode == ExecutionMode::Deterministic {
            let message = format!(
                "`{}` calls a model, but `execution_mode` is `deterministic`",
                step.name.text
            );
            let problem = sink.problem(Code::ModelForbidden, step.name.spot, "step_type", message);
            sink.push(problem.hint("use `execution_mode: hybrid`, or a tool step"));
        }
        let endpoint =
            contract.filter(|c| c.is_open()).and_then(|_| self.endpoint(&params, &step, sink));
        let draft = DraftAction {
            action: action.text,
            contract,
            endpoint,
            inputs,
            params,
            output_schema: schema,
            llm: uses_llm,
        };
        // Also without a contract: what its inputs refer to is checked all the same.
        step.kind = if word.is_some() { DraftKind::Action(draft) } else { DraftKind::Unknown };
        self.steps.push(step);
    }

    fn contract(&self, action: &Text, sink: &mut Sink<'_>) -> Option<&'w Contract> {
        let contract = self.world.contracts.get(&action.text);
        if contract.is_none() {
            let shown: String = action.text.chars().take(60).collect();
            let likely = self
                .world
                .contracts
                .suggest(&action.text)
                .map(|likely| format!("did you mean `{likely}`?"));
            let problem = sink.problem(
                Code::UnknownAction,
                action.spot,
                "action",
                format!("there is no action `{shown}`"),
            );
            sink.push(problem.maybe_hint(likely));
        }
        contract
    }

    /// Rule 5 (F-164): the connector is bound to the profile and has the endpoint.
    fn endpoint(
        &self,
        params: &[(Text, Node)],
        step: &DraftStep<'_>,
        sink: &mut Sink<'_>,
    ) -> Option<&'w crate::EndpointContract> {
        let connector = literal(params, "connector", step.name.spot, sink);
        let endpoint = literal(params, "endpoint", step.name.spot, sink);
        let (connector, endpoint) = (connector?, endpoint?);
        let endpoints = match self.world.bindings {
            Some(bindings) => {
                let bound = bindings.endpoints(&connector.text);
                if bound.is_none() {
                    not_bound(&connector, "connector", bindings, sink);
                }
                bound
            }
            // What the author's connector of this name does not have, a run will hardly find.
            None => self.world.known.and_then(|known| known.endpoints(&connector.text)),
        }?;
        let found = endpoints.get(&endpoint.text);
        if found.is_none() {
            let names = endpoints.keys().map(String::as_str);
            let likely =
                nearest(&endpoint.text, names).map(|likely| format!("did you mean `{likely}`?"));
            let message =
                format!("the connector `{}` has no endpoint `{}`", connector.text, endpoint.text);
            let problem = sink.problem(Code::UnknownEndpoint, endpoint.spot, "endpoint", message);
            sink.push(problem.maybe_hint(likely));
        }
        found
    }

    /// Rule 6 (F-165).
    fn schema(
        &self,
        fields: &mut Fields<'_>,
        step: &DraftStep<'_>,
        sink: &mut Sink<'_>,
    ) -> Option<OutputSchema> {
        let Some(node) = fields.node("output_schema") else {
            let problem = sink.problem(
                Code::SchemaMissing,
                step.name.spot,
                "output_schema",
                "an llm_task declares its `output_schema`",
            );
            sink.push(problem.hint("say what the model must answer: `output_schema: {type: object, fields: [{name: verdict, type: string}]}`"));
            return None;
        };
        let mut fields = Fields::of(node, "output_schema", sink)?;
        let shapes = [
            ("record_set", Shape::RecordSet),
            ("object", Shape::Object),
            ("scalar", Shape::Scalar),
        ];
        if fields.node("type").is_none() {
            fields.missing("type", sink);
        }
        let shape = fields.choice("type", &shapes, sink);
        let nodes = fields.list("fields", 100, sink);
        let declared = nodes
            .iter()
            .enumerate()
            .filter_map(|(at, node)| schema_field(node, at, sink))
            .collect();
        fields.finish(sink);
        Some(OutputSchema { shape: shape?, fields: declared })
    }
}

/// Reports a connector that the profile has not bound.
pub(crate) fn not_bound(
    connector: &Text,
    field: &str,
    bindings: &crate::Bindings,
    sink: &mut Sink<'_>,
) {
    let likely = nearest(&connector.text, bindings.connectors());
    let hint = likely.map_or_else(
        || "bind it to the profile, or choose one that is bound".to_owned(),
        |likely| format!("did you mean `{likely}`?"),
    );
    let shown: String = connector.text.chars().take(60).collect();
    let problem = sink.problem(
        Code::NotBound,
        connector.spot,
        field,
        format!("the connector `{shown}` is not bound to the profile"),
    );
    sink.push(problem.hint(hint));
}

/// K-53: what may stand beside the action is a param.
fn move_into_params(
    fields: &mut Fields<'_>,
    contract: Option<&Contract>,
    params: &mut Vec<(Text, Node)>,
    sink: &mut Sink<'_>,
) {
    let open = contract.is_some_and(Contract::is_open);
    let takes = |key: &str| {
        contract.is_none_or(|contract| contract.params.iter().any(|slot| slot.name == key))
    };
    for key in ["connector", "endpoint", "operations"] {
        if !(takes(key) || open) {
            continue;
        }
        let Some((own, node)) = fields.entry(key) else { continue };
        if let Some((twice, _)) = params.iter().find(|(param, _)| param.text == key) {
            let problem = sink.problem(
                Code::Duplicate,
                twice.spot,
                &format!("params.{key}"),
                format!("`{key}` stands beside the action and in `params`"),
            );
            let other = sink.lines.place(own.spot);
            sink.push(problem.see(other, "the other one").hint("keep one of them"));
            continue;
        }
        params.push((own.clone(), node.clone()));
    }
}

/// Connector and endpoint are written out, so that what a playbook can reach is known before it runs.
fn literal(params: &[(Text, Node)], key: &str, spot: Spot, sink: &mut Sink<'_>) -> Option<Text> {
    let Some((_, node)) = params.iter().find(|(param, _)| param.text == key) else {
        let problem = sink.problem(
            Code::MissingInput,
            spot,
            key,
            format!("`{CALL_CONNECTOR}` needs a `{key}`"),
        );
        sink.push(problem);
        return None;
    };
    match &node.yaml {
        Yaml::Text(text) if !text.contains('{') => {
            Some(Text { text: text.clone(), spot: node.spot })
        }
        Yaml::Text(_) => {
            let problem = sink.problem(
                Code::WrongShape,
                node.spot,
                key,
                format!("`{key}` is written out, not filled in"),
            );
            sink.push(problem.hint("what a playbook can reach is known before it runs"));
            None
        }
        _ => {
            sink.report(
                Code::WrongShape,
                node.spot,
                key,
                format!("`{key}` is a text, found {}", node.kind()),
            );
            None
        }
    }
}

fn schema_field(node: &Node, at: usize, sink: &mut Sink<'_>) -> Option<Field> {
    let mut fields = Fields::of(node, &format!("output_schema.fields[{at}]"), sink)?;
    let words = [
        ("string", "string"),
        ("number", "number"),
        ("decimal", "decimal"),
        ("integer", "integer"),
        ("date", "date"),
        ("boolean", "boolean"),
        ("string[]", "string[]"),
        ("object", "object"),
    ];
    let name = fields.required("name", sink);
    let word = fields.choice("type", &words, sink).unwrap_or("string");
    let description = fields.text("description", sink).map(|text| text.text).unwrap_or_default();
    fields.finish(sink);
    let data_type = match word {
        "number" => DataType::Number,
        "decimal" => DataType::Decimal,
        "integer" => DataType::Integer,
        "date" => DataType::Date,
        "boolean" => DataType::Boolean,
        "string[]" => DataType::array(DataType::String),
        "object" => DataType::Object,
        _ => DataType::String,
    };
    Some(Field { name: name?.text, data_type, description })
}
