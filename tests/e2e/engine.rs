//! Runs outlive their executions.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::case::{gated, person, rows, step, until};
use crate::outage::Record;
use crate::world::world;

/// Everything the account knows of a run's executions.
async fn execution(run: &str, attempt: u64) -> Option<Value> {
    let world = world();
    let machine = world
        .stack
        .output("RunMachineArn")
        .expect("the template gives the machine's ARN")
        .to_owned();
    let arn = format!("{}:{run}-{attempt}", machine.replacen(":stateMachine:", ":execution:", 1));
    world.aws(&["stepfunctions", "describe-execution", "--execution-arn", &arn]).await.ok()
}

#[tokio::test]
async fn an_aborted_execution_is_followed_by_the_next_and_the_gate_stays_open() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-aborted", "")).await;
    let run = ana.start(&agent, "gated-aborted", rows()).await;
    let request = maria.request(&run).await;
    let first = execution(&run, 1).await.expect("the first execution is known");
    world()
        .aws(&[
            "stepfunctions",
            "stop-execution",
            "--execution-arn",
            first["executionArn"].as_str().unwrap(),
        ])
        .await
        .unwrap();
    until("the next attempt", || async {
        (ana.run(&run).await["attempt"].as_u64() > Some(1)).then_some(())
    })
    .await;
    let mails = world().mailbox().to(&maria.email).await.unwrap().len();
    let again = maria.request(&run).await;
    assert_eq!(request["approval"], again["approval"], "the gate was opened anew");
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    let done = ana.reaches(&run, "complete").await;
    assert_eq!(step(&done, "large")["status"], "done");
    assert_eq!(
        world().mailbox().to(&maria.email).await.unwrap().len(),
        mails,
        "somebody was mailed twice"
    );
}

#[tokio::test]
async fn a_run_that_rests_because_it_could_not_be_ended_is_ended_at_once_when_it_is_cancelled() {
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-resting", "")).await;
    let run = ana.start(&agent, "gated-resting", rows()).await;
    maria.request(&run).await;
    // As after twelve attempts in vain, the last of them ninety seconds ago: the next one comes in an hour.
    let at = Timestamp::now() - SignedDuration::from_secs(90);
    let values = json!({ ":idle": { "N": "12" }, ":at": { "S": at.to_string() } });
    Record::in_table("TABLE_RUNS", &format!("RUN#{run}"), "HEAD")
        .await
        .updated("SET idle_attempts = :idle, attempt_at = :at", &values)
        .await;
    let first = execution(&run, 1).await.expect("the first execution is known");
    let arn = first["executionArn"].as_str().unwrap();
    world().aws(&["stepfunctions", "stop-execution", "--execution-arn", arn]).await.unwrap();
    until("the first execution has ended", || async {
        (execution(&run, 1).await?["status"] == "ABORTED").then_some(())
    })
    .await;
    ana.post(&format!("/executions/{run}/cancel"), &json!({})).await;
    let done = ana.reaches(&run, "cancelled").await;
    assert_eq!(done["attempt"], 2, "{done:#}");
}

#[tokio::test]
async fn a_step_that_stops_the_run_lets_its_siblings_finish() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(
        r#"
id: siblings
name: Siblings
description: One fails, one works.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
  - {name: strategy, type: string, default: ml}
steps:
  - name: both
    step_type: tool
    action: parallel
    parallel_steps:
      - name: fails
        step_type: tool
        action: extract_entities
        inputs: {data: "{rows}"}
        params: {strategy: "{strategy}"}
        on_error: stop
      - name: works
        step_type: tool
        action: transform_data
        inputs: {data: "{rows}"}
        operations: [{type: limit, value: 1}]
  - name: after
    step_type: tool
    action: transform_data
    inputs: {data: "{works.data}"}
    operations: [{type: limit, value: 1}]
"#,
    )
    .await;
    let run = ana.start(&agent, "siblings", rows()).await;
    let done = ana.reaches(&run, "error").await;
    assert_eq!(
        (&step(&done, "fails")["status"], &step(&done, "fails")["code"]),
        (&json!("failed"), &json!("STEP_INPUT_INVALID"))
    );
    assert_eq!(step(&done, "works")["status"], "done");
    assert_eq!(
        (&step(&done, "after")["status"], &step(&done, "after")["code"]),
        (&json!("not_run"), &json!("RUN_STOPPED"))
    );
}

#[tokio::test]
async fn f_147_a_false_condition_skips_and_says_so() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(
        r#"
id: conditional
name: Conditional
description: The second step has nothing to do.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: none
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: filter, field: amount, operator: gt, value: 1000}]
  - name: only_if_some
    step_type: tool
    action: transform_data
    condition: "{none.count} > 0"
    inputs: {data: "{none.data}"}
    operations: [{type: limit, value: 1}]
"#,
    )
    .await;
    let run = ana.start(&agent, "conditional", rows()).await;
    let done = ana.reaches(&run, "complete").await;
    assert_eq!(step(&done, "only_if_some")["status"], "skipped");
}

#[tokio::test]
async fn a_cancelled_run_closes_its_gate() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-cancelled", "")).await;
    let run = ana.start(&agent, "gated-cancelled", rows()).await;
    let request = maria.request(&run).await;
    ana.post(&format!("/executions/{run}/cancel"), &json!({})).await;
    let done = ana.reaches(&run, "cancelled").await;
    assert_eq!(step(&done, "keep")["status"], "not_run");
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    assert_eq!(maria.get(&path).await["status"], "cancelled");
}

#[tokio::test]
async fn f_155_a_run_knows_when_the_last_successful_one_finished() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let steps = "
id: since-last
name: Since the last run
description: Shows when the last run finished.
version: 1.0.0
execution_mode: deterministic
steps:
  - {name: always, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}, operations: [{type: limit, value: 1}]}
  - {name: since, step_type: tool, action: transform_data, inputs: {data: [{day: \"{last_execution_date}\"}]}, operations: [{type: limit, value: 1}], on_error: skip}
";
    ana.playbook(steps).await;
    let first = ana.start(&agent, "since-last", json!({})).await;
    let first = ana.reaches(&first, "partial").await;
    assert_eq!(step(&first, "since")["status"], "failed", "there was no run before: {first:#}");
    let body = json!({ "playbook": "since-last" });
    let tested = ana.post(&format!("/profiles/{agent}/test"), &body).await;
    ana.reaches(tested["id"].as_str().unwrap(), "complete").await;
    let second = ana.start(&agent, "since-last", json!({})).await;
    ana.reaches(&second, "complete").await;
    let shown = ana.get(&format!("/executions/{second}/outputs/since")).await;
    assert_eq!(shown["output"]["data"][0]["day"], first["finished_at"].as_str().unwrap()[..10]);
}
