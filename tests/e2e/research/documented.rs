//! The agents of docs/adding-an-agent.md, made of its documents and nothing else.

use countersign_profile::Template;
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, ResponseTemplate};

use super::{Stage, asking};
use crate::case::{person_in, step};
use crate::models::{output, said};
use crate::world::project;

/// The address in the document, in place of which the test has a server of its own.
const BASE: &str = "https://releases.example.org";

/// The documents of the page, in their order.
fn documents() -> Vec<String> {
    let page = std::fs::read_to_string(project().join("docs/adding-an-agent.md")).unwrap();
    let blocks = page.split("```yaml\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

pub(super) async fn agents_are_made_of_the_documents_alone(stage: &Stage) {
    let documents = documents();
    let [summarise, points, summariser, service, keeper] = documents.as_slice() else {
        panic!("{} documents", documents.len())
    };
    for playbook in [summarise, points] {
        stage.who.playbook(playbook).await;
    }
    let agent = made(stage, summariser, &json!({})).await;
    a_text_is_summed_up(stage, &agent).await;

    let yaml = service.replace(BASE, &stage.server.uri());
    stage.who.post("/connectors", &json!({ "yaml": yaml })).await;
    let maria = person_in(&stage.there, "maria", &["global:analyst", "decide"]).await;
    let agent = made(stage, keeper, &json!({ "approvers": [maria.username] })).await;
    stage.who.bind(&agent, "release-service").await;
    what_runs_is_said_and_nobody_is_asked(stage, &agent).await;
    going_back_is_signed(stage, &agent, &maria).await;
}

/// The agent of a document, with other values where people of the test take part.
async fn made(stage: &Stage, document: &str, other: &Value) -> String {
    let template = Template::from_yaml(document).unwrap();
    let mut body = serde_json::to_value(&template.spec).unwrap();
    body.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
    stage.who.post("/profiles", &body).await["id"].as_str().unwrap().to_owned()
}

async fn a_text_is_summed_up(stage: &Stage, agent: &str) {
    let ask = async |query: &str, answer: &str| {
        stage.answers(vec![said(answer)]).await;
        let inputs = json!({ "text": "Owls sleep by day. They hunt by night." });
        let body = json!({ "profile": agent, "query": query, "inputs": inputs });
        let line = stage.who.post("/executions", &body).await;
        stage.who.reaches(line["id"].as_str().unwrap(), "complete").await
    };
    let run = ask("A summary, please.", r#"{"summary": "Owls live by night."}"#).await;
    let id = run["id"].as_str().unwrap();
    assert_eq!(output(&stage.who, id, "sum_up").await["summary"], "Owls live by night.");
    let asked = stage.asked().await.pop().unwrap()["messages"].to_string();
    assert!(asked.contains("Owls sleep by day.") && asked.contains("500"), "{asked}");
    let run = ask("Its key points?", r#"{"results": [{"point": "They hunt by night."}]}"#).await;
    assert_eq!(step(&run, "points")["count"], 1, "{run:#}");
}

/// The model's turns from now on; the service says what runs, and takes what it is sent.
async fn answers(stage: &Stage, turns: Vec<ResponseTemplate>) {
    stage.answers(turns).await;
    let shop = json!({ "name": "shop", "version": "1.4", "healthy": false });
    let shop = ResponseTemplate::new(200).set_body_json(shop);
    let status = Mock::given(method("GET")).and(path("/services/shop"));
    status.respond_with(shop).mount(&stage.server).await;
    let taken = ResponseTemplate::new(200).set_body_json(json!({ "id": "d7" }));
    let rollbacks = Mock::given(method("POST")).and(path("/services/shop/rollbacks"));
    rollbacks.respond_with(taken).mount(&stage.server).await;
}

fn looks() -> ResponseTemplate {
    asking(&[("release-service__status", r#"{"service": "shop"}"#)])
}

fn says(answer: &str, rollback: bool) -> ResponseTemplate {
    let answer = json!({
        "answer": answer, "sources": [], "asks_for_release_service__deploy": false,
        "asks_for_release_service__rollback": rollback,
    });
    said(&answer.to_string())
}

async fn ask(stage: &Stage, agent: &str, query: &str) -> String {
    let body = json!({ "profile": agent, "query": query });
    stage.who.post("/executions", &body).await["id"].as_str().unwrap().to_owned()
}

async fn rolled_back(stage: &Stage) -> usize {
    let all = stage.server.received_requests().await.unwrap();
    all.iter().filter(|one| one.url.path() == "/services/shop/rollbacks").count()
}

async fn what_runs_is_said_and_nobody_is_asked(stage: &Stage, agent: &str) {
    answers(stage, vec![looks(), says("1.4, and it does not answer.", false)]).await;
    let run = ask(stage, agent, "What runs in the shop?").await;
    let run = stage.who.reaches(&run, "complete").await;
    assert!(run["response"]["content"].as_str().unwrap().contains("it does not answer"), "{run:#}");
    assert_eq!(step(&run, "sign_off")["status"], "skipped", "{run:#}");
    assert_eq!(rolled_back(stage).await, 0);
}

async fn going_back_is_signed(stage: &Stage, agent: &str, maria: &crate::case::Person) {
    let draft = said(r#"{"results": [{"service": "shop"}]}"#);
    answers(stage, vec![looks(), says("1.4 does not answer.", true), draft]).await;
    let run = ask(stage, agent, "The shop is down: go back to the version before.").await;
    stage.who.reaches(&run, "awaiting_approval").await;
    assert_eq!(rolled_back(stage).await, 0, "nobody has signed");
    let request = maria.request(&run).await;
    let request = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&request).await;
    assert!(seen["effects"].to_string().contains("/services/shop/rollbacks"), "{seen:#}");
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{request}/approve"), &decision).await;
    stage.who.reaches(&run, "complete").await;
    assert_eq!(rolled_back(stage).await, 1);
}
