//! Where what the graph knows was found: data sources and documents.

use serde_json::{Value, json};

use crate::case::{Person, person};
use crate::filings::{GOOD, upload};
use crate::journals::run;

const READ: &str = "
id: remember-officers
name: Remember officers
required_connectors: [irs-990-xml]
execution_mode: deterministic
inputs:
  - {name: filings, type: list}
steps:
  - name: officers
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: parse_990_officers
    inputs: {source: '{filings}'}
  - {name: found, step_type: tool, action: extract_entities, inputs: {data: '{officers.results}'}}
  - {name: resolved, step_type: tool, action: resolve_entities, inputs: {entities: '{found.entities}'}}
";

async fn items(ana: &Person, path: &str) -> Vec<Value> {
    ana.get(path).await["items"].as_array().unwrap().clone()
}

/// The one person of this name, with where she was found.
async fn entity(ana: &Person, name: &str) -> Value {
    let found = items(ana, &format!("/knowledge/entities?q={name}&type=PERSON")).await;
    assert_eq!(found.len(), 1, "{found:#?}");
    ana.get(&format!("/knowledge/entities/{}", found[0]["entity_id"].as_str().unwrap())).await
}

/// A document of ana's graph that names somebody, by its path.
pub(crate) async fn document(ana: &Person) -> String {
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "irs-990-xml").await;
    ana.playbook(READ).await;
    let files = upload(ana, vec![("river.xml".to_owned(), GOOD.as_bytes().to_vec())]).await;
    run(ana, &agent, "remember-officers", json!({ "filings": files })).await;
    let found = items(ana, &format!("/knowledge/documents?reference={}", files[0])).await;
    format!("/knowledge/documents/{}", found[0]["id"].as_str().unwrap())
}

fn ids(found: &[Value]) -> Vec<&Value> {
    found.iter().map(|one| &one["id"]).collect()
}

#[tokio::test]
async fn f_253_f_254_f_256_f_268_f_272_entities_say_which_source_and_which_file_they_come_from() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "irs-990-xml").await;
    ana.playbook(READ).await;
    let second = GOOD.replace("001234567", "007654321").replace("RIVER TRUST", "LAKE TRUST");
    let files = vec![
        ("river.xml".to_owned(), GOOD.as_bytes().to_vec()),
        ("lake.xml".to_owned(), second.replace("ANN LEE", "BEA MOSS").into_bytes()),
    ];
    let files = upload(&ana, files).await;
    let first = run(&ana, &agent, "remember-officers", json!({ "filings": files })).await;

    let ann = entity(&ana, "ann").await;
    let source = &ann["discovered_by"][0];
    assert_eq!(
        (&source["connector_id"], &source["endpoint"], &source["execution_id"]),
        (&json!("irs-990-xml"), &json!("parse_990_officers"), &first["id"]),
        "{ann:#}"
    );
    assert_eq!(source["user_id"], json!(ana.id));
    assert!(source["connector_name"].is_string() && source["retrieved_at"].is_string());
    let mention = &ann["mentioned_in"][0];
    let document = &mention["document"];
    assert_eq!(
        (&document["title"], &document["doc_type"], &document["reference"]),
        (&json!("river.xml"), &json!("xml"), &json!(files[0])),
        "{ann:#}"
    );
    assert_eq!((&mention["count"], &mention["section"]), (&json!(1), &json!("name")));
    assert_eq!(mention["context"], "RIVER TRUST", "beside whom she stands: {mention:#}");
    assert!(mention["confidence"].as_f64().is_some_and(|sure| sure > 0.5));

    // Each edge's provenance refers to the source (F-269).
    let id = ann["entity_id"].as_str().unwrap();
    let near = ana.get(&format!("/knowledge/entities/{id}/neighbours?max_hops=1")).await;
    let reading = &near["relationships"][0]["provenance"][0];
    assert_eq!(reading["source_id"], source["id"], "{near:#}");

    // A source is found by its run, its connector and its id; a document by its file and its id.
    let run_id = first["id"].as_str().unwrap();
    for query in [
        format!("execution_id={run_id}"),
        "connector=irs-990-xml".to_owned(),
        format!("execution_id={run_id}&connector=irs-990-xml"),
        String::new(),
    ] {
        let found = items(&ana, &format!("/knowledge/sources?{query}")).await;
        assert_eq!(ids(&found), [&source["id"]], "{query}");
    }
    for none in ["connector=other".to_owned(), format!("execution_id={run_id}&connector=other")] {
        assert!(items(&ana, &format!("/knowledge/sources?{none}")).await.is_empty(), "{none}");
    }
    let by_id = format!("/knowledge/sources/{}", source["id"].as_str().unwrap());
    assert_eq!(ana.get(&by_id).await, *source);
    let of_file = items(&ana, &format!("/knowledge/documents?reference={}", files[0])).await;
    assert_eq!(ids(&of_file), [&document["id"]]);
    let document_path = format!("/knowledge/documents/{}", document["id"].as_str().unwrap());
    assert_eq!(ana.get(&document_path).await, *document);
    let named = items(&ana, &format!("{document_path}/mentions")).await;
    let mut names: Vec<&str> =
        named.iter().map(|one| one["entity"]["canonical_name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ann Lee", "RIVER TRUST"], "{named:#?}");
    assert!(named.iter().all(|one| one["mention"]["count"] == 1), "{named:#?}");

    // Another run reads the same files: another source, the same documents, and nothing is counted twice.
    let again = run(&ana, &agent, "remember-officers", json!({ "filings": files })).await;
    let ann = entity(&ana, "ann").await;
    assert_eq!(ann["discovered_by"].as_array().unwrap().len(), 2, "{ann:#}");
    assert_eq!(ann["mentioned_in"][0]["count"], 1, "{ann:#}");
    let mut path = "/knowledge/sources?limit=1".to_owned();
    let mut sources = Vec::new();
    loop {
        let page = ana.get(&path).await;
        sources.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/knowledge/sources?limit=1&cursor={next}");
    }
    let runs: Vec<&Value> = sources.iter().map(|one| &one["execution_id"]).collect();
    assert_eq!(runs, [&again["id"], &first["id"]], "newest first: {sources:#?}");
    assert_eq!(items(&ana, "/knowledge/documents").await.len(), 2);

    // What people merge shows the documents of both.
    let bea = entity(&ana, "bea").await;
    let pair =
        json!({ "entities": [ann["entity_id"], bea["entity_id"]], "keep": ann["entity_id"] });
    ana.post("/entity-resolution/merge", &pair).await;
    let one = ana.get(&format!("/knowledge/entities/{id}")).await;
    assert_eq!(one["mentioned_in"].as_array().unwrap().len(), 2, "{one:#}");

    // None of it is anybody else's.
    let eve = person("eve", &["global:analyst"]).await;
    let mentions = format!("{document_path}/mentions");
    for path in [&by_id, &document_path, &mentions] {
        assert_eq!(eve.refused(path, None).await.0, 404, "{path}");
    }
    for path in [
        format!("/knowledge/sources?execution_id={run_id}"),
        "/knowledge/sources?connector=irs-990-xml".to_owned(),
        format!("/knowledge/documents?reference={}", files[0]),
    ] {
        assert!(items(&eve, &path).await.is_empty(), "{path}");
    }
    for wrong in ["run=x", "execution_id=x", "connector=No+Such"] {
        let refused = ana.refused(&format!("/knowledge/sources?{wrong}"), None).await;
        assert_eq!(refused.0, 422, "{wrong}");
    }
}
