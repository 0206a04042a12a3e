//! Times, written for people in any country: always UTC, always with the month as a word.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A moment: `Fri 27 Nov 2026, 14:05 UTC`.
#[must_use]
pub fn moment(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%a %-d %b %Y, %H:%M UTC").to_string()
}

/// How far away a moment is, to the nearest unit: `in 7 days`, `in 3 hours`, `in 5 minutes`, `in less than a minute`, `past`. So a
/// week reads as seven days in the mail, and still does when its page is opened.
#[must_use]
pub fn until(now: Timestamp, at: Timestamp) -> String {
    let seconds = at.as_second() - now.as_second();
    let nearest = |unit: i64| (seconds + unit / 2) / unit;
    match (nearest(60), nearest(3_600)) {
        _ if seconds <= 0 => "past".to_owned(),
        _ if seconds < 60 => "in less than a minute".to_owned(),
        (minutes @ ..120, _) => counted(minutes, "minute"),
        (_, hours @ ..48) => counted(hours, "hour"),
        _ => counted(nearest(86_400), "day"),
    }
}

fn counted(number: i64, unit: &str) -> String {
    if number == 1 { format!("in 1 {unit}") } else { format!("in {number} {unit}s") }
}

#[cfg(test)]
mod tests {
    use super::{moment, until};
    use jiff::Timestamp;

    fn check(seconds: i64, expect: &str) {
        let now: Timestamp = "2026-11-21T14:05:00Z".parse().unwrap();
        let at = Timestamp::from_second(now.as_second() + seconds).unwrap();
        assert_eq!(until(now, at), expect);
    }

    #[test]
    fn distances_are_to_the_nearest_unit() {
        check(-5, "past");
        check(0, "past");
        check(59, "in less than a minute");
        check(60, "in 1 minute");
        check(100, "in 2 minutes");
        check(7_169, "in 119 minutes");
        check(7_199, "in 2 hours");
        check(7_200, "in 2 hours");
        check(2 * 86_400 - 1, "in 2 days");
        check(6 * 86_400 + 11 * 3_600, "in 6 days");
        check(7 * 86_400 - 30, "in 7 days");
        check(7 * 86_400, "in 7 days");
    }

    #[test]
    fn a_moment_names_its_zone() {
        assert_eq!(moment("2026-11-27T14:05:59Z".parse().unwrap()), "Fri 27 Nov 2026, 14:05 UTC");
    }
}
