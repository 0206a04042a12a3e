//! `/exports/{id}`.

use std::time::Duration;

use countersign_store_content::{Export, ExportId};
use countersign_web::Json;
use schemars::JsonSchema;
use serde::Serialize;

use super::{JsonOf, Named, Reader, found};
use crate::documented::documented;

/// A link is good for this long.
const GOOD_FOR: Duration = Duration::from_secs(15 * 60);

/// An exported file and where to fetch it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExportDetail")]
pub(crate) struct ExportView {
    #[serde(flatten)]
    export: Export,
    /// Fetch the file here with `GET`, within 15 minutes.
    url: String,
}

documented!(ExportView);

/// One exported file of the caller.
#[utoipa::path(
    get, path = "/exports/{id}", tag = "content", params(("id" = String, Path, description = "`expo_…`")),
    responses((status = 200, body = ExportView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref owner), id): Named<ExportId>,
) -> JsonOf<ExportView> {
    let export = found(ctx.content.export(owner, &id).await?)?;
    let url = found(ctx.content.export_link(owner, &id, GOOD_FOR).await?)?;
    Ok(Json(ExportView { export, url }))
}
