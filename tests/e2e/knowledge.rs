//! Reviews of entity resolution, the resolution log and the graph, through the REST door.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person};
use crate::filings::{GOOD, upload};
use crate::world::world;

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
  - name: found
    step_type: tool
    action: search_knowledge_graph
    inputs: {entity_name: owl}
    params: {max_hops: 1}
";

/// Officers of one fund as `extract_entities` finds them.
fn people(names: &[&str]) -> Value {
    let one = |(index, name): (usize, &&str)| {
        json!({"name": name, "type": "PERSON", "source_field": "name", "source_record_index": index,
            "relationship_type": "OFFICER_OF", "attributes": {"title": "DIRECTOR"},
            "related_to": {"name": "OWL FUND", "type": "ORG"}, "source_connector": "filings",
            "document": {"reference": "file_board", "title": "board.xml", "doc_type": "xml"}})
    };
    names.iter().enumerate().map(one).collect()
}

/// Somebody whose run has resolved these names, and the run.
async fn resolved(names: &[&str]) -> (Person, String, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(RESOLVE).await;
    let run = resolve(&ana, &agent, names).await;
    (ana, agent, run)
}

async fn resolve(ana: &Person, agent: &str, names: &[&str]) -> String {
    let run = ana.start(agent, "resolve-people", json!({ "people": people(names) })).await;
    ana.reaches(&run, "complete").await;
    run
}

async fn items(ana: &Person, path: &str) -> Vec<Value> {
    ana.get(path).await["items"].as_array().unwrap().clone()
}

async fn entity(ana: &Person, name: &str) -> Value {
    let found = items(ana, &format!("/knowledge/entities?q={name}&type=PERSON")).await;
    assert_eq!(found.len(), 1, "{name}: {found:#?}");
    found[0].clone()
}

/// Who is around an entity, by name.
async fn around(ana: &Person, entity: &Value) -> Vec<String> {
    let id = entity["entity_id"].as_str().unwrap();
    let found = ana.get(&format!("/knowledge/entities/{id}/neighbours?max_hops=1")).await;
    let all = found["entities"].as_array().unwrap().iter();
    all.map(|entity| entity["canonical_name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn f_352_f_353_f_356_a_review_is_merged_and_the_merge_reversed() {
    let (ana, agent, _) = resolved(&["J DOE", "JANE DOE"]).await;
    let reviews = items(&ana, "/entity-reviews").await;
    assert_eq!(reviews.len(), 1, "{reviews:#?}");
    let flagged = items(&ana, "/entity-resolution/log?action=flag_review").await;
    assert_eq!((flagged.len(), &flagged[0]["match_method"]), (1, &json!("fuzzy_name")), "F-247");
    assert_eq!(reviews[0]["status"], "pending");
    let id = reviews[0]["id"].as_str().unwrap().to_owned();
    let detail = ana.get(&format!("/entity-reviews/{id}")).await;
    assert!(
        detail["source"]["entity_id"].is_string() && detail["candidate"]["entity_id"].is_string()
    );
    assert_eq!(detail["shared_executions"].as_array().unwrap().len(), 1, "{detail:#}");
    // What speaks for one person: the same fund, the same document.
    assert_eq!(detail["context"]["shared_relationships"], json!(["OWL FUND"]), "{detail:#}");
    let documents = |field: &str| -> Vec<Value> {
        detail[field].as_array().unwrap().iter().map(|one| one["title"].clone()).collect()
    };
    assert_eq!(documents("shared_documents"), [json!("board.xml")], "{detail:#}");
    assert_eq!(documents("source_documents"), [json!("board.xml")], "{detail:#}");
    let named = &detail["context"]["source_documents"];
    assert_eq!(named.as_array().unwrap().len(), 1, "{detail:#}");
    assert_eq!(&detail["match_details"]["shared_documents"], named, "{detail:#}");
    let jane = entity(&ana, "jane").await;
    let approved = ana
        .post(&format!("/entity-reviews/{id}/approve"), &json!({ "keep": jane["entity_id"] }))
        .await;
    assert_eq!(
        (&approved["status"], &approved["reviewed_by"]),
        (&json!("approved_merge"), &json!(ana.id))
    );
    assert_eq!(approved["source"], approved["candidate"], "they are one: {approved:#}");
    assert!(items(&ana, "/entity-reviews").await.is_empty());
    assert_eq!(items(&ana, "/entity-reviews?status=approved_merge").await.len(), 1);
    let fund = items(&ana, "/knowledge/entities?q=owl").await[0].clone();
    assert_eq!(around(&ana, &fund).await, ["OWL FUND", "Jane Doe"]);
    let merged = entity(&ana, "jane").await;
    assert_eq!(merged["merged"].as_array().unwrap().len(), 1);
    assert!(merged["aliases"].as_array().unwrap().contains(&json!("J DOE")), "{merged:#}");
    // The next run knows one person, and finds her in the graph.
    let run = resolve(&ana, &agent, &["J DOE", "JANE DOE"]).await;
    let output = ana.get(&format!("/executions/{run}/outputs/resolved")).await;
    assert_eq!(output["output"]["resolved"].as_array().unwrap().len(), 1, "{output:#}");
    let output = ana.get(&format!("/executions/{run}/outputs/found")).await;
    assert_eq!(output["output"]["count"], 2, "{output:#}");
    // Who decided what and when is in the log; reversing it says so too, and asks again.
    let log = items(&ana, "/entity-resolution/log?action=user_merge").await;
    assert_eq!((log.len(), &log[0]["decided_by"]), (1, &json!(ana.id)), "{log:#?}");
    let row = log[0]["id"].as_str().unwrap();
    assert_eq!(approved["log_id"], log[0]["id"]);
    let figures = ana.get("/statistics").await;
    let (total, decided) = (&figures["total"], &figures["resolution"]);
    assert_eq!((&decided["user_merged"], &decided["user_rejected"]), (&json!(1), &json!(0)));
    assert_eq!((&decided["flagged"], &total["ambiguous"]), (&json!(1), &json!(1)), "{figures:#}");
    assert_eq!(decided["auto"], total["merged"]);
    assert_eq!(ana.get("/statistics?to=2001-01-01").await["resolution"]["user_merged"], 0);
    let undone = ana.post(&format!("/entity-resolution/reverse/{row}"), &json!({})).await;
    assert_eq!(undone["reversed"]["reversed_by"], json!(ana.id), "{undone:#}");
    assert_eq!(undone["entities"].as_array().unwrap().len(), 2);
    assert_eq!(items(&ana, "/entity-reviews").await.len(), 1);
    assert_eq!(around(&ana, &fund).await.len(), 3);
    let again = ana.refused(&format!("/entity-resolution/reverse/{row}"), Some(&json!({}))).await;
    assert_eq!(again, (409, "NOT_REVERSIBLE".to_owned()));
}

#[tokio::test]
async fn f_354_k_72_a_pair_that_is_rejected_is_not_asked_about_again() {
    let (ana, agent, _) = resolved(&["J DOE", "JANE DOE"]).await;
    let review = items(&ana, "/entity-reviews").await.remove(0);
    let path = |verb: &str| format!("/entity-reviews/{}/{verb}", review["id"].as_str().unwrap());
    let skipped = ana.post(&path("skip"), &json!({})).await;
    assert_eq!(skipped["status"], "skipped");
    let rejected = ana.post(&path("reject"), &json!({})).await;
    assert_eq!(
        (&rejected["status"], &rejected["reviewed_by"]),
        (&json!("rejected"), &json!(ana.id))
    );
    assert_eq!(ana.post(&path("reject"), &json!({})).await["status"], "rejected", "twice is once");
    let refused = ana.refused(&path("approve"), Some(&json!({}))).await;
    assert_eq!(refused, (409, "REVIEW_CLOSED".to_owned()));
    let run = resolve(&ana, &agent, &["J DOE", "JANE DOE"]).await;
    let output = ana.get(&format!("/executions/{run}/outputs/resolved")).await;
    assert_eq!(output["output"]["ambiguous"], json!([]), "{output:#}");
    assert!(items(&ana, "/entity-reviews").await.is_empty());
    // Somebody else's review is not there, and a reader decides nothing.
    let bea = person("bea", &["global:analyst"]).await;
    assert_eq!(bea.refused(&path("approve"), Some(&json!({}))).await.0, 404);
    let carl = person("carl", &["global:reader"]).await;
    assert_eq!(carl.refused(&path("skip"), Some(&json!({}))).await.0, 403);
    assert!(items(&carl, "/entity-reviews").await.is_empty());
}

#[tokio::test]
async fn f_249_reviews_are_decided_on_the_command_line() {
    let (ana, _, _) = resolved(&["J DOE", "JANE DOE"]).await;
    let command = |arguments: Vec<String>| {
        let all =
            [vec!["reviews".to_owned()], arguments, vec!["--as".to_owned(), ana.username.clone()]];
        let all = all.concat();
        async move {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            world().command(&all).await
        }
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let (is_done, said) = command(Vec::new()).await;
    assert!(is_done && said.contains("Jane Doe"), "{said}");
    let id = items(&ana, "/entity-reviews").await[0]["id"].as_str().unwrap().to_owned();
    let (is_done, said) = command(words(&format!("{id} --approve"))).await;
    assert!(is_done && said.contains("approved_merge"), "{said}");
    let (is_done, said) = command(words("--log")).await;
    assert!(is_done && said.contains("user_merge"), "{said}");
    let row = items(&ana, "/entity-resolution/log?action=user_merge").await[0]["id"].clone();
    let (is_done, said) = command(words(&format!("--reverse {}", row.as_str().unwrap()))).await;
    assert!(is_done && said.contains("reversed: user_merge"), "{said}");
    assert_eq!(items(&ana, "/entity-reviews").await.len(), 1);
    let (is_done, said) = command(words("nonsense/../x")).await;
    assert!(!is_done && said.contains("is not an id"), "{said}");
}

#[tokio::test]
async fn k_72_f_247_f_400_what_was_joined_is_split_and_joined_again() {
    let (ana, agent, _) = resolved(&["SMITH, ROBERT", "Bob Smith"]).await;
    let robert = entity(&ana, "robert").await;
    let log = items(&ana, "/entity-resolution/log?action=auto_merge").await;
    assert_eq!(log.len(), 1, "{log:#?}");
    assert_eq!(log[0]["match_details"]["shared_documents"].as_array().unwrap().len(), 1);
    assert!(log[0]["match_details"]["jaro_winkler"].is_number(), "{log:#?}");
    let of = |name: &str| log[0][name].as_str().unwrap_or_default().to_owned();
    let mut names = [of("source_entity_name"), of("target_entity_name")];
    names.sort_unstable();
    assert_eq!(names.map(|name| name.to_lowercase()), ["bob smith", "robert smith"], "{log:#?}");
    assert_eq!(
        (of("source_entity_type"), of("match_method")),
        ("PERSON".into(), "fuzzy_name".into())
    );
    assert!(log[0]["confidence"].as_f64().is_some_and(|score| score >= 0.85), "{log:#?}");
    assert_eq!(ana.get("/statistics").await["resolution"]["auto"], 1);
    let body = json!({ "entity_id": robert["entity_id"], "names": ["Bob Smith"] });
    let split = ana.post("/entity-resolution/split", &body).await;
    assert_eq!(split["log"]["action"], "user_split", "{split:#}");
    let bob = entity(&ana, "bob").await;
    assert_eq!(bob["split_from"], robert["entity_id"]);
    for person in [&robert, &bob] {
        assert_eq!(around(&ana, person).await.len(), 2, "each has read its own relationship");
    }
    // A run that reads both again keeps them apart.
    resolve(&ana, &agent, &["SMITH, ROBERT", "Bob Smith"]).await;
    assert_eq!(items(&ana, "/knowledge/entities?type=PERSON").await.len(), 2);
    assert!(items(&ana, "/entity-reviews").await.is_empty());
    let row = split["log"]["id"].as_str().unwrap();
    ana.post(&format!("/entity-resolution/reverse/{row}"), &json!({})).await;
    assert_eq!(items(&ana, "/knowledge/entities?type=PERSON").await.len(), 1);
    // What the run itself joined is taken apart by its row of the log.
    let refused = ana.refused("/entity-resolution/split", Some(&body)).await;
    assert_eq!(refused, (409, "SPLIT_IMPOSSIBLE".to_owned()), "the spelling came with a merge");
    let pair = json!({ "entities": [robert["entity_id"], robert["entity_id"]] });
    let refused = ana.refused("/entity-resolution/merge", Some(&pair)).await;
    assert_eq!(refused, (409, "MERGE_IMPOSSIBLE".to_owned()));
}

#[tokio::test]
async fn f_356_what_a_run_joined_is_taken_apart_by_its_row() {
    let (ana, _, _) = resolved(&["SMITH, ROBERT", "Bob Smith"]).await;
    let row = items(&ana, "/entity-resolution/log?action=auto_merge").await.remove(0);
    let row = row["id"].as_str().unwrap();
    let undone = ana.post(&format!("/entity-resolution/reverse/{row}"), &json!({})).await;
    assert_eq!(undone["log"]["action"], "user_split", "{undone:#}");
    assert!(undone["reversed"]["reversed_at"].is_string());
    let entities = undone["entities"].as_array().unwrap();
    let ids: Vec<&Value> = entities.iter().map(|entity| &entity["entity_id"]).collect();
    assert_eq!(ids.len(), 2);
    let merged = ana.post("/entity-resolution/merge", &json!({ "entities": ids })).await;
    assert_eq!(merged["log"]["action"], "user_merge");
    assert_eq!(items(&ana, "/knowledge/entities?type=PERSON").await.len(), 1);
}

#[tokio::test]
async fn f_349_f_351_f_355_what_a_run_found_is_listed_filtered_and_counted() {
    let (ana, _, run) = resolved(&["JANE DOE", "ROBERT SMITH", "MARY MILLER"]).await;
    let found = items(&ana, &format!("/executions/{run}/discoveries")).await;
    assert_eq!(found.len(), 7, "four entities, three relationships: {found:#?}");
    assert!(found.iter().all(|one| one["status"] == "stored" && one["namespace"] == "default"));
    let new = items(&ana, "/discoveries?type=new_entity&entity_type=PERSON").await;
    assert_eq!(new.len(), 3, "{new:#?}");
    let stats = ana.get("/discoveries/stats").await;
    assert_eq!(
        (&stats["counted"], &stats["by_type"]["new_relationship"], &stats["executions"]),
        (&json!(7), &json!(3), &json!(1)),
        "{stats:#}"
    );
    let mut seen = Vec::new();
    let mut path = "/entity-resolution/log?limit=1&action=create_new".to_owned();
    loop {
        let page = ana.get(&path).await;
        seen.extend(page["items"].as_array().unwrap().iter().map(|row| row["id"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/entity-resolution/log?limit=1&action=create_new&cursor={next}");
    }
    assert_eq!(seen.len(), 4);
    let said = ana.door.get(&format!("{FACTORY}/discoveries?kind=x")).await;
    assert!(said.is_err(), "an unknown parameter is rejected");
}

#[tokio::test]
async fn f_257_f_272_f_273_entities_are_found_by_name_kind_and_relationship() {
    let (ana, _, run) = resolved(&["JOSÉ NUÑEZ", "JANE DOE"]).await;
    let jose = entity(&ana, "nunez").await;
    assert_eq!(jose["type"], "PERSON", "case and accents do not count");
    assert!(items(&ana, "/knowledge/entities?q=nunez&type=ORG").await.is_empty());
    assert_eq!(items(&ana, "/knowledge/entities?type=ORG").await.len(), 1);
    assert_eq!(items(&ana, "/knowledge/entities").await.len(), 3);
    let id = jose["entity_id"].as_str().unwrap();
    let near = ana.get(&format!("/knowledge/entities/{id}/neighbours")).await;
    let edges = near["relationships"].as_array().unwrap();
    let edge = edges.iter().find(|edge| edge["source_id"] == jose["entity_id"]).unwrap();
    assert_eq!((&edge["type"], &edge["target"]), (&json!("OFFICER_OF"), &json!("OWL FUND")));
    assert_eq!(edge["properties"]["title"], "DIRECTOR", "{edge:#}");
    assert_eq!(edge["properties"]["source_connector"], "filings");
    assert_eq!(edge["properties"]["source_execution_id"], json!(run));
    assert_eq!(
        near["entities"].as_array().unwrap().len(),
        3,
        "two hops: the fund and its other officer"
    );
    let none = format!("/knowledge/entities/{id}/neighbours?relationship_types=FUNDS");
    assert_eq!(ana.get(&none).await["relationships"], json!([]));
    for wrong in ["max_hops=9", "relationship_types=KNOWS", "namespace=No+Such"] {
        let path = format!("/knowledge/entities/{id}/neighbours?{wrong}");
        assert_eq!(ana.refused(&path, None).await.0, 422, "{wrong}");
    }
    let bea = person("bea", &["global:reader"]).await;
    assert_eq!(bea.refused(&format!("/knowledge/entities/{id}"), None).await.0, 404);
}

const READ: &str = "
id: read-officers
name: Read officers
required_connectors: [irs-990-xml]
inputs:
  - {name: filings, type: list}
steps:
  - name: officers
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: parse_990_officers
    inputs: {source: '{filings}'}
";

#[tokio::test]
async fn f_033_f_170_f_293_the_end_of_a_run_writes_what_it_has_read_to_the_agents_part() {
    let ana = person("ana", &["global:analyst"]).await;
    let config = json!({
        "graph_namespaces": ["filings"], "auto_enrich": true, "entity_resolution": true,
    });
    let agent = json!({ "name": "Reader of filings", "knowledge_config": config });
    let agent = ana.post("/profiles", &agent).await["id"].as_str().unwrap().to_owned();
    ana.bind(&agent, "irs-990-xml").await;
    ana.playbook(READ).await;
    let filings = upload(&ana, vec![("a.xml".to_owned(), GOOD.as_bytes().to_vec())]).await;
    let run = ana.start(&agent, "read-officers", json!({ "filings": filings })).await;
    let ended = ana.reaches(&run, "complete").await;
    let outputs = ended["response"]["outputs"].as_array().unwrap();
    let row = outputs.iter().find(|row| row["destination"] == "knowledge_graph").unwrap();
    assert_eq!(
        (&row["status"], &row["details"]["namespace"]),
        (&json!("success"), &json!("filings"))
    );
    let new = ended["response"]["new_entities"].as_u64().unwrap();
    assert!(new >= 1, "{ended:#}");
    // Record, journal and statistics tell of them too.
    let entities = &ended["record"]["entities"];
    assert_eq!((&entities["resolved"], &entities["discovered"]), (&json!(new), &json!(new)));
    let entry = &items(&ana, &format!("/profiles/{agent}/journal")).await[0];
    let mentioned = entry["entities_mentioned"].as_array().unwrap();
    assert!(mentioned.iter().any(|one| one["name"] == "Ann Lee"), "{entry:#}");
    assert_eq!(entry["entities_discovered"], entry["entities_mentioned"]);
    let figures = ana.get(&format!("/statistics?profile={agent}")).await;
    assert_eq!(figures["total"]["entities_discovered"], new);
    let found = items(&ana, "/knowledge/entities?q=ann&namespace=filings").await;
    assert_eq!(found[0]["canonical_name"], "Ann Lee", "{found:#?}");
    let id = found[0]["entity_id"].as_str().unwrap();
    let near = ana.get(&format!("/knowledge/entities/{id}/neighbours?namespace=filings")).await;
    assert_eq!(near["relationships"][0]["type"], "OFFICER_OF", "{near:#}");
    assert!(items(&ana, "/knowledge/entities").await.is_empty(), "nothing is in `default`");
    let found = items(&ana, &format!("/executions/{run}/discoveries")).await;
    assert!(found.iter().all(|one| one["namespace"] == "filings") && !found.is_empty());
    let body = json!({ "name": "Wrong", "knowledge_config": { "graph_namespaces": ["No Such"] } });
    assert_eq!(ana.refused("/profiles", Some(&body)).await.0, 422);
}
