//! `entity_type: auto` (F-095): the recogniser reads the whole text of the field.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, ResponseTemplate};

use super::output;
use crate::case::person;
use crate::provider_server;

#[tokio::test]
async fn f_095_a_field_of_any_text_gives_the_names_in_it() {
    let server = provider_server::start().await;
    let text = "Margaret Thornquist, chair of the Harborlight Community Foundation, spoke first. Jon Quillfeather answered for Ostrom Vance LLC in Dayton, Ohio.";
    let items = json!({ "items": [
        { "id": 1, "text": text, "author": "Eleanor Vance" },
        { "id": 2, "text": null, "author": "ACME INC" },
    ] });
    let answer = ResponseTemplate::new(200).set_body_json(items);
    Mock::given(path("/notes")).respond_with(answer).mount(&server).await;
    let ana = person("ana", &["global:analyst"]).await;
    let connector = format!(
        "id: test-notes\nname: Notes\ntype: rest_api\nversion: 1.0.0\ndescription: Notes.\nconnection: {{ base_url: '{}' }}\nendpoints:\n  notes:\n    description: Notes.\n    path: /notes\n    response_mapping:\n      entity_type: note\n      results_path: items\n      fields: {{ id: id, text: text, author: author }}\n      entity_extraction: [{{ field: text, entity_type: auto }}, {{ field: author, entity_type: auto, relationship_type: RELATED_TO }}]\n",
        server.uri()
    );
    ana.post("/connectors", &json!({ "yaml": connector })).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "test-notes").await;
    ana.playbook("id: read-notes\nname: Read\ndescription: Reads notes.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n  - {name: read, step_type: tool, action: call_connector, connector: test-notes, endpoint: notes}\n  - {name: names, step_type: tool, action: extract_entities, inputs: {data: \"{read.results}\"}}\n").await;
    let run = ana.start(&agent, "read-notes", json!({})).await;
    ana.reaches(&run, "complete").await;
    let names = output(&ana, &run, "names").await;
    let entities = names["entities"].as_array().unwrap();
    let of = |field: &str| -> BTreeSet<(String, String)> {
        let text = |entity: &Value, key: &str| entity[key].as_str().unwrap().to_owned();
        let own = entities.iter().filter(|entity| entity["source_field"] == field);
        own.map(|entity| (text(entity, "name"), text(entity, "type"))).collect()
    };
    let expect = |names: &[(&str, &str)]| -> BTreeSet<(String, String)> {
        names.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect()
    };
    let in_text = [
        ("Margaret Thornquist", "PERSON"),
        ("Harborlight Community Foundation", "ORG"),
        ("Jon Quillfeather", "PERSON"),
        ("Ostrom Vance LLC", "ORG"),
    ];
    assert!(of("text").is_superset(&expect(&in_text)), "{names:#}");
    assert!(of("text").iter().any(|(_, kind)| kind == "LOCATION"), "{names:#}");
    assert_eq!(of("author"), expect(&[("Eleanor Vance", "PERSON"), ("ACME INC", "ORG")]));
    let first = &entities[0];
    assert_eq!(first["source_record_index"], 0, "{names:#}");
    assert!(first["confidence"].as_f64().is_some_and(|confidence| confidence > 0.0));
}
