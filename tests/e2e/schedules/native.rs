//! Each enabled schedule has a native schedule of EventBridge Scheduler, which goes when it goes.

use serde_json::{Value, json};

use super::{morning, with};
use crate::case::{FACTORY, person};
use crate::world::world;

/// The native schedule of this name, if there is one.
async fn clock(name: &str) -> Option<Value> {
    // One page has a hundred of them.
    let list = ["scheduler", "list-schedules", "--name-prefix", name];
    let listed = world().aws(&list).await.unwrap();
    let all = listed["Schedules"].as_array().unwrap().clone();
    all.into_iter().find(|clock| clock["Name"] == name)
}

#[tokio::test]
async fn p_008_an_enabled_schedule_has_a_native_schedule_of_its_own() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let off = ana.post("/schedules", &morning(&agent)).await;
    let name = off["id"].as_str().unwrap();
    assert_eq!(clock(name).await, None, "it is not enabled");

    let path = format!("{FACTORY}/schedules/{name}");
    ana.door.put(&path, &with(&off, "is_enabled", json!(true))).await.unwrap();
    let clock_of = clock(name).await.expect("it is enabled");
    let group = clock_of["GroupName"].as_str().unwrap();
    let get = ["scheduler", "get-schedule", "--name", name, "--group-name", group];
    let native = world().aws(&get).await.unwrap();
    assert_eq!(native["ScheduleExpression"], "cron(0 6 ? * MON,TUE,WED,THU,FRI *)", "{native:#}");
    assert_eq!(native["ScheduleExpressionTimezone"], "Europe/Berlin", "{native:#}");
    let target = native["Target"]["Arn"].as_str().unwrap();
    assert!(target.contains("cron-schedule"), "{native:#}");

    ana.door.patch(&path, &json!({ "is_enabled": false })).await.unwrap();
    assert_eq!(clock(name).await, None, "it was disabled");
    ana.door.patch(&path, &json!({ "is_enabled": true })).await.unwrap();
    assert!(clock(name).await.is_some());
    ana.door.delete(&path).await.unwrap();
    assert_eq!(clock(name).await, None, "it is gone");
}
