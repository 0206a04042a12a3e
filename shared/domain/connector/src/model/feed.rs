//! What is particular to an `rss_feed` (F-101).

use countersign_registry::{DataType, Field};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{OutputSchema, Parameter, RateLimit};

/// The connection of an `rss_feed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedConnection {
    /// The feeds, at least one.
    pub feeds: Vec<Feed>,
    /// How often a monitor should ask; default 60.
    pub poll_interval_minutes: u32,
    /// Items returned by one call, newest first; default 50.
    pub max_items_per_poll: u32,
    /// Seconds one request may take; default 30.
    pub timeout_seconds: u32,
    /// How often they may be requested, all feeds together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
}

/// One feed: RSS, Atom or JSON Feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feed {
    /// Its address.
    pub url: String,
    /// What calls name it by.
    pub name: String,
    /// One sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// What an endpoint of an `rss_feed` does. `get_recent` is all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "operation"))]
pub enum FeedOperation {
    /// The items of the last hours.
    #[default]
    GetRecent,
}

impl FeedOperation {
    /// The argument that names one feed.
    pub const FEED_NAME: &'static str = "feed_name";
    /// The argument that says how old items may be.
    pub const SINCE_HOURS: &'static str = "since_hours";

    /// What every call may pass, whether the YAML declares it or not.
    #[must_use]
    pub fn parameters() -> [Parameter; 2] {
        let parameter = |name: &str, data_type, description: &str, default: Value| Parameter {
            name: name.to_owned(),
            data_type,
            description: description.to_owned(),
            required: false,
            default: Some(default),
        };
        [
            parameter(
                Self::FEED_NAME,
                DataType::String,
                "one feed by its name; `all` reads every feed",
                "all".into(),
            ),
            parameter(
                Self::SINCE_HOURS,
                DataType::Number,
                "how old an item may be; items without a date are kept",
                24.into(),
            ),
        ]
    }

    /// What one item becomes.
    #[must_use]
    pub fn output() -> OutputSchema {
        let field = |(name, data_type, description)| Field::described(name, data_type, description);
        let fields = [
            ("title", DataType::String, "the headline"),
            ("summary", DataType::String, "what the item says of itself, without markup"),
            ("published", DataType::Date, "when it was published, or last changed, in UTC"),
            ("link", DataType::String, "its address"),
            ("category", DataType::String, "its categories, with commas between them"),
            ("author", DataType::String, "who wrote it"),
            ("feed", DataType::String, "the feed it came from"),
            ("_item_id", DataType::String, "the same in every call, for monitors"),
        ];
        OutputSchema::inferred_records(fields.map(field).into())
    }
}
