use countersign_document::{Problem, Reading, read_value, schema};
use countersign_profile::ProfileSpec;
use serde_json::{Value, json};

use crate::{Interval, MonitorSpec, Timing};

fn written(changes: &Value) -> Value {
    let mut whole = json!({
        "name": "Federal Register", "profile_id": format!("prof_{}", "0".repeat(32)), "interval": "1h",
    });
    let map = whole.as_object_mut().unwrap();
    map.extend(changes.as_object().unwrap().clone());
    whole
}

fn check(changes: &Value, paths: &[&str]) {
    let Reading { value, problems } = read_value::<MonitorSpec>(written(changes));
    let found: Vec<String> = problems.iter().map(Problem::path).collect();
    assert_eq!(found, paths, "{problems:#?}");
    assert_eq!(value.is_some(), paths.is_empty());
}

#[test]
fn f_209_the_fields_have_their_defaults() {
    let read = read_value::<MonitorSpec>(written(&json!({}))).value.unwrap();
    let spec = serde_json::to_value(&read).unwrap();
    let expect = json!({
        "query_template": "Monitor check", "approval_policy": "require", "is_active": true,
        "process_first": false, "batch_size": 1_000, "overlap_minutes": 1_440, "interval": "1h",
    });
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(spec[name], *value, "{name}");
    }
    assert_eq!(serde_json::from_value::<MonitorSpec>(spec).unwrap(), read);
    assert_eq!(schema::<MonitorSpec>()["properties"].as_object().unwrap().len(), 15);
}

#[test]
fn f_133_f_211_what_no_monitor_can_keep_is_refused_where_it_is() {
    check(&json!({"interval": "1m"}), &["interval"]);
    check(
        &json!({"interval": "10m", "overlap_minutes": -1, "every": 5}),
        &["interval", "overlap_minutes", "every"],
    );
    let hours = |start: &str, end: &str, zone: &str| json!({"active_hours": {"start": start, "end": end, "timezone": zone}});
    check(&hours("09:00", "09:00", "UTC"), &["active_hours.end"]);
    check(&hours("9:00", "24:00", "UTC"), &["active_hours.start", "active_hours.end"]);
    check(&hours("22:00", "06:30", "Europe/Nowhere"), &["active_hours.timezone"]);
    check(&hours("22:00", "06:30", "Europe/Berlin"), &[]);
    let problems = read_value::<MonitorSpec>(written(&json!({"interval": "1m"}))).problems;
    assert!(problems[0].message.contains("5m"), "it says what there is: {problems:?}");
}

#[test]
fn f_209_braces_in_the_question_of_a_monitor_are_warned_of() {
    let query = json!({"query_template": "What is new since {last_run_date}?"});
    let Reading { value, problems } = read_value::<MonitorSpec>(written(&query));
    assert!(value.is_some());
    let told: Vec<(String, &str)> =
        problems.iter().map(|one| (one.path(), one.message.as_str())).collect();
    let expect = "nothing is filled in here: `query_template` is the same for every look";
    assert_eq!(told, [("query_template".to_owned(), expect)]);
}

#[test]
fn f_133_k_65_what_a_monitor_leaves_out_its_playbook_says() {
    let config = serde_json::from_value(json!({
        "interval": "4h", "suppress_if_empty": false,
        "active_hours": {"start": "08:00", "end": "18:00", "timezone": "UTC"},
    }))
    .unwrap();
    let mut plain = written(&json!({}));
    plain.as_object_mut().unwrap().remove("interval");
    let plain: MonitorSpec = serde_json::from_value(plain).unwrap();
    assert!(Timing::of(&plain, None).is_err());
    let timing = Timing::of(&plain, Some(&config)).unwrap();
    assert_eq!((timing.interval, timing.interval.minutes()), (Interval::Hours4, 240));
    assert!(timing.hours.is_some() && !timing.suppress_if_empty);
    let own = json!({"interval": "5m", "suppress_if_empty": true});
    let own: MonitorSpec = serde_json::from_value(written(&own)).unwrap();
    let timing = Timing::of(&own, Some(&config)).unwrap();
    assert_eq!((timing.interval, timing.suppress_if_empty), (Interval::Minutes5, true));
}

#[test]
fn f_174_f_209_a_monitor_follows_the_skill_with_the_highest_priority() {
    let agent = |skills: Value| {
        let spec = json!({"name": "A", "handle": "a", "skills": skills});
        ProfileSpec::from_json(&spec).unwrap()
    };
    let skill = |name: &str, priority: i64, enabled: bool| json!({"skill_type": "playbook", "reference": name, "priority": priority, "enabled": enabled});
    let plain: MonitorSpec = serde_json::from_value(written(&json!({}))).unwrap();
    let named: MonitorSpec =
        serde_json::from_value(written(&json!({"playbook_id": "own"}))).unwrap();
    let several =
        agent(json!([skill("low", 1, true), skill("high", 5, true), skill("off", 9, false)]));
    assert_eq!(plain.playbook(&several), Some("high"));
    assert_eq!(named.playbook(&several), Some("own"));
    let equal = agent(json!([skill("one", 1, true), skill("two", 1, true)]));
    assert_eq!((plain.playbook(&equal), plain.playbook(&agent(json!([])))), (None, None));
}
