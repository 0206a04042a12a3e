//! The hours in which a monitor may look (F-211).

use countersign_document::{Refused, Rules, text_type};
use countersign_schedule::TimeZoneName;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of the day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActiveHours {
    /// When they begin, `HH:MM`.
    pub start: ClockTime,
    /// When they end, `HH:MM`; earlier than the start when they span midnight.
    pub end: ClockTime,
    /// The IANA name of the time zone in which that is meant.
    #[serde(default)]
    pub timezone: TimeZoneName,
}

text_type! {
    /// A time of the day.
    pub struct ClockTime {
        format: "clock-time", code: "clock_time", sample: "09:00",
        pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", check: clock
    }
}

fn clock(text: &str) -> Result<(), Refused> {
    let wrong = || Refused::of_key("must be a time of the day such as \"09:00\"");
    time(text).map(drop).ok_or_else(wrong)
}

fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':').filter(|_| text.len() == 5 && text.is_ascii())?;
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit()) && part.len() == 2;
    if !digits(hour) || !digits(minute) {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

/// Among so many days their next beginning is looked for: on one of them a clock may skip them.
const DAYS: usize = 4;

impl ActiveHours {
    /// Whether a moment lies in them. The start belongs to them, the end does not. In a zone that nobody knows any more no
    /// moment does.
    #[must_use]
    pub fn contain(&self, at: Timestamp) -> bool {
        let Some((zone, start, end)) = self.read() else { return false };
        let now = at.to_zoned(zone).time();
        if start < end { (start..end).contains(&now) } else { now >= start || now < end }
    }

    /// When they begin next, after a moment that does not lie in them: none in a zone that nobody knows. A clock that is set
    /// forward may skip their beginning, and one that is set back may come into them once more: then it is when the clock is set.
    #[must_use]
    pub fn opening_after(&self, at: Timestamp) -> Option<Timestamp> {
        let (zone, start, _) = self.read()?;
        let today = at.to_zoned(zone.clone()).date();
        let days = std::iter::successors(Some(today), |day| day.tomorrow().ok()).take(DAYS);
        let of_day = |day: Date| {
            let begin = zone.to_ambiguous_zoned(day.to_datetime(start));
            [begin.clone().compatible().ok(), begin.later().ok()]
        };
        let begins = days.flat_map(of_day).flatten().map(|begin| begin.timestamp());
        let set = zone.following(at).take(DAYS).map(|set| set.timestamp());
        begins.chain(set).filter(|moment| *moment > at && self.contain(*moment)).min()
    }

    fn read(&self) -> Option<(TimeZone, Time, Time)> {
        let zone = countersign_zones::zone(self.timezone.as_str())?;
        Some((zone, time(self.start.as_str())?, time(self.end.as_str())?))
    }

    /// What nobody can keep.
    pub(crate) fn rules(&self, rules: &mut Rules<'_>) {
        if self.start == self.end {
            let message =
                format!("the active hours have no length: they start and end at {}", self.start);
            rules.hinted(
                "hours",
                "/active_hours/end",
                message,
                "leave `active_hours` out to look at any time".to_owned(),
            );
        }
    }
}
