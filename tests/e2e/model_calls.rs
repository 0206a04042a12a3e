//! What calls of models cost and leave behind, with a provider in the documented shape.

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{FACTORY, Person, admin, person_in, refusal, step};
use crate::models::{deployment, filings, output, said, verdict};
use crate::provider_server;
use crate::world::World;

/// A provider that is down for its first two requests, then cuts its answer, then answers.
async fn provider() -> MockServer {
    let server = provider_server::start().await;
    let down = ResponseTemplate::new(500);
    let cut = ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{ "message": { "content": "{\"risk\"" }, "finish_reason": "length" }],
        "usage": { "prompt_tokens": 300, "completion_tokens": 900 },
    }));
    let up = said(r#"{"risk": 8, "reasons": ["loans to officers"]}"#);
    for (answer, times) in [(down, 2), (cut, 1), (up, 9)] {
        let asked = Mock::given(method("POST")).and(path("/v1/chat/completions"));
        asked.respond_with(answer).up_to_n_times(times).mount(&server).await;
    }
    server
}

/// A person with an agent, and the provider of their deployment.
struct Stage<'w> {
    who: Person,
    agent: String,
    server: &'w MockServer,
}

impl<'w> Stage<'w> {
    async fn new(there: &World, name: &str, agent: &Value, server: &'w MockServer) -> Self {
        let who = person_in(there, name, &["global:analyst"]).await;
        let mut body = json!({ "name": name });
        body.as_object_mut().unwrap().extend(agent.as_object().unwrap().clone());
        let agent = who.post("/profiles", &body).await["id"].as_str().unwrap().to_owned();
        who.playbook(&verdict("model-calls")).await;
        Self { who, agent, server }
    }

    /// How often the provider was asked.
    async fn asked(&self) -> usize {
        self.server.received_requests().await.unwrap().len()
    }

    /// Runs to this end: the run, its step of the model, and the turns it took.
    async fn runs(&self, end: &str) -> (String, Value, Vec<Value>) {
        let run = self.who.start(&self.agent, "model-calls", filings()).await;
        let ended = self.who.reaches(&run, end).await;
        let calls = self.who.get(&format!("/executions/{run}/model-calls")).await;
        (run, step(&ended, "judge").clone(), calls["items"].as_array().unwrap().clone())
    }

    async fn fails(&self, code: &str) -> Vec<Value> {
        let (_, judge, calls) = self.runs("error").await;
        assert_eq!(judge["code"], code, "{judge:#}");
        calls
    }
}

#[tokio::test]
async fn r_035_k_46_calls_are_recorded_a_provider_that_is_down_costs_nothing_and_a_test_asks_nobody()
 {
    let server = provider().await;
    // Room for one turn at a time: what the failed ones took must have been given back.
    let there = deployment("countersign-model-calls", &server, &["ModelTokensPerDay=12000"]).await;
    let ana = Stage::new(&there, "ana", &json!({}), &server).await;
    a_test_asks_nobody(&ana).await;

    let calls = ana.fails("MODEL_UNAVAILABLE").await;
    assert_eq!(ana.asked().await, 2, "it was tried once more");
    assert_eq!(
        (&calls[0]["status"], &calls[0]["code"]),
        (&json!("failed"), &json!("MODEL_UNAVAILABLE"))
    );
    assert_eq!((&calls[0]["requests"], &calls[0]["counted_tokens"]), (&json!(2), &json!(0)));
    let calls = ana.fails("MODEL_ANSWER_CUT").await;
    assert_eq!(
        (&calls[0]["status"], &calls[0]["counted_tokens"]),
        (&json!("failed"), &json!(1_200))
    );

    let (run, judge, calls) = ana.runs("complete").await;
    let (call, model) = (&calls[0], &judge["model"]);
    assert_eq!((calls.len(), &call["status"]), (1, &json!("answered")), "{calls:#?}");
    assert_eq!((&call["input_tokens"], &call["output_tokens"]), (&json!(300), &json!(40)));
    assert_eq!((&call["counted_cost"], &call["turn"]), (&Value::Null, &json!(1)), "{call:#}");
    for field in ["prompt_sha256", "answer_sha256"] {
        assert_eq!(call[field], model[field], "{call:#}");
    }
    let ben = person_in(&there, "ben", &["global:analyst"]).await;
    let foreign = ben.refused(&format!("/executions/{run}/model-calls"), None).await;
    assert_eq!(foreign.0, 404);
}

async fn a_test_asks_nobody(ana: &Stage<'_>) {
    let body = json!({ "playbook": "model-calls", "query": "how risky?", "inputs": filings() });
    let test = ana.who.post(&format!("/profiles/{}/test", ana.agent), &body).await;
    let test = test["id"].as_str().unwrap().to_owned();
    let done = ana.who.reaches(&test, "complete").await;
    assert_eq!(step(&done, "judge")["code"], "DRY_RUN", "{done:#}");
    let answer = output(&ana.who, &test, "judge").await;
    assert_eq!((&answer["risk"], &answer["reasons"]), (&json!(0), &json!([])));
    let would = &answer["_dry_run"]["would_ask"];
    assert_eq!(would["model"], "openai/tiny-judge", "{answer:#}");
    assert!(would["messages"][1]["content"].as_str().unwrap().contains("How risky"), "{would:#}");
    assert!(would["max_tokens"].as_u64().unwrap() > 8_192, "{would:#}");
    assert_eq!(ana.asked().await, 0, "a test has asked a model");
}

/// Replaces the deployment's list of models.
async fn list(there: &World, more: &Value) -> Result<Value, countersign_cli::CliError> {
    let door = admin(there);
    let seen = door.get("/api/admin/model-list").await.unwrap();
    let large = json!({ "model": "openai/large", "input_price": "100", "output_price": "1000" });
    let other = json!({ "model": "anthropic/other", "input_price": "1", "output_price": "5" });
    let models = json!([large, other]);
    let mut list = json!({ "currency": "USD", "models": models, "version": seen["version"] });
    list.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    door.put("/api/admin/model-list", &list).await
}

#[tokio::test]
async fn r_035_f_176_an_agent_asks_a_listed_model_within_a_budget_of_money() {
    let server = provider_server::start().await;
    let up = said(r#"{"risk": 8, "reasons": ["loans to officers"]}"#);
    Mock::given(method("POST")).respond_with(up).mount(&server).await;
    let there = deployment("countersign-model-list", &server, &[]).await;
    let ben = person_in(&there, "ben", &["global:analyst"]).await;
    let door = &ben.door;
    let wanting =
        json!({ "name": "A", "model_preference": "openai/large", "model_temperature": 0.3 });
    let profiles = format!("{FACTORY}/profiles");
    let no = refusal(door.post(&profiles, &wanting).await);
    assert_eq!((no.status, no.code.as_str()), (422, "PROFILE_INVALID"));
    assert_eq!(no.places, ["model_preference"]);
    assert_eq!(
        refusal(door.put("/api/admin/model-list", &json!({ "version": 0 })).await).status,
        403
    );

    let unpriced = json!({ "cost_per_run": "1", "models": [{ "model": "openai/large" }] });
    let no = refusal(list(&there, &unpriced).await);
    assert_eq!((no.status, no.places), (422, vec!["models[0].input_price".to_owned()]));
    list(&there, &json!({})).await.unwrap();

    let ana = Stage::new(&there, "ana", &wanting, &server).await;
    let (_, judge, calls) = ana.runs("complete").await;
    assert_eq!(judge["model"]["model_used"], "openai/large", "{judge:#}");
    assert_eq!((&calls[0]["counted_cost"], &calls[0]["currency"]), (&json!("0.07"), &json!("USD")));
    let body: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!((&body["model"], &body["temperature"]), (&json!("large"), &json!(0.3)));
    an_agent_chooses_a_model_of_another_provider(&there, &server).await;

    list(&there, &json!({ "cost_per_run": "5" })).await.unwrap();
    assert!(ana.fails("MODEL_BUDGET_SPENT").await.is_empty());
    let written = list(&there, &json!({ "cost_per_day": "5" })).await.unwrap();
    assert_eq!(written["warnings"][0]["path"], "models", "{written:#}");
    assert!(ana.fails("QUOTA_EXCEEDED").await.is_empty());
    let cleo = Stage::new(&there, "cleo", &json!({}), &server).await;
    cleo.fails("MODEL_PRICE_UNKNOWN").await;
    list(&there, &json!({ "models": [] })).await.unwrap();
    ana.fails("MODEL_NOT_ALLOWED").await;
    assert_eq!(ana.asked().await, 1, "nobody else was asked");
}

/// A test says whom the agent asks: a run would ask that provider at its own address.
async fn an_agent_chooses_a_model_of_another_provider(there: &World, server: &MockServer) {
    let other = json!({ "model_preference": "anthropic/other" });
    let dan = Stage::new(there, "dan", &other, server).await;
    let body = json!({ "playbook": "model-calls", "query": "how risky?", "inputs": filings() });
    let test = dan.who.post(&format!("/profiles/{}/test", dan.agent), &body).await;
    let test = test["id"].as_str().unwrap().to_owned();
    dan.who.reaches(&test, "complete").await;
    let would = &output(&dan.who, &test, "judge").await["_dry_run"]["would_ask"];
    assert_eq!(would["model"], "anthropic/other", "{would:#}");
}

/// A message of Anthropic's, as it is documented.
fn message(content: &Value, stop_reason: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "tiny-judge", "content": [content],
        "stop_reason": stop_reason, "usage": { "input_tokens": 200, "output_tokens": 30 },
    }))
}

#[tokio::test]
async fn f_056_anthropics_messages_are_spoken_with_their_waits_and_their_limits() {
    let server = provider_server::start().await;
    let busy = ResponseTemplate::new(529).insert_header("retry-after", "0");
    let answer = json!({ "risk": 3, "reasons": [] });
    let used = json!({ "type": "tool_use", "id": "toolu_1", "name": "answer", "input": answer });
    let cut = json!({ "type": "text", "text": "The charity" });
    for answer in [busy, message(&used, "tool_use"), message(&cut, "max_tokens")] {
        let asked = Mock::given(method("POST")).and(path("/v1/messages"));
        asked.respond_with(answer).up_to_n_times(1).mount(&server).await;
    }
    let there =
        deployment("countersign-model-messages", &server, &["ModelProvider=anthropic"]).await;
    let ana = Stage::new(&there, "ana", &json!({}), &server).await;
    let (run, judge, calls) = ana.runs("complete").await;
    assert_eq!(judge["model"]["model_used"], "anthropic/tiny-judge", "{judge:#}");
    assert_eq!(output(&ana.who, &run, "judge").await["risk"], 3);
    assert_eq!((&calls[0]["requests"], &calls[0]["counted_tokens"]), (&json!(2), &json!(230)));
    let calls = ana.fails("MODEL_ANSWER_CUT").await;
    assert_eq!(calls[0]["counted_tokens"], 230, "what was cut was paid for");
}

#[tokio::test]
async fn r_035_bedrock_is_asked_with_the_role_of_the_function() {
    let server = provider_server::start().await;
    let answer = json!({ "risk": 3, "reasons": [] });
    let used =
        json!({ "toolUse": { "toolUseId": "tooluse_1", "name": "answer", "input": answer } });
    let said = json!({
        "output": { "message": { "role": "assistant", "content": [used] } }, "stopReason": "tool_use",
        "usage": { "inputTokens": 200, "outputTokens": 30, "totalTokens": 230 },
    });
    let denied =
        json!({ "message": "You don't have access to the model with the specified model ID." });
    for (status, body) in [(200, said), (403, denied)] {
        let asked = Mock::given(method("POST")).and(path("/v1/model/tiny-judge/converse"));
        let answer = ResponseTemplate::new(status).set_body_json(body);
        asked.respond_with(answer).up_to_n_times(1).mount(&server).await;
    }
    let there = deployment("countersign-bedrock", &server, &["ModelProvider=bedrock"]).await;
    let ana = Stage::new(&there, "ana", &json!({}), &server).await;
    let (run, judge, calls) = ana.runs("complete").await;
    assert_eq!(judge["model"]["model_used"], "bedrock/tiny-judge", "{judge:#}");
    assert_eq!(output(&ana.who, &run, "judge").await["risk"], 3);
    assert_eq!(calls[0]["counted_tokens"], 230, "{calls:#?}");
    let sent = &server.received_requests().await.unwrap()[0];
    let signed = sent.headers.get("authorization").unwrap().to_str().unwrap();
    assert!(signed.starts_with("AWS4-HMAC-SHA256 Credential="), "{signed}");
    assert!(signed.contains("/us-east-1/bedrock/aws4_request"), "{signed}");
    ana.fails("MODEL_NOT_PERMITTED").await;
}
