//! What an endpoint of a connector has that was not there before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Nothing;
use crate::{Action, Problem, TOOL_CONNECT};

/// The declaration.
#[derive(Debug)]
pub struct DetectNewData;

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// The connector.
    #[schemars(length(min = 1))]
    pub connector: String,
    /// The endpoint; it must only read.
    #[schemars(length(min = 1))]
    pub endpoint: String,
    /// The field that says when a record came or changed; left out, the first of `published`, `updated_at`, `updated`,
    /// `created_at`, `filed_at`, `date` that holds a time.
    pub date_field: Option<String>,
    /// Whether the endpoint gives a list to whose end new records are added, such as the lines of a log: how many are known is
    /// remembered, not which, so that records need neither an id nor a date, and two that are alike are two.
    #[serde(default)]
    pub append_only: bool,
    /// The endpoint's arguments.
    #[serde(default)]
    pub extra_params: Map<String, Value>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The new records, the oldest first, as the endpoint gives them.
    pub results: Vec<Map<String, Value>>,
    /// How many there are.
    pub count: usize,
    /// Whether there are more than one look takes.
    pub has_more: bool,
    /// Where the step stands once they are processed.
    pub watermark: Option<String>,
    /// Where it stood before.
    pub previous_watermark: Option<String>,
}

impl Action for DetectNewData {
    const NAME: &'static str = "detect_new_data";
    const FUNCTION: &'static str = TOOL_CONNECT;
    const DESCRIPTION: &'static str =
        "Finds what a connector's endpoint has that was not there at the last look.";
    const REFUSED: [&'static str; 3] = ["DETECT_ARGUMENT"; 3];
    type Inputs = Nothing;
    type Params = Params;
    type Output = Output;

    fn rules(params: &Params) -> Vec<Problem> {
        let message = "`date_field` has no effect: with `append_only` records need no date";
        let is_unused = params.append_only && params.date_field.is_some();
        let hint = "leave it out; a monitor that has looked already then begins anew".to_owned();
        let told = || Problem::without_effect("date_field", message).hint(Some(hint));
        is_unused.then(told).into_iter().collect()
    }
}
