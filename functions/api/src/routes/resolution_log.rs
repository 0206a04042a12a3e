//! `/entity-resolution/log` (F-355): what was joined, separated and doubted, by whom and when.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_knowledge::{EntityId, Namespace, ResolutionAction, ResolutionLogRow};
use countersign_web::Page;
use serde::Deserialize;
use utoipa::IntoParams;

use super::answers::LogAnswer;
use super::knowledge::scope;
use crate::lists::{Asked, PageOf, paged};

/// Which rows.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LogQuery {
    /// At most so many rows, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
    /// `auto_merge`, `user_merge`, `user_split`, `create_new` or `flag_review`.
    #[param(value_type = Option<String>)]
    action: Option<ResolutionAction>,
    /// Only rows about this entity, `ent_…`.
    #[param(value_type = Option<String>)]
    entity: Option<EntityId>,
    /// Only rows of one run.
    execution_id: Option<String>,
}

paged!(LogQuery);

impl LogQuery {
    fn takes(&self, row: &ResolutionLogRow) -> bool {
        let is_about = |id: &EntityId| {
            row.target_entity_id == *id || row.source_entity_id.as_ref() == Some(id)
        };
        self.action.is_none_or(|action| row.action == action)
            && self.entity.as_ref().is_none_or(is_about)
            && self.execution_id.as_ref().is_none_or(|run| row.execution_id == *run)
    }
}

/// The log of entity resolution, newest first.
#[utoipa::path(
    get, path = "/entity-resolution/log", tag = "knowledge", params(LogQuery),
    responses((status = 200, body = Page<LogAnswer>))
)]
pub(crate) async fn list(asked: Asked<LogQuery>) -> PageOf<ResolutionLogRow> {
    let query = &asked.query;
    let scope = scope(&asked.owner, query.namespace.clone());
    let filters = [
        ("namespace", Some(scope.namespace.as_str())),
        ("action", query.action.map(ResolutionAction::as_str)),
        ("entity", query.entity.as_ref().map(EntityId::as_str)),
        ("execution_id", query.execution_id.as_deref()),
    ];
    let read = |window| asked.ctx.knowledge.log(&scope, window);
    asked.sifted("entity-resolution", &filters, read, |row| query.takes(row)).await
}
