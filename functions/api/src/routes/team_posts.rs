//! `/teams/{id}/posts`.

use axum::response::Response;
use countersign_effect::is_hidden;
use countersign_team::{MAX_POST, Post, PostId, TeamId, ThreadId};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Page, Path, Problem};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::PostAnswer;
use super::teams::own_team;
use super::{Named, Reader, now};
use crate::idempotency::{created, do_once};
use crate::lists::{Asked, PageOf};
use crate::moments::in_order;
use crate::queries::TeamPostQuery;

/// A post to write.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPost {
    /// The text; at most 10,000 characters.
    #[schema(min_length = 1, max_length = 10000)]
    content: String,
    /// The thread that it replies to, `thrd_…`; left out, it begins a new one.
    #[schema(value_type = Option<String>)]
    thread_id: Option<ThreadId>,
}

impl NewPost {
    /// The text must not be blank, nor contain control characters, invisible ones or those that change its direction.
    fn checked(&self) -> Result<(), Problem> {
        let wrong = |message: String| Err(Problem::field("content", message));
        let is_blank = |c: char| c.is_whitespace() || is_hidden(c);
        match &self.content {
            text if text.chars().all(is_blank) => wrong("is empty".to_owned()),
            text if text.chars().count() > MAX_POST => {
                wrong(format!("has at most {MAX_POST} characters"))
            }
            text if has_hidden(text) => {
                wrong("has control characters or invisible ones".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Whether a text has characters that nobody sees. The two joiners, and what says how the symbol before it is drawn, may stand in
/// it: emoji and some scripts need them.
fn has_hidden(text: &str) -> bool {
    let before = std::iter::once(' ').chain(text.chars());
    text.chars().zip(before).any(|(character, before)| match character {
        '\n' | '\r' | '\t' | '\u{200c}' | '\u{200d}' => false,
        '\u{fe0e}' | '\u{fe0f}' => !is_symbol(before),
        character => is_hidden(character),
    })
}

/// Whether a character may be drawn as an emoji.
fn is_symbol(character: char) -> bool {
    let is_word = character.is_alphanumeric() && !character.is_ascii_digit();
    !is_word && !character.is_whitespace() && !is_hidden(character)
}

/// Writes a post to a team of the caller.
#[utoipa::path(
    post, path = "/teams/{id}/posts", tag = "teams", request_body = NewPost,
    params(("id" = String, Path, description = "`team_…`"), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = PostAnswer), (status = 404, description = "NOT_FOUND, THREAD_NOT_FOUND"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn create(
    Named(ctx, Reader(ref author), team): Named<TeamId>,
    key: Key,
    Json(body): Json<NewPost>,
) -> Result<Response, Problem> {
    own_team(&ctx, author, &team).await?;
    body.checked()?;
    let attempt = Attempt::new(author, &format!("POST /teams/{team}/posts"), key, &body)?;
    do_once(&ctx, &attempt, async {
        let person = ctx.directory.user(author).await?;
        let id = PostId::from_bytes(attempt.id());
        let post = Post {
            team_id: team.clone(),
            thread_id: body.thread_id.clone().unwrap_or_else(|| ThreadId::begun_by(&id)),
            author_id: author.clone(),
            author: person.map(|person| person.display_name).unwrap_or_default(),
            content: body.content.clone(),
            begins_thread: body.thread_id.is_none(),
            reply_count: 0,
            created_at: now(),
            removed_at: None,
            id,
        };
        let post = ctx.content.create_post(&post).await?;
        created(format!("/api/agent-factory/teams/{team}/posts/{}", post.id), &post)
    })
    .await
}

/// The posts of a team of the caller, newest first.
#[utoipa::path(
    get, path = "/teams/{id}/posts", tag = "teams", params(("id" = String, Path, description = "`team_…`"), TeamPostQuery),
    responses((status = 200, body = Page<PostAnswer>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a range that ends before it begins"))
)]
pub(crate) async fn list(asked: Asked<TeamPostQuery>, Path(team): Path<TeamId>) -> PageOf<Post> {
    own_team(&asked.ctx, &asked.owner, &team).await?;
    let query = &asked.query;
    in_order(query.from, query.to)?;
    let narrowed = query.narrowed();
    let filters = [("team", Some(team.as_str())), ("narrowed", Some(narrowed.as_str()))];
    let between = (query.from, query.to);
    let read = |window| asked.ctx.content.posts(&team, between, window);
    asked.sifted("posts", &filters, read, |post: &Post| query.takes(post)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, is_taken: bool) {
        let post = NewPost { content: content.to_owned(), thread_id: None };
        assert_eq!(post.checked().is_ok(), is_taken, "{content:?}");
    }

    #[test]
    fn f_409_a_post_says_something_that_can_be_seen() {
        check("Who has seen the filing?\n\tI have not.", true);
        check(&"x".repeat(MAX_POST), true);
        check(&"x".repeat(MAX_POST + 1), false);
        check(" \n", false);
        check("a\u{1b}[2J", false);
        check("\u{1f469}\u{200d}\u{1f4bb} is here", true);
        check("\u{200d}", false);
        check("\u{200b}", false);
        check("a\u{202e}b", false);
        check("a\u{3164}b", false);
        check("\u{2800}", false);
        check("seen \u{2764}\u{fe0f}, 1\u{fe0f}\u{20e3} of 2", true);
        check("\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}", true);
        check("a\u{fe0f}b", false);
        check("\u{2764}\u{fe0f}\u{fe0f}", false);
        check("\u{fe0f}", false);
        check("a\u{e0101}", false);
    }
}
