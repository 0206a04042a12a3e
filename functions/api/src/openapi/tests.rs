use std::collections::BTreeSet;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use axum::body::Body;
use countersign_lambda_entry::{Boot, Setting, Settings};
use countersign_web::door;
use http::{Method, Request, StatusCode};
use serde_json::Value;
use tower::ServiceExt as _;

use super::*;

mod answers;
mod conditions;
mod valid;

/// The API over clients that reach nothing: enough for everything that is decided before a store is asked.
fn context() -> Arc<Context> {
    let aws = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .build();
    let value = |setting| match setting {
        Setting::JwtHs256Secret => "a secret of the tests, long enough to be one".to_owned(),
        // Not set, as most of a deployment's options.
        Setting::JwtJwksUrl
        | Setting::RequireMfa
        | Setting::BreakerSeconds
        | Setting::RunsPerDay
        | Setting::MailsPerDay
        | Setting::UploadMegabytesPerDay => String::new(),
        other => other.name().to_lowercase(),
    };
    let settings =
        Settings::from_pairs(Setting::ALL.into_iter().map(|setting| (setting, value(setting))));
    Arc::new(Context::new(&Boot::new(settings, aws.into())).unwrap())
}

/// Every documented operation: method, path with example ids.
fn operations() -> BTreeSet<(String, String)> {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    let methods = |item: &Value| item.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    paths
        .iter()
        .flat_map(|(path, item)| methods(item).into_iter().map(|method| (method, path.clone())))
        .collect()
}

/// The path with example ids.
fn named(path: &str) -> String {
    let path = path.replace("{id}", "x").replace("{binding}", "x").replace("{scope}", "x");
    let path = path.replace("{step}", "x").replace("{name}", "x").replace("{kind}", "x");
    let path = path.replace("{capability}", "x").replace("{template}", "x");
    let path = path.replace("{key}", "x");
    path.replace("{owner}", "x").replace("{endpoint}", "x").replace("{code}", "NOT_FOUND")
}

async fn answered(method: &str, path: &str) -> StatusCode {
    let path = named(path);
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
    let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
    crate::router(&context()).oneshot(request).await.unwrap().status()
}

#[tokio::test]
async fn every_documented_route_is_there_and_closed_to_strangers() {
    let operations = operations();
    assert!(operations.len() > 50, "{}", operations.len());
    for (method, path) in operations {
        let expect = match path.as_str() {
            "/health" | "/openapi.json" | "/errors/{code}" => StatusCode::OK,
            // Documented here and served by the function `connector-test`.
            "/api/agent-factory/connectors/{id}/test" => StatusCode::NOT_FOUND,
            // The same of the function `hooks`.
            "/hooks/{id}" => StatusCode::NOT_FOUND,
            _ => StatusCode::UNAUTHORIZED,
        };
        assert_eq!(answered(&method, &path).await, expect, "{method} {path}");
    }
}

#[tokio::test]
async fn what_is_not_documented_is_not_there() {
    for path in [
        "/",
        "/api",
        "/api/admin/bootstrap",
        "/api/agent-factory/secrets",
        "/api/agent-factory/profiles/x/tests",
        "/api/agent-factory/profiles/",
        "/health/",
        "/errors",
        "/errors/NO_SUCH_CODE",
    ] {
        assert_eq!(answered("GET", path).await, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_method_that_is_not_there_is_told_which_ones_are() {
    for (path, expect) in [
        ("/health", "GET,HEAD"),
        ("/openapi.json", "GET,HEAD"),
        ("/docs", "GET,HEAD"),
        ("/errors/NOT_FOUND", "GET,HEAD"),
        ("/api/agent-factory/profiles/x/duplicate", "POST"),
    ] {
        let request = Request::builder().method("TRACE").uri(path).body(Body::empty()).unwrap();
        let response = crate::router(&context()).oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(response.headers()["allow"], expect, "{path}");
    }
}

#[tokio::test]
async fn the_document_is_served() {
    let request = Request::builder().uri("/openapi.json").body(Body::empty()).unwrap();
    let response = crate::router(&context()).oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let body = axum::body::to_bytes(response.into_body(), 10_000_000).await.unwrap();
    let document: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(document["info"]["title"], "Countersign");
    assert!(document["components"]["schemas"]["Problem"].is_object());
}

#[test]
fn every_operation_has_an_id_and_says_how_it_is_refused() {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, operation)| (method, path, operation))
    });
    let mut ids = BTreeSet::new();
    for (method, path, operation) in all {
        let id = operation["operationId"].as_str().unwrap().to_owned();
        assert!(ids.insert(id), "{method} {path} has the id of another operation");
        let responses = operation["responses"].as_object().unwrap();
        let open = ["/health", "/openapi.json", "/errors/{code}"].contains(&path.as_str());
        // A message of a webhook has no token that could be refused.
        let is_hook = path == "/hooks/{id}";
        for status in ["401", "403"].into_iter().filter(|_| !is_hook) {
            let of = &responses.get(status).map_or(&Value::Null, |response| &response["content"]);
            assert_eq!(of["application/json"].is_object(), !open, "{method} {path} {status}");
            assert_eq!(
                of["application/problem+json"].is_object(),
                !open,
                "{method} {path} {status}"
            );
        }
        for status in ["429", "500", "503"] {
            assert!(
                responses[status]["content"]["application/json"].is_object(),
                "{path} {status}"
            );
        }
        for (status, response) in responses.iter().filter(|(status, _)| status.as_str() >= "400") {
            assert!(response["content"].is_object(), "{method} {path} {status} has no schema");
        }
        assert!(responses.contains_key("404") || !path.contains('{'), "{path}");
        for status in ["413", "415", "422"] {
            let has = responses.contains_key(status) || operation.get("requestBody").is_none();
            assert!(has, "{method} {path} does not say {status}");
        }
    }
}

/// The operations of §30.3 that this door must have.
#[test]
fn f_319_to_f_377_every_operation_of_the_groups_is_documented() {
    const WANTED: [&str; 96] = [
        "post /profiles",
        "get /profiles",
        "get /profiles/{id}",
        "put /profiles/{id}",
        "patch /profiles/{id}",
        "delete /profiles/{id}",
        "post /profiles/{id}/duplicate",
        "post /profiles/{id}/test",
        "get /schedules",
        "post /schedules",
        "post /schedules/validate",
        "get /schedules/{id}",
        "put /schedules/{id}",
        "patch /schedules/{id}",
        "delete /schedules/{id}",
        "post /schedules/{id}/run-now",
        "get /schedules/{id}/occurrences",
        "get /occurrences",
        "get /occurrences/{id}/body",
        "get /triggers",
        "post /triggers",
        "get /triggers/{id}",
        "put /triggers/{id}",
        "patch /triggers/{id}",
        "delete /triggers/{id}",
        "post /triggers/{id}/keys",
        "get /triggers/{id}/keys",
        "get /monitors",
        "post /monitors",
        "post /monitors/validate",
        "get /monitors/{id}",
        "put /monitors/{id}",
        "patch /monitors/{id}",
        "delete /monitors/{id}",
        "post /monitors/{id}/pause",
        "post /monitors/{id}/resume",
        "post /monitors/{id}/run-now",
        "get /monitors/{id}/watermarks",
        "post /monitors/{id}/reset-watermarks",
        "get /monitors/{id}/batches",
        "get /monitors/{id}/occurrences",
        "get /monitors/{id}/parked",
        "get /connectors",
        "get /connectors/{id}",
        "post /connectors",
        "put /connectors/{id}",
        "delete /connectors/{id}",
        "post /connectors/{id}/validate",
        "get /connectors/templates",
        "post /connectors/from-template/{template}",
        "get /connectors/{id}/schema",
        "get /playbooks",
        "get /playbooks/{id}",
        "post /playbooks",
        "put /playbooks/{id}",
        "delete /playbooks/{id}",
        "post /playbooks/{id}/validate",
        "post /playbooks/validate",
        "post /playbooks/{id}/test",
        "get /playbooks/{id}/graph",
        "get /actions",
        "get /actions/{name}",
        "post /executions",
        "get /executions",
        "get /executions/{id}",
        "get /executions/{id}/events",
        "post /executions/{id}/cancel",
        "get /executions/{id}/outputs/{step}",
        "get /executions/{id}/discoveries",
        "get /discoveries",
        "get /discoveries/stats",
        "get /entity-reviews",
        "get /entity-reviews/{id}",
        "post /entity-reviews/{id}/approve",
        "post /entity-reviews/{id}/reject",
        "post /entity-reviews/{id}/skip",
        "get /entity-resolution/log",
        "post /entity-resolution/merge",
        "post /entity-resolution/split",
        "post /entity-resolution/reverse/{id}",
        "get /knowledge/entities",
        "get /knowledge/entities/{id}",
        "get /knowledge/entities/{id}/neighbours",
        "get /approvals",
        "get /approvals/{id}",
        "post /approvals/{id}/approve",
        "post /approvals/{id}/reject",
        "post /approvals/{id}/revise",
        "post /approvals/{id}/strike",
        "get /profiles/{id}/journal",
        "get /profiles/{id}/journal/summary",
        "get /journal/{id}",
        "post /uploads",
        "get /documents/{id}",
        "get /workspaces/{id}/tables/{name}/rows",
        "get /exports/{id}",
    ];
    let documented = operations();
    for wanted in WANTED {
        let (method, path) = wanted.split_once(' ').unwrap();
        let key = (method.to_owned(), format!("/api/agent-factory{path}"));
        assert!(documented.contains(&key), "{wanted}");
    }
}

/// The words that stand beside the ids of a kind of document in addresses.
fn beside(kind: &str) -> BTreeSet<String> {
    let paths = operations().into_iter().map(|(_, path)| path);
    let first = |path: String| {
        let rest = path.strip_prefix(&format!("/api/agent-factory/{kind}/"))?.to_owned();
        let first = rest.split('/').next().unwrap_or_default().to_owned();
        (!first.starts_with('{')).then_some(first)
    };
    paths.filter_map(first).collect()
}

#[test]
fn k_70_no_connector_and_no_playbook_has_the_name_of_an_address() {
    let reserved = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(beside("connectors"), reserved(&countersign_connector::RESERVED_IDS));
    assert_eq!(beside("playbooks"), reserved(&countersign_playbook::RESERVED_IDS));
}

/// The query parameters that the document has of an operation.
fn parameters(document: &Value, method: &str, path: &str) -> Vec<String> {
    let all = document["paths"][path][method]["parameters"].as_array().cloned();
    let of_query = all.unwrap_or_default().into_iter().filter(|found| found["in"] == "query");
    of_query.map(|found| found["name"].as_str().unwrap().to_owned()).collect()
}

async fn problem(method: &str, address: &str) -> Value {
    problem_of(method, address, Body::empty()).await
}

async fn problem_of(method: &str, address: &str, body: Body) -> Value {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
    let request = Request::builder().method(method).uri(address).body(body).unwrap();
    let response = crate::router(&context()).oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), 10_000_000).await.unwrap();
    let body = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    serde_json::json!({"status": status, "errors": body["errors"]})
}

#[tokio::test]
async fn no_operation_ignores_a_query_parameter() {
    let document = document();
    for (method, path) in operations() {
        // The first is of the function `connector-test`, the second of `hooks`.
        if ["/api/agent-factory/connectors/{id}/test", "/hooks/{id}"].contains(&path.as_str()) {
            continue;
        }
        let said = problem(&method, &format!("{}?no_such_parameter=1", named(&path))).await;
        assert_eq!(said["status"], 422, "{method} {path} {said}");
        assert_eq!(said["errors"][0]["path"], "no_such_parameter", "{method} {path} {said}");
        // Those that it has are read, once somebody has said who they are.
        for known in parameters(&document, &method, &path) {
            let address = format!("{}?{known}=1", named(&path));
            let said = problem(&method, &address).await;
            assert_eq!(said["status"], 401, "{method} {address} {said}");
        }
    }
}

#[tokio::test]
async fn no_operation_ignores_a_body() {
    let document = document();
    let mut tried = 0;
    for (method, path) in operations() {
        let of_others = ["/api/agent-factory/connectors/{id}/test", "/hooks/{id}"];
        let takes_body = document["paths"][&path][&method].get("requestBody").is_some();
        if of_others.contains(&path.as_str()) || takes_body || method == "get" {
            continue;
        }
        let (address, body) = (named(&path), Body::from(r#"{"no_such_field": 1}"#));
        let said = problem_of(&method, &address, body).await;
        assert_eq!(said["status"], 422, "{method} {path} {said}");
        assert_eq!(said["errors"][0]["path"], "no_such_field", "{method} {path} {said}");
        let nothing = problem_of(&method, &address, Body::from("{}")).await;
        assert_eq!(nothing["status"], 401, "{method} {path} {nothing}");
        tried += 1;
    }
    assert!(tried >= 30, "{tried} operations take no body");
}

#[test]
fn the_schema_of_every_body_can_validate() {
    let document = document();
    let mut tried = 0;
    for (method, path) in operations() {
        let body = &document["paths"][&path][&method]["requestBody"];
        let schema = &body["content"]["application/json"]["schema"];
        if schema.is_null() {
            continue;
        }
        let mut schema = schema.clone();
        schema["components"] = document["components"].clone();
        let made = jsonschema::validator_for(&schema);
        assert!(made.is_ok(), "{method} {path}: {:?}", made.err());
        tried += 1;
    }
    assert!(tried >= 40, "{tried} operations take a body");
}

#[tokio::test]
async fn a_misspelt_query_parameter_is_told_the_nearest() {
    let said = problem("get", "/api/agent-factory/profiles?limt=2&after=x").await;
    let hints: Vec<&Value> =
        said["errors"].as_array().unwrap().iter().map(|error| &error["hint"]).collect();
    assert_eq!(
        hints,
        ["known: `limit`, `cursor`, `kind`, `from`", "did you mean `limit`?"],
        "{said}"
    );
}

#[tokio::test]
async fn the_sample_events_are_requests() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/api");
    for (name, expect) in [("health", 200), ("list-profiles", 401), ("start-execution", 401)] {
        let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
        let answer =
            door::answer(crate::router(&context()), serde_json::from_str(&text).unwrap()).await;
        assert_eq!(answer.unwrap()["statusCode"], expect, "{name}");
    }
}
