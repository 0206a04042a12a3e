//! Comparisons that the types of their sides decide, whatever the values are.

use countersign_decimal::Decimal;
use countersign_registry::DataType;
use countersign_zones::Moment;
use serde_json::Value;

use super::{Comparison, Condition, Expression, Operand};
use crate::reference::Reference;

/// A comparison whose result is known before anything runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The comparison as it is written.
    pub comparison: String,
    /// Whether it holds whenever both sides have a value; otherwise it never holds.
    pub holds: bool,
    /// The types of its sides, in words.
    pub why: String,
    /// What to write instead, where that is likely.
    pub hint: Option<String>,
}

impl Condition {
    /// The comparisons in it that the types of their sides decide. `of` gives the type that a reference leads to.
    #[must_use]
    pub fn settled(&self, of: &dyn Fn(&Reference) -> DataType) -> Vec<Settled> {
        let mut found = Vec::new();
        self.root.settled(of, &mut found);
        found
    }
}

impl Expression {
    fn settled(&self, of: &dyn Fn(&Reference) -> DataType, found: &mut Vec<Settled>) {
        match self {
            Self::Any(parts) | Self::All(parts) => {
                parts.iter().for_each(|part| part.settled(of, found));
            }
            Self::Not(inner) => inner.settled(of, found),
            Self::Compare(left, how, right) => {
                let sides = [Side::of(left, of), Side::of(right, of)];
                if !may_hold(&sides, *how) {
                    found.push(Settled {
                        comparison: format!("{left} {how} {right}"),
                        holds: *how == Comparison::Unequal,
                        why: types([left, right], of),
                        hint: hint([left, right], &sides, *how),
                    });
                }
            }
            Self::Defined(_) | Self::Holds(_) => {}
        }
    }
}

/// What is known of the values that one side of a comparison can have.
#[derive(Debug, Clone, PartialEq)]
enum Side<'c> {
    /// Nothing.
    Unknown,
    Null,
    Boolean,
    Number,
    /// A text that the condition has in quotes.
    Quoted(&'c str),
    /// A text.
    Text,
    /// A text that is a decimal.
    Decimal,
    /// A text that is a date or a time.
    Date,
    /// A list of such items.
    List(Vec<Side<'c>>),
    Object,
}

impl<'c> Side<'c> {
    fn of(operand: &'c Operand, of: &dyn Fn(&Reference) -> DataType) -> Self {
        match operand {
            Operand::Reference(reference) => Self::of_type(&of(reference)),
            Operand::Literal(value) => Self::of_value(value),
        }
    }

    fn of_type(data_type: &DataType) -> Self {
        match data_type {
            DataType::Any => Self::Unknown,
            DataType::Boolean => Self::Boolean,
            DataType::Integer | DataType::Number => Self::Number,
            DataType::String => Self::Text,
            DataType::Decimal => Self::Decimal,
            DataType::Date => Self::Date,
            DataType::Array(item) => Self::List(vec![Self::of_type(item)]),
            DataType::Object | DataType::Record(_) => Self::Object,
        }
    }

    fn of_value(value: &'c Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(text) => Self::Quoted(text),
            Value::Array(items) => Self::List(items.iter().map(Self::of_value).collect()),
            Value::Object(_) => Self::Object,
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Quoted(_) | Self::Text | Self::Decimal | Self::Date)
    }
}

/// Whether values of these sides could be compared so that it holds; of `!=`, so that it does not.
fn may_hold([left, right]: &[Side<'_>; 2], how: Comparison) -> bool {
    match how {
        Comparison::Equal | Comparison::Unequal => may_equal(left, right),
        Comparison::Greater | Comparison::AtLeast | Comparison::Less | Comparison::AtMost => {
            may_be_ordered(left, right)
        }
        Comparison::Contains => may_contain(left, right),
        Comparison::In => may_contain(right, left),
    }
}

fn may_equal(left: &Side<'_>, right: &Side<'_>) -> bool {
    use Side::{Boolean, List, Null, Object, Unknown};
    match (left, right) {
        // Whatever its type is, a value may be null.
        (Unknown | Null, _) | (_, Unknown | Null) => true,
        (Boolean, Boolean) | (List(_), List(_)) | (Object, Object) => true,
        _ => are_of_a_kind(left, right),
    }
}

fn may_be_ordered(left: &Side<'_>, right: &Side<'_>) -> bool {
    let has_order = |side: &Side<'_>| *side == Side::Number || side.is_text();
    match (left, right) {
        (Side::Unknown, Side::Unknown) => true,
        (Side::Unknown, known) | (known, Side::Unknown) => has_order(known),
        _ => are_of_a_kind(left, right),
    }
}

/// Whether both could be numbers, dates, or other texts.
fn are_of_a_kind(left: &Side<'_>, right: &Side<'_>) -> bool {
    match (left, right) {
        (Side::Number, Side::Number) => true,
        // A text that the condition has in quotes is never a number, and neither is a date.
        (Side::Number, other) | (other, Side::Number) => {
            matches!(other, Side::Text | Side::Decimal)
        }
        (Side::Decimal, Side::Date) | (Side::Date, Side::Decimal) => false,
        (Side::Quoted(text), Side::Decimal) | (Side::Decimal, Side::Quoted(text)) => {
            text.is_empty() || Decimal::canonical(text).is_some()
        }
        (Side::Quoted(text), Side::Date) | (Side::Date, Side::Quoted(text)) => {
            text.is_empty() || Moment::parse(text).is_some()
        }
        (one, other) => one.is_text() && other.is_text(),
    }
}

fn may_contain(whole: &Side<'_>, part: &Side<'_>) -> bool {
    match whole {
        Side::Unknown | Side::Null => true,
        Side::List(items) => items.iter().any(|item| may_equal(item, part)),
        Side::Object => part.is_text() || *part == Side::Unknown,
        Side::Boolean | Side::Number => false,
        Side::Quoted(_) | Side::Text | Side::Decimal | Side::Date => {
            part.is_text() || *part == Side::Unknown
        }
    }
}

/// The sides of which something is known, each with its type.
fn types(operands: [&Operand; 2], of: &dyn Fn(&Reference) -> DataType) -> String {
    let typed = operands.into_iter().map(|operand| {
        let data_type = match operand {
            Operand::Reference(reference) => of(reference).to_string(),
            Operand::Literal(value) => of_literal(value),
        };
        (operand, data_type)
    });
    let known = typed.filter(|(_, data_type)| *data_type != DataType::Any.to_string());
    let named = known.enumerate().map(|(n, (operand, data_type))| {
        let verb = if n == 0 { "is of" } else { "of" };
        format!("`{operand}` {verb} type {data_type}")
    });
    named.collect::<Vec<_>>().join(" and ")
}

fn of_literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Number(_) => DataType::Number.to_string(),
        Value::Array(_) => "list".to_owned(),
        other => DataType::of(other).to_string(),
    }
}

/// A number or a truth value in quotes, or the order of a truth value.
fn hint(operands: [&Operand; 2], sides: &[Side<'_>; 2], how: Comparison) -> Option<String> {
    let unquoted = |text: &str, other: &Side<'_>| match other {
        Side::Number => Decimal::canonical(text).is_some(),
        Side::Boolean => ["true", "false"].contains(&text),
        _ => false,
    };
    let [left, right] = sides;
    let quoted = [(left, right), (right, left)].into_iter().find_map(|(one, other)| match one {
        Side::Quoted(text) if unquoted(text, other) => Some(*text),
        _ => None,
    });
    if let Some(text) = quoted {
        return Some(format!("write `{text}` without quotation marks"));
    }
    let compares = matches!(how, Comparison::Equal | Comparison::Unequal);
    let mut named = operands.into_iter().zip(sides).filter(|(one, _)| one.reference().is_some());
    let boolean = named.find(|(_, side)| **side == Side::Boolean);
    boolean.filter(|_| !compares).map(|(operand, _)| {
        format!("`{operand}` is true or false: write it alone, or compare it with `==`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a condition; references are named after their types.
    fn told(condition: &str) -> Vec<String> {
        let of = |reference: &Reference| match reference.root() {
            "count" => DataType::Integer,
            "rate" => DataType::Number,
            "sum" => DataType::Decimal,
            "day" => DataType::Date,
            "name" => DataType::String,
            "done" => DataType::Boolean,
            "names" => DataType::array(DataType::String),
            "counts" => DataType::array(DataType::Integer),
            "record" => DataType::Object,
            _ => DataType::Any,
        };
        let settled = Condition::parse(condition).unwrap().settled(&of);
        settled
            .into_iter()
            .map(|one| format!("{} {}: {}", one.comparison, one.holds, one.why))
            .collect()
    }

    #[track_caller]
    fn check(conditions: &[&str], is_settled: bool) {
        for condition in conditions {
            assert_eq!(
                !told(condition).is_empty(),
                is_settled,
                "{condition}: {:?}",
                told(condition)
            );
        }
    }

    #[test]
    fn f_158_what_types_exclude_is_found() {
        check(
            &[
                "{done} > 'x'",
                "{done} >= 1",
                "{x} > true",
                "{x} < null",
                "{names} > 1",
                "{count} == 'abc'",
                "{count} == '5'",
                "{rate} > '5'",
                "{done} == 'true'",
                "{done} == 1",
                "{day} > 5",
                "{day} == {sum}",
                "{day} < 'soon'",
                "{sum} == 'abc'",
                "{record} == 'a'",
                "{names} == 'a'",
                "{count} contains 1",
                "{name} contains 5",
                "{counts} contains 'a'",
                "{count} in ['a', 'b']",
                "{done} in {names}",
                "{record} contains 5",
                "NOT ({count} != 'abc') OR {x} is defined",
            ],
            true,
        );
    }

    #[test]
    fn f_158_what_values_decide_is_left_to_them() {
        check(
            &[
                "{done}",
                "{done} == true",
                "{count} > 0",
                "{count} == {sum}",
                "{rate} > {name}",
                "{name} == '5'",
                "{name} > 5",
                "{sum} > 999.99",
                "{sum} == '1250.00'",
                "{sum} == ''",
                "{day} > '2026-12-31'",
                "{day} == ''",
                "{count} != null",
                "{done} == null",
                "{x} > 'a'",
                "{x} == true",
                "{x} contains 5",
                "{x} in ['a', 1]",
                "{count} in ['a', 1]",
                "{name} in ['a', 1]",
                "{names} contains 'a'",
                "{names} contains 5",
                "{name} contains 'a'",
                "{record} contains 'a'",
                "{record} == {x}",
                "{day} > {name}",
                "1 > 2",
                "'a' == 'b'",
            ],
            false,
        );
    }

    #[test]
    fn f_158_what_is_found_is_said_with_the_types_and_a_way_out() {
        let settled = |text: &str| {
            let of = |_: &Reference| DataType::Integer;
            Condition::parse(text).unwrap().settled(&of).remove(0)
        };
        let never = settled("{count} == '5' AND {count} > 1");
        assert_eq!((never.comparison.as_str(), never.holds), ("{count} == '5'", false));
        assert_eq!(never.why, "`{count}` is of type integer and `'5'` of type string");
        assert_eq!(never.hint.as_deref(), Some("write `5` without quotation marks"));
        assert!(settled("{count} != 'abc'").holds);
        let flag = told("{done} > 'x'");
        assert_eq!(
            flag,
            ["{done} > 'x' false: `{done}` is of type boolean and `'x'` of type string"]
        );
        assert_eq!(told("{x} > true"), ["{x} > true false: `true` is of type boolean"]);
    }
}
