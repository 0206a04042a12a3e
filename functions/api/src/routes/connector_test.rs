//! `/connectors/{id}/test` (F-331), as the function `connector-test` serves it: it stands here for the document only.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// What to try.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by another function")]
pub(crate) struct Trial {
    /// The endpoint.
    endpoint: String,
    /// Its arguments, by name.
    #[serde(default)]
    #[schema(value_type = Object)]
    inputs: Value,
    /// The agent whose binding and credential are used.
    profile: Option<String>,
    /// Whether to infer an `output_schema`, in the endpoint's declared shape, from what comes back.
    #[serde(default)]
    infer: bool,
    /// How many records to show: 10, at most 100.
    rows: Option<u32>,
}

/// How it went. A call that fails is a result.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TestResult {
    /// Whether there was an answer.
    ok: bool,
    /// How long it took, in milliseconds.
    took_ms: u64,
    /// How many records came back.
    count: Option<u64>,
    /// What the endpoint gave, with the first records only.
    #[schema(value_type = Option<Object>)]
    output: Option<Value>,
    /// What of the output is not shown because the answer would be too large.
    cut: Option<String>,
    /// Fields that are empty in every record that came back, if there was one: the source may have left them out, or their path is wrong.
    empty_fields: Option<Vec<String>>,
    /// Why there was none.
    error: Option<TestError>,
    /// Fit to be written into the connector, with the metadata fields it declares; absent when there was no record to infer from.
    #[schema(value_type = Option<Object>)]
    output_schema: Option<Value>,
}

/// Why a call failed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TestError {
    /// Stable, explained at `/errors/{code}`.
    code: String,
    /// The same for people.
    message: String,
    /// What to do about it.
    #[schema(required)]
    help: Option<String>,
}

/// Calls one endpoint of a connector, as a run would. Endpoints with an effect are refused: a test only reads.
#[utoipa::path(
    post, path = "/api/agent-factory/connectors/{id}/test", tag = "connectors", request_body = Trial,
    params(("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = TestResult), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT"))
)]
#[expect(dead_code, reason = "the declaration is what is used")]
pub(crate) fn test() {}
