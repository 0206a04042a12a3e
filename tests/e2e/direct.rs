//! Questions that are one call (F-031).

use serde_json::{Value, json};

use crate::case::person;
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
    // Nothing that answers it: as before.
    let (status, _) = ana.refused("/executions", Some(&body("What is the weather?"))).await;
    assert_eq!(status, 422);
    // Two that could: nothing is started.
    ana.bind(&agent, "irs-990-xml").await;
    let two = "What do we know about Owl Fund, by parse_990_officers?";
    let refused = ana.refused("/executions", Some(&body(two))).await;
    assert_eq!(refused, (409, "PLAYBOOK_AMBIGUOUS".to_owned()));
}
