use countersign_document::{Reading, read, read_value, schema};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{CronExpression, ScheduleSpec, TimeZoneName, Timetable};

fn written(changes: &Value) -> Value {
    let mut whole = json!({
        "name": "Every morning", "profile_id": format!("prof_{}", "0".repeat(32)),
        "cron_expression": "0 6 * * MON-FRI", "query_template": "What is new since {last_run_date}?",
    });
    let map = whole.as_object_mut().unwrap();
    map.extend(changes.as_object().unwrap().clone());
    whole
}

fn check(changes: &Value, paths: &[&str]) {
    let Reading { value, problems } = read_value::<ScheduleSpec>(written(changes));
    let found: Vec<String> = problems.iter().map(countersign_document::Problem::path).collect();
    assert_eq!(found, paths, "{problems:#?}");
    assert_eq!(value.is_some(), paths.is_empty());
}

#[test]
fn f_403_k_63_the_fields_have_their_defaults() {
    let read = read_value::<ScheduleSpec>(written(&json!({}))).value.unwrap();
    let spec = serde_json::to_value(&read).unwrap();
    let expect = json!({"timezone": "UTC", "is_enabled": false, "misfire": "once", "overlap": "skip", "max_retries": 2, "timeout_seconds": 300});
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(spec[name], *value, "{name}");
    }
    assert_eq!(serde_json::from_value::<ScheduleSpec>(spec).unwrap(), read);
    assert_eq!(schema::<ScheduleSpec>()["properties"].as_object().unwrap().len(), 14);
}

#[test]
fn f_203_f_206_every_problem_has_its_field() {
    check(
        &json!({"query_template": "{today} and {date}", "max_retries": 11, "timezone": "Berlin", "interval": 5}),
        &["max_retries", "timezone", "interval", "query_template"],
    );
    check(&json!({"profile_id": "prof_1", "approval_policy": "auto_approve"}), &["profile_id"]);
    check(&json!({"misfire": "never", "overlap": "both"}), &["misfire", "overlap"]);
    check(&json!({"timezone": "Europe/Atlantis"}), &["timezone"]);
    check(&json!({"timezone": "europe/berlin"}), &["timezone"]);
    check(&json!({"cron_expression": "0 6 30 2 *"}), &["cron_expression"]);
}

#[test]
fn f_203_a_brace_of_a_question_has_the_other_one() {
    for (query, braces) in [
        ("since {last_run_date?", "a `{` without its `}`"),
        ("since last_run_date}?", "a `}` without its `{`"),
        ("since {{date}}", "a `{` without its `}`"),
    ] {
        let reading = read_value::<ScheduleSpec>(written(&json!({ "query_template": query })));
        let said: Vec<&str> = reading.problems.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said, [braces], "{query}");
    }
    check(&json!({"query_template": "{date}, {last_run_date}"}), &[]);
    let text = format!(
        "name: A\nprofile_id: prof_{}\ncron_expression: 0 6 * * *\nquery_template: since {{date\n",
        "0".repeat(32)
    );
    let places: Vec<String> = read::<ScheduleSpec>(&text)
        .problems
        .iter()
        .map(countersign_document::Problem::path)
        .collect();
    assert_eq!(places, ["yaml:4:23"]);
}

#[test]
fn k_64_the_names_of_days_and_months_are_said() {
    let said = |text: &str| {
        let refused = text.parse::<CronExpression>().unwrap_err();
        let wording = refused.about("`cron_expression`");
        format!("{} | {}", wording.message, wording.hint.unwrap_or_default())
    };
    assert_eq!(
        said("0 6 * * MONN"),
        "`cron_expression` has `MONN` as day of the week, which takes 0 to 7, or SUN to SAT | did you mean `MON`?"
    );
    assert!(said("0 6 * 13 *").contains("`13` as month, which takes 1 to 12, or JAN to DEC"));
    assert!(said("60 6 * * *").contains("`60` as minute, which takes 0 to 59 |"));
}

fn cron(text: &str, fits: bool) {
    assert_eq!(text.parse::<CronExpression>().is_ok(), fits, "{text}");
}

#[test]
fn k_64_an_expression_has_five_fields_that_eventbridge_can_express() {
    for text in [
        "* * * * *",
        "*/15 0-6 1,15 * *",
        "0 6 * JAN-MAR *",
        "30 23 * * sun",
        "0 6 * * 1-5/2",
        "0 6 29 2 *",
    ] {
        cron(text, true);
    }
    for text in [
        "",
        "0 6 * *",
        "60 * * * *",
        "0 6 0 * *",
        "5-1 * * * *",
        "0 6 1 * MON",
        "0 6 * * FOO",
        "+1 * * * *",
        "5/2 * * * *",
        "*/0 * * * *",
        "@daily",
        "0 6 30 2 *",
        "0 6 31 4,6,9,11 *",
    ] {
        cron(text, false);
    }
}

fn native(text: &str, expect: &str) {
    let times = Timetable::new(&text.parse().unwrap(), &TimeZoneName::default()).unwrap();
    assert_eq!(times.native(), expect, "{text}");
}

#[test]
fn k_64_eventbridge_has_six_fields_and_names_for_days_of_the_week() {
    native("0 6 * * *", "cron(0 6 * * ? *)");
    native("0 6 * * 1-5", "cron(0 6 ? * MON,TUE,WED,THU,FRI *)");
    native("0 6 * * fri-sat,7", "cron(0 6 ? * SUN,FRI,SAT *)");
    native("*/15 0-6/3 1,15 jan-mar *", "cron(0/15 0,3,6 1,15 JAN-MAR ? *)");
    native("5 * * */2 *", "cron(5 * * 1/2 ? *)");
    // A list with `*` in it has every value.
    native("*,5 1,* *,3 *,1-2 *,MON", "cron(* * * * ? *)");
    native("0 6 *,3 * MON", "cron(0 6 ? * MON *)");
}

fn next(text: &str, zone: &str, after: &str, expect: &[&str]) {
    let times = Timetable::new(&text.parse().unwrap(), &zone.parse().unwrap()).unwrap();
    let after: Timestamp = after.parse().unwrap();
    let found: Vec<String> =
        times.upcoming(after, expect.len()).iter().map(Timestamp::to_string).collect();
    assert_eq!(found, expect, "{text} in {zone}");
    let until = times.upcoming(after, expect.len()).last().copied().unwrap();
    assert_eq!(times.due(after, until, 1).len(), 1);
    assert_eq!(times.due(after, until, 1)[0], until, "the latest");
}

#[test]
fn f_205_the_next_due_times_are_of_the_schedules_zone() {
    let leap = ["2028-02-29T06:00:00Z", "2032-02-29T06:00:00Z"];
    next("0 6 29 2 *", "UTC", "2026-11-24T00:00:00Z", &leap);
    // 02:30 is skipped on 29 March 2026: it is due when the clock goes on.
    let spring = ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"];
    next("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", &spring);
    let autumn = ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"];
    next("30 2 * * *", "Europe/Berlin", "2026-10-23T12:00:00Z", &autumn);
    let hourly = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"];
    next("30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", &hourly);
    next("30 *,2 * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", &hourly);
}

#[test]
fn f_203_the_question_has_its_days() {
    let days = (jiff::civil::date(2026, 11, 24), jiff::civil::date(2026, 11, 23));
    let asked = crate::asked("New on {date} since {last_run_date}?", days.0, days.1);
    assert_eq!(asked, "New on 2026-11-24 since 2026-11-23?");
}

proptest! {
    #[test]
    fn k_64_no_text_breaks_the_reader(text in "[-0-9*/, A-Z]{0,30}") {
        let _ = text.parse::<CronExpression>();
    }
}
