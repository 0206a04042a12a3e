//! Searches the web.

use std::borrow::Cow;

use countersign_identity::{Requirement, Role};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct SearchWeb;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What to look for.
    #[schemars(length(min = 1, max = 400))]
    pub query: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// At most this many, 1 to 50.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    pub max_results: u64,
    /// Where to look, such as general or news; left out, everywhere.
    pub categories: Option<Categories>,
    /// Whether to look deeper and to give the text of the pages too, cut when it is long; it costs more.
    pub deep: Option<bool>,
}

/// Words; a connector may give them as one text with commas.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Categories {
    /// With commas between the words.
    Text(String),
    /// One by one.
    Words(Vec<String>),
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The best first; source is the site.
    pub results: Vec<Found>,
    /// How many there are.
    pub count: usize,
    /// What was asked for and is not there, if anything.
    pub note: Option<String>,
    /// Where it was not looked, because a request failed, was late or did not fit into the day.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Found {
    pub title: String,
    pub url: String,
    pub snippet: String,
    pub source: String,
    /// How well it fits, as whoever searched says; a higher one fits better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The text of the page, of a deep search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

fn ten() -> u64 {
    10
}

impl JsonSchema for Categories {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Categories".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "items": { "type": "string", "format": "category" }, "maxItems": 5, "x-one-text": true,
        })
    }
}

impl Action for SearchWeb {
    const NAME: &'static str = "search_web";
    const FUNCTION: &'static str = "tool-web";
    const DESCRIPTION: &'static str = "Searches the web.";
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { requirement: Requirement::role(Role::Analyst), ..contract }
    }
}
