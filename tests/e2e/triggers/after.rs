//! The end of another run.

use serde_json::{Value, json};

use super::{changed, compute, fired, made, run_of, trigger};
use crate::case::{FACTORY, Person, person, refusal, until};
use crate::schedules::alarm::raised;
use crate::schedules::sweep;

/// Its only step fails when it is told to.
pub(super) fn fails(id: &str) -> String {
    format!(
        r#"
id: {id}
name: Fails
description: Its only step fails.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: strategy, type: string, required: true}}
steps:
  - name: fails
    step_type: tool
    action: extract_entities
    inputs: {{data: [{{a: 1}}]}}
    params: {{strategy: "{{strategy}}"}}
    on_error: stop
"#
    )
}

pub(super) fn after(playbook: &str) -> Value {
    json!({ "type": "after", "playbook": playbook })
}

async fn owner(playbooks: &[&str]) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    for id in playbooks {
        ana.playbook(&compute(id)).await;
    }
    (ana, agent)
}

/// Sweeps until a trigger has so many occurrences that are over.
pub(super) async fn over(ana: &Person, trigger: &str, count: usize) -> Vec<Value> {
    until(&format!("{count} occurrences of {trigger} are over"), || async {
        sweep().await;
        let mut all = fired(ana, trigger).await;
        all.retain(|one| ["finished", "skipped"].contains(&one["state"].as_str().unwrap()));
        (all.len() >= count).then_some(all)
    })
    .await
}

#[tokio::test]
async fn issue_14_the_end_of_a_run_starts_another_one_for_the_statuses_that_are_named() {
    let (ana, agent) = owner(&["first-then", "second-then"]).await;
    ana.playbook(&fails("fails-then")).await;
    let inputs = json!({ "rows": [{ "ended": "{run.status}" }], "note": "{run.id}" });
    let done = made(&ana, &trigger(&agent, "second-then", &after("first-then"), &inputs)).await;
    let mut on = after("fails-then");
    on["statuses"] = json!(["error"]);
    let failed = made(&ana, &trigger(&agent, "second-then", &on, &inputs)).await;
    let unmoved = made(&ana, &trigger(&agent, "second-then", &after("fails-then"), &inputs)).await;

    let test =
        json!({ "query": "?", "playbook": "first-then", "inputs": { "rows": [{ "a": 1 }] } });
    let test = ana.post(&format!("/profiles/{agent}/test"), &test).await["id"].clone();
    ana.reaches(test.as_str().unwrap(), "complete").await;
    let run = ana.start(&agent, "first-then", json!({ "rows": [{ "a": 1 }] })).await;
    ana.reaches(&run, "complete").await;
    let wrong = ana.start(&agent, "fails-then", json!({ "strategy": "no such strategy" })).await;
    ana.reaches(&wrong, "error").await;

    let first = over(&ana, &done, 1).await;
    assert_eq!(first.len(), 1, "a test fires nothing: {first:#?}");
    assert_eq!(
        (&first[0]["fired_by"]["run"], &first[0]["status"]),
        (&json!(run), &json!("complete"))
    );
    let output = ana.get(&format!("/executions/{}/outputs/large", run_of(&first[0]))).await;
    assert!(output.to_string().contains("complete"), "{output:#}");
    let second = over(&ana, &failed, 1).await;
    assert_eq!(second[0]["fired_by"]["run"], json!(wrong));
    assert_eq!(fired(&ana, &unmoved).await.len(), 0, "it did not end as `complete`");
}

#[tokio::test]
async fn issue_14_a_loop_of_triggers_is_refused_when_it_is_saved() {
    let (ana, agent) = owner(&["loop-a", "loop-b", "loop-c"]).await;
    let rows = json!({ "rows": [] });
    made(&ana, &trigger(&agent, "loop-b", &after("loop-a"), &rows)).await;
    let second = made(&ana, &trigger(&agent, "loop-c", &after("loop-b"), &rows)).await;
    let closing = trigger(&agent, "loop-a", &after("loop-c"), &rows);
    let said = refusal(ana.door.post(&format!("{FACTORY}/triggers"), &closing).await);
    assert_eq!((said.status, said.places.as_slice()), (422, &["on.playbook".to_owned()][..]));
    assert!(said.said.contains("loop-c → loop-a → loop-b → loop-c"), "{}", said.said);
    let own = trigger(&agent, "loop-a", &after("loop-a"), &rows);
    assert_eq!(ana.refused("/triggers", Some(&own)).await.0, 422);

    changed(&ana, &second, &json!({ "is_active": false })).await;
    made(&ana, &closing).await;
    let path = format!("{FACTORY}/triggers/{second}");
    let said = refusal(ana.door.patch(&path, &json!({ "is_active": true })).await);
    assert_eq!(said.status, 422, "it would close the loop");
    // Its own old form is no part of a loop.
    let turned = json!({ "playbook_id": "loop-b", "on": after("loop-c"), "is_active": true });
    changed(&ana, &second, &turned).await;
}

#[tokio::test]
async fn issue_14_a_loop_that_nobody_could_see_is_stopped_when_it_comes_round() {
    let (ana, agent) = owner(&["round-a", "round-b"]).await;
    let path = format!("{FACTORY}/profiles/{agent}");
    let follows =
        |playbook: &str| json!({ "skills": [{ "skill_type": "playbook", "reference": playbook }] });
    ana.door.patch(&path, &follows("round-b")).await.unwrap();
    let mut whole = trigger(&agent, "round-b", &after("round-a"), &json!({ "rows": [] }));
    whole.as_object_mut().unwrap().shift_remove("playbook_id");
    let id = made(&ana, &whole).await;
    // From now on the agent follows the playbook whose end it waits for.
    ana.door.patch(&path, &follows("round-a")).await.unwrap();
    let run = ana.start(&agent, "round-a", json!({ "rows": [] })).await;
    ana.reaches(&run, "complete").await;
    let all = over(&ana, &id, 2).await;
    let stopped = all.iter().find(|one| one["state"] == "skipped").unwrap();
    assert_eq!(stopped["reason"]["code"], "TRIGGER_LOOP", "{stopped:#}");
    assert_eq!(stopped["chain"], json!([id]), "{stopped:#}");
    raised("TRIGGER_LOOP", &[stopped["id"].as_str().unwrap()]).await;
    sweep().await;
    assert_eq!(fired(&ana, &id).await.len(), 2, "it went round once");
}
