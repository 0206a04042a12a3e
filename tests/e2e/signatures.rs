//! Deciding: who may, what counts, what does not.

use serde_json::json;

use crate::case::{FACTORY, gated, person, revoke, rows, step, until};
use crate::world::world;

#[tokio::test]
async fn r_059_a_rest_decision_needs_the_digest_and_is_idempotent() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-rest", "")).await;
    let run = ana.start(&agent, "gated-rest", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let approve = format!("{path}/approve");
    assert_eq!(maria.refused(&approve, Some(&json!({}))).await.0, 422);
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    let wrong = json!({ "digest": "0".repeat(64), "version": seen["version"] });
    assert_eq!(maria.refused(&approve, Some(&wrong)).await.0, 409);
    let first = maria.post(&approve, &decision).await;
    let again = maria.post(&approve, &decision).await;
    assert_eq!(first["receipt"], again["receipt"]);
    let (status, _) = maria.refused(&format!("{path}/reject"), Some(&decision)).await;
    assert_eq!(status, 409);
    let done = ana.reaches(&run, "complete").await;
    assert_eq!(step(&done, "keep")["status"], "done");
}

#[tokio::test]
async fn k_13_a_refusal_stops_the_run_before_anything_is_written() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-deny", "")).await;
    let run = ana.start(&agent, "gated-deny", rows()).await;
    let link = maria.link().await;
    let approver = maria.approver();
    let page = approver.open(&link).await.unwrap();
    let answer = approver.decide(&link, &page, "deny", "not these").await.unwrap();
    assert_eq!(answer.status, 200);
    let done = ana.reaches(&run, "rejected").await;
    assert_eq!(step(&done, "keep")["status"], "not_run");
    assert!(ana.get("/workspaces/default/tables").await["items"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn f_197_a_refusal_with_skip_leaves_out_what_lies_behind_the_gate() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-skip", "    on_reject: skip")).await;
    let run = ana.start(&agent, "gated-skip", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    maria
        .post(
            &format!("{path}/reject"),
            &json!({ "digest": seen["digest"], "version": seen["version"] }),
        )
        .await;
    let done = ana.reaches(&run, "partial").await;
    assert_eq!(
        (&step(&done, "keep")["status"], &step(&done, "keep")["code"]),
        (&json!("not_run"), &json!("GATE_DENIED"))
    );
}

#[tokio::test]
async fn k_12_a_missed_deadline_is_a_refusal() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-late", "    timeout_minutes: 1")).await;
    let run = ana.start(&agent, "gated-late", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let link = maria.link().await;
    ana.playbook(&gated("late-goes-on", "    timeout_minutes: 1\n    on_reject: skip")).await;
    let goes_on = ana.start(&agent, "late-goes-on", rows()).await;
    let done = until("the run times out", || async {
        let now = ana.run(&run).await;
        (now["state"] == "timeout").then_some(now)
    });
    let done = tokio::time::timeout(std::time::Duration::from_secs(240), done).await.unwrap();
    assert_eq!(step(&done, "keep")["status"], "not_run");
    let events = ana.get(&format!("/executions/{run}/events")).await;
    for once in ["stopped", "finished"] {
        let told = events.as_array().unwrap().iter().filter(|event| event["kind"] == once);
        assert_eq!(told.count(), 1, "{events:#}");
    }
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    assert_eq!(maria.refused(&format!("{path}/approve"), Some(&decision)).await.0, 409);
    let approver = maria.approver();
    let page = approver.open(&link).await.unwrap();
    assert!(page.field("nonce").is_none(), "an expired page still offers its form");

    let told = ana.reaches(&goes_on, "partial").await;
    let data = json!({ "reason": "Nobody decided in time.", "steps": ["keep"], "tools": ["save_to_workspace"] });
    let gate = json!({ "step": "sign_off", "task_done": false, "error": "hitl_timeout", "partial_data": data });
    assert_eq!(told["response"]["blocked"], json!([gate]), "{told:#}");
}

/// Takes away the one-time schedule that ends a request, as soon as there is one.
async fn stop_the_clock_of(request: &str) {
    let name = format!("{request}-expire");
    let group = until("the request has a clock", || async {
        let list = ["scheduler", "list-schedules", "--name-prefix", &name];
        let listed = world().aws(&list).await.unwrap();
        let clock = listed["Schedules"].as_array()?.iter().find(|one| one["Name"] == name)?;
        Some(clock["GroupName"].as_str()?.to_owned())
    });
    let group = group.await;
    let delete = ["scheduler", "delete-schedule", "--name", &name, "--group-name", &group];
    world().aws(&delete).await.unwrap();
}

#[tokio::test]
async fn r_057_a_request_whose_clock_is_gone_is_ended_by_the_sweeper() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-unclocked", "    timeout_minutes: 1")).await;
    let run = ana.start(&agent, "gated-unclocked", rows()).await;
    let request = maria.request(&run).await;
    let request = request["approval"].as_str().unwrap().to_owned();
    stop_the_clock_of(&request).await;
    ana.reaches(&run, "timeout").await;
    let seen = maria.get(&format!("/approvals/{request}")).await;
    assert_eq!(seen["status"], "timed_out", "{seen:#}");
}

#[tokio::test]
async fn two_signatures_of_two_people_are_needed_where_the_gate_says_so() {
    let ana = person("ana", &["global:analyst"]).await;
    let (maria, tom) = (
        person("maria", &["global:reader", "decide"]).await,
        person("tom", &["global:reader", "decide"]).await,
    );
    let agent = ana.agent(&[&maria, &tom]).await;
    ana.playbook(&gated("gated-two", "    quorum: 2")).await;
    let run = ana.start(&agent, "gated-two", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    assert_eq!(ana.run(&run).await["state"], "awaiting_approval");
    tom.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(&run, "complete").await;
}

#[tokio::test]
async fn the_requester_of_a_background_run_cannot_sign_it() {
    let ana = person("ana", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&ana]).await;
    ana.playbook(&gated("gated-self", "")).await;
    // Nobody could ever sign: that is said at once, and nothing starts.
    let body = json!({ "profile": agent, "playbook": "gated-self", "inputs": rows(), "run_context": "background" });
    let (status, code) = ana.refused("/executions", Some(&body)).await;
    assert_eq!((status, code.as_str()), (422, "APPROVAL_UNREACHABLE"));
}

#[tokio::test]
async fn r_003_a_revoked_grant_stops_the_next_click() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-revoked", "")).await;
    let run = ana.start(&agent, "gated-revoked", rows()).await;
    let link = maria.link().await;
    let approver = maria.approver();
    let page = approver.open(&link).await.unwrap();
    revoke(&maria, "decide").await;
    let answer = approver.decide(&link, &page, "approve", "").await.unwrap();
    assert_ne!(answer.status, 200);
    let now = ana.run(&run).await;
    assert_eq!(now["state"], "awaiting_approval");
    assert_eq!(now["approvals"][0]["waits_for"], json!([]), "nobody is left who may: {now:#}");
    let page = approver.open(&link).await.unwrap().html;
    assert!(page.contains("You may not decide") && !page.contains("<button"), "{page}");
}

#[tokio::test]
async fn r_003_a_revoked_grant_stops_the_next_step() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-stopped", "")).await;
    let run = ana.start(&agent, "gated-stopped", rows()).await;
    let request = maria.request(&run).await;
    revoke(&ana, "global:analyst").await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    maria
        .post(
            &format!("{path}/approve"),
            &json!({ "digest": seen["digest"], "version": seen["version"] }),
        )
        .await;
    let admin = crate::case::admin(world());
    admin
        .post(
            &format!("/api/admin/users/{}/grants", ana.username),
            &json!({ "scope": "global:reader" }),
        )
        .await
        .unwrap();
    let done = until("the run ends", || async {
        let now = ana.door.get(&format!("{FACTORY}/executions/{run}")).await.ok()?;
        (now["state"] == "error").then_some(now)
    })
    .await;
    assert_eq!(step(&done, "keep")["code"], "PERMISSION_DENIED");
}

#[tokio::test]
async fn a_double_click_signs_once() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-double", "")).await;
    let run = ana.start(&agent, "gated-double", rows()).await;
    let link = maria.link().await;
    let approver = maria.approver();
    let page = approver.open(&link).await.unwrap();
    let (first, second) = tokio::join!(
        approver.decide(&link, &page, "approve", ""),
        approver.decide(&link, &page, "approve", "")
    );
    let statuses = [first.unwrap().status, second.unwrap().status];
    assert_eq!(statuses, [200, 200], "the same decision twice is one decision");
    let done = ana.reaches(&run, "complete").await;
    let replay = approver.decide(&link, &page, "deny", "").await.unwrap();
    assert_eq!(replay.status, 409);
    assert_eq!(step(&done, "keep")["count"], json!(null));
}

/// What was kept is told by a model, behind a gate of its own.
const TOLD: &str = r#"  - {name: publish, step_type: approval, prompt: "Tell of it?"}
  - name: tell
    step_type: llm_task
    action: llm_analyze
    allow_missing: true
    inputs: {data: {kept: "{keep}"}}
    params: {instructions: "Which gate was denied?"}
    output_schema: {type: object, fields: [{name: answer, type: string, description: What was denied}]}
"#;

#[tokio::test]
async fn r_017_r_065_a_step_of_a_model_is_told_why_a_result_is_missing() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let keeps = gated("gated-told", "    on_reject: skip");
    let tells = keeps.replace("execution_mode: deterministic", "execution_mode: hybrid");
    ana.playbook(&format!("{tells}{TOLD}")).await;
    let run = ana.start(&agent, "gated-told", rows()).await;
    let decide = async |verdict: &str| {
        let request = maria.request(&run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = maria.get(&path).await;
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        maria.post(&format!("{path}/{verdict}"), &decision).await;
    };
    // The first is closed by then: the second is the only one that waits.
    decide("reject").await;
    decide("approve").await;
    let done = ana.reaches(&run, "partial").await;
    assert_eq!(step(&done, "keep")["code"], "GATE_DENIED", "{done:#}");
    let told = ana.get(&format!("/executions/{run}/outputs/tell")).await.to_string();
    assert!(told.contains("the gate `sign_off` was denied"), "{told} {done:#}");
}
