//! Connection and endpoint of an `rss_feed` (F-101).

use countersign_registry::DataType;

use super::bounds;
use super::connection::{rate_limit, whole_address};
use crate::diagnostic::{Diagnostics, Position};
use crate::model::{
    Connection, Feed, FeedConnection, FeedOperation, Operation, OutputSchema, Parameter,
};
use crate::yaml::{Mapping, Node};

/// Feeds in one connector.
pub(crate) const MOST_FEEDS: usize = 50;

pub(super) fn connection(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<Connection> {
    let at = map.at;
    let nodes = map.list("feeds", out);
    if nodes.is_empty() || nodes.len() > MOST_FEEDS {
        out.error("feeds", at, format!("`feeds` must name 1 to {MOST_FEEDS} feeds"));
    }
    let mut feeds: Vec<Feed> = Vec::new();
    for node in nodes {
        let Some((feed, at)) = feed(node, out) else { continue };
        if feeds.iter().any(|other| other.name.eq_ignore_ascii_case(&feed.name)) {
            out.error("duplicate", at, format!("two feeds are called `{}`", feed.name));
        }
        feeds.push(feed);
    }
    let poll_interval_minutes = bounds::POLL_INTERVAL_MINUTES.of(&mut map, out);
    let max_items_per_poll = bounds::MAX_ITEMS_PER_POLL.of(&mut map, out);
    let timeout_seconds = bounds::TIMEOUT_SECONDS.of(&mut map, out);
    let rate_limit = map.mapping("rate_limit", out).map(|rate| rate_limit(rate, out));
    map.finish(out);
    Some(Connection::RssFeed(FeedConnection {
        feeds,
        poll_interval_minutes,
        max_items_per_poll,
        timeout_seconds,
        rate_limit,
    }))
}

fn feed(node: &Node, out: &mut Diagnostics) -> Option<(Feed, Position)> {
    let mut entry = Mapping::of(node, "a feed", out)?;
    let url = entry
        .required_text("url", out)
        .and_then(|(text, at)| whole_address("url", text, at, out).map(|_| text.to_owned()));
    let name = entry.required_text("name", out);
    let description =
        entry.text("description", out).map(|(text, _)| text.trim().to_owned()).unwrap_or_default();
    entry.finish(out);
    let (name, at) = name?;
    if name.trim().is_empty() || name.len() > 100 || name.eq_ignore_ascii_case("all") {
        out.error("name", at, "a feed's name has 1 to 100 characters and is not `all`");
    }
    Some((Feed { url: url?, name: name.trim().to_owned(), description }, at))
}

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &mut Vec<Parameter>,
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    let operation = match map.text("operation", out) {
        None | Some(("get_recent", _)) => Some(FeedOperation::GetRecent),
        Some((other, at)) => {
            let message = format!("`{other}` is not an operation of a feed");
            out.hinted("operation", at, message, "use `get_recent`");
            None
        }
    };
    declared(map.at, parameters, out);
    Some((Operation::ReadFeeds(operation?), FeedOperation::output()))
}

/// A connector may give the two parameters other words and defaults, but no others.
fn declared(at: Position, parameters: &mut Vec<Parameter>, out: &mut Diagnostics) {
    let known = FeedOperation::parameters();
    for parameter in parameters.iter() {
        match known.iter().find(|known| known.name == parameter.name) {
            None => out.error(
                "parameters",
                at,
                format!("a feed takes `feed_name` and `since_hours`, not `{}`", parameter.name),
            ),
            Some(known) if !fits(&parameter.data_type, &known.data_type) => out.error(
                "parameters",
                at,
                format!("`{}` must be of type {}", known.name, known.data_type),
            ),
            Some(_) => {}
        }
    }
    for known in known {
        match parameters.iter_mut().find(|parameter| parameter.name == known.name) {
            None => parameters.push(known),
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
}

/// A whole number is a number.
fn fits(declared: &DataType, known: &DataType) -> bool {
    declared == known || *known == DataType::Number && *declared == DataType::Integer
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::model::Connection;
    use crate::{ConnectorDefinition, Severity, endpoint_contract, parse};

    const NEWS: &str = "\
id: news
name: News
type: rss_feed
version: 1.0.0
connection:
  feeds:
    - { url: 'https://a.example.org/rss', name: A, description: the first }
    - { url: 'https://b.example.org/atom.xml', name: B }
endpoints:
  recent:
    description: what is new
    operation: get_recent
    response_mapping:
      entity_type: news_item
      entity_extraction: [{ field: title, entity_type: auto }]
";

    fn check(text: &str, expect: &[&str]) {
        let parsed = parse(text);
        let errors: Vec<String> = parsed
            .diagnostics
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .map(|problem| format!("{}:{} {}", problem.at.line, problem.at.column, problem.rule))
            .collect();
        assert_eq!(errors, expect, "{:#?}", parsed.diagnostics);
    }

    #[test]
    fn f_101_feeds_have_their_defaults() {
        let definition = parse(NEWS).definition.unwrap();
        assert_eq!(definition.kind(), "rss_feed");
        let Connection::RssFeed(feeds) = &definition.connection else { panic!("{definition:?}") };
        assert_eq!((feeds.poll_interval_minutes, feeds.max_items_per_poll), (60, 50));
        assert_eq!(feeds.feeds.len(), 2);
        let json = serde_json::to_string(&definition).unwrap();
        assert_eq!(serde_json::from_str::<ConnectorDefinition>(&json).unwrap(), definition);
    }

    #[test]
    fn f_101_get_recent_takes_a_name_and_hours() {
        let contract = endpoint_contract(&parse(NEWS).definition.unwrap(), "recent").unwrap();
        assert!(!contract.irreversible);
        let inputs: Vec<_> = contract
            .inputs
            .iter()
            .map(|slot| (slot.name.as_str(), slot.default.clone().unwrap()))
            .collect();
        assert_eq!(inputs, [("feed_name", json!("all")), ("since_hours", json!(24))]);
    }

    #[test]
    fn f_101_a_connector_may_choose_other_defaults_but_no_other_parameters() {
        let with = |parameters: &str| format!("{NEWS}    parameters: {parameters}\n");
        let week = with("[{ name: since_hours, type: integer, default: 168 }]");
        let contract = endpoint_contract(&parse(&week).definition.unwrap(), "recent").unwrap();
        let hours = contract.inputs.iter().find(|slot| slot.name == "since_hours").unwrap();
        assert_eq!(hours.default, Some(json!(168)));
        check(&with("[{ name: topic }]"), &["11:5 parameters"]);
        check(&with("[{ name: since_hours, type: string }]"), &["11:5 parameters"]);
    }

    #[test]
    fn f_101_every_problem_has_its_place() {
        let broken = NEWS
            .replace("https://b", "http://b")
            .replace("name: A", "name: all")
            .replace("get_recent", "get_all");
        check(&broken, &["7:49 name", "8:14 url", "12:16 operation"]);
        check(&NEWS.replace("name: B", "name: a"), &["8:54 duplicate"]);
        check(
            &NEWS.replace("  feeds:\n", "  feeds: []\n").replace("    - {", "  # {"),
            &["6:3 feeds"],
        );
    }
}
