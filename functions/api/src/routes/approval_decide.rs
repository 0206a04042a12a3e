//! `/approvals/{id}/approve` and `/reject` (F-359, F-360).

use std::num::NonZeroU32;

use countersign_approval::{
    AnswerProblem, ApprovalId, Assurance, Attempt, Choice, DecideError, Door, OutcomeAnswer,
    ReviseError, UnknownCall, Verdict, story,
};
use countersign_gatekeeper::{Answer, Attempting, GateError, Who};
use countersign_web::{FieldError, Json, Problem, Signed};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::approval_history::{ClosedView, who_closed};
use super::approval_seen::seen_by;
use super::{JsonOf, Named, now, reader};
use crate::Context;
use crate::documented::Documented;

/// What whoever decides is answered.
pub(super) type DecisionAnswer = Documented<Answer>;

/// What was seen, and what to say about it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// The digest of what was seen. A decision without it is refused.
    #[serde(default)]
    pub(super) digest: Option<String>,
    /// The version that was seen.
    #[serde(default)]
    pub(super) version: Option<u32>,
    /// Of a request of kind `outcome`: what became of each call. Left out of any other, and to reject.
    #[serde(default)]
    pub(super) answers: Vec<GivenAnswer>,
    /// A note for the record, at most 2,000 characters.
    #[serde(default)]
    pub(super) note: Option<String>,
}

/// What became of one call.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenAnswer {
    /// Which call of the step, as `outcome` of the request numbers them. Left out, the one that is asked about if it is only one,
    /// otherwise 1.
    #[serde(default)]
    #[schema(value_type = Option<u32>, minimum = 1)]
    n: Option<NonZeroU32>,
    /// What became of it.
    choice: GivenChoice,
    /// How it is known: 1 to 1,000 characters, required for `done`.
    #[serde(default)]
    evidence: Option<String>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GivenChoice {
    /// It happened.
    Done,
    /// It did not happen.
    NotDone,
    /// Send the same bytes with the same key again.
    Again,
}

impl GivenAnswer {
    /// As an answer to what is asked.
    fn read(&self, asked: &[UnknownCall]) -> OutcomeAnswer {
        let only = || if let [only] = asked { only.n } else { 0 };
        let n = self.n.map_or_else(only, |n| n.get() - 1);
        let choice = match self.choice {
            GivenChoice::Done => Choice::Done,
            GivenChoice::NotDone => Choice::NotDone,
            GivenChoice::Again => Choice::Again,
        };
        OutcomeAnswer::new(n, choice, self.evidence.as_deref())
    }
}

/// Approves what was seen; a request of kind `outcome` is answered for each of its calls. The same decision again gets the first receipt; anything else on a closed request is 409 and
/// says who closed it, how and when.
#[utoipa::path(
    post, path = "/approvals/{id}/approve", tag = "approvals", request_body = Decision,
    params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = DecisionAnswer), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, changed, or past its deadline"), (status = 422, description = "no digest, or answers that are incomplete: `errors` has the path of each"))
)]
pub(crate) async fn approve(
    Named(ctx, signed, id): Named<ApprovalId, Signed>,
    Json(body): Json<Decision>,
) -> JsonOf<Answer> {
    decide(&ctx, signed, id, Verdict::Approve, body).await
}

/// Refuses what was seen; what then happens to the run stands in the request.
#[utoipa::path(
    post, path = "/approvals/{id}/reject", tag = "approvals", request_body = Decision,
    params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = DecisionAnswer), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, changed, or past its deadline"), (status = 422, description = "no digest, or answers that are incomplete: `errors` has the path of each"))
)]
pub(crate) async fn reject(
    Named(ctx, signed, id): Named<ApprovalId, Signed>,
    Json(body): Json<Decision>,
) -> JsonOf<Answer> {
    decide(&ctx, signed, id, Verdict::Deny, body).await
}

pub(super) async fn decide(
    ctx: &Context,
    signed: Signed,
    id: ApprovalId,
    verdict: Verdict,
    body: Decision,
) -> JsonOf<Answer> {
    let asked = seen_by(ctx, &id, reader(&signed)?).await?.outcome;
    let attempt = Attempt {
        verdict,
        digest: body.digest,
        version: body.version,
        door: Door::Rest,
        assurance: Assurance::SignedIn,
        answers: body.answers.iter().map(|answer| answer.read(&asked)).collect(),
        note: body.note,
    };
    let attempting =
        Attempting { approval: id, who: Who::Session(Box::new(signed.presented)), attempt };
    match ctx.gatekeeper.decide(&attempting, now()).await {
        Ok(answer) => Ok(Json(answer)),
        Err(error) => Err(refusal(ctx, &error).await?),
    }
}

/// A refusal with what the reader needs: how a closed request was closed, and by whom.
pub(super) async fn refusal(ctx: &Context, error: &GateError) -> Result<Problem, Problem> {
    match error {
        GateError::NotFound => Ok(Problem::not_found()),
        GateError::Decide(DecideError::Closed(closed)) => {
            let by = who_closed(ctx, closed).await?;
            let mut problem = Problem::of(error);
            problem.detail = story(closed, by.as_deref());
            Ok(problem.with("closed", json!(ClosedView::of(closed.clone(), by))))
        }
        GateError::Decide(DecideError::Answers(problems)) => {
            let at = |problem: &AnswerProblem| FieldError::new(problem.path(), problem.to_string());
            let mut problem = Problem::of(error);
            problem.errors = problems.iter().map(at).collect();
            Ok(problem)
        }
        GateError::Decide(DecideError::Revise(
            ReviseError::NoInstructions | ReviseError::TooLong(_),
        )) => {
            let mut problem = Problem::of(error);
            problem.errors = vec![FieldError::new("instructions", error.to_string())];
            Ok(problem)
        }
        GateError::Decide(DecideError::AnswersNotAsked | DecideError::AnswersDenied) => {
            let mut problem = Problem::of(error);
            problem.errors = vec![FieldError::new("answers", error.to_string())];
            Ok(problem)
        }
        _ => Ok(Problem::of(error)),
    }
}
