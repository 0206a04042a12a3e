//! `/profiles` (F-319, F-320).

use axum::extract::State;
use axum::response::Response;
use countersign_profile::{Profile, ProfileError, ProfileId, ProfileSpec};
use countersign_web::replay::{Attempt, Key};
use countersign_web::{FieldError, Json, Page, Problem, Query, Signed};
use serde_json::Value;

use super::profile_fields::{Fields, Record};
use super::{Ctx, analyst, now, reader};
use crate::merged::{self, ListQuery};
use crate::once::{created, do_once};

/// Makes an agent. Only `name` is required.
#[utoipa::path(
    post, path = "/profiles", tag = "profiles", request_body = Fields,
    params(("Idempotency-Key" = Option<String>, Header, description = "makes a repeated request harmless")),
    responses((status = 201, body = Record), (status = 409, description = "NAME_TAKEN"), (status = 422, description = "PROFILE_INVALID"))
)]
pub(crate) async fn create(
    ctx: Ctx,
    signed: Signed,
    key: Key,
    Json(body): Json<Value>,
) -> Result<Response, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, "POST /profiles", key, &body)?;
    let work = Box::pin(async {
        let spec = spec(&body)?;
        let profile = Profile::new(ProfileId::from_bytes(attempt.id()), owner.clone(), spec, now());
        let stored = ctx.catalog.create_profile(&profile).await?;
        created(format!("/api/agent-factory/profiles/{}", stored.id), &stored)
    });
    do_once(&ctx.catalog, &attempt, now(), work).await
}

/// The caller's agents, newest first, then the ones the deployment ships.
#[utoipa::path(get, path = "/profiles", tag = "profiles", params(ListQuery), responses((status = 200, body = Page<Record>)))]
pub(crate) async fn list(
    ctx: Ctx,
    signed: Signed,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Profile>>, Problem> {
    let State(ctx) = ctx;
    let owner = reader(&signed)?;
    let mut arena = String::new();
    let own = |listing| ctx.catalog.profiles(owner, listing);
    let system = |listing| ctx.catalog.system_profiles(listing);
    Ok(Json(
        merged::list(ctx.cursors.get().await?, owner, "profiles", &query, own, system, &mut arena)
            .await?,
    ))
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
