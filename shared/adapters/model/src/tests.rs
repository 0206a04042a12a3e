use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use countersign_aws::AwsConfig;
use countersign_connector::{DeploymentSecrets, Secret, SourceFuture};
use countersign_failure::Failure as _;
use countersign_http_out::{Egress, Policy};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{
    ChatRequest, Message, Model, ModelConfig, ModelError, Models, Reply, Role, ToolSpec, Turn,
    Usage,
};

mod bedrock;
mod streamed;
mod tools;

const KEY: &str = "sk-a-key-nobody-may-see";

struct Secrets;

impl DeploymentSecrets for Secrets {
    fn secret<'a>(&'a self, name: &'a str) -> SourceFuture<'a, Option<Secret>> {
        let key = ["openai", "anthropic"].contains(&name).then(|| Secret::new(KEY.to_owned()));
        Box::pin(async move { Ok(key) })
    }
}

/// A function in AWS, with these credentials and region.
fn aws() -> AwsConfig {
    let credentials = Credentials::new("AKIDOFTHETEST", KEY, None, None, "the test");
    let config = aws_config::SdkConfig::builder().region(aws_config::Region::new("eu-west-1"));
    config.credentials_provider(SharedCredentialsProvider::new(credentials)).build().into()
}

/// A turn with the model behind this address.
async fn chat(base: &str, allow_loopback: bool) -> Turn {
    chat_with("openai", base, allow_loopback).await
}

async fn chat_with(provider: &str, base: &str, allow_loopback: bool) -> Turn {
    ask(models(provider, base, allow_loopback).own().clone(), None).await
}

/// A deployment whose own model is behind this address.
fn models(provider: &str, base: &str, allow_loopback: bool) -> Models {
    let config = ModelConfig {
        provider: Some(provider.to_owned()),
        url: Some(base.to_owned()),
        name: Some("tiny".to_owned()),
    };
    config.models(Egress::new(Policy { allow_loopback }), Arc::new(Secrets), &aws()).unwrap()
}

/// A turn about these messages: without tools, within 50 tokens and 20 seconds.
fn request<'r>(messages: &'r [Message], schema: &'r Value) -> ChatRequest<'r> {
    ChatRequest {
        messages,
        schema,
        tools: &[],
        may_ask: false,
        is_strict: true,
        temperature: None,
        max_tokens: 50,
        timeout: Duration::from_secs(20),
        follower: None,
    }
}

async fn ask(model: Model, temperature: Option<f64>) -> Turn {
    let Model::Provider(client) = model else { panic!("not the provider") };
    let messages = [Message::new(Role::System, "Be brief."), Message::new(Role::User, "Hi?")];
    let schema = json!({ "type": "object" });
    client.chat(&ChatRequest { temperature, ..request(&messages, &schema) }).await
}

/// The words of a reply.
fn text(reply: Result<Reply, ModelError>) -> Result<String, ModelError> {
    match reply? {
        Reply::Text(text) => Ok(text),
        Reply::Asks(asks) => panic!("{asks:?}"),
    }
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
    let server = MockServer::builder().start().await;
    for answer in answers {
        let mock = Mock::given(method("POST")).and(path("/v1/chat/completions"));
        mock.respond_with(answer).up_to_n_times(1).mount(&server).await;
    }
    server
}

/// What becomes of these answers of a provider, and how often it was asked.
async fn check(answers: Vec<ResponseTemplate>, expect: Result<&str, &str>, asked: usize) {
    let server = server(answers).await;
    let Turn { reply, requests, .. } = chat(&format!("{}/v1", server.uri()), true).await;
    if let Err(error) = &reply {
        let told = format!("{error} {error:?} {:?}", error.help());
        assert!(!told.contains(KEY), "{told}");
    }
    let told = text(reply);
    assert_eq!(told.as_deref().map_err(ModelError::code), expect);
    assert_eq!(usize::try_from(requests).unwrap(), asked);
    assert_eq!(server.received_requests().await.unwrap().len(), asked);
}

#[tokio::test]
async fn f_056_a_turn_is_sent_as_documented_and_its_tokens_are_read() {
    let server = MockServer::builder().start().await;
    let body = json!({
        "model": "tiny", "max_tokens": 50, "stream": false,
        "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Hi?" }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "answer", "schema": { "type": "object" }, "strict": true } },
    });
    let bearer = format!("Bearer {KEY}");
    let asked = Mock::given(method("POST")).and(path("/v1/chat/completions"));
    let asked = asked.and(header("authorization", bearer.as_str())).and(body_partial_json(body));
    asked.respond_with(said("{}")).expect(1).mount(&server).await;
    let turn = chat(&format!("{}/v1/", server.uri()), true).await;
    assert_eq!(text(turn.reply).unwrap(), "{}");
    assert_eq!(turn.usage, Usage::Said { input: 12, output: 3 });
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
async fn f_056_a_provider_that_asks_to_wait_longer_than_there_is_time_is_told_with_when() {
    for (status, says) in [(429, true), (503, true), (500, false)] {
        let answer = ResponseTemplate::new(status);
        let answer = if says { answer.insert_header("retry-after", "600") } else { answer };
        let server = server(vec![answer.clone(), answer.clone(), answer.clone(), answer]).await;
        let before = jiff::Timestamp::now();
        let reply = chat(&format!("{}/v1", server.uri()), true).await.reply;
        let told = reply.unwrap_err().to_string();
        let at = told.split_once("; it may be asked again at ").map(|(_, at)| at);
        let at: Option<jiff::Timestamp> = at.map(|at| at.parse().unwrap());
        let waits = at.map(|at| at.duration_since(before).as_secs());
        assert!(waits.is_none_or(|seconds| seconds >= 599), "{told}");
        assert_eq!(waits.is_some(), says, "{told}");
    }
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
async fn r_035_what_is_not_carried_out_uses_nothing_and_an_answer_that_is_no_use_is_paid_for() {
    let check = async |answer: ResponseTemplate, expect: Usage| {
        let server = MockServer::builder().start().await;
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        let turn = chat(&server.uri(), true).await;
        assert_eq!(turn.usage, expect, "{:?}", turn.reply);
    };
    for status in [400, 401, 404, 500, 503, 529] {
        check(ResponseTemplate::new(status), Usage::Nothing).await;
    }
    for status in [408, 502, 504, 524] {
        check(ResponseTemplate::new(status), Usage::Unknown).await;
    }
    let patient = ResponseTemplate::new(429).insert_header("retry-after", "3600");
    check(patient, Usage::Nothing).await;
    let paid = Usage::Said { input: 12, output: 3 };
    let whole = |body: &Value| ResponseTemplate::new(200).set_body_json(body);
    check(whole(&completion(&json!("half"), "length")), paid).await;
    check(whole(&completion(&json!(""), "content_filter")), paid).await;
    check(ResponseTemplate::new(200).set_body_string("<html>"), Usage::Unknown).await;
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let turn = chat(&format!("http://{closed}"), true).await;
    assert_eq!((turn.usage, turn.requests), (Usage::Nothing, 2), "{:?}", turn.reply);
}

#[tokio::test]
async fn r_035_what_a_gateway_had_no_answer_to_is_not_sent_again() {
    for status in [408, 502, 504, 524] {
        check(vec![ResponseTemplate::new(status)], Err("MODEL_UNAVAILABLE"), 1).await;
    }
}

#[tokio::test]
async fn f_056_a_server_that_asks_to_wait_is_waited_for_whatever_its_status() {
    let busy = || ResponseTemplate::new(503).insert_header("retry-after", "0");
    check(vec![busy(), busy(), busy(), said("a")], Ok("a"), 4).await;
    let long = ResponseTemplate::new(503).insert_header("retry-after", "3600");
    check(vec![long], Err("MODEL_UNAVAILABLE"), 1).await;
}

#[tokio::test]
async fn f_056_a_server_that_knows_no_schema_is_asked_without() {
    let message = json!({ "error": { "message": "`response_format` is not supported" } });
    let server = server([ResponseTemplate::new(400).set_body_json(message), said("c")]).await;
    let turn = chat(&format!("{}/v1", server.uri()), true).await;
    assert_eq!((text(turn.reply).unwrap().as_str(), turn.requests), ("c", 2));
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
    let accepted = Arc::new(AtomicUsize::new(0));
    let counted = accepted.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let mut request = vec![0; 64 * 1024];
            let _ = stream.read(&mut request).await;
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n";
            let _ = stream.write_all(format!("{head}{{\"choices\": [").as_bytes()).await;
        }
    });
    let turn = chat(&format!("http://127.0.0.1:{port}"), true).await;
    assert_eq!(turn.reply.unwrap_err().code(), "EGRESS_NETWORK");
    assert_eq!(turn.usage, Usage::Unknown);
    assert_eq!(accepted.load(Ordering::SeqCst), 1, "it may have been paid for");
}

#[tokio::test]
async fn k_38_a_private_or_plain_address_is_not_called() {
    for base in [
        "http://127.0.0.1:9",
        "http://models.example/v1",
        "https://10.0.0.1/v1",
        "https://ollama.internal",
    ] {
        let turn = chat(base, false).await;
        assert_eq!(turn.usage, Usage::Nothing);
        let error = turn.reply.unwrap_err();
        assert_eq!(error.code(), "EGRESS_REFUSED", "{base}");
    }
}

#[tokio::test]
async fn f_056_anthropic_is_asked_in_its_own_form() {
    let server = MockServer::builder().start().await;
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
    let turn = chat_with("anthropic", &format!("{}/v1", server.uri()), true).await;
    assert_eq!(text(turn.reply).unwrap(), r#"{"a":1}"#);
    assert_eq!(turn.usage, Usage::Said { input: 12, output: 3 });
}

#[tokio::test]
async fn f_056_what_anthropic_does_not_answer_is_told_apart() {
    let check = async |answers: Vec<ResponseTemplate>, expect: &str, asked: usize| {
        let server = MockServer::builder().start().await;
        for answer in answers {
            let mock = Mock::given(path("/messages")).respond_with(answer);
            mock.up_to_n_times(1).mount(&server).await;
        }
        let turn = chat_with("anthropic", &server.uri(), true).await;
        assert_eq!(turn.reply.unwrap_err().code(), expect);
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
        let made = config.models(Egress::new(Policy::default()), Arc::new(Secrets), &aws());
        let made = made.map(|models| models.own().name()).map_err(|error| error.to_string());
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
    check([Some("bedrock"), None, Some("eu.claude-v1:0")], Ok("bedrock/eu.claude-v1:0"));
    let bard = "`bard` is not a provider: use `extractive`, `openai`, `anthropic` or `bedrock`";
    check([Some("bard"), None, None], Err(bard));
    let plain = "it must be a plain address without user and query";
    check([Some("openai"), Some("https://me@a.example"), Some("a")], Err(plain));
}

#[tokio::test]
async fn r_035_another_model_is_asked_at_the_address_of_its_provider() {
    let server = server([said("a")]).await;
    let models = models("openai", &format!("{}/v1", server.uri()), true);
    let turn = ask(models.named("openai/large/2").unwrap(), Some(0.2)).await;
    assert_eq!(text(turn.reply).unwrap(), "a");
    let body: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!((&body["model"], &body["temperature"]), (&json!("large/2"), &json!(0.2)));
    let Some(Model::Provider(other)) = models.named("anthropic/claude") else { panic!("unknown") };
    assert_eq!(other.base.as_str(), "https://api.anthropic.com/v1/");
    assert_eq!(other.name(), "anthropic/claude");
    assert!(models.named("bard/a").is_none() && models.named("openai").is_none());
}
