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

#[tokio::test]
async fn issue_14_a_due_time_that_comes_to_no_run_raises_the_alarm() {
    let (ana, schedule, all) = after_an_outage("skip").await;
    let group = world().stack.output("FunctionLogGroup").unwrap();
    let list = ["logs", "describe-metric-filters", "--log-group-name", group];
    let filters = world().aws(&list).await.unwrap();
    let filters = filters["metricFilters"].as_array().unwrap().clone();
    let pattern = |filter: &Value| filter["filterPattern"] == "OCCURRENCE_MISSED";
    let filter = filters.into_iter().find(pattern).expect("a filter of missed due times");
    // The lines that the deployed filter counts name each due time that was missed.
    let pattern = filter["filterPattern"].as_str().unwrap().to_owned();
    let ask =
        ["logs", "filter-log-events", "--log-group-name", group, "--filter-pattern", &pattern];
    for missed in &all {
        let id = missed["id"].as_str().unwrap();
        until("the line that is counted", || async {
            let said = world().aws(&ask).await.unwrap();
            let mut lines = said["events"].as_array().unwrap().iter();
            lines.find(|line| line["message"].as_str().unwrap().contains(id)).map(drop)
        })
        .await;
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
    disable(&ana, &schedule).await;
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
