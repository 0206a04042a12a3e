//! What one person may ask of a deployment in a day. On a deployment of its own: the local stack has no quotas.

use std::time::Duration;

use countersign_cli::stack::Stack;
use countersign_cli::token::login;
use countersign_identity::Scopes;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::case::{FACTORY, Person, gated, person_in, rows, step, until};
use crate::triggers::Sender;
use crate::world::{World, world};

const COMPUTE: &str = r#"
id: quota-compute
name: Compute
description: Computes.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: limit, value: 1}]
"#;

const TELL: &str = r#"
id: quota-tell
name: Tell
description: Tells.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: first
    step_type: tool
    action: send_notification
    inputs: {message: "The first one"}
    on_error: stop
  - name: second
    step_type: tool
    action: send_notification
    inputs: {message: "After {first.notification_id}"}
    on_error: stop
"#;

const WATCH: &str = r#"
id: quota-watch
name: Watch
description: Looks at an empty folder.
version: 1.0.0
execution_mode: deterministic
steps:
  - {name: look, step_type: tool, action: detect_new_files, inputs: {folder_id: empty}}
"#;

const SECRET: &str = "a secret of the deployment with quotas, long enough to sign tokens with";

async fn deployment(name: &str, runs: u32) -> World {
    let parameters = [
        format!("JwtHs256Secret={SECRET}"),
        format!("RunsPerDay={runs}"),
        "MailsPerDay=1".to_owned(),
        "UploadMegabytesPerDay=1".to_owned(),
    ];
    let mut world = world().beside(name, &parameters).await;
    world.stack.jwt_secret = SECRET.to_owned();
    world
}

/// The deployment whose quotas are small, for as long as the tests last.
async fn small() -> &'static World {
    static SMALL: OnceCell<World> = OnceCell::const_new();
    SMALL.get_or_init(|| deployment("countersign-quotas", 3)).await
}

/// A request with a key, as it is answered.
async fn send(stack: &Stack, who: &Person, path: &str, key: &str, body: &Value) -> Response {
    let token = login(stack, &who.id, Scopes::parse(["global:analyst"])).unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let post = client.post(format!("{}{FACTORY}{path}", stack.url())).bearer_auth(token);
    post.header("Idempotency-Key", key).json(body).send().await.unwrap()
}

/// A refusal that names the quota and says when it begins anew: within a day, at midnight UTC.
async fn exceeded(answer: Response, quota: &str, limit: u64) {
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/problem+json");
    let seconds: i64 = header("retry-after").parse().unwrap();
    assert!((1..=86_400).contains(&seconds), "{seconds}");
    let problem: Value = answer.json().await.unwrap();
    assert_eq!(problem["code"], "QUOTA_EXCEEDED", "{problem:#}");
    assert_eq!((&problem["quota"], &problem["limit"]), (&json!(quota), &json!(limit)));
    assert!(problem["detail"].as_str().unwrap().contains(" 00:00:00Z"), "{problem:#}");
}

#[tokio::test]
async fn a_person_has_so_many_runs_mails_and_megabytes_a_day() {
    let world = small().await;
    let stack = &world.stack;
    let ana = person_in(world, "ana", &["global:analyst"]).await;
    let (agent, rows) = (ana.agent(&[]).await, json!({ "rows": [{ "a": 1 }] }));
    ana.playbook(COMPUTE).await;
    ana.playbook(TELL).await;
    let run = |playbook: &str| json!({ "profile": agent, "playbook": playbook, "inputs": rows, "run_context": "background" });

    // Mails: the second step fails, and says why.
    let answer = send(stack, &ana, "/executions", "tell", &run("quota-tell")).await;
    assert_eq!(answer.status(), StatusCode::ACCEPTED);
    let id = answer.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    let ended = until("the run has ended", || async {
        let now = ana.run(&id).await;
        now["finished_at"].is_string().then_some(now)
    })
    .await;
    assert_eq!(step(&ended, "first")["status"], "done", "{ended:#}");
    assert_eq!(step(&ended, "second")["status"], "failed", "{ended:#}");
    assert!(step(&ended, "second").to_string().contains("QUOTA_EXCEEDED"), "{ended:#}");

    // Runs: a request that is repeated counts once, one that is refused not at all.
    let wrong = json!({ "profile": agent, "playbook": "quota-compute", "inputs": {} });
    let refused = send(stack, &ana, "/executions", "wrong", &wrong).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    for key in ["two", "two", "three", "three", "two"] {
        let answer = send(stack, &ana, "/executions", key, &run("quota-compute")).await;
        assert_eq!(answer.status(), StatusCode::ACCEPTED, "{key}");
    }
    let fourth = send(stack, &ana, "/executions", "four", &run("quota-compute")).await;
    exceeded(fourth, "runs", 3).await;
    let again = send(stack, &ana, "/executions", "three", &run("quota-compute")).await;
    assert_eq!(again.status(), StatusCode::ACCEPTED, "it was counted before");

    // A webhook finds no room either: it may come again, and each attempt is seen.
    let hook = json!({ "name": "Hook", "profile_id": agent, "playbook_id": "quota-compute", "on": { "type": "webhook" }, "inputs": rows });
    let hook = ana.post("/triggers", &hook).await["id"].as_str().unwrap().to_owned();
    let sender = Sender::new(&ana, &hook).await;
    for _ in 0..2 {
        let answer = sender.send_to(&stack.url(), "msg_1", &json!({})).await;
        assert_eq!((answer.status, &answer.body["code"]), (429, &json!("QUOTA_EXCEEDED")));
        assert!(answer.again_after.is_some_and(|seconds| (1..=86_400).contains(&seconds)));
    }
    let fired = ana.get(&format!("/triggers/{hook}/occurrences")).await["items"].clone();
    assert_eq!(fired[0]["reason"]["code"], "QUOTA_EXCEEDED", "{fired:#}");
    // What is asked for by hand counts as well, before anything comes of it.
    let schedule = json!({ "name": "By hand", "profile_id": agent, "cron_expression": "0 6 * * *", "query_template": "q" });
    let made = send(stack, &ana, "/schedules", "schedule", &schedule).await;
    let id = made.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    let path = format!("/schedules/{id}");
    exceeded(send(stack, &ana, &format!("{path}/run-now"), "now", &json!({})).await, "runs", 3)
        .await;
    let listed = ana.get(&format!("{path}/occurrences")).await;
    assert_eq!(listed["items"], json!([]), "nothing is entered in the ledger");
    ana.playbook(WATCH).await;
    let monitor = json!({ "name": "By hand", "profile_id": agent, "playbook_id": "quota-watch", "interval": "24h" });
    let made = send(stack, &ana, "/monitors", "monitor", &monitor).await;
    let id = made.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    let path = format!("/monitors/{id}/run-now");
    exceeded(send(stack, &ana, &path, "look", &json!({})).await, "runs", 3).await;

    // Uploads: what is asked for counts, and what does not fit leaves the rest.
    let file = |bytes: u64| json!({ "files": [{ "name": "a.csv", "size": bytes }] });
    let half = send(stack, &ana, "/uploads", "half", &file(512 * 1024)).await;
    assert_eq!(half.status(), StatusCode::CREATED);
    let same = send(stack, &ana, "/uploads", "half", &file(512 * 1024)).await;
    assert_eq!(same.status(), StatusCode::CREATED);
    let large = send(stack, &ana, "/uploads", "large", &file(512 * 1024 + 1)).await;
    exceeded(large, "upload_bytes", 1024 * 1024).await;
    let rest = send(stack, &ana, "/uploads", "rest", &file(512 * 1024)).await;
    assert_eq!(rest.status(), StatusCode::CREATED);
    exceeded(send(stack, &ana, "/uploads", "more", &file(1)).await, "upload_bytes", 1024 * 1024)
        .await;

    // Somebody else has quotas of their own.
    let ben = person_in(world, "ben", &["global:analyst"]).await;
    let own = send(stack, &ben, "/uploads", "own", &file(1024 * 1024)).await;
    assert_eq!(own.status(), StatusCode::CREATED);
}

#[tokio::test]
async fn f_207_a_question_that_is_asked_before_its_time_counts_as_one_run() {
    let world = small().await;
    let stack = &world.stack;
    let ana = person_in(world, "ana", &["global:analyst"]).await;
    let (agent, rows) = (ana.agent(&[]).await, json!({ "rows": [{ "a": 1 }] }));
    ana.playbook(COMPUTE).await;
    let skill =
        json!({ "skill_type": "playbook", "reference": "quota-compute", "parameters": rows });
    let path = format!("{FACTORY}/profiles/{agent}");
    ana.door.patch(&path, &json!({ "skills": [skill] })).await.unwrap();
    let schedule = json!({ "name": "By hand", "profile_id": agent, "cron_expression": "0 6 * * *", "is_enabled": false, "query_template": "Which rows are there?" });
    let id = ana.post("/schedules", &schedule).await["id"].as_str().unwrap().to_owned();
    let path = format!("/schedules/{id}/run-now");
    for _ in 0..2 {
        let asked = send(stack, &ana, &path, "now", &json!({})).await;
        assert_eq!(asked.status(), StatusCode::ACCEPTED);
        let begun: Value = asked.json().await.unwrap();
        assert_eq!(begun["state"], "started", "{begun:#}");
        assert_eq!(begun["runs"].as_array().unwrap().len(), 1, "{begun:#}");
    }

    // One of three is used: two more, and no third.
    let run = json!({ "profile": agent, "playbook": "quota-compute", "inputs": rows, "run_context": "background" });
    for key in ["two", "three"] {
        let answer = send(stack, &ana, "/executions", key, &run).await;
        assert_eq!(answer.status(), StatusCode::ACCEPTED, "{key}");
    }
    exceeded(send(stack, &ana, "/executions", "four", &run).await, "runs", 3).await;
    exceeded(send(stack, &ana, &path, "again", &json!({})).await, "runs", 3).await;
}

/// Whether the deployment sends what waits to be mailed.
async fn sends_mails(world: &World, does: bool) {
    let function = format!("{}-on-mail", world.stack.name);
    let list = ["lambda", "list-event-source-mappings", "--function-name", &function];
    let mappings = world.aws(&list).await.unwrap();
    let id = mappings["EventSourceMappings"][0]["UUID"].as_str().unwrap();
    let word = if does { "--enabled" } else { "--no-enabled" };
    world.aws(&["lambda", "update-event-source-mapping", "--uuid", id, word]).await.unwrap();
}

#[tokio::test]
async fn c_031_a_request_whose_mail_cannot_be_sent_stays_pending() {
    let world = small().await;
    let ana = person_in(world, "ana", &["global:analyst"]).await;
    let maria = person_in(world, "maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("quota-gated", "")).await;
    sends_mails(world, false).await;
    let run = ana.start(&agent, "quota-gated", rows()).await;
    let request = maria.request(&run).await;
    let unsent = maria.approver().link(0, Duration::from_secs(3)).await;
    assert!(unsent.is_err(), "no mail was sent: {unsent:?}");
    assert_eq!(maria.request(&run).await["id"], request["id"], "it is still pending");
    let waits = ana.run(&run).await;
    assert_eq!(waits["finished_at"], Value::Null, "nothing completes instead: {waits:#}");
    assert_ne!(step(&waits, "keep")["status"], "done", "{waits:#}");

    sends_mails(world, true).await;
    let (approver, link) = (maria.approver(), maria.link().await);
    let page = approver.open(&link).await.unwrap();
    approver.decide(&link, &page, "approve", "seen").await.unwrap();
    ana.reaches(&run, "complete").await;
}

/// The only occurrence of a trigger, in this state.
async fn only(world: &World, ana: &Person, trigger: &str, state: &str) -> Value {
    until(&format!("what fired {trigger} is {state}"), || async {
        sweep(world, "countersign-waiting").await;
        let fired = ana.get(&format!("/triggers/{trigger}/occurrences")).await["items"].clone();
        assert!(fired.as_array().unwrap().len() <= 1, "one event, one occurrence: {fired:#}");
        (fired[0]["state"] == state).then(|| fired[0].clone())
    })
    .await
}

async fn sweep(world: &World, stack: &str) {
    let name = format!("{stack}-cron-sweep");
    let command = ["lambda", "invoke", "--function-name", &name, "--payload", "{}", "/dev/null"];
    let said = world.aws(&command).await.unwrap();
    assert!(said.get("FunctionError").is_none(), "{said:#}");
}

/// Nobody reports a file or the end of a run twice: what finds the day's runs used up begins when there is room again, once.
#[tokio::test]
async fn issue_14_what_fires_a_trigger_waits_for_the_quota_and_is_not_lost() {
    let world = deployment("countersign-waiting", 1).await;
    let ana = person_in(&world, "ana", &["global:analyst"]).await;
    let (agent, rows) = (ana.agent(&[]).await, json!({ "rows": [{ "a": 1 }] }));
    ana.playbook(COMPUTE).await;
    ana.playbook(&COMPUTE.replace("id: quota-compute", "id: quota-behind")).await;
    // The run of one trigger does not fire the other.
    let mut ids = Vec::new();
    for on in [
        json!({ "type": "file", "folder": "in" }),
        json!({ "type": "after", "playbook": "quota-compute" }),
    ] {
        let body = json!({ "name": "Waits", "profile_id": agent, "playbook_id": "quota-behind", "on": on, "inputs": rows });
        ids.push(ana.post("/triggers", &body).await["id"].as_str().unwrap().to_owned());
    }
    let run = json!({ "profile": agent, "playbook": "quota-compute", "inputs": rows, "run_context": "background" });
    let started = send(&world.stack, &ana, "/executions", "one", &run).await;
    assert_eq!(started.status(), StatusCode::ACCEPTED, "it ends, and the day is used up");
    let files = json!({ "folder": "in", "files": [{ "name": "a.csv", "size": 4 }] });
    let place = ana.post("/uploads", &files).await[0].clone();
    ana.door.send(&place, b"a\n1\n".to_vec()).await.unwrap();
    let (file, after) = (&ids[0], &ids[1]);
    for trigger in [file, after] {
        let waits = only(&world, &ana, trigger, "queued").await;
        assert_eq!(waits["reason"]["code"], "QUOTA_EXCEEDED", "{waits:#}");
        assert_eq!(waits["runs"], Value::Null, "{waits:#}");
    }

    // Room for one of them, then for both.
    let world = deployment("countersign-waiting", 2).await;
    let states = || async {
        sweep(&world, "countersign-waiting").await;
        let all = ana.get("/occurrences?source=trigger").await["items"].clone();
        let states = all.as_array().unwrap().iter().map(|one| one["state"].clone());
        states.collect::<Vec<Value>>()
    };
    until("one of them has begun", || async {
        states().await.iter().any(|state| state != "queued").then_some(())
    })
    .await;
    assert!(states().await.contains(&json!("queued")), "the other one waits on");
    let world = deployment("countersign-waiting", 5).await;
    for trigger in [file, after] {
        let over = only(&world, &ana, trigger, "finished").await;
        assert_eq!(over["runs"].as_array().unwrap().len(), 1, "{over:#}");
        assert_eq!(over["reason"], Value::Null, "{over:#}");
    }
}

/// What weakens a deployment is refused outside the local stack, before anything is made.
#[tokio::test]
async fn loopback_and_shared_secrets_are_for_the_local_stack_only() {
    let administrator = "FirstAdministrator=root@example.org";
    let secret = "JwtHs256Secret=a secret that nobody could guess, long as it is";
    for (weak, words) in [
        ("AllowLoopback=true", "AllowLoopback is for the local stack only"),
        (secret, "JwtHs256Secret is for the local stack only"),
    ] {
        let said = world().refused_in_aws("countersign-weak", &[administrator, weak]).await;
        assert!(said.contains(words), "{weak}: {said}");
    }
}
