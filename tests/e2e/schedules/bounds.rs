//! How many schedules a person may have.

use futures::StreamExt as _;
use serde_json::json;

use super::morning;
use crate::case::{FACTORY, person};

/// As `docs/schedules.md` says.
const MOST: usize = 100;

#[tokio::test]
async fn p_003_a_person_has_so_many_schedules_and_no_more() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let (ana, one) = (&ana, &morning(&agent));
    let made = futures::stream::iter(0..MOST).map(|_| ana.post("/schedules", one));
    let made: Vec<_> = made.buffer_unordered(4).collect().await;
    let refused = ana.refused("/schedules", Some(one)).await;
    assert_eq!(refused, (422, "SCHEDULES_TOO_MANY".to_owned()));
    let first = made[0]["id"].as_str().unwrap();
    let path = format!("{FACTORY}/schedules/{first}");
    ana.door.patch(&path, &json!({ "name": "Another" })).await.unwrap();
    ana.door.delete(&path).await.unwrap();
    ana.post("/schedules", one).await;
}
