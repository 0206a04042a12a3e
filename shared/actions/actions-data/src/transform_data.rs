//! `transform_data` (F-051): operations on a list of records, in order.

use countersign_registry::action::{Action, ActionError, Call};
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::given;
use crate::transform::{Operation, apply};

pub(crate) struct TransformData;

impl Action for TransformData {
    fn name(&self) -> &'static str {
        "transform_data"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move { transform(call) })
    }
}

fn transform(call: &Call) -> Result<Value, ActionError> {
    let records = given::records(call, "data")?.into_owned();
    let operations = match call.params.get("operations") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => {
            Operation::parse_all(items).map_err(|error| ActionError::from_failure(&error))?
        }
        Some(other) => {
            return Err(ActionError::terminal(
                "BAD_PARAM",
                format!("`operations` must be a list, not {}", given::kind(other)),
            ));
        }
    };
    let done = apply(records, &operations).map_err(|error| ActionError::from_failure(&error))?;
    let mut output = Map::new();
    output.insert("count".to_owned(), done.records.len().into());
    output.insert("data".to_owned(), done.records.into());
    done.warnings.write(&mut output);
    Ok(output.into())
}
