//! Monitors: something new is seen once, signed, processed, and the watermark moves (F-209…F-220).

mod again;
mod appended;
mod changed;
mod clocks;
mod cost;
mod dated;
mod detections;
mod gates;
mod in_part;
mod interval;
mod killed;
mod ledger;
mod lossless;
mod narrowed;
mod parked;
mod shipped;
mod tries;
mod trouble;
mod unread;
mod users;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use countersign_cli::CliError;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::case::{FACTORY, PATIENCE, Person, person, step, until};
use crate::provider_server;
use crate::world::world;

/// A feed that gets items.
struct Feed {
    port: u16,
    items: Arc<Mutex<Vec<String>>>,
    asked: Arc<AtomicUsize>,
}

impl Feed {
    async fn open() -> Self {
        let listener = provider_server::listener();
        let port = listener.local_addr().unwrap().port();
        let items: Arc<Mutex<Vec<String>>> = Arc::default();
        let asked = Arc::new(AtomicUsize::new(0));
        let (has, counted) = (Arc::clone(&items), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut seen = vec![0; 16 * 1024];
                let _ = stream.read(&mut seen).await;
                counted.fetch_add(1, Ordering::SeqCst);
                let items = has.lock().unwrap().concat();
                let body = format!(
                    "<rss version=\"2.0\"><channel><title>Notices</title><link>http://example.org/</link><description>d</description>{items}</channel></rss>"
                );
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).await;
            }
        });
        Self { port, items, asked }
    }

    fn publish(&self, title: &str) {
        self.publish_at(title, jiff::SignedDuration::ZERO);
    }

    /// An item that is dated so much before or after now.
    fn publish_at(&self, title: &str, from_now: jiff::SignedDuration) {
        let date = (jiff::Timestamp::now() + from_now).strftime("%a, %d %b %Y %H:%M:%S +0000");
        let item = format!(
            "<item><title>{title}</title><guid isPermaLink=\"false\">tag:notices,{title}</guid><link>http://example.org/{title}</link><pubDate>{date}</pubDate></item>"
        );
        self.items.lock().unwrap().push(item);
    }

    /// It has nothing any more.
    fn clear(&self) {
        self.items.lock().unwrap().clear();
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn connector(&self) -> String {
        format!(
            "
id: notices
name: Notices
type: rss_feed
version: 1.0.0
description: Notices of an office.
connection:
  feeds: [{{url: 'http://127.0.0.1:{}/feed', name: notices}}]
endpoints:
  get_recent: {{description: The notices of the last hours.}}
",
            self.port
        )
    }
}

/// Looks at the feed, asks, and keeps what is new in the table `table`.
fn playbook(save: &str) -> String {
    format!(
        "
id: watch-notices
name: Watch notices
description: Looks for new notices and keeps those that somebody wants to keep.
version: 1.0.0
execution_mode: deterministic
steps:
  - name: look
    step_type: tool
    action: detect_new_data
    connector: notices
    endpoint: get_recent
  - name: sign_off
    step_type: approval
    preview_from: look.results
    prompt: \"Keep {{look.count}} notices?\"
    on_reject: stop
  - name: keep
    step_type: tool
    action: {save}
"
    )
}

const SAVE: &str = "save_to_workspace\n    inputs: {data: \"{look.results}\"}\n    params: {table_name: notices, create_if_missing: true}";

struct Watch {
    feed: Feed,
    ana: Person,
    /// Who signs: whoever asks for a monitor's runs may not.
    maria: Person,
    agent: String,
    monitor: String,
}

/// A feed with an item, and a monitor of it that has looked for the first time.
async fn watching() -> Watch {
    let feed = Feed::open().await;
    feed.publish("first");
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": feed.connector() })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(&playbook(SAVE)).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed, ana, maria, agent, monitor };
    // Nobody asked for it: the clock of the deployment does.
    let state = watch.outcome("baseline").await;
    assert_eq!(state["batches"], 0, "F-219: the first look is where it begins: {state:#}");
    watch
}

fn monitor(agent: &str) -> Value {
    json!({ "name": "Notices", "profile_id": agent, "playbook_id": "watch-notices", "interval": "5m" })
}

impl Watch {
    async fn of(&self, what: &str) -> Value {
        self.ana.get(&format!("/monitors/{}/{what}", self.monitor)).await
    }

    /// Waits until the last look came to this.
    async fn outcome(&self, outcome: &str) -> Value {
        until(&format!("the monitor is `{outcome}`"), || async {
            let state = self.of("state").await;
            (state["last_outcome"] == outcome).then_some(state)
        })
        .await
    }

    /// Lets it look now; what that came to.
    async fn look(&self) -> Value {
        let before = self.of("state").await["last_tick_at"].clone();
        let asked = self.ana.post(&format!("/monitors/{}/run-now", self.monitor), &json!({})).await;
        assert_eq!(asked["status"], "asked");
        until("the look", || async {
            let state = self.of("state").await;
            (state["last_tick_at"] != before).then_some(state)
        })
        .await
    }

    async fn mark(&self) -> Value {
        self.of("watermarks").await["items"][0].clone()
    }

    /// The run of the open batch.
    async fn run(&self) -> String {
        let run = self.of("state").await["open_run"].as_str().unwrap().to_owned();
        self.is_there(&run).await;
        run
    }

    async fn decide(&self, verb: &str) {
        let approver = self.maria.approver();
        let link = approver.link(0, PATIENCE).await.unwrap();
        let page = approver.open(&link).await.unwrap();
        assert_eq!(approver.decide(&link, &page, verb, "seen").await.unwrap().status, 200);
    }

    async fn runs(&self) -> usize {
        let page = self.ana.get(&format!("/executions?profile={}", self.agent)).await;
        page["items"].as_array().unwrap().len()
    }
}

#[tokio::test]
async fn f_210_f_212_something_new_is_signed_and_processed_once() {
    let watch = watching().await;
    let begun = watch.mark().await;
    assert_eq!((&begun["watermark_type"], &begun["remembered"]), (&json!("cursor"), &json!(1)));

    let state = watch.look().await;
    assert_eq!(state["last_outcome"], "suppressed", "{state:#}");
    assert_eq!(watch.runs().await, 0, "F-212: nothing new leaves no run");
    let outcomes: Vec<&Value> =
        state["recent"].as_array().unwrap().iter().map(|line| &line["outcome"]).collect();
    assert_eq!(outcomes, ["suppressed", "baseline"], "F-212: it is logged: {state:#}");
    assert!(watch.mark().await["last_checked_at"].as_str() > begun["last_checked_at"].as_str());

    watch.feed.publish("second");
    let asked = watch.feed.asked();
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    let waiting = watch.ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(waiting["run_context"], "monitor", "{waiting:#}");
    assert_eq!(step(&waiting, "look")["status"], "done");
    assert_eq!(watch.feed.asked(), asked + 1, "F-220: the run does not look again");
    let found = watch.ana.get(&format!("/executions/{run}/outputs/look")).await;
    assert_eq!(found["output"]["results"][0]["title"], "second", "{found:#}");
    assert_eq!(found["output"]["count"], 1);

    assert_eq!(watch.look().await["last_outcome"], "waiting", "one open batch per monitor");
    let before = watch.mark().await;
    assert_eq!(
        before["watermark_value"], begun["watermark_value"],
        "F-214: not before it is processed"
    );
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    let kept = watch.ana.get(&format!("/executions/{run}/outputs/keep")).await;
    assert_eq!(kept["output"]["rows_inserted"], 1, "{kept:#}");
    let batch = watch.of("batches?state=committed").await["items"][0].clone();
    assert_eq!((&batch["count"], &batch["has_moved"]), (&json!(1), &json!(true)), "{batch:#}");
    assert!(watch.mark().await["watermark_value"].as_str() > begun["watermark_value"].as_str());

    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    assert_eq!(watch.runs().await, 1);
    let whole = watch.of("batches/1").await;
    assert_eq!(
        whole["items"],
        json!([{"batch": 1, "step": "look", "key": "notices/tag:notices,second"}])
    );
}

async fn put(ana: &Person, path: &str, body: &Value) -> Result<Value, CliError> {
    ana.door.put(&format!("{FACTORY}{path}"), body).await
}

#[tokio::test]
async fn f_366_to_f_372_a_monitor_is_kept_paused_resumed_and_removed() {
    let watch = watching().await;
    let (ana, path) = (&watch.ana, format!("/monitors/{}", watch.monitor));
    let made = ana.get(&path).await;
    assert_eq!(made["query_template"], "Monitor check", "{made:#}");
    let clocks = async || {
        let name = watch.monitor.clone();
        let list = ["scheduler", "list-schedules", "--name-prefix", &name];
        let listed = world().aws(&list).await.unwrap();
        let all = listed["Schedules"].as_array().unwrap().clone();
        all.into_iter().any(|clock| clock["Name"] == name)
    };
    assert!(clocks().await, "F-217: it has a clock of its own");

    let paused = ana.post(&format!("{path}/pause"), &json!({})).await;
    assert_eq!(paused["is_active"], false);
    assert!(!clocks().await);
    let refused = ana.refused(&format!("{path}/run-now"), Some(&json!({}))).await;
    assert_eq!(refused, (409, "MONITOR_PAUSED".to_owned()));
    let resumed = ana.post(&format!("{path}/resume"), &json!({})).await;
    assert_eq!((&resumed["is_active"], &resumed["version"]), (&json!(true), &json!(3)));
    assert!(clocks().await);

    // A list says at a glance how it fares, and its line may be sent back; not what never was so.
    let listed = ana.get(&format!("/monitors?kind={}", watch.agent)).await;
    let mut other = listed["items"][0].clone();
    assert_eq!(
        (&other["last_outcome"], &other["failing_since"]),
        (&json!("baseline"), &Value::Null)
    );
    assert!(other["last_tick_at"].is_string(), "{other:#}");
    let mut wrong = other.clone();
    wrong["last_tick_at"] = json!("2999-01-01T00:00:00Z");
    assert!(put(ana, &path, &wrong).await.is_err(), "it has not looked then");

    // Its interval changes, and what is of an older version is refused.
    other["interval"] = json!("1h");
    assert_eq!(put(ana, &path, &other).await.unwrap()["interval"], "1h");
    let again = put(ana, &path, &other).await;
    assert!(again.is_err(), "it is of version 3");

    let maria = person("maria", &["global:analyst"]).await;
    for what in ["", "/state", "/watermarks", "/batches", "/parked"] {
        assert_eq!(maria.refused(&format!("{path}{what}"), None).await.0, 404, "{what}");
    }
    ana.door.delete(&format!("{FACTORY}{path}")).await.unwrap();
    assert_eq!(ana.refused(&path, None).await.0, 404);
    assert!(!clocks().await);
}

#[tokio::test]
async fn f_209_a_playbook_that_is_no_monitors_is_refused_with_the_reason() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&playbook(SAVE)).await;
    let plain = "id: plain\nname: Plain\ndescription: Looks nowhere.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n  - {name: read, step_type: tool, action: query_journal, inputs: {query: x}}\n";
    ana.playbook(plain).await;
    let said = async |changes: Value| {
        let mut body = monitor(&agent);
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let said = ana.post("/monitors/validate", &body).await;
        let first = said["errors"][0].clone();
        let part = |name: &str| first[name].as_str().unwrap_or_default().to_owned();
        (part("path"), part("message"))
    };
    let (path, message) = said(json!({ "playbook_id": "plain" })).await;
    assert_eq!(path, "playbook_id");
    assert!(message.contains("no detection step"), "{message}");
    let gate = "  - name: sign_off";
    let early = format!("  - name: early\n    step_type: tool\n    action: {SAVE}\n{gate}");
    let early = playbook(SAVE).replace(gate, &early).replace("id: watch-notices", "id: early");
    ana.playbook(&early).await;
    let (path, message) = said(json!({ "playbook_id": "early" })).await;
    assert_eq!(path, "playbook_id");
    assert!(message.contains("its step `early` writes before the gate `sign_off`"), "{message}");
    let (_, message) = said(json!({})).await;
    assert!(message.contains("`notices`, which is not bound"), "{message}");
    assert_eq!(said(json!({ "playbook_id": "gone" })).await.0, "playbook_id");
    assert_eq!(said(json!({ "interval": "1m" })).await.0, "interval");
    let (path, _) = said(json!({ "active_hours": { "start": "08:00", "end": "08:00" } })).await;
    assert_eq!(path, "active_hours.end");
    assert_eq!(said(json!({ "inputs": { "folder": "x" } })).await.0, "inputs.folder");
}

#[tokio::test]
async fn f_211_outside_its_hours_a_monitor_does_not_look() {
    let feed = Feed::open().await;
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": feed.connector() })).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(&playbook(SAVE)).await;
    let begin = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(10);
    let clock = |at: jiff::Timestamp| at.to_string()[11..16].to_owned();
    let mut body = monitor(&agent);
    let end = begin + jiff::SignedDuration::from_hours(1);
    body["active_hours"] = json!({ "start": clock(begin), "end": clock(end), "timezone": "UTC" });
    let made = ana.post("/monitors", &body).await;
    let path = format!("/monitors/{}/state", made["id"].as_str().unwrap());
    until("a tick outside the hours", || async {
        let state = ana.get(&path).await;
        (state["last_outcome"] == "outside_active_hours").then_some(())
    })
    .await;
    assert_eq!(feed.asked(), 0, "F-210: no work");
}
