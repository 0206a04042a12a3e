//! Whole numbers of a connector: their bounds and defaults.

use countersign_document::Whole;

pub(crate) type TimeoutSeconds = Whole<1, 300, 30>;
pub(crate) type DelaySeconds = Whole<0, 60, 1>;
pub(crate) type MaxFileSizeMb = Whole<1, 200, 50>;
pub(crate) type PollIntervalMinutes = Whole<5, 10_080, 60>;
pub(crate) type MaxItemsPerPoll = Whole<1, 1_000, 50>;
pub(crate) type MaxPages = Whole<1, 100, 1>;
pub(crate) type MaxRecords = Whole<1, 10_000, 1_000>;
pub(crate) type PageSize = Whole<1, 10_000, 100>;
pub(crate) type FirstPage = Whole<0, 1, 1>;
pub(crate) type HeaderRow = Whole<1, 100_000, 1>;
pub(crate) type PoolSize = Whole<1, 10, 3>;
/// K-40: no call gives more rows.
pub(crate) type MaxRows = Whole<1, 1_000, 1_000>;
/// Up to a year.
pub(crate) type IdempotencyHours = Whole<0, 8_760>;
pub(crate) type PerSecond = Whole<1, 1_000>;
pub(crate) type PerMinute = Whole<1, 60_000>;
pub(crate) type PerHour = Whole<1, 3_600_000>;
pub(crate) type PerDay = Whole<1, 10_000_000>;
pub(crate) type PerMonth = Whole<1, 300_000_000>;

/// A key with a whole number that a binding may override.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) key: &'static str,
    pub(crate) least: i64,
    pub(crate) most: i64,
}

const fn bound(key: &'static str, (least, most): (i64, i64)) -> Bound {
    Bound { key, least, most }
}

pub(crate) const TIMEOUT_SECONDS: Bound = bound("timeout_seconds", TimeoutSeconds::BOUNDS);
pub(crate) const MAX_FILE_SIZE_MB: Bound = bound("max_file_size_mb", MaxFileSizeMb::BOUNDS);
pub(crate) const PER_SECOND: Bound = bound("requests_per_second", PerSecond::BOUNDS);
pub(crate) const PER_MINUTE: Bound = bound("requests_per_minute", PerMinute::BOUNDS);
pub(crate) const PER_HOUR: Bound = bound("requests_per_hour", PerHour::BOUNDS);
pub(crate) const PER_DAY: Bound = bound("requests_per_day", PerDay::BOUNDS);
pub(crate) const PER_MONTH: Bound = bound("requests_per_month", PerMonth::BOUNDS);
