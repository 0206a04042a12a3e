//! A deployment whose clocks stand still for some minutes: what was due then is left out, or made up for, as each schedule says.

use std::time::Duration;

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, gated, person_in, rows};
use crate::world::{World, world};

/// The secret of the second deployment: people of the first are strangers to it.
const SECRET: &str = "the-clocks-of-this-deployment-stand-still-for-a-while";

/// A due time that is longer ago was missed.
const LATE: jiff::SignedDuration = jiff::SignedDuration::from_mins(5);

async fn deployment() -> World {
    let parameters = [format!("JwtHs256Secret={SECRET}")];
    let mut world = world().beside("countersign-outage", &parameters).await;
    SECRET.clone_into(&mut world.stack.jwt_secret);
    world
}

/// Stops what ticks in this deployment: the sweeper is called by nobody any more.
async fn stop_clocks(world: &World) {
    let listed = world.aws(&["scheduler", "list-schedules"]).await.unwrap();
    let all = listed["Schedules"].as_array().unwrap();
    let own = |one: &&Value| {
        one["Target"]["Arn"].as_str().unwrap().ends_with("countersign-outage-cron-sweep")
    };
    for sweep in all.iter().filter(own) {
        let (name, group) = (sweep["Name"].as_str().unwrap(), sweep["GroupName"].as_str().unwrap());
        let command = ["scheduler", "delete-schedule", "--name", name, "--group-name", group];
        world.aws(&command).await.unwrap();
    }
}

/// The sweeper is called again, as often as it has something to do.
async fn sweep(world: &World) {
    let name = "countersign-outage-cron-sweep";
    let command = ["lambda", "invoke", "--function-name", name, "--payload", "{}", "/dev/null"];
    world.aws(&command).await.unwrap();
}

/// A schedule that is due every minute, with this policy.
async fn every_minute(ana: &Person, agent: &str, misfire: &str) -> String {
    let schedule = json!({
        "name": misfire, "profile_id": agent, "cron_expression": "* * * * *", "is_enabled": true,
        "query_template": "Rows", "playbook_id": "rows-by-clock", "inputs": rows(),
        "approval_policy": "auto_approve", "misfire": misfire, "overlap": "queue",
    });
    ana.post("/schedules", &schedule).await["id"].as_str().unwrap().to_owned()
}

async fn occurrences(ana: &Person, schedule: &str) -> Vec<Value> {
    let page = ana.get(&format!("/schedules/{schedule}/occurrences?limit=100")).await;
    let mut all = page["items"].as_array().unwrap().clone();
    all.reverse();
    all
}

/// How many of those that were too late when the clocks went on are in this state.
fn late(all: &[Value], now: jiff::Timestamp, state: &str) -> usize {
    let is_late = |one: &&Value| {
        let due: jiff::Timestamp = one["due_at"].as_str().unwrap().parse().unwrap();
        now.duration_since(due) > LATE
    };
    all.iter().filter(is_late).filter(|one| one["state"] == state).count()
}

#[tokio::test]
async fn p_003_after_an_outage_due_times_are_left_out_made_up_for_once_or_all() {
    let world = deployment().await;
    stop_clocks(&world).await;
    let ana = person_in(&world, "ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    let mut schedules = Vec::new();
    for misfire in ["skip", "once", "all"] {
        schedules.push(every_minute(&ana, &agent, misfire).await);
    }
    // Long enough that two due times are too late.
    let over = jiff::Timestamp::now() + LATE + jiff::SignedDuration::from_secs(130);
    while jiff::Timestamp::now() < over {
        for schedule in &schedules {
            assert_eq!(occurrences(&ana, schedule).await, Vec::<Value>::new(), "nothing ticks");
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
    let now = jiff::Timestamp::now();
    sweep(&world).await;
    let [skip, once, all] = schedules.as_slice() else { panic!("three schedules") };
    let skipped = occurrences(&ana, skip).await;
    assert!(late(&skipped, now, "missed") >= 2, "{skipped:#?}");
    assert_eq!(late(&skipped, now, "started") + late(&skipped, now, "queued"), 0, "{skipped:#?}");
    let made_up = occurrences(&ana, once).await;
    assert!(late(&made_up, now, "missed") >= 1, "{made_up:#?}");
    let every = occurrences(&ana, all).await;
    assert_eq!(late(&every, now, "missed"), 0, "{every:#?}");
    let begun = late(&every, now, "started") + late(&every, now, "finished");
    assert!(begun >= 1, "one after the other: {every:#?}");
    assert!(late(&every, now, "queued") >= 1, "{every:#?}");
    for schedule in &schedules {
        let path = format!("{FACTORY}/schedules/{schedule}");
        ana.door.patch(&path, &json!({ "is_enabled": false })).await.unwrap();
    }
}
