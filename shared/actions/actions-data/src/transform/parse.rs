//! From JSON to operations, with every problem named by the operation's place.

use serde_json::{Map, Value};

use super::{
    Aggregate, Function, MAX_OPERATIONS, MAX_RECORDS, Operation, Operator, TransformError,
};

impl Operation {
    /// Reads the list as a playbook has it.
    ///
    /// # Errors
    /// [`TransformError::Invalid`] for the first operation that is not written as it should be.
    pub fn parse_all(items: &[Value]) -> Result<Vec<Self>, TransformError> {
        if items.len() > MAX_OPERATIONS {
            return Err(TransformError::TooMany {
                what: "operations",
                count: items.len(),
                limit: MAX_OPERATIONS,
            });
        }
        let parse = |(index, item): (usize, &Value)| {
            Self::parse(item).map_err(|problem| TransformError::Invalid { index, problem })
        };
        items.iter().enumerate().map(parse).collect()
    }

    fn parse(item: &Value) -> Result<Self, String> {
        let fields = item.as_object().ok_or("an operation must be an object with a `type`")?;
        match required(fields, "type")? {
            "filter" => filter(fields),
            "sort" => sort(fields),
            "aggregate" => aggregate(fields),
            "deduplicate" => deduplicate(fields),
            "limit" => limit(fields),
            other => Err(format!(
                "`{other}` is not an operation; the known ones are filter, sort, aggregate, deduplicate and limit"
            )),
        }
    }
}

fn filter(fields: &Map<String, Value>) -> Result<Operation, String> {
    known(fields, &["field", "operator", "value"])?;
    let operator = match fields
        .get("operator")
        .map_or(Ok("eq"), |v| v.as_str().ok_or("`operator` must be a text"))?
    {
        "eq" => Operator::Eq,
        "ne" => Operator::Ne,
        "gt" => Operator::Gt,
        "gte" => Operator::Gte,
        "lt" => Operator::Lt,
        "lte" => Operator::Lte,
        "contains" => Operator::Contains,
        "in" => Operator::In,
        other => {
            return Err(format!(
                "`{other}` is not an operator; the known ones are eq, ne, gt, gte, lt, lte, contains and in"
            ));
        }
    };
    let value = fields.get("value").ok_or("a filter needs a `value`")?.clone();
    if operator == Operator::In && !value.is_array() {
        return Err("the operator `in` needs a list as `value`".to_owned());
    }
    Ok(Operation::Filter { field: required(fields, "field")?.to_owned(), operator, value })
}

fn sort(fields: &Map<String, Value>) -> Result<Operation, String> {
    known(fields, &["field", "direction"])?;
    let descending = match fields.get("direction").map_or(Some("asc"), Value::as_str) {
        Some("asc") => false,
        Some("desc") => true,
        _ => return Err("`direction` must be `asc` or `desc`".to_owned()),
    };
    Ok(Operation::Sort { field: required(fields, "field")?.to_owned(), descending })
}

fn aggregate(fields: &Map<String, Value>) -> Result<Operation, String> {
    known(fields, &["group_by", "function", "field", "as"])?;
    let function = match required(fields, "function")? {
        "sum" => Function::Sum,
        "count" => Function::Count,
        "avg" => Function::Avg,
        "min" => Function::Min,
        "max" => Function::Max,
        "count_distinct" => Function::CountDistinct,
        other => {
            return Err(format!(
                "`{other}` is not a function; the known ones are sum, count, avg, min, max and count_distinct"
            ));
        }
    };
    let field = fields.get("field").and_then(Value::as_str).map(str::to_owned);
    if field.is_none() && function != Function::Count {
        return Err("this function needs a `field`".to_owned());
    }
    let group_by = names(fields, "group_by")?;
    let name = match fields.get("as") {
        Some(Value::String(name)) if !name.is_empty() => name.clone(),
        Some(_) => return Err("`as` must be a text".to_owned()),
        None => field.as_ref().map_or_else(
            || function.as_str().to_owned(),
            |field| format!("{}_{field}", function.as_str()),
        ),
    };
    if group_by.contains(&name) {
        return Err(format!("`as` may not be `{name}`, which the groups have already"));
    }
    Ok(Operation::Aggregate(Aggregate { group_by, function, field, name }))
}

fn deduplicate(fields: &Map<String, Value>) -> Result<Operation, String> {
    known(fields, &["field", "fields"])?;
    let key = if fields.contains_key("fields") { "fields" } else { "field" };
    Ok(Operation::Deduplicate { fields: names(fields, key)? })
}

fn limit(fields: &Map<String, Value>) -> Result<Operation, String> {
    known(fields, &["count", "value", "limit"])?;
    let count = ["count", "value", "limit"]
        .iter()
        .find_map(|key| fields.get(*key))
        .ok_or("a limit needs a `count`")?;
    let count = count.as_u64().ok_or("`count` must be a whole number, 0 or more")?;
    Ok(Operation::Limit { count: usize::try_from(count).unwrap_or(MAX_RECORDS) })
}

fn required<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    let text = fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| format!("`{name}` is missing or not a text"))
}

/// One name or a list of names; none when absent.
fn names(fields: &Map<String, Value>, name: &str) -> Result<Vec<String>, String> {
    let bad = || format!("`{name}` must be a field or a list of fields");
    match fields.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(field)) => Ok(vec![field.clone()]),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(bad)).collect()
        }
        Some(_) => Err(bad()),
    }
}

/// A misspelt key is refused, not ignored.
fn known(fields: &Map<String, Value>, names: &[&str]) -> Result<(), String> {
    match fields.keys().find(|key| *key != "type" && !names.contains(&key.as_str())) {
        Some(key) => Err(format!("`{key}` is not known here; known are {}", names.join(", "))),
        None => Ok(()),
    }
}
