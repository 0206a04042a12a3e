//! An execution that is lost between two turns.

use std::time::Duration;

use serde_json::json;
use wiremock::matchers::path;
use wiremock::{Mock, ResponseTemplate};

use super::{FOUND, asking, calls, looks};
use crate::case::{person_in, step, until};
use crate::models::{deployment, said};
use crate::provider_server;

#[tokio::test]
async fn f_057_a_lost_execution_repeats_no_call_and_asks_no_turn_again() {
    let server = provider_server::start().await;
    let there = deployment("countersign-research-lost", &server, &[]).await;
    let who = person_in(&there, "ana", &["global:analyst"]).await;
    let agent = who.agent(&[]).await;
    let stage = super::Stage { there, who, agent, server };
    stage.who.playbook(&looks("looks-lost", "crawl_url", "")).await;
    let crawl = json!({ "url": stage.page() }).to_string();
    let slow = said(FOUND).set_delay(Duration::from_secs(30));
    let turn = || asking(&[("crawl_url", crawl.as_str())]);
    stage.answers(vec![turn(), slow, said(FOUND)]).await;
    let page = ResponseTemplate::new(200).set_body_raw("<p>two rows</p>", "text/html");
    Mock::given(path("/page")).respond_with(page).mount(&stage.server).await;
    let run = stage.start("looks-lost").await;
    until("the second turn", || async { (stage.asked().await.len() == 2).then_some(()) }).await;
    let machine = stage.there.stack.output("RunMachineArn").unwrap().to_owned();
    let arn = format!("{}:{run}-1", machine.replacen(":stateMachine:", ":execution:", 1));
    let stop = ["stepfunctions", "stop-execution", "--execution-arn", &arn];
    stage.there.aws(&stop).await.unwrap();
    let done = stage.who.reaches(&run, "complete").await;
    let look = step(&done, "look");
    assert_eq!(done["attempt"], 2, "{done:#}");
    assert_eq!(calls(look).len(), 1, "{look:#}");
    let asked = stage.asked().await;
    let first = asked.iter().filter(|turn| turn["messages"].as_array().unwrap().len() == 2);
    assert_eq!((first.count(), asked.len()), (1, 3), "the first turn was asked again");
    let all = stage.server.received_requests().await.unwrap();
    assert_eq!(all.iter().filter(|one| one.url.path() == "/page").count(), 1, "called twice");
}
