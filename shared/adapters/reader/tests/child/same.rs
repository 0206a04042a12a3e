//! A child finds what the readers find.

use countersign_connector::{Operation, ScrapeRules, parse};
use countersign_formats::{Limits, Stop};
use countersign_pages::{Body, ExtractMode, read_feed, read_page, read_records};
use countersign_reader::Bounds;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use serde_json::{Map, Value};
use tokio::time::Instant;
use url::Url;

use super::made::{self, XML};
use super::{PATIENCE, children, read, reader};

/// Reads with and without a child.
async fn check(endpoint: &str, bytes: &[u8]) {
    let here = reader(endpoint).read(bytes, &Limits::for_megabytes(50), &Stop::default());
    let there = read(&children(Bounds::default()), endpoint, bytes, PATIENCE).await;
    assert_eq!(there.as_ref().err(), here.as_ref().err(), "{endpoint}");
    if let (Ok(there), Ok(here)) = (there, here) {
        assert_eq!(there.warnings, here.warnings, "{endpoint}");
        assert!(!here.records.is_empty(), "{endpoint}");
        let all = |records: countersign_connector::Records| records.into_iter().collect::<Vec<_>>();
        assert_eq!(all(there.records), all(here.records), "{endpoint}");
    }
}

#[tokio::test]
async fn f_099_a_child_reads_every_format() {
    check(XML, &made::xml()).await;
    check("parser: csv", b"Name,Amount\nMill,1200.5\nWeir,\n").await;
    check(
        "parser: csv\nfields: [{ field: amount, column: Amount, type: number }]",
        b"Name,Amount\nMill,0.1\nWeir,much\n",
    )
    .await;
    check("parser: xlsx", &made::workbook()).await;
    check("parser: json", br#"[{"a": [1, {"b": 18446744073709551615}], "c": 1.0, "d": -0.0}]"#)
        .await;
    check("parser: jsonl", b"{\"a\":1}\nnonsense\n{\"a\":\"\\u0000\\n\"}\n").await;
    let table = "<table><tr><th>Name<th>Amount<tr><td>Mill<td>7</table>";
    check("parser: html_table", table.as_bytes()).await;
    check("parser: pdf_text", &made::pdf()).await;
    check("parser: pdf_text\nrecords: document", &made::pdf()).await;
}

#[tokio::test]
async fn f_099_a_child_says_what_is_wrong_in_the_same_words() {
    for (endpoint, bytes) in [
        (XML, &b""[..]),
        (XML, b"<a><b>"),
        (XML, b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"),
        (XML, b"<c/>"),
        (XML, b"<?xml version='1.0' encoding='nope'?><a/>"),
        ("parser: csv", b""),
        ("parser: csv\nfields: [{ field: a, column: B }]", b"A\n1\n"),
        ("parser: json", b"[1,"),
        ("parser: json\nresults_path: a.b", b"{}"),
        ("parser: xlsx", b"PK\x03\x04"),
        ("parser: html_table", b"<p>no table"),
        ("parser: pdf_text", b"%PDF-1.7\n%%EOF"),
    ] {
        check(endpoint, bytes).await;
    }
}

#[tokio::test]
async fn f_099_texts_that_records_share_come_back() {
    let one = "list_element: g/b\nfields: [{ field: num, xpath: '@n', type: integer }]\ncontext_fields: [{ field: title, xpath: t, type: string }, { field: none, xpath: u, type: string }]\n";
    check(one, b"<a><t>All</t><g><b n='1'/><b/><b n='3'/></g></a>").await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn f_099_any_values_come_back_from_a_child(rows in proptest::collection::vec((any::<f64>(), any::<i64>(), "\\PC{0,12}"), 1..20)) {
        let items: Vec<Value> = rows.iter().map(|(a, b, c)| serde_json::json!({ "a": a, "b": b, "c": c })).collect();
        let expect: Vec<Map<String, Value>> = items.iter().filter_map(|item| item.as_object().cloned()).collect();
        let bytes = serde_json::to_vec(&items).unwrap();
        let mapped = "parser: json\nfields: [{ field: a, path: a }, { field: b, path: b }, { field: c, path: c }]";
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for endpoint in ["parser: json", mapped] {
            let found = runtime.block_on(read(&children(Bounds::default()), endpoint, &bytes, PATIENCE)).unwrap();
            prop_assert_eq!(found.records.into_iter().collect::<Vec<_>>(), expect.clone());
        }
    }
}

fn rules() -> ScrapeRules {
    let yaml = "{id: s, name: S, type: web_scraper, version: 1.0.0, connection: {base_url: 'https://e.org'}, endpoints: \
                {e: {description: d, path: /, list: li, fields: [{field: name, selector: b}, {field: n, selector: i, type: integer}, {field: to, selector: a, attr: href}], next_page: .next}}}";
    match &parse(yaml).definition.unwrap().endpoints["e"].operation {
        Operation::Scrape(rules) => (**rules).clone(),
        other => panic!("{other:?}"),
    }
}

const PAGE: &str = "<html lang=en><head><title>Grants</title><meta name=author content=Mill></head><body><h1>Grants</h1>\
    <ul><li><b>Mill</b><i>7</i><a href=/mill>m</a><li><b>Weir</b><i>many</i><a href=/weir>w</a></ul>\
    <table><tr><th>A<th>B<tr><td>1<td>2</table><a class=next href='?page=2'>next</a></body></html>";

#[tokio::test]
async fn f_098_a_child_reads_pages_and_feeds() {
    let (readers, url) = (children(Bounds::default()), Url::parse("https://e.org/list").unwrap());
    let deadline = Instant::now() + PATIENCE;
    let body =
        |content_type, text: &'static str| Body { url: &url, content_type, bytes: text.as_bytes() };
    let html = body(Some("text/html; charset=utf-8"), PAGE);
    for most in [1, 10] {
        let expect = read_records(&rules(), &html, most, &|| true).unwrap();
        assert_eq!(readers.records(&rules(), &html, most, deadline).await.unwrap(), expect);
        assert!(expect.next.is_some() && expect.records.len() == most.min(2));
    }
    let json = body(Some("application/json"), "{\"a\": [1.5, null]}");
    let pdf = body(Some("application/pdf"), "%PDF-1.7");
    for mode in [ExtractMode::Text, ExtractMode::Markdown, ExtractMode::Structured] {
        for page in [html, json, pdf] {
            let expect = read_page(&page, mode, 1_000, &|| true);
            assert_eq!(readers.page(&page, mode, 1_000, deadline).await, expect);
        }
    }
    let feed = body(
        None,
        "<rss version='2.0'><channel><title>T</title><item><title>One</title><guid>1</guid><pubDate>Mon, 06 Sep 2021 00:01:00 +0000</pubDate></item><item><title>Two</title><link>https://e.org/2</link></item></channel></rss>",
    );
    for feed in [feed, html, json] {
        assert_eq!(readers.feed(&feed, deadline).await, read_feed(&feed));
    }
    assert_eq!(read_feed(&feed).unwrap().items.len(), 2);
    assert!(readers.records(&rules(), &json, 1, deadline).await.is_err());
}
