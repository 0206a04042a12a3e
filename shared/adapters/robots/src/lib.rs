//! Whether a site lets an address be read: its robots.txt, fetched through the guarded way out and kept for a day
//! (K-76). There is no switch to read what a site does not want read.

mod remembered;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_failure::Failure;
use countersign_http_out::{Call, Egress, HttpError, Streaming};
use countersign_pages::{RobotsTxt, robots_address};
use futures::future::BoxFuture;
use jiff::Timestamp;
use url::Url;

use self::remembered::Remembered;

/// Bytes of a robots.txt that are read.
const MAX_LENGTH: usize = 500 * 1024;
/// The longest `Crawl-delay` that is kept to: a longer one would be a refusal in disguise.
const MAX_DELAY: Duration = Duration::from_secs(30);

/// Why an address may not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 503)]
pub enum RobotsError {
    /// The site says no.
    #[error("the robots.txt of `{host}` does not allow `{path}` to be read")]
    #[failure(
        code = "ROBOTS_DISALLOWED",
        status = 403,
        help = "read another page, or ask the site's owner for an API or permission"
    )]
    Disallowed {
        /// The site.
        host: String,
        /// The path, without the query.
        path: String,
    },
    /// The site does not say, and may mean no.
    #[error("the robots.txt of `{host}` cannot be asked, so nothing is read: {reason}")]
    #[failure(code = "ROBOTS_UNAVAILABLE", retryable)]
    Unknown {
        /// The site.
        host: String,
        /// What happened.
        reason: String,
    },
    /// The site asks to be asked later.
    #[error("`{host}` asks to be called later (HTTP 429 for its robots.txt)")]
    #[failure(code = "ROBOTS_UNAVAILABLE", retryable)]
    Throttled {
        /// The site.
        host: String,
    },
    /// It may not even be asked.
    #[error(transparent)]
    #[failure(forward)]
    Egress(HttpError),
}

/// Asks sites, and remembers what they said.
#[derive(Debug, Clone)]
pub struct Robots {
    egress: Egress,
    known: Arc<Mutex<Remembered>>,
}

impl Robots {
    /// Asks through this way out.
    #[must_use]
    pub fn new(egress: Egress) -> Self {
        Self { egress, known: Arc::default() }
    }

    /// How long the site asks to wait between requests, at most 30 seconds, when the address may be read. A site
    /// without a robots.txt (4xx) allows everything; one that fails (5xx) or cannot be reached allows nothing.
    ///
    /// # Errors
    /// [`RobotsError`] when it may not be read.
    pub fn ask<'a>(
        &'a self,
        url: &'a Url,
        now: Timestamp,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Duration, RobotsError>> {
        Box::pin(async move {
            let origin = url.origin().ascii_serialization();
            let rules = match self.remembered(&origin, now) {
                Some(rules) => rules,
                None => {
                    let rules = Arc::new(self.fetch(url, timeout).await?);
                    self.remember(origin, rules.clone(), now);
                    rules
                }
            };
            if !rules.allows(url) {
                let host = host(url);
                return Err(RobotsError::Disallowed { host, path: url.path().to_owned() });
            }
            Ok(rules.delay().unwrap_or_default().min(MAX_DELAY))
        })
    }

    fn remembered(&self, origin: &str, now: Timestamp) -> Option<Arc<RobotsTxt>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(origin, now)
    }

    fn remember(&self, origin: String, rules: Arc<RobotsTxt>, now: Timestamp) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).put(origin, rules, now);
    }

    async fn fetch(&self, url: &Url, timeout: Duration) -> Result<RobotsTxt, RobotsError> {
        let unknown = |reason: String| RobotsError::Unknown { host: host(url), reason };
        let address = robots_address(url).ok_or_else(|| unknown("it has no address".to_owned()))?;
        // The bound is kept while reading: a longer file is cut, not refused.
        let call = Call { timeout, max_bytes: u64::MAX, ..Call::get(address) };
        let failed = |error: HttpError| match error {
            HttpError::Refused { .. } | HttpError::Request(_) => RobotsError::Egress(error),
            other => unknown(other.to_string()),
        };
        let mut answer = self.egress.open(call).await.map_err(failed)?;
        match answer.status {
            200..=299 => {}
            429 => return Err(RobotsError::Throttled { host: host(url) }),
            status @ 500..=599 => return Err(unknown(format!("HTTP {status}"))),
            _ => return Ok(RobotsTxt::none()),
        }
        let body = beginning(&mut answer).await.map_err(failed)?;
        Ok(RobotsTxt::parse(&body))
    }
}

async fn beginning(answer: &mut Streaming) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while body.len() < MAX_LENGTH {
        match answer.chunk().await? {
            Some(chunk) => body.extend_from_slice(&chunk),
            None => break,
        }
    }
    body.truncate(MAX_LENGTH);
    Ok(body)
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
