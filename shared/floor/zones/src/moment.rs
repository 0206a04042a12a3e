//! Dates and times as texts write them, and how they compare.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};

/// A month, a day or a time, read from `2026-02`, `2026-02-28`, `2026-02-28T10:00:00Z`, `2026-02-28T10:00:00-05:00` or
/// `2026-02-28T10:00:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// As it is written, where it is written; of a month or a day, its beginning.
    written: DateTime,
    /// When it is, of a time with an offset from UTC.
    instant: Option<Timestamp>,
    span: Span,
}

/// How much is meant, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Span {
    Month,
    Day,
    Time,
}

impl Moment {
    /// Reads a text; `None` when it has none of these forms.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if !(7..=64).contains(&bytes.len()) || bytes[4] != b'-' {
            return None;
        }
        if bytes.len() == 7 {
            return Self::month(text);
        }
        if bytes[7] != b'-' {
            return None;
        }
        let pieces = Pieces::parse(text).ok()?;
        let written = pieces.date().to_datetime(pieces.time().unwrap_or(Time::midnight()));
        let offset: Option<Offset> = pieces.to_numeric_offset();
        let instant = offset.and_then(|offset| offset.to_timestamp(written).ok());
        let span = if pieces.time().is_some() { Span::Time } else { Span::Day };
        Some(Self { written, instant, span })
    }

    fn month(text: &str) -> Option<Self> {
        let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let (year, month) = text.split_once('-').filter(|(y, m)| are_digits(y) && are_digits(m))?;
        let first = Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
        Some(Self {
            written: first.to_datetime(Time::midnight()),
            instant: None,
            span: Span::Month,
        })
    }

    /// Whether one is a part of the other: a time of the day, a day of the month.
    #[must_use]
    pub fn is_within_or_around(self, other: Self) -> bool {
        self.span != other.span && self.compare(other).is_eq()
    }

    /// Which is earlier. A month or a day is all of its times where they are written: neither is earlier. Two times with an
    /// offset compare as the instants they are, others as they are written. Not for sorting, because two times of a day are not
    /// one another.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        let (one, two) = (self.written, other.written);
        match (self.span.min(other.span), self.instant, other.instant) {
            (Span::Month, ..) => (one.year(), one.month()).cmp(&(two.year(), two.month())),
            (Span::Day, ..) => one.date().cmp(&two.date()),
            (Span::Time, Some(one), Some(two)) => one.cmp(&two),
            (Span::Time, ..) => one.cmp(&two),
        }
    }

    /// An order for sorting: of instants, where a month or a day is its beginning, in UTC as is a time without an offset.
    #[must_use]
    pub fn sort_order(self, other: Self) -> Ordering {
        self.in_utc().cmp(&other.in_utc())
    }

    /// The last day of the calendar, which stands for an open end, is later than every instant that can be computed with.
    fn in_utc(self) -> Timestamp {
        let bound = if self.written.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
        let assumed = || TimeZone::UTC.to_timestamp(self.written).unwrap_or(bound);
        self.instant.unwrap_or_else(assumed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Moment {
        Moment::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[track_caller]
    fn check(one: &str, other: &str, expect: Ordering) {
        assert_eq!(read(one).compare(read(other)), expect, "{one} {other}");
        assert_eq!(read(other).compare(read(one)), expect.reverse(), "{other} {one}");
    }

    #[test]
    fn times_compare_as_instants_and_a_day_is_all_of_its_times() {
        check("2026-12-31", "2026-12-31T08:00:00Z", Ordering::Equal);
        check("2026-12-31", "2026-12-31T23:30:00-05:00", Ordering::Equal);
        check("2026-12-31", "2027-01-01T00:00:00Z", Ordering::Less);
        check("2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00Z", Ordering::Less);
        check("2026-01-01T10:00:00+01:00", "2026-01-01T09:00:00Z", Ordering::Equal);
        check("2026-01-01T10:00:00", "2026-01-01T09:00:00.5", Ordering::Greater);
        check("2026-01-02", "2026-01-10", Ordering::Less);
    }

    #[test]
    fn a_month_is_all_of_its_days() {
        check("2026-01", "2026-01-31", Ordering::Equal);
        check("2026-01", "2026-02-01T00:00:00Z", Ordering::Less);
        check("2026-01", "2025-12", Ordering::Greater);
    }

    #[test]
    fn a_part_is_within_its_whole() {
        let is_part = |one: &str, other: &str| read(one).is_within_or_around(read(other));
        assert!(is_part("2026-12-31", "2026-12-31T08:00:00Z"));
        assert!(is_part("2026-12-31", "2026-12"));
        assert!(!is_part("2026-12-31", "2026-12-31"));
        assert!(!is_part("2026-12-31", "2026-12-30T08:00:00Z"));
    }

    #[test]
    fn sorting_puts_times_in_the_order_they_were() {
        let mut all = [
            "9999-12-31",
            "9999-12-31T23:59:59Z",
            "2026-01-01T23:00:00-05:00",
            "2026-01-02T01:00:00Z",
            "2026-01-02",
            "2026-01-01T12:00:00",
            "2026-01",
        ];
        all.sort_by(|a, b| read(a).sort_order(read(b)));
        let expect = [
            "2026-01",
            "2026-01-01T12:00:00",
            "2026-01-02",
            "2026-01-02T01:00:00Z",
            "2026-01-01T23:00:00-05:00",
            "9999-12-31",
            "9999-12-31T23:59:59Z",
        ];
        assert_eq!(all, expect);
    }

    #[test]
    fn other_texts_are_no_moments() {
        for text in [
            "",
            "2026",
            "2026-1",
            "2026-13",
            "2026-+1",
            "01/15/2026",
            "2026-13-01",
            "20260115",
            "2026-01-15 and later",
            "555-12-3456",
            "5555-12-3456",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
