//! A file that is put to its address more than once: it fires once for each version of its content.

use serde_json::{Value, json};

use super::files::{place, upload};
use super::{compute, fired, made, run_of, trigger};
use crate::case::{Person, person, until};
use crate::schedules::invoke;

const FOLDER: &str = "versions";

/// Of one size, for which a place is made.
const FIRST: &str = "a,b\n1,2\n";
const OTHER: &str = "a,b\n3,4\n";

/// Ana with a trigger of the folder.
async fn listening(playbook: &str) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute(playbook)).await;
    let on = json!({ "type": "file", "folder": FOLDER });
    let inputs = json!({ "rows": [{ "name": "{file.name}" }] });
    let id = made(&ana, &trigger(&agent, playbook, &on, &inputs)).await;
    (ana, id)
}

async fn put(ana: &Person, place: &Value, content: &str) {
    ana.door.send(place, content.as_bytes().to_vec()).await.unwrap();
}

/// The bucket reports the file of an occurrence once more, with this version of its content.
async fn reported(ana: &Person, occurrence: &Value, version: &str) {
    let by = &occurrence["fired_by"];
    let part = |name: &str| by[name].as_str().unwrap_or_else(|| panic!("no {name}: {by:#}"));
    let (file, name) = (part("file_id"), part("name"));
    let key = format!("uploads/{}/folders/{FOLDER}/{file}/{name}", ana.id);
    let object = json!({ "key": key, "size": by["bytes"], "eTag": version });
    let report =
        json!({ "Records": [{ "eventName": "ObjectCreated:Put", "s3": { "object": object } }] });
    let message = json!({ "messageId": "m-1", "body": report.to_string() });
    invoke("on-upload", &json!({ "Records": [message] })).await;
}

fn version(occurrence: &Value) -> &str {
    occurrence["fired_by"]["etag"].as_str().unwrap()
}

/// Waits until a trigger has fired so often, and each time a run has begun.
async fn fires(ana: &Person, trigger: &str, times: usize) -> Vec<Value> {
    until(&format!("{trigger} fires {times} times"), || async {
        let all = fired(ana, trigger).await;
        let have_begun = all.iter().all(|one| one["runs"].is_array());
        (all.len() >= times && have_begun).then_some(all)
    })
    .await
}

#[tokio::test]
async fn issue_14_a_file_fires_once_for_each_version_of_its_content() {
    let (ana, id) = listening("on-each-version").await;
    let place = place(&ana, FOLDER, "rows.csv", FIRST.len()).await;
    put(&ana, &place, FIRST).await;
    let [first] = fires(&ana, &id, 1).await.try_into().unwrap();
    ana.reaches(&run_of(&first), "complete").await;

    put(&ana, &place, FIRST).await;
    reported(&ana, &first, version(&first)).await;
    assert_eq!(fired(&ana, &id).await.len(), 1, "it is the same content");

    put(&ana, &place, OTHER).await;
    let all = fires(&ana, &id, 2).await;
    let second = all.iter().find(|one| one["id"] != first["id"]).unwrap();
    assert_eq!(second["fired_by"]["source"], first["fired_by"]["source"], "{all:#?}");
    assert_ne!(version(second), version(&first), "{all:#?}");
    assert_ne!(run_of(second), run_of(&first));
    ana.reaches(&run_of(second), "complete").await;

    for known in [&first, second] {
        reported(&ana, known, version(known)).await;
    }
    let all = fired(&ana, &id).await;
    assert_eq!(all.len(), 2, "however often it is reported: {all:#?}");
    // A report is understood: one of a version that nobody has seen fires.
    reported(&ana, &first, "0123456789abcdef0123456789abcdef").await;
    assert_eq!(fired(&ana, &id).await.len(), 3);
}

#[tokio::test]
async fn issue_14_files_of_one_name_and_content_at_two_addresses_are_two() {
    let (ana, id) = listening("on-each-address").await;
    let sources = [upload(&ana, FOLDER, "rows.csv").await, upload(&ana, FOLDER, "rows.csv").await];
    let all = fires(&ana, &id, 2).await;
    for source in &sources {
        let own = all.iter().filter(|one| one["fired_by"]["source"] == json!(source));
        assert_eq!(own.count(), 1, "{source} is not in {all:#?}");
    }
    for one in &all {
        ana.reaches(&run_of(one), "complete").await;
    }
}
