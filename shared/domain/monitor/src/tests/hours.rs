use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use crate::ActiveHours;

fn hours(start: &str, end: &str, zone: &str) -> ActiveHours {
    serde_json::from_value(json!({"start": start, "end": end, "timezone": zone})).unwrap()
}

fn check(hours: &ActiveHours, at: &str, expect: bool) {
    let moment: Timestamp = at.parse().unwrap();
    assert_eq!(hours.contain(moment), expect, "{at}");
}

#[test]
fn f_211_hours_are_those_of_their_zone() {
    let berlin = hours("09:00", "17:00", "Europe/Berlin");
    check(&berlin, "2026-01-15T07:59:59Z", false);
    check(&berlin, "2026-01-15T08:00:00Z", true);
    check(&berlin, "2026-01-15T15:59:59Z", true);
    check(&berlin, "2026-01-15T16:00:00Z", false);
    // In summer Berlin is two hours ahead.
    check(&berlin, "2026-07-15T07:00:00Z", true);
    check(&berlin, "2026-07-15T15:00:00Z", false);
}

#[test]
fn f_211_hours_may_span_midnight() {
    let night = hours("22:00", "06:30", "America/New_York");
    check(&night, "2026-01-15T02:59:00Z", false);
    check(&night, "2026-01-15T03:00:00Z", true);
    check(&night, "2026-01-15T11:29:00Z", true);
    check(&night, "2026-01-15T11:30:00Z", false);
}

#[test]
fn f_211_the_day_on_which_the_clocks_change_has_its_hours() {
    let early = hours("02:00", "03:00", "Europe/Berlin");
    // At 01:00 UTC the clock goes from 02:00 to 03:00: that hour is not there.
    check(&early, "2026-03-29T00:59:00Z", false);
    check(&early, "2026-03-29T01:00:00Z", false);
    // In autumn it is there twice.
    check(&early, "2026-10-25T00:30:00Z", true);
    check(&early, "2026-10-25T01:30:00Z", true);
    check(&early, "2026-10-25T02:00:00Z", false);
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let quarter = hours("02:15", "02:30", "Europe/Berlin");
    let begins = |after: &str| quarter.opening_after(at(after)).unwrap();
    assert_eq!(begins("2026-10-24T22:00:00Z"), at("2026-10-25T00:15:00Z"));
    assert_eq!(begins("2026-10-25T00:20:00Z"), at("2026-10-25T01:15:00Z"));
    assert_eq!(begins("2026-10-25T01:15:00Z"), at("2026-10-26T01:15:00Z"));
}

#[test]
fn f_211_hours_also_begin_where_the_clock_is_set_into_them() {
    let check = |from: &str, to: &str, after: &str, expect: &str| {
        let hours = hours(from, to, "Europe/Berlin");
        let (after, expect): (Timestamp, Timestamp) =
            (after.parse().unwrap(), expect.parse().unwrap());
        assert_eq!(hours.opening_after(after), Some(expect), "{from} to {to}");
    };
    // Set forward over their beginning, at 01:00 UTC: not at 03:30.
    check("02:30", "05:00", "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z");
    // Over all of them: on the next day.
    check("02:15", "02:45", "2026-03-28T02:00:00Z", "2026-03-30T00:15:00Z");
    // Set back into them: ten minutes once more, also where they began an hour before.
    check("00:30", "02:10", "2026-10-25T00:12:00Z", "2026-10-25T01:00:00Z");
    check("00:30", "02:10", "2026-10-25T01:10:00Z", "2026-10-25T23:30:00Z");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Hours and the rest of the day are never open together, and one of them always is.
    #[test]
    fn f_211_a_moment_is_in_the_hours_or_in_the_rest(
        from in 0_u32..1_440, length in 1_u32..1_440, second in 0_i64..4_000_000_000,
        zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Auckland"]),
    ) {
        let clock = |minutes: u32| format!("{:02}:{:02}", minutes % 1_440 / 60, minutes % 60);
        let (start, end) = (clock(from), clock(from + length));
        let at = Timestamp::from_second(second).unwrap();
        let (inside, outside) = (hours(&start, &end, zone), hours(&end, &start, zone));
        prop_assert_ne!(inside.contain(at), outside.contain(at));
    }
}
