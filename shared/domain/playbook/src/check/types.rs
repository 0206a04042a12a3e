//! The types of variables and results.

use countersign_registry::{DataType, Field, record_of};

use crate::draft::{Draft, DraftAction, DraftKind};
use crate::model::{ForEach, InputType, OutputSchema, Shape};

/// The type of a playbook's variable.
pub(crate) fn input_type(input: InputType) -> DataType {
    match input {
        InputType::String | InputType::EntityName => DataType::String,
        InputType::Number => DataType::Number,
        InputType::Decimal => DataType::Decimal,
        InputType::Date => DataType::Date,
        InputType::List => DataType::array(DataType::Any),
    }
}

/// The type of a step's result.
pub(crate) fn result_type(draft: &Draft<'_>, step: usize) -> DataType {
    let own = &draft.steps[step];
    match &own.kind {
        DraftKind::Action(action) if own.for_each.is_some() => {
            record_of(&ForEach::outputs(action_type(action)))
        }
        DraftKind::Action(action) => action_type(action),
        DraftKind::Parallel => {
            let own =
                (0..draft.steps.len()).filter(|&child| draft.steps[child].parent == Some(step));
            DataType::Record(
                own.map(|child| Field::new(draft.steps[child].key(), result_type(draft, child)))
                    .collect(),
            )
        }
        // A gate's result is the decision; its fields belong to the approval, not to the playbook.
        DraftKind::Approval(_) => DataType::Object,
        DraftKind::Unknown => DataType::Any,
    }
}

/// The type of what one call of an action gives back.
pub(crate) fn action_type(action: &DraftAction<'_>) -> DataType {
    if !action.has_known_result {
        return DataType::Any;
    }
    match (&action.output_schema, action.contract, action.endpoint) {
        (Some(schema), ..) => schema_type(schema),
        (None, _, Some(endpoint)) => record_of(&endpoint.outputs),
        (None, Some(contract), None) if !contract.is_open() => contract.output_type(),
        _ => DataType::Any,
    }
}

/// The type of a model's answer.
pub(crate) fn schema_type(schema: &OutputSchema) -> DataType {
    match schema.shape {
        Shape::Object => DataType::Record(schema.fields.clone()),
        Shape::RecordSet => DataType::Record(vec![
            Field::new("results", DataType::records(schema.fields.clone())),
            Field::new("count", DataType::Integer),
        ]),
        Shape::Scalar => {
            let value =
                schema.fields.first().map_or(DataType::String, |field| field.data_type.clone());
            DataType::Record(vec![Field::new("value", value)])
        }
    }
}
