//! Which fields the records have after each operation, and which that are named they do not have.

use super::{Function, Operation, Params};
use crate::data_type::{DataType, Field};
use crate::explain::{Path, Problem};
use crate::infer::{Inferred, InputTypes, field_type, records};
use crate::shape::Names;

pub(super) fn infer(params: &Params, inputs: &InputTypes) -> Inferred {
    let Some(fields) = records(inputs, "data") else { return Inferred::default() };
    let list = Path::of("operations");
    let mut inferred = Inferred::default();
    let mut fields = fields.to_vec();
    for (n, operation) in params.operations.iter().enumerate() {
        let problems = problems(operation, &fields, &list.entry(n));
        let is_wrong = !problems.is_empty();
        inferred.problems.extend(problems);
        if let Operation::Aggregate { group_by, function, field, name } = operation {
            if is_wrong {
                // What comes after it would be blamed for the same mistake.
                return inferred;
            }
            fields =
                grouped(&fields, group_by.as_ref(), *function, field.as_deref(), name.as_deref());
        }
    }
    inferred.outputs.push(("data", DataType::records(fields)));
    inferred
}

fn problems(operation: &Operation, fields: &[Field], at: &Path) -> Vec<Problem> {
    let one = |key, name: &str| field_type(fields, name, &at.key(key)).err();
    let all = |key, names: Option<&Names>| match names {
        Some(Names::One(name)) => one(key, name).into_iter().collect(),
        Some(Names::Several(names)) => {
            let entry =
                |(n, name): (usize, &String)| field_type(fields, name, &at.key(key).entry(n)).err();
            names.iter().enumerate().filter_map(entry).collect()
        }
        None => Vec::new(),
    };
    match operation {
        Operation::Filter { field, .. } | Operation::Sort { field, .. } => {
            one("field", field).into_iter().collect()
        }
        Operation::Aggregate { group_by, field, .. } => {
            let mut found: Vec<Problem> = all("group_by", group_by.as_ref());
            found.extend(field.as_deref().and_then(|field| one("field", field)));
            found
        }
        Operation::Deduplicate { field, fields } => {
            let mut found: Vec<Problem> = all("field", field.as_ref());
            found.extend::<Vec<Problem>>(all("fields", fields.as_ref()));
            found
        }
        Operation::Limit { .. } => Vec::new(),
    }
}

/// One record per group: the fields of the group, then the result.
fn grouped(
    fields: &[Field],
    group_by: Option<&Names>,
    function: Function,
    field: Option<&str>,
    name: Option<&str>,
) -> Vec<Field> {
    let type_of = |name: &str| field_type(fields, name, &Path::default()).unwrap_or(DataType::Any);
    let groups = group_by.cloned().map(Names::into_vec).unwrap_or_default();
    let mut out: Vec<Field> =
        groups.iter().map(|group| Field::new(group, type_of(group))).collect();
    let result = match function {
        Function::Count | Function::CountDistinct => DataType::Integer,
        Function::Min | Function::Max => field.map_or(DataType::Any, type_of),
        // A number, or a text when one of the values is.
        Function::Sum | Function::Avg => DataType::Any,
    };
    let name = name.map_or_else(|| function.result_name(field), str::to_owned);
    out.push(Field::new(&name, result));
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(operations: Value, problems: &[&str], left: Option<&str>) {
        let fields = ["vendor", "amount", "country"];
        let fields = fields.iter().map(|name| Field::new(name, DataType::String)).collect();
        let inputs = InputTypes::from([("data".to_owned(), DataType::records(fields))]);
        let operations = serde_json::from_value(operations).unwrap();
        let inferred = infer(&Params { operations }, &inputs);
        let paths: Vec<String> =
            inferred.problems.iter().map(|problem| problem.path.to_string()).collect();
        assert_eq!(paths, problems);
        let names = |data_type: &DataType| match data_type {
            DataType::Array(item) => match item.as_ref() {
                DataType::Record(fields) => {
                    fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(",")
                }
                _ => String::new(),
            },
            _ => String::new(),
        };
        assert_eq!(inferred.outputs.first().map(|(_, data)| names(data)).as_deref(), left);
    }

    #[test]
    fn f_161_fields_that_no_record_has_are_named_with_their_place() {
        let all = Some("vendor,amount,country");
        check(json!([{"type": "sort", "field": "amount"}]), &[], all);
        check(json!([{"type": "sort", "field": "amuont"}]), &["operations[0].field"], all);
        check(
            json!([{"type": "deduplicate", "fields": ["vendor", "inovice"]}]),
            &["operations[0].fields[1]"],
            all,
        );
        check(json!([{"type": "deduplicate"}, {"type": "limit", "count": 3}]), &[], all);
    }

    #[test]
    fn f_161_what_is_grouped_has_the_fields_of_its_group_and_the_result() {
        let by_vendor = json!({"type": "aggregate", "group_by": "vendor", "function": "sum", "field": "amount"});
        check(json!([by_vendor]), &[], Some("vendor,sum_amount"));
        check(
            json!([by_vendor, {"type": "sort", "field": "amount"}]),
            &["operations[1].field"],
            Some("vendor,sum_amount"),
        );
        let wrong =
            json!({"type": "aggregate", "group_by": ["vendro"], "function": "count", "as": "n"});
        check(
            json!([wrong, {"type": "sort", "field": "vendor"}]),
            &["operations[0].group_by[0]"],
            None,
        );
    }
}
