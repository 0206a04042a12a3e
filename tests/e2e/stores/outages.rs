//! The time limit of a run, when the sweeper was still.

use countersign_clock::Clock;
use countersign_run::{Head, Occurrence, OccurrenceState, RunContext, RunId, StopReason};
use countersign_store_catalog::Catalog;
use countersign_store_runs::{Asked, RunLimits};
use serde_json::json;

use super::clocks::{at, catalog, open};
use super::later;
use super::sweeps::clock;

/// A run that works, and may for five minutes.
async fn working(catalog: &Catalog, clock: &Clock) -> RunId {
    let of = open(0);
    let run = of.id.run(0);
    let of = Occurrence {
        state: OccurrenceState::Started,
        runs: vec![run.clone()],
        timeout_seconds: 300,
        ..of
    };
    assert!(catalog.notice(&of).await.unwrap());
    let head = json!({
        "run": run, "owner": of.owner, "invoked_by": of.owner, "scopes": [], "profile_id": "p",
        "profile_name": "P", "context": RunContext::Scheduled, "started_at": at(0), "attempt": 1, "version": 1,
    });
    let head: Head = serde_json::from_value(head).unwrap();
    let asked = Asked { inputs: json!({}), samples: None, playbook: None };
    clock.runs.create(&head, &asked, RunLimits::NONE, &[]).await.unwrap();
    run
}

/// Sweeps so many minutes after its beginning; why the run was ended by then.
async fn swept(clock: &Clock, run: &RunId, minutes: &[i64]) -> Option<StopReason> {
    for minute in minutes {
        let done = clock.sweep(at(60 * minute), later()).await.unwrap();
        assert_eq!(done.failed, 0, "{done:?}");
    }
    clock.runs.head(run).await.unwrap().unwrap().stop.map(|stop| stop.reason)
}

#[tokio::test]
async fn f_206_a_run_that_works_for_too_long_is_ended() {
    let catalog = catalog().await;
    let clock = clock(&catalog).await;
    let run = working(&catalog, &clock).await;
    assert_eq!(swept(&clock, &run, &[0, 1, 2, 3, 4, 5]).await, None);
    assert_eq!(swept(&clock, &run, &[6]).await, Some(StopReason::TimedOut));
}

#[tokio::test]
async fn f_206_after_an_outage_of_ten_minutes_a_run_has_its_time_anew() {
    let catalog = catalog().await;
    let clock = clock(&catalog).await;
    let run = working(&catalog, &clock).await;
    assert_eq!(swept(&clock, &run, &[0, 1, 11]).await, None, "nothing worked meanwhile");
    assert_eq!(swept(&clock, &run, &[12, 13, 14, 15, 16]).await, None);
    assert_eq!(swept(&clock, &run, &[17]).await, Some(StopReason::TimedOut));
}
