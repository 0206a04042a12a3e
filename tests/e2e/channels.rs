//! Messages to Telegram, Discord and Slack: signed as they are sent, sent once, and told as what became of them.
mod answers;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::case::{Person, person, refusal, step, until};
use crate::provider_server;
use crate::saboteur::kill_at;
use crate::world::world;

/// What a service does with a request.
enum Deed {
    /// Answers with a status, further headers and a body.
    Says(&'static str, &'static str, Value),
    /// Kills who asks.
    Kills,
}

/// A service on this machine that does one thing after the other, the last one again and again.
struct Service {
    port: u16,
    posts: Arc<Mutex<Vec<String>>>,
}

impl Service {
    async fn open(deeds: Vec<Deed>) -> Self {
        let listener = provider_server::listener();
        let port = listener.local_addr().unwrap().port();
        let posts: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, mut deeds) = (Arc::clone(&posts), VecDeque::from(deeds));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = whole(&mut stream).await;
                if !request.starts_with("POST") {
                    continue;
                }
                seen.lock().unwrap().push(request);
                let last = deeds.len() == 1;
                match deeds.front().unwrap() {
                    Deed::Says(status, headers, body) => {
                        answer(&mut stream, status, headers, body).await;
                    }
                    Deed::Kills => kill_at(&stream).expect("the function that sends is killed"),
                }
                if !last {
                    deeds.pop_front();
                }
            }
        });
        Self { port, posts }
    }

    async fn good(body: Value) -> Self {
        Self::open(vec![Deed::Says("200 OK", "", body)]).await
    }

    fn posts(&self) -> Vec<String> {
        self.posts.lock().unwrap().clone()
    }

    /// The only request: its first line and headers, and its body.
    fn only(&self) -> (String, Value) {
        let posts = self.posts();
        let [post] = posts.as_slice() else { panic!("{} posts", posts.len()) };
        let (head, body) = post.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), serde_json::from_str(body).unwrap())
    }
}

/// A request with its whole body.
async fn whole(stream: &mut TcpStream) -> String {
    let (mut seen, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let read = stream.read(&mut piece).await.unwrap_or(0);
        seen.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        let length = text.to_ascii_lowercase().split("content-length: ").nth(1).and_then(|rest| {
            rest.split("\r\n").next().and_then(|number| number.parse::<usize>().ok())
        });
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        if read == 0 || body.is_some_and(|body| body >= length.unwrap_or_default()) {
            return text;
        }
    }
}

async fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &Value) {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}

fn telegram_sent() -> Value {
    json!({
        "ok": true,
        "result": {
            "message_id": 4711, "date": 1_790_000_000, "text": "…",
            "from": { "id": 1, "is_bot": true, "first_name": "Desk" },
            "chat": { "id": -1_001_234_567_890_i64, "type": "supergroup", "title": "Desk" },
        },
    })
}

fn discord_sent() -> Value {
    json!({ "id": "1320000000000000001", "channel_id": "42", "content": "…", "type": 0, "flags": 4 })
}

fn slack_sent() -> Value {
    json!({ "ok": true, "channel": "C0123", "ts": "1790000000.000100", "message": { "text": "…" } })
}

/// Ana's agent with connectors of services, and Maria, who signs.
struct Desk {
    ana: Person,
    maria: Person,
    agent: String,
    token: String,
}

impl Desk {
    async fn with(services: &[(&str, &Service)]) -> Self {
        let maria = person("maria", &["global:analyst", "decide"]).await;
        let ana = person("ana", &["global:analyst"]).await;
        let agent = ana.agent(&[&maria]).await;
        let token = format!("123456:F073-{}", uuid::Uuid::now_v7().simple());
        for (channel, service) in services {
            let body = json!({
                "connector_id": channel, "credentials": { "token": token },
                "config_overrides": { "base_url": format!("http://127.0.0.1:{}", service.port) },
            });
            ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
        }
        Self { ana, maria, agent, token }
    }

    /// Starts a run that sends a message.
    async fn sends(&self, id: &str, params: &str, message: &str) -> String {
        self.ana.playbook(&playbook(id, params)).await;
        self.ana.start(&self.agent, id, json!({ "message": message })).await
    }

    /// Maria's request for a run, as she sees it, and her page.
    async fn asked(&self, run: &str) -> (String, Value) {
        let request = self.maria.request(run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = self.maria.get(&path).await;
        (path, seen)
    }

    async fn approve(&self, path: &str, seen: &Value) {
        let body = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&format!("{path}/approve"), &body).await;
    }

    /// Starts, signs, and waits for the end.
    async fn signed(&self, id: &str, params: &str, message: &str, state: &str) -> (String, Value) {
        let run = self.sends(id, params, message).await;
        let (path, seen) = self.asked(&run).await;
        self.approve(&path, &seen).await;
        let ended = self.ana.reaches(&run, state).await;
        (run, ended)
    }

    /// The request that asks what became of a call.
    async fn question(&self, run: &str) -> String {
        let question = until("the question what happened", || async {
            let page = self.maria.get("/approvals?status=pending").await;
            let mut items = page["items"].as_array().unwrap().iter();
            items.find(|item| item["run"] == run && item["kind"] == "outcome").cloned()
        })
        .await;
        format!("/approvals/{}", question["approval"].as_str().unwrap())
    }

    async fn ended(&self, run: &str) -> Value {
        until("the run is over", || async {
            let now = self.ana.run(run).await;
            let state = now["state"].as_str().unwrap_or_default();
            (!["running", "awaiting_approval"].contains(&state)).then_some(now)
        })
        .await
    }

    async fn output(&self, run: &str) -> Value {
        self.ana.get(&format!("/executions/{run}/outputs/tell")).await
    }

    /// Nobody was asked and nothing was sent: the run ended with this.
    async fn is_refused(&self, run: &str, why: &str, said: &str) {
        let ended = self.ana.reaches(run, "error").await;
        let text = ended.to_string();
        assert!(text.contains(why) && text.contains(said), "{ended:#}");
        let page = self.maria.get("/approvals?status=pending").await;
        let mut items = page["items"].as_array().unwrap().iter();
        assert!(!items.any(|item| item["run"] == run), "somebody is asked");
    }
}

fn playbook(id: &str, params: &str) -> String {
    format!(
        r#"
id: {id}
name: Tell the desk
description: Sends one message once somebody has signed.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: message, type: string, required: true}}
steps:
  - {{name: ask, step_type: approval, prompt: "Send this?"}}
  - name: tell
    step_type: tool
    action: send_channel_message
    inputs: {{message: "{{message}}"}}
    params: {{{params}}}
"#
    )
}

/// The fields that a signer sees, by section.
fn shown(seen: &Value) -> Vec<(String, String)> {
    let sends = &seen["effects"][0]["items"][0]["sends"];
    let sections = sends["sections"].as_array().unwrap().iter();
    let fields = sections.flat_map(|section| section["content"]["fields"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    fields.map(|field| (text(&field["name"]), text(&field["value"]))).collect()
}

/// The logs are found, and nothing of this text is in them.
async fn is_not_logged(text: &str) {
    until("the functions' logs", || async { logged("served").await.get(0).cloned() }).await;
    assert_eq!(logged(text).await, json!([]));
}

/// Every line of the functions' logs with this text.
async fn logged(text: &str) -> Value {
    let group = world().stack.output("FunctionLogGroup").unwrap();
    let pattern = format!("\"{text}\"");
    let ask =
        ["logs", "filter-log-events", "--log-group-name", group, "--filter-pattern", &pattern];
    world().aws(&ask).await.unwrap()["events"].clone()
}

#[tokio::test]
async fn f_073_a_message_to_telegram_is_what_was_signed_and_its_token_is_nowhere() {
    let service = Service::good(telegram_sent()).await;
    let desk = Desk::with(&[("telegram", &service)]).await;
    let params = "chat_id: '-1001234567890', format: markdown, silent: true";
    let message = "**Due**: 1 < 2, [bank](https://evil.example)";
    let run = desk.sends("tell-telegram", params, message).await;
    let (path, seen) = desk.asked(&run).await;
    let sends = &seen["effects"][0]["items"][0]["sends"];
    let url = format!("http://127.0.0.1:{}/bot{{token}}/sendMessage", service.port);
    assert_eq!(sends["target"]["url"], json!(url));
    assert_eq!(sends["target"]["path"], json!("/bot{token}/sendMessage"));
    assert_eq!(sends["via"], "telegram.send_message");
    let fields = shown(&seen);
    for (name, value) in [
        ("chat_id", "-1001234567890"),
        ("text", "<b>Due</b>: 1 &lt; 2, bank (https://evil.example)"),
        ("parse_mode", "HTML"),
        ("disable_notification", "true"),
        ("{token}", "the credential's token"),
    ] {
        let pair = (name.to_owned(), value.to_owned());
        assert!(fields.contains(&pair), "the signer does not see `{name}: {value}`: {fields:?}");
    }
    let link = desk.maria.link().await;
    let page = desk.maria.approver().open(&link).await.unwrap().html;
    assert!(page.contains("-1001234567890") && page.contains("sendMessage"), "{page}");
    desk.approve(&path, &seen).await;
    let ended = desk.ana.reaches(&run, "complete").await;
    let (head, body) = service.only();
    let first = format!("POST /bot{}/sendMessage HTTP/1.1", desk.token);
    assert!(head.starts_with(&first), "{head}");
    assert_eq!(
        body,
        json!({
            "chat_id": "-1001234567890", "text": "<b>Due</b>: 1 &lt; 2, bank (https://evil.example)",
            "parse_mode": "HTML", "disable_notification": true, "link_preview_options": { "is_disabled": true },
        })
    );
    let output = desk.output(&run).await;
    assert!(output.to_string().contains(r#""message_id":"4711""#), "{output:#}");
    let events = desk.ana.get(&format!("/executions/{run}/events")).await;
    let after = desk.maria.get(&path).await;
    for told in [&seen, &after, &ended, &output, &events, &json!(page)] {
        assert!(!told.to_string().contains(&desk.token), "the token is told: {told:#}");
    }
    is_not_logged(&desk.token).await;
}

#[tokio::test]
async fn f_073_messages_to_discord_and_slack_mention_nobody_and_hide_no_link() {
    let (discord, slack) = (Service::good(discord_sent()).await, Service::good(slack_sent()).await);
    let desk = Desk::with(&[("discord", &discord), ("slack", &slack)]).await;
    let message = "@everyone <!channel> *now* <https://evil.example|bank>";
    let params = "channel: discord, chat_id: '42', silent: true";
    let (run, _) = desk.signed("tell-discord", params, message, "complete").await;
    let (head, body) = discord.only();
    assert!(head.starts_with("POST /channels/42/messages HTTP/1.1"), "{head}");
    assert!(head.contains(&format!("Bot {}", desk.token)), "{head}");
    assert_eq!(
        body,
        json!({
            "content": r"@everyone \<!channel> \*now\* \<<https://evil.example>\|bank>",
            "flags": 4_100, "allowed_mentions": { "parse": [] },
        })
    );
    assert!(desk.output(&run).await.to_string().contains("1320000000000000001"));
    let params = "channel: slack, chat_id: C0123";
    let (run, _) = desk.signed("tell-slack", params, message, "complete").await;
    let (head, body) = slack.only();
    assert!(head.starts_with("POST /chat.postMessage HTTP/1.1"), "{head}");
    assert_eq!(
        body,
        json!({
            "channel": "C0123", "mrkdwn": false, "parse": "none",
            "text": "@everyone &lt;!channel&gt; *now* &lt;https://evil.example|bank&gt;",
            "link_names": false, "unfurl_links": false, "unfurl_media": false,
        })
    );
    let output = desk.output(&run).await.to_string();
    assert!(output.contains("1790000000.000100") && output.contains("slack"), "{output}");
    // Two channels and no name: nobody is asked.
    let run = desk.sends("tell-whom", "chat_id: '42'", "hello").await;
    desk.is_refused(&run, "does not say which", "discord, slack").await;
    let run = desk.sends("tell-nobody", "channel: telegram, chat_id: '42'", "hello").await;
    desk.is_refused(&run, "`tell`", "no connector `telegram`").await;
    let long = "x".repeat(2_001);
    let run = desk.sends("tell-much", "channel: discord, chat_id: '42'", &long).await;
    desk.is_refused(&run, "CHANNEL_MESSAGE", "as discord counts them, which takes 2000").await;
    for (params, place) in [
        ("channel: discord, chat_id: '42', format: html", "no messages in HTML"),
        ("channel: slack, chat_id: C0123, silent: true", "no silent messages"),
    ] {
        let body = json!({ "yaml": playbook("tell-wrong", params) });
        let path = format!("{}/playbooks", crate::case::FACTORY);
        let refused = refusal(desk.ana.door.post(&path, &body).await);
        assert!(refused.status == 422 && refused.said.contains(place), "{}", refused.said);
    }
    assert_eq!((discord.posts().len(), slack.posts().len()), (1, 1));
}

#[tokio::test]
async fn f_073_what_a_service_refuses_is_a_failed_step_and_what_it_throttles_is_sent_later() {
    let refusing = Service::good(json!({ "ok": false, "error": "channel_not_found" })).await;
    let desk = Desk::with(&[("slack", &refusing)]).await;
    let (_, ended) = desk.signed("tell-closed", "chat_id: C9", "hello", "error").await;
    let tell = step(&ended, "tell");
    assert_eq!((&tell["status"], &tell["code"]), (&json!("failed"), &json!("CONNECTOR_REFUSED")));
    assert!(tell["message"].as_str().unwrap().contains("channel_not_found"), "{tell:#}");
    assert_eq!(refusing.posts().len(), 1, "a refusal was sent again");
    let busy = Service::open(vec![
        Deed::Says(
            "429 Too Many Requests",
            "retry-after: 1\r\n",
            json!({ "message": "You are being rate limited.", "retry_after": 1.0, "global": false }),
        ),
        Deed::Says("200 OK", "", discord_sent()),
    ])
    .await;
    let desk = Desk::with(&[("discord", &busy)]).await;
    desk.signed("tell-busy", "chat_id: '42'", "hello", "complete").await;
    let posts = busy.posts();
    let [first, second] = posts.as_slice() else { panic!("{} posts", posts.len()) };
    assert_eq!(first, second, "something else was sent");
}

#[tokio::test]
async fn f_073_killed_after_sending_the_outcome_is_unknown_and_nothing_is_sent_again() {
    let service = Service::open(vec![Deed::Kills, Deed::Says("200 OK", "", telegram_sent())]).await;
    let desk = Desk::with(&[("telegram", &service)]).await;
    let params = "channel: telegram, chat_id: '7'";
    let yaml = playbook("tell-killed", params)
        .replace("    action: send", "    timeout_seconds: 3\n    action: send");
    desk.ana.playbook(&yaml).await;
    let run = desk.ana.start(&desk.agent, "tell-killed", json!({ "message": "hello" })).await;
    let (gate, seen) = desk.asked(&run).await;
    desk.approve(&gate, &seen).await;
    let path = desk.question(&run).await;
    let asked = desk.maria.get(&path).await;
    let body = json!({ "digest": asked["digest"], "version": asked["version"] });
    desk.maria.post(&format!("{path}/reject"), &body).await;
    let ended = desk.ended(&run).await;
    let tell = step(&ended, "tell");
    assert_eq!((&tell["status"], &tell["code"]), (&json!("unknown"), &json!("EFFECT_UNKNOWN")));
    assert_eq!(service.posts().len(), 1, "it was sent again without a yes");
    for told in [&asked, &ended] {
        assert!(!told.to_string().contains(&desk.token), "the token is told: {told:#}");
    }
    is_not_logged(&desk.token).await;
}
