//! `/connectors` (F-326, F-328).

use axum::extract::State;
use axum::response::Response;
use countersign_connector::{
    AuthField, Category, ConnectorDefinition, Diagnostic, StoredConnector, Tag,
};
use countersign_identity::UserId;
use countersign_web::replay::{Attempt, Key};
use countersign_web::{Json, Page, Problem, Query, Signed};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Ctx, analyst, now, reader};
use crate::merged::{self, ListQuery};
use crate::once::{created, do_once};
use crate::queries::ConnectorQuery;
use crate::{Context, compiling};

/// A connector's text.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConnectorSource)]
pub(crate) struct Source {
    /// The YAML.
    pub(super) yaml: String,
}

/// A connector in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConnectorLine {
    /// Kebab-case, unique per owner.
    id: String,
    /// For people.
    name: String,
    /// One or two sentences.
    description: String,
    /// `rest_api`, `graphql`, `web_scraper`, `file_parser`, `rss_feed`, `existing_tool`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Semantic version.
    version: String,
    /// What it is about.
    #[schema(value_type = String)]
    category: Category,
    /// Words to find it by.
    #[schema(value_type = Vec<String>)]
    tags: Vec<Tag>,
    /// The form of the credentials it needs.
    #[schema(value_type = Vec<Object>)]
    auth_fields: Vec<AuthField>,
    /// Whether the deployment ships it.
    is_template: bool,
    /// The parts of the credential it needs.
    credential_fields: Vec<&'static str>,
    /// The names of its endpoints.
    endpoints: Vec<String>,
    /// When it was last written.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<&StoredConnector> for ConnectorLine {
    fn from(stored: &StoredConnector) -> Self {
        let definition = &stored.definition;
        Self {
            id: definition.id.to_string(),
            name: definition.name.clone(),
            description: definition.description.clone(),
            kind: definition.kind(),
            version: definition.version.clone(),
            category: definition.category,
            tags: definition.tags.clone(),
            auth_fields: definition.auth_fields.clone(),
            is_template: stored.owner.is_none(),
            credential_fields: definition.credential_fields(),
            endpoints: definition.endpoints.keys().cloned().collect(),
            updated_at: stored.updated_at,
        }
    }
}

/// A connector.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConnectorView {
    #[serde(flatten)]
    line: ConnectorLine,
    /// The validated form.
    #[schema(value_type = Object)]
    definition: ConnectorDefinition,
    /// The text it was read from.
    yaml: String,
    /// What its text says that is not used, when it was just written: with line and column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    warnings: Vec<Diagnostic>,
}

impl ConnectorView {
    /// A connector that was just written, and what there is to say about its text.
    pub(super) fn written(stored: StoredConnector, warnings: Vec<Diagnostic>) -> Self {
        Self { warnings, ..Self::from(stored) }
    }
}

impl From<StoredConnector> for ConnectorView {
    fn from(stored: StoredConnector) -> Self {
        Self {
            line: ConnectorLine::from(&stored),
            definition: stored.definition,
            yaml: stored.yaml,
            warnings: Vec::new(),
        }
    }
}

/// Makes a connector of YAML.
#[utoipa::path(
    post, path = "/connectors", tag = "connectors", request_body = Source,
    params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = ConnectorView), (status = 409, description = "NAME_TAKEN"), (status = 422, description = "CONNECTOR_INVALID"))
)]
pub(crate) async fn create(
    ctx: Ctx,
    signed: Signed,
    key: Key,
    Json(body): Json<Source>,
) -> Result<Response, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, "POST /connectors", key, &body)?;
    let work = Box::pin(async {
        let (definition, warnings) = compiling::connector(&body.yaml)?;
        let connector = StoredConnector {
            owner: Some(owner.clone()),
            definition,
            yaml: body.yaml.clone(),
            updated_at: now(),
            accepted: Vec::new(),
        };
        let stored = ctx.catalog.create_connector(&connector).await?;
        created(
            format!("/api/agent-factory/connectors/{}", stored.definition.id),
            &ConnectorView::written(stored, warnings),
        )
    });
    do_once(&ctx.catalog, &attempt, now(), work).await
}

/// The caller's connectors, then the ones the deployment ships.
#[utoipa::path(get, path = "/connectors", tag = "connectors", params(ConnectorQuery), responses((status = 200, body = Page<ConnectorLine>)))]
pub(crate) async fn list(
    ctx: Ctx,
    signed: Signed,
    Query(query): Query<ConnectorQuery>,
) -> Result<Json<Page<ConnectorLine>>, Problem> {
    let State(ctx) = ctx;
    let owner = reader(&signed)?;
    let read = |listing| -> BoxFuture<'_, _> { Box::pin(merged(&ctx, owner, listing)) };
    let page = merged::filled(query.listing(), read, |stored| query.takes(stored)).await?;
    let items = page.items.iter().map(ConnectorLine::from).collect();
    Ok(Json(Page { items, next: page.next }))
}

async fn merged(
    ctx: &Context,
    owner: &UserId,
    listing: ListQuery,
) -> Result<Page<StoredConnector>, Problem> {
    let mut arena = String::new();
    let own = |listing| ctx.catalog.connectors(owner, listing);
    let system = |listing| ctx.catalog.system_connectors(listing);
    merged::list(ctx.cursors.get().await?, owner, "connectors", &listing, own, system, &mut arena)
        .await
}
