//! The function that looks dies at each of its writes, before and after it.

use std::iter;
use std::sync::atomic::{AtomicU32, Ordering};

use countersign_cli::console::Console;
use countersign_cli::stack::down;
use serde_json::{Value, json};

use super::in_part::{self, Offices, with_large};
use super::{Feed, SAVE, monitor, playbook};
use crate::case::{FACTORY, Person, person_in, until};
use crate::crash::sabotaged;
use crate::saboteur::{Saboteur, Side, Whom};

/// So that it cannot pass by killing little: a look that finds something writes twice, on two sides.
const LEAST_DEATHS: usize = 4;

/// So many polls, about three seconds, lie between two looks that are asked for.
const PATIENT: u32 = 12;

struct Scene {
    ana: Person,
    feed: Feed,
    monitor: String,
}

/// The detection step and the step that keeps, without a gate: `run-now` opens none.
fn ungated() -> String {
    let whole = playbook(SAVE);
    let (begins, ends) =
        (whole.find("  - name: sign_off").unwrap(), whole.find("  - name: keep").unwrap());
    format!("{}{}", &whole[..begins], &whole[ends..])
}

impl Scene {
    async fn set(ana: Person) -> Self {
        let feed = Feed::open().await;
        feed.publish("known");
        ana.post("/connectors", &json!({ "yaml": feed.connector() })).await;
        let agent = ana.agent(&[]).await;
        ana.bind(&agent, "notices").await;
        ana.playbook(&ungated()).await;
        let monitor =
            ana.post("/monitors", &monitor(&agent)).await["id"].as_str().unwrap().to_owned();
        let scene = Self { ana, feed, monitor };
        until("its baseline", || async {
            (scene.of("state").await["last_outcome"] == "baseline").then_some(())
        })
        .await;
        scene
    }

    async fn of(&self, what: &str) -> Value {
        self.ana.get(&format!("/monitors/{}/{what}", self.monitor)).await
    }

    async fn committed(&self) -> Vec<Value> {
        self.of("batches?state=committed&limit=100").await["items"].as_array().unwrap().clone()
    }

    /// The keys of all parked items, page by page.
    async fn parked(&self) -> Vec<String> {
        let (mut keys, mut next) = (Vec::new(), String::new());
        loop {
            let page = self.of(&format!("parked?limit=20{next}")).await;
            let items = page["items"].as_array().unwrap();
            keys.extend(items.iter().map(|item| item["key"].as_str().unwrap().to_owned()));
            let Some(cursor) = page["next"].as_str() else { return keys };
            next = format!("&cursor={cursor}");
        }
    }

    /// One more item, which is processed although the function dies; how often it died.
    async fn play(&self, saboteur: &Saboteur, number: usize, nth: usize, side: Side) -> usize {
        self.feed.publish(&format!("item-{number}"));
        saboteur.order(Whom::Only("-cron-monitor"), nth, side);
        self.until_there_are(number, "committed").await;
        saboteur.relent().len()
    }

    /// Lets it look until so many of its batches are in this state.
    async fn until_there_are(&self, number: usize, state: &str) {
        let polls = AtomicU32::new(0);
        until(&format!("{number} batches are {state}"), || async {
            if polls.fetch_add(1, Ordering::SeqCst).is_multiple_of(PATIENT) {
                let path = format!("{FACTORY}/monitors/{}/run-now", self.monitor);
                // What is refused meanwhile is asked for again.
                let _ = self.ana.door.post(&path, &json!({})).await;
            }
            let batches = self.of(&format!("batches?state={state}&limit=100")).await;
            (batches["items"].as_array().unwrap().len() == number).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn issue_14_an_item_that_is_too_large_is_parked_although_the_look_dies_at_any_write() {
    let state = tempfile::tempdir().unwrap();
    let (world, saboteur) = sabotaged("countersign-large", state.path()).await;
    let ana = person_in(&world, "ana", &["global:analyst"]).await;
    let offices = Offices::open().await;
    let (_north, south) =
        (offices.has("north", &["n1"]).await, offices.has("south", &["s1"]).await);
    ana.post("/connectors", &json!({ "yaml": offices.connector() })).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "offices").await;
    ana.playbook(&in_part::playbook("continue")).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let scene = Scene { ana, feed: Feed::open().await, monitor };
    until("its baseline", || async {
        (scene.of("state").await["last_outcome"] == "baseline").then_some(())
    })
    .await;
    drop(south);
    let (mut number, mut deaths) = (0, 0);
    // Before its first write, then behind each: what is written is the same as before the next one.
    for (nth, side) in iter::once((1, Side::Before)).chain((1..).map(|nth| (nth, Side::After))) {
        number += 1;
        let answer = with_large(&format!("large-{number}"), &["s1"]);
        let _south = offices.answers("south", answer).await;
        saboteur.order(Whom::Only("-cron-monitor"), nth, side);
        scene.until_there_are(number, "parked").await;
        let died = saboteur.relent().len();
        deaths += died;
        if died == 0 {
            break;
        }
    }
    assert!(deaths >= LEAST_DEATHS, "{deaths} deaths");
    let mut keys = scene.parked().await;
    keys.sort_unstable();
    let mut expect: Vec<String> = (1..=number).map(|n| format!("large-{n}")).collect();
    expect.sort_unstable();
    assert_eq!(keys, expect, "each is listed once, after {deaths} deaths");
    assert_eq!(scene.committed().await, Vec::<Value>::new(), "nothing of it counts as processed");
    down(state.path(), &Console::new()).await.unwrap();
}

#[tokio::test]
async fn issue_14_a_look_may_die_at_any_write_and_every_item_is_processed_once() {
    let state = tempfile::tempdir().unwrap();
    let (world, saboteur) = sabotaged("countersign-looks", state.path()).await;
    let scene = Scene::set(person_in(&world, "ana", &["global:analyst"]).await).await;
    let (mut number, mut deaths) = (0, 0);
    for side in [Side::Before, Side::After] {
        for nth in 1.. {
            number += 1;
            let died = scene.play(&saboteur, number, nth, side).await;
            deaths += died;
            if died == 0 {
                break;
            }
        }
    }
    assert!(deaths >= LEAST_DEATHS, "{deaths} deaths");
    let batches = scene.committed().await;
    assert!(batches.iter().all(|batch| batch["count"] == 1), "{batches:#?}");
    let page = scene.ana.get("/workspaces/default/tables/notices/rows?limit=100").await;
    let mut titles: Vec<&str> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["title"].as_str().unwrap())
        .collect();
    titles.sort_unstable();
    let mut expect: Vec<String> = (1..=number).map(|n| format!("item-{n}")).collect();
    expect.sort_unstable();
    assert_eq!(titles, expect, "each item was kept once, after {deaths} deaths");
    down(state.path(), &Console::new()).await.unwrap();
}
