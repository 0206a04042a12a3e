//! Functions die at their writes, before and after each; whatever they were doing is then done, and done once. But for `gate-open`,
//! which `saboteur` spares.

mod keys;

use std::collections::{BTreeMap, BTreeSet};

use countersign_cli::CliError;
use countersign_cli::console::Console;
use countersign_cli::stack::{Place, UpOptions, down, up};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::case::{FACTORY, Person, person_in, step, until};
use crate::effects::{Elsewhere, connector};
use crate::saboteur::{Saboteur, Side, Whom};
use crate::world::{World, options, project};

const PLAYBOOK: &str = r#"
id: fragile
name: Fragile
description: Computes, asks, keeps, pays, notes.
version: 1.0.0
required_connectors: [test-ledger]
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: filter, field: amount, operator: gte, value: 10}]
  - {name: sorted, step_type: tool, action: transform_data, inputs: {data: "{large.data}"}, operations: [{type: sort, field: amount}]}
  - {name: first, step_type: tool, action: transform_data, inputs: {data: "{sorted.data}"}, operations: [{type: limit, value: 1}]}
  - name: sign_off
    step_type: approval
    prompt: "Keep {large.count} rows, the first of them {first.count}, and pay?"
  - name: keep
    step_type: tool
    action: save_to_workspace
    inputs: {data: "{sorted.data}"}
    params: {table_name: kept_rows, create_if_missing: true}
  - name: pay
    step_type: tool
    action: call_connector
    connector: test-ledger
    endpoint: book
    timeout_seconds: 5
    inputs: {amount: "1.00"}
"#;

const HARMLESS: &str = r#"
id: harmless
name: Harmless
description: Computes.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: filter, field: amount, operator: gte, value: 10}]
"#;

/// What one run left behind.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    posts: usize,
    rows: usize,
    journal: usize,
}

struct Scene<'w> {
    saboteur: &'w Saboteur,
    elsewhere: &'w Elsewhere,
    ana: Person,
    maria: Person,
    agent: String,
    /// Has the harmless runs, so that each journal tells of one kind.
    other: String,
}

/// So that it cannot pass by killing little.
const LEAST_DEATHS: usize = 25;

#[tokio::test]
async fn any_function_may_die_at_any_write_and_there_is_one_result() {
    let state = tempfile::tempdir().unwrap();
    let (world, saboteur) = sabotaged("countersign-crash", state.path()).await;
    let elsewhere = Elsewhere::open().await;
    let scene = Scene::set(&world, &saboteur, &elsewhere).await;
    let begun = scene.kill_the_door().await;
    scene.no_key_is_unseen(&world).await;
    let mut deaths = BTreeMap::new();
    for side in [Side::Before, Side::After] {
        for nth in 1.. {
            let dead = scene.play(nth, side).await;
            if dead.is_empty() {
                break;
            }
            for function in dead {
                *deaths.entry(function).or_insert(0) += 1;
            }
        }
    }
    let died: BTreeSet<&str> =
        deaths.keys().filter_map(|name| name.strip_prefix("countersign-crash-")).collect();
    for function in ["run-begin", "tool-data", "tool-output", "tool-connect-write", "run-finish"] {
        assert!(died.contains(function), "`{function}` was never killed: {deaths:?}");
    }
    let total: usize = deaths.values().sum();
    assert!(total >= LEAST_DEATHS, "{total} deaths: {deaths:?}");
    eprintln!("{total} deaths of {} functions: {deaths:?}", deaths.len());
    scene.begin_again(&begun).await;
    down(state.path(), &Console::new()).await.unwrap();
}

/// A stack of its own whose functions reach their tables through a saboteur.
pub(crate) async fn sabotaged(name: &str, state: &std::path::Path) -> (World, Saboteur) {
    let place = Place { project: Some(project()), state: Some(state.to_owned()) };
    let saboteur = Saboteur::listen().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    saboteur.before(port);
    let dynamodb = Some(format!("http://{}", saboteur.address));
    let options = UpOptions { port: Some(port), dynamodb, ..options(name) };
    let world = World::on(up(&place, &options, &Console::new()).await.unwrap());
    hurry(port).await;
    (world, saboteur)
}

/// A machine waits a minute for the lease of a payment that died; the emulator waits a tenth of what it is told.
async fn hurry(port: u16) {
    let config = json!({ "stepfunctions._SFN_WAIT_SCALE": "0.1" }).to_string();
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!(
        "POST /_ministack/config HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        config.len()
    );
    stream.write_all(format!("{head}{config}").as_bytes()).await.unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    assert!(said.contains("_SFN_WAIT_SCALE"), "{said}");
}

impl<'w> Scene<'w> {
    async fn set(world: &World, saboteur: &'w Saboteur, elsewhere: &'w Elsewhere) -> Self {
        let ana = person_in(world, "ana", &["global:analyst"]).await;
        let maria = person_in(world, "maria", &["global:analyst", "decide"]).await;
        let (agent, other) = (ana.agent(&[&maria]).await, ana.agent(&[]).await);
        ana.post("/connectors", &json!({ "yaml": connector(elsewhere.port) })).await;
        ana.bind(&agent, "test-ledger").await;
        ana.playbook(PLAYBOOK).await;
        ana.playbook(HARMLESS).await;
        Self { saboteur, elsewhere, ana, maria, agent, other }
    }

    /// One run in which every function dies at its `nth` write; gives the functions that did.
    async fn play(&self, nth: usize, side: Side) -> BTreeSet<String> {
        let before = self.left().await;
        self.saboteur.order(Whom::Others, nth, side);
        let rows = json!([
            { "name": format!("a-{nth}-{side:?}"), "amount": 15 },
            { "name": format!("b-{nth}-{side:?}"), "amount": 25 },
        ]);
        let run = self.start(rows).await;
        let done = self.finish(&run, before.posts).await;
        let dead = self.saboteur.relent();
        let after = self.left().await;
        let what = format!("write {nth}, {side:?}, died {dead:?}: {done:#}");
        assert_eq!(after.posts, before.posts + 1, "paid other than once; {what}");
        assert_eq!(after.rows, before.rows + 2, "rows kept other than once; {what}");
        assert_eq!(after.journal, before.journal + 1, "noted other than once; {what}");
        for name in ["large", "keep"] {
            assert_eq!(step(&done, name)["status"], "done", "{what}");
        }
        self.one_ending_each(&run, &what).await;
        dead
    }

    async fn start(&self, rows: Value) -> String {
        self.ana.start(&self.agent, "fragile", json!({ "rows": rows })).await
    }

    /// Asks the door to start runs and kills it at its first writes; gives the keys and what the door, when it could
    /// still speak, said.
    async fn kill_the_door(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for side in [Side::Before, Side::After] {
            for nth in 1.. {
                let key = uuid::Uuid::now_v7().to_string();
                self.saboteur.order(Whom::Api, nth, side);
                let said = self.begin(&key).await;
                if self.saboteur.relent().is_empty() {
                    // The emulator may hand a request to the process that died last: the same request is sent again.
                    if said.is_none() {
                        until("a start in which nobody dies", || self.begin(&key)).await;
                    }
                    break;
                }
                keys.push(key);
            }
        }
        assert!(keys.len() >= 4, "the door died {} times only", keys.len());
        keys
    }

    /// The same requests again: each has one run.
    async fn begin_again(&self, keys: &[String]) {
        let mut runs = BTreeSet::new();
        for key in keys {
            let again = until("the run is started", || self.begin(key)).await;
            assert_eq!(self.begin(key).await.as_ref(), Some(&again), "another run for one key");
            self.ana.reaches(&again, "complete").await;
            runs.insert(again);
        }
        assert_eq!(runs.len(), keys.len(), "two keys have one run");
        let page = self.ana.get("/executions?limit=100").await;
        let of_keys = |run: &&Value| run["playbook_id"] == "harmless";
        let all = page["items"].as_array().unwrap().iter().filter(of_keys).count();
        // One more for each side: the start at which nobody died.
        assert_eq!(all, keys.len() + 2, "a start that died left a run behind: {page:#}");
    }

    async fn begin(&self, key: &str) -> Option<String> {
        let inputs = json!({ "rows": [{ "name": key, "amount": 15 }] });
        let body = json!({ "profile": self.other, "playbook": "harmless", "inputs": inputs, "run_context": "background" });
        let path = format!("{FACTORY}/executions");
        let said = recorded(self.ana.door.post_once(&path, &body, key).await)?;
        Some(said["id"].as_str().unwrap().to_owned())
    }

    /// Signs what is asked until the run ends. A payment in doubt is signed again only when it was not made.
    async fn finish(&self, run: &str, posts: usize) -> Value {
        until(&format!("`{run}` ends"), || async {
            let now = recorded(self.ana.door.get(&format!("{FACTORY}/executions/{run}")).await)?;
            match now["state"].as_str().unwrap() {
                "running" => None,
                "awaiting_approval" => {
                    self.answer(run, posts).await;
                    None
                }
                _ => Some(now),
            }
        })
        .await
    }

    async fn answer(&self, run: &str, posts: usize) -> Option<()> {
        let page =
            recorded(self.maria.door.get(&format!("{FACTORY}/approvals?status=pending")).await)?;
        let request = page["items"].as_array().unwrap().iter().find(|item| item["run"] == run)?;
        let paid = self.elsewhere.posts() > posts;
        let word = if paid { "reject" } else { "approve" };
        let path = format!("{FACTORY}/approvals/{}", request["approval"].as_str().unwrap());
        let seen = recorded(self.maria.door.get(&path).await)?;
        let mut decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        if seen["kind"] == "outcome" && !paid {
            decision["answers"] = json!([{ "choice": "again" }]);
        }
        recorded(self.maria.door.post(&format!("{path}/{word}"), &decision).await).map(|_| ())
    }

    async fn left(&self) -> Left {
        // Before the first run there is no table.
        let rows = self.items("/workspaces/default/tables/kept_rows/rows?limit=100").await;
        let journal = self.items(&format!("/profiles/{}/journal?limit=100", self.agent)).await;
        Left { posts: self.elsewhere.posts(), rows: rows.unwrap_or(0), journal: journal.unwrap() }
    }

    /// How many items a list has.
    async fn items(&self, path: &str) -> Option<usize> {
        let page = self.ana.door.get(&format!("{FACTORY}{path}")).await.ok()?;
        Some(page["items"].as_array()?.len())
    }

    /// No step has begun to be two things.
    async fn one_ending_each(&self, run: &str, what: &str) {
        let events = self.ana.get(&format!("/executions/{run}/events")).await;
        let mut endings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for event in events.as_array().unwrap() {
            if event["kind"] == "step_ended" {
                let name = event["step"].as_str().unwrap().to_owned();
                endings.entry(name).or_default().insert(event["status"].to_string());
            }
        }
        // A payment in doubt that is refused ends with its gate.
        assert!(endings.len() >= 2, "a step has no ending: {endings:?}; {what}");
        let torn = endings.iter().find(|(_, statuses)| statuses.len() > 1);
        assert!(torn.is_none(), "two endings of one step: {torn:?}; {what}");
    }
}

/// What was said, or nothing when the door's own function had just died.
pub(crate) fn recorded(said: Result<Value, CliError>) -> Option<Value> {
    match said {
        Ok(value) => Some(value),
        Err(CliError::Refused { status: 500.., .. } | CliError::Door { .. }) => None,
        // The request that died is still thought to be at work.
        Err(CliError::Refused { code: Some(code), .. }) if code == "IDEMPOTENCY_KEY_OPEN" => None,
        Err(other) => panic!("the door refused: {other}"),
    }
}
