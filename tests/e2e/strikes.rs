//! "Pay these, not those two": approvers strike rows out, and one signature pays what is left.

use countersign_effect::{Digest, tree};
use serde_json::{Value, json};

use crate::case::{person, step, until};
use crate::for_each::{Scene, invoices};
use crate::world::world;

fn strike(seen: &Value, indices: &[u32]) -> Value {
    json!({ "digest": seen["digest"], "version": seen["version"], "step": "pay", "indices": indices })
}

/// Where the path of an effect leads to.
fn root_of(effect: &Value) -> Digest {
    let path: tree::Path = serde_json::from_value(effect["path"].clone()).unwrap();
    let leaf: Digest = serde_json::from_value(effect["leaf"].clone()).unwrap();
    path.root(&leaf).unwrap()
}

#[tokio::test]
async fn k_09_what_is_struck_out_is_not_sent_and_the_rest_is_one_signature() {
    let tom = person("tom", &["global:analyst", "decide"]).await;
    let scene = Scene::asking("pay-struck-seen", "", &[], &[&tom]).await;
    let run = scene.start("pay-struck-seen", &invoices(5)).await;
    let (path, seen) = scene.seen(&run).await;
    let strikes = format!("{path}/strike");
    let after = scene.maria.post(&strikes, &strike(&seen, &[1, 3])).await;
    assert_eq!((&after["version"], &after["status"]), (&json!(2), &json!("pending")), "{after:#}");
    assert_ne!(after["digest"], seen["digest"]);
    let pay = &after["effects"][0];
    assert_eq!(
        (&pay["count"], &pay["left"], &pay["struck"]),
        (&json!(5), &json!(3), &json!([1, 3]))
    );
    let by_row: Vec<&Value> = (0..5).map(|n| &pay["items"][n]["struck"]).collect();
    assert_eq!(by_row, [false, true, false, true, false]);
    assert_eq!(after["strikes"][0]["struck"], json!([1, 3]));
    assert_eq!(seen["prompt_note"], Value::Null, "{seen:#}");
    let note = after["prompt_note"].as_str().unwrap();
    assert!(note.starts_with("Written before 2 of "), "{note}");
    assert!(after["strikes"][0]["by"].as_str().unwrap().starts_with("maria"), "{after:#}");
    assert_eq!(scene.maria.post(&strikes, &strike(&seen, &[3, 1])).await["version"], 2);

    // Each payment that is left has its path; one that was struck has none.
    let root: Digest = serde_json::from_value(pay["root"].clone()).unwrap();
    let third = scene.maria.get(&format!("{path}/effects/pay/3")).await;
    assert_eq!((&third["struck"], root_of(&third)), (&json!(false), root));
    let second = scene.maria.get(&format!("{path}/effects/pay/2")).await;
    assert_eq!((&second["struck"], &second["path"]), (&json!(true), &Value::Null));

    // Tom is told how many, and nothing of what; what he had seen decides nothing any more.
    let mails = until("the mail about the strike", || async {
        let mails = world().mailbox().to(&tom.email).await.unwrap();
        mails.into_iter().find(|mail| mail.text.contains("struck out 2 of 5; 3 are left"))
    });
    let mail = mails.await;
    assert!(mail.subject.starts_with("Please look again") && !mail.text.contains("2.00"));
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    let stale = tom.refused(&format!("{path}/approve"), Some(&decision)).await;
    assert_eq!(stale, (409, "PREVIEW_CHANGED".to_owned()));
    let stale = tom.refused(&strikes, Some(&strike(&seen, &[0]))).await;
    assert_eq!(stale, (409, "PREVIEW_CHANGED".to_owned()));
    for (wrong, code) in [
        (strike(&after, &[5]), "STRIKE_INDEX"),
        (strike(&after, &[0, 1, 2, 3, 4]), "STRIKE_ALL"),
        (json!({ "digest": after["digest"], "step": "ask", "indices": [] }), "STRIKE_STEP"),
    ] {
        assert_eq!(tom.refused(&strikes, Some(&wrong)).await, (422, code.to_owned()));
    }

    scene.approve(&run).await;
    let done = scene.over(&run).await;
    assert_eq!(done["state"], "complete", "{done:#}");
    assert_eq!(scene.bank.amounts(), ["1.00", "3.00", "5.00"]);
    let pay = step(&done, "pay").to_string();
    assert!(pay.contains("2 struck out") || pay.contains("\"struck\":2"), "{pay}");
}

#[tokio::test]
async fn k_09_rows_are_struck_out_on_the_page_with_the_mailed_code() {
    let scene = Scene::asking("pay-marked", "", &[], &[]).await;
    let run = scene.start("pay-marked", &invoices(3)).await;
    let (approver, link) = (scene.maria.approver(), scene.maria.link().await);
    let page = approver.open(&link).await.unwrap();
    assert!(page.html.contains("Strike out the marked rows"), "no marks: {}", page.html);
    let place = format!("{link}/strike");
    let marks = [("step", "pay"), ("first", "1"), ("last", "3"), ("row", "2")];
    let asked = approver.post(&place, &page, &marks).await.unwrap();
    assert!(asked.asks_for_code(), "struck without a code");
    assert_eq!(scene.seen(&run).await.1["version"], 1);
    // Asking again within a minute goes on with the same code: the newest mail has it.
    let code = until("the mailed code", || async {
        let mails = world().mailbox().to(&scene.maria.email).await.unwrap();
        mails.iter().rev().find_map(countersign_cli::mailbox::Mail::code)
    })
    .await;
    let with_code: Vec<_> = marks.into_iter().chain([("code", code.as_str())]).collect();
    let struck = approver.post(&place, &asked, &with_code).await.unwrap();
    assert_eq!(struck.status, 303, "{}", struck.html);
    let page = approver.open(&link).await.unwrap();
    for says in ["2 of 3 requests, 1 struck out", "Approving sends 2 requests", "struck out by"] {
        assert!(page.html.contains(says), "`{says}` is missing: {}", page.html);
    }
    let signed = approver.decide(&link, &page, "approve", "").await.unwrap();
    assert!(signed.html.contains("You approved"), "{}", signed.html);
    assert_eq!(scene.over(&run).await["state"], "complete");
    assert_eq!(scene.bank.amounts(), ["1.00", "3.00"]);
}
