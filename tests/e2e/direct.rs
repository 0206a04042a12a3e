//! Questions that are one call (F-031).

use std::process::Stdio;

use countersign_cli::CliError;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::case::{FACTORY, Person, person, refusal};
use crate::filings::{GOOD, upload};
use crate::world::world;

#[tokio::test]
async fn f_031_a_question_that_is_one_call_of_an_endpoint_needs_no_playbook() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "irs-990-xml").await;
    let filings = upload(&ana, vec![("a.xml".to_owned(), GOOD.as_bytes().to_vec())]).await;
    let query = "parse_990_officers of this filing, please";
    let body = json!({ "profile": agent, "query": query });
    assert_eq!(ana.refused("/executions", Some(&body)).await.0, 422, "nobody says which");
    let said = ana.door.post(&format!("{FACTORY}/executions"), &body).await;
    let Err(CliError::Refused { help: Some(help), .. }) = said else { panic!("{said:?}") };
    assert!(help.contains("one call of `irs-990-xml/parse_990_officers`"), "{help}");
    let none = refusal(
        ana.door.post(&format!("{FACTORY}/executions"), &json!({ "profile": agent })).await,
    );
    assert_eq!((none.status, none.places), (422, vec!["query".to_owned()]), "{}", none.said);
    let body = json!({ "profile": agent, "query": query, "inputs": { "source": filings } });
    let line = ana.post("/executions", &body).await;
    assert_eq!(
        (&line["strategy"], &line["playbook_id"]),
        (&json!("direct"), &Value::Null),
        "{line:#}"
    );
    let because = line["chosen_because"].as_str().unwrap();
    assert!(because.contains("irs-990-xml/parse_990_officers"), "{because}");
    let run = ana.reaches(line["id"].as_str().unwrap(), "complete").await;
    assert!(run["seal"].is_string(), "it is a sealed plan: {run:#}");
    assert_eq!(run["steps"].as_array().unwrap().len(), 1, "{run:#}");
    assert!(run["response"]["content"].as_str().unwrap().contains("ANN LEE"), "{run:#}");
    // It is repeated as it was.
    let id = run["id"].as_str().unwrap();
    let again = ana.post(&format!("/executions/{id}/repeat"), &json!({})).await;
    assert_eq!(again["strategy"], "direct", "{again:#}");
    ana.reaches(again["id"].as_str().unwrap(), "complete").await;
}

#[tokio::test]
async fn f_031_a_question_about_the_graph_is_one_query_and_what_is_unclear_is_told() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let body = |query: &str| json!({ "profile": agent, "query": query });
    let line = ana.post("/executions", &body("What do we know about Owl Fund?")).await;
    assert_eq!(line["understood"][0]["input"], "entity_name", "{line:#}");
    let run = ana.reaches(line["id"].as_str().unwrap(), "complete").await;
    let id = run["id"].as_str().unwrap();
    let found = ana.get(&format!("/executions/{id}/outputs/answer")).await;
    assert_eq!(found["output"]["not_found"], json!(["Owl Fund"]), "{found:#}");
    let asked = ["ask", &agent, "What do we know", "about Owl Fund?", "--as", &ana.username];
    let (is_done, said) = world().command(&asked).await;
    assert!(is_done && said.contains("complete"), "{said}");
    assert!(
        said.contains("one call of `search_knowledge_graph`") && said.contains("Owl Fund"),
        "{said}"
    );
    in_one_conversation(&ana, &agent).await;
    // Nothing that answers it: as before.
    let (status, _) = ana.refused("/executions", Some(&body("What is the weather?"))).await;
    assert_eq!(status, 422);
    // Two that could: nothing is started.
    ana.bind(&agent, "irs-990-xml").await;
    let two = "What do we know about Owl Fund, by parse_990_officers?";
    let refused = ana.refused("/executions", Some(&body(two))).await;
    assert_eq!(refused, (409, "PLAYBOOK_AMBIGUOUS".to_owned()));
}

/// Two lines of standard input are two questions of one conversation; one that nothing answers ends nothing.
async fn in_one_conversation(ana: &Person, agent: &str) {
    let mut chat = world().program(&["chat", agent, "--as", &ana.username]);
    let mut chat =
        chat.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = "What do we know about Owl Fund?\n\nWhat is the weather?\nWhat do we know about Elk Fund?\n";
    let mut stdin = chat.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).await.unwrap();
    drop(stdin);
    let said = chat.wait_with_output().await.unwrap();
    let told = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.success() && told.contains("INVALID_INPUT"), "{told}");
    let all = ana.get(&format!("/conversations?profile_id={agent}")).await;
    let all = all["items"].as_array().unwrap();
    let (title, id) = (&all[0]["title"], all[0]["id"].as_str().unwrap());
    assert_eq!((all.len(), title), (1, &json!("What do we know about Owl Fund?")));
    assert!(told.contains(&format!("--conversation {id}")), "{told}");
    let shown = ["conversations", "show", id, "--as", &ana.username];
    let (is_done, shown) = world().command(&shown).await;
    let places = ["> What do we know about Owl Fund?", "> What do we know about Elk Fund?"];
    let places = places.map(|question| shown.find(question));
    assert!(is_done && places[0].is_some() && places[0] < places[1], "{shown}");
}
