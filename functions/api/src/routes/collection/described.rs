//! What the routes of a collection say of themselves in the OpenAPI document.

use std::sync::Arc;

use axum::routing::MethodRouter;
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, Paths};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{
    Content, HeaderBuilder, HttpMethod, Ref, RefOr, Required, Response, ResponseBuilder,
};
use utoipa::{IntoParams as _, ToSchema};
use utoipa_axum::router::UtoipaMethodRouter;

use super::patch::{Patch, one as patched_routes};
use super::record::{DocumentRecord, Resent};
use super::{
    Kind, Validity, all as all_routes, one as one_routes, validation as validation_routes,
};
use crate::Context;

/// The sentences and codes of a kind's operations.
pub(crate) struct Words {
    /// Of `POST /{kind}`.
    pub(crate) create: &'static str,
    /// Of `GET /{kind}`.
    pub(crate) list: &'static str,
    /// Of `GET /{kind}/{id}`.
    pub(crate) detail: &'static str,
    /// Of `PUT /{kind}/{id}`.
    pub(crate) replace: &'static str,
    /// Of `DELETE /{kind}/{id}`.
    pub(crate) delete: &'static str,
    /// How ids are written.
    pub(crate) id: &'static str,
    /// The code of a document with errors.
    pub(crate) invalid: &'static str,
    /// The code of a change that another change came before, when that is noticed.
    pub(crate) changed: Option<&'static str>,
    /// The code of a removal while something needs the document.
    pub(crate) needed: Option<&'static str>,
}

type Documented = UtoipaMethodRouter<Arc<Context>>;
type Schemas = Vec<(String, RefOr<Schema>)>;

/// These routes, of one path, with what is said of each method.
fn documented(
    schemas: Schemas,
    (path, router): (String, MethodRouter<Arc<Context>>),
    operations: Vec<(HttpMethod, OperationBuilder)>,
) -> Documented {
    let mut paths = Paths::new();
    for (method, operation) in operations {
        paths.add_path_operation(&path, vec![method], operation);
    }
    (schemas, paths, router)
}

/// `/{kind}` with its documentation.
pub(crate) fn all<K: Kind>() -> Documented {
    let mut schemas = Schemas::new();
    let create = operation::<K>(K::WORDS.create)
        .parameter(idempotency_key())
        .request_body(Some(body::<K::Draft>(&mut schemas)))
        .response("201", shown::<K::View>(&mut schemas))
        .response("409", Response::new("NAME_TAKEN"))
        .response("422", Response::new(K::WORDS.invalid));
    let list = operation::<K>(K::WORDS.list)
        .parameters(Some(K::Query::into_params(|| Some(ParameterIn::Query))))
        .response("200", page::<K::Line>(&mut schemas));
    let operations = vec![(HttpMethod::Post, create), (HttpMethod::Get, list)];
    documented(schemas, all_routes::<K>(), operations)
}

/// `/{kind}/validate` with its documentation.
pub(crate) fn validation<K: Kind>() -> Documented {
    let mut schemas = Schemas::new();
    let says = "Checks what could be created, and reports every error at once. Nothing is stored.";
    let validate = operation::<K>(says)
        .request_body(Some(body::<K::Draft>(&mut schemas)))
        .response("200", shown::<Validity>(&mut schemas));
    let operations = vec![(HttpMethod::Post, validate)];
    documented(schemas, validation_routes::<K>(), operations)
}

/// `/{kind}/{id}` with its documentation.
pub(crate) fn one<K: Kind>() -> Documented {
    let mut schemas = Schemas::new();
    let detail =
        of_id::<K>(K::WORDS.detail).response("200", tagged(shown::<K::View>(&mut schemas)));
    let replace = change_of::<K>(K::WORDS.replace)
        .request_body(Some(body::<K::Change>(&mut schemas)))
        .response("200", tagged(shown::<K::View>(&mut schemas)))
        .response("403", Response::new("SYSTEM_TEMPLATE"))
        .response("422", Response::new(K::WORDS.invalid));
    let delete = change_of::<K>(K::WORDS.delete)
        .response("204", Response::new(""))
        .response("403", Response::new("SYSTEM_TEMPLATE"));
    let operations = vec![
        (HttpMethod::Get, detail),
        (HttpMethod::Put, conflict(replace, K::WORDS.changed)),
        (HttpMethod::Delete, conflict(delete, K::WORDS.needed)),
    ];
    documented(schemas, one_routes::<K>(), operations)
}

/// `PATCH /{kind}/{id}` with its documentation.
pub(crate) fn patched<K: Kind<Change = Resent<K>> + DocumentRecord>() -> Documented {
    let mut schemas = Schemas::new();
    let says = "Changes some fields (JSON Merge Patch, RFC 7396): objects are merged, lists replaced, `null` gives a field its default. `version`, when sent, must be the one that was read.";
    let content = || Content::new(Some(reference::<Patch<K>>(&mut Schemas::new())));
    let sent = RequestBodyBuilder::new()
        .content("application/merge-patch+json", content())
        .content("application/json", content())
        .required(Some(Required::True));
    reference::<Patch<K>>(&mut schemas);
    let patch = change_of::<K>(says)
        .request_body(Some(sent.build()))
        .response("200", tagged(shown::<K::View>(&mut schemas)))
        .response("403", Response::new("SYSTEM_TEMPLATE"))
        .response("422", Response::new(K::WORDS.invalid));
    let operations = vec![(HttpMethod::Patch, conflict(patch, K::WORDS.changed))];
    documented(schemas, patched_routes::<K>(), operations)
}

fn operation<K: Kind>(says: &str) -> OperationBuilder {
    OperationBuilder::new().tag(K::PLURAL).summary(Some(says))
}

fn of_id<K: Kind>(says: &str) -> OperationBuilder {
    let id = text_parameter("id", K::WORDS.id).parameter_in(ParameterIn::Path);
    operation::<K>(says)
        .parameter(id.required(Required::True).schema(Some(string())))
        .response("404", Response::new("NOT_FOUND"))
}

/// An operation that changes or removes one document, if it still is what was read.
fn change_of<K: Kind>(says: &str) -> OperationBuilder {
    let tag = "the `ETag` of the answer in which the document was read: of another version it is not changed; a kind of document without a version takes only `*`";
    of_id::<K>(says)
        .parameter(header("If-Match", tag))
        .response("412", Response::new("PRECONDITION_FAILED"))
}

/// An answer with the version of what it shows.
fn tagged(answer: ResponseBuilder) -> ResponseBuilder {
    let says =
        "its version in quotes, for `If-Match`; kinds of documents without a version have none";
    answer
        .header("ETag", HeaderBuilder::new().schema(Some(string())).description(Some(says)).build())
}

fn conflict(operation: OperationBuilder, code: Option<&str>) -> OperationBuilder {
    match code {
        Some(code) => operation.response("409", Response::new(code)),
        None => operation,
    }
}

fn idempotency_key() -> Parameter {
    header("Idempotency-Key", "makes a repeated request harmless")
}

fn header(name: &str, says: &str) -> Parameter {
    let optional = SchemaType::from_iter([Type::String, Type::Null]);
    text_parameter(name, says)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .schema(Some(ObjectBuilder::new().schema_type(optional)))
        .build()
}

fn text_parameter(name: &str, says: &str) -> ParameterBuilder {
    ParameterBuilder::new().name(name).description(Some(says))
}

fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn body<T: ToSchema>(schemas: &mut Schemas) -> RequestBody {
    let content = Content::new(Some(reference::<T>(schemas)));
    RequestBodyBuilder::new()
        .content("application/json", content)
        .required(Some(Required::True))
        .build()
}

fn shown<T: ToSchema>(schemas: &mut Schemas) -> ResponseBuilder {
    answer(reference::<T>(schemas))
}

fn answer(schema: Ref) -> ResponseBuilder {
    ResponseBuilder::new().content("application/json", Content::new(Some(schema)))
}

/// A page of lines, under the name that the macro of other routes gives it.
fn page<T: ToSchema>(schemas: &mut Schemas) -> ResponseBuilder {
    let name = format!("Page_{}", T::name());
    let items = ArrayBuilder::new().items(reference::<T>(schemas)).description(Some("The items."));
    let optional = SchemaType::from_iter([Type::String, Type::Null]);
    let next = ObjectBuilder::new()
        .schema_type(optional)
        .description(Some("Pass it as `cursor` to go on; absent on the last page."));
    let page = ObjectBuilder::new()
        .description(Some("Some items of a list."))
        .property("items", items)
        .required("items")
        .property("next", next);
    schemas.push((name.clone(), page.into()));
    answer(Ref::from_schema_name(name))
}

fn reference<T: ToSchema>(schemas: &mut Schemas) -> Ref {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
    Ref::from_schema_name(T::name())
}
