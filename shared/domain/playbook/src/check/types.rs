//! The types of variables and results.

use countersign_registry::{DataType, Field, record_of};

use crate::draft::{Draft, DraftAction, DraftKind};
use crate::model::ForEach;

/// What the inputs of a step say about its outputs (`Action::infer`).
pub(crate) type InferredOutputs = Vec<(&'static str, DataType)>;

/// The type of a step's result. `inferred` has what is known of the outputs of the steps that were checked.
pub(crate) fn result_type(
    draft: &Draft<'_>,
    inferred: &[InferredOutputs],
    step: usize,
) -> DataType {
    let own = &draft.steps[step];
    match &own.kind {
        DraftKind::Action(action) if own.for_each.is_some() => {
            record_of(&ForEach::outputs(action_type(action)))
        }
        DraftKind::Action(action) => closer(action_type(action), inferred.get(step)),
        DraftKind::Parallel => {
            let own =
                (0..draft.steps.len()).filter(|&child| draft.steps[child].parent == Some(step));
            DataType::Record(
                own.map(|child| {
                    Field::new(draft.steps[child].key(), result_type(draft, inferred, child))
                })
                .collect(),
            )
        }
        // A gate's result is the decision; its fields belong to the approval, not to the playbook.
        DraftKind::Approval(_) => DataType::Object,
        DraftKind::Unknown => DataType::Any,
    }
}

/// The declared type, with the outputs of which more is known.
fn closer(declared: DataType, inferred: Option<&InferredOutputs>) -> DataType {
    let (DataType::Record(mut fields), Some(inferred)) = (declared.clone(), inferred) else {
        return declared;
    };
    for (name, data_type) in inferred {
        for field in fields.iter_mut().filter(|field| field.name == *name) {
            field.data_type = data_type.clone();
        }
    }
    DataType::Record(fields)
}

/// The type of what one call of an action gives back.
pub(crate) fn action_type(action: &DraftAction<'_>) -> DataType {
    if !action.has_known_result {
        return DataType::Any;
    }
    match (&action.output_schema, action.contract, action.endpoint) {
        (Some(schema), ..) => schema.data_type(),
        (None, _, Some(endpoint)) => record_of(&endpoint.outputs),
        (None, Some(contract), None) if !contract.is_open() => contract.output_type(),
        _ => DataType::Any,
    }
}
