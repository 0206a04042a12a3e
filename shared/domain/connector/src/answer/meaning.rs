//! What the status of an answer means (F-306…F-311).

use serde_json::Value;

/// What to make of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusMeaning {
    /// There is an answer to read.
    Success,
    /// 401, 403: the credential is refused (F-306).
    AuthFailed,
    /// 429: later, at most three times (F-307).
    Throttled,
    /// 408: once more, and not counted as a failure of the source (K-74).
    TimedOut,
    /// 5xx: once more (F-308).
    Unavailable,
    /// Any other 4xx: the request is wrong and stays wrong.
    Refused,
    /// 1xx or 3xx that was not followed.
    Unexpected,
}

/// What a status means.
#[must_use]
pub fn meaning(status: u16) -> StatusMeaning {
    match status {
        200..=299 => StatusMeaning::Success,
        401 | 403 | 407 => StatusMeaning::AuthFailed,
        429 => StatusMeaning::Throttled,
        408 => StatusMeaning::TimedOut,
        500..=599 => StatusMeaning::Unavailable,
        400..=499 => StatusMeaning::Refused,
        _ => StatusMeaning::Unexpected,
    }
}

/// What a status means, beside what else the answer says: some sources refuse with 403 what they only put off. Of a call with
/// an effect only a source that names its limit is believed: a header may come from whatever stands before it.
#[must_use]
pub fn meaning_of(
    status: u16,
    retry_after: Option<&str>,
    body: &[u8],
    effect: bool,
) -> StatusMeaning {
    let is_later = || names_a_limit(body) || (!effect && retry_after.is_some());
    if status == 403 && is_later() { StatusMeaning::Throttled } else { meaning(status) }
}

/// Whether an error in the shape of Google's APIs says that a limit is reached.
fn names_a_limit(body: &[u8]) -> bool {
    const LIMITS: [&str; 4] =
        ["rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded", "quotaExceeded"];
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let errors = answer.pointer("/error/errors").and_then(Value::as_array);
    let mut reasons = errors.into_iter().flatten().filter_map(|error| error["reason"].as_str());
    reasons.any(|reason| LIMITS.contains(&reason))
}

#[cfg(test)]
mod tests {
    use super::{StatusMeaning, meaning_of};

    #[track_caller]
    fn check(status: u16, retry_after: Option<&str>, body: &str, expect: [StatusMeaning; 2]) {
        for (effect, expect) in [false, true].into_iter().zip(expect) {
            let found = meaning_of(status, retry_after, body.as_bytes(), effect);
            assert_eq!(found, expect, "{status} {retry_after:?} {body} {effect}");
        }
    }

    #[test]
    fn f_307_a_source_that_refuses_what_it_puts_off_is_throttled() {
        use StatusMeaning::{AuthFailed, Throttled, Unavailable};
        let google = |reason: &str| {
            format!(
                r#"{{"error": {{"code": 403, "errors": [{{"domain": "usageLimits", "reason": "{reason}"}}]}}}}"#
            )
        };
        check(403, None, &google("userRateLimitExceeded"), [Throttled; 2]);
        check(403, None, &google("dailyLimitExceeded"), [Throttled; 2]);
        check(403, None, &google("insufficientPermissions"), [AuthFailed; 2]);
        check(403, Some("60"), "", [Throttled, AuthFailed]);
        check(403, None, "no", [AuthFailed; 2]);
        check(401, Some("60"), "", [AuthFailed; 2]);
        check(503, Some("60"), "", [Unavailable; 2]);
        check(429, None, "", [Throttled; 2]);
    }
}
