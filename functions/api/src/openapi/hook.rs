//! The door of webhooks, which the function `hooks` serves: described here with the others.

use countersign_run::{OccurrenceId, OccurrenceState};
use schemars::JsonSchema;
use serde::Serialize;

use crate::documented::documented;

/// What became of a message of a webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HookAnswer")]
pub(super) struct Answer {
    /// What the message asked for.
    occurrence: OccurrenceId,
    /// How far it is; left out in the moment in which the same message comes twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<OccurrenceState>,
    /// Why there is no run, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

documented!(Answer);

/// Takes a message of a webhook, signed as [Standard Webhooks](https://www.standardwebhooks.com/) has it with a key of the trigger. It takes
/// no token and no query. The answer says whether the run of the message has started (`state`), waits or was left out (then `reason` why); the
/// same message again is answered for the first one.
#[utoipa::path(
    post, path = "/hooks/{id}", tag = "triggers", security(()),
    params(
        ("id" = String, Path, description = "`trig_…`"),
        ("webhook-id" = String, Header, description = "names the message, the same however often it is sent: 1 to 128 letters, digits, `_`, `-` and `:`"),
        ("webhook-timestamp" = String, Header, description = "when this attempt is sent, in seconds since 1970; five minutes before and after now are taken"),
        ("webhook-signature" = String, Header, description = "`v1,` and HMAC-SHA256 of `{id}.{timestamp}.{body}` in base64; up to ten with a space between")
    ),
    request_body(content = serde_json::Value, description = "JSON of at most 1 MB"),
    responses(
        (status = 202, body = Answer, description = "taken"),
        (status = 400, description = "WEBHOOK_HEADER, JSON_MALFORMED or JSON_TOO_DEEP"),
        (status = 401, body = countersign_web::ProblemBody, content_type = "application/problem+json", description = "WEBHOOK_TOO_OLD, or WEBHOOK_UNVERIFIED: no such trigger, one that is not active, or a signature of none of its keys"),
        (status = 409, description = "MESSAGE_ID_REUSED: the id came before with another body"),
        (status = 413, description = "BODY_TOO_LARGE"),
        (status = 415, description = "NOT_JSON"),
        (status = 422, description = "INVALID_INPUT: an object of the body has a key twice, or the address has a query"),
        (status = 429, description = "WEBHOOK_TOO_OFTEN: sixty messages a minute and trigger are taken; QUOTA_EXCEEDED: the runs of its owner's day, or those that it may start itself, are used up. `Retry-After` says when the same message may come again")
    )
)]
#[expect(dead_code, reason = "the declaration is what is used")]
pub(super) fn message() {}
