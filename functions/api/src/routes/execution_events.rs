//! `/executions/{id}/events`.

use countersign_run::{Event, RunId};
use countersign_web::Json;

use super::answers::EventAnswer;
use super::execution::own;
use super::{JsonOf, Named, Reader};

/// Everything that happened in a run, oldest first. Ids, names, counts, codes, and the message of a step that failed: it may quote what a source answered, without the credential; and of each call of a model's tool its arguments and the pages of the web that it found, with excerpts.
#[utoipa::path(
    get, path = "/executions/{id}/events", tag = "executions", params(("id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = Vec<EventAnswer>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(Named(ctx, Reader(ref user), id): Named<RunId>) -> JsonOf<Vec<Event>> {
    own(&ctx, user, &id).await?;
    Ok(Json(ctx.runs.events(&id).await?))
}
