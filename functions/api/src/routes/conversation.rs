//! `/conversations/{id}`.

use countersign_run::{ConversationId, MAX_TITLE};
use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::conversations::ConversationView;
use super::{Analyst, JsonOf, Named, Reader, found};

/// What to change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversationPatch {
    /// What it is called from now on; at most 200 characters on one line.
    #[schema(min_length = 1, max_length = 200)]
    title: String,
}

impl ConversationPatch {
    fn title(&self) -> Result<&str, Problem> {
        let wrong = |message: String| Err(Problem::field("title", message));
        match self.title.trim() {
            "" => wrong("is empty".to_owned()),
            title if title.chars().count() > MAX_TITLE => {
                wrong(format!("has at most {MAX_TITLE} characters"))
            }
            title if title.chars().any(char::is_control) => {
                wrong("has control characters".to_owned())
            }
            title => Ok(title),
        }
    }
}

/// One conversation of the caller.
#[utoipa::path(
    get, path = "/conversations/{id}", tag = "conversations", params(("id" = String, Path, description = "`conv_…`")),
    responses((status = 200, body = ConversationView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref owner), id): Named<ConversationId>,
) -> JsonOf<ConversationView> {
    let known = found(ctx.runs.conversation(owner, &id).await?)?;
    let summary = ctx.runs.latest_summary(&id).await?;
    Ok(Json(ConversationView::from(known).with(summary)))
}

/// Gives a conversation of the caller another title.
#[utoipa::path(
    patch, path = "/conversations/{id}", tag = "conversations", params(("id" = String, Path, description = "`conv_…`")), request_body = ConversationPatch,
    responses((status = 200, body = ConversationView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn change(
    Named(ctx, Analyst(ref owner), id): Named<ConversationId, Analyst>,
    Json(patch): Json<ConversationPatch>,
) -> JsonOf<ConversationView> {
    let title = patch.title()?;
    Ok(Json(found(ctx.runs.rename_conversation(owner, &id, title).await?)?.into()))
}

/// Removes a conversation of the caller: what was asked in it is shown to no model any more. Its runs stay.
#[utoipa::path(
    delete, path = "/conversations/{id}", tag = "conversations", params(("id" = String, Path, description = "`conv_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn remove(
    Named(ctx, Analyst(ref owner), id): Named<ConversationId, Analyst>,
) -> Result<StatusCode, Problem> {
    match ctx.runs.forget_conversation(owner, &id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, expect: Option<&str>) {
        let patch = ConversationPatch { title: title.to_owned() };
        assert_eq!(patch.title().ok(), expect, "{title:?}");
    }

    #[test]
    fn r_105_a_title_is_a_line_that_can_be_read() {
        check(" Loans of 2024 ", Some("Loans of 2024"));
        check(&"x".repeat(MAX_TITLE), Some(&"x".repeat(MAX_TITLE)));
        check(&"x".repeat(MAX_TITLE + 1), None);
        check(" ", None);
        check("a\nb", None);
        check("a\u{1b}[2J", None);
    }
}
