//! `web_scraper`.

use countersign_document::Severity;

use crate::model::{Connection, Operation, ValueType};
use crate::{ConnectorDefinition, endpoint_contract, parse};

const CASES: &str = "\
id: court-cases
name: Court cases
type: web_scraper
version: 1.0.0
connection:
  base_url: https://courts.example.org
  headers: { accept-language: en }
endpoints:
  search:
    description: finds cases
    path: /cases/{year}
    query: { q: '{term}', sort: newest }
    parameters:
      - { name: year, type: integer, required: true }
      - { name: term, type: string }
    list: 'table.cases tr:not(:first-child)'
    fields:
      - { field: number, selector: td.no }
      - { field: filed, selector: time, attr: DateTime, type: date }
      - { field: parties, selector: li, type: 'string[]' }
    next_page: 'a[rel=next]'
    max_pages: 5
    response_mapping:
      entity_type: court_case
      entity_extraction: [{ field: parties, entity_type: auto }]
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

fn cases() -> ConnectorDefinition {
    parse(CASES).definition.unwrap()
}

#[test]
fn f_098_a_scraper_is_read_whole() {
    let definition = cases();
    assert_eq!(definition.kind(), "web_scraper");
    let Connection::WebScraper(connection) = &definition.connection else {
        panic!("{definition:?}")
    };
    assert_eq!((connection.delay_seconds, connection.timeout_seconds), (1, 30));
    let Operation::Scrape(rules) = &definition.endpoints["search"].operation else { panic!() };
    assert_eq!((rules.bounds.max_pages, rules.bounds.max_records), (5, 1_000));
    assert_eq!(rules.fields[1].attr.as_deref(), Some("datetime"));
    assert_eq!(rules.fields[2].value_type, ValueType::StringList);
    let json = serde_json::to_string(&definition).unwrap();
    assert_eq!(serde_json::from_str::<ConnectorDefinition>(&json).unwrap(), definition);
}

#[test]
fn f_098_its_contract_reads_and_has_its_fields() {
    let contract = endpoint_contract(&cases(), "search").unwrap();
    assert!(!contract.irreversible);
    let names: Vec<_> = contract.inputs.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(names, ["year", "term"]);
    let names: Vec<_> = contract.outputs.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "results",
            "count",
            "has_more",
            "_has_more",
            "warnings",
            "warning_count",
            "_stale",
            "_stale_age_seconds"
        ]
    );
}

#[test]
fn f_098_every_problem_has_its_place() {
    let broken = CASES
        .replace("'table.cases tr:not(:first-child)'", "'tr >'")
        .replace("selector: td.no", "selector: 'td..no'")
        .replace("attr: DateTime", "attr: 'a b'")
        .replace("type: 'string[]'", "type: text")
        .replace("{year}", "{yaer}");
    check(
        &broken,
        &["11:11 placeholder", "16:11 selector", "18:36 selector", "19:47 attr", "20:47 type"],
    );
}

#[test]
fn k_76_robots_cannot_be_switched_off() {
    let switched =
        |value| CASES.replace("endpoints:", &format!("  respect_robots: {value}\nendpoints:"));
    check(&switched("false"), &["8:19 respect_robots"]);
    check(&switched("true"), &[]);
}

#[test]
fn k_76_more_pages_need_a_link_to_them() {
    check(&CASES.replace("    next_page: 'a[rel=next]'\n", ""), &["10:5 max_pages"]);
    check(&CASES.replace("    max_pages: 5\n", ""), &[]);
    check(&CASES.replace("courts.example.org", "courts.example.org?x=1"), &["6:13 base_url"]);
}
