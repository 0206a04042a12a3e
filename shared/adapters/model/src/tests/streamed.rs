//! Streamed answers, as each provider documents them.

use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;

use super::*;
use crate::ToolUse;

/// Asks and follows the answer.
async fn followed(provider: &str, base: &str) -> (Turn, Vec<String>) {
    let (follower, mut parts) = unbounded_channel();
    let model = models(provider, &format!("{base}/v1"), true).own().clone();
    let Model::Provider(client) = model else { panic!("not the provider") };
    let schema = json!({ "type": "object" });
    let messages = [Message::new(Role::User, "Hi?")];
    let tools = [ToolSpec {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        schema: schema.clone(),
    }];
    let request = ChatRequest {
        tools: &tools,
        may_ask: true,
        follower: Some(&follower),
        ..request(&messages, &schema)
    };
    let turn = client.chat(&request).await;
    (turn, all(&mut parts))
}

/// Reads a request to the end of its body: what is left unread would end the connection early.
async fn read_request(from: &mut TcpStream) {
    let mut request = Vec::new();
    while !is_whole(&request) {
        assert!(from.read_buf(&mut request).await.unwrap() > 0, "the request ends early");
    }
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| body.len() >= length.parse().unwrap())
}

fn all(parts: &mut UnboundedReceiver<String>) -> Vec<String> {
    std::iter::from_fn(|| parts.try_recv().ok()).collect()
}

fn stream(events: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(events.as_bytes(), "text/event-stream; charset=utf-8")
}

/// The events of a chat completion with these deltas and this end.
fn chunks(deltas: &[Value], end: &str) -> String {
    let chunk = |delta: &Value| {
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "tiny-2026",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": null }], "usage": null,
        });
        format!("data: {chunk}\n\n")
    };
    deltas.iter().map(chunk).collect::<String>() + end
}

/// The last events of a chat completion.
fn finish(reason: &str) -> String {
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 12, "completion_tokens": 3 } });
    format!("data: {last}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

/// The events of a message.
fn events(events: &[Value]) -> String {
    let named =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(named).collect()
}

fn begun() -> Value {
    json!({ "type": "message_start", "message": { "id": "msg_1", "content": [], "usage": { "input_tokens": 12, "output_tokens": 1 } } })
}

fn block(index: u32, name: &str) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": { "type": "tool_use", "id": "toolu_1", "name": name, "input": {} } })
}

fn input(index: u32, json: &str) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": json } })
}

fn stopped(reason: &str) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 3 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn said(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| json!({ "content": word })).collect()
}

/// What comes of such an answer, and its parts.
async fn check(provider: &str, answer: &str, expect: Reply, parts: &[&str]) {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST")).respond_with(stream(answer)).expect(1).mount(&server).await;
    let (turn, heard) = followed(provider, &server.uri()).await;
    assert_eq!(turn.reply.unwrap(), expect);
    assert_eq!((turn.usage, turn.requests), (Usage::Said { input: 12, output: 3 }, 1));
    assert_eq!(heard, parts);
    let sent: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!(sent["stream"], true);
}

/// Answers that are none: the code, and that they were paid for and not asked for again.
async fn check_broken(provider: &str, answer: ResponseTemplate, code: &str) {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST")).respond_with(answer).expect(1).mount(&server).await;
    let (turn, _) = followed(provider, &server.uri()).await;
    let error = turn.reply.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert_eq!((turn.usage, turn.requests), (Usage::Unknown, 1));
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
}

#[tokio::test]
async fn r_101_an_answer_is_streamed_as_openai_documents_it() {
    let mut deltas = vec![json!({ "role": "assistant", "content": "", "refusal": null })];
    deltas.extend(said(&["{\"answer\": ", "\"Zwölf", " Eulen\"}"]));
    let expect = Reply::Text("{\"answer\": \"Zwölf Eulen\"}".to_owned());
    let parts = ["{\"answer\": ", "\"Zwölf", " Eulen\"}"];
    check("openai", &chunks(&deltas, &finish("stop")), expect.clone(), &parts).await;
    // Some servers end with the connection, and some send comments.
    let end = finish("stop").replace("data: [DONE]\n\n", ": bye\n\n");
    check("openai", &chunks(&deltas, &end), expect, &parts).await;
}

#[tokio::test]
async fn r_101_f_057_calls_of_tools_are_streamed_as_openai_documents_it() {
    let call = |part: Value| json!({ "tool_calls": [part] });
    let deltas = [
        call(
            json!({ "index": 0, "id": "x", "type": "function", "function": { "name": "look", "arguments": "" } }),
        ),
        call(json!({ "index": 0, "function": { "arguments": "{\"at\":" } })),
        call(json!({ "index": 1, "id": "y", "type": "function", "function": { "name": "look" } })),
        call(json!({ "index": 0, "function": { "arguments": "1}" } })),
    ];
    let used =
        |n, arguments| ToolUse { id: format!("call_{n}"), tool: "look".to_owned(), arguments };
    let expect = Reply::Asks(vec![used(0, json!({ "at": 1 })), used(1, json!({}))]);
    check("openai", &chunks(&deltas, &finish("tool_calls")), expect, &[]).await;
}

#[tokio::test]
async fn r_101_f_057_calls_of_servers_that_number_them_otherwise_are_told_apart() {
    let call = |part: Value| json!({ "tool_calls": [part] });
    let part = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    let used = |n, at: u32| {
        let (id, tool) = (format!("call_{n}"), "look".to_owned());
        ToolUse { id, tool, arguments: json!({ "at": at }) }
    };
    let expect = || Reply::Asks(vec![used(0, 1), used(1, 2)]);
    // All have one number; none has one; neither number nor id, and objects instead of texts.
    let numbered = |id: &str, at: u32| {
        call(
            json!({ "index": 0, "id": id, "function": part("look", json!(format!("{{\"at\": {at}}}"))) }),
        )
    };
    let deltas = [numbered("x", 1), numbered("y", 2)];
    check("openai", &chunks(&deltas, &finish("tool_calls")), expect(), &[]).await;
    let named = |id: &str, arguments: &str| {
        call(json!({ "id": id, "function": part("look", json!(arguments)) }))
    };
    let deltas = [named("x", "{\"at\":"), named("x", " 1}"), named("y", "{\"at\": 2}")];
    check("openai", &chunks(&deltas, &finish("tool_calls")), expect(), &[]).await;
    let bare = |at: u32| call(json!({ "function": part("look", json!({ "at": at })) }));
    check("openai", &chunks(&[bare(1), bare(2)], &finish("tool_calls")), expect(), &[]).await;
}

/// A provider that sends this much of an answer, and then its connection ends.
async fn ending_after(sent: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut server, _) = listener.accept().await.unwrap();
        read_request(&mut server).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let cut = format!("{head}{:x}\r\n{sent}\r\n", sent.len());
        server.write_all(cut.as_bytes()).await.unwrap();
    });
    base
}

#[tokio::test]
async fn r_101_a_connection_that_ends_in_the_middle_is_told_apart_from_none() {
    let base = ending_after(chunks(&said(&["{\"answer\": \"One"]), "")).await;
    let (turn, heard) = followed("openai", &base).await;
    assert_eq!(turn.reply.unwrap_err().code(), "MODEL_BROKE_OFF");
    assert_eq!((turn.usage, heard.len()), (Usage::Unknown, 1));
}

#[tokio::test]
async fn r_101_an_answer_that_the_model_has_finished_is_not_lost_with_its_connection() {
    let finished = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let sent = format!("{}data: {finished}\n\n", chunks(&said(&["{\"answer\": \"One\"}"]), ""));
    let (turn, _) = followed("openai", &ending_after(sent).await).await;
    assert_eq!(turn.reply.unwrap(), Reply::Text("{\"answer\": \"One\"}".to_owned()));
    assert_eq!(turn.usage, Usage::Unknown, "what it cost was not said");

    let ended = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let sent = events(&[begun(), block(0, "answer"), input(0, "{\"a\": 1}"), ended]);
    let (turn, _) = followed("anthropic", &ending_after(sent).await).await;
    assert_eq!(turn.reply.unwrap(), Reply::Text("{\"a\":1}".to_owned()));
}

#[tokio::test]
async fn r_101_an_answer_is_streamed_as_anthropic_documents_it() {
    let words = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
    let word = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "I answer." } });
    let mut all = vec![begun(), json!({ "type": "ping" }), words, word, block(1, "answer")];
    all.extend([input(1, ""), input(1, "{\"a\":"), json!({ "type": "later" }), input(1, " 1}")]);
    all.push(json!({ "type": "content_block_stop", "index": 1 }));
    all.extend(stopped("tool_use"));
    let expect = Reply::Text("{\"a\":1}".to_owned());
    check("anthropic", &events(&all), expect, &["{\"a\":", " 1}"]).await;
    let mut asks = vec![begun(), block(0, "look"), input(0, "{\"at\": 1}"), block(1, "look")];
    asks.extend(stopped("tool_use"));
    let used =
        |n, arguments| ToolUse { id: format!("call_{n}"), tool: "look".to_owned(), arguments };
    let expect = Reply::Asks(vec![used(0, json!({ "at": 1 })), used(1, json!({}))]);
    check("anthropic", &events(&asks), expect, &[]).await;
}

#[tokio::test]
async fn r_101_an_answer_that_breaks_off_is_no_answer_and_is_not_asked_for_again() {
    let half = || chunks(&said(&["{\"answer\": ", "\"Zw"]), "");
    let error = json!({ "error": { "message": format!("overloaded, key {KEY}"), "code": 500 } });
    let with_error = format!("{}data: {error}\n\n", half());
    check_broken("openai", stream(&half()), "MODEL_BROKE_OFF").await;
    check_broken("openai", stream(&with_error), "MODEL_BROKE_OFF").await;
    check_broken("openai", stream("data: {\"choices\": 1}\n\n"), "MODEL_ANSWER").await;
    check_broken("openai", stream(""), "MODEL_BROKE_OFF").await;
    let half = [begun(), block(0, "answer"), input(0, "{\"a\": ")];
    let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": format!("Overloaded {KEY}") } });
    check_broken("anthropic", stream(&events(&half)), "MODEL_BROKE_OFF").await;
    let with_error = events(&[&half[..], &[overloaded]].concat());
    check_broken("anthropic", stream(&with_error), "MODEL_BROKE_OFF").await;
    check_broken("anthropic", stream(&events(&[begun(), input(3, "{}")])), "MODEL_ANSWER").await;
    let endless = format!("data: {}", "x".repeat(2 * 1024 * 1024));
    check_broken("openai", stream(&endless), "MODEL_ANSWER").await;
    let many = chunks(&said(&["{\"answer\": \""]), "") + &": and so on\n".repeat(800_000);
    check_broken("openai", stream(&many), "EGRESS_TOO_LARGE").await;
}

#[tokio::test]
async fn r_101_an_answer_that_was_cut_or_declined_says_so_when_it_is_streamed_too() {
    for (reason, code) in [("length", "MODEL_ANSWER_CUT"), ("content_filter", "MODEL_DECLINED")] {
        let server = MockServer::builder().start().await;
        let answer = stream(&chunks(&said(&["{"]), &finish(reason)));
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        let (turn, _) = followed("openai", &server.uri()).await;
        assert_eq!(turn.reply.unwrap_err().code(), code);
        assert_eq!(turn.usage, Usage::Said { input: 12, output: 3 });
    }
}

#[tokio::test]
async fn r_101_servers_that_do_not_stream_are_understood_as_well() {
    // One that does not know what it is asked for says so.
    let message = "Unrecognized request argument supplied: stream_options";
    let unknown =
        ResponseTemplate::new(400).set_body_json(json!({ "error": { "message": message } }));
    let plain = super::said("{}");
    let server = server([unknown, plain]).await;
    let (turn, heard) = followed("openai", &server.uri()).await;
    assert_eq!((text(turn.reply).unwrap().as_str(), turn.requests), ("{}", 2));
    assert_eq!(heard, Vec::<String>::new());
    let again: Value = server.received_requests().await.unwrap()[1].body_json().unwrap();
    assert_eq!((&again["stream"], &again["stream_options"]), (&json!(false), &Value::Null));
    // Another one answers at once.
    let server = super::server([super::said("{}")]).await;
    let (turn, heard) = followed("openai", &server.uri()).await;
    assert_eq!((text(turn.reply).unwrap().as_str(), heard.len()), ("{}", 0));
}

#[tokio::test]
async fn r_101_a_part_is_there_before_the_provider_has_sent_the_next() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (seen, was_seen) = oneshot::channel();
    tokio::spawn(async move {
        let (mut server, _) = listener.accept().await.unwrap();
        read_request(&mut server).await;
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let first = format!("{head}{}", chunks(&said(&["{\"answer\": \"One"]), ""));
        server.write_all(first.as_bytes()).await.unwrap();
        // The rest is sent when the first part has been seen, and not before.
        was_seen.await.unwrap();
        let rest = chunks(&said(&[" two\"}"]), &finish("stop"));
        server.write_all(rest.as_bytes()).await.unwrap();
    });
    let (follower, mut parts) = unbounded_channel();
    let model = models("openai", &format!("http://127.0.0.1:{port}/v1"), true).own().clone();
    let Model::Provider(client) = model else { panic!("not the provider") };
    let messages = [Message::new(Role::User, "Hi?")];
    let schema = json!({ "type": "object" });
    let request = ChatRequest { follower: Some(&follower), ..request(&messages, &schema) };
    let follow = async {
        assert_eq!(parts.recv().await.unwrap(), "{\"answer\": \"One");
        seen.send(()).unwrap();
    };
    let (turn, ()) = tokio::join!(client.chat(&request), follow);
    assert_eq!(text(turn.reply).unwrap(), "{\"answer\": \"One two\"}");
}
