//! `rss_feed`.

use serde_json::json;

use countersign_document::Severity;

use crate::model::Connection;
use crate::{ConnectorDefinition, endpoint_contract, parse};

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
        .map(|problem| format!("{}:{} {}", problem.place().0, problem.place().1, problem.code))
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
        &["6:10 feeds"],
    );
}
