//! The detection steps that look at folders and at the graph, and one that fails.

use countersign_cli::CliError;
use serde_json::{Value, json};

use super::{Feed, Watch};
use crate::case::{FACTORY, Person, person, step, until};
use crate::filings::GOOD;
use crate::world::world;

/// A playbook without a gate: looks, says where it stood, and keeps what was found.
pub(super) fn looks(action: &str, results: &str) -> String {
    format!(
        "
id: watch-it
name: Watch it
description: Keeps what is new.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: folder, type: string, default: incoming}}
steps:
  - name: look
    step_type: tool
    action: {action}
  - name: stood
    step_type: tool
    action: get_monitor_watermark
    inputs: {{step_name: look}}
  - name: keep
    step_type: tool
    action: save_to_workspace
    inputs: {{data: \"{{look.{results}}}\"}}
    params: {{table_name: found, create_if_missing: true}}
"
    )
}

/// A monitor of ana's that has looked for the first time.
pub(super) async fn watching(ana: Person, agent: String, yaml: &str) -> Watch {
    ana.playbook(yaml).await;
    let body =
        json!({ "name": "It", "profile_id": agent, "playbook_id": "watch-it", "interval": "5m" });
    let made = ana.post("/monitors", &body).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let maria = person("maria", &["global:analyst"]).await;
    let watch = Watch { feed: Feed::open().await, ana, maria, agent, monitor };
    watch.outcome("baseline").await;
    watch
}

impl Watch {
    /// Looks; the output of a step of the run that has what is new, once it is complete.
    pub(super) async fn found(&self) -> (Value, Value) {
        assert_eq!(self.look().await["last_outcome"], "started");
        let run = self.begun().await;
        let done = self.ana.reaches(&run, "complete").await;
        assert_eq!(step(&done, "keep")["status"], "done", "{done:#}");
        let output = async |step: &str| {
            self.ana.get(&format!("/executions/{run}/outputs/{step}")).await["output"].clone()
        };
        until("the batch is closed", || async {
            self.of("state").await["open_batch"].is_null().then_some(())
        })
        .await;
        (output("look").await, output("stood").await)
    }
}

/// A place for a file in a folder.
async fn place(ana: &Person, name: &str) -> Value {
    let file = json!({ "name": name, "size": GOOD.len() });
    let places = ana.post("/uploads", &json!({ "folder": "incoming", "files": [file] })).await;
    let places = places["items"].as_array().or_else(|| places.as_array()).unwrap().clone();
    places[0].clone()
}

#[tokio::test]
async fn f_059_f_064_what_was_added_to_a_folder_and_changed_in_it_is_seen_once() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let old = place(&ana, "old.xml").await;
    ana.door.send(&old, GOOD.as_bytes().to_vec()).await.unwrap();
    let action = "detect_folder_changes\n    inputs: {folder_id: \"{folder}\"}";
    let watch = watching(ana, agent, &looks(action, "changes")).await;
    let begun = watch.mark().await;
    assert_eq!(begun["watermark_type"], "hash", "{begun:#}");
    assert_eq!(watch.look().await["last_outcome"], "suppressed");

    let new = place(&watch.ana, "new.xml").await;
    watch.ana.door.send(&new, GOOD.as_bytes().to_vec()).await.unwrap();
    watch.ana.door.send(&old, GOOD.replace("ANN", "BEA").into_bytes()).await.unwrap();
    let (seen, stood) = watch.found().await;
    let kinds: Vec<(&Value, &Value)> = seen["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (&change["filename"], &change["change_type"]))
        .collect();
    assert_eq!(kinds.len(), 2, "{seen:#}");
    assert!(kinds.contains(&(&json!("new.xml"), &json!("added"))), "{seen:#}");
    assert!(kinds.contains(&(&json!("old.xml"), &json!("modified"))), "{seen:#}");
    assert_eq!((&seen["added_count"], &seen["modified_count"]), (&json!(1), &json!(1)));
    assert_eq!(stood["watermark"], begun["watermark_value"], "F-064: where it stood: {stood:#}");
    assert_eq!(stood["items_found_last"], 2, "{stood:#}");
    assert_ne!(watch.mark().await["watermark_value"], begun["watermark_value"]);
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
}

#[tokio::test]
async fn f_059_a_file_that_is_removed_from_a_folder_is_deleted_for_its_monitor() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    for name in ["kept.xml", "gone.xml", "also.xml"] {
        let file = place(&ana, name).await;
        ana.door.send(&file, GOOD.as_bytes().to_vec()).await.unwrap();
    }
    let action = "detect_folder_changes\n    inputs: {folder_id: \"{folder}\"}";
    let watch = watching(ana, agent, &looks(action, "changes")).await;
    let listed = watch.ana.get("/uploads?folder=incoming&limit=2").await;
    let first = listed["items"].as_array().unwrap().clone();
    assert_eq!(first.len(), 2, "{listed:#}");
    let next = listed["next"].as_str().unwrap();
    let rest = watch.ana.get(&format!("/uploads?folder=incoming&limit=2&cursor={next}")).await;
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));
    let all = [first, rest["items"].as_array().unwrap().clone()].concat();
    let of = |name: &str| all.iter().find(|file| file["name"] == name).unwrap().clone();
    let gone = of("gone.xml");
    assert_eq!((&gone["size"], &gone["folder"]), (&json!(GOOD.len()), &json!("incoming")));
    assert_eq!(watch.ana.get("/uploads").await["items"], json!([]), "none lies outside folders");

    let path = format!("/uploads/{}", gone["source"].as_str().unwrap());
    let other = watch.maria.door.delete(&format!("{FACTORY}{path}")).await;
    assert!(matches!(other, Err(CliError::Refused { status: 404, .. })), "{other:?}");
    watch.ana.door.delete(&format!("{FACTORY}{path}")).await.unwrap();
    let again = watch.ana.door.delete(&format!("{FACTORY}{path}")).await;
    assert!(matches!(again, Err(CliError::Refused { status: 404, .. })), "{again:?}");
    let folder = watch.ana.door.delete(&format!("{FACTORY}/uploads/folders%2Fincoming")).await;
    assert!(matches!(folder, Err(CliError::Refused { status: 404, .. })), "{folder:?}");

    let (seen, _) = watch.found().await;
    let [change] = seen["changes"].as_array().unwrap().as_slice() else { panic!("{seen:#}") };
    assert_eq!(
        (&change["filename"], &change["change_type"]),
        (&json!("gone.xml"), &json!("deleted"))
    );
    assert_eq!(
        (&change["new_hash"], &seen["deleted_count"]),
        (&Value::Null, &json!(1)),
        "{seen:#}"
    );
    assert_eq!(watch.look().await["last_outcome"], "suppressed");

    let name = watch.ana.username.as_str();
    let also = of("also.xml")["source"].as_str().unwrap().to_owned();
    let (is_well, said) =
        world().command(&["uploads", "--as", name, "remove", also.as_str()]).await;
    assert!(is_well && said.contains(&also), "{said}");
    let list = ["uploads", "--as", name, "--folder", "incoming"];
    let (is_well, said) = world().command(&list).await;
    assert!(is_well && said.contains("kept.xml") && !said.contains("also.xml"), "{said}");
}

#[tokio::test]
async fn f_059_only_the_kinds_of_changes_that_are_named_are_new() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let old = place(&ana, "old.xml").await;
    ana.door.send(&old, GOOD.as_bytes().to_vec()).await.unwrap();
    let action = "detect_folder_changes\n    inputs: {folder_id: \"{folder}\"}\n    params: {change_types: [added]}";
    let watch = watching(ana, agent, &looks(action, "changes")).await;
    watch.ana.door.send(&old, GOOD.replace("ANN", "BEA").into_bytes()).await.unwrap();
    assert_eq!(watch.look().await["last_outcome"], "suppressed", "it was modified");
    let new = place(&watch.ana, "new.xml").await;
    watch.ana.door.send(&new, GOOD.as_bytes().to_vec()).await.unwrap();
    let (seen, _) = watch.found().await;
    assert_eq!(seen["changes"][0]["filename"], "new.xml", "{seen:#}");
    assert_eq!((&seen["count"], &seen["modified_count"]), (&json!(1), &json!(0)), "{seen:#}");
}

const RESOLVE: &str = "
id: resolve-people
name: Resolve people
inputs:
  - {name: people, type: list}
steps:
  - name: resolved
    step_type: tool
    action: resolve_entities
    inputs: {entities: '{people}'}
";

#[tokio::test]
async fn f_062_only_entities_that_are_sure_enough_and_of_the_source_are_new() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(RESOLVE).await;
    let only = |params: &str| {
        let action = format!(
            "detect_new_entities\n    inputs: {{entity_types: [PERSON]}}\n    params: {{{params}}}"
        );
        looks(&action, "entities")
    };
    let watch = watching(ana, agent, &only("source_filter: others")).await;
    finds(&watch.ana, &watch.agent, "ADA FIRST").await;
    assert_eq!(watch.look().await["last_outcome"], "suppressed", "it is of `filings`");
    let path = format!("{FACTORY}/playbooks/watch-it");
    let yaml = only("source_filter: filings, min_confidence: 0.1");
    watch.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
    watch.look().await;
    finds(&watch.ana, &watch.agent, "BEA SECOND").await;
    let (seen, _) = watch.found().await;
    let names: Vec<String> = seen["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].to_string().to_uppercase())
        .collect();
    assert!(names.contains(&"\"BEA SECOND\"".to_owned()), "{seen:#}");
}

/// A run of the agent finds this person.
async fn finds(ana: &Person, agent: &str, name: &str) {
    let people = json!([{
        "name": name, "type": "PERSON", "source_field": "name", "source_record_index": 0,
        "relationship_type": "OFFICER_OF", "attributes": {"title": "DIRECTOR"},
        "related_to": {"name": "OWL FUND", "type": "ORG"}, "source_connector": "filings"
    }]);
    let run = ana.start(agent, "resolve-people", json!({ "people": people })).await;
    ana.reaches(&run, "complete").await;
}

#[tokio::test]
async fn f_062_people_whom_the_graph_did_not_have_are_seen_once() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(RESOLVE).await;
    finds(&ana, &agent, "ADA FIRST").await;
    let action = "detect_new_entities\n    inputs: {entity_types: [PERSON]}";
    let watch = watching(ana, agent, &looks(action, "entities")).await;
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    finds(&watch.ana, &watch.agent, "BEA SECOND").await;
    let (seen, _) = watch.found().await;
    assert_eq!(seen["count"], 1, "{seen:#}");
    assert_eq!(seen["entities"][0]["type"], "PERSON", "{seen:#}");
    let name = seen["entities"][0]["name"].as_str().unwrap().to_uppercase();
    assert_eq!(name, "BEA SECOND", "{seen:#}");
    assert_eq!(watch.mark().await["watermark_type"], "timestamp");
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
}

#[tokio::test]
async fn f_218_a_detection_step_that_fails_says_why_and_loses_nothing() {
    let watch = super::watching().await;
    let path = format!("{FACTORY}/connectors/notices");
    let broken = watch.feed.connector().replace(&watch.feed.port.to_string(), "1");
    watch.ana.door.put(&path, &json!({ "yaml": broken })).await.unwrap();
    watch.feed.publish("second");
    let look = format!("/monitors/{}/run-now", watch.monitor);
    watch.ana.post(&look, &json!({})).await;
    let failed = watch.outcome("failed").await;
    let why = failed["last_error"].as_str().unwrap();
    assert!(why.contains("the step `look`"), "{why}");
    assert_eq!(watch.runs().await, 0);
    assert_eq!(failed["open_batch"], Value::Null, "{failed:#}");

    watch.ana.door.put(&path, &json!({ "yaml": watch.feed.connector() })).await.unwrap();
    // A call that failed may have opened the circuit of the source for a while.
    until("a look that works", || async {
        (watch.look().await["last_outcome"] != "failed").then_some(())
    })
    .await;
    assert_eq!(watch.of("batches").await["items"][0]["count"], 1, "nothing was lost");
}

#[tokio::test]
async fn f_211_hours_intervals_and_zones_that_cannot_be_are_refused_at_their_place() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&looks("detect_folder_changes\n    inputs: {folder_id: \"{folder}\"}", "changes"))
        .await;
    let check = async |name: &str, value: Value, place: &str| {
        let mut body = json!({ "name": "It", "profile_id": agent, "playbook_id": "watch-it", "interval": "5m" });
        body[name] = value;
        let said = crate::case::refusal(ana.door.post(&format!("{FACTORY}/monitors"), &body).await);
        assert_eq!(
            (said.status, said.places.as_slice()),
            (422, &[place.to_owned()][..]),
            "{}",
            said.said
        );
    };
    let hours = |start: &str, end: &str, zone: &str| json!({ "start": start, "end": end, "timezone": zone });
    check("active_hours", hours("08:00", "08:00", "UTC"), "active_hours.end").await;
    check("active_hours", hours("08:00", "20:00", "Mars/Olympus"), "active_hours.timezone").await;
    check("active_hours", hours("25:00", "20:00", "UTC"), "active_hours.start").await;
    check("interval", json!("4m"), "interval").await;
    check("interval", json!("1m"), "interval").await;
    check("overlap_minutes", json!(-1), "overlap_minutes").await;
}
