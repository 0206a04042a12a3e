//! `/playbooks/{id}/test` (F-341, F-153): a playbook with sample data, without an agent and without asking anybody.

use axum::response::Response;
use countersign_run::{DryRun, GatePolicy, Head, RunContext, RunId};
use countersign_run_start::{self as run_start, Asking, run_mode};
use countersign_store_runs::Asked;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Problem, Signed};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::executions::{StartedExecution, accepted};
use super::{Named, analyst, found, invoker};
use crate::idempotency::do_once;

/// A test of a playbook.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaybookTest)]
pub(crate) struct Test {
    /// The playbook's inputs, by name.
    #[serde(default)]
    #[schema(value_type = Object)]
    inputs: Map<String, Value>,
    /// Outputs of steps, by step, in the shape of the step's action or endpoint. Slots that are left out are empty.
    #[serde(default)]
    #[schema(value_type = Object)]
    samples: Map<String, Value>,
}

/// Tries a playbook with sample data: a run in which only what computes happens. Connectors, searches, journals and
/// everything that writes answer with their sample, or empty. Gates ask nobody. Such outputs carry `_dry_run`.
#[utoipa::path(
    post, path = "/playbooks/{id}/test", tag = "playbooks", request_body = Option<Test>,
    params(("id" = String, Path, description = "kebab-case"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = StartedExecution), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "IDEMPOTENCY_KEY_REUSED"), (status = 422, description = "INVALID_INPUT"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn test(
    Named(ctx, signed, id): Named<String, Signed>,
    key: Key,
    body: Option<Json<Test>>,
) -> Result<Response, Problem> {
    let Json(body) = body.unwrap_or_default();
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, &format!("POST /playbooks/{id}/test"), key, &body)?;
    do_once(&ctx, &attempt, async {
        let starter = ctx.starter();
        let playbook = found(ctx.catalog.playbooks().get(owner, &id).await?)?;
        let valid = &playbook.playbook;
        run_start::check_inputs(valid, &body.inputs)?;
        let (dry_run, context) = (DryRun::Samples, RunContext::Interactive);
        let mode = run_mode::of(None, valid, None)?;
        let asking = Asking {
            profile: None,
            query: "",
            context,
            occurrence: None,
            approval_policy: GatePolicy::Require,
            mode,
            chosen_because: None,
            understood: Vec::new(),
            dry_run: Some(dry_run),
            made: None,
            asked_in: None,
        };
        let head =
            asking.head(RunId::from_bytes(attempt.id()), &invoker(&signed), &playbook, starter.now);
        // Without an agent there was no run: the test is told of one a day ago.
        let last_finished_at = head.started_at.checked_sub(SignedDuration::from_hours(24)).ok();
        let head = Head { last_finished_at, ..head };
        let endpoints = ctx.catalog.endpoints_of(owner, &valid.connectors()).await?;
        run_start::check_samples(starter, valid, &head, dry_run, &endpoints, &body.samples)?;
        let (inputs, samples) = (body.inputs.clone().into(), body.samples.clone().into());
        let asked = Asked { inputs, samples: Some(samples), playbook: None };
        accepted(&ctx, run_start::begin(starter, head, &asked, Vec::new()).await?)
    })
    .await
}
