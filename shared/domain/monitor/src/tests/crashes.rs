//! The model, through every crash that there can be.

use std::collections::BTreeMap;

use countersign_run::RunStatus;
use proptest::prelude::*;

use super::model::{BYTES, Event, LATE, Shows, World};
use crate::{BatchState, MAX_ATTEMPTS, TickOutcome};

/// What happens to the batches and their runs.
fn any_step() -> impl Strategy<Value = Event> {
    let statuses = vec![
        RunStatus::Complete,
        RunStatus::Partial,
        RunStatus::Rejected,
        RunStatus::Timeout,
        RunStatus::Error,
        RunStatus::Error,
        RunStatus::Cancelled,
    ];
    prop_oneof![
        3 => (0_i64..30).prop_map(|minutes| Event::Wait { minutes }),
        5 => (0_u8..3).prop_map(|dies_after| Event::Tick { dies_after }),
        2 => Just(Event::Twice),
        3 => Just(Event::Refuse),
        2 => (any::<bool>(), any::<bool>())
            .prop_map(|(dies, twice)| Event::Retry { dies, twice }),
        4 => (prop::sample::select(statuses), any::<bool>(), any::<bool>())
            .prop_map(|(status, dies, twice)| Event::End { status, dies, twice }),
    ]
}

fn any_shows() -> impl Strategy<Value = Event> {
    let shows = prop_oneof![
        2 => Just(Shows::Whole),
        1 => (1_usize..8).prop_map(Shows::Newest),
        1 => (1_usize..8).prop_map(Shows::Oldest),
    ];
    shows.prop_map(Event::Show)
}

fn any_event() -> impl Strategy<Value = Event> {
    // Late by less than the overlap, counted from the newest item there can be: that of now.
    let back = prop_oneof![3 => (0..LATE).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        4 => back.prop_map(|back| Event::Arrive { back }),
        1 => (1_usize..8).prop_map(|count| Event::Burst { count }),
        1 => any_shows(),
        1 => Just(Event::Move),
        1 => Just(Event::Reset),
        14 => any_step(),
    ]
}

/// Nothing comes late.
fn any_event_in_order() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => Just(Event::Arrive { back: Some(0) }),
        1 => Just(Event::Arrive { back: None }),
        2 => (1_usize..8).prop_map(|count| Event::Burst { count }),
        1 => any_shows(),
        14 => any_step(),
    ]
}

/// How often each item was in a batch, after everything.
fn times(world: &World) -> Result<BTreeMap<&str, usize>, TestCaseError> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, (batch, content)) in &world.store.batches {
        prop_assert_ne!(batch.state, BatchState::Open);
        prop_assert!(batch.attempt <= MAX_ATTEMPTS);
        let is_cancelled = batch.run_status.as_deref() == Some("cancelled");
        let is_refused = batch.refusals == MAX_ATTEMPTS;
        let may_be_parked = is_cancelled || is_refused || batch.attempt == MAX_ATTEMPTS;
        prop_assert!(batch.state != BatchState::Parked || may_be_parked);
        let place = &world.store.places[number];
        prop_assert!(world.store.objects.contains(place), "what a batch holds is there");
        let bytes: usize = content.items.iter().map(|item| world.bytes(&item.key)).sum();
        prop_assert!((1..=BYTES).contains(&bytes), "a batch has {} bytes", bytes);
        for item in &content.items {
            *times.entry(&item.key).or_default() += 1;
        }
    }
    Ok(times)
}

/// Nothing is in two batches; what is in none was known where a look began, or is in a source that nobody looks at any more.
fn each_once(world: &World, is_failing: bool) -> Result<(), TestCaseError> {
    let times = times(world)?;
    for (key, times) in &times {
        let most = 1 + world.resets.get(*key).copied().unwrap_or_default();
        prop_assert!(*times <= most, "{} is in {} batches of {}", key, times, most);
    }
    for item in &world.sources[world.at] {
        let is_done = times.contains_key(item.key.as_str()) || world.known.contains(&item.key);
        prop_assert!(is_done || is_failing, "{} is lost", item.key);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn f_214_k_66_every_item_ends_in_exactly_one_batch(events in prop::collection::vec(any_event(), 1..60)) {
        let mut world = World::new(1_000);
        for event in &events {
            world.happens(event);
            let open = world.store.batches.values().filter(|(batch, _)| batch.state == BatchState::Open);
            prop_assert!(open.count() <= 1, "one open batch per monitor");
        }
        world.drain();
        prop_assert_ne!(world.store.state.last_outcome, Some(TickOutcome::Failed));
        each_once(&world, false)?;
        // Every run that was started is that of a batch and a try: none is started twice.
        let tries: usize = world.store.batches.values().map(|(batch, _)| batch.attempt as usize).sum();
        prop_assert!(world.store.ended.len() <= tries);
    }

    #[test]
    fn f_213_what_a_watermark_cannot_remember_fails_the_look_and_loses_nothing(
        events in prop::collection::vec(any_event_in_order(), 1..60),
    ) {
        let mut world = World::new(8);
        events.iter().for_each(|event| world.happens(event));
        world.drain();
        each_once(&world, world.store.state.last_outcome == Some(TickOutcome::Failed))?;
    }
}
