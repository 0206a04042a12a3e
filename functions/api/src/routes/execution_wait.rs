//! Waiting until something happens in a run, within one request.
use std::time::Duration;

use countersign_identity::UserId;
use countersign_run::{Event, Head, RunId};
use countersign_web::Problem;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use utoipa::IntoParams;

use super::execution::own;
use crate::Context;

/// The longest wait, seconds: a gateway gives up on a request after 30.
const LONGEST: u64 = 20;

/// How long is waited between two looks, at first and at last: each is two requests to the database.
const SHORTEST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_millis(1_000);

/// What was seen before, and how long to wait for more.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitQuery {
    /// The `version` that was seen: the answer comes as soon as there is another, and at the latest after `wait` seconds.
    #[param(max_length = 64)]
    after: Option<String>,
    /// How many seconds to wait with `after`, 0 to 20; 20 when left out.
    #[param(minimum = 0, maximum = 20)]
    wait: Option<u64>,
}

impl WaitQuery {
    /// The version that was seen, and until when another one is waited for; none to answer at once.
    pub(super) fn wanted(&self) -> Result<Option<(&str, Instant)>, Problem> {
        let wait = self.wait.unwrap_or(LONGEST);
        if wait > LONGEST {
            return Err(Problem::field("wait", format!("must be from 0 to {LONGEST}")));
        }
        match &self.after {
            Some(after) => Ok(Some((after, Instant::now() + Duration::from_secs(wait)))),
            None if self.wait.is_some() => {
                let message = "has no effect without `after`, the `version` that was seen";
                Err(Problem::field("wait", message))
            }
            None => Ok(None),
        }
    }
}

/// A run with its events, once its version is another one than what was seen, it is over, or the time is.
pub(super) async fn changed(
    ctx: &Context,
    (user, id): (&UserId, &RunId),
    wanted: Option<(&str, Instant)>,
) -> Result<(Head, Vec<Event>), Problem> {
    let mut pause = SHORTEST_PAUSE;
    loop {
        let head = own(ctx, user, id).await?;
        let events = ctx.runs.events(id).await?;
        let seen = wanted.filter(|(seen, _)| *seen == version(&head, &events));
        let is_over = head.finished_at.is_some();
        let seen = seen.filter(|(_, until)| !is_over && Instant::now() < *until);
        let Some((_, until)) = seen else { return Ok((head, events)) };
        // Of a long run, each look reads more.
        let pauses = u32::try_from(1 + events.len() / 1_000).unwrap_or(u32::MAX);
        let pause_now = pause.saturating_mul(pauses);
        tokio::time::sleep(pause_now.min(until.saturating_duration_since(Instant::now()))).await;
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

/// A word for all that the head and the events of a run say: events are only added.
pub(super) fn version(head: &Head, events: &[Event]) -> String {
    let said = json!([head, events.len()]).to_string();
    hex::encode(&Sha256::digest(said)[..8])
}
