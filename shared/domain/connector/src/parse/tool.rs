//! An `existing_tool` (F-102, K-41).

use super::endpoint::ResponseMapping;
use super::rest::inferred;
use crate::diagnostic::{Diagnostics, Position};
use crate::model::{
    Connection, Operation, OutputSchema, Parameter, ToolConnection, ToolId, ToolRules,
};
use crate::yaml::{Mapping, nearest};

pub(super) fn connection(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<ToolConnection> {
    let tool = map.text("tool", out);
    let module = map.text("tool_module", out);
    let function = map.text("tool_function", out);
    let at = map.at;
    map.finish(out);
    let tool = match (tool, module, function) {
        (Some((name, at)), None, None) => ToolId::parse(name).or_else(|| refuse(name, at, out)),
        (None, Some((module, at)), Some((function, _))) => ToolId::of_pair(module, function)
            .or_else(|| refuse(&format!("{module}.{function}"), at, out)),
        _ => {
            let message = "the connection names one tool: with `tool`, or with `tool_module` and `tool_function`";
            out.error("tool", at, message);
            None
        }
    };
    Some(ToolConnection { tool: tool? })
}

fn refuse(name: &str, at: Position, out: &mut Diagnostics) -> Option<ToolId> {
    let names: Vec<&str> = ToolId::ALL.iter().map(|tool| tool.as_str()).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `tool: {near}`?"),
        None => format!("a connector may stand for {}", names.join(" or ")),
    };
    let shown: String = name.chars().take(80).collect();
    out.hinted("tool", at, format!("`{shown}` is not a tool that a connector may stand for"), hint);
    None
}

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &[Parameter],
    mapping: &ResponseMapping,
    connection: Option<&Connection>,
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    let json = mapping.json();
    let mapped = json != crate::model::JsonMapping::default();
    let at = map.at;
    let said = map.get("passthrough").is_some();
    let passthrough = map.boolean("passthrough", out) || !said && !mapped;
    if passthrough && mapped {
        out.error(
            "passthrough",
            at,
            "what passes through is not mapped: leave out `passthrough` or the mapping",
        );
    }
    if let Some(Connection::ExistingTool(connection)) = connection {
        check_parameters(connection.tool, parameters, at, out);
    }
    let output = inferred(&json.fields);
    Some((Operation::Tool(Box::new(ToolRules { passthrough, mapping: json })), output))
}

/// The endpoint's parameters are arguments of the tool, and the one it cannot do without is among them.
fn check_parameters(tool: ToolId, parameters: &[Parameter], at: Position, out: &mut Diagnostics) {
    let contract = tool.contract();
    let known = contract.arguments();
    for parameter in parameters {
        if !known.iter().any(|slot| slot.name == parameter.name) {
            let names: Vec<&str> = known.iter().map(|slot| slot.name.as_str()).collect();
            let hint = format!("it takes {}", names.join(", "));
            let message = format!("the tool `{}` takes no `{}`", tool.as_str(), parameter.name);
            out.hinted("parameters", at, message, hint);
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
            out.error("parameters", at, message);
        }
    }
}
