//! Triggers: `/triggers`, `/triggers/{id}` and `/triggers/validate`.

use countersign_clock::Trigger;
use countersign_document::Problem as Found;
use countersign_identity::UserId;
use countersign_profile::Profile;
use countersign_store_catalog::StoredPlaybook;
use countersign_store_kit::Window;
use countersign_trigger::{
    Edge, MAX_TRIGGERS, TriggerEvent, TriggerId, TriggerSpec, circle, fitting,
};
use countersign_web::{FieldError, Problem};
use serde_json::json;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};

use super::collection::described::Words;
use super::collection::json::Fields;
use super::collection::{Author, More};
use super::{could_run, found, schedule_shown};
use crate::Context;
use crate::clock_queries::ActiveQuery;
use crate::pagination::ListQuery;

impl Fields for TriggerSpec {
    const PLURAL: &'static str = "triggers";
    const WORDS: Words = Words {
        create: "Makes a trigger: its agent runs when a signed webhook comes, a file arrives in a folder, or a run of a playbook ends. Its runs have the rights its owner has then, and at most those of the token it was saved with; their gates always ask.",
        list: "The caller's triggers, newest first, inactive ones too; narrowed by `is_active` and `profile_id`.",
        detail: "One trigger, with the path of its webhook and when it fired last.",
        replace: "Replaces the fields of a trigger. `version`, when sent, must be the one that was read.",
        delete: "Removes a trigger with the keys of its senders. Its runs and occurrences stay.",
        id: "`trig_…`",
        invalid: "TRIGGER_INVALID",
        changed: Some("VERSION_CONFLICT"),
        needed: None,
    };

    type Query = ActiveQuery;

    fn listing(query: &ActiveQuery) -> ListQuery {
        query.listing()
    }

    fn fits(trigger: &Trigger, query: &ActiveQuery) -> bool {
        query.takes(trigger.spec.is_active, &trigger.spec.profile_id)
    }

    fn id(bytes: [u8; 16]) -> TriggerId {
        TriggerId::from_bytes(bytes)
    }

    async fn check(&self, ctx: &Context, by: Author<'_>) -> Result<Vec<Found>, Problem> {
        let owner = by.user;
        let profile = could_run::agent(ctx, owner, &self.profile_id).await?;
        let playbook = followed(ctx, owner, self, &profile).await?;
        fits(self, &profile, &playbook)?;
        if let TriggerEvent::After { playbook, .. } = &self.on {
            let id = playbook.to_string();
            if ctx.catalog.playbooks().get(owner, &id).await?.is_none() {
                let message = format!("there is no playbook `{id}`");
                return Err(Problem::field("on.playbook", message));
            }
        }
        could_run::trigger(ctx, by, self, (&profile, &playbook)).await
    }

    async fn check_as(
        &self,
        id: &TriggerId,
        ctx: &Context,
        by: Author<'_>,
    ) -> Result<Vec<Found>, Problem> {
        let (owner, said) = (by.user, self.check(ctx, by).await?);
        let mut others = ctx.catalog.collection::<Trigger>().all(owner).await?;
        others.retain(|other| other.id != *id);
        no_circle(self, &others, ctx, owner).await?;
        Ok(said)
    }

    async fn check_shown(trigger: &Trigger, ctx: &Context, shown: &More) -> Result<(), Problem> {
        let owner = trigger.user_id.as_ref();
        let before = schedule_shown::before(ctx, owner, trigger.id.as_str(), shown).await?;
        let Some((_, fired)) = before else { return Ok(()) };
        schedule_shown::unless(shown, |name, value| match name {
            "hook_path" => hook_path(trigger).is_some_and(|path| *value == path),
            "last_fired_at" => fired.iter().any(|one| *value == json!(one.due_at)),
            "last_occurrence" => fired.iter().any(|one| *value == json!(one.id)),
            _ => false,
        })
    }

    const MOST: Option<(usize, &'static str)> = Some((MAX_TRIGGERS, "TRIGGERS_TOO_MANY"));

    /// Its keys go first: where that is broken off, the trigger is still there, and removing it again goes on.
    async fn before_removal(trigger: &Trigger, ctx: &Context) -> Result<(), Problem> {
        forget_keys(ctx, &trigger.id).await
    }

    /// A key that was made meanwhile: nobody can sign with it any more.
    async fn after_removal(trigger: &Trigger, ctx: &Context) {
        if let Err(problem) = forget_keys(ctx, &trigger.id).await {
            let why = &problem.code;
            tracing::warn!(trigger = %trigger.id, why, "keys of a removed webhook stay in the vault");
        }
    }

    async fn more(trigger: &Trigger, ctx: &Context) -> Result<More, Problem> {
        let mut more = More::new();
        if let Some(path) = hook_path(trigger) {
            more.insert("hook_path".to_owned(), json!(path));
        }
        let Some(owner) = &trigger.user_id else { return Ok(more) };
        let id = Some(trigger.id.as_str());
        let last =
            ctx.catalog.occurrences(owner, id, Window::first(1)).await?.items.into_iter().next();
        if let Some(last) = last {
            more.insert("last_fired_at".to_owned(), json!(last.due_at));
            more.insert("last_occurrence".to_owned(), json!(last.id));
        }
        Ok(more)
    }

    fn beside(added: ObjectBuilder) -> ObjectBuilder {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let time = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
        let path = "Where its webhook is called, below the address of the deployment; of one webhook alone.";
        added
            .property("hook_path", text().description(Some(path)))
            .property(
                "last_fired_at",
                time.description(Some("When it fired last; of one trigger alone.")),
            )
            .property("last_occurrence", text().description(Some("The occurrence of that.")))
    }
}

/// Where its webhook is called.
fn hook_path(trigger: &Trigger) -> Option<String> {
    let is_hook = matches!(trigger.spec.on, TriggerEvent::Webhook {});
    is_hook.then(|| format!("/hooks/{}", trigger.id))
}

/// The playbook that its runs follow.
async fn followed(
    ctx: &Context,
    owner: &UserId,
    trigger: &TriggerSpec,
    profile: &Profile,
) -> Result<StoredPlaybook, Problem> {
    let wrong = |message: String| Problem::field("playbook_id", message);
    let id = trigger
        .playbook(&profile.spec)
        .ok_or_else(|| wrong("must be named: this agent has none that comes first".to_owned()))?;
    if profile.spec.skill_for(id).is_some_and(|skill| !skill.enabled) {
        return Err(wrong(format!("`{id}` is switched off for this agent")));
    }
    let stored = ctx.catalog.playbooks().get(owner, &id.to_owned()).await?;
    stored.ok_or_else(|| wrong(format!("there is no playbook `{id}`")))
}

/// The inputs of its runs: what the trigger gives, else what its agent's skill does.
fn fits(
    trigger: &TriggerSpec,
    profile: &Profile,
    playbook: &StoredPlaybook,
) -> Result<(), Problem> {
    let valid = &playbook.playbook;
    let skill = profile.spec.skill_for(&valid.id);
    let parameters = skill.map(|skill| &skill.parameters);
    fitting(&trigger.on, &trigger.inputs, parameters, valid).map_err(could_run::misfits)
}

/// An active trigger must not lead back to itself over the ends of runs.
async fn no_circle(
    trigger: &TriggerSpec,
    others: &[Trigger],
    ctx: &Context,
    owner: &UserId,
) -> Result<(), Problem> {
    let Some(new) = edge(trigger, ctx, owner).await? else { return Ok(()) };
    let mut edges = Vec::new();
    for other in others {
        edges.extend(edge(&other.spec, ctx, owner).await?);
    }
    let Some(path) = circle(&new, &edges) else { return Ok(()) };
    let message = format!("closes a loop of triggers: {}", path.join(" → "));
    let error = FieldError::new("on.playbook", message);
    Err(Problem::invalid(vec![
        error.with_hint("the end of the last run would fire the first again"),
    ]))
}

/// What an active trigger waits for and starts, when it waits for the end of runs.
async fn edge(
    trigger: &TriggerSpec,
    ctx: &Context,
    owner: &UserId,
) -> Result<Option<Edge>, Problem> {
    let TriggerEvent::After { playbook: after, .. } = &trigger.on else { return Ok(None) };
    if !trigger.is_active {
        return Ok(None);
    }
    let starts = match &trigger.playbook_id {
        Some(named) => Some(named.to_string()),
        None => {
            let profile = ctx.catalog.profiles().get(owner, &trigger.profile_id).await?;
            profile.and_then(|profile| profile.spec.first_playbook().map(str::to_owned))
        }
    };
    let after = after.to_string();
    Ok(starts.map(|starts| Edge { after, starts }))
}

/// The caller's own trigger.
pub(super) async fn own(ctx: &Context, owner: &UserId, id: &TriggerId) -> Result<Trigger, Problem> {
    found(ctx.catalog.collection::<Trigger>().own(owner, id).await?)
}

/// Removes the keys of a trigger. The list of them goes last: broken off before, it says which are left.
async fn forget_keys(ctx: &Context, id: &TriggerId) -> Result<(), Problem> {
    let known = ctx.catalog.hook_keys(id).await?;
    for key in &known.keys {
        ctx.vault.delete_hook_secret(id, &key.id).await?;
    }
    Ok(ctx.catalog.forget_hook_keys(id).await?)
}
