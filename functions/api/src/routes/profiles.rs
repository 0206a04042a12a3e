//! Agents as documents: `/profiles` and `/profiles/{id}` (F-319…F-323).

use std::convert::Infallible;

use countersign_identity::UserId;
use countersign_profile::{Profile, ProfileError, ProfileId, ProfileSpec};
use countersign_store_catalog::{CatalogError, StoredDocument as _};
use countersign_web::{FieldError, Problem};
use serde_json::Value;

use super::collection::described::Words;
use super::collection::{Author, Kind, Read};
use super::now;
use super::profile_fields::{Fields, Record, Sent, Shown};
use crate::Context;
use crate::merged::ListQuery;

impl Kind for Profile {
    const PLURAL: &'static str = "profiles";
    const WORDS: Words = Words {
        create: "Makes an agent. Only `name` is required.",
        list: "The caller's agents, newest first, then the ones the deployment ships.",
        detail: "One agent.",
        replace: "Replaces the fields of an agent. `is_active` switches it; `version`, when sent, must be the one that was read.",
        delete: "Removes an agent with its data sources and their credentials (F-178). Its runs and receipts stay.",
        id: "`prof_…`",
        invalid: "PROFILE_INVALID",
        changed: Some("VERSION_CONFLICT"),
        needed: None,
    };

    type Draft = Sent<Fields>;
    type Change = Sent<Record>;
    type Query = ListQuery;
    type Warning = Infallible;
    type Line = Shown;
    type View = Shown;

    async fn draft(_: &Context, author: Author<'_>, draft: &Sent<Fields>) -> Read<Self> {
        let (id, owner) = (ProfileId::from_bytes(author.id), author.user.clone());
        Ok((Profile::new(id, owner, spec(&draft.body)?, now()), Vec::new()))
    }

    async fn change(self, _: &Context, _: &UserId, change: Sent<Record>) -> Read<Self> {
        let body = &change.body;
        let seen = body.get("version").and_then(Value::as_u64);
        if seen.is_some_and(|seen| seen != self.version) {
            return Err(CatalogError::Changed(Self::KIND).into());
        }
        let is_active = match body.get("is_active") {
            None => self.is_active,
            Some(value) => {
                value.as_bool().ok_or_else(|| Problem::field("is_active", "is true or false"))?
            }
        };
        let (version, updated_at) = (self.version + 1, now());
        Ok((Self { spec: spec(body)?, is_active, version, updated_at, ..self }, Vec::new()))
    }

    /// Credentials first: a crash in between leaves bindings without a secret, never a secret without a binding. The
    /// profile last: removing it again finishes the work.
    async fn before_removal(&self, ctx: &Context) -> Result<(), Problem> {
        let Some(owner) = &self.user_id else { return Ok(()) };
        for binding in ctx.catalog.bindings(owner, self.id.as_str()).await? {
            if let Some(credential) = &binding.credential {
                ctx.vault.delete(owner, credential).await?;
            }
        }
        Ok(ctx.catalog.delete_bindings(owner, self.id.as_str()).await?)
    }

    fn listing(query: &ListQuery) -> ListQuery {
        query.clone()
    }

    fn view(self, _: Vec<Infallible>) -> Shown {
        Shown(self)
    }
}

/// Reads a profile's fields, leaving out those only the store writes.
pub(super) fn spec(body: &Value) -> Result<ProfileSpec, Problem> {
    let mut fields = body.clone();
    if let Some(map) = fields.as_object_mut() {
        for name in ["id", "user_id", "is_active", "version", "created_at", "updated_at"] {
            map.shift_remove(name);
        }
    }
    ProfileSpec::from_json(&fields).map_err(|error| problem(&error))
}

/// A profile's problems, each at its field.
pub(super) fn problem(error: &ProfileError) -> Problem {
    let mut problem = Problem::of(error);
    problem.errors = error
        .problems()
        .iter()
        .map(|problem| FieldError::new(&problem.path, &problem.message))
        .collect();
    problem
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(body: &Value, expect: Result<&str, &[&str]>) {
        let found = spec(body).map(|spec| spec.handle.to_string());
        let found = found.map_err(|problem| {
            problem.errors.iter().map(|error| error.path.clone()).collect::<Vec<_>>()
        });
        let expect = expect
            .map(str::to_owned)
            .map_err(|paths| paths.iter().map(|path| (*path).to_owned()).collect());
        assert_eq!(found, expect, "{body}");
    }

    #[test]
    fn f_319_what_was_read_can_be_sent_back() {
        check(&json!({"name": "Nonprofit Investigator"}), Ok("nonprofit-investigator"));
        check(
            &json!({"id": "prof_1", "version": 3, "is_active": true, "name": "A", "handle": "a"}),
            Ok("a"),
        );
    }

    #[test]
    fn f_319_every_problem_is_named_by_its_field() {
        check(
            &json!({"name": "A", "handle": "Not Kebab", "max_research_rounds": 99}),
            Err(&["handle", "max_research_rounds"]),
        );
    }
}
