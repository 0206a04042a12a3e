//! Lists of monitors and of what is parked, narrowed by their own words.

use serde_json::{Value, json};

use super::{monitor, watching};
use crate::case::{Person, revoke};
use crate::schedules::command::said;

/// Every item of a list, read in pages of one.
async fn all(ana: &Person, path: &str) -> Vec<Value> {
    let (mut items, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = ana.get(&format!("{path}&limit=1{cursor}")).await;
        items.extend(page["items"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return items,
        }
    }
}

#[tokio::test]
async fn f_367_f_361_lists_of_the_clock_are_narrowed_by_their_own_words() {
    let watch = watching().await;
    let ana = &watch.ana;
    let paused = ana.post("/monitors", &monitor(&watch.agent)).await["id"].clone();
    let path = format!("/monitors/{}/pause", paused.as_str().unwrap());
    ana.post(&path, &json!({})).await;
    let other = ana.agent(&[]).await;
    let ids = async |path: &str| -> Vec<Value> {
        all(ana, path).await.into_iter().map(|one| one["id"].clone()).collect()
    };
    assert_eq!(ids("/monitors?is_active=true").await, [json!(watch.monitor)]);
    assert_eq!(ids("/monitors?is_active=false").await, std::slice::from_ref(&paused));
    assert_eq!(ids(&format!("/monitors?profile_id={}", watch.agent)).await.len(), 2);
    assert_eq!(ids(&format!("/monitors?profile_id={other}")).await, Vec::<Value>::new());
    let page = ana.get("/monitors?limit=1").await;
    let foreign =
        format!("/monitors?limit=1&is_active=true&cursor={}", page["next"].as_str().unwrap());
    assert_eq!(ana.refused(&foreign, None).await.0, 400, "a cursor belongs to the filters");
    for wrong in ["is_active=perhaps", "profile_id=x", "is_enabled=true"] {
        assert_eq!(ana.refused(&format!("/monitors?{wrong}"), None).await.0, 422, "{wrong}");
    }
    let listed = said(ana, &["monitors", "--active", "true", "--profile", &watch.agent]).await;
    assert!(listed.contains(&watch.monitor) && !listed.contains(paused.as_str().unwrap()));

    let schedule = json!({ "name": "A", "profile_id": other, "cron_expression": "0 6 * * *", "query_template": "What?" });
    let off = ana.post("/schedules", &schedule).await["id"].clone();
    assert_eq!(ids("/schedules?is_enabled=true").await, Vec::<Value>::new());
    assert_eq!(
        ids(&format!("/schedules?is_enabled=false&profile_id={other}")).await,
        std::slice::from_ref(&off)
    );
    let listed = said(ana, &["schedules", "--enabled", "false"]).await;
    assert!(listed.contains(off.as_str().unwrap()), "{listed}");
}

#[tokio::test]
async fn f_373_watermarks_and_what_is_parked_are_narrowed_by_step_and_batch() {
    let watch = watching().await;
    revoke(&watch.maria, "decide").await;
    watch.parks(1, &["first-lost"]).await;
    watch.parks(2, &["second-lost", "third-lost"]).await;
    let keys = async |filter: &str| -> Vec<String> {
        let path = format!("/monitors/{}/parked?{filter}", watch.monitor);
        let items = all(&watch.ana, &path).await;
        items.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys("step=look").await.len(), 3);
    assert_eq!(keys("step=other").await, Vec::<String>::new());
    assert_eq!(keys("batch=1").await, ["notices/tag:notices,first-lost"]);
    assert_eq!(keys("batch=2&step=look").await.len(), 2);
    assert_eq!(keys("batch=7").await, Vec::<String>::new());
    let marks = watch.of("watermarks?step_name=look").await;
    assert_eq!(marks["items"][0]["step_name"], "look", "{marks:#}");
    assert_eq!(watch.of("watermarks?step_name=other").await["items"], json!([]));
    let id = watch.monitor.as_str();
    let parked = said(&watch.ana, &["monitors", "parked", id, "--batch", "1"]).await;
    assert!(parked.contains("first-lost") && !parked.contains("second-lost"), "{parked}");
    let marks = said(&watch.ana, &["monitors", "watermarks", id, "--step", "other"]).await;
    assert!(!marks.contains("cursor"), "{marks}");
}
