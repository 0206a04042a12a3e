//! Times, written for people in any country: always UTC, always with the month as a word.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A moment: `Fri 27 Nov 2026, 14:05 UTC`.
#[must_use]
pub fn moment(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%a %-d %b %Y, %H:%M UTC").to_string()
}

/// How far away a moment is: `in 6 days`, `in 3 hours`, `in 5 minutes`, `less than a minute`, `past`.
#[must_use]
pub fn until(now: Timestamp, at: Timestamp) -> String {
    let seconds = at.as_second() - now.as_second();
    match seconds {
        ..=0 => "past".to_owned(),
        1..60 => "in less than a minute".to_owned(),
        60..7_200 => counted(seconds / 60, "minute"),
        7_200..172_800 => counted(seconds / 3_600, "hour"),
        _ => counted(seconds / 86_400, "day"),
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
    fn distances_are_rounded_down() {
        check(-5, "past");
        check(0, "past");
        check(59, "in less than a minute");
        check(60, "in 1 minute");
        check(7_199, "in 119 minutes");
        check(7_200, "in 2 hours");
        check(7 * 86_400 - 1, "in 6 days");
    }

    #[test]
    fn a_moment_names_its_zone() {
        assert_eq!(moment("2026-11-27T14:05:59Z".parse().unwrap()), "Fri 27 Nov 2026, 14:05 UTC");
    }
}
