//! The model that both sides ask: it asks for two tools, and answers when it has their results. It streams when it is asked to.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::super::server;
use crate::error::CliError;

/// What every answer says.
pub(super) const ANSWER: &str = "The two largest are Owl and Harbor.";

/// A question with this word is answered in two parts, with a pause between them in which the first is seen.
pub(super) const SLOWLY: &str = "SLOWLY";

/// How long the second part lets wait.
const PAUSE: Duration = Duration::from_millis(1_500);

/// No request of the benchmark is larger.
const MAX_REQUEST: usize = 1024 * 1024;

/// A model that answers for as long as the benchmark runs.
pub(super) struct Provider {
    pub(super) port: u16,
    /// When the first part of the last slow answer was sent.
    pub(super) first_part: Arc<Mutex<Option<Instant>>>,
}

/// Opens it.
pub(super) async fn serve() -> Result<Provider, CliError> {
    let (listener, port) = server::listener("opening a model for the benchmark").await?;
    let first_part = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&first_part);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let seen = Arc::clone(&seen);
            // A connection that ends early is the other side's affair.
            tokio::spawn(async move { drop(converse(stream, &seen).await) });
        }
    });
    Ok(Provider { port, first_part })
}

/// Answers one request after the other.
async fn converse(mut stream: TcpStream, seen: &Mutex<Option<Instant>>) -> std::io::Result<()> {
    let mut read = Vec::new();
    while let Some(request) = request(&mut stream, &mut read).await? {
        let (parts, is_slow) = (answer(&request), request.to_string().contains(SLOWLY));
        if request["stream"] != true {
            let body = parts.whole.to_string();
            let head = head("application/json", &format!("content-length: {}", body.len()));
            stream.write_all(format!("{head}{body}").as_bytes()).await?;
            continue;
        }
        stream
            .write_all(head("text/event-stream", "transfer-encoding: chunked").as_bytes())
            .await?;
        for (nth, event) in parts.events.iter().enumerate() {
            if is_slow && nth == 1 {
                tokio::time::sleep(PAUSE).await;
            }
            stream.write_all(chunk(event).as_bytes()).await?;
            if is_slow && nth == 0 {
                *seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                    Some(Instant::now());
            }
        }
        stream.write_all(b"0\r\n\r\n").await?;
    }
    Ok(())
}

fn head(kind: &str, length: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n{length}\r\n\r\n")
}

fn chunk(event: &str) -> String {
    let event = format!("data: {event}\n\n");
    format!("{:x}\r\n{event}\r\n", event.len())
}

/// The body of the next request; none at the end of the connection.
async fn request(stream: &mut TcpStream, read: &mut Vec<u8>) -> std::io::Result<Option<Value>> {
    loop {
        if let Some((body, rest)) = whole(read) {
            *read = rest;
            return Ok(Some(body));
        }
        let mut part = vec![0; 64 * 1024];
        let length = stream.read(&mut part).await?;
        if length == 0 || read.len() > MAX_REQUEST {
            return Ok(None);
        }
        read.extend_from_slice(&part[..length]);
    }
}

/// The body of a request, and what follows it; none while a part is missing.
fn whole(read: &[u8]) -> Option<(Value, Vec<u8>)> {
    let end = read.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"))?;
    let length: usize = length.trim().parse().ok()?;
    let body = read.get(end..end + length)?;
    Some((serde_json::from_slice(body).unwrap_or_default(), read[end + length..].to_vec()))
}

struct Parts {
    whole: Value,
    events: Vec<String>,
}

/// What is answered, whole and as the events of a stream.
fn answer(request: &Value) -> Parts {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has_results = messages.iter().any(|message| message["role"] == "tool");
    let asks = request.get("tools").is_some() && !has_results;
    let (words, calls) = match asks {
        true => (Value::Null, calls()),
        false => (json!({ "answer": ANSWER }).to_string().into(), Value::Null),
    };
    let reason = if asks { "tool_calls" } else { "stop" };
    let usage = json!({ "prompt_tokens": 900, "completion_tokens": 60 });
    let message = json!({ "role": "assistant", "content": words, "tool_calls": calls });
    let whole = json!({ "choices": [{ "index": 0, "message": message, "finish_reason": reason }], "usage": usage });
    let deltas = match words.as_str().and_then(|words| words.split_at_checked(words.len() / 2)) {
        Some((first, rest)) => vec![json!({ "content": first }), json!({ "content": rest })],
        None => vec![json!({ "tool_calls": calls })],
    };
    let delta = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let ends = [last, json!({ "choices": [], "usage": usage })];
    let events = deltas.into_iter().map(delta).chain(ends).map(|event| event.to_string());
    Parts { whole, events: events.chain(["[DONE]".to_owned()]).collect() }
}

/// Two calls, each over the rows that the model writes.
fn calls() -> Value {
    let call = |nth: usize| {
        let rows: Vec<Value> = (0..20)
            .map(|row| json!({ "name": format!("Fund {row}"), "amount": row * 7919 % 100 }))
            .collect();
        let operations = json!([{ "type": "sort", "field": "amount", "direction": "desc" }, { "type": "limit", "value": 2 + nth }]);
        let arguments = json!({ "data": rows, "operations": operations }).to_string();
        json!({ "index": nth, "id": format!("call_{nth}"), "type": "function", "function": { "name": "transform_data", "arguments": arguments } })
    };
    (0..2).map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::{ANSWER, answer, whole};
    use serde_json::json;

    #[test]
    fn it_asks_for_tools_first_and_answers_then() {
        let first = answer(&json!({ "messages": [{ "role": "user" }], "tools": [] })).whole;
        let calls = first["choices"][0]["message"]["tool_calls"].as_array();
        assert_eq!(calls.map(Vec::len), Some(2));
        let then = answer(&json!({ "messages": [{ "role": "tool" }], "tools": [] }));
        let words = then.whole["choices"][0]["message"]["content"].as_str();
        assert!(words.is_some_and(|words| words.contains(ANSWER)));
        assert_eq!(then.events.len(), 5, "two parts, the end, the usage, and the last word");
    }

    #[test]
    fn a_request_is_read_when_all_of_it_is_there() {
        let text = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}POST";
        assert_eq!(whole(&text[..text.len() - 5]), None);
        assert_eq!(whole(text), Some((json!({}), b"POST".to_vec())));
    }
}
