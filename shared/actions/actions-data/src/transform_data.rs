//! `transform_data` (F-051): operations on a list of records, in order.

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::transform_data as declared;

use crate::transform::{Operation, apply};

pub(crate) struct TransformData;

impl Perform for TransformData {
    type Action = declared::TransformData;

    async fn perform(
        &self,
        _: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        transform(inputs, params)
    }
}

fn transform(
    inputs: declared::Inputs,
    params: declared::Params,
) -> Result<declared::Output, ActionError> {
    let operations: Vec<Operation> = params.operations.into_iter().map(Into::into).collect();
    let done =
        apply(inputs.data.items, &operations).map_err(|error| ActionError::from_failure(&error))?;
    Ok(declared::Output {
        count: done.records.len(),
        data: done.records,
        warning_count: done.warnings.count(),
        warnings: done.warnings.kept().to_vec(),
    })
}
