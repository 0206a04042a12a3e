//! From operations as they are written to those that are applied: what may be left out has its value.

use countersign_registry::actions::transform_data as declared;
use countersign_registry::shape::Names;

use super::{Aggregate, MAX_RECORDS, Operation};

impl From<declared::Operation> for Operation {
    fn from(written: declared::Operation) -> Self {
        match written {
            declared::Operation::Filter { field, operator, value } => {
                Self::Filter { field, operator: operator.unwrap_or_default(), value }
            }
            declared::Operation::Sort { field, direction } => {
                Self::Sort { field, descending: direction == Some(declared::Direction::Desc) }
            }
            declared::Operation::Aggregate { group_by, function, field, name } => {
                let name = name.unwrap_or_else(|| function.result_name(field.as_deref()));
                Self::Aggregate(Aggregate { group_by: names(group_by), function, field, name })
            }
            declared::Operation::Deduplicate { field, fields } => {
                Self::Deduplicate { fields: names(fields.or(field)) }
            }
            declared::Operation::Limit { count, value, limit } => {
                let count = count.or(value).or(limit).map(usize::try_from);
                Self::Limit { count: count.and_then(Result::ok).unwrap_or(MAX_RECORDS) }
            }
        }
    }
}

fn names(names: Option<Names>) -> Vec<String> {
    names.map(Names::into_vec).unwrap_or_default()
}
