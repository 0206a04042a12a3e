//! No query parameter is ignored, no body, and no condition on a version: a route takes what its documentation has, and refuses anything else.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use axum::routing::MethodRouter;
use countersign_registry::nearest;
use countersign_web::{IfMatch, Problem, refuse_unknown};
use http::Method;
use jsonschema::Validator;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem, Paths};

use super::unread::Schemas;
use super::{bodies, unread};

/// What a method of a route takes.
struct Known {
    method: Method,
    parameters: Vec<String>,
    takes_body: bool,
    looks_at_versions: bool,
}

/// The route, and in front of it the refusal of what its documentation does not have. The documentation is made by the
/// first request that has one of these.
pub(super) fn guarded<S: Clone + Send + Sync + 'static>(
    route: MethodRouter<S>,
    documented: impl Fn() -> (Schemas, Paths) + Clone + Send + Sync + 'static,
) -> MethodRouter<S> {
    let known = Arc::new(OnceLock::<Vec<Known>>::new());
    let bodies = Arc::new(OnceLock::<Vec<(Method, Validator)>>::new());
    route.route_layer(from_fn(move |request: Request, next: Next| {
        let (known, bodies, documented) =
            (Arc::clone(&known), Arc::clone(&bodies), documented.clone());
        async move {
            let has_query = request.uri().query().is_some_and(|query| !query.is_empty());
            let has_condition = IfMatch::is_in(request.headers());
            if !has_query && !has_condition && bodies::is_empty(request.body()) {
                return next.run(request).await;
            }
            let known = known.get_or_init(|| all(&documented().1));
            let method = request.method().clone();
            match checked(known, request).await {
                Ok(request) => unread::completed(next.run(request).await, || {
                    let all = bodies.get_or_init(|| validators(&documented()));
                    all.iter().find(|(of, _)| *of == method).map(|(_, validator)| validator)
                }),
                Err(problem) => problem.into_response(),
            }
        }
    }))
}

async fn checked(known: &[Known], request: Request) -> Result<Request, Problem> {
    // A method that is not there is refused by the route.
    let Some(known) = known_of(known, request.method()) else { return Ok(request) };
    let names = &known.parameters;
    let meant = |name: &str| nearest(name, names.iter().map(String::as_str));
    refuse_unknown(request.uri().query(), names, meant)?;
    // Reading changes nothing, whatever the version.
    let is_ignored = IfMatch::is_in(request.headers()) && !known.looks_at_versions;
    if is_ignored && known.method != Method::GET {
        return Err(IfMatch::unknown());
    }
    if known.takes_body { Ok(request) } else { bodies::removed(request).await }
}

/// What a method takes; `HEAD` is answered as `GET` is.
fn known_of<'k>(known: &'k [Known], method: &Method) -> Option<&'k Known> {
    let method = if method == Method::HEAD { &Method::GET } else { method };
    known.iter().find(|known| known.method == *method)
}

/// What validates the bodies of a route; made when the first of them cannot be read.
fn validators((schemas, paths): &(Schemas, Paths)) -> Vec<(Method, Validator)> {
    let all = paths.paths.values().flat_map(operations);
    let body = |(method, operation)| Some((method, unread::validator(operation, schemas)?));
    all.filter_map(body).collect()
}

fn all(paths: &Paths) -> Vec<Known> {
    let operations = paths.paths.values().flat_map(operations);
    let known = operations.map(|(method, operation)| Known {
        method,
        parameters: of(operation, &ParameterIn::Query),
        takes_body: operation.request_body.is_some(),
        looks_at_versions: of(operation, &ParameterIn::Header)
            .iter()
            .any(|name| name == "If-Match"),
    });
    known.collect()
}

fn operations(item: &PathItem) -> impl Iterator<Item = (Method, &Operation)> {
    let all = [
        (Method::GET, &item.get),
        (Method::PUT, &item.put),
        (Method::POST, &item.post),
        (Method::DELETE, &item.delete),
        (Method::PATCH, &item.patch),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

fn of(operation: &Operation, place: &ParameterIn) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten();
    let asked = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if parameter.parameter_in == *place => Some(parameter),
        _ => None,
    });
    asked.map(|parameter| parameter.name.clone()).collect()
}
