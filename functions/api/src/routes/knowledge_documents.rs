//! `/knowledge/documents` (F-253, F-256, F-272): the files and articles that name entities.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use axum::extract::State;
use countersign_knowledge::explore::entity_record;
use countersign_knowledge::{Document, Entity, MentioningId, Namespace};
use countersign_store_kit::Page as Stored;
use countersign_store_knowledge::Window;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::knowledge::{Part, scope};
use super::{Ctx, Reader, found};

/// Which documents.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MentioningQuery {
    /// At most so many documents, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
    /// Only the document with this reference: the id of an uploaded file, or an address.
    reference: Option<String>,
}

/// Documents that name entities of the caller's graph, newest first.
#[utoipa::path(
    get, path = "/knowledge/documents", tag = "knowledge", params(MentioningQuery),
    responses((status = 200, body = Page<Value>))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<MentioningQuery>,
) -> Result<Json<Page<Document>>, Problem> {
    let scope = scope(owner, query.namespace);
    let filters =
        [("namespace", Some(scope.namespace.as_str())), ("reference", query.reference.as_deref())];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "mentioning", &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor };
    let (limit, after) = (paging.limit()?, paging.after(&cursor)?);
    let page = match &query.reference {
        Some(reference) => {
            let one = ctx.knowledge.document(&scope, &Document::id_of(&scope, reference)).await?;
            Stored { items: one.into_iter().collect(), next: None }
        }
        None => {
            let window = Window { limit, after: after.as_deref() };
            ctx.knowledge.documents(&scope, window).await?
        }
    };
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}

/// One document that names entities.
#[utoipa::path(
    get, path = "/knowledge/documents/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`mdoc_…`"), Part),
    responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<MentioningId>,
    Query(part): Query<Part>,
) -> Result<Json<Document>, Problem> {
    Ok(Json(found(ctx.knowledge.document(&part.scope(owner), &id).await?)?))
}

/// Which page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MentionQuery {
    /// At most so many entities, 1 to 100; 50 when left out. A page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
}

/// An entity that a document names.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MentionView {
    /// The entity.
    #[schema(value_type = Object)]
    entity: Value,
    /// How often, where and beside what.
    #[schema(value_type = Object)]
    mention: Value,
}

/// The entities that a document names.
#[utoipa::path(
    get, path = "/knowledge/documents/{id}/mentions", tag = "knowledge",
    params(("id" = String, Path, description = "`mdoc_…`"), MentionQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn mentions(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<MentioningId>,
    Query(query): Query<MentionQuery>,
) -> Result<Json<Page<MentionView>>, Problem> {
    let scope = scope(owner, query.namespace);
    found(ctx.knowledge.document(&scope, &id).await?)?;
    let filters = [("namespace", Some(scope.namespace.as_str())), ("document", Some(id.as_str()))];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "mentions", &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor };
    let (limit, after) = (paging.limit()?, paging.after(&cursor)?);
    let window = Window { limit, after: after.as_deref() };
    let page = ctx.knowledge.mentioned_in(&scope, &id, window).await?;
    let view = |entity: &Entity| MentionView {
        entity: entity_record(entity),
        mention: serde_json::json!(entity.mentioned_in.get(&id)),
    };
    let items = page.items.iter().map(view).collect();
    Ok(Json(cursor.page(items, page.next.as_deref())))
}
