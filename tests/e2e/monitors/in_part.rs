//! A monitor with several steps of which one cannot look, and items that no batch has room for.

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockGuard, MockServer, ResponseTemplate};

use super::{Feed, Watch, monitor};
use crate::case::{FACTORY, person, step};
use crate::provider_server;

/// Two offices that publish records.
pub(super) struct Offices {
    server: MockServer,
}

impl Offices {
    pub(super) async fn open() -> Self {
        Self { server: provider_server::start().await }
    }

    /// What an office answers until the guard is dropped.
    pub(super) async fn answers(&self, office: &str, answer: ResponseTemplate) -> MockGuard {
        let mock = Mock::given(path(format!("/{office}"))).respond_with(answer);
        mock.mount_as_scoped(&self.server).await
    }

    pub(super) async fn has(&self, office: &str, ids: &[&str]) -> MockGuard {
        let of = |id: &&str| json!({ "id": id, "text": "short" });
        let records: Vec<Value> = ids.iter().map(of).collect();
        self.answers(office, ResponseTemplate::new(200).set_body_json(records)).await
    }

    pub(super) fn connector(&self) -> String {
        let endpoint = |office: &str| {
            format!(
                "
  {office}:
    description: What the office has published.
    path: /{office}
    response_mapping: {{entity_type: notice, fields: {{id: id, text: text}}}}
"
            )
        };
        format!(
            "
id: offices
name: Offices
type: rest_api
version: 1.0.0
description: What offices publish.
connection: {{base_url: '{}', auth: {{type: none}}}}
endpoints:{}{}",
            self.server.uri(),
            endpoint("north"),
            endpoint("south")
        )
    }
}

/// Looks at both offices, and reads what they have.
pub(super) fn playbook(on_warning: &str) -> String {
    let look = |office: &str| {
        format!(
            "
  - name: {office}
    step_type: tool
    action: detect_new_data
    connector: offices
    endpoint: {office}
    on_warning: {on_warning}"
        )
    };
    format!(
        "
id: watch-notices
name: Watch offices
description: Looks for what offices publish.
version: 1.0.0
execution_mode: deterministic
steps:{}{}
  - name: read
    step_type: tool
    action: transform_data
    inputs: {{data: \"{{south.results}}\"}}
    params: {{operations: [{{type: limit, count: 100}}]}}
",
        look("north"),
        look("south")
    )
}

/// A monitor of both, each of which has a record; it has looked for the first time.
async fn watching(offices: &Offices, yaml: &str, changes: &Value) -> Watch {
    let _north = offices.has("north", &["n1"]).await;
    let _south = offices.has("south", &["s1"]).await;
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": offices.connector() })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "offices").await;
    ana.playbook(yaml).await;
    let mut spec = monitor(&agent);
    spec.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let made = ana.post("/monitors", &spec).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed: Feed::open().await, ana, maria, agent, monitor };
    watch.outcome("baseline").await;
    watch
}

/// A record that is larger than half of a batch, and behind it these.
pub(super) fn with_large(large: &str, ids: &[&str]) -> ResponseTemplate {
    let of = |id: &&str| json!({ "id": id, "text": "short" });
    let text = "x".repeat(2 * 1024 * 1024 + 100);
    let large = json!({ "id": large, "text": text });
    let records: Vec<Value> = std::iter::once(large).chain(ids.iter().map(of)).collect();
    ResponseTemplate::new(200).set_body_json(records)
}

fn off() -> ResponseTemplate {
    ResponseTemplate::new(404)
}

#[tokio::test]
async fn issue_14_a_step_that_cannot_look_does_not_hold_up_the_others() {
    let offices = Offices::open().await;
    let watch = watching(&offices, &playbook("continue"), &json!({})).await;
    let north = offices.answers("north", off()).await;
    let south = offices.has("south", &["s1"]).await;
    let state = watch.look().await;
    assert_eq!(state["last_outcome"], "failed", "{state:#}");
    assert!(state["failing_step"].as_str().unwrap().contains("`north`"), "{state:#}");
    let since = state["failing_since"].clone();

    drop(south);
    let south = offices.has("south", &["s1", "s2"]).await;
    assert_eq!(watch.look().await["last_outcome"], "started");
    let batch = watch.of("batches/1").await;
    let run = batch["execution_id"].as_str().unwrap_or_else(|| panic!("{batch:#}")).to_owned();
    let done = watch.ana.reaches(&run, "complete").await;
    assert_eq!(step(&done, "read")["status"], "done", "{done:#}");
    assert_eq!(step(&done, "north")["warnings"], 1, "{done:#}");
    assert_eq!(done["record"]["connectors_called"], json!([]), "the look came before: {done:#}");
    let blind = watch.ana.get(&format!("/executions/{run}/outputs/north")).await;
    let said = blind["output"]["warnings"][0].as_str().unwrap();
    assert!(said.contains("it could not look") && said.contains("404"), "{said}");
    let state = watch.look().await;
    assert_eq!(state["failing_since"], since, "it still cannot look there: {state:#}");
    assert!(state["failing_step"].as_str().unwrap().contains("`north`"), "{state:#}");
    let mail = watch.mail("Notices: a step cannot look").await;
    assert!(mail.text.contains("The other steps go on"), "{}", mail.text);

    // What came meanwhile is found once it can look, and nothing a second time.
    drop((north, south));
    let _north = offices.has("north", &["n1", "n2"]).await;
    let _south = offices.has("south", &["s1", "s2"]).await;
    let state = watch.look().await;
    assert_eq!(
        (&state["last_outcome"], &state["failing_since"]),
        (&json!("started"), &Value::Null)
    );
    let items = watch.of("batches/2").await["items"].clone();
    assert_eq!(items.as_array().unwrap().len(), 1, "{items:#}");
    assert_eq!(items[0]["step"], "north", "{items:#}");
}

#[tokio::test]
async fn f_149_a_step_that_cannot_look_is_tried_again_as_often_as_it_says() {
    let offices = Offices::open().await;
    let again =
        playbook("continue").replacen("endpoint: north", "endpoint: north\n    retry_count: 2", 1);
    let watch = watching(&offices, &again, &json!({})).await;
    let _north = offices.has("north", &["n1", "n2"]).await;
    let _south = offices.has("south", &["s1"]).await;
    // It answers with nothing that can be read as often as one attempt asks, and once more.
    let off = Mock::given(path("/north")).respond_with(ResponseTemplate::new(503));
    let _off = off.with_priority(1).up_to_n_times(3).mount_as_scoped(&offices.server).await;
    assert_eq!(watch.look().await["last_outcome"], "started");
    let items = watch.of("batches/1").await["items"].clone();
    assert_eq!(items[0]["key"].as_str().map(|key| key.contains("n2")), Some(true), "{items:#}");
}

#[tokio::test]
async fn issue_14_a_step_that_stops_at_warnings_and_cannot_look_holds_up_the_others() {
    let offices = Offices::open().await;
    let watch = watching(&offices, &playbook("stop"), &json!({})).await;
    let _north = offices.answers("north", off()).await;
    let _south = offices.has("south", &["s1", "s2"]).await;
    assert_eq!(watch.look().await["last_outcome"], "failed");
    assert_eq!(watch.runs().await, 0);
}

#[tokio::test]
async fn issue_14_an_item_that_no_batch_has_room_for_is_parked_alone() {
    let offices = Offices::open().await;
    let watch = watching(&offices, &playbook("continue"), &json!({})).await;
    let _north = offices.has("north", &["n1", "n2"]).await;
    let _south = offices.answers("south", with_large("s0-large", &["s1", "s2"])).await;
    // It is found, and parked a moment later.
    watch.look().await;
    watch.outcome("failed").await;
    let parked = watch.of("parked").await;
    let items = parked["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{parked:#}");
    assert_eq!((&items[0]["step"], &items[0]["key"]), (&json!("south"), &json!("s0-large")));
    let retry = format!("/monitors/{}/batches/1/retry", watch.monitor);
    let refused = watch.ana.refused(&retry, Some(&json!({}))).await;
    assert_eq!(refused, (409, "BATCH_WITHOUT_CONTENT".to_owned()));
    let mail = watch.mail("Notices: 1 item is parked").await;
    assert!(mail.text.contains("DETECT_ITEM_TOO_LARGE"), "{}", mail.text);

    assert_eq!(watch.look().await["last_outcome"], "started");
    let items = watch.of("batches/2").await["items"].clone();
    let keys: Vec<&str> =
        items.as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["n2", "s2"], "the others go on");
}

#[tokio::test]
async fn issue_14_runs_get_as_many_items_as_the_monitor_says() {
    let offices = Offices::open().await;
    let watch = watching(&offices, &playbook("continue"), &json!({ "batch_size": 2 })).await;
    let _north = offices.has("north", &["n1"]).await;
    let _south = offices.has("south", &["s1", "s2", "s3"]).await;
    for (number, key) in [(1, "s2"), (2, "s3")] {
        assert_eq!(watch.look().await["last_outcome"], "started", "each step has half of them");
        let batch = watch.of(&format!("batches/{number}")).await;
        assert_eq!(batch["items"].as_array().unwrap().len(), 1, "{batch:#}");
        assert_eq!(batch["items"][0]["key"], key, "{batch:#}");
        watch.ana.reaches(batch["execution_id"].as_str().unwrap(), "complete").await;
    }
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    let path = format!("{FACTORY}/monitors/{}", watch.monitor);
    let none = watch.ana.door.patch(&path, &json!({ "batch_size": 0 })).await;
    assert!(none.is_err(), "{none:?}");
}
