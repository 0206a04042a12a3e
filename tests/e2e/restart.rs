//! A gate that is open when the stack goes down is open when it comes up again.

use std::time::Duration;

use countersign_cli::console::Console;
use countersign_cli::stack::{Place, down, up};
use serde_json::json;

use crate::case::{gated, person_in, rows, step};
use crate::world::{World, options, project};

#[tokio::test]
async fn a_run_that_waits_at_a_gate_continues_after_a_restart() {
    let (console, state) = (Console::new(), tempfile::tempdir().unwrap());
    let place = Place { project: Some(project()), state: Some(state.path().to_owned()) };
    let options = options("countersign-restart");
    let stack = up(&place, &options, &console).await.unwrap();
    let world = World::on(stack);
    let ana = person_in(&world, "ana", &["global:analyst"]).await;
    let maria = person_in(&world, "maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-restart", "")).await;
    let run = ana.start(&agent, "gated-restart", rows()).await;
    let request = maria.request(&run).await;
    down(state.path(), &console).await.unwrap();
    up(&place, &options, &console).await.unwrap();
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    assert_eq!(seen["status"], "pending");
    maria
        .post(
            &format!("{path}/approve"),
            &json!({ "digest": seen["digest"], "version": seen["version"] }),
        )
        .await;
    // The sweeper finds the lost execution within a minute or two.
    let done = tokio::time::timeout(Duration::from_secs(300), async {
        loop {
            let now = ana.run(&run).await;
            if now["state"] == "complete" {
                return now;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let done = done.await.expect("the run goes on after the restart");
    assert_eq!(step(&done, "keep")["status"], "done");
    down(state.path(), &console).await.unwrap();
}
