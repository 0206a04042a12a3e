//! The dead-man check: a due time that comes to no run raises an alarm of the deployment, and so does a sweeper that is still.

use serde_json::{Value, json};

use super::disable;
use super::misfire::after_an_outage;
use crate::case::until;
use crate::world::world;

/// The alarms on this metric.
async fn alarms(space: &str, metric: &str) -> Vec<Value> {
    let said = world().aws(&["cloudwatch", "describe-alarms"]).await.unwrap();
    let mut all = said["MetricAlarms"].as_array().unwrap().clone();
    all.retain(|alarm| alarm["MetricName"] == metric && alarm["Namespace"] == space);
    all
}

/// The lines that a deployed filter counts name each of these, and its alarm goes off.
pub(crate) async fn raised(word: &str, named: &[&str]) {
    let group = world().stack.output("FunctionLogGroup").unwrap();
    let list = ["logs", "describe-metric-filters", "--log-group-name", group];
    let filters = world().aws(&list).await.unwrap();
    let filters = filters["metricFilters"].as_array().unwrap().clone();
    let pattern = |filter: &Value| filter["filterPattern"] == word;
    let filter = filters.into_iter().find(pattern).unwrap_or_else(|| panic!("no filter of {word}"));
    let ask = ["logs", "filter-log-events", "--log-group-name", group, "--filter-pattern", word];
    for id in named {
        let mut lines = until("the line that is counted", || async {
            let said = world().aws(&ask).await.unwrap();
            let mut lines = said["events"].as_array().unwrap().clone();
            lines.retain(|line| line["message"].as_str().unwrap().contains(id));
            (!lines.is_empty()).then_some(lines)
        })
        .await;
        lines.dedup_by_key(|line| line["eventId"].clone());
        assert_eq!(lines.len(), 1, "it is counted once: {lines:#?}");
    }
    let counts = &filter["metricTransformations"][0];
    assert_eq!(counts["metricValue"], "1", "{filter:#}");
    let (name, space) =
        (counts["metricName"].as_str().unwrap(), counts["metricNamespace"].as_str().unwrap());
    assert_eq!(alarms(space, name).await.len(), 1, "one alarm of what is counted");
    // CloudWatch adds one for each line; the emulator does not.
    let put = ["cloudwatch", "put-metric-data", "--namespace", space, "--metric-name", name];
    world().aws(&[&put[..], &["--value", "1"]].concat()).await.unwrap_or_default();
    until("the alarm", || async {
        let alarm = alarms(space, name).await.into_iter().next()?;
        (alarm["StateValue"] == "ALARM").then_some(())
    })
    .await;
}

#[tokio::test]
async fn issue_14_a_due_time_that_comes_to_no_run_raises_the_alarm() {
    let (ana, schedule, all) = after_an_outage("skip").await;
    let missed: Vec<&str> = all.iter().map(|one| one["id"].as_str().unwrap()).collect();
    raised("OCCURRENCE_MISSED", &missed).await;
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn issue_14_what_a_sweep_or_a_look_fails_at_has_an_alarm() {
    let group = world().stack.output("FunctionLogGroup").unwrap();
    let list = ["logs", "describe-metric-filters", "--log-group-name", group];
    let filters = world().aws(&list).await.unwrap();
    let filters = filters["metricFilters"].as_array().unwrap();
    let counted = filters.iter().find(|filter| filter["filterPattern"] == "SWEEP_FAILED").unwrap();
    let counts = &counted["metricTransformations"][0];
    let space = counts["metricNamespace"].as_str().unwrap();
    assert_eq!(alarms(space, counts["metricName"].as_str().unwrap()).await.len(), 1);
    let function = format!("{}-cron-monitor", world().stack.name);
    let of = json!([{ "Name": "FunctionName", "Value": function }]);
    let errors = alarms("AWS/Lambda", "Errors").await;
    assert!(errors.iter().any(|alarm| alarm["Dimensions"] == of), "{errors:#?}");
}

#[tokio::test]
async fn issue_14_a_sweeper_that_is_still_raises_an_alarm() {
    let function = format!("{}-cron-sweep", world().stack.name);
    let of = json!([{ "Name": "FunctionName", "Value": function }]);
    let all = alarms("AWS/Lambda", "Invocations").await;
    let still = all.iter().find(|alarm| alarm["Dimensions"] == of).expect("an alarm");
    assert_eq!(
        (&still["TreatMissingData"], &still["ComparisonOperator"], &still["Threshold"]),
        (&json!("breaching"), &json!("LessThanThreshold"), &json!(1.0)),
        "{still:#}"
    );
}
