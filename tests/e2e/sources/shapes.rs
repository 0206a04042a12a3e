//! Pages, shapes of output, web pages and feeds.

use serde_json::{Value, json};
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, ResponseTemplate};

use super::{Template, bind, copy, output, own};
use crate::case::{Person, person};
use crate::provider_server;

/// An agent with a connector of its owner's, whose calls these steps make.
async fn run(connector: &str, steps: &str) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": connector })).await;
    let id = connector.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, id).await;
    ana.playbook(&format!(
        "id: read-{id}\nname: Read\ndescription: Reads.\nversion: 1.0.0\nexecution_mode: deterministic\nrequired_connectors: [{id}]\nsteps:\n{steps}"
    ))
    .await;
    let run = ana.start(&agent, &format!("read-{id}"), json!({})).await;
    ana.reaches(&run, "complete").await;
    (ana, run)
}

fn ok(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

#[tokio::test]
async fn f_096_pages_are_followed_and_the_next_step_goes_on_from_the_cursor() {
    let server = provider_server::start().await;
    for page in 1..=5 {
        let rows: Vec<Value> = (1..=2).map(|row| json!({ "n": page * 10 + row })).collect();
        let answer = ok(json!({ "rows": rows, "total": 10, "more": page < 5 }));
        let asked = Mock::given(path("/lists/a%20b")).and(query_param("page", page.to_string()));
        asked.and(query_param("sort", "n")).respond_with(answer).mount(&server).await;
    }
    let connector = format!(
        "id: test-pages
name: Pages
type: rest_api
version: 1.0.0
description: Pages of rows.
connection: {{ base_url: '{}' }}
endpoints:
  rows:
    description: All rows of a list.
    path: /lists/{{list}}
    parameters: [{{ name: list, type: string, required: true }}, {{ name: sort, type: string }}]
    pagination: {{ type: page, page_size: 2, more_path: more, max_pages: 2 }}
    response_mapping: {{ results_path: rows, fields: {{ n: n }} }}
    output_schema: {{ type: record_set, fields: [{{ name: n, type: integer }}], metadata_fields: [{{ name: total, type: integer, path: total }}] }}
",
        server.uri()
    );
    let call = "step_type: tool, action: call_connector, connector: test-pages, endpoint: rows";
    let steps = format!(
        "  - {{name: first, {call}, inputs: {{list: a b, sort: n}}}}\n  - {{name: second, {call}, inputs: {{list: a b, sort: n, _cursor: \"{{first._next_cursor}}\"}}}}\n  - {{name: last, {call}, inputs: {{list: a b, sort: n, _cursor: \"{{second._next_cursor}}\"}}}}\n"
    );
    let (ana, run) = run(&connector, &steps).await;
    for (step, rows, next) in [
        ("first", vec![11, 12, 21, 22], json!(3)),
        ("second", vec![31, 32, 41, 42], json!(5)),
        ("last", vec![51, 52], Value::Null),
    ] {
        let found = output(&ana, &run, step).await;
        let read = found["results"].as_array().unwrap().iter().map(|row| row["n"].clone());
        assert_eq!(Value::from_iter(read), json!(rows), "{found:#}");
        assert_eq!((&found["_next_cursor"], &found["total"]), (&next, &json!(10)));
        assert_eq!(
            (&found["has_more"], &found["_has_more"]),
            (&json!(!next.is_null()), &json!(!next.is_null()))
        );
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 5);
}

#[tokio::test]
async fn f_091_an_object_gives_its_fields_and_a_scalar_its_value() {
    let server = provider_server::start().await;
    let company = json!({ "company": { "name": "Mill Ltd", "staff": "1,250", "funds": 10.50, "founded": "1999-01-02T00:00:00", "active": 1, "tags": "wood", "seat": { "city": "Dover" } } });
    Mock::given(path("/company")).respond_with(ok(company)).mount(&server).await;
    Mock::given(path("/count")).respond_with(ok(json!({ "hits": "42" }))).mount(&server).await;
    let connector = format!(
        "id: test-shapes
name: Shapes
type: rest_api
version: 1.0.0
description: One record, and one value.
connection: {{ base_url: '{}' }}
endpoints:
  company:
    description: One company.
    path: /company
    response_mapping:
      results_path: company
      fields: {{ name: name, staff: staff, funds: funds, founded: founded, active: active, tags: tags, seat: seat, city: seat.city }}
    output_schema:
      type: object
      fields:
        - {{ name: name, type: string }}
        - {{ name: staff, type: integer }}
        - {{ name: funds, type: decimal }}
        - {{ name: founded, type: date }}
        - {{ name: active, type: boolean }}
        - {{ name: tags, type: 'string[]' }}
        - {{ name: seat, type: object }}
        - {{ name: city, type: string }}
  hits:
    description: How many there are.
    path: /count
    response_mapping: {{ fields: {{ hits: hits }} }}
    output_schema: {{ type: scalar, fields: [{{ name: hits, type: integer }}] }}
",
        server.uri()
    );
    let call = "step_type: tool, action: call_connector, connector: test-shapes";
    let steps = format!(
        "  - {{name: one, {call}, endpoint: company}}\n  - {{name: count, {call}, endpoint: hits}}\n  - {{name: both, step_type: tool, action: write_journal_entry, inputs: {{summary: \"{{one.name}} of {{one.city}}: {{count.value}}\"}}}}\n"
    );
    let (ana, run) = run(&connector, &steps).await;
    let one = output(&ana, &run, "one").await;
    for (field, value) in [
        ("name", json!("Mill Ltd")),
        ("staff", json!(1_250)),
        ("funds", json!("10.5")),
        ("founded", json!("1999-01-02")),
        ("active", json!(true)),
        ("tags", json!(["wood"])),
        ("seat", json!({ "city": "Dover" })),
        ("city", json!("Dover")),
        ("warnings", json!([])),
        ("results", Value::Null),
    ] {
        assert_eq!(one[field], value, "{field}: {one:#}");
    }
    assert_eq!(output(&ana, &run, "count").await["value"], 42);
    let journal = ana.get("/journal").await;
    assert!(journal.to_string().contains("Mill Ltd of Dover: 42"), "{journal:#}");
}

const COURT: &str = "id: test-court
name: Court
type: web_scraper
version: 1.0.0
description: Cases of a court.
connection: { base_url: 'ADDRESS', delay_seconds: 0 }
endpoints:
  cases:
    description: Cases of a year.
    path: /cases/{year}
    query: { q: '{term}' }
    parameters: [{ name: year, type: integer, required: true }, { name: term, type: string }]
    locale: en-US
    list: table.cases tr.case
    fields:
      - { field: number, selector: td.no }
      - { field: link, selector: td.no a, attr: href }
      - { field: parties, selector: td.parties li, type: 'string[]' }
      - { field: sum, selector: td.sum, type: decimal }
      - { field: filed, selector: td.filed, type: date }
    next_page: a[rel=next]
    max_pages: 2
    response_mapping: { entity_type: court_case, entity_extraction: [{ field: parties, entity_type: auto }] }
  hidden:
    description: What the site does not want to be read.
    path: /private
    fields: [{ field: title, selector: h1 }]
";

fn html(rows: &str, next: &str) -> ResponseTemplate {
    let page = format!(
        "<!doctype html><title>Cases</title><nav>menu</nav><table class=cases><tr><th>No</th></tr>{rows}</table>{next}"
    );
    ResponseTemplate::new(200).set_body_raw(page, "text/html")
}

#[tokio::test]
async fn f_098_pages_are_read_with_selectors_as_far_as_robots_txt_allows() {
    let server = provider_server::start().await;
    let robots = "User-agent: *\nDisallow: /private\n";
    let robots = ResponseTemplate::new(200).set_body_string(robots);
    Mock::given(path("/robots.txt")).respond_with(robots).mount(&server).await;
    let first = "<tr class=case><td class=no><a href='/case/7#top'> A-7 </a><td class=parties><ul><li>Mill Ltd<li>Dover</ul><td class=sum>$1,250.50<td class=filed>03/09/2024</tr>";
    let second =
        "<tr class=case><td class=no>A-8<td class=parties><td class=sum>n/a<td class=filed></tr>";
    let asked = |page: u32, answer| {
        let given = Mock::given(path("/cases/2024")).and(query_param("page", page.to_string()));
        given.respond_with(answer).with_priority(1)
    };
    asked(2, html(second, "")).mount(&server).await;
    let next = "<a rel=next href='/cases/2024?q=mill&page=2'>more</a>";
    let asked = Mock::given(path("/cases/2024")).and(query_param("q", "mill"));
    asked.respond_with(html(first, next)).mount(&server).await;
    let call = "step_type: tool, action: call_connector, connector: test-court";
    let steps = format!(
        "  - {{name: read, {call}, endpoint: cases, inputs: {{year: 2024, term: mill}}}}\n"
    );
    let (ana, run) = run(&COURT.replace("ADDRESS", &server.uri()), &steps).await;
    let found = output(&ana, &run, "read").await;
    let rows: Vec<Value> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| own("test-court", "cases", row))
        .collect();
    let link = format!("{}/case/7", server.uri());
    assert_eq!(
        json!(rows),
        json!([
            { "number": "A-7", "link": link, "parties": ["Mill Ltd", "Dover"], "sum": "1250.50", "filed": "2024-03-09" },
            { "number": "A-8", "link": null, "parties": [], "sum": null, "filed": null },
        ])
    );
    assert_eq!(
        (&found["warning_count"], &found["has_more"]),
        (&json!(1), &json!(false)),
        "{found:#}"
    );
    let hidden = json!({ "endpoint": "hidden" });
    let said = ana.post("/connectors/test-court/test", &hidden).await;
    assert_eq!(said["error"]["code"], "ROBOTS_DISALLOWED", "{said:#}");
    let requests = server.received_requests().await.unwrap();
    assert!(requests.iter().all(|request| request.url.path() != "/private"));
}

#[tokio::test]
async fn f_087_f_101_f_117_the_feeds_of_the_register_are_read_as_they_document() {
    let template = Template::read("federal-register-rss");
    let server = provider_server::start().await;
    let now = jiff::Zoned::now().strftime("%a, %d %b %Y %H:%M:%S %z").to_string();
    let feed = template.answer("get_recent").replace("Tue, 03 Mar 2026 05:00:00 GMT", &now);
    let answer =
        |body: String| ResponseTemplate::new(200).set_body_raw(body, "application/rss+xml");
    let old = feed.replace(&now, "Tue, 03 Mar 2020 05:00:00 GMT").replace("99001", "99002");
    for (kind, body) in [("RULE", feed), ("NOTICE", old)] {
        let asked = Mock::given(path("/api/v1/documents.rss"));
        let asked = asked.and(query_param("conditions[type][]", kind));
        asked.and(query_param("order", "newest")).respond_with(answer(body)).mount(&server).await;
    }
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let moved = template.yaml.replace("https://www.federalregister.gov", &server.uri());
    copy(&ana, &template, &moved).await;
    bind(&ana, &agent, &template, "").await;
    let call = "step_type: tool, action: call_connector, connector: federal-register-rss, endpoint: get_recent";
    ana.playbook(&format!(
        "id: read-feeds\nname: Read\ndescription: Reads.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n  - {{name: rules, {call}, inputs: {{feed_name: rules, since_hours: 48}}}}\n  - {{name: notices, {call}, inputs: {{feed_name: notices}}}}\n"
    ))
    .await;
    let run = ana.start(&agent, "read-feeds", json!({})).await;
    ana.reaches(&run, "complete").await;
    let rules = output(&ana, &run, "rules").await;
    let rule = own("federal-register-rss", "get_recent", &rules["results"][0]);
    let link = "https://www.federalregister.gov/documents/2026/03/03/2026-99001/harbor-dredging";
    let id = format!("rules/{link}");
    assert_eq!(rules["count"], 1, "{rules:#}");
    for (field, value) in [
        ("title", "Harbor Dredging; Reporting of Contracts"),
        ("summary", "The agency changes what contractors report."),
        ("link", link),
        ("_item_id", id.as_str()),
        ("category", "Rule"),
        ("author", "Maritime Administration"),
        ("feed", "rules"),
    ] {
        assert_eq!(rule[field], value, "{field}: {rule:#}");
    }
    let published: jiff::Timestamp = rule["published"].as_str().unwrap().parse().unwrap();
    let age = jiff::Timestamp::now().duration_since(published);
    assert!(age < jiff::SignedDuration::from_hours(1), "{rule:#}");
    let notices = output(&ana, &run, "notices").await;
    assert_eq!(notices["count"], 0, "what is older than a day is left out: {notices:#}");
}
