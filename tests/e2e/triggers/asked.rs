//! Who asks, for those who sign: not only for whom, but what.

use serde_json::{Value, json};

use super::{Sender, comes_to, made, run_of, trigger};
use crate::case::{Person, gated, person};
use crate::schedules::sweep;
use crate::world::world;

async fn scene(name: &str) -> (Person, Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated(name, "")).await;
    (ana, maria, agent)
}

fn rows() -> Value {
    json!([{ "name": "b", "amount": 15 }])
}

/// What the page, the newest mail, REST and the journal say of who asks for this run.
pub(crate) async fn said(
    ana: &Person,
    maria: &Person,
    run: &str,
) -> (String, String, Value, String) {
    let request = maria.request(run).await;
    let shown = maria.get(&format!("/approvals/{}", request["approval"].as_str().unwrap())).await;
    let approver = maria.approver();
    let page = approver.open(&maria.link().await).await.unwrap();
    let mails = world().mailbox().to(&maria.email).await.unwrap();
    let agent = ana.run(run).await["profile_id"].as_str().unwrap().to_owned();
    let journal = ana.get(&format!("/profiles/{agent}/journal")).await;
    let entry = journal["items"][0]["summary"].as_str().unwrap().to_owned();
    (page.html, mails.last().unwrap().text.clone(), shown["asked_by"].clone(), entry)
}

#[tokio::test]
async fn issue_14_whoever_signs_sees_which_webhook_asks_and_with_which_key() {
    let (ana, maria, agent) = scene("asked-by-a-hook").await;
    let inputs = json!({ "rows": "{body}" });
    let id =
        made(&ana, &trigger(&agent, "asked-by-a-hook", &json!({ "type": "webhook" }), &inputs))
            .await;
    let (other, sender) = (Sender::new(&ana, &id).await, Sender::new(&ana, &id).await);
    let fired = sender.fires(&ana, "msg_1", &rows()).await;
    let run = run_of(&fired);
    ana.reaches(&run, "awaiting_approval").await;
    let (page, mail, by, journal) = said(&ana, &maria, &run).await;
    let key = sender.key.as_str();
    assert_eq!(
        by,
        json!({
            "type": "webhook", "id": id, "name": "Test trigger", "with": key, "occurrence": fired["id"],
        })
    );
    assert!(page.contains(&format!("(key {key})")) && page.contains("the webhook"), "{page}");
    assert!(mail.contains("Asked by    the webhook Test trigger"), "{mail}");
    assert!(mail.contains(&format!("With        key {key}")), "{mail}");
    assert!(mail.contains("For         "), "{mail}");
    assert!(
        journal.contains(&format!("asked by the webhook \"Test trigger\" (key {key})")),
        "{journal}"
    );
    for said in [&page, &mail, &journal] {
        assert!(!said.contains(&other.key), "another key made no signature: {said}");
    }
}

#[tokio::test]
async fn issue_14_whoever_signs_sees_which_file_and_which_run_ask() {
    let (ana, maria, agent) = scene("asked-by-a-file").await;
    let on = json!({ "type": "file", "folder": "asked" });
    let inputs = json!({ "rows": [{ "name": "{file.name}", "amount": 15 }] });
    let id = made(&ana, &trigger(&agent, "asked-by-a-file", &on, &inputs)).await;
    super::files::upload(&ana, "asked", "payments of May.csv").await;
    let run = run_of(&comes_to(&ana, &id, "started").await);
    ana.reaches(&run, "awaiting_approval").await;
    let (page, mail, by, _) = said(&ana, &maria, &run).await;
    assert_eq!((&by["type"], &by["with"]), (&json!("file"), &json!("payments of May.csv")));
    assert!(page.contains("payments of May.csv") && page.contains("uploaded by"), "{page}");
    assert!(mail.contains("With        file payments of May·csv"), "{mail}");

    ana.playbook(&gated("asked-by-a-run", "")).await;
    ana.playbook(&super::compute("asked-before")).await;
    let on = json!({ "type": "after", "playbook": "asked-before" });
    let inputs = json!({ "rows": rows() });
    let id = made(&ana, &trigger(&agent, "asked-by-a-run", &on, &inputs)).await;
    let before = ana.start(&agent, "asked-before", json!({ "rows": rows() })).await;
    ana.reaches(&before, "complete").await;
    sweep().await;
    let run = run_of(&comes_to(&ana, &id, "started").await);
    ana.reaches(&run, "awaiting_approval").await;
    let request = maria.request(&run).await;
    let shown = maria.get(&format!("/approvals/{}", request["approval"].as_str().unwrap())).await;
    let by = &shown["asked_by"];
    assert_eq!(
        (&by["type"], &by["with"]),
        (&json!("run"), &json!(format!("{before} as complete")))
    );
}
