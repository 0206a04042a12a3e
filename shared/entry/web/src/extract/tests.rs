use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Limit {
    #[expect(dead_code, reason = "only what is said of it is looked at")]
    limit: u32,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    name: String,
}

fn check(body: &str, expect: Result<usize, (u16, &str, &str)>) {
    let found = parse::<Body>(body.as_bytes()).map(|body| body.steps.len());
    let found = found.map_err(|p| {
        (p.status, p.code.clone(), p.errors.first().map(|e| e.path.clone()).unwrap_or_default())
    });
    assert_eq!(
        found,
        expect.map_err(|(status, code, path)| (status, code.to_owned(), path.to_owned())),
        "{body}"
    );
}

#[test]
fn a_body_may_be_left_out_where_none_is_needed() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let read = |kind: Option<&str>, body: &'static str| {
        let request = Request::builder();
        let request = kind
            .into_iter()
            .fold(request, |request, kind| request.header(header::CONTENT_TYPE, kind));
        let request = request.body(axum::body::Body::from(body)).unwrap();
        let read = <Json<Step> as OptionalFromRequest<()>>::from_request(request, &());
        let read = runtime.block_on(read);
        read.map(|body| body.map(|body| body.0.name)).map_err(|problem| problem.code.clone())
    };
    let json = Some("application/json");
    assert_eq!(read(None, ""), Ok(None));
    assert_eq!(read(json, ""), Ok(None));
    assert_eq!(read(json, "null"), Ok(None));
    assert_eq!(read(json, r#"{"name": "a"}"#), Ok(Some("a".to_owned())));
    assert_eq!(read(json, "{}"), Err("INVALID_INPUT".to_owned()));
    assert_eq!(read(None, r#"{"name": "a"}"#), Err("NOT_JSON".to_owned()));
}

#[test]
fn a_wrong_value_is_named_by_its_place() {
    check(r#"{"steps":[{"name":"a"},{"name":"b"}]}"#, Ok(2));
    check(r#"{"steps":[{"name":"a"},{"name":3}]}"#, Err((422, "INVALID_INPUT", "steps[1].name")));
    check(r#"{"steps":[{"nom":"a"}]}"#, Err((422, "INVALID_INPUT", "steps[0].nom")));
    check("{}", Err((422, "INVALID_INPUT", "steps")));
}

#[test]
fn what_is_no_json_is_no_request() {
    check("", Err((400, "JSON_MALFORMED", "")));
    check("{", Err((400, "JSON_MALFORMED", "")));
    check(r#"[[{"name":"a"}]]"#, Err((422, "INVALID_INPUT", "")));
    check(r#"{"steps":[]} trailing"#, Err((400, "JSON_MALFORMED", "")));
    check(&format!("{}1{}", "[".repeat(65), "]".repeat(65)), Err((400, "JSON_TOO_DEEP", "")));
    let cut = parse::<Body>(b"{").unwrap_err();
    assert_eq!(cut.detail, "the body is not JSON: line 1, column 1: it ends inside an object");
}

#[test]
fn no_key_of_a_body_is_given_twice() {
    check(r#"{"steps":[{"name":"a","name":"b"}]}"#, Err((422, "INVALID_INPUT", "steps[0].name")));
    let twice = parse::<serde_json::Value>(br#"{"handle":"a","x":{"y":1,"y":1},"handle":"b"}"#);
    let errors = twice.unwrap_err().errors.clone();
    let said: Vec<(&str, &str)> =
        errors.iter().map(|one| (one.path.as_str(), one.message.as_str())).collect();
    assert_eq!(said, [("x.y", "is given twice"), ("handle", "is given twice")]);
    let written = WrittenJson(r#"[{"x":{"y":1,"y":1}}]"#.into()).value().unwrap_err();
    assert_eq!((written.status, written.errors[0].path.as_str()), (422, "[0].x.y"));
    assert!(WrittenJson(r#"[{"y":1},{"y":1}]"#.into()).value().is_ok());
}

#[tokio::test]
async fn a_body_that_the_gateway_has_mended_is_refused() {
    async fn check(body: &'static [u8], length: Option<usize>, expect: Result<&str, &str>) {
        let request = Request::builder().header(header::CONTENT_TYPE, "application/json");
        let request = length
            .into_iter()
            .fold(request, |request, length| request.header(header::CONTENT_LENGTH, length));
        let request = request.body(axum::body::Body::from(body)).unwrap();
        let read = <Json<Step> as FromRequest<()>>::from_request(request, &()).await;
        let read = read.map(|body| body.0.name).map_err(|problem| problem.code.clone());
        assert_eq!(read, expect.map(str::to_owned).map_err(str::to_owned), "{length:?}");
    }
    let mended = "{\"name\":\"Caf\u{fffd}\"}".as_bytes();
    check(mended, Some(mended.len() - 2), Err("BODY_UNREADABLE")).await;
    check(mended, Some(mended.len()), Ok("Caf\u{fffd}")).await;
    check(mended, None, Ok("Caf\u{fffd}")).await;
    check(b"{\"name\":\"Caf\xe9\"}", Some(15), Err("JSON_MALFORMED")).await;
}

#[test]
fn f_091_no_number_of_a_body_is_rounded() {
    let read = |body: &str| parse::<serde_json::Value>(body.as_bytes());
    let body =
        r#"{"inputs":{"total":1234567890123456.78,"ids":[99999999999999999999,7],"rate":0.1}}"#;
    let kept = json!({"inputs": {
        "total": "1234567890123456.78", "ids": ["99999999999999999999", 7], "rate": 0.1,
    }});
    assert_eq!(read(body).unwrap(), kept);
    assert_eq!(WrittenJson(body.into()).value().unwrap(), kept);
    let cut = read(r#"{"total":1234567890123456.78"#).unwrap_err();
    assert!(cut.detail.contains("line 1, column 28:"), "{}", cut.detail);
    assert_eq!(read(r#"{"card":4111-1111-1111-1111}"#).unwrap_err().code, "JSON_MALFORMED");
    let large = parse::<Limit>(br#"{"limit":99999999999999999999}"#).unwrap_err();
    assert_eq!(large.errors[0].message, "is too large");
}

#[tokio::test]
async fn what_no_store_takes_as_a_key_is_refused_before_it() {
    async fn status(path: String) -> u16 {
        use tower::ServiceExt as _;
        type Pairs = std::collections::BTreeMap<String, String>;
        let seen = |Path(_): Path<String>, Query(_): Query<Pairs>| async { "seen" };
        let router = axum::Router::new().route("/a/{name}", axum::routing::get(seen));
        let request = Request::builder().uri(path).body(axum::body::Body::empty()).unwrap();
        router.oneshot(request).await.unwrap().status().as_u16()
    }
    let long = |n| "x".repeat(n);
    assert_eq!(status(format!("/a/{}?q={}", long(400), long(1_000))).await, 200);
    assert_eq!(status(format!("/a/{}", long(401))).await, 404);
    assert_eq!(status(format!("/a/{}", "%C3%A4".repeat(201))).await, 404);
    assert_eq!(status("/a/%ff".to_owned()).await, 404);
    assert_eq!(status(format!("/a/x?q={}", long(1_001))).await, 422);
    assert_eq!(status(format!("/a/x?cursor={}", long(2_000))).await, 200);
}

#[test]
fn brackets_in_strings_do_not_nest() {
    assert_eq!(depth(br#"{"a":"[[[[\"[["}"#), 1);
    assert_eq!(depth(br#"[{"a":[1]},[2]]"#), 3);
    assert_eq!(depth(b"]]]["), 1);
}

proptest! {
    #[test]
    fn the_counted_depth_bounds_what_the_parser_nests(levels in 1_usize..80) {
        let inner = levels - 1;
        let text = format!("{{\"a\":{}1{}}}", "[".repeat(inner), "]".repeat(inner));
        prop_assert_eq!(depth(text.as_bytes()), levels);
        prop_assert_eq!(parse::<serde_json::Value>(text.as_bytes()).is_ok(), levels <= MAX_JSON_DEPTH);
    }

    #[test]
    fn no_body_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse::<Body>(&bytes);
    }
}
