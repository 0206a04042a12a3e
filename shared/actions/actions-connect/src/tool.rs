//! Using an action of this system through a connector (F-102, K-41).

use std::sync::Arc;

use countersign_connector::mapping::{Part, metadata, records};
use countersign_connector::{SourceError, SourceFuture, ToolConnection, ToolId, ToolRules, Tools};
use countersign_decimal::json::ExactJson;
use countersign_registry::Warnings;
use countersign_registry::action::{Call, Handler};
use serde_json::{Map, Value};

use crate::binding::Resolved;
use crate::calling::arguments;
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::output::{Origin, shaped, stamp};

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &ToolConnection,
    rules: &ToolRules,
) -> Result<Value, ConnectError> {
    let inner = of_action(call, connection.tool, arguments(call, resolved)?);
    let output = deps.tools.run(connection.tool, &inner).await.map_err(ConnectError::Source)?;
    if rules.passthrough {
        return Ok(output);
    }
    Ok(mapped(&output.into(), call, resolved, rules))
}

/// The call of the action itself: its inputs, and everything else as params.
fn of_action(call: &Call, tool: ToolId, mut arguments: Map<String, Value>) -> Call {
    let names = tool.contract().inputs.into_iter().map(|slot| slot.name);
    let inputs = names.filter_map(|name| arguments.remove_entry(&name)).collect();
    Call { action: tool.as_str().to_owned(), inputs, params: arguments, ..call.clone() }
}

/// The action's output, mapped as an answer is; one of another shape is said and skipped (F-311). What the action warns of stays.
fn mapped(output: &ExactJson, call: &Call, resolved: &Resolved, rules: &ToolRules) -> Value {
    let schema = &resolved.endpoint.output;
    let (mut found, mut warnings) = match records(&rules.mapping, schema, output, Part::default()) {
        Ok(mapped) => (mapped.records, mapped.warnings),
        Err(error) => {
            let message = format!("the tool's output was not as expected: {error}");
            (Vec::new(), Warnings::from_iter([message]))
        }
    };
    warnings.extend(warned_of(output.value()));
    let origin = Origin { reference: "", name: "" };
    for record in &mut found {
        stamp(record, resolved, call, &origin);
    }
    let (metadata, complaints) = metadata(&rules.mapping, output);
    warnings.extend(complaints);
    let (mut shaped, missing) = shaped(&resolved.endpoint, found, false, None);
    warnings.extend(missing);
    shaped.insert("_has_more".to_owned(), false.into());
    warnings.write(&mut shaped);
    shaped.extend(metadata);
    shaped.into()
}

/// What the action itself could not read.
fn warned_of(output: &Value) -> impl Iterator<Item = &str> {
    let listed = output.get("warnings").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str)
}

/// The actions a function was given, as tools of its connectors. One that was not given cannot be reached.
pub struct ActionTools(Vec<Arc<dyn Handler>>);

impl ActionTools {
    /// Makes these actions reachable; those that no connector may stand for stay out of reach all the same.
    #[must_use]
    pub fn new(actions: Vec<Arc<dyn Handler>>) -> Self {
        Self(actions)
    }

    /// None: for a function that reaches no tool.
    #[must_use]
    pub fn none() -> Self {
        Self(Vec::new())
    }
}

impl Tools for ActionTools {
    fn run<'a>(&'a self, tool: ToolId, call: &'a Call) -> SourceFuture<'a, Value> {
        Box::pin(async move {
            let action = self.0.iter().find(|action| action.name() == tool.as_str());
            let Some(action) = action else {
                return Err(Box::new(ConnectError::ToolUnavailable(tool.as_str())) as SourceError);
            };
            action.run(call).await.map_err(|error| Box::new(error) as SourceError)
        })
    }
}
