//! `/statistics`: how agents fare, what they discover, how connectors answer (F-317).

use axum::extract::State;
use countersign_identity::UserId;
use countersign_knowledge::ReviewStatus;
use countersign_knowledge::graph::Scope;
use countersign_run::{Head, Statistics};
use countersign_store_kit::Window;
use countersign_web::{Json, Problem, Query};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::answers::StatisticsAnswer;
use super::execution::state;
use super::executions::AT_ONCE;
use super::knowledge::scope;
use super::{Ctx, JsonOf, Reader, now};
use crate::Context;
use crate::moments::in_order;
use crate::queries::StatisticsQuery;

/// At most so many runs, and reviews of a status, are looked at, the newest.
const MAX_RUNS: usize = 1_000;

/// Runs that are read together.
const PAGE: i32 = 100;

/// Without `from`, figures are of the last thirty days.
const USUAL: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Figures of the caller's runs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatisticsView {
    /// The beginning of the time that is looked at.
    #[schema(value_type = String, format = DateTime)]
    from: Timestamp,
    /// Its end.
    #[schema(value_type = String, format = DateTime)]
    to: Timestamp,
    /// Whether all runs of that time, and all reviews that people answered, are in the figures: 1,000 of each are looked at, the
    /// newest runs.
    is_complete: bool,
    /// `total`, and the same for each of `agents`: `runs`, `by_status`, `success_rate`, `mean_duration_ms`, `connector_calls`,
    /// `entities_discovered`, `relationships_discovered`, `entities_per_run`, `merged` and `ambiguous` names; `days` with `runs`,
    /// `entities_discovered` and `relationships_discovered`; `connectors` with `calls`, `failed`, `error_rate`, `mean_latency_ms` and `results` by endpoint.
    #[serde(flatten)]
    #[schema(value_type = StatisticsAnswer)]
    figures: Statistics,
    /// How doubtful names were decided.
    resolution: Decisions,
}

/// Names that were decided without asking, were left to people, and what people decided.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Decisions {
    /// Names that runs merged without asking.
    auto: u64,
    /// Pairs that runs left to people.
    flagged: u64,
    /// Reviews that people decided in this time, whichever agent's run asked: merged. At most the newest 1,000 are looked at.
    user_merged: u64,
    /// Kept apart.
    user_rejected: u64,
}

/// Figures of the caller's runs: by agent, by day, by connector. Tests do not count.
#[utoipa::path(
    get, path = "/statistics", tag = "executions", params(StatisticsQuery),
    responses((status = 200, body = StatisticsView), (status = 422, description = "INVALID_INPUT: a range that ends before it begins"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<StatisticsQuery>,
) -> JsonOf<StatisticsView> {
    let to = query.to.unwrap_or_else(now);
    let from = query.from.or_else(|| to.checked_sub(USUAL).ok()).unwrap_or(Timestamp::MIN);
    in_order(Some(from), Some(to))?;
    let (mut heads, is_complete) = heads(&ctx, owner, from, to).await?;
    let profile = query.profile.as_ref();
    heads.retain(|head| profile.is_none_or(|id| head.profile_id == id.as_str()));
    let figures = Statistics::of(&with_statuses(&ctx, heads).await?);
    let scope = scope(owner, query.namespace);
    let user = |status| decided(&ctx, &scope, status, (from, to));
    let (user_merged, all_merged) = user(ReviewStatus::ApprovedMerge).await?;
    let (user_rejected, all_rejected) = user(ReviewStatus::Rejected).await?;
    let is_complete = is_complete && all_merged && all_rejected;
    let (auto, flagged) = (figures.total.merged, figures.total.ambiguous);
    let resolution = Decisions { auto, flagged, user_merged, user_rejected };
    Ok(Json(StatisticsView { from, to, is_complete, figures, resolution }))
}

/// How many reviews people decided so in this time, and whether all were looked at.
async fn decided(
    ctx: &Context,
    scope: &Scope,
    status: ReviewStatus,
    (from, to): (Timestamp, Timestamp),
) -> Result<(u64, bool), Problem> {
    let (mut count, mut read, mut after) = (0, 0, None);
    loop {
        let window = Window { limit: PAGE, after };
        let page = ctx.knowledge.reviews(scope, status, window).await?;
        read += page.items.len();
        let at = page.items.iter().filter_map(|review| review.reviewed_at);
        count += at.filter(|at| (from..=to).contains(at)).count() as u64;
        after = page.next;
        if after.is_none() || read >= MAX_RUNS {
            return Ok((count, after.is_none()));
        }
    }
}

/// The same runs, in their order, each with its status: the events of one that is not over say whether it waits for people.
async fn with_statuses(ctx: &Context, heads: Vec<Head>) -> Result<Vec<Head>, Problem> {
    let known = heads.into_iter().map(|head| -> BoxFuture<'_, Result<Head, Problem>> {
        Box::pin(async move {
            let status = match head.status {
                Some(status) => status,
                None => state(ctx, &head).await?.status,
            };
            Ok(Head { status: Some(status), ..head })
        })
    });
    futures::stream::iter(known.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await
}

/// The newest runs of this time, and whether these are all.
async fn heads(
    ctx: &Context,
    owner: &UserId,
    from: Timestamp,
    to: Timestamp,
) -> Result<(Vec<Head>, bool), Problem> {
    let between = (Some(from), Some(to));
    let (mut heads, mut after) = (Vec::new(), None);
    loop {
        let page = ctx.runs.list(owner, between, Window { limit: PAGE, after }).await?;
        heads.extend(page.items);
        after = page.next;
        if after.is_none() || heads.len() >= MAX_RUNS {
            return Ok((heads, after.is_none()));
        }
    }
}
