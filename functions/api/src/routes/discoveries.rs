//! `/discoveries` (F-350): what all runs found.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_knowledge::{Discovery, DiscoveryStatus, DiscoveryType, EntityType, Namespace};
use countersign_web::Page;
use serde::Deserialize;
use utoipa::IntoParams;

use super::answers::DiscoveryAnswer;
use super::knowledge::scope;
use crate::lists::{Asked, PageOf, paged};

/// Which discoveries.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DiscoveryQuery {
    /// At most so many, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
    /// `new_entity`, `new_relationship`, `entity_merge`, `new_external_id` or `pattern_detected`.
    #[serde(rename = "type")]
    #[param(value_type = Option<String>)]
    kind: Option<DiscoveryType>,
    /// Only about one kind of entity, such as `PERSON`.
    entity_type: Option<String>,
    /// `stored`; `pending`: the graph does not have it yet; or `given_up`: it never will.
    #[param(value_type = Option<String>)]
    status: Option<DiscoveryStatus>,
}

paged!(DiscoveryQuery);

impl DiscoveryQuery {
    fn takes(&self, found: &Discovery) -> bool {
        let kind = self.entity_type.as_deref().map(EntityType::from);
        self.kind.is_none_or(|kind| found.discovery_type == kind)
            && self.status.is_none_or(|status| found.status == status)
            && kind.is_none_or(|kind| found.entity_type == kind)
    }
}

/// What the caller's runs found, newest first.
#[utoipa::path(
    get, path = "/discoveries", tag = "knowledge", params(DiscoveryQuery),
    responses((status = 200, body = Page<DiscoveryAnswer>))
)]
pub(crate) async fn list(asked: Asked<DiscoveryQuery>) -> PageOf<Discovery> {
    let query = &asked.query;
    let scope = scope(&asked.owner, query.namespace.clone());
    let filters = [
        ("namespace", Some(scope.namespace.as_str())),
        ("type", query.kind.map(DiscoveryType::as_str)),
        ("entity_type", query.entity_type.as_deref()),
        ("status", query.status.map(DiscoveryStatus::as_str)),
    ];
    let read = |window| asked.ctx.knowledge.discoveries(&scope, window);
    asked.sifted("discoveries", &filters, read, |found| query.takes(found)).await
}
