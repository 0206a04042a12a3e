//! Filters, sorts, groups, deduplicates and cuts a list of records.

mod infer;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Action;
use crate::explain::{Path, Problem, ProblemKind};
use crate::infer::{Inferred, InputTypes};
use crate::shape::{AnyObject, Names, Records};

/// The declaration.
#[derive(Debug)]
pub struct TransformData;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The records.
    pub data: Records,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Applied in order: filter, sort, aggregate {group_by, function, field, as}, deduplicate, limit.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub operations: Vec<Operation>,
}

/// One operation, as it is written.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Keeps records whose field compares so with the value.
    Filter {
        /// Dotted path.
        #[schemars(length(min = 1))]
        field: String,
        /// How; left out, `eq`.
        operator: Option<Operator>,
        /// With what.
        value: Value,
    },
    /// Orders by a field; records that are equal keep their order.
    Sort {
        /// Dotted path.
        #[schemars(length(min = 1))]
        field: String,
        /// Left out, `asc`.
        direction: Option<Direction>,
    },
    /// One record per group.
    Aggregate {
        /// Dotted paths; none puts all records into one group.
        group_by: Option<Names>,
        /// What is computed.
        function: Function,
        /// Of which field; only `count` needs none.
        #[schemars(length(min = 1))]
        field: Option<String>,
        /// The key of the result; left out, function and field.
        #[serde(rename = "as")]
        #[schemars(length(min = 1))]
        name: Option<String>,
    },
    /// Keeps the first record of each; by these fields, or by the whole record when there are none. A record in which all
    /// of these fields are null is kept, with a warning.
    Deduplicate {
        /// A dotted path.
        field: Option<Names>,
        /// Dotted paths.
        fields: Option<Names>,
    },
    /// Keeps the first so many.
    Limit {
        /// How many.
        count: Option<u64>,
        /// Another name of `count`.
        value: Option<u64>,
        /// Another name of `count`.
        limit: Option<u64>,
    },
}

/// How a filter compares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// Equal.
    #[default]
    Eq,
    /// Not equal.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
    /// A text has the value inside it, whatever the case; a list has it as an item.
    Contains,
    /// The field is one of the value's items.
    In,
}

/// Where a sort begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// With the least.
    #[default]
    Asc,
    /// With the greatest.
    Desc,
}

/// What is computed over a group. Values that are null or absent do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Function {
    /// The exact sum of numbers.
    Sum,
    /// How many records, or how many with a value in the field.
    Count,
    /// The mean of numbers, rounded half to even to six digits after the point, or as many as the values have; null for
    /// none.
    Avg,
    /// The least value; null for none.
    Min,
    /// The greatest value; null for none.
    Max,
    /// How many different values.
    CountDistinct,
}

impl Function {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The key of the result when `as` is left out.
    #[must_use]
    pub fn result_name(self, field: Option<&str>) -> String {
        match field {
            Some(field) => format!("{}_{field}", self.as_str()),
            None => self.as_str().to_owned(),
        }
    }
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The records that are left, in order.
    #[schemars(with = "Vec<AnyObject>")]
    pub data: Vec<Value>,
    /// How many are left.
    pub count: usize,
    /// Records that a filter left out or a sort ordered as greatest because it could not compare them, nulls that a figure leaves
    /// out, and fields that no record has: the first hundred.
    pub warnings: Vec<Warning>,
    /// How many there are.
    pub warning_count: u64,
}

/// A record that could not be compared, nulls, or a field that no record has. Records count from 0, as they stood when the operation began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Warning {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<usize>,
    pub field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub message: String,
}

impl Action for TransformData {
    const NAME: &'static str = "transform_data";
    const FUNCTION: &'static str = "tool-data";
    const DESCRIPTION: &'static str = "Filters, sorts, groups, deduplicates and limits records.";
    const REFUSED: [&'static str; 3] = ["BAD_INPUT", "BAD_OPERATION", "BAD_OPERATION"];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn rules(params: &Params) -> Vec<Problem> {
        let list = Path::of("operations");
        let operations = params.operations.iter().enumerate();
        operations.filter_map(|(n, operation)| operation.problem(&list.entry(n))).collect()
    }

    fn infer(params: &Params, inputs: &InputTypes) -> Inferred {
        infer::infer(params, inputs)
    }
}

impl Operation {
    /// What is wrong with an operation whose parts are well formed.
    fn problem(&self, at: &Path) -> Option<Problem> {
        use ProblemKind::{Missing, OutOfRange, WrongType};
        let (key, kind, message) = match self {
            Self::Filter { operator: Some(Operator::In), value, .. } if !value.is_array() => {
                ("value", WrongType, "the operator `in` needs a list as `value`".to_owned())
            }
            Self::Aggregate { function, field: None, .. } if *function != Function::Count => {
                ("field", Missing, format!("`{}` needs a `field`", function.as_str()))
            }
            Self::Aggregate { group_by: Some(groups), name: Some(name), .. }
                if groups.clone().into_vec().contains(name) =>
            {
                (
                    "as",
                    OutOfRange,
                    format!("`as` may not be `{name}`, which the groups have already"),
                )
            }
            Self::Deduplicate { field: Some(_), fields: Some(_) } => {
                ("field", OutOfRange, "name the fields once, under `fields`".to_owned())
            }
            Self::Limit { count, value, limit } => {
                match [count, value, limit].into_iter().flatten().count() {
                    0 => ("count", Missing, "`count` is missing".to_owned()),
                    1 => return None,
                    _ => ("count", OutOfRange, "name the number once, as `count`".to_owned()),
                }
            }
            _ => return None,
        };
        Some(Problem::new(at.key(key), kind, message))
    }
}
