//! The whole way of an item over a store that writes all or nothing: whatever happens in between, an item ends in exactly one
//! batch that is committed or parked.

use std::collections::{BTreeMap, BTreeSet};

use countersign_run::{MonitorId, RunId, RunStatus};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::{Map, json};

use crate::{
    Batch, BatchItem, BatchState, Content, Due, Found, Interval, MAX_ATTEMPTS, MarkKind, Outcome,
    Overlap, Position, State, Timing, Watermark, novel, settle, tick,
};

/// How late an item may come, in minutes.
const LATE: i64 = 120;
/// The most items of a batch: few, so that some are left.
const MOST: usize = 3;

/// What happens.
#[derive(Debug, Clone)]
enum Event {
    /// An item comes, dated so many minutes before now; some without a date.
    Arrive { back: Option<i64> },
    /// Time passes.
    Wait { minutes: i64 },
    /// A clock ticks, and dies after so many writes.
    Tick { dies_after: u8 },
    /// Two clocks tick at once: both have read before either writes.
    Twice,
    /// The run that goes on ends, and what notes it dies before the write, or is done twice.
    End { status: RunStatus, dies: bool, twice: bool },
}

/// What a store holds.
#[derive(Debug, Clone, Default)]
struct Store {
    state: State,
    mark: Option<Watermark>,
    batches: BTreeMap<u64, (Batch, Content)>,
    /// The runs that were started and have not ended.
    runs: BTreeSet<RunId>,
    /// How the others did.
    ended: BTreeMap<RunId, RunStatus>,
}

struct World {
    now: i64,
    source: Vec<Found>,
    store: Store,
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 60 * minute).unwrap()
}

fn monitor() -> MonitorId {
    MonitorId::from_bytes([1; 16])
}

fn timing() -> Timing {
    Timing { interval: Interval::Minutes5, hours: None, suppress_if_empty: true }
}

impl Store {
    /// Writes everything or nothing; nothing when the state has moved since it was read.
    fn apply(&mut self, seen: u64, change: impl FnOnce(&mut Self)) -> bool {
        if self.state.version != seen {
            return false;
        }
        change(self);
        assert!(self.state.version > seen, "every change raises the version");
        true
    }

    fn start(&mut self, run: &RunId) {
        if !self.ended.contains_key(run) {
            self.runs.insert(run.clone());
        }
    }
}

impl World {
    fn new() -> Self {
        let mut mark = Watermark::new("look");
        mark.position = Some(Position::start(MarkKind::Cursor));
        Self { now: 0, source: Vec::new(), store: Store { mark: Some(mark), ..Store::default() } }
    }

    /// What one tick does that read `read`; it dies after `writes` writes.
    fn tick(&mut self, read: &Store, mut writes: u8) {
        let now = at(self.now);
        match tick(&read.state, &timing(), true, now) {
            Due::Nothing | Due::OutsideHours => {}
            Due::Resume(open) => match self.store.ended.get(&open.run).copied() {
                Some(status) => self.settle(&open.run, status),
                None => self.store.start(&open.run),
            },
            Due::Retry(open) => {
                let (batch, content) = read.batches[&open.number].clone();
                let (batch, state) = batch.tried_again(&read.state);
                let run = batch.run.clone();
                if writes == 0 {
                    return;
                }
                let done = self.store.apply(read.state.version, |store| {
                    store.state = state;
                    store.batches.insert(batch.number, (batch, content));
                });
                writes -= 1;
                if done && writes > 0 {
                    self.store.start(&run);
                }
            }
            Due::Look => self.look(read, writes),
        }
    }

    fn look(&mut self, read: &Store, mut writes: u8) {
        let now = at(self.now);
        let mark = read.mark.clone().unwrap();
        let how = Overlap {
            kind: MarkKind::Cursor,
            late: SignedDuration::from_mins(LATE),
            now,
            most: MOST,
        };
        let seen = novel(mark.position.as_ref(), self.source.clone(), how);
        if writes == 0 {
            return;
        }
        if seen.items.is_empty() {
            let state = read.state.ticked(Outcome::Suppressed, now);
            self.store.apply(read.state.version, |store| {
                store.state = state;
                store.mark = Some(mark.looked(0, now));
            });
            return;
        }
        let previous = BTreeMap::from([("look".to_owned(), mark.version)]);
        let batch = Batch::found(&monitor(), &read.state, seen.items.len(), previous, now);
        let (number, run) = (batch.number, batch.run.clone());
        let item = |found: &Found| BatchItem { step: "look".to_owned(), key: found.key.clone() };
        let content = Content {
            items: seen.items.iter().map(item).collect(),
            outputs: Map::new(),
            proposed: BTreeMap::from([("look".to_owned(), seen.position.clone())]),
        };
        let state = read.state.opened(&batch, now);
        let done = self.store.apply(read.state.version, |store| {
            store.state = state;
            store.mark = Some(mark.looked(seen.items.len(), now));
            store.batches.insert(number, (batch, content));
        });
        writes -= 1;
        if done && writes > 0 {
            self.store.start(&run);
        }
    }

    fn settle(&mut self, run: &RunId, status: RunStatus) {
        let now = at(self.now);
        let Some(open) = self.store.state.open.clone() else { return };
        let (batch, content) = self.store.batches[&open.number].clone();
        let Some(settled) = settle(&batch, &self.store.state, run, status, now) else { return };
        let seen = self.store.state.version;
        self.store.apply(seen, |store| {
            if settled.moves {
                let mark = store.mark.take().unwrap();
                assert_eq!(batch.previous["look"], mark.version, "compare and set");
                store.mark = Some(mark.moved(content.proposed["look"].clone(), now));
            }
            store.state = settled.state;
            store.batches.insert(open.number, (settled.batch, content));
        });
    }

    fn happens(&mut self, event: &Event) {
        match event {
            Event::Arrive { back } => {
                let key = format!("item-{}", self.source.len());
                let at = back.map(|back| at(self.now - back));
                self.source.push(Found { key, at, record: json!({}) });
            }
            Event::Wait { minutes } => self.now += minutes,
            Event::Tick { dies_after } => {
                let read = self.store.clone();
                self.tick(&read, *dies_after);
            }
            Event::Twice => {
                let read = self.store.clone();
                self.tick(&read, u8::MAX);
                self.tick(&read, u8::MAX);
            }
            Event::End { status, dies, twice } => {
                let Some(run) = self.store.runs.pop_first() else { return };
                if !dies {
                    self.settle(&run, *status);
                }
                if *twice {
                    self.settle(&run, *status);
                }
                self.store.ended.insert(run, *status);
            }
        }
    }

    /// Ticks and ends until nothing is left to do.
    fn drain(&mut self) {
        for _ in 0..self.source.len() * 4 + 20 {
            self.happens(&Event::Wait { minutes: 5 });
            self.happens(&Event::Tick { dies_after: u8::MAX });
            let end = Event::End { status: RunStatus::Complete, dies: false, twice: false };
            self.happens(&end);
        }
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let statuses = vec![
        RunStatus::Complete,
        RunStatus::Partial,
        RunStatus::Rejected,
        RunStatus::Timeout,
        RunStatus::Error,
        RunStatus::Error,
        RunStatus::Cancelled,
    ];
    // Late by less than the overlap, counted from the newest item there can be: that of now.
    let back = prop_oneof![3 => (0..LATE).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        4 => back.prop_map(|back| Event::Arrive { back }),
        3 => (0_i64..30).prop_map(|minutes| Event::Wait { minutes }),
        5 => (0_u8..3).prop_map(|dies_after| Event::Tick { dies_after }),
        2 => Just(Event::Twice),
        4 => (prop::sample::select(statuses), any::<bool>(), any::<bool>())
            .prop_map(|(status, dies, twice)| Event::End { status, dies, twice }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn f_214_k_66_every_item_ends_in_exactly_one_batch(events in prop::collection::vec(any_event(), 1..60)) {
        let mut world = World::new();
        for event in &events {
            world.happens(event);
            let open = world.store.batches.values().filter(|(batch, _)| batch.state == BatchState::Open);
            prop_assert!(open.count() <= 1, "one open batch per monitor");
        }
        world.drain();
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for (batch, content) in world.store.batches.values() {
            prop_assert_ne!(batch.state, BatchState::Open);
            prop_assert!(batch.attempt <= MAX_ATTEMPTS);
            let is_cancelled = batch.run_status.as_deref() == Some("cancelled");
            let may_be_parked = is_cancelled || batch.attempt == MAX_ATTEMPTS;
            prop_assert!(batch.state != BatchState::Parked || may_be_parked);
            for item in &content.items {
                *times.entry(&item.key).or_default() += 1;
            }
        }
        for item in &world.source {
            prop_assert_eq!(times.get(item.key.as_str()).copied(), Some(1), "{}", item.key);
        }
        // Every run that was started is that of a batch and a try: none is started twice.
        let tries: usize = world.store.batches.values().map(|(batch, _)| batch.attempt as usize).sum();
        prop_assert!(world.store.ended.len() <= tries);
    }
}
