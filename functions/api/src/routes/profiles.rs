//! Agents as documents: `/profiles` and `/profiles/{id}` (F-319…F-323).

use countersign_connector::CredentialId;
use countersign_document::Problem as Found;
use countersign_failure::Failure as _;
use countersign_identity::{Caller, Role, UserId};
use countersign_monitor::MonitorSpec;
use countersign_profile::{Profile, ProfileError, ProfileId, ProfileSpec, Written};
use countersign_schedule::ScheduleSpec;
use countersign_store_catalog::StoredDocument as _;
use countersign_trigger::TriggerSpec;
use countersign_web::Problem;
use serde_json::Value;
use utoipa::openapi::schema::{ObjectBuilder, Type};

use super::collection::described::Words;
use super::collection::json;
use super::collection::record::{DocumentRecord, Resent, Sent, Shown};
use super::collection::schemas;
use super::collection::{Author, Kind, More, Read};
use super::execution_cancel::cancelled;
use super::{conversations, monitors, now};
use crate::pagination::ListQuery;
use crate::{Context, model_listed, skills};

/// An agent as it is shown.
pub(super) type ShownProfile = Shown<Profile>;

impl Kind for Profile {
    const PLURAL: &'static str = "profiles";
    const WORDS: Words = Words {
        create: "Makes an agent. Only `name` is required.",
        list: "The caller's agents, newest first, then the ones the deployment ships.",
        detail: "One agent.",
        replace: "Replaces the fields of an agent; other `approvers` take an analyst. `is_active` switches it; `version`, when sent, must be the one that was read.",
        delete: "Removes an agent with its data sources, their credentials, its schedules, monitors and triggers, its shares and its journal. Its runs that have not finished are cancelled, and their open approvals are closed. Its runs and receipts stay; the runs refer to it no more.",
        id: "`prof_…`",
        invalid: "PROFILE_INVALID",
        changed: Some("VERSION_CONFLICT"),
        needed: None,
    };
    const KINDS: &'static [&'static str] = &["active", "inactive"];
    const WRITER: Role = Role::Reader;
    // Its credentials and its journal go with it.
    const REMOVER: Role = Role::Analyst;

    type Draft = Sent<Written>;
    type Change = Resent<Self>;
    type Query = ListQuery;
    type Warning = Found;
    type Line = Shown<Self>;
    type View = Shown<Self>;

    async fn draft(ctx: &Context, author: Author<'_>, draft: &Sent<Written>) -> Read<Self> {
        let (id, owner) = (ProfileId::from_bytes(author.id), author.user.clone());
        let (spec, mut warnings) = spec(&draft.body)?;
        let listed = model_listed::check(ctx, None, &spec).await;
        let ((), more) = Problem::both(listed, skills::check(ctx, &owner, None, &spec).await)?;
        warnings.extend(more);
        Ok((Profile::new(id, owner, spec, now()), warnings))
    }

    async fn change(self, ctx: &Context, editor: &Caller, change: Resent<Self>) -> Read<Self> {
        let (mut fields, shown) = change.fields(&self)?;
        json::nothing_more(&shown)?;
        let switched = fields.as_object_mut().and_then(|map| map.shift_remove("is_active"));
        let is_active = switched.map_or(Ok(self.is_active), |value| {
            let wrong = || Found::error("is_active", "/is_active", "is true or false");
            value.as_bool().ok_or_else(|| problem(&ProfileError::Invalid(vec![wrong()])))
        });
        let (is_active, (spec, mut warnings)) = Problem::both(is_active, spec(&fields))?;
        let listed = model_listed::check(ctx, Some(&self.spec), &spec).await;
        let ((), more) =
            Problem::both(listed, skills::check(ctx, &editor.user, Some(&self.id), &spec).await)?;
        warnings.extend(more);
        let (version, updated_at) = (self.version + 1, now());
        Ok((Self { spec, is_active, version, updated_at, ..self }, warnings))
    }

    /// First what starts runs, and then the runs: a crash in between leaves no gate that takes signatures for what could not be
    /// sent. The profile last: removing it again finishes the work.
    async fn before_removal(&self, ctx: &Context) -> Result<(), Problem> {
        let Some(owner) = &self.user_id else { return Ok(()) };
        let is_of = |profile: &ProfileId| *profile == self.id;
        json::remove_with(ctx, owner, |one: &ScheduleSpec| is_of(&one.profile_id)).await?;
        json::remove_with(ctx, owner, |one: &MonitorSpec| is_of(&one.profile_id)).await?;
        json::remove_with(ctx, owner, |one: &TriggerSpec| is_of(&one.profile_id)).await?;
        stop_runs(ctx, owner, &self.id).await?;
        unbind(ctx, owner, &self.id).await?;
        conversations::remove(ctx, owner, &self.id).await?;
        ctx.catalog.remove_shares(self.id.as_str()).await?;
        ctx.journal.remove_profile(owner, self.id.as_str()).await?;
        Ok(ctx.runs.forget_profile(owner, self.id.as_str()).await?)
    }

    /// Somebody may have shared it, bound a connector to it, or begun a conversation, while it was being removed.
    async fn after_removal(&self, ctx: &Context) {
        if let Some(owner) = &self.user_id
            && let Err(problem) = unbind(ctx, owner, &self.id).await
        {
            let code = &problem.code;
            tracing::warn!(profile = %self.id, code, "a data source of a removed agent stays");
        }
        if let Some(owner) = &self.user_id
            && let Err(problem) = conversations::remove(ctx, owner, &self.id).await
        {
            let code = &problem.code;
            tracing::warn!(profile = %self.id, code, "conversations with a removed agent stay; nothing can be asked in them");
        }
        if let Err(error) = ctx.catalog.remove_shares(self.id.as_str()).await {
            tracing::warn!(profile = %self.id, code = error.code(), %error, "the shares of a removed agent could not be removed; the agent is shown to no member");
        }
    }

    fn asks_others(&self, after: &Self) -> bool {
        self.spec.approvers != after.spec.approvers
    }

    fn listing(query: &ListQuery) -> ListQuery {
        query.clone()
    }

    fn view(self, warnings: Vec<Found>, more: More) -> Shown<Self> {
        Shown { record: self, more, warnings }
    }

    fn schemas() -> Vec<(String, Value)> {
        vec![schemas::fields_schema::<Written>(), schemas::patch_schema::<Self>()]
    }

    async fn after_write(&self, ctx: &Context) {
        if let Some(owner) = self.owner() {
            monitors::follow_playbooks(ctx, owner).await;
        }
    }
}

/// Removes what an agent may use, each data source with its credential.
async fn unbind(ctx: &Context, owner: &UserId, profile: &ProfileId) -> Result<(), Problem> {
    let forget = |credential: &CredentialId| ctx.vault.removal(owner, credential);
    Ok(ctx.catalog.delete_bindings(owner, profile.as_str(), &forget).await?)
}

/// Without its agent a run has no data sources: what people would be asked to sign could not be sent any more.
async fn stop_runs(ctx: &Context, owner: &UserId, agent: &ProfileId) -> Result<(), Problem> {
    for head in ctx.runs.unfinished(owner, agent.as_str()).await? {
        cancelled(ctx, &head, owner, "cancelled because its agent was removed").await?;
    }
    Ok(())
}

fn switch() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean).description(Some("Whether it runs."))
}

impl DocumentRecord for Profile {
    type Fields = Written;

    fn added() -> ObjectBuilder {
        schemas::added().property("is_active", switch()).required("is_active")
    }

    fn sent_back() -> ObjectBuilder {
        schemas::version_read().property("is_active", switch())
    }
}

fn spec(fields: &Value) -> Result<(ProfileSpec, Vec<Found>), Problem> {
    ProfileSpec::read(fields).map_err(|error| problem(&error))
}

/// A profile's problems, each at its field.
pub(crate) fn problem(error: &ProfileError) -> Problem {
    let mut problem = Problem::of(error);
    let errors = error.problems().iter().filter(|found| found.is_error());
    problem.errors = errors.map(json::field_error).collect();
    problem
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn names(value: &Value) -> BTreeSet<&String> {
        value.as_object().unwrap().keys().collect()
    }

    fn profile() -> Profile {
        let (spec, _) = spec(&json!({"name": "Nonprofit Investigator"})).unwrap();
        let owner = UserId::from_bytes([1; 16]);
        Profile::new(ProfileId::from_bytes([2; 16]), owner, spec, jiff::Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn f_319_the_document_has_the_fields_a_profile_has() {
        let stored = serde_json::to_value(profile()).unwrap();
        let (_, fields) = schemas::fields_schema::<Written>();
        let added = serde_json::to_value(Profile::added().build()).unwrap();
        let documented = &names(&fields["properties"]) | &names(&added["properties"]);
        assert_eq!(documented, names(&stored));
    }

    fn check(name: &str, sent: &Value, expect: Result<&str, (u16, &str)>) {
        let profile = profile();
        let mut body = serde_json::to_value(&profile).unwrap();
        body[name] = sent.clone();
        let resent: Resent<Profile> = serde_json::from_value(body).unwrap();
        let fields = resent.fields(&profile).map(|(fields, _)| fields["handle"].to_string());
        let fields = fields.map_err(|problem| (problem.status, problem.code.clone()));
        let expect = expect
            .map(|handle| format!("\"{handle}\""))
            .map_err(|(status, code)| (status, code.to_owned()));
        assert_eq!(fields, expect, "{name}: {sent}");
    }

    #[test]
    fn f_319_what_was_read_can_be_sent_back_and_what_cannot_be_changed_is_not_ignored() {
        check("version", &json!(1), Ok("nonprofit-investigator"));
        check("handle", &json!("a"), Ok("a"));
        check("version", &json!(2), Err((409, "VERSION_CONFLICT")));
        check("user_id", &json!(null), Err((422, "INVALID_INPUT")));
        check("created_at", &json!("2026-01-01T00:00:00Z"), Err((422, "INVALID_INPUT")));
    }

    #[test]
    fn f_319_every_problem_is_named_by_its_field() {
        let sent = json!({"name": "A", "handle": "Not Kebab", "max_research_rounds": 99});
        let problem = spec(&sent).unwrap_err();
        let paths: BTreeSet<&str> =
            problem.errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(paths, BTreeSet::from(["handle", "max_research_rounds"]));
    }
}
