//! When a schedule is due: a cron expression in a time zone.
//!
//! A local time that a clock skips is due at the first moment after the gap; one that a clock shows twice is due the first
//! time. Where the hour is `*`, every real hour counts: nothing is due in a gap, and what a clock shows twice is due twice.

use countersign_zones::zone;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, ToSpan as _};

use crate::cron::Cron;
use crate::{CronExpression, TimeZoneName};

/// 29 February comes again within eight years.
const HORIZON_DAYS: usize = 9 * 366;

/// A cron expression in its time zone.
#[derive(Debug, Clone)]
pub struct Timetable {
    cron: Cron,
    zone: TimeZone,
    native: String,
}

impl Timetable {
    /// The times of this expression in this zone; none when either cannot be read.
    #[must_use]
    pub fn new(cron: &CronExpression, zone_name: &TimeZoneName) -> Option<Self> {
        let written = Cron::parse(cron.as_str()).ok()?;
        let zone = zone(zone_name.as_str())?;
        Some(Self { cron: written, zone, native: written.native(cron.as_str()) })
    }

    /// The expression in the words of EventBridge Scheduler.
    #[must_use]
    pub fn native(&self) -> &str {
        &self.native
    }

    /// The day in the schedule's zone.
    #[must_use]
    pub fn day(&self, at: Timestamp) -> Date {
        at.to_zoned(self.zone.clone()).date()
    }

    /// The first due time after this moment.
    #[must_use]
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let mut day = self.around(after);
        for _ in 0..HORIZON_DAYS {
            // Where clocks are set back at midnight, a day ends after the next one has begun.
            let of_two = self.of_day(day).into_iter().chain(self.of_day(day.tomorrow().ok()?));
            if let Some(due) = of_two.filter(|due| *due > after).min() {
                return Some(due);
            }
            day = day.tomorrow().ok()?;
        }
        None
    }

    /// Where a schedule is set back to that waits for `at`; none when it is where it should be. A sweep that takes long has begun
    /// before the tick that moved the schedule on: one due time further is no clock that was ahead.
    #[must_use]
    pub fn set_back_to(&self, at: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let due = self.next(now)?;
        self.next(due).filter(|second| *second < at).map(|_| due)
    }

    /// The first due times after this moment.
    #[must_use]
    pub fn upcoming(&self, after: Timestamp, count: usize) -> Vec<Timestamp> {
        std::iter::successors(self.next(after), |due| self.next(*due)).take(count).collect()
    }

    /// What was due after `after` and not later than `until`, in its order; of more than `most` the latest.
    #[must_use]
    pub fn due(&self, after: Timestamp, until: Timestamp, most: usize) -> Vec<Timestamp> {
        let first = self.around(after);
        let mut day = self.day(until).tomorrow().unwrap_or(Date::MAX);
        let mut due = Vec::new();
        while day >= first && due.len() < most {
            let of_day = self.of_day(day);
            due.extend(of_day.into_iter().rev().filter(|due| *due > after && *due <= until));
            let Ok(before) = day.yesterday() else { break };
            day = before;
        }
        due.sort_unstable();
        due.dedup();
        due.split_off(due.len().saturating_sub(most))
    }

    /// Two days before a moment: a gap moves a time to a later day.
    fn around(&self, at: Timestamp) -> Date {
        self.day(at).checked_sub(2_i32.days()).unwrap_or(Date::MIN)
    }

    /// The due times of a local day, in their order.
    fn of_day(&self, day: Date) -> Vec<Timestamp> {
        if !self.cron.has_day(day.month(), day.day(), weekday(day.weekday())) {
            return Vec::new();
        }
        let mut due: Vec<Timestamp> = self
            .cron
            .times()
            .flat_map(|(hour, minute)| self.moments(day.at(hour, minute, 0, 0)))
            .collect();
        due.sort_unstable();
        due.dedup();
        due
    }

    /// The moments at which a local time is due: one, or of every hour as many as clocks show it.
    fn moments(&self, local: DateTime) -> Vec<Timestamp> {
        let at = |offset: Offset| offset.to_timestamp(local).ok();
        let found = match self.zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => [at(offset), None],
            AmbiguousOffset::Fold { before, after } if self.cron.hourly => [at(before), at(after)],
            AmbiguousOffset::Fold { before, .. } => [at(before), None],
            AmbiguousOffset::Gap { .. } if self.cron.hourly => [None, None],
            AmbiguousOffset::Gap { before, .. } => {
                [at(before).and_then(|at| self.gap_end(at)), None]
            }
        };
        found.into_iter().flatten().collect()
    }

    /// The moment at which clocks skipped to a later time: the last such moment not after `at`.
    fn gap_end(&self, at: Timestamp) -> Option<Timestamp> {
        let beyond = at.checked_add(1_i32.second()).ok()?;
        self.zone.preceding(beyond).next().map(|change| change.timestamp())
    }
}

fn weekday(day: Weekday) -> i8 {
    day.to_sunday_zero_offset()
}
