//! No query parameter is ignored: a route takes those that its documentation has, and refuses any other.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::MethodRouter;
use countersign_registry::nearest;
use countersign_web::refuse_unknown;
use http::Method;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem, Paths};

/// A method of a route, and the names of its query parameters.
type Known = (Method, Vec<String>);

/// The route, and in front of it the refusal of what its documentation does not have. The documentation is made by the
/// first request that has a query.
pub(super) fn guarded<S: Clone + Send + Sync + 'static>(
    route: MethodRouter<S>,
    documented: impl Fn() -> Paths + Clone + Send + Sync + 'static,
) -> MethodRouter<S> {
    let known = Arc::new(OnceLock::<Vec<Known>>::new());
    route.route_layer(from_fn(move |request: Request, next: Next| {
        let (known, documented) = (Arc::clone(&known), documented.clone());
        async move {
            match request.uri().query().filter(|query| !query.is_empty()) {
                None => next.run(request).await,
                Some(_) => checked(known.get_or_init(|| names(&documented())), request, next).await,
            }
        }
    }))
}

async fn checked(known: &[Known], request: Request, next: Next) -> Response {
    let names = known_of(known, request.method());
    let meant = |name: &str| nearest(name, names.iter().map(String::as_str));
    match refuse_unknown(request.uri().query(), names, meant) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// What a method takes; `HEAD` is answered as `GET` is.
fn known_of<'k>(known: &'k [Known], method: &Method) -> &'k [String] {
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let found = known.iter().find(|(of, _)| of == method);
    found.map_or(&[], |(_, names)| names)
}

fn names(paths: &Paths) -> Vec<Known> {
    let operations = paths.paths.values().flat_map(operations);
    operations.map(|(method, operation)| (method, of(operation))).collect()
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

fn of(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten();
    let asked = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => Some(parameter),
        _ => None,
    });
    asked.map(|parameter| parameter.name.clone()).collect()
}
