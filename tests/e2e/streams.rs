//! The events of a run are read as they happen, as server-sent events.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use countersign_cli::token::login;
use countersign_identity::Scopes;
use countersign_lambda_entry::{Boot, Invocation, Parts, Setting, Settings};
use futures::StreamExt as _;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::case::{PATIENCE, Person, gated, person_in, rows};
use crate::drafts::{Provider, REPORT};
use crate::models::{deployment_at, filings};
use crate::world::World;

/// A server-sent event.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    name: String,
    id: String,
    data: Value,
}

/// The events of a text; comments are left out.
fn events(text: &str) -> Vec<Told> {
    let field = |event: &str, name: &str| {
        let line = event.lines().find_map(|line| line.strip_prefix(name));
        line.map(|value| value.trim_start().to_owned())
    };
    let whole = text.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
    let told = whole.split("\n\n").filter_map(|event| {
        let data = serde_json::from_str(&field(event, "data:")?).unwrap();
        Some(Told { name: field(event, "event:")?, id: field(event, "id:")?, data })
    });
    told.collect()
}

/// The text that the parts of an answer make up, by the rule of the documents.
fn written(told: &[Told]) -> String {
    told.iter().filter(|told| told.name == "token").fold(String::new(), |text, told| {
        let from = usize::try_from(told.data["from"].as_u64().unwrap()).unwrap();
        text.chars().take(from).chain(told.data["text"].as_str().unwrap().chars()).collect()
    })
}

fn names(told: &[Told]) -> Vec<&str> {
    let mut names: Vec<&str> = told.iter().map(|told| told.name.as_str()).collect();
    names.dedup();
    names
}

/// Somebody with a run that they read.
struct Reader<'r> {
    there: &'r World,
    who: &'r Person,
    run: String,
}

impl Reader<'_> {
    fn token(&self) -> String {
        login(&self.there.stack, &self.who.id, Scopes::parse(["global:analyst"])).unwrap()
    }

    /// What the function URL answers; the local stack has all of it before it sends the first byte.
    async fn asks(&self, after: Option<&str>) -> reqwest::Response {
        let shown = self.who.run(&self.run).await;
        let url = shown["events_url"].as_str().expect("the address of its events").to_owned();
        let mut request = reqwest::Client::new().get(url).bearer_auth(self.token());
        if let Some(id) = after {
            request = request.header("last-event-id", id);
        }
        request.send().await.unwrap()
    }

    async fn reads(&self, after: Option<&str>) -> Vec<Told> {
        let answer = self.asks(after).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        events(&answer.text().await.unwrap())
    }

    /// The same from the function's own body, which the local stack cannot send in parts.
    async fn body(&self, after: Option<&str>) -> Parts {
        let mut event: Value =
            serde_json::from_str(include_str!("../../events/stream/read.json")).unwrap();
        event["rawPath"] = format!("/executions/{}/events", self.run).into();
        event["headers"]["authorization"] = format!("Bearer {}", self.token()).into();
        if let Some(id) = after {
            event["headers"]["last-event-id"] = id.into();
        }
        let invocation = Invocation {
            request_id: "test".to_owned(),
            now: jiff::Timestamp::now(),
            remaining: Duration::from_secs(60),
        };
        let context = Arc::new(stream::Context::new(&boot(self.there).await).unwrap());
        let answer = stream::handle(&context, event, &invocation).await.unwrap();
        assert_eq!(answer.metadata_prelude.status_code.as_u16(), 200);
        answer.stream
    }
}

/// What the function is built from in a deployment.
async fn boot(there: &World) -> Boot {
    let config = aws_config::defaults(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "the local stack"))
        .endpoint_url(there.stack.endpoint());
    let output = |name: &str| there.stack.outputs[name].as_str().unwrap().to_owned();
    let settings = Settings::from_pairs([
        (Setting::TableDirectory, output("DirectoryTableName")),
        (Setting::TableRuns, output("RunsTableName")),
        (Setting::TableApprovals, output("ApprovalsTableName")),
        (Setting::BucketData, output("BucketName")),
        (Setting::JwtHs256Secret, there.stack.jwt_secret.clone()),
        (Setting::JwtIssuer, "countersign".to_owned()),
        (Setting::JwtAudience, "countersign".to_owned()),
        (Setting::PublicUrl, there.stack.url()),
    ]);
    Boot::new(settings, config.load().await.into())
}

#[tokio::test]
async fn r_093_r_099_r_100_r_101_r_102_a_153_k_90_a_run_is_read_as_a_stream() {
    let provider = Provider::start();
    let there = deployment_at("countersign-streams", &provider.base, &["StreamReaders=5"]).await;
    let ana = person_in(&there, "ana", &["global:analyst"]).await;
    let maria = person_in(&there, "maria", &["global:analyst", "decide"]).await;
    ana.playbook(REPORT).await;
    let gate = format!("    approvers: [{}]", maria.username);
    ana.playbook(&gated("streamed-gate", &gate)).await;
    let agent = ana.agent(&[&maria]).await;
    let run = ana.start(&agent, "drafted", filings()).await;
    let reader = Reader { there: &there, who: &ana, run };
    parts_come_while_the_model_writes(&reader, &provider).await;
    whoever_comes_back_is_told_the_rest(&reader).await;
    it_is_refused_to_others(&reader, &maria).await;
    a_question_is_answered_with_its_events(&reader, &agent).await;
    for (verdict, names) in [
        ("approve", &["plan", "step", "hitl_required", "hitl_approved", "step", "done"][..]),
        ("reject", &["plan", "step", "hitl_required", "hitl_denied", "stopped", "step", "done"]),
    ] {
        let run = ana.start(&agent, "streamed-gate", rows()).await;
        let reader = Reader { there: &there, who: &ana, run };
        that_people_are_asked_is_told(&reader, &maria, (verdict, names)).await;
    }
}

/// Reads on until there is an event of this name and the parts of the answer make up this text; those that were told before are
/// missing at its beginning.
async fn reads(body: &mut Parts, text: &mut String, (name, expect): (&str, &str)) {
    let is_there = |text: &str| {
        let told = events(text);
        told.iter().any(|told| told.name == name) && written(&told) == expect
    };
    let found = timeout(PATIENCE, async {
        while !is_there(text) {
            let part = body.next().await.expect("the answer goes on").unwrap();
            text.push_str(str::from_utf8(&part).unwrap());
        }
    });
    let found = found.await;
    assert!(found.is_ok(), "`{name}` and “{expect}” come: {text}");
}

async fn parts_come_while_the_model_writes(reader: &Reader<'_>, provider: &Provider) {
    let (mut body, mut text) = (reader.body(None).await, String::new());
    provider.writes(r#"{"report": "Two owls\n"#);
    reads(&mut body, &mut text, ("token", "Two owls\n")).await;
    provider.writes("and a mouse");
    reads(&mut body, &mut text, ("token", "Two owls\nand a mouse")).await;

    // Whoever comes back while nothing else happens goes on in the middle of the answer.
    let (first, mut again) = (events(&text), String::new());
    let mut later = reader.body(Some(&first[1].id)).await;
    provider.writes(" in");
    reads(&mut later, &mut again, ("token", "and a mouse in")).await;
    assert_eq!(events(&again)[0].data["from"], 9, "{again}");

    provider.writes(r#" May."}"#);
    provider.ends();
    reads(&mut body, &mut text, ("done", "Two owls\nand a mouse in May.")).await;
    assert!(body.next().await.is_none(), "the answer ends with the run");
    let told = events(&text);
    assert_eq!(names(&told), ["plan", "token", "step", "done"], "{told:#?}");
    let plan = &told[0].data;
    assert_eq!((&plan["stages"], &plan["steps"][0]["step"]), (&json!(1), &json!("write")));
    let [step, done] = &told[told.len() - 2..] else { panic!("two events at the end") };
    assert_eq!((&step.data["status"], &step.data["stage"]), (&json!("done"), &json!(1)));
    assert_eq!(done.data["status"], "complete");
    assert!(done.data["response"]["content"].as_str().unwrap().contains("mouse"), "{done:#?}");
}

async fn whoever_comes_back_is_told_the_rest(reader: &Reader<'_>) {
    let all = reader.reads(None).await;
    assert_eq!(names(&all), ["plan", "step", "done"], "the draft is over");
    for (n, told) in all.iter().enumerate().take(all.len() - 1) {
        let rest = reader.reads(Some(&told.id)).await;
        let what = |told: &Told| (told.name.clone(), told.data.clone());
        let expect: Vec<_> = all[n + 1..].iter().map(what).collect();
        assert_eq!(rest.iter().map(what).collect::<Vec<_>>(), expect, "after `{}`", told.name);
    }
    let last = &all.last().unwrap().id;
    assert_eq!(reader.asks(Some(last)).await.status(), StatusCode::NO_CONTENT);
}

async fn it_is_refused_to_others(reader: &Reader<'_>, maria: &Person) {
    let url = reader.who.run(&reader.run).await["events_url"].as_str().unwrap().to_owned();
    let client = reqwest::Client::new();
    let refused = async |request: reqwest::RequestBuilder, status: u16, code: &str| {
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{code}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        let problem: Value = answer.json().await.unwrap();
        assert_eq!(problem["code"], code, "{problem:#}");
    };
    refused(client.get(&url), 401, "TOKEN_MISSING").await;
    refused(client.get(&url).bearer_auth("nothing"), 401, "TOKEN_MALFORMED").await;
    let hers = login(&reader.there.stack, &maria.id, Scopes::parse(["global:analyst"])).unwrap();
    refused(client.get(&url).bearer_auth(hers), 404, "NOT_FOUND").await;
    let own = || client.get(&url).bearer_auth(reader.token());
    refused(own().header("last-event-id", "12"), 422, "INVALID_INPUT").await;
    refused(own().query(&[("after", "12")]), 422, "INVALID_INPUT").await;
    let post = client.post(&url).bearer_auth(reader.token());
    refused(post, 405, "METHOD_NOT_ALLOWED").await;
    let nobody = login(&reader.there.stack, &reader.who.id, Scopes::parse([])).unwrap();
    refused(client.get(&url).bearer_auth(nobody), 403, "PERMISSION_DENIED").await;
}

async fn a_question_is_answered_with_its_events(reader: &Reader<'_>, agent: &str) {
    reader.who.playbook("id: at-once\nname: At once\nexecution_mode: deterministic\nsteps:\n  - {name: rows, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}, params: {operations: []}}\n").await;
    let known = reader.who.run(&reader.run).await["events_url"].as_str().unwrap().to_owned();
    let url = known.replace(&format!("executions/{}/events", reader.run), "query/stream");
    let key = uuid::Uuid::now_v7().to_string();
    let ask = |body: Value| {
        let request = reqwest::Client::new().post(&url).bearer_auth(reader.token());
        request.header("idempotency-key", &key).json(&body)
    };
    let body = json!({ "profile": agent, "playbook": "at-once", "query": "Which rows?" });
    let answer = ask(body.clone()).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let place = answer.headers()["content-location"].to_str().unwrap().to_owned();
    let all = events(&answer.text().await.unwrap());
    assert_eq!(names(&all), ["plan", "step", "done"], "{all:#?}");
    let run = reader.who.run(all[0].data["run"].as_str().unwrap()).await;
    assert_eq!(
        (&run["events_url"], &run["query"], &run["approval_policy"]),
        (&json!(place), &json!("Which rows?"), &json!("require"))
    );
    // Whoever asks the same again under the same key is told the rest of the same run.
    let again = ask(body.clone()).header("last-event-id", &all[0].id).send().await.unwrap();
    let rest = events(&again.text().await.unwrap());
    assert_eq!(
        rest.iter().map(|told| &told.data).collect::<Vec<_>>(),
        [&all[1].data, &all[2].data]
    );
    // What the API refuses is refused with its words.
    let other = json!({ "profile": agent, "playbook": "at-once", "query": "Another?" });
    let wrong = json!({ "profile": agent, "playbook": "no-such", "steps": [] });
    for (body, status, code) in
        [(other, 409, "IDEMPOTENCY_KEY_REUSED"), (wrong, 422, "INVALID_INPUT")]
    {
        let refused = ask(body).send().await.unwrap();
        assert_eq!(refused.status().as_u16(), status, "{code}");
        assert_eq!(refused.headers()["content-type"], "application/problem+json");
        let problem: Value = refused.json().await.unwrap();
        assert_eq!(problem["code"], code, "{problem:#}");
    }
    let unkeyed = reqwest::Client::new().post(&url).bearer_auth(reader.token()).json(&body);
    let unkeyed = unkeyed.header("last-event-id", &all[0].id).send().await.unwrap();
    assert_eq!(unkeyed.status(), StatusCode::UNPROCESSABLE_ENTITY, "it would be another run");
    let over = ask(body.clone()).header("last-event-id", &all[2].id).send().await.unwrap();
    assert_eq!(over.status(), StatusCode::NO_CONTENT);
    let nobody = reqwest::Client::new().post(&url).json(&body).send().await.unwrap();
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
}

async fn that_people_are_asked_is_told(
    reader: &Reader<'_>,
    maria: &Person,
    (verdict, expect): (&str, &[&str]),
) {
    reader.who.reaches(&reader.run, "awaiting_approval").await;
    let row = maria.request(&reader.run).await;
    let shown = reader.who.run(&reader.run).await;
    let request = maria.get(&format!("/approvals/{}", row["approval"].as_str().unwrap())).await;
    let id = request["id"].as_str().unwrap();
    let (reading, ()) = tokio::join!(reader.reads(None), async {
        let decision = json!({ "digest": request["digest"], "version": request["version"] });
        maria.post(&format!("/approvals/{id}/{verdict}"), &decision).await;
    });
    assert_eq!(names(&reading), expect, "{reading:#?}");
    let asked = &reading.iter().find(|told| told.name == "hitl_required").unwrap().data;
    assert_eq!((&asked["request_id"], &asked["agent_id"]), (&request["id"], &json!("sign_off")));
    assert!(asked["timeout_seconds"].as_i64() > Some(0), "{asked:#}");
    assert_eq!(
        (&asked["agent_name"], &asked["tool_names"]),
        (&shown["profile_name"], &json!(["save_to_workspace"]))
    );
    assert_eq!(asked["task_description"], request["title"]);
}
