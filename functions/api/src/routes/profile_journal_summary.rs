//! `/profiles/{id}/journal/summary` (F-376): what a sidebar shows.

use std::collections::BTreeMap;

use countersign_journal::{Access, Entry, JournalRead as _, Origin};
use countersign_profile::ProfileId;
use countersign_web::Json;
use schemars::JsonSchema;
use serde::Serialize;

use super::{JsonOf, Named, Reader, found};
use crate::documented::documented;

/// So many entries are shown.
const SHOWN: usize = 5;

/// The newest entries and how the last runs ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JournalSummary")]
pub(crate) struct Summary {
    /// The newest five, newest first.
    latest: Vec<Entry>,
    /// How the runs among the last fifty entries ended.
    by_status: BTreeMap<&'static str, usize>,
}

documented!(Summary);

/// What an agent did lately; always of the newest entries.
#[utoipa::path(
    get, path = "/profiles/{id}/journal/summary", tag = "journal", params(("id" = String, Path, description = "`prof_…`")),
    responses((status = 200, body = Summary), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(Named(ctx, Reader(ref owner), id): Named<ProfileId>) -> JsonOf<Summary> {
    found(ctx.catalog.profiles().get(owner, &id).await?)?;
    let access = Access::Profile { owner: owner.clone(), profile: id.to_string() };
    let page = ctx.journal.page(&access, None, None, None).await?;
    Ok(Json(summed(page.entries)))
}

fn summed(entries: Vec<Entry>) -> Summary {
    let mut by_status = BTreeMap::new();
    let is_of_run = |entry: &&Entry| entry.origin == Origin::Run;
    for entry in entries.iter().filter(is_of_run) {
        *by_status.entry(entry.task_status.as_str()).or_default() += 1;
    }
    Summary { latest: entries.into_iter().take(SHOWN).collect(), by_status }
}
