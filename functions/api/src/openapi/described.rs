//! What every operation can answer besides what its handler says of itself: the refusals of the extractors in front of it,
//! and those of the gateway, which knows no problem documents. Each operation gets an id of its own.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::documented::{self, documented};

/// A document of OpenAPI 3.1.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OpenApiDocument")]
pub(super) struct OpenApi {
    /// The version of OpenAPI.
    openapi: String,
    /// Title and description.
    info: Map<String, Value>,
    /// The operations, by path and method.
    paths: Map<String, Value>,
    /// Schemas and ways to sign in, by name.
    components: Map<String, Value>,
    /// How requests are signed, unless an operation says otherwise.
    security: Vec<Value>,
}

documented!(OpenApi);

const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

/// Completes the document of all doors.
pub(super) fn complete(document: &mut Value) {
    // A test looks that no name is there twice.
    documented::complete(document);
    document["components"]["schemas"]["GatewayMessage"] = json!({
        "type": "object", "required": ["message"], "properties": {"message": {"type": "string"}},
        "description": "An answer of the gateway in front of this API, which has not seen the request.",
    });
    for (path, item) in members(&mut document["paths"]) {
        for (method, operation) in members(item) {
            if METHODS.contains(&method.as_str()) {
                operation["operationId"] = operation_id(method, path).into();
                add_refusals(operation, method, path);
                describe(&mut operation["responses"]);
            }
        }
    }
}

fn members(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flatten()
}

/// `get_profiles_by_id_journal` of `GET /api/agent-factory/profiles/{id}/journal`: no two paths have the same.
fn operation_id(method: &str, path: &str) -> String {
    let path = path.strip_prefix("/api").unwrap_or(path);
    let path = path.strip_prefix("/agent-factory").unwrap_or(path);
    let mut id = method.to_owned();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        id.push('_');
        if name.is_some() {
            id.push_str("by_");
        }
        id.push_str(&name.unwrap_or(part).replace(['-', '.'], "_"));
    }
    id
}

/// Who writes an answer with a status.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// This API: a problem document.
    Api,
    /// The gateway or the authorizer: `{"message": …}`.
    Gateway,
    Either,
}

fn add_refusals(operation: &mut Value, method: &str, path: &str) {
    let refusals = refusals(operation, method, path);
    let responses = &mut operation["responses"];
    for (status, by, words) in refusals {
        let response = &mut responses[status];
        let said = response["description"].as_str().filter(|said| !said.is_empty());
        response["description"] = said.unwrap_or(words).into();
        response["content"] = content(by);
    }
    for (status, response) in members(responses) {
        if status.starts_with(['4', '5']) && response.get("content").is_none() {
            response["content"] = content(By::Api);
        }
    }
}

/// Puts words to the answers whose handlers say nothing of them: OpenAPI asks for a description of each.
fn describe(responses: &mut Value) {
    for (status, response) in members(responses) {
        if response["description"].as_str().is_none_or(str::is_empty) {
            response["description"] = words_of(status).into();
        }
    }
}

fn words_of(status: &str) -> &'static str {
    match status {
        "200" => "done; the answer is in the body",
        "201" => "created",
        "202" => "accepted; it goes on after the answer",
        "204" => "done; the answer has no body",
        _ => "see `code` of the answer",
    }
}

fn content(by: By) -> Value {
    let mut content = Map::new();
    let mut add = |kind: &str, name: &str| {
        let schema = json!({"schema": {"$ref": format!("#/components/schemas/{name}")}});
        content.insert(kind.to_owned(), schema);
    };
    if by != By::Gateway {
        add("application/problem+json", "Problem");
    }
    if by != By::Api {
        add("application/json", "GatewayMessage");
    }
    content.into()
}

/// A status, who writes it, and what it says.
type Refusal = (&'static str, By, &'static str);

const BAD: Refusal =
    ("400", By::Api, "JSON_MALFORMED, JSON_TOO_DEEP, BODY_UNREADABLE or CURSOR_INVALID");
const UNKNOWN: Refusal =
    ("401", By::Either, "no valid token; the gateway answers where there is no header");
const FORBIDDEN: Refusal = (
    "403",
    By::Either,
    "PERMISSION_DENIED; the gateway rejects tokens that are forged or cannot be read",
);
const MISSING: Refusal = ("404", By::Api, "NOT_FOUND");
const NO_ROUTE: Refusal = (
    "404",
    By::Either,
    "NOT_FOUND; the gateway answers where the id is more than one part of a path",
);
const CONFLICT: Refusal =
    ("409", By::Api, "STORE_CONFLICT, IDEMPOTENCY_KEY_REUSED or IDEMPOTENCY_KEY_OPEN");
const LARGE: Refusal = ("413", By::Either, "BODY_TOO_LARGE; above 10 MB the gateway answers");
const NOT_JSON: Refusal = ("415", By::Api, "NOT_JSON");
const INVALID: Refusal = ("422", By::Api, "INVALID_INPUT");
const TOO_MANY: Refusal = (
    "429",
    By::Either,
    "too many requests, of everybody (the gateway answers) or of one person; `Retry-After` says when again",
);
const BROKEN: Refusal =
    ("500", By::Either, "something went wrong; the log has the details under the request's id");
const SLOW: Refusal = (
    "503",
    By::Either,
    "something this needs did not answer in time; the same request may succeed later",
);

/// What may be answered before and around the handler.
fn refusals(operation: &Value, method: &str, path: &str) -> Vec<Refusal> {
    let has_body = operation.get("requestBody").is_some();
    let takes_cursor = || {
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.any(|found| found["in"] == "query" && found["name"] == "cursor")
    };
    let is_open = operation["security"] == json!([{}]);
    let all = [
        (has_body || takes_cursor(), BAD),
        (!is_open, UNKNOWN),
        (!is_open, FORBIDDEN),
        // All below `/api` is one route of the gateway; the others have a route each.
        (path.contains('{') && path.starts_with("/api/"), MISSING),
        (path.contains('{') && !path.starts_with("/api/"), NO_ROUTE),
        (method != "get", CONFLICT),
        (has_body, LARGE),
        (has_body, NOT_JSON),
        // No operation ignores a query parameter.
        (true, INVALID),
        (true, TOO_MANY),
        (true, BROKEN),
        (true, SLOW),
    ];
    all.into_iter().filter(|(can, _)| *can).map(|(_, refusal)| refusal).collect()
}

#[cfg(test)]
mod tests {
    use super::operation_id;

    #[test]
    fn ids_are_words_of_the_path() {
        let id = "get_profiles_by_id_data_sources_by_binding";
        assert_eq!(
            operation_id("get", "/api/agent-factory/profiles/{id}/data-sources/{binding}"),
            id
        );
        assert_eq!(operation_id("get", "/openapi.json"), "get_openapi_json");
        assert_eq!(operation_id("put", "/api/admin/approval-floor"), "put_admin_approval_floor");
    }
}
