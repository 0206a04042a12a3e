//! Whole numbers of a connector: their keys, bounds and defaults, for the parser and the published schema alike.

use std::ops::RangeInclusive;

use crate::diagnostic::Diagnostics;
use crate::yaml::Mapping;

/// A key with a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) key: &'static str,
    pub(crate) least: u32,
    pub(crate) most: u32,
    /// What holds when the key is left out, if anything does.
    pub(crate) usual: Option<u32>,
}

const fn bound(key: &'static str, range: RangeInclusive<u32>, usual: u32) -> Bound {
    Bound { key, least: *range.start(), most: *range.end(), usual: Some(usual) }
}

const fn free(key: &'static str, range: RangeInclusive<u32>) -> Bound {
    Bound { key, least: *range.start(), most: *range.end(), usual: None }
}

pub(crate) const TIMEOUT_SECONDS: Bound = bound("timeout_seconds", 1..=300, 30);
pub(crate) const DELAY_SECONDS: Bound = bound("delay_seconds", 0..=60, 1);
pub(crate) const MAX_FILE_SIZE_MB: Bound = bound("max_file_size_mb", 1..=200, 50);
pub(crate) const POLL_INTERVAL_MINUTES: Bound = bound("poll_interval_minutes", 5..=10_080, 60);
pub(crate) const MAX_ITEMS_PER_POLL: Bound = bound("max_items_per_poll", 1..=1_000, 50);
pub(crate) const MAX_PAGES: Bound = bound("max_pages", 1..=100, 1);
pub(crate) const MAX_RECORDS: Bound = bound("max_records", 1..=10_000, 1_000);
pub(crate) const PAGE_SIZE: Bound = bound("page_size", 1..=10_000, 100);
pub(crate) const FIRST_PAGE: Bound = bound("first_page", 0..=1, 1);
pub(crate) const HEADER_ROW: Bound = bound("header_row", 1..=100_000, 1);
pub(crate) const POOL_SIZE: Bound = bound("pool_size", 1..=10, 3);
/// K-40: no call gives more rows.
pub(crate) const MAX_ROWS: Bound = bound("max_rows", 1..=1_000, 1_000);
/// Up to a year.
pub(crate) const IDEMPOTENCY_HOURS: Bound = free("hours", 1..=8_760);
pub(crate) const PER_SECOND: Bound = free("requests_per_second", 1..=1_000);
pub(crate) const PER_MINUTE: Bound = free("requests_per_minute", 1..=60_000);
pub(crate) const PER_HOUR: Bound = free("requests_per_hour", 1..=3_600_000);
pub(crate) const PER_DAY: Bound = free("requests_per_day", 1..=10_000_000);
pub(crate) const PER_MONTH: Bound = free("requests_per_month", 1..=300_000_000);

impl Bound {
    /// What the text says, when it says it and within the bounds.
    pub(crate) fn given(self, map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<u32> {
        map.number(self.key, self.least..=self.most, out)
    }

    /// What the text says, otherwise what usually holds.
    pub(crate) fn of(self, map: &mut Mapping<'_>, out: &mut Diagnostics) -> u32 {
        self.given(map, out).or(self.usual).unwrap_or(self.least)
    }
}
