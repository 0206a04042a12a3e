//! `/profiles/{id}/test` (F-325): the agent tries a question, and nothing it would do has an effect (K-46).

use axum::response::Response;
use countersign_run::{DryRun, GatePolicy, Head, RunId};
use countersign_run_start::choosing::{self, Chosen, Sought};
use countersign_run_start::{self as run_start, Asking, run_mode, understanding};
use countersign_store_runs::Asked;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Problem, Signed};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::executions::{StartedExecution, accepted};
use super::{Named, analyst, invoker, today};
use crate::idempotency::do_once;

/// A test of an agent.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProfileTest)]
pub(crate) struct Test {
    /// The playbook it follows. Left out, the one that the question means, else that of the agent's skills with the highest priority.
    #[serde(default)]
    playbook: Option<String>,
    /// The playbook's inputs, by name; where one is left out, the `parameters` of the agent's skill count.
    #[serde(default)]
    #[schema(value_type = Object)]
    inputs: Map<String, Value>,
    /// What is asked, in the caller's words; at most 16,000 characters.
    #[serde(default)]
    query: String,
    /// Outputs of steps, by step: such a step is not done, and this stands in for what it would answer.
    #[serde(default)]
    #[schema(value_type = Object)]
    samples: Map<String, Value>,
}

/// Tries an agent: a run in which what only reads happens, with the agent's own data sources, and everything else is
/// left out. Gates ask nobody. Outputs that nothing was done for carry `_dry_run`. No journal entry, no notice.
#[utoipa::path(
    post, path = "/profiles/{id}/test", tag = "profiles", request_body = Option<Test>,
    params(("id" = String, Path, description = "`prof_…`, or the handle"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = StartedExecution), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "IDEMPOTENCY_KEY_REUSED or PLAYBOOK_AMBIGUOUS"), (status = 422, description = "INVALID_INPUT or PLAYBOOK_NOT_CHOSEN"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn test(
    Named(ctx, signed, id): Named<String, Signed>,
    key: Key,
    body: Option<Json<Test>>,
) -> Result<Response, Problem> {
    let Json(body) = body.unwrap_or_default();
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, &format!("POST /profiles/{id}/test"), key, &body)?;
    do_once(&ctx, &attempt, async {
        let starter = ctx.starter();
        let profile = run_start::profile(starter, owner, &id).await?;
        let named = body.playbook.as_deref();
        let question = run_start::check_query(&body.query);
        let sought = Sought {
            named,
            question: &body.query,
            earlier: None,
            given: &body.inputs,
            today: today(),
            may_learn: false,
        };
        let otherwise = choosing::Otherwise::MadeFirst;
        let chosen = choosing::playbook(starter, owner, &profile, sought, otherwise).await?;
        let valid = &chosen.playbook.playbook;
        let given =
            understanding::inputs(&profile, valid, &body.query, &body.inputs, (today(), false));
        let given = given.map_err(|problem| chosen.refused(problem));
        let Chosen { playbook, because, made } = chosen;
        let (_, given) = Problem::both(question, given)?;
        let context = run_start::by_hand(&profile, &playbook.playbook, None)?;
        let (dry_run, query) = (DryRun::Reads, body.query.as_str());
        let mode = run_mode::of(Some(&profile), &playbook.playbook, None)?;
        let asking = Asking {
            profile: Some(&profile),
            query,
            context,
            occurrence: None,
            approval_policy: GatePolicy::Require,
            mode,
            chosen_because: because,
            understood: given.understood,
            dry_run: Some(dry_run),
            made,
            asked_in: None,
        };
        let head =
            asking.head(RunId::from_bytes(attempt.id()), &invoker(&signed), &playbook, starter.now);
        let last_finished_at = ctx.runs.last_success(owner, profile.id.as_str()).await?;
        let head = Head { last_finished_at, ..head };
        let endpoints = ctx.catalog.endpoints(owner, profile.id.as_str()).await?;
        run_start::check_links(starter, &playbook, &endpoints)?;
        let (valid, samples) = (&playbook.playbook, &body.samples);
        run_start::check_samples(starter, valid, &head, dry_run, &endpoints, samples)?;
        let (inputs, samples) = (given.all.into(), body.samples.clone().into());
        let own = made.map(|_| playbook.yaml.clone());
        let asked = Asked { inputs, samples: Some(samples), playbook: own };
        accepted(&ctx, run_start::begin(starter, head, &asked, given.doubts).await?)
    })
    .await
}
