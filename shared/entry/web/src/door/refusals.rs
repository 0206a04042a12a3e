//! Refusals on their way out: each is a problem document, and names its request.

use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};

use super::RequestId;
use crate::problem::Problem;

/// Every refusal is a problem document, whoever in the router wrote it.
pub(super) fn explained(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<Problem>().is_some() {
        return response;
    }
    let code = match status {
        StatusCode::UNAUTHORIZED => "TOKEN_MISSING",
        StatusCode::FORBIDDEN => "PERMISSION_DENIED",
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::METHOD_NOT_ALLOWED => "METHOD_NOT_ALLOWED",
        StatusCode::PAYLOAD_TOO_LARGE => "BODY_TOO_LARGE",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "NOT_JSON",
        status if status.is_client_error() => "BODY_UNREADABLE",
        _ => "ENCODING",
    };
    let problem = Problem::new(status, code, "the request was rejected before it was read");
    written(problem, &response)
}

/// The refusal with the id of its request.
pub(super) fn named(mut response: Response, id: &RequestId) -> Response {
    let Some(mut problem) = response.extensions_mut().remove::<Problem>() else { return response };
    problem.instance = format!("urn:request:{}", id.as_str());
    written(problem, &response)
}

/// The problem in the place of an answer, with the methods that the router has said there are.
fn written(problem: Problem, before: &Response) -> Response {
    let mut response = problem.into_response();
    if let Some(methods) = before.headers().get(header::ALLOW) {
        response.headers_mut().insert(header::ALLOW, methods.clone());
    }
    response
}
