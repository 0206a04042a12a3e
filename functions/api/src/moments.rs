//! Times in requests; in query strings also a day, which is meant from its beginning to its end.

use countersign_web::Problem;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// `from`: a time, or the beginning of a day.
pub(crate) fn beginning<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Timestamp>, D::Error> {
    read(text, Time::MIN)
}

/// `to`: a time, or the end of a day.
pub(crate) fn end<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Timestamp>, D::Error> {
    read(text, Time::MAX)
}

fn read<'de, D>(text: D, of_day: Time) -> Result<Option<Timestamp>, D::Error>
where
    D: Deserializer<'de>,
{
    moment(&String::deserialize(text)?, of_day).map(Some).map_err(D::Error::custom)
}

/// A time, or that time of a day.
fn moment(text: &str, of_day: Time) -> Result<Timestamp, &'static str> {
    let day = |date: Date| TimeZone::UTC.to_timestamp(date.to_datetime(of_day)).ok();
    // A date is read from a time too, and would lose it.
    let is_day = text.len() == 10;
    let found = text.parse().ok().or_else(|| text.parse().ok().filter(|_| is_day).and_then(day));
    found.ok_or("must be a time such as `2026-12-01T09:00:00Z`, or a day such as `2026-12-01`")
}

/// A time in a body.
pub(crate) fn time<'de, D: Deserializer<'de>>(text: D) -> Result<Timestamp, D::Error> {
    let found = String::deserialize(text)?.parse();
    found.map_err(|_| D::Error::custom("must be a time such as `2026-12-01T09:00:00Z`"))
}

/// A range that ends before it begins is a mistake.
pub(crate) fn in_order(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<(), Problem> {
    match (from, to) {
        (Some(from), Some(to)) if to < from => {
            Err(Problem::field("to", "must not be before `from`"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, of_day: Time, expect: Option<&str>) {
        let found = moment(text, of_day).ok().map(|at| at.to_string());
        assert_eq!(found.as_deref(), expect, "{text}");
    }

    #[test]
    fn f_402_what_is_not_a_time_is_told_in_plain_words() {
        let told = |sent: serde_json::Value| time(sent).map_err(|error| error.to_string());
        assert!(told("2026-12-01T09:00:00Z".into()).is_ok());
        let plain = "must be a time such as `2026-12-01T09:00:00Z`";
        for text in ["tomorrow", "2026-12-01", "2026-12-01T09:00:00", ""] {
            assert_eq!(told(text.into()), Err(plain.to_owned()), "{text}");
        }
    }

    #[test]
    fn f_375_a_day_is_meant_from_its_beginning_to_its_end() {
        check("2026-11-22", Time::MIN, Some("2026-11-22T00:00:00Z"));
        check("2026-11-22", Time::MAX, Some("2026-11-22T23:59:59.999999999Z"));
        check("2026-11-22T09:00:00+02:00", Time::MAX, Some("2026-11-22T07:00:00Z"));
        check("2026-11-22T15:00:00", Time::MAX, None);
        check("zz", Time::MIN, None);
        check("", Time::MIN, None);
    }
}
