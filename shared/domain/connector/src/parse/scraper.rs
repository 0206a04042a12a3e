//! Connection and endpoint of a `web_scraper` (F-098, K-76).

use countersign_registry::Field;

use super::bounds;
use super::connection::{address, headers, rate_limit};
use super::field::{Named, named, unique};
use super::rest::{path, query};
use crate::css::CssSelector;
use crate::diagnostic::{Diagnostics, Position};
use crate::model::{
    Connection, Operation, OutputSchema, OutputShape, PageBounds, Parameter, ScrapeField,
    ScrapeRules, ScraperConnection, ValueType,
};
use crate::reading::Reading;
use crate::yaml::{Kind, Mapping};

pub(super) fn connection(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<Connection> {
    let base_url = map
        .required_text("base_url", out)
        .and_then(|(text, at)| address("base_url", text, at, out));
    let headers = headers(&mut map, out);
    let delay_seconds = bounds::DELAY_SECONDS.of(&mut map, out);
    let timeout_seconds = bounds::TIMEOUT_SECONDS.of(&mut map, out);
    let rate_limit = map.mapping("rate_limit", out).map(|rate| rate_limit(rate, out));
    if let Some(node) = map.get("respect_robots")
        && !matches!(node.kind, Kind::Bool(true))
    {
        out.error(
            "respect_robots",
            node.at,
            "robots.txt is always honoured: leave `respect_robots` out, or set it to true",
        );
    }
    map.finish(out);
    Some(Connection::WebScraper(ScraperConnection {
        base_url: base_url?,
        headers,
        delay_seconds,
        timeout_seconds,
        rate_limit,
    }))
}

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &[Parameter],
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    let path =
        map.required_text("path", out).and_then(|(text, at)| path(text, at, parameters, out));
    let query = query(map, parameters, None, out);
    let list = selector(map, "list", out);
    let at = map.at;
    let fields = fields(map, out);
    if fields.is_empty() {
        out.error("missing", at, "the endpoint has no `fields`");
    }
    let next_page = selector(map, "next_page", out);
    let pages = bounds::MAX_PAGES.given(map, out);
    if pages.is_some_and(|pages| pages > 1) && next_page.is_none() {
        out.error("max_pages", at, "`max_pages` needs `next_page`, the selector of its link");
    }
    let bounds =
        PageBounds { max_pages: pages.unwrap_or(1), max_records: bounds::MAX_RECORDS.of(map, out) };
    let output = inferred(&fields);
    let rules = ScrapeRules {
        path: path?,
        query,
        list,
        fields,
        next_page,
        bounds,
        reading: Reading::default(),
    };
    Some((Operation::Scrape(Box::new(rules)), output))
}

fn inferred(fields: &[ScrapeField]) -> OutputSchema {
    let described = |rule: &ScrapeField| Field {
        description: rule.description.clone(),
        ..Field::new(&rule.field, rule.value_type.data_type())
    };
    OutputSchema {
        shape: OutputShape::RecordSet,
        fields: fields.iter().map(described).collect(),
        inferred: true,
    }
}

fn selector(
    map: &mut Mapping<'_>,
    key: &'static str,
    out: &mut Diagnostics,
) -> Option<CssSelector> {
    let (text, at) = map.text(key, out)?;
    CssSelector::parse(text).map_err(|error| out.error("selector", at, error.to_string())).ok()
}

fn fields(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Vec<ScrapeField> {
    let mut all: Vec<ScrapeField> = Vec::new();
    for node in map.list("fields", out) {
        let Some(mut entry) = Mapping::of(node, "a field", out) else { continue };
        let selector = selector(&mut entry, "selector", out);
        let attr = entry.text("attr", out).and_then(|(text, at)| attribute(text, at, out));
        let Some(named) = named(entry, out) else { continue };
        unique(&named, all.iter().map(|rule| rule.field.as_str()), out);
        let Named { field, value_type, description, .. } = named;
        let value_type = value_type.unwrap_or(ValueType::String);
        all.push(ScrapeField { field, selector, attr, value_type, description });
    }
    all
}

/// Attributes of HTML are lower case.
fn attribute(text: &str, at: Position, out: &mut Diagnostics) -> Option<String> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_:.".contains(&b);
    if text.is_empty() || text.len() > 64 || !text.bytes().all(fits) {
        out.error("attr", at, format!("`{text}` is not the name of an attribute"));
        return None;
    }
    Some(text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use crate::model::{Connection, Operation, ValueType};
    use crate::{ConnectorDefinition, Severity, endpoint_contract, parse};

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
            .map(|problem| format!("{}:{} {}", problem.at.line, problem.at.column, problem.rule))
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
}
