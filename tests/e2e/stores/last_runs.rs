//! How the last run of a source ended, however many lines of the ledger are newer; and two changes of one schedule at once.

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceState, RunStatus};
use countersign_store_catalog::Last;

use super::clocks::{at, catalog, open};

fn over(n: i64, status: RunStatus) -> Occurrence {
    Occurrence { status: Some(status), ..open(n).moved(OccurrenceState::Finished, at(n)) }
}

#[tokio::test]
async fn f_203_the_last_success_stays_whatever_comes_after_it() {
    let catalog = catalog().await;
    let owner = UserId::from_bytes([1; 16]);
    let source = open(0).source_id;
    let last = async |which| catalog.last_run(&owner, &source, which).await.unwrap();
    assert_eq!(last(Last::Finished).await, None);
    catalog.note_last_run(&open(50)).await.unwrap();
    assert_eq!(last(Last::Finished).await, None, "it is not over");

    let ended = [(10, RunStatus::Complete), (30, RunStatus::Partial), (20, RunStatus::Complete)];
    for (n, status) in ended {
        catalog.note_last_run(&over(n, status)).await.unwrap();
    }
    let success = last(Last::Success).await.unwrap();
    assert_eq!((success.due_at, success.status), (at(30), RunStatus::Partial));
    for n in 40..140 {
        catalog.note_last_run(&over(n, RunStatus::Error)).await.unwrap();
    }
    assert_eq!(last(Last::Success).await, Some(success), "failures do not change it");
    let finished = last(Last::Finished).await.unwrap();
    assert_eq!((finished.due_at, finished.status), (at(139), RunStatus::Error));
}
