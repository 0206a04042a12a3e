//! Answers that leave in parts.

use axum::Router;
use countersign_lambda_entry::{Parts, StreamedAnswer};
use futures::TryStreamExt as _;
use futures::future::BoxFuture;
use lambda_http::lambda_runtime::MetadataPrelude;
use serde_json::Value;
use tower::ServiceExt as _;

use super::{NoRequest, request};

/// Answers one event of a function URL (payload 2.0) with a router, in parts as the router makes them.
///
/// # Errors
/// [`NoRequest`] when the event is none.
pub fn streamed(
    router: Router,
    event: Value,
) -> BoxFuture<'static, Result<StreamedAnswer, NoRequest>> {
    Box::pin(async move {
        let request = lambda_http::Request::from(request(event)?);
        let Ok(response) = router.oneshot(request).await;
        let (parts, body) = response.into_parts();
        let metadata_prelude = MetadataPrelude {
            status_code: parts.status,
            headers: parts.headers,
            cookies: Vec::new(),
        };
        let stream: Parts =
            Box::pin(body.into_data_stream().map_ok(|part| part.to_vec()).map_err(Into::into));
        Ok(StreamedAnswer { metadata_prelude, stream })
    })
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use futures::{StreamExt as _, stream};
    use serde_json::json;

    use super::*;
    use crate::door::complete;

    fn event(path: &str) -> Value {
        let mut event: Value =
            serde_json::from_str(include_str!("../../../../../events/stream/read.json")).unwrap();
        event["rawPath"] = json!(path);
        event
    }

    #[tokio::test]
    async fn k_90_an_answer_leaves_in_the_parts_that_the_router_makes() {
        let parts = || stream::iter(["a", "bc"]).map(Ok::<_, std::convert::Infallible>);
        let counts = get(move || async move { Body::from_stream(parts()) });
        let router = complete(Router::new().route("/counts", counts));
        let answer = streamed(router.clone(), event("/counts")).await.unwrap();
        assert_eq!(answer.metadata_prelude.status_code, 200);
        assert_eq!(answer.metadata_prelude.headers["cache-control"], "no-store");
        let parts: Vec<Vec<u8>> = answer.stream.try_collect().await.unwrap();
        assert_eq!(parts, [b"a".to_vec(), b"bc".to_vec()]);

        let refused = streamed(router.clone(), event("/elsewhere")).await.unwrap();
        assert_eq!(refused.metadata_prelude.status_code, 404);
        assert_eq!(refused.metadata_prelude.headers["content-type"], "application/problem+json");
        assert!(streamed(router, json!({ "Records": [] })).await.is_err());
    }
}
