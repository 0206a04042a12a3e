//! Records by selectors.

use countersign_connector::{Operation, ScrapeRules, parse};
use serde_json::{Value, json};

use super::{html, url};
use crate::{Body, PageError, PageRecords, read_records};

fn rules(block: &str) -> ScrapeRules {
    let yaml = format!(
        "id: s\nname: S\ntype: web_scraper\nversion: 1.0.0\nconnection: {{ base_url: 'https://example.org' }}\nendpoints:\n  e:\n    description: d\n    path: /p\n{block}"
    );
    let parsed = parse(&yaml);
    let Some(definition) = parsed.definition else { panic!("{:#?}", parsed.diagnostics) };
    match &definition.endpoints["e"].operation {
        Operation::Scrape(rules) => (**rules).clone(),
        other => panic!("{other:?}"),
    }
}

const LIST: &str = "    list: 'ul.cases > li'
    fields:
      - { field: name, selector: 'a.name, b' }
      - { field: link, selector: a, attr: href }
      - { field: id, attr: data-id, type: integer }
      - { field: tags, selector: '.tag', type: 'string[]' }
    next_page: '.pager .next'
    max_pages: 2
";

const PAGE: &str = "<!doctype html><ul class=cases>
 <li data-id=7><a class=name href='/c/7#top'> The  <i>first</i>\n case </a><span class=tag>a</span><span class=tag>b</span>
 <li data-id=x><b>Second</b><script>var name = 1</script>
 </ul><ul><li>not this one</ul><p class=pager><span class=next><a href='?p=2'>next</a></span>";

fn read(rules: &ScrapeRules, page: &str, most: usize) -> PageRecords {
    read_records(rules, &html(&url(), page.as_bytes()), most, &|| true).unwrap()
}

#[test]
fn f_098_each_element_of_the_list_is_a_record() {
    let found = read(&rules(LIST), PAGE, 10);
    let expect = [
        json!({ "name": "The first case", "link": "https://example.org/c/7", "id": 7, "tags": ["a", "b"] }),
        json!({ "name": "Second", "link": null, "id": null, "tags": [] }),
    ];
    assert_eq!(found.records.into_iter().map(Value::from).collect::<Vec<_>>(), expect);
    assert_eq!(found.warnings, ["record 2, field `id`: `x` is not of type integer"]);
    assert!(!found.more);
}

#[test]
fn f_311_a_figure_is_what_a_reader_of_the_page_sees() {
    let rules = rules("    list: li\n    fields:\n      - { field: paid, type: decimal }\n");
    let page = "<!doctype html><ul>
 <li>3.00<sup>1</sup><li>12<sub>1</sub><li>4<a href='#n'>2</a>
 <li><span style='display:none'>0007</span>8.00<li><i hidden>9</i>1.00<li><b>1</b><i>2</i>.50</ul>";
    let found = read(&rules, page, 10);
    let paid: Vec<Value> = found.records.into_iter().map(|record| record["paid"].clone()).collect();
    let null = Value::Null;
    let expect = [null.clone(), null.clone(), null, json!("8.00"), json!("1.00"), json!("12.50")];
    assert_eq!(paid, expect);
    assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
}

#[test]
fn f_098_no_more_records_than_were_asked_for() {
    let found = read(&rules(LIST), PAGE, 1);
    assert_eq!((found.records.len(), found.more), (1, true));
}

#[test]
fn k_76_the_next_page_stays_with_its_site_and_leads_on() {
    let next = |page: &str| read(&rules(LIST), page, 1).next.map(String::from);
    assert_eq!(next(PAGE).as_deref(), Some("https://example.org/list/page?p=2"));
    let link = |href: &str| format!("<p class=pager><a class=next href='{href}'>more</a>");
    assert_eq!(next(&link("/other")).as_deref(), Some("https://example.org/other"));
    for href in
        ["https://elsewhere.org/", "http://example.org/x", "javascript:more()", "?p=1", "#2"]
    {
        assert_eq!(next(&link(href)), None, "{href}");
    }
    let read_at = |href: &str| read(&rules(LIST), &link(href), 1);
    let elsewhere = read_at("http://example.org/x?key=1");
    assert!(elsewhere.more);
    let said = "there is more, but the next page is said to be at `http://example.org`, which is not the connector's address: it was not fetched";
    assert_eq!(elsewhere.warnings, [said]);
    let same = read_at("?p=1");
    assert_eq!((same.more, same.warnings.len()), (false, 0));
    let based = format!("<base href='https://cdn.example.net/'>{}", link("x"));
    assert_eq!(next(&based), None, "a base of another site leads elsewhere");
}

#[test]
fn f_098_without_a_list_the_page_is_one_record() {
    let one = rules(
        "    fields: [{ field: title, selector: h1 }, { field: all, selector: p, type: 'string[]' }]\n",
    );
    let found = read(&one, "<h1>A</h1><p>x<p>y", 10);
    assert_eq!(Value::from(found.records[0].clone()), json!({ "title": "A", "all": ["x", "y"] }));
}

#[test]
fn f_098_pages_in_other_encodings_are_read() {
    let one = rules("    fields: [{ field: title, selector: h1 }]\n");
    let page = b"<meta charset=windows-1252><h1>Caf\xe9</h1>";
    let found = read_records(&one, &html(&url(), page), 1, &|| true);
    assert_eq!(found.unwrap().records[0]["title"], "Café");
}

#[test]
fn f_098_what_is_no_html_page_is_refused() {
    let one = rules("    fields: [{ field: title, selector: h1 }]\n");
    let read = |content_type, bytes: &[u8]| {
        read_records(&one, &Body { url: &url(), content_type, bytes }, 1, &|| true).unwrap_err()
    };
    assert_eq!(read(Some("text/html"), b"%PDF-1.7 ..."), PageError::Pdf);
    assert_eq!(
        read(Some("application/json"), b"{}").to_string(),
        "the address holds `application/json`, not an HTML page"
    );
}

#[test]
fn reading_stops_when_its_caller_says_so() {
    let stopped = read_records(&rules(LIST), &html(&url(), PAGE.as_bytes()), 10, &|| false);
    assert_eq!(stopped.unwrap_err(), PageError::Time);
}

const FIGURES: &str = "    list: li
    fields:
      - { field: sum, selector: b, type: decimal }
      - { field: name, selector: i }
      - { field: tags, selector: u, type: 'string[]' }
";

#[test]
fn f_311_of_figures_that_differ_the_first_counts_and_it_is_said() {
    let page = "<ul><li><b>10.0</b><b>10.00</b><i>a</i><i>b</i><li><b>5</b><b>6</b><b>7</b></ul>";
    let found = read(&rules(FIGURES), page, 10);
    assert_eq!((&found.records[0]["sum"], &found.records[1]["sum"]), (&json!("10.0"), &json!("5")));
    let said = "record 2, field `sum`: another element of this selector has `6`; only the first, `5`, counts";
    assert_eq!(found.warnings, [said]);
}

#[test]
fn f_098_values_of_a_list_that_are_left_out_are_said() {
    let of = |count: usize| format!("<ul><li>{}</ul>", "<u>x</u>".repeat(count));
    let found = read(&rules(FIGURES), &of(1_000), 10);
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    let found = read(&rules(FIGURES), &of(1_001), 10);
    assert_eq!(found.records[0]["tags"].as_array().map(Vec::len), Some(1_000));
    let said = "record 1, field `tags`: there are more than 1000 values; the rest is left out";
    assert_eq!(found.warnings, [said]);
}

#[test]
fn f_098_a_value_that_is_cut_is_said_with_its_place() {
    let long = "é".repeat(50_001);
    let page = |text: &str| {
        format!("<ul><li><i>short</i><li><i>{text}</i><u>{text}</u><u>{text}</u></ul>")
    };
    let found = read(&rules(FIGURES), &page(&long), 10);
    let kept = "é".repeat(50_000);
    assert_eq!(found.records[1]["name"], kept);
    assert_eq!(found.records[1]["tags"], json!([kept, kept]));
    assert_eq!(
        found.warnings,
        [
            "record 2, field `name`: a value has more than 100000 bytes; the rest of it is left out",
            "record 2, field `tags`: 2 values have more than 100000 bytes; the rest of each is left out",
        ]
    );
    let found = read(&rules(FIGURES), &page(&kept), 10);
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}
