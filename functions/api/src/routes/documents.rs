//! `/documents`.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use super::answers::DocumentAnswer;
use crate::lists::{Asked, PageOf, paged};
use countersign_store_content::Document;
use countersign_web::Page;
use serde::Deserialize;
use utoipa::IntoParams;

/// What to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentQuery {
    /// At most so many items, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Only one folder.
    folder: Option<String>,
}

paged!(DocumentQuery);

/// The caller's documents: those of a folder newest first, or all of them by id.
#[utoipa::path(get, path = "/documents", tag = "content", params(DocumentQuery), responses((status = 200, body = Page<DocumentAnswer>)))]
pub(crate) async fn list(asked: Asked<DocumentQuery>) -> PageOf<Document> {
    let folder = asked.query.folder.as_deref();
    let read = |window| asked.ctx.content.documents(&asked.owner, folder, window);
    asked.listed("documents", &[("folder", folder)], read).await
}
