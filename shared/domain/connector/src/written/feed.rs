//! Connection and endpoint of an `rss_feed` (F-101).

use countersign_document::{List, Rules};
use countersign_registry::DataType;
use schemars::JsonSchema;
use serde::Deserialize;

use super::connection::{Connects, RateLimit};
use super::egress::check_public;
use super::endpoint::{Ends, Parameter, Shared};
use super::mapping::{Output, RecordMapping, RecordOutput};
use super::text::{FeedAddress, FeedName};
use crate::bounds::{MaxItemsPerPoll, PollIntervalMinutes, TimeoutSeconds};
use crate::model::{self, Connection, FeedOperation, Operation, OutputSchema};

/// Feeds to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedConnection {
    /// The feeds.
    #[schemars(extend("x-code" = "feeds"))]
    feeds: List<Feed, 1, 50>,
    /// How often a monitor should ask.
    #[serde(default)]
    poll_interval_minutes: PollIntervalMinutes,
    /// Items of one call, over all feeds, newest first.
    #[serde(default)]
    max_items_per_poll: MaxItemsPerPoll,
    /// Seconds one request may take.
    #[serde(default)]
    timeout_seconds: TimeoutSeconds,
    /// How often the source may be called.
    rate_limit: Option<RateLimit>,
}

/// A feed: RSS, Atom or JSON Feed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Feed {
    /// The feed's address, HTTPS.
    url: FeedAddress,
    /// What calls name it by; `all` is taken.
    name: FeedName,
    /// One sentence.
    #[serde(default)]
    description: String,
}

impl Connects for FeedConnection {
    fn model(&self) -> Option<Connection> {
        let feed = |feed: &Feed| model::Feed {
            url: feed.url.as_str().to_owned(),
            name: feed.name.as_str().trim().to_owned(),
            description: feed.description.trim().to_owned(),
        };
        Some(Connection::RssFeed(model::FeedConnection {
            feeds: self.feeds.iter().map(feed).collect(),
            poll_interval_minutes: self.poll_interval_minutes.to(),
            max_items_per_poll: self.max_items_per_poll.to(),
            timeout_seconds: self.timeout_seconds.to(),
            rate_limit: self.rate_limit.as_ref().map(|limit| limit.0),
        }))
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        let name = |feed: &Feed| feed.name.as_str().trim().to_ascii_lowercase();
        for (n, feed) in self.feeds.iter().enumerate() {
            rules.within("feeds", |rules| {
                rules.within(n, |rules| check_public("url", feed.url.as_str(), rules));
            });
            if self.feeds[..n].iter().any(|other| name(other) == name(feed)) {
                let message = format!("two feeds are called `{}`", feed.name);
                rules.error("duplicate", &format!("/feeds/{n}/name"), message);
            }
        }
    }
}

/// The items of the last hours. A feed's format says how it writes dates: it has no locale.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedEndpoint {
    /// What it does, in one sentence: people and models choose by it.
    #[serde(default)]
    description: String,
    /// What it does.
    #[serde(default)]
    operation: FeedOperation,
    /// Other words and defaults for `feed_name` and `since_hours`, which every call may pass.
    #[serde(default)]
    parameters: Vec<Parameter>,
    /// What the records stand for.
    #[serde(default)]
    response_mapping: RecordMapping,
    /// What comes back.
    output_schema: Option<RecordOutput>,
}

impl Ends for FeedEndpoint {
    fn shared(&self) -> Shared<'_> {
        Shared {
            description: &self.description,
            key: "parameters",
            parameters: &self.parameters,
            mapping: &self.response_mapping,
            output: self.output_schema.as_ref().map(|output| output as &dyn Output),
            locale: None,
            currency: None,
            expected: &[],
        }
    }

    /// A connector may give the two parameters other words and defaults.
    fn parameters(&self, mut declared: Vec<model::Parameter>) -> Vec<model::Parameter> {
        for known in FeedOperation::parameters() {
            match declared.iter_mut().find(|parameter| parameter.name == known.name) {
                None => declared.push(known),
                Some(declared) => {
                    if declared.default.is_none() && !declared.required {
                        declared.default = known.default;
                    }
                    if declared.description.is_empty() {
                        declared.description = known.description;
                    }
                }
            }
        }
        declared
    }

    fn operation(&self, _: &[model::Parameter]) -> Option<(Operation, OutputSchema)> {
        Some((Operation::ReadFeeds(self.operation), FeedOperation::output()))
    }

    fn rules(
        &self,
        parameters: &[model::Parameter],
        _: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        let known = FeedOperation::parameters();
        for parameter in parameters {
            let message = match known.iter().find(|known| known.name == parameter.name) {
                None => {
                    format!("a feed takes `feed_name` and `since_hours`, not `{}`", parameter.name)
                }
                Some(known) if !fits(&parameter.data_type, &known.data_type) => {
                    format!("`{}` must be of type {}", known.name, known.data_type)
                }
                Some(_) => continue,
            };
            rules.error("parameters", "", message);
        }
    }
}

/// A whole number is a number.
fn fits(declared: &DataType, known: &DataType) -> bool {
    declared == known || *known == DataType::Number && *declared == DataType::Integer
}
