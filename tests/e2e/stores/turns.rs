//! The turn of a trigger whose runs go one after the other, and what becomes of an occurrence that two functions change at once.

use countersign_run::{Occurrence, OccurrenceId, OccurrenceState, RunStatus};
use countersign_store_kit::Window;
use futures::future::join_all;

use super::clocks::{at, catalog, open};

/// Two events of a trigger in the same second: the first one is behind the second in the ledger.
fn of_one_second() -> [Occurrence; 2] {
    let of = |event: &str| {
        let due = Occurrence { state: OccurrenceState::Due, ..open(0) };
        Occurrence { id: OccurrenceId::of_event(&due.source_id, at(0), event), ..due }
    };
    let mut both = ["a", "b"].map(of);
    both.sort_by(|one, other| other.id.cmp(&one.id));
    both
}

#[tokio::test]
async fn issue_14_whoever_takes_the_turn_of_one_occurrence_at_once_has_it() {
    let catalog = catalog().await;
    let [first, second] = of_one_second();
    for _ in 0..10 {
        for one in [&first, &second] {
            catalog.notice(one).await.unwrap();
        }
        // The door of webhooks and sweepers that come at the same moment.
        let taken = join_all((0..6).map(|_| catalog.take_turn(&first))).await;
        let taken: Vec<bool> = taken.into_iter().map(Result::unwrap).collect();
        assert_eq!(taken, [true; 6]);
        assert!(!catalog.take_turn(&second).await.unwrap(), "the other one waits");
        assert!(catalog.holds_turn(&first).await.unwrap());
        assert!(!catalog.holds_turn(&second).await.unwrap());
    }
}

#[tokio::test]
async fn issue_14_of_two_occurrences_that_come_at_once_one_has_the_turn() {
    let catalog = catalog().await;
    let both = of_one_second();
    for one in &both {
        catalog.notice(one).await.unwrap();
    }
    let taken = join_all((0..8).map(|n| catalog.take_turn(&both[n % 2]))).await;
    let taken: Vec<bool> = taken.into_iter().map(Result::unwrap).collect();
    for (n, has) in taken.into_iter().enumerate() {
        assert_eq!(has, catalog.holds_turn(&both[n % 2]).await.unwrap());
    }
    let of = |one: usize| catalog.holds_turn(&both[one]);
    assert_ne!(of(0).await.unwrap(), of(1).await.unwrap());
}

/// The function that begins the run is slower than one that has noted that it waits, or that no run was to be.
#[tokio::test]
async fn issue_14_a_run_that_has_begun_is_not_lost_behind_what_was_noted_meanwhile() {
    let catalog = catalog().await;
    for meanwhile in [OccurrenceState::Queued, OccurrenceState::Skipped, OccurrenceState::Missed] {
        let noticed = Occurrence { state: OccurrenceState::Due, ..open(meanwhile as i64) };
        catalog.notice(&noticed).await.unwrap();
        let other = match meanwhile {
            OccurrenceState::Queued => noticed.moved(meanwhile, at(10)),
            over => noticed.ended(over, "OVERLAP", "another one goes on", at(10)),
        };
        assert!(catalog.move_occurrence(&other).await.unwrap());

        let begun = catalog.note_begun(&noticed, 1, at(11)).await.unwrap();
        let expect = (OccurrenceState::Started, vec![noticed.id.run(0)], None);
        assert_eq!((begun.state, begun.runs.clone(), begun.reason.clone()), expect);
        let known = catalog.occurrence(&noticed.owner, &noticed.id).await.unwrap();
        assert_eq!(known, Some(begun.clone()), "{meanwhile:?}");
        let marks = catalog.open_occurrences(None, Window::first(10)).await.unwrap().items;
        assert!(marks.iter().any(|mark| mark.id == noticed.id), "it is followed: {meanwhile:?}");

        // Once more changes nothing.
        assert_eq!(catalog.note_begun(&noticed, 1, at(12)).await.unwrap(), begun);
    }
}

/// A run that failed is repeated by one sweeper, while another one finds that it must not be.
#[tokio::test]
async fn issue_14_a_run_that_is_repeated_is_not_lost_behind_an_end_that_was_noted_meanwhile() {
    let catalog = catalog().await;
    let noticed = Occurrence { state: OccurrenceState::Due, ..open(0) };
    catalog.notice(&noticed).await.unwrap();
    let first = catalog.note_begun(&noticed, 1, at(1)).await.unwrap();
    let ended = first.ended(OccurrenceState::Finished, "TRIGGER_INACTIVE", "it is off", at(2));
    let ended = Occurrence { status: Some(RunStatus::Error), ..ended };
    assert!(catalog.move_occurrence(&ended).await.unwrap());

    let again = catalog.note_begun(&first, 2, at(3)).await.unwrap();
    assert_eq!(again.runs, [0, 1].map(|n| noticed.id.run(n)));
    assert_eq!((again.state, again.status, again.reason), (OccurrenceState::Started, None, None));
    let marks = catalog.open_occurrences(None, Window::first(10)).await.unwrap().items;
    assert!(marks.iter().any(|mark| mark.id == noticed.id), "it is followed");
}
