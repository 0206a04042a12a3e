//! A monitor that is being forgotten while a run of it comes to its end.

use countersign_identity::{Scopes, UserId};
use countersign_run::{
    BatchId, Head, MonitorId, Occurrence, OccurrenceId, OccurrenceSource, OccurrenceState, RunId,
    RunStatus,
};
use countersign_store_catalog::{Catalog, MonitorStore};
use countersign_store_kit::Blobs;
use serde_json::json;

use super::clocks::{at, open};

#[tokio::test]
async fn f_214_an_occurrence_ends_with_its_run_when_its_batch_is_forgotten_already() {
    let table = super::table("forgotten").await;
    let catalog = Catalog::new(table.clone());
    let store = MonitorStore::new(table, Blobs::of(&super::aws().await, "nothing-is-kept"));
    let (owner, monitor) = (UserId::from_bytes([1; 16]), MonitorId::from_bytes([2; 16]));
    let (batch, run) = (BatchId::from_bytes([3; 16]), RunId::from_bytes([4; 16]));
    let due = Occurrence {
        id: OccurrenceId::new(monitor.as_str(), at(0)),
        source: OccurrenceSource::Monitor,
        source_id: monitor.to_string(),
        state: OccurrenceState::Started,
        runs: vec![run.clone()],
        ..open(0)
    };
    assert!(catalog.notice(&due).await.unwrap());
    // Its batches are deleted, and its state is not yet.
    let state =
        json!({ "version": 1, "batches": 1, "open": { "batch": batch, "number": 1, "run": run } });
    store.note(&monitor, &serde_json::from_value(state).unwrap(), &[], None).await.unwrap();
    let head: Head = serde_json::from_value(json!({
        "run": run, "owner": owner, "invoked_by": owner, "scopes": Scopes::default(), "profile_id": "p",
        "profile_name": "P", "context": "monitor", "started_at": at(0), "attempt": 1, "version": 1,
        "occurrence": due.id, "from_monitor": { "monitor": monitor, "batch": batch },
    }))
    .unwrap();
    for _ in 0..2 {
        assert_eq!(store.ended(&head, RunStatus::Complete, at(60)).await.unwrap(), None);
    }
    let ended = catalog.occurrence(&owner, &due.id).await.unwrap().unwrap();
    assert_eq!((ended.state, ended.status), (OccurrenceState::Finished, Some(RunStatus::Complete)));
    assert_eq!(ended.reason.unwrap().code, "MONITOR_REMOVED");
}
