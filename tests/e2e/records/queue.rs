//! The queue of approvals: its words, and more time or more people for a request.

use serde_json::json;

use super::{decide, items};
use crate::case::{FACTORY, gated, person, refusal, rows};

#[tokio::test]
async fn f_195_f_402_k_15_the_queue_names_the_agent_and_its_own_words_and_gives_more_time() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("records-queue", "    timeout_minutes: 60")).await;
    let run = ana.start(&agent, "records-queue", rows()).await;
    let line = maria.request(&run).await;
    assert_eq!(
        (&line["agent_profile_id"], &line["queue_status"]),
        (&json!(agent), &json!("pending"))
    );
    let path = format!("/approvals/{}", line["approval"].as_str().unwrap());
    let before = maria.get(&path).await;
    assert_eq!(before["agent_profile_id"], agent);

    let more = json!({ "deadline": "2020-01-01T00:00:00Z" });
    let extend = format!("{path}/extend");
    assert_eq!(maria.refused(&extend, Some(&more)).await, (422, "DEADLINE_NOT_LATER".to_owned()));
    let unread = json!({ "deadline": "next week" });
    let unread = refusal(maria.door.post(&format!("{FACTORY}{extend}"), &unread).await);
    let told = "`deadline`: must be a time such as `2026-12-01T09:00:00Z`";
    assert!(unread.status == 422 && unread.said.contains(told), "{}", unread.said);
    let opened: jiff::Timestamp = before["opened_at"].as_str().unwrap().parse().unwrap();
    let deadline = opened.checked_add(jiff::SignedDuration::from_hours(48)).unwrap();
    let more = json!({ "deadline": deadline });
    assert_eq!(ana.refused(&extend, Some(&more)).await.0, 403, "who asked may not wait longer");
    let zoe = person("zoe", &["global:analyst", "decide"]).await;
    assert_eq!(zoe.refused(&extend, Some(&more)).await.0, 404);
    let after = maria.post(&extend, &more).await;
    assert_eq!(
        (&after["timing"]["deadline"], &after["digest"]),
        (&json!(deadline), &before["digest"])
    );
    assert_eq!(after["extensions"][0]["by"], maria.username);
    assert_eq!(maria.post(&extend, &more).await["extensions"].as_array().unwrap().len(), 1);

    decide(&maria, &run, "reject").await;
    ana.reaches(&run, "rejected").await;
    let check = async |query: &str, count: usize| {
        let page = ana.get(&format!("/approvals?role=owner&{query}")).await;
        assert_eq!(items(&page).len(), count, "{query}: {page:#}");
        page
    };
    let page = check("status=denied", 1).await;
    assert_eq!(
        (&page["items"][0]["status"], &page["items"][0]["queue_status"]),
        (&json!("denied"), &json!("rejected"))
    );
    check("status=approved", 0).await;
    check(&format!("status=closed&profile={agent}"), 1).await;
    check("status=pending", 0).await;
    assert_eq!(ana.refused("/approvals?status=well", None).await.0, 422);
}

#[tokio::test]
async fn k_12_those_whom_a_gate_names_for_later_can_be_asked_now() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let bo = person("bo", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let gate = format!("    escalation: {{to: [{}], after_minutes: 1440}}", bo.username);
    ana.playbook(&gated("records-escalated", &gate)).await;
    let run = ana.start(&agent, "records-escalated", rows()).await;
    let request = maria.request(&run).await;
    assert_eq!(bo.get("/approvals").await["items"], json!([]), "nobody has asked them yet");
    let path = format!("/approvals/{}/escalate", request["approval"].as_str().unwrap());
    let zoe = person("zoe", &["global:analyst", "decide"]).await;
    assert_eq!(zoe.refused(&path, Some(&json!({}))).await.0, 404);
    // Whoever asked for the approval does not choose who answers it.
    assert_eq!(ana.refused(&path, Some(&json!({}))).await.0, 403);
    let asked = maria.post(&path, &json!({})).await;
    assert_eq!(asked["asked"], json!([bo.username]));
    let link = bo.link().await;
    assert!(link.contains("/a/"), "{link}");
    let decided = decide(&bo, &run, "approve").await;
    ana.reaches(&run, "complete").await;
    assert_eq!(maria.refused(&format!("{decided}/escalate"), Some(&json!({}))).await.0, 409);
}
