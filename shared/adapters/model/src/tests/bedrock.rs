//! Converse, as Amazon Bedrock documents it.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message as Frame};
use tokio::sync::mpsc::unbounded_channel;
use wiremock::Request;

use super::*;
use crate::ToolUse;

/// The name of a model has a colon, which stands in the path as `%3A`.
const MODEL: &str = "eu.anthropic.claude-v1:0";

fn client(server: &MockServer) -> Model {
    let config = ModelConfig {
        provider: Some("bedrock".to_owned()),
        url: Some(server.uri()),
        name: Some(MODEL.to_owned()),
    };
    let egress = Egress::new(Policy { allow_loopback: true });
    config.models(egress, Arc::new(Secrets), &aws()).unwrap().own().clone()
}

/// A turn after one in which a tool was used, and the parts of its answer when it is followed.
async fn turn(server: &MockServer, may_ask: bool, follows: bool) -> (Turn, Vec<String>) {
    let Model::Provider(client) = client(server) else { panic!("not the provider") };
    let ask =
        ToolUse { id: "call_0".to_owned(), tool: "look".to_owned(), arguments: json!({ "at": 1 }) };
    let messages = [
        Message::new(Role::System, "Be brief."),
        Message::new(Role::User, "Owls?"),
        Message::asking(vec![ask]),
        Message::result("call_0", "two owls"),
        Message::new(Role::User, "Answer now."),
    ];
    let schema = json!({ "type": "object" });
    let (name, description) = ("look".to_owned(), "Looks.".to_owned());
    let tools = [ToolSpec { name, description, schema: schema.clone() }];
    let (follower, mut parts) = unbounded_channel();
    let request = ChatRequest {
        tools: &tools,
        may_ask,
        temperature: Some(0.5),
        follower: follows.then_some(&follower),
        ..request(&messages, &schema)
    };
    let turn = client.chat(&request).await;
    (turn, std::iter::from_fn(|| parts.try_recv().ok()).collect())
}

async fn server_with(answers: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::builder().start().await;
    for answer in answers {
        let asked = Mock::given(method("POST")).respond_with(answer);
        asked.up_to_n_times(1).mount(&server).await;
    }
    server
}

fn answer(content: &Value, stop: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "output": { "message": { "role": "assistant", "content": content } }, "stopReason": stop,
        "usage": { "inputTokens": 12, "outputTokens": 3, "totalTokens": 15 }, "metrics": { "latencyMs": 9 },
    }))
}

fn used(name: &str, input: &Value) -> Value {
    json!({ "toolUse": { "toolUseId": "tooluse_1", "name": name, "input": input } })
}

fn header<'r>(request: &'r Request, name: &str) -> &'r str {
    request.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn r_035_f_056_converse_is_spoken_as_it_is_documented_and_signed() {
    let content = json!([{ "text": "I answer." }, used("answer", &json!({ "a": 1 }))]);
    let server = server_with(vec![answer(&content, "tool_use")]).await;
    let (turn, _) = turn(&server, false, false).await;
    assert_eq!(turn.reply.unwrap(), Reply::Text("{\"a\":1}".to_owned()));
    assert_eq!((turn.usage, turn.requests), (Usage::Said { input: 12, output: 3 }, 1));
    let sent = &server.received_requests().await.unwrap()[0];
    assert_eq!(sent.url.path(), "/model/eu.anthropic.claude-v1%3A0/converse");
    let signature = header(sent, "authorization");
    assert!(signature.starts_with("AWS4-HMAC-SHA256 Credential=AKIDOFTHETEST/"), "{signature}");
    assert!(signature.contains("/eu-west-1/bedrock/aws4_request"), "{signature}");
    assert!(!signature.contains(KEY), "{signature}");
    let body: Value = sent.body_json().unwrap();
    assert_eq!(body["system"], json!([{ "text": "Be brief." }]));
    let said = |role: &str, content: Value| json!({ "role": role, "content": content });
    let asked =
        json!([{ "toolUse": { "toolUseId": "call_0", "name": "look", "input": { "at": 1 } } }]);
    // What one side says twice in a row is one message.
    let told = json!([
        { "toolResult": { "toolUseId": "call_0", "content": [{ "text": "two owls" }] } },
        { "text": "Answer now." },
    ]);
    let owls = json!([{ "text": "Owls?" }]);
    let all = json!([said("user", owls), said("assistant", asked), said("user", told)]);
    assert_eq!(body["messages"], all);
    assert_eq!(body["inferenceConfig"], json!({ "maxTokens": 50, "temperature": 0.5 }));
    let config = &body["toolConfig"];
    assert_eq!(config["toolChoice"], json!({ "tool": { "name": "answer" } }));
    let look = &config["tools"][0]["toolSpec"];
    assert_eq!(
        (&look["name"], &look["inputSchema"]["json"]["type"]),
        (&json!("look"), &json!("object"))
    );
}

#[tokio::test]
async fn r_035_f_057_a_model_of_bedrock_asks_for_tools_or_answers_in_its_own_words() {
    let check = async |content: Value, expect: Reply| {
        let server = server_with(vec![answer(&content, "end_turn")]).await;
        let (turn, _) = turn(&server, true, false).await;
        assert_eq!(turn.reply.unwrap(), expect);
        let body: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
        assert_eq!(body["toolConfig"]["toolChoice"], json!({ "any": {} }));
    };
    let ask =
        ToolUse { id: "call_0".to_owned(), tool: "look".to_owned(), arguments: json!({ "at": 2 }) };
    check(json!([used("look", &json!({ "at": 2 }))]), Reply::Asks(vec![ask])).await;
    let words = json!([{ "reasoningContent": {} }, { "text": "{\"a\":" }, { "text": " 1}" }]);
    check(words, Reply::Text("{\"a\": 1}".to_owned())).await;
}

#[tokio::test]
async fn r_035_a_model_that_cannot_be_told_which_tool_to_use_is_not_told() {
    let message =
        "This model doesn't support the toolConfig.toolChoice.tool field. Remove it and try again.";
    let unknown = ResponseTemplate::new(400).set_body_json(json!({ "message": message }));
    let content = json!([{ "text": "{}" }]);
    let server = server_with(vec![unknown, answer(&content, "end_turn")]).await;
    let (turn, _) = turn(&server, false, false).await;
    assert_eq!((text(turn.reply).unwrap().as_str(), turn.requests), ("{}", 2));
    let again: Value = server.received_requests().await.unwrap()[1].body_json().unwrap();
    assert_eq!(again["toolConfig"]["toolChoice"], Value::Null);
    assert_eq!(again["toolConfig"]["tools"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn r_035_a_model_that_does_not_stream_or_knows_no_tools_is_asked_without() {
    let says =
        |message: &str| ResponseTemplate::new(400).set_body_json(json!({ "message": message }));
    let content = json!([{ "text": "{}" }]);
    let whole = says("This model doesn't support tool use in streaming mode.");
    let without = says("This model doesn't support tool use.");
    let server = server_with(vec![whole, without, answer(&content, "end_turn")]).await;
    let (turn, heard) = turn(&server, true, true).await;
    assert_eq!((text(turn.reply).unwrap().as_str(), turn.requests, heard.len()), ("{}", 3, 0));
    let sent = server.received_requests().await.unwrap();
    let paths: Vec<&str> =
        sent.iter().map(|one| one.url.path().rsplit('/').next().unwrap()).collect();
    assert_eq!(paths, ["converse-stream", "converse", "converse"]);
    let last: Value = sent[2].body_json().unwrap();
    assert_eq!(last["toolConfig"], Value::Null);
}

#[test]
fn r_035_k_38_what_is_signed_goes_to_aws_alone() {
    let check = |url: &str, fits: bool| {
        let config = ModelConfig {
            provider: Some("bedrock".to_owned()),
            url: Some(url.to_owned()),
            name: Some(MODEL.to_owned()),
        };
        let made = config.models(Egress::new(Policy::default()), Arc::new(Secrets), &aws());
        assert_eq!(made.is_ok(), fits, "{url}");
    };
    check("https://bedrock-runtime.eu-west-1.amazonaws.com", true);
    check("https://bedrock-runtime-fips.eu-west-1.amazonaws.com/", true);
    check("https://vpce-0a1-b2.bedrock-runtime.eu-west-1.vpce.amazonaws.com", true);
    check("http://127.0.0.1:8080/v1", true);
    check("https://bedrock-runtime.us-east-1.amazonaws.com", false);
    check("https://gateway.example/v1", false);
    check("https://bedrock-runtime.eu-west-1.amazonaws.com.gateway.example", false);
    check("https://gateway.example/bedrock-runtime.eu-west-1.amazonaws.com", false);
}

#[tokio::test]
async fn r_035_what_bedrock_refuses_says_why() {
    let check = async |answers: Vec<ResponseTemplate>, code: &str, asked: usize| {
        let server = server_with(answers).await;
        let (turn, _) = turn(&server, false, false).await;
        let error = turn.reply.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(server.received_requests().await.unwrap().len(), asked);
        error.to_string()
    };
    let says = |status, message: &str| {
        ResponseTemplate::new(status).set_body_json(json!({ "message": message }))
    };
    let arn = "User: arn:aws:sts::123456789012:assumed-role/a/b is not authorized";
    let said = check(vec![says(403, arn)], "MODEL_NOT_PERMITTED", 1).await;
    assert!(!said.contains("123456789012"), "{said}");
    check(vec![says(400, "The provided model identifier is invalid.")], "MODEL_REJECTED", 1).await;
    check(vec![says(503, "Later."), says(503, "Later.")], "MODEL_UNAVAILABLE", 2).await;
    let content = json!([{ "text": "{" }]);
    check(vec![answer(&content, "max_tokens")], "MODEL_ANSWER_CUT", 1).await;
    check(vec![answer(&content, "guardrail_intervened")], "MODEL_DECLINED", 1).await;
    check(vec![answer(&json!([]), "end_turn")], "MODEL_ANSWER", 1).await;
}

#[tokio::test]
async fn r_035_without_credentials_nothing_is_sent() {
    let server = server_with(Vec::new()).await;
    let Model::Provider(client) = client(&server) else { panic!("not the provider") };
    let aws = aws_config::SdkConfig::builder().region(aws_config::Region::new("eu-west-1")).build();
    let client = crate::Provider { aws: aws.into(), ..*client };
    let turn = ask(Model::Provider(Box::new(client)), None).await;
    assert_eq!((turn.usage, turn.reply.unwrap_err().code()), (Usage::Nothing, "MODEL_UNSIGNED"));
    assert!(server.received_requests().await.unwrap().is_empty());
}

fn frame(kind: &str, name: &str, payload: &Value) -> Vec<u8> {
    let text = |text: &str| HeaderValue::String(text.to_owned().into());
    let frame = Frame::new(payload.to_string())
        .add_header(Header::new(":message-type", text(kind)))
        .add_header(Header::new(format!(":{kind}-type"), text(name)))
        .add_header(Header::new(":content-type", text("application/json")));
    let mut bytes = Vec::new();
    write_message_to(&frame, &mut bytes).unwrap();
    bytes
}

fn event(name: &str, payload: &Value) -> Vec<u8> {
    frame("event", name, payload)
}

fn begun(name: &str) -> Vec<u8> {
    let start = json!({ "toolUse": { "toolUseId": "tooluse_1", "name": name } });
    event("contentBlockStart", &json!({ "contentBlockIndex": 0, "start": start }))
}

fn input(part: &str) -> Vec<u8> {
    let delta = json!({ "toolUse": { "input": part } });
    event("contentBlockDelta", &json!({ "contentBlockIndex": 0, "delta": delta, "p": "abcdef" }))
}

fn ended(stop: &str) -> Vec<u8> {
    let usage = json!({ "inputTokens": 12, "outputTokens": 3, "totalTokens": 15 });
    let metadata = json!({ "usage": usage, "metrics": { "latencyMs": 9 } });
    [
        event("contentBlockStop", &json!({ "contentBlockIndex": 0 })),
        event("messageStop", &json!({ "stopReason": stop })),
        event("metadata", &metadata),
    ]
    .concat()
}

async fn followed(frames: Vec<u8>) -> (Turn, Vec<String>) {
    let kind = "application/vnd.amazon.eventstream";
    let answer = ResponseTemplate::new(200).set_body_raw(frames, kind);
    let server = server_with(vec![answer]).await;
    let told = turn(&server, true, true).await;
    let sent = &server.received_requests().await.unwrap()[0];
    assert_eq!(sent.url.path(), "/model/eu.anthropic.claude-v1%3A0/converse-stream");
    told
}

#[tokio::test]
async fn r_035_r_101_an_answer_is_streamed_as_bedrock_documents_it() {
    let role = event("messageStart", &json!({ "role": "assistant" }));
    let parts = [input(""), input("{\"a\":"), input(" 1}")].concat();
    let frames = [role.clone(), begun("answer"), parts, ended("tool_use")].concat();
    let (turn, parts) = followed(frames).await;
    assert_eq!(turn.reply.unwrap(), Reply::Text("{\"a\":1}".to_owned()));
    assert_eq!(turn.usage, Usage::Said { input: 12, output: 3 });
    assert_eq!(parts, ["{\"a\":", " 1}"]);

    let asks = [role.clone(), begun("look"), input("{\"at\": 2}"), ended("tool_use")].concat();
    let ask =
        ToolUse { id: "call_0".to_owned(), tool: "look".to_owned(), arguments: json!({ "at": 2 }) };
    let (turn, parts) = followed(asks).await;
    assert_eq!((turn.reply.unwrap(), parts.len()), (Reply::Asks(vec![ask]), 0));

    let word = json!({ "contentBlockIndex": 0, "delta": { "text": "{}" } });
    let words = [role, event("contentBlockDelta", &word), ended("end_turn")].concat();
    let (turn, parts) = followed(words).await;
    assert_eq!((text(turn.reply).unwrap(), parts), ("{}".to_owned(), vec!["{}".to_owned()]));
}

#[tokio::test]
async fn r_035_r_101_an_answer_of_bedrock_that_breaks_off_is_no_answer() {
    let check = async |frames: Vec<u8>, code: &str| {
        let (turn, _) = followed(frames).await;
        let error = turn.reply.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!((turn.usage, turn.requests), (Usage::Unknown, 1));
        error.to_string()
    };
    let half = || [begun("answer"), input("{\"a\":")].concat();
    check(half(), "MODEL_BROKE_OFF").await;
    let slow = json!({ "message": "Too many tokens." });
    let exception = [half(), frame("exception", "throttlingException", &slow)].concat();
    let said = check(exception, "MODEL_BROKE_OFF").await;
    assert!(said.ends_with("Too many tokens."), "{said}");
    let text = |text: &str| HeaderValue::String(text.to_owned().into());
    let failed = Frame::new("")
        .add_header(Header::new(":message-type", text("error")))
        .add_header(Header::new(":error-code", text("InternalFailure")))
        .add_header(Header::new(":error-message", text("Something failed.")));
    let mut bytes = half();
    write_message_to(&failed, &mut bytes).unwrap();
    let said = check(bytes, "MODEL_BROKE_OFF").await;
    assert!(said.ends_with("Something failed."), "{said}");
    let mut damaged = input("1}");
    damaged[20] ^= 1;
    check([half(), damaged].concat(), "MODEL_ANSWER").await;
    check(input("{}"), "MODEL_ANSWER").await;
}
