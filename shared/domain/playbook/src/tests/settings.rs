//! What a playbook says beside its steps.

use serde_json::{Value, json};

use super::{around, problems, valid};

const STEP: &str =
    "  - {name: right, step_type: tool, action: query_journal, inputs: {query: x}}\n";

/// The playbook with these lines at its head, as it is stored.
fn stored(head: &str) -> Value {
    serde_json::to_value(valid(&format!("{head}\n{}", around(STEP)))).unwrap()
}

fn refused(head: &str) -> Vec<String> {
    problems(&format!("{head}\n{}", around(STEP)))
}

#[test]
fn f_132_mode_context_and_policy_have_their_words_and_defaults() {
    let keys = [
        ("execution_mode", "hybrid", &["deterministic", "llm_augmented", "hybrid"][..]),
        ("run_context", "interactive", &["interactive", "background", "scheduled", "monitor"]),
        ("approval_policy", "require", &["require", "auto_approve"]),
    ];
    let plain = stored("");
    // Without a mode the agent's holds, without a policy that of whatever starts it.
    assert_eq!((&plain["execution_mode"], &plain["approval_policy"]), (&json!(null), &json!(null)));
    for (key, default, words) in keys {
        assert!(plain[key] == default || key != "run_context");
        for word in words {
            // Gates pass by themselves in playbooks of clocks only (P024).
            let clock = if *word == "auto_approve" { "run_context: scheduled\n" } else { "" };
            assert_eq!(stored(&format!("{clock}{key}: {word}"))[key], *word);
        }
        let [problem] = &refused(&format!("{key}: sometimes"))[..] else { panic!("{key}") };
        assert!(problem.starts_with(&format!("P005 sometimes: `{key}` must be ")), "{problem}");
    }
}

#[test]
fn f_133_a_monitor_says_when_it_looks() {
    for interval in ["5m", "15m", "30m", "1h", "4h", "12h", "24h"] {
        let stored = stored(&format!("monitor_config: {{interval: {interval}}}"));
        let expect = json!({ "interval": interval, "suppress_if_empty": true });
        assert_eq!(stored["monitor_config"], expect);
    }
    let hours = r#"monitor_config: {interval: 1h, suppress_if_empty: false, active_hours: {start: "22:00", end: "06:30", timezone: Europe/Berlin}}"#;
    let expect = json!({
        "interval": "1h",
        "suppress_if_empty": false,
        "active_hours": { "start": "22:00", "end": "06:30", "timezone": "Europe/Berlin" },
    });
    assert_eq!(stored(hours)["monitor_config"], expect);
}

#[test]
fn f_133_what_a_monitor_cannot_keep_is_rejected_where_it_is() {
    let wrong = [
        ("monitor_config: {interval: 10m}", "10m"),
        ("monitor_config: {suppress_if_empty: true}", "monitor_config"),
        (
            r#"monitor_config: {interval: 1h, active_hours: {start: "25:00", end: "06:30", timezone: UTC}}"#,
            "25:00",
        ),
        (
            r#"monitor_config: {interval: 1h, active_hours: {start: "05:00", end: "06:30"}}"#,
            "active_hours",
        ),
        (
            r#"monitor_config: {interval: 1h, active_hours: {start: "05:00", end: "06:30", timezone: Europe/Berln}}"#,
            "Europe/Berln",
        ),
        (
            r#"monitor_config: {interval: 1h, active_hours: {start: "05:00", end: "05:00", timezone: UTC}}"#,
            "have no length",
        ),
        ("monitor_config: {interval: 1h, jitter: 3}", "jitter"),
    ];
    for (head, place) in wrong {
        let problems = refused(head);
        let [problem] = &problems[..] else { panic!("{head}: {problems:#?}") };
        let (_, rest) = problem.split_once(' ').unwrap();
        assert!(rest.contains(place), "{head}: {problem}");
    }
}
