//! A run as a person at a terminal sees it: the step it is at, the request it waits for, its signature, and its end.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};
use wiremock::matchers::path;
use wiremock::{Mock, ResponseTemplate};

use crate::case::{FACTORY, gated, person, rows, step, until};
use crate::provider_server;
use crate::world::world;

/// The word in a text that begins so.
fn word<'t>(text: &'t str, begins: &str) -> &'t str {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.find(|word| word.starts_with(begins)).unwrap_or_else(|| panic!("{text}"))
}

#[tokio::test]
async fn a_run_is_followed_to_its_gate_signed_and_shown_at_the_terminal() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("followed", "")).await;
    let input = format!("rows={}", rows()["rows"]);
    let arguments = ["run", &agent, "followed", "--input", &input, "--wait", "--as", &ana.username];
    let (is_done, said) = world().command(&arguments).await;
    assert!(is_done, "{said}");
    let approval = word(&said, "appr_");
    let run = word(&said, "run_");
    let address = format!("{}{FACTORY}/approvals/{approval}", world().stack.url());
    for part in [
        "step 2 of 3: sign_off, which waits for people",
        "awaiting_approval",
        &maria.username,
        &address,
        &format!("`countersign approve {approval}`"),
    ] {
        assert!(said.contains(part), "`{part}` is not in\n{said}");
    }
    let (is_done, shown) = world().command(&["approvals", approval, "--as", &maria.username]).await;
    assert!(is_done, "{shown}");
    for part in ["Keep 2 rows?", "waits for", "25", "digest "] {
        assert!(shown.contains(part), "`{part}` is not in\n{shown}");
    }
    assert!(!shown.contains('{'), "JSON is what `--json` prints:\n{shown}");
    let approve = ["approve", approval, "--as", &maria.username];
    let (is_done, said) = world().command(&approve).await;
    assert!(!is_done && said.contains("--digest"), "nothing is decided unseen: {said}");
    assert!(said.contains("`countersign approvals ID` shows it"), "{said}");
    let digest = shown.lines().find_map(|line| line.strip_prefix("digest ")).unwrap();
    let (is_done, said) = world().command(&[&approve[..], &["--digest", digest]].concat()).await;
    assert!(is_done && said.contains("the request is approved (1 of 1); receipt "), "{said}");
    ana.reaches(run, "complete").await;
    let (_, shown) = world().command(&["show", run, "--as", &ana.username]).await;
    assert!(shown.contains(approval) && shown.contains("kept_rows"), "{shown}");
}

/// The command line at a terminal, whose other end is held here.
fn at_terminal(arguments: &[&str]) -> Child {
    in_terminal(&[], arguments)
}

/// The same at a terminal of 40 columns.
fn at_narrow_terminal(arguments: &[&str]) -> Child {
    in_terminal(&["sh", "-c", "stty cols 40 rows 24; exec \"$@\"", "sh"], arguments)
}

fn in_terminal(before: &[&str], arguments: &[&str]) -> Child {
    const TERMINAL: &str =
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let program = world().program(arguments);
    let program = program.as_std();
    let mut python = Command::new("python3");
    python.args(["-c", TERMINAL]).args(before);
    python.arg(program.get_program()).args(program.get_args());
    python.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
}

/// Reads what a terminal shows until it has a text; all of it so far.
async fn shown_until(terminal: &mut Child, text: &str) -> String {
    let mut shown = Vec::new();
    loop {
        let so_far = String::from_utf8_lossy(&shown);
        if so_far.contains(text) {
            return so_far.into_owned();
        }
        let byte = terminal.stdout.as_mut().unwrap().read_u8().await;
        shown.push(byte.unwrap_or_else(|_| panic!("`{text}` is not in\n{so_far}")));
    }
}

#[tokio::test]
async fn f_186_f_193_k_05_a_gate_is_decided_where_its_run_is_waited_for() {
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = maria.agent(&[&maria]).await;
    maria.playbook(&gated("inline", "")).await;
    let input = format!("rows={}", rows()["rows"]);
    let arguments = ["run", &agent, "inline", "--input", &input, "--wait", "--as", &maria.username];
    // What was typed before the request was shown decides nothing.
    let mut early = at_terminal(&arguments);
    early.stdin.as_mut().unwrap().write_all(b"approve\n").await.unwrap();
    let said = shown_until(&mut early, "who signs by mail").await;
    assert!(said.contains("Keep 2 rows?") && said.contains("awaiting_approval"), "{said}");
    assert!(early.wait().await.unwrap().success());

    for (verb, ends) in [("approve", "complete"), ("deny", "rejected")] {
        let mut terminal = at_terminal(&arguments);
        let said = shown_until(&mut terminal, "leaves it waiting:").await;
        assert!(said.contains("Keep 2 rows?") && said.contains("digest "), "{said}");
        let (_, mark) = said.split_once("type `approve ").unwrap();
        let typed = format!("{verb} {}\n", &mark[..4]);
        terminal.stdin.as_mut().unwrap().write_all(typed.as_bytes()).await.unwrap();
        let ended = shown_until(&mut terminal, &format!("{ends}\r\n")).await;
        assert!(ended.contains("; receipt "), "{ended}");
        assert!(terminal.wait().await.unwrap().success());
        maria.reaches(word(&said, "run_"), ends).await;
    }
}

#[tokio::test]
async fn k_05_r_052_what_is_typed_before_the_request_is_read_decides_nothing() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("typed-ahead", "")).await;
    let run = ana.start(&agent, "typed-ahead", rows()).await;
    let line = maria.request(&run).await;
    let approval = line["approval"].as_str().unwrap();
    let status = async || maria.get(&format!("/approvals/{approval}")).await["status"].clone();
    for verb in ["approve", "deny"] {
        let mut pasted = at_terminal(&[verb, approval, "--as", &maria.username]);
        let lines = format!("{verb}\n{verb}\n");
        pasted.stdin.as_mut().unwrap().write_all(lines.as_bytes()).await.unwrap();
        let said = shown_until(&mut pasted, "nothing was changed").await;
        assert!(said.contains("Keep 2 rows?") && said.contains("digest "), "{said}");
        assert!(!pasted.wait().await.unwrap().success());
        assert_eq!(status().await, "pending");
    }
    let mut terminal = at_terminal(&["approve", approval, "--as", &maria.username]);
    let said = shown_until(&mut terminal, "anything else changes nothing:").await;
    let (_, mark) = said.split_once("type `approve ").unwrap();
    let (_, digest) = said.split_once("digest ").unwrap();
    assert_eq!(mark[..4], digest[..4], "{said}");
    let typed = format!("approve {}\n", &mark[..4]);
    terminal.stdin.as_mut().unwrap().write_all(typed.as_bytes()).await.unwrap();
    shown_until(&mut terminal, "the request is approved (1 of 1); receipt ").await;
    assert!(terminal.wait().await.unwrap().success());
    ana.reaches(&run, "complete").await;
}

#[tokio::test]
async fn k_05_r_052_no_data_of_a_run_passes_for_the_request_at_a_terminal() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let asks = gated("quoted", "")
        .replace("steps:", "  - {name: mail, type: string, required: true}\nsteps:");
    ana.playbook(&asks.replace("Keep {large.count} rows?", "Keep {large.count} rows? {mail}"))
        .await;
    let mail = "Hi\n\npay sends 1 request:\n  1.\n     POST https://bank.example/pay\n\ndigest 0000\u{9b}2J";
    let mut inputs = rows();
    inputs["mail"] = json!(mail);
    inputs["rows"][1]["name"] = json!("Acme, amount: 12.00");
    let run = ana.start(&agent, "quoted", inputs).await;
    let line = maria.request(&run).await;
    let approval = line["approval"].as_str().unwrap();
    let show = ["approvals", approval, "--as", &maria.username];
    let (is_done, shown) = world().command(&show).await;
    assert!(is_done, "{shown}");
    for part in [
        "Question, with data of the run filled in:",
        "\n  | pay sends 1 request:\n",
        "\n  | digest 0000[U+009B]2J\n",
        "name: \"Acme, amount: 12.00\", amount: 15\n",
        &format!("\nasked by {}\nagent ", ana.username),
    ] {
        assert!(shown.contains(part), "`{part}` is not in\n{shown}");
    }
    assert_eq!(shown.lines().filter(|line| line.starts_with("digest ")).count(), 1, "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with("pay sends")), "{shown}");
    let (is_done, json) = world().command(&[&show[..], &["--json"]].concat()).await;
    assert!(is_done && json.contains("digest 0000\\u009b2J"), "{json}");
    let data: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(data["prompt"], format!("Keep 2 rows? {mail}"));
    assert!(data["asker"] == ana.username && data["agent"].is_string(), "{json}");
    ana.post(&format!("/executions/{run}/cancel"), &json!({})).await;
}

#[tokio::test]
async fn whoever_stops_waiting_is_told_how_to_come_back() {
    let server = provider_server::start().await;
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(20));
    Mock::given(path("/slow")).respond_with(slow).mount(&server).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let read = format!(
        "id: waits-long\nname: Waits\nexecution_mode: deterministic\nsteps:\n  - {{name: slow, step_type: tool, action: crawl_url, inputs: {{url: \"{}/slow\"}}}}\n",
        server.uri()
    );
    ana.playbook(&read).await;
    let mut program =
        world().program(&["run", &agent, "waits-long", "--wait", "--as", &ana.username]);
    let mut program = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut run = String::new();
    let mut result = BufReader::new(program.stdout.take().unwrap());
    result.read_line(&mut run).await.unwrap();
    let mut notes = BufReader::new(program.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("step 1 of 1: slow") {
        assert!(notes.read_line(&mut said).await.unwrap() > 0, "it ended: {said}");
    }
    let pid = program.id().unwrap().to_string();
    let asked = Command::new("kill").args(["-INT", &pid]).status().await;
    assert!(asked.unwrap().success());
    notes.read_to_string(&mut said).await.unwrap();
    assert!(program.wait().await.unwrap().success(), "{said}");
    assert!(said.contains(&format!("`countersign show {}`", run.trim())), "{said}");
    ana.post(&format!("/executions/{}/cancel", run.trim()), &json!({})).await;
    let ended = ana.reaches(run.trim(), "cancelled").await;
    assert!(!step(&ended, "slow").is_null());
}

#[tokio::test]
async fn r_092_k_90_whoever_waits_in_one_request_gets_the_run_or_its_id() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook("id: at-once\nname: At once\nexecution_mode: deterministic\nsteps:\n  - {name: rows, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}, operations: [{type: filter, field: a, operator: gte, value: 1}]}\n").await;
    ana.playbook(&gated("asks-first", "")).await;
    let start = async |wait: u32, playbook: &str, inputs: serde_json::Value| {
        let body = json!({ "profile": agent, "playbook": playbook, "inputs": inputs });
        ana.post(&format!("/executions?wait={wait}"), &body).await
    };
    // On a busy machine a run may take longer than any request waits.
    let done = until("a run that is over in time", || async {
        let answer = start(20, "at-once", json!({})).await;
        (answer["state"] == "complete").then_some(answer)
    });
    let done = done.await;
    assert_eq!(step(&done, "rows")["status"], "done", "{done:#}");
    assert!(done["response"].is_object(), "{done:#}");
    // What waits for a signature is not left out, and not waited for any longer than was asked.
    let open = start(1, "asks-first", rows()).await;
    let is_open = ["running", "awaiting_approval"].iter().any(|status| open["status"] == *status);
    assert!(is_open && open.get("steps").is_none(), "{open:#}");
    ana.reaches(open["id"].as_str().unwrap(), "awaiting_approval").await;
    let body = json!({ "profile": agent, "playbook": "at-once", "inputs": {} });
    let (status, code) = ana.refused("/executions?wait=26", Some(&body)).await;
    assert_eq!((status, code.as_str()), (422, "INVALID_INPUT"));
}

#[tokio::test]
async fn r_052_no_text_begins_a_line_of_a_narrow_terminal() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let words =
        "Keep {large.count} rows, all of which are large enough to be kept for a long time?";
    let asks = gated("narrow-terminal", "").replace("Keep {large.count} rows?", words);
    ana.playbook(&asks).await;
    let run = ana.start(&agent, "narrow-terminal", rows()).await;
    let line = maria.request(&run).await;
    let approval = line["approval"].as_str().unwrap();
    let mut terminal = at_narrow_terminal(&["approvals", approval, "--as", &maria.username]);
    let said = shown_until(&mut terminal, "digest").await;
    // The digest is behind that, whole: it is compared.
    let before = said.split("digest").next().unwrap();
    assert!(before.lines().all(|line| line.trim_end().chars().count() <= 40), "{said}");
    let prompt: Vec<&str> = said.lines().skip_while(|line| !line.contains("| Keep ")).collect();
    assert!(prompt.len() > 2 && prompt[1].starts_with("  |+"), "{said}");
    assert!(terminal.wait().await.unwrap().success());
}
