//! What a model has written is seen before its answer is complete: at the API, through a connection, and at a terminal.

use std::process::Stdio;
use std::sync::Arc;

use countersign_cli::connection::Connection;
use countersign_cli::token::login;
use countersign_identity::Scopes;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::case::{PATIENCE, Person, person_in, step, until};
use crate::models::{deployment_at, filings, output};
use crate::provider_server;
use crate::world::World;

pub(crate) const REPORT: &str = r#"
id: drafted
name: Report
description: Writes a report.
version: 1.0.0
inputs:
  - {name: filings, type: list, required: true}
steps:
  - name: write
    step_type: llm_task
    action: synthesize_report
    inputs: {data: "{filings}"}
    params: {instructions: What the filings say.}
    on_error: stop
    retry_count: 1
    output_schema: {type: object, fields: [{name: report, type: string}]}
"#;

/// A provider that writes an answer when the test does.
pub(crate) struct Provider {
    pub(crate) base: String,
    /// What is written next; nothing more of the answer after a `None`.
    pen: UnboundedSender<Option<String>>,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let listener = provider_server::listener();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (pen, written) = unbounded_channel();
        let written = Arc::new(Mutex::new(written));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, written.clone()));
            }
        });
        Self { base, pen }
    }

    pub(crate) fn writes(&self, text: &str) {
        let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] });
        self.pen.send(Some(format!("data: {chunk}\n\n"))).unwrap();
    }

    pub(crate) fn ends(&self) {
        let usage = json!({ "prompt_tokens": 300, "completion_tokens": 40 });
        let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }], "usage": usage });
        self.pen.send(Some(format!("data: {last}\n\ndata: [DONE]\n\n"))).unwrap();
        self.breaks_off();
    }

    fn breaks_off(&self) {
        self.pen.send(None).unwrap();
    }
}

async fn answer(mut stream: TcpStream, written: Arc<Mutex<UnboundedReceiver<Option<String>>>>) {
    let mut request = Vec::new();
    while !is_whole(&request) && stream.read_buf(&mut request).await.is_ok_and(|read| read > 0) {}
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let _ = stream.write_all(head.as_bytes()).await;
    while let Some(Some(text)) = written.lock().await.recv().await {
        let _ = stream.write_all(text.as_bytes()).await;
    }
}

/// What is left unread would end the connection early.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| body.len() >= length.parse().unwrap())
}

/// A person, what is sent to them, and the provider that they wait for.
struct Stage {
    there: World,
    provider: Provider,
    ana: Person,
    agent: String,
}

impl Stage {
    async fn start(&self) -> String {
        self.ana.start(&self.agent, "drafted", filings()).await
    }

    /// The run, once its model has written so much.
    async fn shows(&self, run: &str, report: &str) -> Value {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let mut now = self.ana.run(run).await;
        while now.pointer("/drafts/0/texts/report").and_then(Value::as_str) != Some(report) {
            assert!(tokio::time::Instant::now() < deadline, "{now:#}");
            let version = now["version"].as_str().unwrap();
            now = self.ana.get(&format!("/executions/{run}?after={version}&wait=20")).await;
        }
        now
    }
}

/// The next part of a draft that comes through a connection.
async fn part(connection: &mut Connection) -> Value {
    let found = timeout(PATIENCE, async {
        loop {
            let message = connection.next().await.unwrap().expect("the connection is open");
            if message["type"] == "draft.written" {
                return message;
            }
        }
    });
    found.await.expect("a part of the answer comes")
}

#[tokio::test]
async fn a_153_r_101_r_102_an_answer_is_seen_while_its_model_writes_it() {
    let provider = Provider::start();
    let there = deployment_at("countersign-drafts", &provider.base, &[]).await;
    let ana = person_in(&there, "ana", &["global:analyst"]).await;
    ana.playbook(REPORT).await;
    let agent = ana.agent(&[]).await;
    let stage = Stage { there, provider, ana, agent };
    it_is_at_the_api_and_comes_through_connections(&stage).await;
    what_breaks_off_is_gone(&stage).await;
    it_is_shown_at_a_terminal(&stage).await;
}

async fn it_is_at_the_api_and_comes_through_connections(stage: &Stage) {
    let Stage { provider, ana, there, .. } = stage;
    let cara = person_in(there, "cara", &["global:analyst"]).await;
    let mut first = Connection::open(&ana.door).await.unwrap();
    let run = stage.start().await;
    provider.writes(r#"{"report": "Two owls\n"#);
    let came = part(&mut first).await;
    let place = (&came["run"], &came["step"], &came["turn"], &came["field"]);
    assert_eq!(place, (&json!(run), &json!("write"), &json!(1), &json!("report")));
    assert_eq!((&came["from"], &came["text"]), (&json!(0), &json!("Two owls\n")));
    let now = stage.shows(&run, "Two owls\n").await;
    assert_eq!(step(&now, "write")["status"], "running", "{now:#}");
    let (status, _) = cara.refused(&format!("/executions/{run}"), None).await;
    assert_eq!(status, 404, "it is nobody else's");

    // Whoever connects later has the beginning from the API, and knows where the rest belongs.
    let mut later = Connection::open(&ana.door).await.unwrap();
    provider.writes("and a mouse");
    for connection in [&mut first, &mut later] {
        let came = part(connection).await;
        assert_eq!((&came["from"], &came["text"]), (&json!(9), &json!("and a mouse")));
    }
    provider.writes(r#"."}"#);
    provider.ends();
    let done = ana.reaches(&run, "complete").await;
    assert_eq!(done.get("drafts"), None, "{done:#}");
    let report = output(ana, &run, "write").await;
    assert_eq!(report["report"], "Two owls\nand a mouse.");
    let model = &step(&done, "write")["model"];
    assert_eq!((&model["input_tokens"], &model["output_tokens"]), (&json!(300), &json!(40)));
}

async fn what_breaks_off_is_gone(stage: &Stage) {
    let run = stage.start().await;
    stage.provider.writes(r#"{"report": "Half of"#);
    stage.shows(&run, "Half of").await;
    stage.provider.breaks_off();
    // The step is tried again, and its model has not written anything yet.
    let gone = until("the draft to be gone", || async {
        let now = stage.ana.run(&run).await;
        now.get("drafts").is_none().then_some(now)
    });
    assert_eq!(step(&gone.await, "write")["status"], "running");
    stage.provider.writes(r#"{"report": "Anew"#);
    stage.shows(&run, "Anew").await;
    stage.provider.breaks_off();
    let ended = stage.ana.reaches(&run, "error").await;
    assert_eq!(step(&ended, "write")["code"], "MODEL_BROKE_OFF", "{ended:#}");
    assert_eq!(ended.get("drafts"), None);
    let calls = stage.ana.get(&format!("/executions/{run}/model-calls")).await;
    let calls = calls["items"].as_array().unwrap();
    assert_eq!(calls.len(), 2, "{calls:#?}");
    for call in calls {
        assert_eq!((&call["status"], &call["requests"]), (&json!("failed"), &json!(1)), "{call:#}");
        assert!(call["counted_tokens"].as_u64() > Some(0), "what it used is not known: {call:#}");
    }
}

async fn it_is_shown_at_a_terminal(stage: &Stage) {
    let input = format!("filings={}", filings()["filings"]);
    let arguments = ["run", &stage.agent, "drafted", "--input", &input, "--wait"];
    let mut program = stage.there.program(&arguments);
    let stack = &stage.there.stack;
    let token = login(stack, &stage.ana.id, Scopes::parse(["global:analyst"])).unwrap();
    program.env("COUNTERSIGN_URL", stack.url()).env("COUNTERSIGN_TOKEN", token);
    program.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut waiting = program.spawn().unwrap();
    let mut notes = BufReader::new(waiting.stderr.take().unwrap()).lines();
    stage.provider.writes("{\"report\": \"Three owls\\u001b\\nand");
    let mut said = Vec::new();
    while said.last().is_none_or(|line: &String| !line.contains("Three owls")) {
        let line = timeout(PATIENCE, notes.next_line()).await.expect("the text comes").unwrap();
        said.push(line.expect("the command goes on"));
    }
    assert!(said.contains(&"write writes `report`, not checked yet:".to_owned()), "{said:#?}");
    assert_eq!(said.last().unwrap(), "Three owls\\u{1b}");
    stage.provider.writes(" a mouse\"}");
    stage.provider.ends();
    let done = timeout(PATIENCE, waiting.wait_with_output()).await.unwrap().unwrap();
    let answer = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && answer.contains("complete"), "{answer}");
}
