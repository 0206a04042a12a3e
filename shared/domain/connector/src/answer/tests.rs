use indexmap::IndexMap;
use proptest::prelude::{ProptestConfig, proptest};
use serde_json::{Value, json};
use url::Url;

use super::{StatusMeaning, Unreachable, meaning, next_page};
use crate::JsonPath;
use crate::model::{BodyFormat, Method, PageBounds, PagePlace, Pagination};
use crate::request::{Request, continue_at};

fn request(url: &str) -> Request {
    Request {
        method: Method::Get,
        url: Url::parse(url).unwrap(),
        headers: Vec::new(),
        body: None,
        body_format: BodyFormat::Json,
        key_param: None,
    }
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
    let next = next_page(&pagination, &request(url), &answer, count, link).unwrap();
    assert_eq!(next.as_ref().map(|next| next.request.url.as_str()), expect);
}

/// Checks that there is more and nothing leads to it.
#[track_caller]
fn check_lost(pagination: &Pagination, url: &str, answer: &Value, link: Option<&str>) {
    let next = next_page(pagination, &request(url), answer, 1, link);
    assert_eq!(next, Err(Unreachable::Nowhere), "{answer}");
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
        (408, StatusMeaning::TimedOut),
        (429, StatusMeaning::Throttled),
        (500, StatusMeaning::Unavailable),
        (503, StatusMeaning::Unavailable),
    ] {
        assert_eq!(meaning(status), expect, "{status}");
    }
}

#[test]
fn k_76_pages_and_offsets_count_on() {
    let bounds = PageBounds::default();
    let page = || Pagination::Page {
        page_param: "page".into(),
        size_param: None,
        page_size: 2,
        first_page: 1,
        place: PagePlace::Query,
        more_path: None,
        bounds,
    };
    check(page(), "https://a.b/?page=1&q=x", Value::Null, 2, None, Some("https://a.b/?q=x&page=2"));
    check(page(), "https://a.b/?page=1", Value::Null, 1, None, None);
    let offset = || Pagination::Offset {
        offset_param: "o".into(),
        limit_param: "l".into(),
        page_size: 2,
        place: PagePlace::Query,
        more_path: None,
        bounds,
    };
    check(offset(), "https://a.b/?o=2&l=2", Value::Null, 2, None, Some("https://a.b/?l=2&o=4"));
    check(offset(), "https://a.b/?o=2&l=2", Value::Null, 0, None, None);
    check(Pagination::None, "https://a.b/", Value::Null, 9, None, None);
}

#[test]
fn k_76_cursors_end_and_never_loop() {
    let cursor = || Pagination::Cursor {
        also: IndexMap::new(),
        cursor_param: "c".into(),
        cursor_path: JsonPath::parse("meta.next").unwrap(),
        place: PagePlace::Query,
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
    let same = json!({ "meta": { "next": "x" } });
    check_lost(&cursor(), "https://a.b/?c=x", &same, None);
    check(cursor(), "https://a.b/?c=x", same, 0, None, None);
    for lost in [json!(true), json!({ "id": 1 }), json!(["x"]), json!("http://a b")] {
        check_lost(&cursor(), "https://a.b/", &json!({ "meta": { "next": lost } }), None);
    }
    for end in [
        json!({}),
        json!({ "meta": { "next": false } }),
        json!({ "meta": { "next": [] } }),
        json!({ "meta": { "next": null } }),
        json!({ "meta": { "next": "" } }),
        json!([]),
    ] {
        check(cursor(), "https://a.b/", end, 1, None, None);
    }
}

#[test]
fn k_76_a_cursor_may_stand_in_an_address() {
    let cursor = Pagination::Cursor {
        also: IndexMap::new(),
        cursor_param: "c".into(),
        cursor_path: JsonPath::parse("next").unwrap(),
        place: PagePlace::Query,
        bounds: PageBounds::default(),
    };
    let answer = json!({ "next": "https://elsewhere.example/x?q=1&c=a%2Bb" });
    check(cursor.clone(), "https://a.b/?q=1", answer, 1, None, Some("https://a.b/?q=1&c=a%2Bb"));
    for without in ["https://a.b/?page=2", "https://a.b/?c="] {
        check_lost(&cursor, "https://a.b/", &json!({ "next": without }), None);
    }
}

#[test]
fn k_76_the_answer_may_say_whether_there_is_more() {
    let page = |place| Pagination::Page {
        page_param: "page".into(),
        size_param: Some("limit".into()),
        page_size: 100,
        first_page: 1,
        place,
        more_path: Some(JsonPath::parse("meta.hasNext").unwrap()),
        bounds: PageBounds::default(),
    };
    let url = "https://a.b/?page=1&limit=10";
    let said = |more: Value| json!({ "meta": { "hasNext": more } });
    for more in [json!(true), json!(3), json!("https://a.b/next")] {
        let expect = Some("https://a.b/?limit=10&page=2");
        check(page(PagePlace::Query), url, said(more), 3, None, expect);
    }
    for end in [json!(false), Value::Null, json!(""), json!(0)] {
        check(page(PagePlace::Query), url, said(end), 10, None, None);
    }
    // An answer that does not say is followed while its pages are full.
    check(page(PagePlace::Query), url, json!({}), 10, None, Some("https://a.b/?limit=10&page=2"));
    check(page(PagePlace::Query), url, json!({}), 9, None, None);
    check(page(PagePlace::Query), url, json!({ "meta": null }), 10, None, None);
    check(page(PagePlace::Query), url, said(json!(false)), 0, None, None);
    for (url, count) in [(url, 0), ("https://a.b/?limit=10", 3), ("https://a.b/?page=x", 3)] {
        let answer = said(json!(true));
        let next = next_page(&page(PagePlace::Query), &request(url), &answer, count, None);
        assert_eq!(next, Err(Unreachable::Nowhere), "{url}");
    }
    let body = Request { body: Some(json!({ "page": 1, "q": {} })), ..request("https://a.b/") };
    let next =
        next_page(&page(PagePlace::Body), &body, &said(json!(true)), 1, None).unwrap().unwrap();
    assert_eq!((next.request.body, next.cursor), (Some(json!({ "page": 2, "q": {} })), json!(2)));
}

/// What `_next_cursor` said continues a first request exactly as the call itself would have gone on.
#[test]
fn f_096_a_cursor_given_back_goes_on_where_the_call_ended() {
    let bounds = PageBounds::default();
    let place = PagePlace::Query;
    let path = |text| JsonPath::parse(text).unwrap();
    let all = [
        Pagination::Page {
            page_param: "p".into(),
            size_param: None,
            page_size: 1,
            first_page: 1,
            place,
            more_path: None,
            bounds,
        },
        Pagination::Offset {
            offset_param: "p".into(),
            limit_param: "l".into(),
            page_size: 1,
            place,
            more_path: None,
            bounds,
        },
        Pagination::Cursor {
            also: IndexMap::new(),
            cursor_param: "p".into(),
            cursor_path: path("next"),
            place,
            bounds,
        },
        Pagination::LinkHeader { bounds },
    ];
    for pagination in all {
        let first = Request {
            key_param: Some("key".to_owned()),
            ..request("https://a.b/x?q=1&key=s3cr3t&p=1")
        };
        let link = Some("<https://a.b/x?q=1&p=2>; rel=\"next\"");
        let next =
            next_page(&pagination, &first, &json!({ "next": "n" }), 1, link).unwrap().unwrap();
        assert!(!next.cursor.to_string().contains("s3cr3t"), "{pagination:?}");
        let mut again = first.clone();
        continue_at(&mut again, &pagination, &IndexMap::new(), &next.cursor).unwrap();
        let sorted = |request: &Request| {
            let mut pairs: Vec<_> = request.url.query_pairs().into_owned().collect();
            pairs.sort();
            pairs
        };
        assert_eq!(sorted(&again), sorted(&next.request), "{pagination:?}");
        assert_eq!(again.url.path(), "/x");
    }
}

#[test]
fn f_096_a_cursor_that_is_none_is_refused() {
    let bounds = PageBounds::default();
    let page = Pagination::Page {
        page_param: "p".into(),
        size_param: None,
        page_size: 1,
        first_page: 1,
        place: PagePlace::Query,
        more_path: None,
        bounds,
    };
    for cursor in [json!("x"), json!(-1), json!({}), json!(1.5)] {
        assert!(
            continue_at(&mut request("https://a.b/"), &page, &IndexMap::new(), &cursor).is_err(),
            "{cursor}"
        );
    }
    let link = Pagination::LinkHeader { bounds };
    assert!(continue_at(&mut request("https://a.b/"), &link, &IndexMap::new(), &json!(3)).is_err());
    assert!(
        continue_at(&mut request("https://a.b/"), &Pagination::None, &IndexMap::new(), &json!("x"))
            .is_err()
    );
    let mut there = request("https://a.b/x");
    continue_at(&mut there, &link, &IndexMap::new(), &json!("https://evil.example/y#z")).unwrap();
    assert_eq!((there.url.host_str(), there.url.path()), (Some("a.b"), "/x"), "K-38");
}

#[test]
fn k_42_a_link_keeps_the_key_and_hides_it() {
    let first =
        Request { key_param: Some("key".to_owned()), ..request("https://a.b/x?key=s3cr3t") };
    let link = Pagination::LinkHeader { bounds: PageBounds::default() };
    let header = "<https://a.b/x?page=2&key=REDACTED>; rel=next";
    let next = next_page(&link, &first, &Value::Null, 1, Some(header)).unwrap().unwrap();
    assert_eq!(next.request.url.as_str(), "https://a.b/x?page=2&key=s3cr3t");
    assert_eq!(next.cursor, json!("page=2"));
    let other = next_page(&link, &first, &Value::Null, 1, Some("</y?page=2>; rel=next")).unwrap();
    assert_eq!(other.unwrap().cursor, Value::Null, "another path cannot be given back");
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
    for end in ["<x", "", "<https://a.b/2>; rel=last"] {
        check(link(), "https://a.b/", Value::Null, 1, Some(end), None);
    }
    let same = Some("<https://a.b/>; rel=next");
    check_lost(&link(), "https://a.b/", &Value::Null, same);
    check(link(), "https://a.b/", Value::Null, 0, same, None);
    for (other, origin) in [
        ("<https://evil.example/x?key=s3cr3t>; rel=next", "https://evil.example"),
        ("<http://a.b/?page=2>; rel=next", "http://a.b"),
        ("<https://a.b:8443/>; rel=next", "https://a.b:8443"),
    ] {
        let next = next_page(&link(), &request("https://a.b/"), &Value::Null, 1, Some(other));
        assert_eq!(next, Err(Unreachable::Elsewhere(origin.to_owned())), "{other}");
    }
    let broken = "<https://:x/>; rel=next";
    let next = next_page(&link(), &request("https://a.b/"), &Value::Null, 1, Some(broken));
    assert_eq!(next, Err(Unreachable::NoAddress));
}

#[test]
fn k_76_the_next_link_is_found_however_it_is_written() {
    let link = || Pagination::LinkHeader { bounds: PageBounds::default() };
    for header in [
        "</2>; rel=\"next last\"",
        "</2>; rel=\"last  NEXT\"",
        "</2>;REL=Next",
        "</2>; title=\"a, <b>; rel=last\"; rel=next",
        "</2>; title=\"a \\\"; rel=last\"; rel=\"next\"",
        "</0>; rel=prev, </2>; rel = \"next\"; title=x, </9>; rel=last",
        "</0>; rel=\"prev\"</2>; rel='next'",
        "</0>; title=\"rel=next\", </2>; rel=next",
    ] {
        check(link(), "https://a.b/1", Value::Null, 1, Some(header), Some("https://a.b/2"));
    }
    for none in
        ["</2>; rel=nextish", "</2>; title=next", "</2>; xrel=next", "</2>; title=\"x; rel=next\""]
    {
        check(link(), "https://a.b/1", Value::Null, 1, Some(none), None);
    }
}

/// A cursor comes from the caller, and the endpoint's author has the last word.
#[test]
fn k_38_a_cursor_changes_nothing_that_the_author_fixed() {
    let link = Pagination::LinkHeader { bounds: PageBounds::default() };
    let fixed = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let query =
        [fixed("visibility", "public"), fixed("q", "org:{org} is:open"), fixed("sort", "{sort}")]
            .into_iter()
            .collect();
    let first = Request {
        key_param: Some("key".to_owned()),
        ..request("https://a.b/x?visibility=public&q=org%3Aus+is%3Aopen&sort=up&key=s3cr3t")
    };
    let after = |cursor: &str| {
        let mut request = first.clone();
        continue_at(&mut request, &link, &query, &json!(cursor)).unwrap();
        request.url.query().unwrap_or_default().to_owned()
    };
    let kept = "visibility=public&q=org%3Aus+is%3Aopen&key=s3cr3t";
    assert_eq!(after("visibility=private&q=org%3Athem&page=2"), format!("page=2&{kept}"));
    assert_eq!(after("visibility=private&visibility=all&%76isibility=x"), kept);
    assert_eq!(after("sort=down&page=2"), format!("sort=down&page=2&{kept}"));
    assert_eq!(after("key=mine"), kept);
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

#[test]
fn k_76_a_cursor_may_have_companions() {
    let path = |text| JsonPath::parse(text).unwrap();
    let pages = Pagination::Cursor {
        cursor_param: "last".into(),
        cursor_path: path("next.id"),
        also: [("day".to_owned(), path("next.day"))].into_iter().collect(),
        place: PagePlace::Query,
        bounds: PageBounds::default(),
    };
    let answer = json!({ "next": { "id": 7, "day": "2024-01-01" } });
    let first = "https://a.b/?last=7&day=2023-12-31";
    let next = "https://a.b/?last=7&day=2024-01-01";
    check(pages.clone(), first, answer.clone(), 1, None, Some(next));
    check_lost(&pages, next, &answer, None);
    check_lost(&pages, first, &json!({ "next": { "id": 7 } }), None);
    check(pages.clone(), next, json!({ "next": { "day": "2024-01-01" } }), 1, None, None);
    let mut request = request(first);
    let cursor = next_page(&pages, &request, &answer, 1, None).unwrap().unwrap().cursor;
    assert_eq!(cursor, json!({ "last": "7", "day": "2024-01-01" }));
    continue_at(&mut request, &pages, &IndexMap::new(), &cursor).unwrap();
    assert_eq!(request.url.as_str(), next);
    for wrong in [json!("7"), json!({ "last": "7" }), json!({ "last": "7", "day": {} })] {
        assert!(continue_at(&mut request, &pages, &IndexMap::new(), &wrong).is_err(), "{wrong}");
    }
}
