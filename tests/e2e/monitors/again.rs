//! A look that failed is tried once more, soon, by the clocks of the deployment.

use serde_json::{Value, json};

use super::{Feed, SAVE, Watch, monitor, playbook};
use crate::case::{person, until};

#[tokio::test]
async fn f_218_a_look_that_failed_is_tried_once_more_before_its_interval_is_over() {
    let feed = Feed::open().await;
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let broken = feed.connector().replace(&feed.port.to_string(), "1");
    ana.post("/connectors", &json!({ "yaml": broken })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(&playbook(SAVE)).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed, ana, maria, agent, monitor };
    let failed = watch.outcome("failed").await;
    assert_eq!(failed["last_tick_at"], Value::Null, "the first failure is no tick: {failed:#}");
    // Its interval is five minutes, and nobody asks: it is tried again all the same.
    let again = until("the second try", || async {
        let state = watch.of("state").await;
        (!state["last_tick_at"].is_null()).then_some(state)
    })
    .await;
    assert_eq!(again["last_outcome"], "failed", "{again:#}");
    assert!(again["last_error"].as_str().unwrap().contains("the step `look`"), "{again:#}");
    assert_eq!((&again["open_batch"], watch.runs().await), (&Value::Null, 0), "{again:#}");
}
