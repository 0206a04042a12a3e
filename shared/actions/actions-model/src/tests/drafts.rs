//! What is shown of an answer while it is written.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;

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

/// A part of an answer, as its provider sends it.
fn part(text: &str) -> String {
    let chunk = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": null }] });
    format!("data: {chunk}\n\n")
}

fn end() -> String {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20 });
    let last = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": usage });
    format!("data: {last}\n\ndata: [DONE]\n\n")
}

/// A provider that writes one answer after the other: each in two parts, the second when the first has been shown.
async fn held(purse: Arc<Purse>, answers: Vec<[String; 2]>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for [first, rest] in answers {
            let (mut server, _) = listener.accept().await.unwrap();
            read_request(&mut server).await;
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            server.write_all(format!("{head}{first}").as_bytes()).await.unwrap();
            purse.seen.notified().await;
            server.write_all(rest.as_bytes()).await.unwrap();
        }
    });
    base
}

fn whole(first: &str, rest: &str) -> [String; 2] {
    [part(first), format!("{}{}", part(rest), end())]
}

/// What becomes of such answers, and what was shown of them.
async fn check(
    answers: Vec<[String; 2]>,
    expect: Result<&str, &str>,
    shown: &[Value],
) -> Arc<Purse> {
    let purse = purse(9);
    let base = held(purse.clone(), answers).await;
    let call = judge();
    let answered = tokio::time::timeout(Duration::from_secs(60), ask_at(&base, &purse, &call));
    let answered = answered.await.expect("each first part is shown");
    let answered = answered.map(|answered| answered.output["verdict"].as_str().unwrap().to_owned());
    assert_eq!(answered.as_deref().map_err(|error| error.code), expect);
    assert_eq!(*purse.shown.lock().unwrap(), shown);
    purse
}

#[tokio::test]
async fn r_101_a_part_of_an_answer_is_shown_before_the_rest_is_written() {
    let answer = whole(r#"{"score": 3, "verdict": "Not"#, r#" bad"}"#);
    let shown = [json!([1, { "verdict": "Not" }]), Value::Null];
    check(vec![answer], Ok("Not bad"), &shown).await;
}

#[tokio::test]
async fn r_101_an_answer_that_is_repaired_is_shown_anew() {
    let answers = vec![
        whole(r#"{"verdict": "Bad"#, r#"."}"#),
        whole(r#"{"verdict": "Good"#, r#"", "score": 1}"#),
    ];
    let shown = [
        json!([1, { "verdict": "Bad" }]),
        Value::Null,
        json!([2, { "verdict": "Good" }]),
        Value::Null,
    ];
    check(answers, Ok("Good"), &shown).await;
}

#[tokio::test]
async fn r_101_what_broke_off_is_not_shown_any_more() {
    let half = [part(r#"{"verdict": "Not"#), String::new()];
    let shown = [json!([1, { "verdict": "Not" }]), Value::Null];
    let purse = check(vec![half], Err("MODEL_BROKE_OFF"), &shown).await;
    assert_eq!(purse.ended.lock().unwrap()[0].status, ModelCallStatus::Failed);
}

#[tokio::test]
async fn r_101_an_answer_does_not_wait_for_what_cannot_be_shown() {
    let purse = Arc::new(Purse { never_shown: true, ..Purse::with(9) });
    let answer = whole(r#"{"verdict": "Not"#, r#" bad", "score": 3}"#);
    let base = held(purse.clone(), vec![answer]).await;
    let answered = ask_at(&base, &purse, &judge()).await.unwrap();
    assert_eq!(answered.output["verdict"], "Not bad");
    let ended = purse.ended.lock().unwrap();
    assert_eq!(ended[0].status, ModelCallStatus::Answered, "it is settled: {ended:?}");
}

/// A provider that begins an answer and never ends it.
async fn endless() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut server, _) = listener.accept().await.unwrap();
        read_request(&mut server).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        let first = part(r#"{"verdict": "Not"#);
        server.write_all(format!("{head}{first}").as_bytes()).await.unwrap();
        // Until whoever asked hangs up.
        while server.read_buf(&mut Vec::new()).await.is_ok_and(|read| read > 0) {}
    });
    base
}

#[tokio::test]
async fn an_answer_is_broken_off_when_its_run_is_cancelled() {
    let purse = Arc::new(Purse { is_cancelled: true, ..Purse::with(9) });
    let (base, call) = (endless().await, judge());
    let answered = tokio::time::timeout(Duration::from_secs(10), ask_at(&base, &purse, &call));
    let error = answered.await.expect("it is not waited for").unwrap_err();
    assert_eq!(error.code, "RUN_STOPPED");
    let ended = purse.ended.lock().unwrap()[0].clone();
    assert_eq!(
        (ended.status, ended.code.as_deref()),
        (ModelCallStatus::Failed, Some("RUN_STOPPED"))
    );
    let (reserved, counted) = purse.settled.lock().unwrap()[0];
    assert_eq!(counted, reserved, "nobody knows what it has used");
}

#[tokio::test]
async fn r_101_of_a_very_long_answer_the_beginning_is_shown() {
    let long = format!(r#"{}", "score": 1}}"#, "x".repeat(200_000));
    let purse = purse(9);
    let answer = whole(r#"{"verdict": "Long"#, &long);
    let base = held(purse.clone(), vec![answer]).await;
    let answered = ask_at(&base, &purse, &judge()).await.unwrap();
    assert_eq!(answered.output["verdict"].as_str().map(str::len), Some(200_004));
    let shown = purse.shown.lock().unwrap();
    assert_eq!(shown[0], json!([1, { "verdict": "Long" }]));
    let longest = shown.iter().filter_map(|draft| draft[1]["verdict"].as_str().map(str::len)).max();
    assert!(longest < Some(64 * 1024), "{longest:?}");
}

#[tokio::test]
async fn r_101_of_a_list_no_answer_is_shown() {
    let purse = purse(9);
    let server = provider(&[r#"{"verdict": "Good", "score": 1}"#]).await;
    let call = Call { is_for_each_item: true, ..judge() };
    ask(&server, &purse, &call).await.unwrap();
    assert!(purse.shown.lock().unwrap().is_empty());
    let sent: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!(sent["stream"], false);
}
