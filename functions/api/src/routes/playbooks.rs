//! `/playbooks` (F-336, F-338).

use axum::extract::State;
use axum::response::Response;
use countersign_playbook::{
    Category, Diagnostic, ExecutionMode, InputDecl, RunContext, ValidPlaybook,
};
use countersign_store_catalog::StoredPlaybook;
use countersign_web::replay::{Attempt, Key};
use countersign_web::{Json, Page, Problem, Query, Signed};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Ctx, analyst, now, reader};
use crate::merged::{self, ListQuery};
use crate::once::{created, do_once};
use crate::saving;

/// A playbook's text.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaybookSource)]
pub(crate) struct Source {
    /// The YAML.
    pub(super) yaml: String,
}

/// A playbook in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlaybookLine {
    /// Kebab-case, unique per owner.
    id: String,
    /// For people.
    name: String,
    /// What it does.
    description: String,
    /// Its own version.
    version: String,
    /// `investigation`, `monitoring`, `analysis`, `extraction`.
    #[schema(value_type = String)]
    category: Category,
    /// How much a model takes part.
    #[schema(value_type = String)]
    execution_mode: ExecutionMode,
    /// How it is meant to be started.
    #[schema(value_type = String)]
    run_context: RunContext,
    /// Connectors its profile must have.
    required_connectors: Vec<String>,
    /// What it asks for.
    #[schema(value_type = Vec<Object>)]
    inputs: Vec<InputDecl>,
    /// Whether the deployment ships it.
    is_template: bool,
    /// Raised by every change.
    revision: u64,
    /// When it was last written.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<&StoredPlaybook> for PlaybookLine {
    fn from(stored: &StoredPlaybook) -> Self {
        let playbook = &stored.playbook;
        Self {
            id: playbook.id.clone(),
            name: playbook.name.clone(),
            description: playbook.description.clone(),
            version: playbook.version.clone(),
            category: playbook.category,
            execution_mode: playbook.execution_mode,
            run_context: playbook.run_context,
            required_connectors: playbook.required_connectors.clone(),
            inputs: playbook.inputs.clone(),
            is_template: stored.owner.is_none(),
            revision: stored.revision,
            updated_at: stored.updated_at,
        }
    }
}

/// A playbook.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlaybookView {
    #[serde(flatten)]
    line: PlaybookLine,
    /// What it compiles to.
    #[schema(value_type = Object)]
    playbook: ValidPlaybook,
    /// The text it was read from.
    yaml: String,
    /// What may surprise in its text, when it was just written: with line and column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    warnings: Vec<Diagnostic>,
}

impl PlaybookView {
    /// A playbook that was just written, and what there is to say about its text.
    pub(super) fn written(stored: StoredPlaybook, warnings: Vec<Diagnostic>) -> Self {
        Self { warnings, ..Self::from(stored) }
    }
}

impl From<StoredPlaybook> for PlaybookView {
    fn from(stored: StoredPlaybook) -> Self {
        Self {
            line: PlaybookLine::from(&stored),
            playbook: stored.playbook,
            yaml: stored.yaml,
            warnings: Vec::new(),
        }
    }
}

/// Makes a playbook of YAML. Every error is reported at once, with line and column.
#[utoipa::path(
    post, path = "/playbooks", tag = "playbooks", request_body = Source,
    params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = PlaybookView), (status = 409, description = "NAME_TAKEN"), (status = 422, description = "PLAYBOOK_INVALID"))
)]
pub(crate) async fn create(
    ctx: Ctx,
    signed: Signed,
    key: Key,
    Json(body): Json<Source>,
) -> Result<Response, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, "POST /playbooks", key, &body)?;
    let work = Box::pin(async {
        let (playbook, warnings) = saving::playbook(&ctx, owner, &body.yaml).await?;
        let at = now();
        let stored = StoredPlaybook {
            owner: Some(owner.clone()),
            yaml: body.yaml.clone(),
            playbook,
            revision: 1,
            created_at: at,
            updated_at: at,
            updated_by: Some(owner.clone()),
        };
        let stored = ctx.catalog.create_playbook(&stored).await?;
        created(
            format!("/api/agent-factory/playbooks/{}", stored.playbook.id),
            &PlaybookView::written(stored, warnings),
        )
    });
    do_once(&ctx.catalog, &attempt, now(), work).await
}

/// The caller's playbooks, then the ones the deployment ships.
#[utoipa::path(get, path = "/playbooks", tag = "playbooks", params(ListQuery), responses((status = 200, body = Page<PlaybookLine>)))]
pub(crate) async fn list(
    ctx: Ctx,
    signed: Signed,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<PlaybookLine>>, Problem> {
    let State(ctx) = ctx;
    let owner = reader(&signed)?;
    let mut arena = String::new();
    let own = |listing| ctx.catalog.playbooks(owner, listing);
    let system = |listing| ctx.catalog.system_playbooks(listing);
    let page =
        merged::list(ctx.cursors.get().await?, owner, "playbooks", &query, own, system, &mut arena)
            .await?;
    Ok(Json(Page { items: page.items.iter().map(PlaybookLine::from).collect(), next: page.next }))
}
