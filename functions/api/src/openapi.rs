//! Every route with its documentation: one declaration makes both. Starting the function makes the routes; the document is
//! made when somebody asks for it.

mod bodies;
mod described;
mod groups;
mod hook;
mod page;
mod queries;
mod texts;
mod unread;

use std::sync::{Arc, LazyLock, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::middleware::from_fn;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use countersign_web::{Problem, no_parameters};
use http::header::CONTENT_TYPE;
use tower::ServiceExt as _;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use self::groups::{GROUPS, Group};
use crate::Context;
use crate::routes as r;

#[derive(OpenApi)]
#[openapi(
    info(title = "Countersign", description = "Agents whose irreversible steps wait for a signature."),
    components(schemas(countersign_web::ProblemBody, countersign_web::FieldError)),
    paths(r::connector_test::test, described_here, hook::message),
    modifiers(&Bearer),
    security(("bearer" = []))
)]
struct Document;

/// This document.
#[utoipa::path(get, path = "/openapi.json", tag = "operation", security(()), responses((status = 200, body = described::OpenApi)))]
#[expect(dead_code, reason = "the declaration is what is used")]
fn described_here() {}

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// The document as it is sent.
static WRITTEN: LazyLock<Option<Bytes>> =
    LazyLock::new(|| serde_json::to_vec(&document()).map(Bytes::from).ok());

/// The page of `/docs`, made at the first request for it.
static PAGE: LazyLock<Option<Bytes>> =
    LazyLock::new(|| page::page(&document()).map(Bytes::from).ok());

/// The router, with the document behind `/openapi.json` and `/docs`. The document and each group's routes are made by the first
/// request for them.
pub(crate) fn routes(context: &Arc<Context>) -> Router {
    let serve = async || made(WRITTEN.as_ref(), "application/json");
    let groups: Arc<[(&Group, OnceLock<Router>)]> =
        GROUPS.iter().map(|group| (group, OnceLock::new())).collect();
    let context = context.clone();
    let pick = tower::service_fn(move |request: Request| {
        let group = groups.iter().find(|(group, _)| group.has(request.uri().path()));
        let routes = group.map(|(group, routes)| {
            routes.get_or_init(|| group.routes(Arc::clone(&context))).clone()
        });
        async move {
            match routes {
                Some(routes) => routes.oneshot(request).await,
                None => Ok(Problem::not_found().into_response()),
            }
        }
    });
    let show = async || made(PAGE.as_ref(), "text/html; charset=utf-8");
    let [document, page] =
        [get(serve), get(show)].map(|door| door.route_layer(from_fn(no_parameters)));
    Router::new().route("/openapi.json", document).route("/docs", page).fallback_service(pick)
}

/// What was made at the first request for it, if it could be made.
fn made(text: Option<&Bytes>, kind: &'static str) -> Response {
    let answer = |text: &Bytes| ([(CONTENT_TYPE, kind)], text.clone()).into_response();
    text.map_or_else(|| Problem::not_found().into_response(), answer)
}

/// The document of all doors.
pub(crate) fn document() -> serde_json::Value {
    // A document of strings and lists always serialises.
    let mut document = serde_json::to_value(declared()).unwrap_or_default();
    for (name, schema) in GROUPS.iter().flat_map(|group| (group.schemas)()) {
        document["components"]["schemas"][name] = schema;
    }
    described::complete(&mut document);
    texts::clean(&mut document);
    document
}

/// What the handlers say of themselves.
fn declared() -> utoipa::openapi::OpenApi {
    let all = OpenApiRouter::with_openapi(Document::openapi());
    let all = GROUPS.iter().fold(all, |all, group| {
        let documented = group.all_doors().map(|door| (door.documented)());
        let group_router = documented.fold(OpenApiRouter::new(), OpenApiRouter::routes);
        if group.prefix.is_empty() {
            all.merge(group_router)
        } else {
            all.nest(group.prefix, group_router)
        }
    });
    all.into_openapi()
}

#[cfg(test)]
mod tests;
