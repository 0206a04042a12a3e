//! A decision wakes what waits for it.

use serde_json::json;

use crate::case::{gated, person_in, rows};
use crate::world::world;

const NAME: &str = "countersign-decided";
const SECRET: &str = "decided-decided-decided-decided-decided";

/// What clocks call.
const OF_CLOCKS: [&str; 4] = ["cron-sweep", "gate-deadline", "cron-schedule", "cron-monitor"];

#[tokio::test]
async fn r_070_the_decision_itself_wakes_the_run_that_waits_for_it() {
    let mut world = world().beside(NAME, &[format!("JwtHs256Secret={SECRET}")]).await;
    SECRET.clone_into(&mut world.stack.jwt_secret);
    // Nothing is left that could look for what was decided, now or later.
    for function in OF_CLOCKS {
        let name = format!("{NAME}-{function}");
        world
            .aws(&["lambda", "delete-function", "--function-name", &name])
            .await
            .unwrap_or_default();
        let get = ["lambda", "get-function-configuration", "--function-name", &name];
        assert!(world.aws(&get).await.is_err(), "`{name}` is still there");
    }
    let ana = person_in(&world, "ana", &["global:analyst"]).await;
    let maria = person_in(&world, "maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("decided", "")).await;
    let run = ana.start(&agent, "decided", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(&run, "complete").await;
}
