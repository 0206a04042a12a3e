//! From a Lambda event to a router and back, and what every answer carries.

mod refusals;
mod streamed;

use std::convert::Infallible;
use std::fmt::Write as _;
use std::process::ExitCode;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use countersign_failure::Failure;
use countersign_lambda_entry::{Boot, StartError, run};
use futures::future::BoxFuture;
use http::{HeaderName, HeaderValue, StatusCode, header};
use lambda_http::request::{LambdaRequest, RequestContext};
use lambda_http::{Adapter, RequestExt, lambda_runtime};
use serde_json::Value;
use tower::ServiceExt as _;

use crate::absence;
use crate::extract::MAX_BODY_BYTES;
use crate::problem::Problem;

pub use streamed::streamed;

/// No answer is larger: a Lambda may return 6 MB, and base64 takes a third.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// The id of a request, in the log and in every problem. In the extensions of requests and answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// The gateway's id when it is a plain one, or a new one.
    #[must_use]
    pub fn of(given: Option<&str>) -> Self {
        let plain = |id: &&str| {
            let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'=');
            (1..=80).contains(&id.len()) && id.bytes().all(fits)
        };
        let id = given.filter(plain).map(str::to_owned);
        Self(id.unwrap_or_else(|| uuid::Uuid::now_v7().to_string()))
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Completes a router: limits, request ids, security headers, and problems for what no route answers.
pub fn complete(router: Router) -> Router {
    dressed(unanswered(router))
}

/// Limits, request ids and security headers for a router that answers every request itself.
pub fn dressed(router: Router) -> Router {
    router.layer(DefaultBodyLimit::max(MAX_BODY_BYTES)).layer(from_fn(dress))
}

/// Problems for what no route of this router answers. A router inside another needs its own.
pub fn unanswered(router: Router) -> Router {
    let nowhere = || async {
        Problem::not_found().with_hint("`GET /openapi.json` lists every address there is")
    };
    router.layer(from_fn(absence::named)).fallback(nowhere).method_not_allowed_fallback(|| async {
        Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "METHOD_NOT_ALLOWED",
            "this address does not take this method",
        )
        .with_hint("`GET /openapi.json` lists the methods of each address")
    })
}

async fn dress(mut request: Request, next: Next) -> Response {
    let context = request.request_context_ref().and_then(gateway_id);
    let id = RequestId::of(context.as_deref());
    request.extensions_mut().insert(id.clone());
    let method = request.method().clone();
    let response = next.run(request).await;
    // The route, never the path: paths can carry what a log must not.
    tracing::info!(request = id.as_str(), %method, status = response.status().as_u16(), "answered");
    let mut response = refusals::named(refusals::explained(response), &id);
    secure(&mut response, &id);
    response
}

fn gateway_id(context: &RequestContext) -> Option<String> {
    match context {
        RequestContext::ApiGatewayV2(context) => context.request_id.clone(),
        _ => None,
    }
}

/// No door allows other origins (no CORS), scripts, frames or caches.
fn secure(response: &mut Response, id: &RequestId) {
    const HEADERS: [(HeaderName, &str); 6] = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::STRICT_TRANSPORT_SECURITY, "max-age=31536000; includeSubDomains"),
    ];
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        headers.insert("x-request-id", value);
    }
}

/// An event that no HTTP API sends.
#[derive(Debug, thiserror::Error, Failure)]
#[error("the event is not an HTTP request: {0}")]
#[failure(code = "EVENT_INVALID")]
pub struct NoRequest(String);

/// Builds a router once, then answers events with it until the process is stopped.
#[must_use]
pub fn serve(build: fn(&Boot) -> Result<Router, StartError>) -> ExitCode {
    run(build, |router, event, _| Box::pin(async move { Ok(answer(router.clone(), event).await?) }))
}

/// Answers one Lambda event (HTTP API, payload 2.0) with a router, in the shape the gateway wants back.
///
/// # Errors
/// [`NoRequest`] when the event is none.
pub fn answer(router: Router, event: Value) -> BoxFuture<'static, Result<Value, NoRequest>> {
    Box::pin(async move {
        let request = request(event)?;
        let event = lambda_runtime::LambdaEvent::new(request, lambda_runtime::Context::default());
        let service = tower::service_fn(move |request| whole(router.clone(), request));
        let Ok(answer) = Adapter::from(service).oneshot(event).await;
        serde_json::to_value(answer).map_err(|error| NoRequest(error.to_string()))
    })
}

/// The request of an event.
fn request(mut event: Value) -> Result<LambdaRequest, NoRequest> {
    if let Some(path) = event.get("rawPath").and_then(Value::as_str).map(kept_apart) {
        event["rawPath"] = path.into();
    }
    if let Some(query) = event.get("rawQueryString").and_then(Value::as_str).map(written_out) {
        event["rawQueryString"] = query.into();
    }
    serde_json::from_value(event).map_err(|error| NoRequest(error.to_string()))
}

/// The path of an event as it may stand in an address. The gateway has decoded it: what was `%23` must not begin a fragment
/// nor `%3F` a query, and `..` must not lead to another route. Nothing is called `.` or `..`; such a segment becomes a
/// character that no name has.
fn kept_apart(path: &str) -> String {
    let mut kept = String::with_capacity(path.len());
    for (n, segment) in path.split('/').enumerate() {
        if n > 0 {
            kept.push('/');
        }
        match segment {
            "." | ".." => kept.push_str("%00"),
            _ => segment.chars().for_each(|character| keep(&mut kept, character)),
        }
    }
    kept
}

/// A query as an address takes it: clients exist that send `<` or a quote as it is, and no address can be made with those.
fn written_out(query: &str) -> String {
    let mut written = String::with_capacity(query.len());
    for byte in query.bytes() {
        if byte.is_ascii_graphic() && !b"\"#<>\\^`{|}".contains(&byte) {
            written.push(char::from(byte));
        } else {
            let _ = write!(written, "%{byte:02X}");
        }
    }
    written
}

fn keep(kept: &mut String, character: char) {
    match character {
        '#' => kept.push_str("%23"),
        '?' => kept.push_str("%3F"),
        '\\' => kept.push_str("%5C"),
        // An address is read without them, so that `.\n.` would be `..`.
        '\t' => kept.push_str("%09"),
        '\n' => kept.push_str("%0A"),
        '\r' => kept.push_str("%0D"),
        other => kept.push(other),
    }
}

/// Collects the answer before it leaves: the gateway takes no streams from here.
async fn whole(
    router: Router,
    request: lambda_http::Request,
) -> Result<http::Response<lambda_http::Body>, Infallible> {
    let Ok(response) = router.oneshot(request).await;
    let (parts, body) = response.into_parts();
    let bytes = match axum::body::to_bytes(body, MAX_ANSWER_BYTES).await {
        Ok(bytes) => bytes,
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            return Ok(unwritten(parts.headers));
        }
    };
    Ok(http::Response::from_parts(parts, lambda_http::Body::Binary(bytes.to_vec())))
}

/// The answer in place of one that is too large, with the headers that every answer has.
fn unwritten(mut headers: http::HeaderMap) -> http::Response<lambda_http::Body> {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    let mut problem = Problem::new(status, "ENCODING", "the answer could not be written");
    if let Some(id) = headers.get("x-request-id").and_then(|id| id.to_str().ok()) {
        problem.instance = format!("urn:request:{id}");
    }
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    let mut failed = http::Response::new(lambda_http::Body::Binary(body));
    *failed.status_mut() = status;
    *failed.headers_mut() = headers;
    failed
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use axum::routing::{get, post};
    use serde_json::json;

    use super::*;
    use crate::{Json, Path};

    fn router() -> Router {
        let broken = || async { Problem::conflict("CLOSED", "closed by ada").into_response() };
        let echo = |Json(body): Json<Value>| async move { Json(body) };
        let shout = |Path(word): Path<String>| async move { Json(json!({ "word": word })) };
        let gone = |Path(_): Path<String>| async { Problem::not_found() };
        let bare = |Path(status): Path<u16>| async move {
            (StatusCode::from_u16(status).unwrap(), "not a problem document")
        };
        let routes = Router::new()
            .route("/broken", get(broken))
            .route("/bare/{status}", get(bare))
            .route("/huge", get(|| async { "x".repeat(MAX_ANSWER_BYTES + 1) }))
            .route("/echo", post(echo))
            .route("/say/{word}", get(shout))
            .route("/things/{id}", get(gone));
        complete(routes)
    }

    fn event(method: &str, path: &str, body: Option<&str>) -> Value {
        json!({
            "version": "2.0", "routeKey": "ANY /{proxy+}", "rawPath": path, "rawQueryString": "",
            "headers": {"content-type": "application/json", "host": "x"},
            "requestContext": {
                "accountId": "1", "apiId": "a", "domainName": "x", "domainPrefix": "x", "requestId": "req-1",
                "routeKey": "ANY /{proxy+}", "stage": "$default", "time": "", "timeEpoch": 0,
                "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": "t"},
            },
            "body": body, "isBase64Encoded": false,
        })
    }

    async fn check(
        method: &str,
        path: &str,
        body: Option<&str>,
        status: u16,
        expect: Value,
    ) -> Value {
        let answer = answer(router(), event(method, path, body)).await.unwrap();
        let found: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
        assert_eq!(answer["statusCode"], status, "{found}");
        for (name, value) in expect.as_object().unwrap() {
            assert_eq!(&found[name], value, "{found}");
        }
        answer
    }

    #[tokio::test]
    async fn an_event_goes_in_and_an_answer_comes_out() {
        check("POST", "/echo", Some(r#"{"a":1}"#), 200, json!({"a": 1})).await;
        check("GET", "/say/h%C3%A4%2Fllo", None, 200, json!({"word": "hä/llo"})).await;
    }

    #[tokio::test]
    async fn what_the_gateway_decoded_leads_to_no_other_route() {
        check("GET", "/say/a#b", None, 200, json!({"word": "a#b"})).await;
        check("GET", "/say/a?b=c", None, 200, json!({"word": "a?b=c"})).await;
        check("GET", "/say/a\\b", None, 200, json!({"word": "a\\b"})).await;
        let mut odd = event("GET", "/say/a", None);
        odd["rawQueryString"] = json!("a=<b>\"`ä {}|^\\#&c=%20");
        assert_eq!(answer(router(), odd).await.unwrap()["statusCode"], 200);
        check("GET", "/say/../broken", None, 404, json!({"code": "NOT_FOUND"})).await;
        check("GET", "/say/.\n./broken", None, 404, json!({"code": "NOT_FOUND"})).await;
        check("GET", "/./broken", None, 404, json!({"code": "NOT_FOUND"})).await;
    }

    #[tokio::test]
    async fn every_problem_names_its_request() {
        let instance = json!({"instance": "urn:request:req-1"});
        check("GET", "/broken", None, 409, json!({"code": "CLOSED", "detail": "closed by ada"}))
            .await;
        check("GET", "/nowhere", None, 404, instance.clone()).await;
        let expect = json!({"code": "METHOD_NOT_ALLOWED", "instance": "urn:request:req-1"});
        let answer = check("DELETE", "/echo", None, 405, expect.clone()).await;
        assert_eq!(answer["headers"]["allow"], "POST");
        let answer = check("POST", "/things/t1", None, 405, expect).await;
        assert_eq!(answer["headers"]["allow"], "GET,HEAD");
        check("POST", "/echo", Some("{"), 400, json!({"code": "JSON_MALFORMED"})).await;
    }

    #[tokio::test]
    async fn what_is_not_there_is_named() {
        let expect = json!({"code": "NOT_FOUND", "detail": "there is no thing `t1` that you may see", "instance": "urn:request:req-1"});
        let answer = check("GET", "/things/t1", None, 404, expect).await;
        assert!(answer["body"].as_str().unwrap().contains("check the id"), "{answer}");
    }

    #[tokio::test]
    async fn no_refusal_leaves_without_a_problem_document() {
        for (status, code) in [
            (401, "TOKEN_MISSING"),
            (403, "PERMISSION_DENIED"),
            (404, "NOT_FOUND"),
            (418, "BODY_UNREADABLE"),
            (502, "ENCODING"),
        ] {
            let expect = json!({"code": code, "type": format!("/errors/{code}"), "status": status, "instance": "urn:request:req-1"});
            let answer = check("GET", &format!("/bare/{status}"), None, status, expect).await;
            assert_eq!(answer["headers"]["content-type"], "application/problem+json");
        }
        let said = json!({"code": "ENCODING", "instance": "urn:request:req-1"});
        let answer = check("GET", "/huge", None, 500, said).await;
        assert_eq!(answer["headers"]["cache-control"], "no-store");
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused() {
        let body = format!("\"{}\"", "x".repeat(MAX_BODY_BYTES));
        check("POST", "/echo", Some(&body), 413, json!({"code": "BODY_TOO_LARGE"})).await;
    }

    #[tokio::test]
    async fn every_answer_is_locked_down() {
        for path in ["/say/a", "/broken", "/nowhere"] {
            let answer = answer(router(), event("GET", path, None)).await.unwrap();
            let headers = &answer["headers"];
            assert_eq!(headers["cache-control"], "no-store", "{path}");
            assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
            assert_eq!(headers["x-request-id"], "req-1", "{path}");
            assert!(headers.get("access-control-allow-origin").is_none(), "{path}");
        }
    }

    #[tokio::test]
    async fn an_event_of_another_kind_is_refused() {
        assert!(answer(router(), json!({"Records": []})).await.is_err());
    }

    #[test]
    fn a_strange_request_id_is_replaced() {
        assert_eq!(RequestId::of(Some("a-b_c=")).as_str(), "a-b_c=");
        for strange in [Some("a\r\nb"), Some(""), None] {
            assert_eq!(RequestId::of(strange).as_str().len(), 36);
        }
    }
}
