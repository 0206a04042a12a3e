use indexmap::IndexMap;
use proptest::prelude::{ProptestConfig, proptest};
use serde_json::{Value, json};
use url::Url;

use super::{AnswerError, StatusMeaning, meaning, next_page, records};
use crate::JsonPath;
use crate::model::{Method, PageBounds, Pagination, RequestRules};
use crate::request::Request;

fn rules(results_path: Option<&str>, fields: &[(&str, &str)]) -> RequestRules {
    RequestRules {
        method: Method::Get,
        safe: false,
        path: "/".to_owned(),
        query: IndexMap::new(),
        headers: IndexMap::new(),
        body: None,
        pagination: Pagination::None,
        results_path: results_path.map(|path| JsonPath::parse(path).unwrap()),
        fields: fields
            .iter()
            .map(|(name, path)| ((*name).to_owned(), JsonPath::parse(path).unwrap()))
            .collect(),
    }
}

fn request(url: &str) -> Request {
    Request { method: Method::Get, url: Url::parse(url).unwrap(), headers: Vec::new(), body: None }
}

/// The query or address of the next page.
#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn check(
    pagination: Pagination,
    url: &str,
    answer: Value,
    count: usize,
    link: Option<&str>,
    expect: Option<&str>,
) {
    let next = next_page(&pagination, &request(url), &answer, count, link);
    assert_eq!(next.as_ref().map(|next| next.request.url.as_str()), expect);
}

#[test]
fn f_306_to_f_311_every_status_has_a_meaning() {
    for (status, expect) in [
        (200, StatusMeaning::Success),
        (204, StatusMeaning::Success),
        (304, StatusMeaning::Unexpected),
        (400, StatusMeaning::Refused),
        (401, StatusMeaning::AuthFailed),
        (403, StatusMeaning::AuthFailed),
        (404, StatusMeaning::Refused),
        (408, StatusMeaning::Unavailable),
        (429, StatusMeaning::Throttled),
        (500, StatusMeaning::Unavailable),
        (503, StatusMeaning::Unavailable),
    ] {
        assert_eq!(meaning(status), expect, "{status}");
    }
}

#[test]
fn f_090_records_are_found_and_mapped() {
    let answer = json!({ "data": { "items": [{ "name": "a", "owner": { "city": "x" }, "tags": [{ "n": 1 }, { "n": 2 }] }, { "name": "b" }] } });
    let mapped = rules(
        Some("data.items"),
        &[("title", "name"), ("city", "owner.city"), ("tags", "tags[*].n")],
    );
    assert_eq!(
        json!(records(&mapped, &answer).unwrap()),
        json!([{ "title": "a", "city": "x", "tags": [1, 2] }, { "title": "b", "city": null, "tags": null }])
    );
    assert_eq!(json!(records(&rules(None, &[]), &json!({ "a": 1 })).unwrap()), json!([{ "a": 1 }]));
    assert_eq!(
        json!(records(&rules(None, &[]), &json!([1, "x"])).unwrap()),
        json!([{ "value": 1 }, { "value": "x" }])
    );
    assert_eq!(
        records(&rules(Some("data.rows"), &[]), &answer),
        Err(AnswerError::NoResults("data.rows".to_owned()))
    );
    assert_eq!(records(&rules(Some("data"), &[]), &json!({ "data": null })).unwrap().len(), 0);
}

#[test]
fn k_76_pages_and_offsets_count_on() {
    let bounds = PageBounds::default();
    let page = || Pagination::Page {
        page_param: "page".into(),
        size_param: None,
        page_size: 2,
        first_page: 1,
        bounds,
    };
    check(page(), "https://a.b/?page=1&q=x", Value::Null, 2, None, Some("https://a.b/?q=x&page=2"));
    check(page(), "https://a.b/?page=1", Value::Null, 1, None, None);
    let offset = || Pagination::Offset {
        offset_param: "o".into(),
        limit_param: "l".into(),
        page_size: 2,
        bounds,
    };
    check(offset(), "https://a.b/?o=2&l=2", Value::Null, 2, None, Some("https://a.b/?l=2&o=4"));
    check(offset(), "https://a.b/?o=2&l=2", Value::Null, 0, None, None);
    check(Pagination::None, "https://a.b/", Value::Null, 9, None, None);
}

#[test]
fn k_76_cursors_end_and_never_loop() {
    let cursor = || Pagination::Cursor {
        cursor_param: "c".into(),
        cursor_path: JsonPath::parse("meta.next").unwrap(),
        bounds: PageBounds::default(),
    };
    check(
        cursor(),
        "https://a.b/",
        json!({ "meta": { "next": "x/y" } }),
        1,
        None,
        Some("https://a.b/?c=x%2Fy"),
    );
    check(cursor(), "https://a.b/?c=x", json!({ "meta": { "next": "x" } }), 1, None, None);
    for end in [
        json!({}),
        json!({ "meta": { "next": null } }),
        json!({ "meta": { "next": "" } }),
        json!([]),
    ] {
        check(cursor(), "https://a.b/", end, 1, None, None);
    }
}

#[test]
fn k_38_links_stay_with_their_host() {
    let link = || Pagination::LinkHeader { bounds: PageBounds::default() };
    let header = r#"<https://a.b/?page=1>; rel="prev", <https://a.b/?page=3>; rel="next""#;
    check(link(), "https://a.b/?page=2", Value::Null, 1, Some(header), Some("https://a.b/?page=3"));
    check(
        link(),
        "https://a.b/x",
        Value::Null,
        1,
        Some("</y?p=2>; rel=next"),
        Some("https://a.b/y?p=2"),
    );
    for other in [
        "<https://evil.example/>; rel=next",
        "<http://a.b/>; rel=next",
        "<https://a.b:8443/>; rel=next",
        "<x",
        "",
        "<https://a.b/2>; rel=last",
    ] {
        check(link(), "https://a.b/", Value::Null, 1, Some(other), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_link_header_panics(text in "[<>;,=\" a-z:/]{0,60}") {
        let link = Pagination::LinkHeader { bounds: PageBounds::default() };
        let _ = next_page(&link, &request("https://a.b/"), &Value::Null, 1, Some(&text));
    }

    #[test]
    fn no_path_panics(text in "[a-z.\\[\\]*0-9$]{0,30}") {
        if let Ok(path) = JsonPath::parse(&text) {
            let _ = path.find(&json!({ "a": [{ "b": [1] }] }));
        }
    }
}
