//! `/entity-reviews` (F-352): merges that people are asked about.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_knowledge::{EntityType, Namespace, ReviewRow, ReviewStatus};
use countersign_web::{Page, Problem};
use serde::Deserialize;
use utoipa::IntoParams;

use super::answers::ReviewAnswer;
use super::knowledge::scope;
use crate::lists::{Asked, PageOf, paged};

/// Which reviews.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewQuery {
    /// At most so many reviews, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
    /// `pending` (the default), `approved_merge`, `rejected` or `skipped`.
    #[param(value_type = Option<String>)]
    status: Option<ReviewStatus>,
    /// Only one kind of entity, such as `PERSON`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Only those that are at least this sure, 0 to 1.
    min_confidence: Option<f64>,
    /// Only those that one run has met first.
    execution_id: Option<String>,
}

paged!(ReviewQuery);

impl ReviewQuery {
    fn takes(&self, review: &ReviewRow) -> bool {
        let kind = self.kind.as_deref().map(EntityType::from);
        kind.is_none_or(|kind| review.source_entity_type == kind)
            && self.min_confidence.is_none_or(|least| review.confidence >= least)
            && self.execution_id.as_ref().is_none_or(|run| review.execution_id == *run)
    }
}

/// Reviews of one status, newest first: two entities, how alike they are and why nobody merged them.
#[utoipa::path(
    get, path = "/entity-reviews", tag = "knowledge", params(ReviewQuery),
    responses((status = 200, body = Page<ReviewAnswer>))
)]
pub(crate) async fn list(asked: Asked<ReviewQuery>) -> PageOf<ReviewRow> {
    let query = &asked.query;
    if query.min_confidence.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err(Problem::field("min_confidence", "must be from 0 to 1"));
    }
    let status = query.status.unwrap_or(ReviewStatus::Pending);
    let scope = scope(&asked.owner, query.namespace.clone());
    let sure = query.min_confidence.map(|least| least.to_string());
    let filters = [
        ("namespace", Some(scope.namespace.as_str())),
        ("status", Some(status.as_str())),
        ("type", query.kind.as_deref()),
        ("min_confidence", sure.as_deref()),
        ("execution_id", query.execution_id.as_deref()),
    ];
    let read = |window| asked.ctx.knowledge.reviews(&scope, status, window);
    asked.sifted("entity-reviews", &filters, read, |review| query.takes(review)).await
}
