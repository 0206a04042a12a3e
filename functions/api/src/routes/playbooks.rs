//! Playbooks as documents: `/playbooks` and `/playbooks/{id}` (F-336…F-340).

use countersign_identity::{Caller, Role};
use countersign_playbook::{
    Category, Diagnostic, ExecutionMode, InputDecl, RunContext, StepKind, ValidPlaybook,
};
use countersign_store_catalog::{StoredDocument as _, StoredPlaybook};
use countersign_web::Problem;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::{InputDeclAnswer, PlaybookAnswer, PlaybookDiagnosticAnswer};
use super::collection::described::Words;
use super::collection::{Author, Kind, More, Read};
use super::{monitors, now, playbook_users};
use crate::pagination::ListQuery;
use crate::{Context, saving};

/// A playbook's text.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaybookSource)]
pub(crate) struct Source {
    /// The YAML.
    yaml: String,
}

/// A playbook's new text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaybookChange)]
pub(crate) struct Change {
    /// The YAML.
    yaml: String,
    /// The revision that was read; when sent, the change is refused if there is a newer one.
    #[serde(default)]
    revision: Option<u64>,
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
    /// Words to find it by.
    tags: Vec<String>,
    /// How much a model takes part; `null`: as the agent says.
    #[schema(value_type = Option<String>)]
    execution_mode: Option<ExecutionMode>,
    /// How it is meant to be started.
    #[schema(value_type = String)]
    run_context: RunContext,
    /// Connectors its profile must have.
    required_connectors: Vec<String>,
    /// What it asks for.
    #[schema(value_type = Vec<InputDeclAnswer>)]
    inputs: Vec<InputDecl>,
    /// Whether the deployment ships it.
    is_template: bool,
    /// Raised by every change.
    revision: u64,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
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
            tags: playbook.tags.clone(),
            execution_mode: playbook.execution_mode,
            run_context: playbook.run_context,
            required_connectors: playbook.required_connectors.clone(),
            inputs: playbook.inputs.clone(),
            is_template: stored.owner.is_none(),
            revision: stored.revision,
            created_at: stored.created_at,
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
    #[schema(value_type = PlaybookAnswer)]
    playbook: ValidPlaybook,
    /// The text it was read from.
    yaml: String,
    /// What may surprise in its text, when it was just written: with line and column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<PlaybookDiagnosticAnswer>)]
    warnings: Vec<Diagnostic>,
}

impl Kind for StoredPlaybook {
    const PLURAL: &'static str = "playbooks";
    const WORDS: Words = Words {
        create: "Makes a playbook of YAML. Every error is reported at once, with line and column.",
        list: "The caller's playbooks, then the ones the deployment ships.",
        detail: "One playbook: the caller's of this id, or the deployment's.",
        replace: "Replaces a playbook's text; of one with gates, before or after, that takes an analyst. Its id cannot change. Runs that have started keep their plan.",
        delete: "Removes a playbook of the caller, which takes an analyst; not one that a monitor, schedule or trigger runs with. Runs that have started keep their plan.",
        id: "kebab-case",
        invalid: "PLAYBOOK_INVALID",
        changed: Some("VERSION_CONFLICT"),
        needed: Some("PLAYBOOK_IN_USE"),
    };
    const KINDS: &'static [&'static str] =
        &["analysis", "extraction", "investigation", "monitoring"];
    const WRITER: Role = Role::Reader;
    // Whoever removes one may write another of its id, whose gates ask others.
    const REMOVER: Role = Role::Analyst;

    type Draft = Source;
    type Change = Change;
    type Query = ListQuery;
    type Warning = Diagnostic;
    type Line = PlaybookLine;
    type View = PlaybookView;

    async fn draft(ctx: &Context, author: Author<'_>, draft: &Source) -> Read<Self> {
        let (playbook, warnings) = saving::playbook(ctx, author.user, &draft.yaml).await?;
        let at = now();
        let stored = Self {
            owner: Some(author.user.clone()),
            yaml: draft.yaml.clone(),
            playbook,
            revision: 1,
            created_at: at,
            updated_at: at,
            updated_by: Some(author.user.clone()),
        };
        Ok((stored, warnings))
    }

    async fn change(self, ctx: &Context, editor: &Caller, change: Change) -> Read<Self> {
        let (playbook, mut warnings) = saving::playbook(ctx, &editor.user, &change.yaml).await?;
        warnings.extend(playbook_users::warned(ctx, &self, &playbook).await?);
        let after = Self {
            yaml: change.yaml,
            playbook,
            revision: change.revision.unwrap_or(self.revision).saturating_add(1),
            updated_at: now(),
            updated_by: Some(editor.user.clone()),
            ..self
        };
        Ok((after, warnings))
    }

    /// Any change of a playbook with gates: an effect that moves to the other side of its gate is signed by others too.
    fn asks_others(&self, after: &Self) -> bool {
        let mut steps = self.playbook.all_steps().chain(after.playbook.all_steps());
        steps.any(|step| matches!(step.kind, StepKind::Approval { .. }))
    }

    fn listing(query: &ListQuery) -> ListQuery {
        query.clone()
    }

    fn view(self, warnings: Vec<Diagnostic>, _: More) -> PlaybookView {
        PlaybookView {
            line: PlaybookLine::from(&self),
            playbook: self.playbook,
            yaml: self.yaml,
            warnings,
        }
    }

    async fn before_removal(&self, ctx: &Context) -> Result<(), Problem> {
        playbook_users::none(ctx, self).await
    }

    async fn after_write(&self, ctx: &Context) {
        if let Some(owner) = self.owner() {
            monitors::follow_playbooks(ctx, owner).await;
        }
    }
}
