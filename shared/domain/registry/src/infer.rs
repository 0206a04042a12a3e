//! What is known of a call before a run: fields that params name although the records do not have them, and the types of
//! outputs that follow from those of the inputs.

use std::collections::BTreeMap;

use countersign_document::{did_you_mean, listed, nearest};

use crate::data_type::{DataType, Field};
use crate::explain::{Path, Problem, ProblemKind};

/// The types of the values that are wired to inputs; one that is not listed is not known.
pub type InputTypes = BTreeMap<String, DataType>;

/// What an action says about the types of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inferred {
    /// Fields that the records do not have.
    pub problems: Vec<Problem>,
    /// Outputs whose types are known more closely than the contract declares.
    pub outputs: Vec<(&'static str, DataType)>,
}

/// The fields of the records of an input: of a list, or of a record set. `None` when they are not declared.
#[must_use]
pub fn records<'t>(inputs: &'t InputTypes, input: &str) -> Option<&'t [Field]> {
    let items = match inputs.get(input)? {
        DataType::Record(fields) => &fields.iter().find(|field| field.name == "results")?.data_type,
        other => other,
    };
    match items {
        DataType::Array(item) => match item.as_ref() {
            DataType::Record(fields) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}

/// The type of a field by dotted path, as records are read in a run: a key that itself has dots is found first.
///
/// # Errors
/// The problem at `at`, when no record has such a field.
pub fn field_type(fields: &[Field], dotted: &str, at: &Path) -> Result<DataType, Problem> {
    if let Some(field) = fields.iter().find(|field| field.name == dotted) {
        return Ok(field.data_type.clone());
    }
    let mut parts = dotted.split('.');
    let first = parts.next().unwrap_or_default();
    let Some(field) = fields.iter().find(|field| field.name == first) else {
        return Err(unknown(fields, dotted, first, at));
    };
    let below = parts.try_fold(&field.data_type, |data_type, part| match data_type {
        DataType::Record(fields) => fields
            .iter()
            .find(|field| field.name == part)
            .map(|field| &field.data_type)
            .ok_or_else(|| unknown(fields, dotted, part, at)),
        DataType::Array(item) if part.parse::<usize>().is_ok() => Ok(item.as_ref()),
        DataType::Any | DataType::Object => Ok(&DataType::Any),
        _ => Err(unknown(&[], dotted, part, at)),
    });
    below.cloned()
}

fn unknown(fields: &[Field], dotted: &str, part: &str, at: &Path) -> Problem {
    let names = || fields.iter().map(|field| field.name.as_str());
    let all = || format!("the fields are {}", listed(names().take(12)));
    let likely = nearest(part, names()).map(did_you_mean);
    let hint = likely.or_else(|| (!fields.is_empty()).then(all));
    let message = format!("the records have no field `{dotted}`");
    Problem::new(at.clone(), ProblemKind::UnknownField, message).hint(hint)
}

/// Adds a problem for a param that names a field of the records of an input.
pub(crate) fn check_field(
    inferred: &mut Inferred,
    inputs: &InputTypes,
    input: &str,
    (param, field): (&str, Option<&str>),
) {
    if let (Some(fields), Some(field)) = (records(inputs, input), field) {
        inferred.problems.extend(field_type(fields, field, &Path::of(param)).err());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<Field> {
        let payee = vec![Field::new("name", DataType::String)];
        vec![
            Field::new("amount", DataType::Decimal),
            Field::new("payee", DataType::Record(payee)),
            Field::new("lines", DataType::records(vec![Field::new("text", DataType::String)])),
            Field::new("more", DataType::Object),
            Field::new("a.b", DataType::Integer),
        ]
    }

    fn check(dotted: &str, expect: Result<DataType, Option<&str>>) {
        let found = field_type(&fields(), dotted, &Path::of("field"));
        let found = found.map_err(|problem| problem.hint);
        assert_eq!(found, expect.map_err(|hint| hint.map(str::to_owned)), "{dotted}");
    }

    #[test]
    fn a_field_is_found_as_records_are_read() {
        check("amount", Ok(DataType::Decimal));
        check("payee.name", Ok(DataType::String));
        check("lines.0.text", Ok(DataType::String));
        check("more.whatever.else", Ok(DataType::Any));
        check("a.b", Ok(DataType::Integer));
        check("amuont", Err(Some("did you mean `amount`?")));
        check("payee.nmae", Err(Some("did you mean `name`?")));
        check("amount.cents", Err(None));
        check("lines.text", Err(None));
    }

    #[test]
    fn records_are_those_of_a_list_or_of_a_record_set() {
        let list = DataType::records(fields());
        let set = DataType::Record(vec![Field::new("results", list.clone())]);
        for data_type in [list, set] {
            let inputs = InputTypes::from([("data".to_owned(), data_type)]);
            assert_eq!(records(&inputs, "data"), Some(&*fields()));
        }
        for data_type in [DataType::Any, DataType::array(DataType::Object), DataType::Object] {
            let inputs = InputTypes::from([("data".to_owned(), data_type)]);
            assert_eq!(records(&inputs, "data"), None);
        }
    }
}
