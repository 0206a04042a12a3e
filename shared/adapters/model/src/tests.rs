use std::sync::Arc;
use std::time::Duration;

use countersign_connector::{DeploymentSecrets, Secret, SourceError};
use countersign_failure::Failure as _;
use countersign_http_out::{Egress, Policy};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{ChatRequest, Message, Model, ModelConfig, ModelError, Reply, Role};

const KEY: &str = "sk-a-key-nobody-may-see";

struct Secrets;

impl DeploymentSecrets for Secrets {
    fn secret<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Secret>, SourceError>> {
        let key = ["openai", "anthropic"].contains(&name).then(|| Secret::new(KEY.to_owned()));
        Box::pin(async move { Ok(key) })
    }
}

/// A turn with the model behind this address.
async fn chat(base: &str, allow_loopback: bool) -> Result<Reply, ModelError> {
    chat_with("openai", base, allow_loopback).await
}

async fn chat_with(provider: &str, base: &str, allow_loopback: bool) -> Result<Reply, ModelError> {
    let config = ModelConfig {
        provider: Some(provider.to_owned()),
        url: Some(base.to_owned()),
        name: Some("tiny".to_owned()),
    };
    let egress = Egress::new(Policy { allow_loopback });
    let Model::Provider(client) = config.model(egress, Arc::new(Secrets)).unwrap() else {
        panic!("not the provider")
    };
    let messages = [Message::new(Role::System, "Be brief."), Message::new(Role::User, "Hi?")];
    let schema = json!({ "type": "object" });
    client
        .chat(&ChatRequest {
            messages: &messages,
            schema: &schema,
            is_strict: true,
            max_tokens: 50,
            timeout: Duration::from_secs(20),
        })
        .await
}

fn completion(content: &Value, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "tiny-2026",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": content, "refusal": null }, "finish_reason": finish }],
        "usage": { "prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15 },
    })
}

fn said(content: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(completion(&json!(content), "stop"))
}

async fn server(answers: impl IntoIterator<Item = ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    for answer in answers {
        let mock = Mock::given(method("POST")).and(path("/v1/chat/completions"));
        mock.respond_with(answer).up_to_n_times(1).mount(&server).await;
    }
    server
}

/// What becomes of these answers of a provider, and how often it was asked.
async fn check(answers: Vec<ResponseTemplate>, expect: Result<&str, &str>, asked: usize) {
    let server = server(answers).await;
    let reply = chat(&format!("{}/v1", server.uri()), true).await;
    if let Err(error) = &reply {
        let told = format!("{error} {error:?} {:?}", error.help());
        assert!(!told.contains(KEY), "{told}");
    }
    let reply = reply.as_ref().map(|reply| reply.text.as_str()).map_err(ModelError::code);
    assert_eq!(reply, expect);
    assert_eq!(server.received_requests().await.unwrap().len(), asked);
}

#[tokio::test]
async fn f_056_a_turn_is_sent_as_documented_and_its_tokens_are_read() {
    let server = MockServer::start().await;
    let body = json!({
        "model": "tiny", "max_tokens": 50, "stream": false,
        "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Hi?" }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "answer", "schema": { "type": "object" }, "strict": true } },
    });
    let bearer = format!("Bearer {KEY}");
    let asked = Mock::given(method("POST")).and(path("/v1/chat/completions"));
    let asked = asked.and(header("authorization", bearer.as_str())).and(body_partial_json(body));
    asked.respond_with(said("{}")).expect(1).mount(&server).await;
    let reply = chat(&format!("{}/v1/", server.uri()), true).await.unwrap();
    let expect = Reply { text: "{}".to_owned(), input_tokens: Some(12), output_tokens: Some(3) };
    assert_eq!(reply, expect);
}

#[tokio::test]
async fn f_056_a_provider_that_is_throttled_or_fails_is_asked_again() {
    let throttled = || ResponseTemplate::new(429).insert_header("retry-after", "0");
    let fails = || ResponseTemplate::new(500);
    check(vec![throttled(), throttled(), said("a")], Ok("a"), 3).await;
    check(vec![throttled(), throttled(), throttled(), throttled()], Err("MODEL_THROTTLED"), 4)
        .await;
    check(vec![fails(), said("b")], Ok("b"), 2).await;
    check(vec![fails(), fails()], Err("MODEL_UNAVAILABLE"), 2).await;
    let patient = ResponseTemplate::new(429).insert_header("retry-after", "3600");
    check(vec![patient], Err("MODEL_THROTTLED"), 1).await;
}

#[tokio::test]
async fn f_056_what_will_not_change_is_not_asked_again() {
    let error = |status, message: &str| {
        ResponseTemplate::new(status).set_body_json(json!({ "error": { "message": message } }))
    };
    check(
        vec![error(401, "Incorrect API key provided: sk-a-key-nobody-may-see")],
        Err("MODEL_KEY_REJECTED"),
        1,
    )
    .await;
    check(
        vec![error(404, "no model `tiny` for sk-a-key-nobody-may-see")],
        Err("MODEL_REJECTED"),
        1,
    )
    .await;
    let whole = |body: &Value| ResponseTemplate::new(200).set_body_json(body);
    check(vec![whole(&completion(&json!("half"), "length"))], Err("MODEL_ANSWER_CUT"), 1).await;
    check(vec![whole(&completion(&json!(""), "content_filter"))], Err("MODEL_DECLINED"), 1).await;
    check(vec![whole(&completion(&Value::Null, "stop"))], Err("MODEL_ANSWER"), 1).await;
    check(vec![whole(&json!({ "choices": [] }))], Err("MODEL_ANSWER"), 1).await;
    check(vec![ResponseTemplate::new(200).set_body_string("<html>")], Err("MODEL_ANSWER"), 1).await;
}

#[tokio::test]
async fn f_056_a_server_that_knows_no_schema_is_asked_without() {
    let message = json!({ "error": { "message": "`response_format` is not supported" } });
    let server = server([ResponseTemplate::new(400).set_body_json(message), said("c")]).await;
    assert_eq!(chat(&format!("{}/v1", server.uri()), true).await.unwrap().text, "c");
    let asked = server.received_requests().await.unwrap();
    let bodies: Vec<Value> =
        asked.iter().map(|one| serde_json::from_slice(&one.body).unwrap()).collect();
    assert!(bodies[0].get("response_format").is_some());
    assert!(bodies[1].get("response_format").is_none());
}

#[tokio::test]
async fn k_38_an_answer_without_end_is_not_read_to_its_end() {
    let large = ResponseTemplate::new(200).set_body_bytes(vec![b' '; 4 * 1024 * 1024 + 1]);
    check(vec![large], Err("EGRESS_TOO_LARGE"), 1).await;
}

#[tokio::test]
async fn f_056_an_answer_that_breaks_off_is_no_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 64 * 1024];
            let _ = stream.read(&mut request).await;
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n";
            let _ = stream.write_all(format!("{head}{{\"choices\": [").as_bytes()).await;
        }
    });
    let error = chat(&format!("http://127.0.0.1:{port}"), true).await.unwrap_err();
    assert_eq!(error.code(), "EGRESS_NETWORK");
}

#[tokio::test]
async fn k_38_a_private_or_plain_address_is_not_called() {
    for base in [
        "http://127.0.0.1:9",
        "http://models.example/v1",
        "https://10.0.0.1/v1",
        "https://ollama.internal",
    ] {
        let error = chat(base, false).await.unwrap_err();
        assert_eq!(error.code(), "EGRESS_REFUSED", "{base}");
    }
}

#[tokio::test]
async fn f_056_anthropic_is_asked_in_its_own_form() {
    let server = MockServer::start().await;
    let body = json!({
        "model": "tiny", "max_tokens": 50, "system": "Be brief.",
        "messages": [{ "role": "user", "content": "Hi?" }],
        "tools": [{ "name": "answer", "input_schema": { "type": "object" } }],
        "tool_choice": { "type": "tool", "name": "answer" },
    });
    let asked = Mock::given(method("POST")).and(path("/v1/messages"));
    let asked = asked.and(header("x-api-key", KEY)).and(header("anthropic-version", "2023-06-01"));
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "tiny-2026",
        "content": [{ "type": "text", "text": "Well:" }, { "type": "tool_use", "id": "toolu_1", "name": "answer", "input": { "a": 1 } }],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": { "input_tokens": 12, "output_tokens": 3 },
    });
    let said = ResponseTemplate::new(200).set_body_json(answer);
    asked.and(body_partial_json(body)).respond_with(said).expect(1).mount(&server).await;
    let reply = chat_with("anthropic", &format!("{}/v1", server.uri()), true).await.unwrap();
    let expect =
        Reply { text: r#"{"a":1}"#.to_owned(), input_tokens: Some(12), output_tokens: Some(3) };
    assert_eq!(reply, expect);
}

#[tokio::test]
async fn f_056_what_anthropic_does_not_answer_is_told_apart() {
    let check = async |answers: Vec<ResponseTemplate>, expect: &str, asked: usize| {
        let server = MockServer::start().await;
        for answer in answers {
            let mock = Mock::given(path("/messages")).respond_with(answer);
            mock.up_to_n_times(1).mount(&server).await;
        }
        let error = chat_with("anthropic", &server.uri(), true).await.unwrap_err();
        assert_eq!(error.code(), expect);
        assert_eq!(server.received_requests().await.unwrap().len(), asked);
    };
    let error = |status| {
        let body = json!({ "type": "error", "error": { "type": "some_error", "message": "No." } });
        ResponseTemplate::new(status).set_body_json(body)
    };
    check(vec![error(529), error(529)], "MODEL_UNAVAILABLE", 2).await;
    check(vec![error(401)], "MODEL_KEY_REJECTED", 1).await;
    check(vec![error(400)], "MODEL_REJECTED", 1).await;
    let stopped = |reason: &str| {
        let body = json!({ "content": [{ "type": "text", "text": "a" }], "stop_reason": reason });
        ResponseTemplate::new(200).set_body_json(body)
    };
    check(vec![stopped("max_tokens")], "MODEL_ANSWER_CUT", 1).await;
    check(vec![stopped("refusal")], "MODEL_DECLINED", 1).await;
    check(vec![stopped("end_turn")], "MODEL_ANSWER", 1).await;
}

#[test]
fn r_035_settings_that_make_no_model_are_named() {
    let check = |given: [Option<&str>; 3], expect: Result<&str, &str>| {
        let [provider, url, name] = given.map(|one| one.map(str::to_owned));
        let config = ModelConfig { provider, url, name };
        let made = config.model(Egress::new(Policy::default()), Arc::new(Secrets));
        let made = made.map(|model| model.name()).map_err(|error| error.to_string());
        assert_eq!(made, expect.map(str::to_owned).map_err(str::to_owned));
    };
    check([None, None, None], Ok("extractive"));
    check([Some("extractive"), None, None], Ok("extractive"));
    check([Some("openai"), None, Some("gpt-5-mini")], Ok("openai/gpt-5-mini"));
    let name = "it must be the model's name, 1 to 100 visible characters";
    check([Some("openai"), None, None], Err(name));
    check([Some("openai"), None, Some("a b")], Err(name));
    check([None, None, Some("gpt")], Err("the built-in model has no other name"));
    check([None, Some("https://a.example"), None], Err("the built-in model has no address"));
    check([Some("anthropic"), None, Some("claude")], Ok("anthropic/claude"));
    let bard = "`bard` is not a provider: use `extractive`, `openai` or `anthropic`";
    check([Some("bard"), None, None], Err(bard));
    let plain = "it must be a plain address without user and query";
    check([Some("openai"), Some("https://me@a.example"), Some("a")], Err(plain));
}
