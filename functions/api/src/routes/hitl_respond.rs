//! `/hitl/respond`: a decision for whoever was told of a request by an event.

use axum::extract::State;
use countersign_approval::{ApprovalId, Verdict};
use countersign_gatekeeper::Answer;
use countersign_web::{Json, Problem, Signed};
use serde::Deserialize;
use utoipa::ToSchema;

use super::approval_decide::{Decision, DecisionAnswer, GivenAnswer, decide};
use super::approval_revise::Mode;
use super::{Ctx, JsonOf};

/// What is decided of which request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// The request, `appr_…`: `request_id` of the event `hitl_required`.
    #[schema(value_type = String)]
    request_id: ApprovalId,
    /// What is decided.
    decision: Decided,
    /// What is to be changed before anybody signs, 1 to 2,000 characters; with `mode`, and only when approved.
    #[serde(default)]
    instructions: Option<String>,
    /// How the instructions relate to what was asked before.
    #[serde(default)]
    mode: Option<Mode>,
    /// The digest of what was seen. A decision without it is refused.
    #[serde(default)]
    digest: Option<String>,
    /// The version that was seen.
    #[serde(default)]
    version: Option<u32>,
    /// Of a request of kind `outcome`: what became of each call.
    #[serde(default)]
    answers: Vec<GivenAnswer>,
    /// A note for the record, at most 2,000 characters.
    #[serde(default)]
    note: Option<String>,
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Decided {
    /// Yes.
    Approved,
    /// No.
    Denied,
}

impl Reply {
    /// What is voted for, and what is written of it. Instructions are never a signature: what they change is shown again first.
    fn read(self) -> Result<(ApprovalId, Verdict, Decision), Problem> {
        let Self { request_id, decision, instructions, mode, digest, version, answers, note } =
            self;
        let Some(instructions) = instructions else {
            if mode.is_some() {
                return Err(Problem::field("mode", "has no effect without `instructions`"));
            }
            let verdict = match decision {
                Decided::Approved => Verdict::Approve,
                Decided::Denied => Verdict::Deny,
            };
            return Ok((request_id, verdict, Decision { digest, version, answers, note }));
        };
        if decision == Decided::Denied {
            let problem =
                Problem::field("instructions", "change nothing of a request that is denied");
            return Err(problem.with_hint(
                "say why in `note`, or decide `approved` to have it changed and be asked again",
            ));
        }
        if note.is_some() || !answers.is_empty() {
            let name = if note.is_some() { "note" } else { "answers" };
            return Err(Problem::field(name, "does not go with `instructions`"));
        }
        let mode = mode.ok_or_else(|| {
            let problem = Problem::field("mode", "is needed with `instructions`: `enhance` or `override`");
            problem.with_hint("`enhance` does both, `override` does what the instructions say instead; nobody guesses which")
        })?;
        let note = Some(instructions.trim().to_owned());
        Ok((request_id, mode.verdict(), Decision { digest, version, answers, note }))
    }
}

/// Decides a request for approval, as `POST /approvals/{id}/approve`, `/reject` and, with `instructions`, `/revise` do. The same
/// decision again gets the first receipt; anything else on a closed request is 409.
#[utoipa::path(
    post, path = "/api/hitl/respond", tag = "questions", request_body = Reply,
    responses((status = 200, body = DecisionAnswer), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, changed, or past its deadline"), (status = 422, description = "no digest, answers that are incomplete, or instructions that cannot be followed"))
)]
pub(crate) async fn respond(
    State(ctx): Ctx,
    signed: Signed,
    Json(body): Json<Reply>,
) -> JsonOf<Answer> {
    let (id, verdict, decision) = body.read()?;
    decide(&ctx, signed, id, verdict, decision).await
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(mut body: Value) -> Result<(Verdict, Option<String>), String> {
        body["request_id"] = "appr_0197c3a1b2c3d4e5f60718293a4b5c6d".into();
        let reply: Reply = serde_json::from_value(body).unwrap();
        let read = reply.read().map(|(_, verdict, decision)| (verdict, decision.note));
        read.map_err(|problem| problem.errors[0].path.clone())
    }

    #[test]
    fn r_059_r_062_k_09_a_reply_is_read_as_one_verdict_or_refused() {
        assert_eq!(read(json!({ "decision": "approved" })), Ok((Verdict::Approve, None)));
        let no = json!({ "decision": "denied", "note": "no" });
        assert_eq!(read(no), Ok((Verdict::Deny, Some("no".to_owned()))));
        let both =
            json!({ "decision": "approved", "instructions": " shorter ", "mode": "enhance" });
        assert_eq!(read(both), Ok((Verdict::Enhance, Some("shorter".to_owned()))));
        let other =
            json!({ "decision": "approved", "instructions": "pay Eve", "mode": "override" });
        assert_eq!(read(other), Ok((Verdict::Override, Some("pay Eve".to_owned()))));
        for (body, expect) in [
            (json!({ "decision": "approved", "instructions": "shorter" }), "mode"),
            (json!({ "decision": "approved", "mode": "enhance" }), "mode"),
            (
                json!({ "decision": "denied", "instructions": "x", "mode": "enhance" }),
                "instructions",
            ),
            (
                json!({ "decision": "approved", "instructions": "x", "mode": "override", "note": "y" }),
                "note",
            ),
        ] {
            assert_eq!(read(body), Err(expect.to_owned()));
        }
    }
}
