//! A model that asks for tools, turn by turn, with a provider in the documented shape.

mod conversation;
mod crash;
mod documented;
mod endpoints;
mod found;
mod learned;
mod limits;
mod mail;
mod proposals;
mod queries;
mod refused;
mod repeated;
mod replayed;
mod revised;
mod skill;
mod specialists;
mod summary;

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{Person, person, person_in, step};
use crate::models::{deployment, output, said};
use crate::provider_server;
use crate::world::World;

/// Looks, asks, and keeps what was found.
pub(super) fn looks(id: &str, tools: &str, rest: &str) -> String {
    format!(
        r#"
id: {id}
name: Looks
description: Looks for what is known.
version: 1.0.0
inputs:
  - {{name: question, type: string, required: true}}
steps:
  - name: look
    step_type: llm_task
    action: research_with_tools
    inputs: {{data: {{question: "{{question}}"}}}}
    params: {{tools: [{tools}], system_prompt: Find out what the question asks for.{rest}}}
    on_error: stop
    output_schema: {{type: object, fields: [{{name: answer, type: string}}, {{name: rows, type: number}}]}}
"#
    )
}

/// A turn in which the model asks for these tools.
pub(super) fn asking(calls: &[(&str, &str)]) -> ResponseTemplate {
    let call = |(n, (name, arguments)): (usize, &(&str, &str))| json!({ "id": format!("call_{n}"), "type": "function", "function": { "name": name, "arguments": arguments } });
    let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": null, "tool_calls": calls }, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 200, "completion_tokens": 30 },
    }))
}

pub(super) const FOUND: &str = r#"{"answer": "two", "rows": 2}"#;

/// A person whose provider has these answers, one after the other; the same server searches the web.
pub(super) struct Stage {
    pub(super) there: World,
    pub(super) who: Person,
    pub(super) agent: String,
    pub(super) server: MockServer,
}

impl Stage {
    pub(super) async fn answers(&self, answers: Vec<ResponseTemplate>) {
        self.server.reset().await;
        for answer in answers {
            let asked = Mock::given(method("POST")).and(path("/v1/chat/completions"));
            asked.respond_with(answer).up_to_n_times(1).mount(&self.server).await;
        }
    }

    /// The address of a page that the question names.
    pub(super) fn page(&self) -> String {
        format!("{}/page", self.server.uri())
    }

    /// What the provider was asked.
    pub(super) async fn asked(&self) -> Vec<Value> {
        let all = self.server.received_requests().await.unwrap();
        let turns = all.iter().filter(|one| one.url.path() == "/v1/chat/completions");
        turns.map(|one| one.body_json().unwrap()).collect()
    }

    pub(super) async fn start(&self, playbook: &str) -> String {
        let question = format!("how many rows are at {}?", self.page());
        self.who.start(&self.agent, playbook, json!({ "question": question })).await
    }

    /// Runs to this end: the run, and its step.
    pub(super) async fn runs(&self, playbook: &str, end: &str) -> (String, Value) {
        let run = self.start(playbook).await;
        let ended = self.who.reaches(&run, end).await;
        (run, step(&ended, "look").clone())
    }

    pub(super) async fn model_calls(&self, run: &str) -> Vec<Value> {
        let calls = self.who.get(&format!("/executions/{run}/model-calls")).await;
        calls["items"].as_array().unwrap().clone()
    }
}

pub(super) async fn stage(name: &str, more: &[&str]) -> Stage {
    let server = provider_server::start().await;
    let search = format!("SearchUrl={}", server.uri());
    let searches = ["SearchProvider=searxng", search.as_str()];
    let there = deployment(name, &server, &[more, &searches[..]].concat()).await;
    let who = person_in(&there, "ana", &["global:analyst"]).await;
    let agent = who.agent(&[]).await;
    Stage { there, who, agent, server }
}

/// Of each call of the step, what it was of, and how it ended.
pub(super) fn calls(look: &Value) -> Vec<[String; 3]> {
    let calls = look["tool_calls"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or("done").to_owned();
    let place = |call: &Value| format!("{}/{}", call["turn"], call["call"]);
    calls.iter().map(|call| [place(call), text(&call["tool"]), text(&call["code"])]).collect()
}

const ROWS: &str = r#"{"data": [{"a": 1}, {"a": 2}, {"a": 3}], "operations": [{"type": "filter", "field": "a", "operator": "gte", "value": 2}]}"#;

#[tokio::test]
async fn f_057_a_model_asks_for_tools_in_rounds_and_answers() {
    let stage = stage("countersign-research", &["ModelTokensPerRun=40000"]).await;
    stage
        .who
        .playbook(&looks("looks", "transform_data, search_knowledge_graph, query_journal", ""))
        .await;
    two_rounds(&stage).await;
    the_last_turn_has_no_tools(&stage).await;
    an_answer_is_repaired(&stage).await;
    a_spent_budget_ends_it(&stage).await;
    a_test_asks_nobody(&stage).await;
}

async fn two_rounds(stage: &Stage) {
    let wrong = [
        ("query_journal", r#"{"limit": 5, "whose": "everybody"}"#),
        ("send_notification", r#"{"message": "hi"}"#),
        ("transform_data", r#"{"data": ["#),
        ("query_journal", r#"{"query": "{question}", "limit": 5}"#),
    ];
    stage
        .answers(vec![
            asking(&[
                ("transform_data", ROWS),
                ("search_knowledge_graph", r#"{"entity_name": "Nobody at all"}"#),
            ]),
            asking(&wrong),
            said(FOUND),
        ])
        .await;
    let (run, look) = stage.runs("looks", "complete").await;
    let all = calls(&look);
    let all: Vec<[&str; 3]> = all.iter().map(|one| one.each_ref().map(String::as_str)).collect();
    let expect = [
        ["1/1", "transform_data", "done"],
        ["1/2", "search_knowledge_graph", "done"],
        ["2/1", "query_journal", "STEP_INPUT_INVALID"],
        ["2/2", "send_notification", "TOOL_REFUSED"],
        ["2/3", "transform_data", "STEP_INPUT_INVALID"],
        ["2/4", "query_journal", "done"],
    ];
    assert_eq!(all, expect, "{look:#}");
    assert_eq!(
        look["tool_calls"][0]["arguments"],
        json!(serde_json::from_str::<Value>(ROWS).unwrap().to_string())
    );
    assert_eq!(output(&stage.who, &run, "look").await, json!({ "answer": "two", "rows": 2 }));
    assert_eq!((&look["model"]["turns"], &look["model"]["input_tokens"]), (&json!(3), &json!(700)));
    let events = stage.who.get(&format!("/executions/{run}/events")).await;
    let told = events.as_array().or(events["items"].as_array()).unwrap().iter();
    assert_eq!(told.filter(|event| event["kind"] == "tool_called").count(), 6, "{events:#}");
    let turns: Vec<Value> =
        stage.model_calls(&run).await.iter().map(|call| call["turn"].clone()).collect();
    assert_eq!(turns, [1, 2, 3]);

    let asked = stage.asked().await;
    assert_eq!(asked.len(), 3);
    let results: Vec<&str> = asked[2]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["role"] == "tool")
        .map(|one| one["content"].as_str().unwrap())
        .collect();
    assert_eq!(results.len(), 6);
    assert!(results[0].starts_with("DATA ") && results[0].contains(r#""count":2"#), "{results:#?}");
    assert!(results[3].contains("there is no such tool"), "{results:#?}");
    assert_eq!(asked[0]["tools"], asked[2]["tools"]);
    assert_eq!(asked[0]["tools"].as_array().unwrap().len(), 3);
}

async fn the_last_turn_has_no_tools(stage: &Stage) {
    stage.who.playbook(&looks("looks-once", "transform_data", ", max_rounds: 1")).await;
    stage
        .answers(vec![
            asking(&[("transform_data", ROWS)]),
            asking(&[("transform_data", ROWS)]),
            said(FOUND),
        ])
        .await;
    let (_, look) = stage.runs("looks-once", "complete").await;
    assert_eq!(calls(&look).len(), 1, "{look:#}");
    let asked = stage.asked().await;
    assert_eq!((asked[1].get("tools"), asked[2].get("tools")), (None, None));
    assert_eq!(asked[1]["response_format"]["type"], "json_schema");
    stage
        .answers(vec![asking(&[("transform_data", ROWS)]), said("I do not know"), said("{}")])
        .await;
    let (_, look) = stage.runs("looks-once", "error").await;
    assert_eq!(look["code"], "MODEL_ANSWER_INVALID", "{look:#}");
}

async fn an_answer_is_repaired(stage: &Stage) {
    stage.answers(vec![said(r#"{"answer": 2}"#), said(FOUND)]).await;
    let (run, look) = stage.runs("looks", "complete").await;
    assert_eq!(look["model"]["turns"], 2, "{look:#}");
    assert_eq!(stage.asked().await[1].get("tools"), None);
    assert_eq!(stage.model_calls(&run).await.len(), 2);
}

async fn a_spent_budget_ends_it(stage: &Stage) {
    let dear = ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{ "message": { "content": null, "tool_calls": [{ "function": { "name": "transform_data", "arguments": ROWS } }] } }],
        "usage": { "prompt_tokens": 39_000, "completion_tokens": 10 },
    }));
    stage.answers(vec![dear]).await;
    let (run, look) = stage.runs("looks", "error").await;
    assert_eq!(look["code"], "MODEL_BUDGET_SPENT", "{look:#}");
    assert_eq!((calls(&look).len(), stage.model_calls(&run).await.len()), (1, 1));
}

async fn a_test_asks_nobody(stage: &Stage) {
    stage.answers(Vec::new()).await;
    let body =
        json!({ "playbook": "looks", "query": "how?", "inputs": { "question": "how many?" } });
    let test = stage.who.post(&format!("/profiles/{}/test", stage.agent), &body).await;
    let test = test["id"].as_str().unwrap().to_owned();
    let done = stage.who.reaches(&test, "complete").await;
    assert_eq!(step(&done, "look")["code"], "DRY_RUN", "{done:#}");
    let would = &output(&stage.who, &test, "look").await["_dry_run"]["would_ask"];
    assert_eq!(
        (&would["rounds"], &would["tools"][0]["name"]),
        (&json!(3), &json!("transform_data")),
        "{would:#}"
    );
    assert_eq!(stage.asked().await.len(), 0, "a test has asked a model");
}

#[tokio::test]
async fn f_057_the_built_in_model_asks_only_by_name_or_by_words() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&looks("looks-offline", "transform_data", "")).await;
    let run = ana.start(&agent, "looks-offline", json!({ "question": "how many?" })).await;
    let ended = ana.reaches(&run, "error").await;
    assert_eq!(step(&ended, "look")["code"], "MODEL_REQUIRED", "{ended:#}");
}
