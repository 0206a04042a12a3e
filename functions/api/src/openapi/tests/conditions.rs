//! Conditions on a version: an operation looks at them, or refuses them.

use axum::body::Body;
use http::{Method, Request};
use serde_json::Value;
use tower::ServiceExt as _;

use super::{context, document, named, operations};

async fn answered(method: &str, path: &str) -> (u16, Value) {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
    let request = Request::builder().method(method).uri(named(path)).header("if-match", "\"1\"");
    let request = request.body(Body::empty()).unwrap();
    let response = crate::router(&context()).oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), 100_000).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    (status, body["errors"][0]["path"].clone())
}

#[tokio::test]
async fn no_operation_ignores_a_condition_on_a_version() {
    let document = document();
    let mut looked_at = 0;
    for (method, path) in operations() {
        let of_others = ["/api/agent-factory/connectors/{id}/test", "/hooks/{id}"];
        if of_others.contains(&path.as_str()) || method == "get" {
            continue;
        }
        let parameters = document["paths"][&path][&method]["parameters"].as_array();
        let takes = parameters.into_iter().flatten().any(|one| one["name"] == "If-Match");
        looked_at += usize::from(takes);
        let (status, place) = answered(&method, &path).await;
        let expect = if takes { (401, Value::Null) } else { (422, "If-Match".into()) };
        assert_eq!((status, place), expect, "{method} {path}");
    }
    assert_eq!(looked_at, 16, "every kind of document is replaced and removed, four are patched");
}
