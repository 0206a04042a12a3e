//! `/knowledge/documents` (F-253, F-256, F-272): the files and articles that name entities.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_knowledge::explore::EntityRecord;
use countersign_knowledge::{Document, Entity, InDocument, MentioningId, Namespace};
use countersign_store_kit::Page as Stored;
use countersign_web::{Page, Path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::answers::GraphDocumentAnswer;
use super::knowledge::{Graph, Part, scope};
use super::{JsonOf, found, json_of};
use crate::documented::documented;
use crate::lists::{Asked, PageOf, paged};

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

paged!(MentioningQuery);

/// Documents that name entities of the caller's graph, newest first.
#[utoipa::path(
    get, path = "/knowledge/documents", tag = "knowledge", params(MentioningQuery),
    responses((status = 200, body = Page<GraphDocumentAnswer>))
)]
pub(crate) async fn list(asked: Asked<MentioningQuery>) -> PageOf<Document> {
    let (knowledge, query) = (&asked.ctx.knowledge, &asked.query);
    let scope = scope(&asked.owner, query.namespace.clone());
    let filters =
        [("namespace", Some(scope.namespace.as_str())), ("reference", query.reference.as_deref())];
    let paging = asked.paging("mentioning", &filters).await?;
    paging.page(match &query.reference {
        Some(reference) => {
            let one = knowledge.document(&scope, &Document::id_of(&scope, reference)).await?;
            Stored { items: one.into_iter().collect(), next: None }
        }
        None => knowledge.documents(&scope, paging.window()).await?,
    })
}

/// One document that names entities.
#[utoipa::path(
    get, path = "/knowledge/documents/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`mdoc_…`"), Part),
    responses((status = 200, body = GraphDocumentAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(graph: Graph, Path(id): Path<MentioningId>) -> JsonOf<Document> {
    json_of(graph.ctx.knowledge.document(&graph.scope, &id).await?)
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

paged!(MentionQuery);

/// An entity that a document names.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MentionView {
    /// The entity.
    entity: EntityRecord,
    /// How often, where and beside what; null when that is not kept.
    mention: Option<InDocument>,
}

documented!(MentionView);

/// The entities that a document names.
#[utoipa::path(
    get, path = "/knowledge/documents/{id}/mentions", tag = "knowledge",
    params(("id" = String, Path, description = "`mdoc_…`"), MentionQuery),
    responses((status = 200, body = Page<MentionView>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn mentions(
    asked: Asked<MentionQuery>,
    Path(id): Path<MentioningId>,
) -> PageOf<MentionView> {
    let knowledge = &asked.ctx.knowledge;
    let scope = scope(&asked.owner, asked.query.namespace.clone());
    found(knowledge.document(&scope, &id).await?)?;
    let filters = [("namespace", Some(scope.namespace.as_str())), ("document", Some(id.as_str()))];
    let paging = asked.paging("mentions", &filters).await?;
    let page = knowledge.mentioned_in(&scope, &id, paging.window()).await?;
    paging.page(page.map(|entity: Entity| MentionView {
        mention: entity.mentioned_in.get(&id).cloned(),
        entity: entity.into(),
    }))
}
