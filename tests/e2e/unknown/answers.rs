//! What people answer about a payment that nobody knows of.

use super::*;

#[tokio::test]
async fn k_49_answers_that_differ_do_not_add_up_and_the_outcome_stays_unknown() {
    let (scene, question, tom) = Scene::killed_with("pay-differ", 2, 1).await;
    let first =
        scene.answer(&question, json!([{ "choice": "done", "evidence": "statement 47" }])).await;
    assert_eq!((&first["approvals"], &first["quorum"]), (&json!(1), &json!(2)));
    let now = scene.ana.run(&scene.run).await;
    let asked = now["approvals"].as_array().unwrap().iter().find(|one| one["in_doubt"] == true);
    assert_eq!(asked.unwrap()["tally"], json!([{ "answer": "done", "given": 1 }]), "{now:#}");
    let second =
        decide(&tom, &question, "approve", &json!({ "answers": [{ "choice": "not_done" }] })).await;
    assert_eq!(second["status"], "denied", "nobody is left who could agree: {second:#}");
    let done = scene.over().await;
    let pay = step(&done, "pay");
    assert_eq!((&pay["status"], &pay["code"]), (&json!("unknown"), &json!("EFFECT_UNKNOWN")));
    assert_ne!(done["state"], "complete");
    let told = scene.ana.get(&format!("/profiles/{}/journal", scene.agent)).await;
    let summary = told["items"][0]["summary"].as_str().unwrap();
    assert!(summary.contains("1 of 2 for done, 1 of 2 for not done"), "{summary}");
    assert_eq!(scene.bank.posts().len(), 1);
}

#[tokio::test]
async fn k_49_a_second_call_without_an_answer_is_asked_about_by_the_same_rules() {
    let (scene, question, tom) = Scene::killed_with("pay-twice-lost", 2, 2).await;
    let again = json!({ "answers": [{ "choice": "again" }] });
    for person in [&scene.maria, &tom] {
        decide(person, &question, "approve", &again).await;
    }
    let second = scene.open(question["approval"].as_str().unwrap()).await;
    let seen = scene.maria.get(&address(&second)).await;
    assert_eq!((&seen["kind"], &seen["outcome"][0]["call"]), (&json!("outcome"), &json!(2)));
    assert_eq!(
        (&seen["policy"]["quorum"], &seen["outcome"][0]["approval"]),
        (&json!(2), &question["approval"])
    );
    let done = json!({ "answers": [{ "choice": "done", "evidence": "booked once" }] });
    for person in [&scene.maria, &tom] {
        decide(person, &second, "approve", &done).await;
    }
    let over = scene.over().await;
    assert_eq!((&over["state"], scene.bank.posts().len()), (&json!("complete"), 2), "{over:#}");
}

/// The page behind the mailed link of the question.
async fn page(scene: &Scene, seen: usize) -> (String, countersign_cli::approver::Page) {
    let approver = scene.maria.approver();
    let link = approver.link(seen, crate::case::PATIENCE).await.unwrap();
    let page = approver.open(&link).await.unwrap();
    assert_eq!(page.status, 200);
    (link, page)
}

#[tokio::test]
async fn k_49_the_mailed_page_asks_for_evidence_and_binds_its_code_to_the_answer() {
    let (scene, _) = Scene::killed("pay-mailed").await;
    let (link, form) = page(&scene, 1).await;
    let key = key(&scene.bank.posts()[0]);
    for shown in
        ["What happened?", "7.00", key.as_str(), "name=\"choice-0\"", "name=\"evidence-0\""]
    {
        assert!(form.html.contains(shown), "`{shown}` is not on the page: {}", form.html);
    }
    let approver = scene.maria.approver();
    let send = |fields: Vec<(&'static str, &'static str)>| {
        let (approver, link, form) = (&approver, &link, &form);
        async move { approver.send_form(link, form, &fields).await.unwrap() }
    };
    let bare = send(vec![("decision", "approve"), ("choice-0", "done"), ("note", "hm")]).await;
    assert_eq!(bare.status, 422);
    assert!(
        bare.html.contains("“It was done” needs evidence")
            && bare.html.contains("value=\"done\" required checked"),
        "{}",
        bare.html
    );
    let both = send(vec![("decision", "deny"), ("choice-0", "done")]).await;
    assert_eq!(both.status, 422);
    assert_eq!(send(vec![("decision", "approve"), ("choice-0", "perhaps")]).await.status, 422);
    assert_eq!(send(vec![("decision", "approve")]).await.status, 422);
    // A code that was mailed for one answer does not give another.
    let seen = world().mailbox().to(&scene.maria.email).await.unwrap().len();
    let asked = approver
        .post(&link, &form, &[("decision", "approve"), ("choice-0", "again")])
        .await
        .unwrap();
    assert!(asked.asks_for_code(), "{}", asked.html);
    let mails = world().mailbox();
    let code = mails
        .wait(&scene.maria.email, seen, crate::case::PATIENCE, countersign_cli::mailbox::Mail::code)
        .await
        .unwrap();
    let other = [
        ("decision", "approve"),
        ("choice-0", "done"),
        ("evidence-0", "x"),
        ("code", code.as_str()),
    ];
    let refused = approver.post(&link, &asked, &other).await.unwrap();
    assert_eq!(refused.status, 403, "{}", refused.html);
    let done =
        send(vec![("decision", "approve"), ("choice-0", "done"), ("evidence-0", "statement 47")])
            .await;
    assert_eq!(done.status, 200, "{}", done.html);
    assert!(
        done.html.contains("You answered") && done.html.contains("statement 47"),
        "{}",
        done.html
    );
    let over = scene.over().await;
    let pay = step(&over, "pay");
    assert_eq!((&over["state"], &pay["status"]), (&json!("complete"), &json!("done")), "{over:#}");
    assert!(pay["message"].as_str().unwrap().contains("statement 47"));
    assert_eq!(scene.bank.posts().len(), 1);
}
