//! How much one person may ask of a deployment in a day.

use std::fmt;

use countersign_failure::Failure;
use countersign_identity::UserId;
use countersign_zones::to_the_second;
use jiff::Timestamp;

const DAY: i64 = 86_400;
const MEGABYTE: u64 = 1024 * 1024;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum QuotaKind {
    /// Runs that a person starts, tests among them.
    Runs,
    /// Mails that steps of a person's runs send.
    Mails,
    /// Bytes of the files a person uploads.
    UploadBytes,
    /// Tokens that models read and write for a person's runs.
    Tokens,
    /// Requests to the provider of web searches for a person's runs and monitors; one that costs double counts double.
    Searches,
}

impl QuotaKind {
    /// Its name in keys and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// So much of one kind a person and day, from midnight to midnight UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// What is counted.
    pub kind: QuotaKind,
    /// How much of it; 0 means as much as they like.
    pub limit: u64,
}

impl Quota {
    /// A quota of runs.
    #[must_use]
    pub fn runs(limit: u64) -> Self {
        Self { kind: QuotaKind::Runs, limit }
    }

    /// A quota of mails.
    #[must_use]
    pub fn mails(limit: u64) -> Self {
        Self { kind: QuotaKind::Mails, limit }
    }

    /// A quota of uploads.
    #[must_use]
    pub fn uploads(megabytes: u64) -> Self {
        Self { kind: QuotaKind::UploadBytes, limit: megabytes.saturating_mul(MEGABYTE) }
    }

    /// A quota of tokens.
    #[must_use]
    pub fn tokens(limit: u64) -> Self {
        Self { kind: QuotaKind::Tokens, limit }
    }

    /// A quota of searches.
    #[must_use]
    pub fn searches(limit: u64) -> Self {
        Self { kind: QuotaKind::Searches, limit }
    }

    /// The most that may be used before `amount` more fits; none when it never does.
    #[must_use]
    pub fn room(&self, amount: u64) -> Option<u64> {
        self.limit.checked_sub(amount)
    }

    /// What a person is told whose request does not fit any more.
    #[must_use]
    pub fn exceeded(&self, now: Timestamp) -> QuotaExceeded {
        QuotaExceeded { quota: *self, anew: begins_anew(now) }
    }
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            QuotaKind::UploadBytes => write!(f, "{} MB of uploads", self.limit / MEGABYTE),
            kind => write!(f, "{} {}", self.limit, kind.as_str()),
        }
    }
}

/// The day that a moment counts for, such as `2026-11-22`.
#[must_use]
pub fn day_of(now: Timestamp) -> String {
    now.strftime("%Y-%m-%d").to_string()
}

/// The next midnight, UTC.
fn begins_anew(now: Timestamp) -> Timestamp {
    let next = (now.as_second().div_euclid(DAY) + 1) * DAY;
    Timestamp::from_second(next).unwrap_or(Timestamp::MAX)
}

/// A person has asked for more than a day holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Failure)]
#[error("this exceeds the quota of {quota} a person and day; it begins anew at {}", to_the_second(*.anew))]
#[failure(
    code = "QUOTA_EXCEEDED",
    status = 429,
    help = "wait until it begins anew, or ask whoever operates the deployment for more"
)]
pub struct QuotaExceeded {
    /// The quota.
    pub quota: Quota,
    /// When it begins anew.
    pub anew: Timestamp,
}

impl QuotaExceeded {
    /// After how many seconds the quota begins anew.
    #[must_use]
    pub fn seconds(&self, now: Timestamp) -> u32 {
        u32::try_from(self.anew.as_second() - now.as_second()).unwrap_or_default().max(1)
    }
}

/// How many runs a trigger or a monitor may start in a day, of those that its owner may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLimit<'a> {
    /// Whose it is.
    pub owner: &'a UserId,
    /// Its id.
    pub source: &'a str,
    /// What it is.
    pub word: &'static str,
    /// So many, from midnight to midnight UTC; at least one.
    pub most: u64,
}

impl SourceLimit<'_> {
    /// What is said of a run that does not fit any more.
    #[must_use]
    pub fn exceeded(&self, now: Timestamp) -> SourceLimitExceeded {
        SourceLimitExceeded { word: self.word, most: self.most, anew: begins_anew(now) }
    }
}

/// A trigger or a monitor has started as many runs as it may in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Failure)]
#[error(
    "this {word} has started as many runs today as its `most_per_day` says: {most}; it may start more from {}",
    to_the_second(*.anew)
)]
#[failure(
    code = "QUOTA_EXCEEDED",
    status = 429,
    help = "wait until it may start more, or raise `most_per_day`"
)]
pub struct SourceLimitExceeded {
    /// What it is.
    pub word: &'static str,
    /// How many it may start.
    pub most: u64,
    /// When it may start more.
    pub anew: Timestamp,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(quota: Quota, now: &str, text: &str, seconds: u32) {
        let now: Timestamp = now.parse().unwrap();
        let exceeded = quota.exceeded(now);
        assert_eq!((exceeded.to_string().as_str(), exceeded.seconds(now)), (text, seconds));
        assert_eq!((exceeded.code(), exceeded.http_status()), ("QUOTA_EXCEEDED", 429));
    }

    #[test]
    fn a_quota_begins_anew_at_midnight() {
        let runs = "this exceeds the quota of 100 runs a person and day; it begins anew at 2026-11-23 00:00:00Z";
        check(Quota::runs(100), "2026-11-22T23:59:59.5Z", runs, 1);
        check(Quota::runs(100), "2026-11-22T00:00:00Z", runs, 86_400);
        let uploads = "this exceeds the quota of 1024 MB of uploads a person and day; it begins anew at 2027-01-01 00:00:00Z";
        check(Quota::uploads(1024), "2026-12-31T12:00:00Z", uploads, 43_200);
        let searches = "this exceeds the quota of 500 searches a person and day; it begins anew at 2027-01-01 00:00:00Z";
        check(Quota::searches(500), "2026-12-31T12:00:00Z", searches, 43_200);
        assert_eq!(day_of("2026-11-22T23:59:59.9Z".parse().unwrap()), "2026-11-22");
    }

    #[test]
    fn what_a_source_may_start_begins_anew_at_midnight() {
        let owner = UserId::from_bytes([1; 16]);
        let limit = SourceLimit { owner: &owner, source: "trig_1", word: "trigger", most: 3 };
        let said = limit.exceeded("2026-11-22T12:00:00Z".parse().unwrap());
        let text = "this trigger has started as many runs today as its `most_per_day` says: 3; it may start more from 2026-11-23 00:00:00Z";
        assert_eq!((said.to_string().as_str(), said.code()), (text, "QUOTA_EXCEEDED"));
    }

    proptest! {
        #[test]
        fn the_next_day_is_never_more_than_a_day_away(second in 0_i64..4_000_000_000) {
            let now = Timestamp::from_second(second).unwrap();
            let exceeded = Quota::mails(1).exceeded(now);
            prop_assert!((1..=86_400).contains(&exceeded.seconds(now)));
            prop_assert_ne!(day_of(exceeded.anew), day_of(now));
            let last = Timestamp::from_second(exceeded.anew.as_second() - 1).unwrap();
            prop_assert_eq!(day_of(last), day_of(now));
        }

        #[test]
        fn what_fits_leaves_room(limit in 1_u64..1_000, amount in 0_u64..2_000) {
            let room = Quota::runs(limit).room(amount);
            prop_assert_eq!(room.map(|room| room + amount), (amount <= limit).then_some(limit));
        }
    }
}
