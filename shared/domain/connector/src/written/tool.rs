//! Connection and endpoint of an `existing_tool`: an action of this system behind a connector (F-102, K-41).

use countersign_document::Rules;
use countersign_registry::{Path, ProblemKind, Slot, explain};
use schemars::JsonSchema;
use serde::Deserialize;

use super::connection::Connects;
use super::endpoint::{Ends, Shared, endpoint};
use super::mapping::{AnswerMapping, AnswerOutput, inferred};
use crate::model::{
    self, Connection, JsonMapping, Operation, OutputSchema, Parameter, ToolId, ToolRules,
};

/// An action of this system: `tool`, or `tool_module` and `tool_function`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolConnection {
    /// The action.
    tool: Option<ToolId>,
    /// The module of the action, with `tool_function` instead of `tool`.
    tool_module: Option<String>,
    /// The function of the action, with `tool_module` instead of `tool`.
    tool_function: Option<String>,
}

impl ToolConnection {
    fn tool(&self) -> Option<ToolId> {
        match (self.tool, &self.tool_module, &self.tool_function) {
            (Some(tool), None, None) => Some(tool),
            (None, Some(module), Some(function)) => ToolId::of_pair(module, function),
            _ => None,
        }
    }
}

impl Connects for ToolConnection {
    fn model(&self) -> Option<Connection> {
        self.tool().map(|tool| Connection::ExistingTool(model::ToolConnection { tool }))
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        if self.tool().is_some() || !rules.is_sound("") {
            return;
        }
        match (self.tool, &self.tool_module, &self.tool_function) {
            (None, Some(module), Some(function)) => {
                let shown: String = format!("{module}.{function}").chars().take(80).collect();
                let names = ToolId::ALL.map(ToolId::as_str).join(" or ");
                let message = format!("`{shown}` is not a tool that a connector may use");
                rules.hinted("tool", "/tool_module", message, format!("use `tool: {names}`"));
            }
            _ => {
                let message = "the connection must name one tool: with `tool`, or with `tool_module` and `tool_function`";
                rules.error("tool", "", message);
            }
        }
    }
}

endpoint! {
    /// A use of the action.
    ToolEndpoint, parameters: "parameters", mapping: AnswerMapping, output: AnswerOutput,
    {
        /// Whether the action's output comes back as it is. That holds anyway when there is no mapping, and cannot when
        /// there is one.
        passthrough: Option<bool>,
    }
}

impl ToolEndpoint {
    fn mapping(&self) -> JsonMapping {
        self.response_mapping.json(self.output_schema.as_ref())
    }

    fn is_mapped(&self) -> bool {
        self.mapping() != JsonMapping::default()
    }
}

impl Ends for ToolEndpoint {
    fn shared(&self) -> Shared<'_> {
        self.shared_keys()
    }

    fn operation(&self, _: &[Parameter]) -> Option<(Operation, OutputSchema)> {
        let mapping = self.mapping();
        let output = inferred(&mapping.fields);
        let passthrough = self.passthrough.unwrap_or(!self.is_mapped());
        Some((Operation::Tool(Box::new(ToolRules { passthrough, mapping })), output))
    }

    fn rules(
        &self,
        parameters: &[Parameter],
        connection: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        rules.within("response_mapping", |rules| self.response_mapping.rules(rules));
        if self.passthrough == Some(true) && self.is_mapped() {
            let message =
                "what passes through is not mapped: leave out `passthrough` or the mapping";
            rules.error("passthrough", "", message);
        }
        if self.passthrough.unwrap_or(!self.is_mapped()) {
            for key in [
                "/response_mapping/entity_type",
                "/response_mapping/entity_extraction",
                "/output_schema",
            ] {
                if rules.is_written(key) {
                    let name = key.rsplit('/').next().unwrap_or_default();
                    let message = format!(
                        "`{name}` has no effect: the tool's output comes back as it is, and is not mapped"
                    );
                    rules.warning("passthrough", key, message);
                }
            }
        }
        if let Some(Connection::ExistingTool(connection)) = connection {
            check_parameters(connection.tool, parameters, rules);
        }
    }
}

/// The endpoint's parameters are arguments of the tool, and the one it cannot do without is among them.
fn check_parameters(tool: ToolId, parameters: &[Parameter], rules: &mut Rules<'_>) {
    let contract = tool.contract();
    let known = contract.arguments();
    for (n, parameter) in parameters.iter().enumerate() {
        if let Some(slot) = known.iter().find(|slot| slot.name == parameter.name) {
            check_default(n, parameter, slot, rules);
        } else {
            let names: Vec<&str> = known.iter().map(|slot| slot.name.as_str()).collect();
            let hint = format!("it takes {}", names.join(", "));
            let message = format!("the tool `{}` takes no `{}`", tool.as_str(), parameter.name);
            rules.hinted("parameters", "", message, hint);
        }
    }
    for input in &contract.inputs {
        let given = parameters.iter().find(|parameter| parameter.name == input.name);
        if !given.is_some_and(|parameter| parameter.required || parameter.default.is_some()) {
            let message = format!(
                "the tool `{}` needs `{}`: declare it as a required parameter, or with a default",
                tool.as_str(),
                input.name
            );
            rules.error("parameters", "", message);
        }
    }
}

/// A default is one of the values that the tool takes.
fn check_default(n: usize, parameter: &Parameter, slot: &Slot, rules: &mut Rules<'_>) {
    let (Some(schema), Some(default)) = (&slot.schema, &parameter.default) else { return };
    let found = explain(schema, default, &Path::of(&parameter.name), &[]).problems;
    for problem in found.into_iter().filter(|one| one.kind != ProblemKind::NoEffect) {
        rules.hinted("default", &format!("/parameters/{n}/default"), problem.message, problem.hint);
    }
}
