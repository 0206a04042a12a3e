//! Lists of which one payment lost its answer.

use super::*;

/// A list whose third payment lost its answer, up to the question what became of it.
async fn killed(id: &str) -> (Scene, String, String, Value) {
    let scene = Scene::set(id, "", &[]).await;
    scene.bank.kills("3.00");
    let run = scene.start(id, &invoices(4)).await;
    scene.approve(&run).await;
    let (path, question) = until("the question", || async {
        let page = scene.maria.get("/approvals?status=pending").await;
        let mut items = page["items"].as_array().unwrap().iter();
        let item = items.find(|item| item["run"] == run)?;
        let path = format!("/approvals/{}", item["approval"].as_str().unwrap());
        let seen = scene.maria.get(&path).await;
        (seen["kind"] == "outcome").then_some((path, seen))
    })
    .await;
    assert_eq!(question["outcome"].as_array().unwrap().len(), 1, "{question:#}");
    assert_eq!(question["outcome"][0]["n"], 3);
    assert_eq!(question["unsent"], 1, "the fourth follows the answer: {question:#}");
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00", "3.00"], "it went on in doubt");
    (scene, run, path, question)
}

#[tokio::test]
async fn a_payment_of_unknown_outcome_is_asked_about_alone_and_the_rest_follows_the_answer() {
    let (scene, run, path, question) = killed("pay-lost").await;
    let answers = json!([{ "n": 3, "choice": "done", "evidence": "statement 47, line 3" }]);
    let decision =
        json!({ "digest": question["digest"], "version": question["version"], "answers": answers });
    scene.maria.post(&format!("{path}/approve"), &decision).await;
    let done = scene.over(&run).await;
    assert_eq!(done["state"], "complete", "{done:#}");
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00", "3.00", "4.00"], "it was paid twice");
    let calls = scene.calls(&run).await;
    assert_eq!(said(&calls, "status"), ["done"; 4]);
    assert_eq!(calls[2]["n"], 3, "as the question numbers it");
    assert!(said(&calls[2..3], "message")[0].contains("statement 47, line 3"), "{calls:#?}");
}

#[tokio::test]
async fn a_payment_sent_again_is_the_same_with_the_same_key() {
    let (scene, run, path, question) = killed("pay-again-list").await;
    // Without a number: only the third call is asked about.
    let answers = json!([{ "choice": "again" }]);
    let decision =
        json!({ "digest": question["digest"], "version": question["version"], "answers": answers });
    scene.maria.post(&format!("{path}/approve"), &decision).await;
    let done = scene.over(&run).await;
    assert_eq!(done["state"], "complete", "{done:#}");
    let payments = scene.bank.payments();
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00", "3.00", "3.00", "4.00"]);
    assert_eq!(payments[2].key, payments[3].key);
}

#[tokio::test]
async fn a_list_with_an_unresolved_payment_is_never_complete_and_a_repetition_leaves_it_out() {
    let (scene, run, path, question) = killed("pay-unresolved").await;
    let decision = json!({ "digest": question["digest"], "version": question["version"] });
    scene.maria.post(&format!("{path}/reject"), &decision).await;
    let over = scene.over(&run).await;
    assert_eq!(
        (&over["state"], &step(&over, "pay")["status"]),
        (&json!("error"), &json!("unknown"))
    );
    let again = scene.ana.post(&format!("/executions/{run}/repeat"), &json!({})).await;
    let again = again["id"].as_str().unwrap().to_owned();
    let seen = scene.approve(&again).await;
    assert_eq!(seen["effects"][0]["count"], 1, "{seen:#}");
    let key = question["outcome"][0]["key"].as_str().unwrap();
    assert!(seen["remarks"].to_string().contains(key), "the signers are not told what to look for");
    let over = scene.over(&again).await;
    assert_ne!(over["state"], "complete", "{over:#}");
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00", "3.00", "4.00"]);
}

/// Each call may take 240 s of the function's 300, so that the third begins in another invocation.
#[tokio::test]
async fn a_list_whose_rest_is_denied_says_what_was_sent_and_is_not_unknown() {
    let (scene, run, path, question) = killed("pay-denied-rest").await;
    let changed = connector(scene.bank.port)
        .replace("auth: {type: none}", "auth: {type: none}\n  headers: {X-Channel: branch}");
    let place = format!("{FACTORY}/connectors/test-ledger");
    scene.ana.door.put(&place, &json!({ "yaml": changed })).await.unwrap();
    let answers = json!([{ "n": 3, "choice": "done", "evidence": "statement 47" }]);
    let decision =
        json!({ "digest": question["digest"], "version": question["version"], "answers": answers });
    scene.maria.post(&format!("{path}/approve"), &decision).await;
    let (path, rest) = until("the step asks for the rest", || async {
        let page = scene.maria.get("/approvals?status=pending").await;
        let mut items = page["items"].as_array().unwrap().iter();
        let item = items.find(|item| item["run"] == run)?;
        let path = format!("/approvals/{}", item["approval"].as_str().unwrap());
        let seen = scene.maria.get(&path).await;
        (seen["kind"] == "tool").then_some((path, seen))
    })
    .await;
    assert_eq!(rest["effects"][0]["count"], 1, "{rest:#}");
    let decision = json!({ "digest": rest["digest"], "version": rest["version"] });
    scene.maria.post(&format!("{path}/reject"), &decision).await;
    let over = scene.over(&run).await;
    let pay = step(&over, "pay");
    assert_eq!(
        (&pay["status"], &pay["code"]),
        (&json!("failed"), &json!("PARTLY_SENT")),
        "{over:#}"
    );
    let message = pay["message"].as_str().unwrap();
    assert!(message.starts_with("3 of 4 calls done, 1 not sent."), "{message}");
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00", "3.00"]);
}
