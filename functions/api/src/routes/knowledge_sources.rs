//! `/knowledge/sources` (F-254, F-272): what runs asked of connectors.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use std::collections::{BTreeMap, BTreeSet};

use countersign_connector::ConnectorId;
use countersign_identity::UserId;
use countersign_knowledge::{DataSource, Namespace, SourceId};
use countersign_run::RunId;
use countersign_store_kit::Page as Stored;
use countersign_web::{Json, Page, Path, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::knowledge::{Graph, Part, scope};
use super::{JsonOf, found};
use crate::Context;
use crate::documented::documented;
use crate::lists::{Asked, PageOf, paged};

/// Which sources.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SourceQuery {
    /// At most so many sources, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
    /// Only those that one run has read; in the order of ids.
    #[param(value_type = Option<String>)]
    execution_id: Option<RunId>,
    /// Only those of one connector.
    #[param(value_type = Option<String>)]
    connector: Option<ConnectorId>,
}

paged!(SourceQuery);

/// What a run asked of a connector.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GraphSourceDetail")]
pub(crate) struct SourceView {
    #[serde(flatten)]
    source: DataSource,
    /// The connector's name now; null when it is gone.
    connector_name: Option<String>,
}

documented!(SourceView);

/// Data sources of the caller's graph, newest first.
#[utoipa::path(
    get, path = "/knowledge/sources", tag = "knowledge", params(SourceQuery),
    responses((status = 200, body = Page<SourceView>))
)]
pub(crate) async fn list(asked: Asked<SourceQuery>) -> PageOf<SourceView> {
    let part = scope(&asked.owner, asked.query.namespace.clone());
    let run = asked.query.execution_id.as_ref().map(RunId::as_str);
    let connector = asked.query.connector.as_ref().map(ConnectorId::as_str);
    let filters = [
        ("namespace", Some(part.namespace.as_str())),
        ("execution_id", run),
        ("connector", connector),
    ];
    let paging = asked.paging("sources", &filters).await?;
    let read = |window| asked.ctx.knowledge.sources(&part, (run, connector), window);
    let of_connector = |source: &DataSource| connector.is_none_or(|id| source.connector_id == id);
    let Stored { items, next } = paging.sifted(read, of_connector).await?;
    paging.page(Stored { items: views(&asked.ctx, &asked.owner, items).await?, next })
}

/// One data source.
#[utoipa::path(
    get, path = "/knowledge/sources/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`src_…`"), Part),
    responses((status = 200, body = SourceView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(graph: Graph, Path(id): Path<SourceId>) -> JsonOf<SourceView> {
    let Graph { ctx, scope, .. } = &graph;
    let source = found(ctx.knowledge.source(scope, &id).await?)?;
    Ok(Json(views(ctx, &scope.owner, vec![source]).await?.remove(0)))
}

/// Sources with the names of their connectors, each of which is read once.
pub(crate) async fn views(
    ctx: &Context,
    owner: &UserId,
    sources: Vec<DataSource>,
) -> Result<Vec<SourceView>, Problem> {
    let ids: BTreeSet<&str> = sources.iter().map(|source| source.connector_id.as_str()).collect();
    let mut names = BTreeMap::new();
    for id in ids.into_iter().filter_map(|id| ConnectorId::parse(id).ok()) {
        let connector = ctx.catalog.connectors().get(owner, &id).await?;
        names.extend(connector.map(|connector| (id.to_string(), connector.definition.name)));
    }
    let view = |source: DataSource| SourceView {
        connector_name: names.get(&source.connector_id).cloned(),
        source,
    };
    Ok(sources.into_iter().map(view).collect())
}
