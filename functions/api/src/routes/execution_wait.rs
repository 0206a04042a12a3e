//! Waiting until something happens in a run, within one request.
use std::fmt;
use std::time::Duration;

use countersign_identity::UserId;
use countersign_run::RunId;
use countersign_store_runs::{Pace, Progress};
use countersign_web::Problem;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use utoipa::IntoParams;

use super::found;
use crate::Context;

/// The longest wait, seconds: a gateway gives up on a request after 30.
const MAX_WAIT: u64 = 25;

/// How long a request waits that does not say it, seconds.
const DEFAULT_WAIT: u64 = 20;

/// How long a request waits at least when only drafts have changed.
const DRAFT_PAUSE: Duration = Duration::from_secs(1);

/// What was seen before, and how long to wait for more.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitQuery {
    /// The `version` that was seen: the answer comes as soon as there is another, and at the latest after `wait` seconds.
    #[param(max_length = 64)]
    after: Option<String>,
    /// How many seconds to wait with `after`, 0 to 25; 20 when left out.
    #[param(minimum = 0, maximum = 25)]
    wait: Option<u64>,
}

impl WaitQuery {
    /// The version that was seen, and until when another one is waited for; none to answer at once.
    pub(super) fn wanted(&self) -> Result<Option<(&str, Instant)>, Problem> {
        let wait = seconds(self.wait.unwrap_or(DEFAULT_WAIT))?;
        match &self.after {
            Some(after) => Ok(Some((after, Instant::now() + wait))),
            None if self.wait.is_some() => {
                let message = "has no effect without `after`, the `version` that was seen";
                Err(Problem::field("wait", message))
            }
            None => Ok(None),
        }
    }
}

/// How long to wait for the end of a run that is started.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EndQuery {
    /// How many seconds to wait for the end of the run, 0 to 25; without it the answer comes as soon as the run is started.
    #[param(minimum = 0, maximum = 25)]
    wait: Option<u64>,
}

impl EndQuery {
    /// How long the end is waited for; none to answer at once.
    pub(super) fn wanted(&self) -> Result<Option<Duration>, Problem> {
        self.wait.map(seconds).transpose()
    }
}

/// How long a question waits for its answer.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AnswerQuery {
    /// How many seconds to wait for the answer, 0 to 25; 25 when left out.
    #[param(minimum = 0, maximum = 25)]
    wait: Option<u64>,
}

impl AnswerQuery {
    /// How long the answer is waited for.
    pub(super) fn wanted(&self) -> Result<Duration, Problem> {
        seconds(self.wait.unwrap_or(MAX_WAIT))
    }
}

/// A wait that is not too long.
fn seconds(wait: u64) -> Result<Duration, Problem> {
    let fits = (wait <= MAX_WAIT).then(|| Duration::from_secs(wait));
    fits.ok_or_else(|| Problem::field("wait", format!("must be from 0 to {MAX_WAIT}")))
}

/// What stands for all that was read: what happened, and what was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version {
    happened: String,
    written: String,
}

impl From<&Progress> for Version {
    fn from(Progress { head, events, drafts }: &Progress) -> Self {
        let drafts = drafts.iter().map(|draft| (&draft.step, draft.at));
        Self {
            // Events are only added.
            happened: digest(&json!([head, events.len()])),
            written: digest(&json!(drafts.collect::<Vec<_>>())),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.happened, self.written)
    }
}

impl Version {
    /// Whether there is something to tell whoever has seen this version and has waited so long. A draft alone is told once in a
    /// while: with each part the whole run is read again.
    fn is_news(&self, seen: &str, waited: Duration) -> bool {
        !seen.starts_with(&self.happened)
            || (!seen.ends_with(&self.written) && waited >= DRAFT_PAUSE)
    }
}

fn digest(of: &Value) -> String {
    hex::encode(&Sha256::digest(of.to_string())[..8])
}

/// A run, once its version is another one than what was seen, it is over, or the time is.
pub(super) async fn changed(
    ctx: &Context,
    (user, id): (&UserId, &RunId),
    wanted: Option<(&str, Instant)>,
) -> Result<Progress, Problem> {
    let begun = Instant::now();
    let mut pace = Pace::default();
    loop {
        let looked = found(ctx.runs.progress(user, id).await?)?;
        let waits = wanted.filter(|(seen, until)| {
            let is_over = looked.head.finished_at.is_some();
            !is_over
                && !Version::from(&looked).is_news(seen, begun.elapsed())
                && Instant::now() < *until
        });
        let Some((_, until)) = waits else { return Ok(looked) };
        let pause = pace.pause(looked.events.len());
        tokio::time::sleep(pause.min(until.saturating_duration_since(Instant::now()))).await;
    }
}

/// A run once it is over, or as it is by then.
pub(super) async fn over(
    ctx: &Context,
    (user, id): (&UserId, &RunId),
    until: Instant,
) -> Result<Progress, Problem> {
    let mut seen = String::new();
    loop {
        let looked = changed(ctx, (user, id), Some((&seen, until))).await?;
        if looked.head.finished_at.is_some() || Instant::now() >= until {
            return Ok(looked);
        }
        seen = Version::from(&looked).to_string();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(happened: &str, written: &str) -> Version {
        Version { happened: happened.to_owned(), written: written.to_owned() }
    }

    #[test]
    fn r_101_a_draft_alone_is_told_once_in_a_while() {
        let seen = version("aa", "11").to_string();
        let check = |now: Version, at_once: bool, later: bool| {
            assert_eq!(now.is_news(&seen, Duration::ZERO), at_once, "{now}");
            assert_eq!(now.is_news(&seen, DRAFT_PAUSE), later, "{now}");
        };
        check(version("aa", "11"), false, false);
        check(version("aa", "22"), false, true);
        check(version("bb", "11"), true, true);
        assert!(version("aa", "11").is_news("", Duration::ZERO), "what nobody has seen is news");
    }
}
