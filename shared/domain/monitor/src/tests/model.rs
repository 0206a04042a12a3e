//! The whole way of an item over a store that writes all or nothing: whatever happens in between, an item ends in exactly one
//! batch that is committed or parked, or the look fails.

use std::collections::{BTreeMap, BTreeSet};

use countersign_run::{MonitorId, OccurrenceReason, RunId, RunStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use crate::{
    Batch, BatchItem, Content, Due, Found, Interval, MarkKind, NewItems, Overlap, Position,
    Settled, StartBlocker, State, TickOutcome, Timing, Watermark, novel, refused, settle, tick,
};

/// How late an item may come, in minutes.
pub(super) const LATE: i64 = 120;
/// The most items of a batch: few, so that some are left.
const MOST: usize = 3;
/// The most bytes of its records: some have room for one only.
pub(super) const BYTES: usize = 30;

/// What happens.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// An item comes, dated so many minutes before now; some without a date.
    Arrive { back: Option<i64> },
    /// So many items come with one date: that of now.
    Burst { count: usize },
    /// From now on the source shows so much of what it has.
    Show(Shows),
    /// From now on the step looks at the other source.
    Move,
    /// Time passes.
    Wait { minutes: i64 },
    /// A clock ticks, and dies after so many writes.
    Tick { dies_after: u8 },
    /// Two clocks tick at once: both have read before either writes.
    Twice,
    /// The run that goes on ends, and what notes it dies before the write, or is done twice.
    End { status: RunStatus, dies: bool, twice: bool },
    /// A tick finds the run of the open batch refused.
    Refuse,
    /// Somebody has the first parked batch without a run processed after all; what asks for it dies before the write, or is done
    /// twice.
    Retry { dies: bool, twice: bool },
    /// Somebody sets the watermark back.
    Reset,
}

/// What a source answers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shows {
    Whole,
    /// So many of the newest, those first.
    Newest(usize),
    /// So many of the oldest, those first.
    Oldest(usize),
}

/// What a store holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    pub(super) state: State,
    mark: Option<Watermark>,
    pub(super) batches: BTreeMap<u64, (Batch, Content)>,
    /// Where the content of each batch lies, by its number.
    pub(super) places: BTreeMap<u64, String>,
    /// What lies in the bucket, which is not part of any transaction.
    pub(super) objects: BTreeSet<String>,
    /// The runs that were started and have not ended.
    runs: BTreeSet<RunId>,
    /// How the others did.
    pub(super) ended: BTreeMap<RunId, RunStatus>,
}

pub(super) struct World {
    now: i64,
    pub(super) sources: [Vec<Found>; 2],
    /// The source that the step looks at.
    pub(super) at: usize,
    shows: Shows,
    memory: usize,
    /// What was known where a look began: it is not processed.
    pub(super) known: BTreeSet<String>,
    /// How often the watermark was set back while an item was there: so often it may be new again.
    pub(super) resets: BTreeMap<String, usize>,
    pub(super) store: Store,
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
    pub(super) fn new(memory: usize) -> Self {
        let mut mark = Watermark::new("look");
        mark.position = Some(Position::start(MarkKind::Cursor));
        let store = Store { mark: Some(mark), ..Store::default() };
        let (sources, known) = ([Vec::new(), Vec::new()], BTreeSet::new());
        let (shows, resets) = (Shows::Whole, BTreeMap::new());
        Self { now: 0, sources, at: 0, shows, memory, known, resets, store }
    }

    fn arrive(&mut self, at: Option<Timestamp>) {
        let key = format!("item-{}-{}", self.at, self.sources[self.at].len());
        // From 2 to 30 bytes.
        let record = json!("x".repeat(self.sources[self.at].len() * 11 % 29));
        self.sources[self.at].push(Found { key, at, record });
    }

    /// How large the record of an item is.
    pub(super) fn bytes(&self, key: &str) -> usize {
        let found = self.sources.iter().flatten().find(|found| found.key == key);
        found.map_or(0, |found| found.record.to_string().len())
    }

    /// What the source answers, and whether it has more.
    fn answer(&self) -> (Vec<Found>, bool) {
        let mut all = self.sources[self.at].clone();
        let most = match self.shows {
            Shows::Whole => return (all, false),
            Shows::Newest(most) => {
                all.sort_by_key(|found| std::cmp::Reverse(found.at));
                most
            }
            Shows::Oldest(most) => {
                all.sort_by_key(|found| found.at);
                most
            }
        };
        let is_cut = all.len() > most;
        all.truncate(most);
        (all, is_cut)
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

    fn look(&mut self, read: &Store, writes: u8) {
        let now = at(self.now);
        let source = Map::from_iter([("folder".to_owned(), Value::from(self.at))]);
        let mark = read.mark.clone().unwrap().for_source(MarkKind::Cursor, &source);
        let mark = Watermark { metadata: source, ..mark };
        let (there, is_cut) = self.answer();
        let how = Overlap {
            kind: MarkKind::Cursor,
            late: SignedDuration::from_mins(LATE),
            now,
            most: MOST,
            bytes: BYTES,
            memory: self.memory,
            is_cut,
        };
        if writes == 0 {
            return;
        }
        let Ok(seen) = novel(mark.position.as_ref(), there.clone(), how) else {
            let state = read.state.failed("DETECT_INCOMPLETE", now);
            self.store.apply(read.state.version, |store| store.state = state);
            return;
        };
        let before = mark.position.clone();
        let done = if seen.items.is_empty() {
            self.nothing(read, mark, seen.position)
        } else {
            self.open(read, mark, seen, writes)
        };
        match before {
            _ if !done => {}
            // The first look: what is there is known, also what the answer has not got.
            None => self.known.extend(self.sources[self.at].iter().map(|found| found.key.clone())),
            Some(before) if is_cut && before.value.is_none() && before.floor.is_none() => {
                let missing = self.sources[self.at].iter().filter(|found| !there.contains(found));
                self.known.extend(missing.map(|found| found.key.clone()));
            }
            Some(_) => {}
        }
    }

    fn nothing(&mut self, read: &Store, mark: Watermark, position: Position) -> bool {
        let now = at(self.now);
        let begins = mark.position.as_ref().is_none_or(Position::is_start);
        let mark = mark.looked(0, now);
        let mark = if begins { mark.moved(position, now) } else { mark };
        let state = read.state.ticked(TickOutcome::Suppressed, now);
        self.store.apply(read.state.version, |store| {
            store.state = state;
            store.mark = Some(mark);
        })
    }

    /// Whether the batch was written; its run is started when the tick lives as long.
    fn open(&mut self, read: &Store, mark: Watermark, seen: NewItems, writes: u8) -> bool {
        let now = at(self.now);
        let previous = BTreeMap::from([("look".to_owned(), mark.version)]);
        let batch = Batch::found(&monitor(), &read.state, seen.items.len(), previous, now);
        let (number, run) = (batch.number, batch.run.clone());
        let item = |found: &Found| BatchItem { step: "look".to_owned(), key: found.key.clone() };
        let content = Content {
            items: seen.items.iter().map(item).collect(),
            outputs: Map::new(),
            proposed: BTreeMap::from([("look".to_owned(), seen.position)]),
            too_large: None,
        };
        // Two ticks that read the same and saw the same name the same object.
        let place = format!("{number}-{}-{}", read.state.version, json!(content.items));
        self.store.objects.insert(place.clone());
        let state = read.state.opened(&batch, now);
        let done = self.store.apply(read.state.version, |store| {
            store.state = state;
            store.mark = Some(mark.looked(seen.items.len(), now));
            store.batches.insert(number, (batch, content));
            store.places.insert(number, place.clone());
        });
        if !done && self.store.places.get(&number) != Some(&place) {
            self.store.objects.remove(&place);
        }
        if done && writes > 1 {
            self.store.start(&run);
        }
        done
    }

    fn settle(&mut self, run: &RunId, status: RunStatus) {
        let now = at(self.now);
        let Some(open) = self.store.state.open.clone() else { return };
        let (batch, content) = self.store.batches[&open.number].clone();
        let Some(settled) = settle(&batch, &self.store.state, run, status, now) else { return };
        self.write(settled, content, now);
    }

    /// Writes what becomes of a batch. The watermark moves from where it was when that was found, and not where somebody set it.
    fn write(&mut self, settled: Settled, content: Content, now: Timestamp) {
        let seen = self.store.state.version;
        let Settled { batch, state, moves } = settled;
        self.store.apply(seen, |store| {
            let mark = store.mark.take().unwrap();
            store.mark = Some(match moves && batch.previous["look"] == mark.version {
                true => mark.moved(content.proposed["look"].clone(), now),
                false => mark,
            });
            store.state = state;
            store.batches.insert(batch.number, (batch, content));
        });
    }

    /// What was started is not refused.
    fn refuse(&mut self) {
        let now = at(self.now);
        let Some(open) = self.store.state.open.clone() else { return };
        let is_started =
            self.store.runs.contains(&open.run) || self.store.ended.contains_key(&open.run);
        if is_started || open.retry_after.is_some() {
            return;
        }
        let (batch, content) = self.store.batches[&open.number].clone();
        let why = OccurrenceReason { code: "REFUSED".to_owned(), message: String::new() };
        let state = self.store.state.not_started("REFUSED", StartBlocker::Refused, &timing(), now);
        self.write(refused(&batch, &state, &why, false, now), content, now);
    }

    fn retry(&mut self) {
        let parked = self
            .store
            .batches
            .values()
            .find(|(batch, _)| batch.state.is_parked() && batch.last_run().is_none());
        let Some((batch, content)) = parked.cloned() else { return };
        let seen = self.store.state.version;
        let Ok(Some((batch, state))) = batch.reopened(&self.store.state, at(self.now)) else {
            return;
        };
        self.store.apply(seen, |store| {
            store.state = state;
            store.batches.insert(batch.number, (batch, content));
        });
    }

    fn reset(&mut self) {
        let now = at(self.now);
        for found in self.sources.iter().flatten() {
            *self.resets.entry(found.key.clone()).or_default() += 1;
        }
        let seen = self.store.state.version;
        self.store.apply(seen, |store| {
            store.state.version += 1;
            store.mark = store.mark.take().map(|mark| mark.reset(now));
        });
    }

    pub(super) fn happens(&mut self, event: &Event) {
        match event {
            Event::Arrive { back } => self.arrive(back.map(|back| at(self.now - back))),
            Event::Burst { count } => (0..*count).for_each(|_| self.arrive(Some(at(self.now)))),
            Event::Show(shows) => self.shows = *shows,
            Event::Move => self.at = 1 - self.at,
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
            Event::Refuse => self.refuse(),
            Event::Retry { dies, twice } => {
                let times = usize::from(!dies) + usize::from(*twice);
                (0..times).for_each(|_| self.retry());
            }
            Event::Reset => self.reset(),
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

    /// Ticks and ends until nothing is left to do, of a source that shows everything.
    pub(super) fn drain(&mut self) {
        self.shows = Shows::Whole;
        for _ in 0..self.sources[self.at].len() * 4 + 20 {
            // A tick that goes on with a batch does not look.
            let looks = self.store.state.open.is_none();
            self.happens(&Event::Wait { minutes: 5 });
            self.happens(&Event::Tick { dies_after: u8::MAX });
            let end = Event::End { status: RunStatus::Complete, dies: false, twice: false };
            self.happens(&end);
            // The next look would see the same.
            if looks
                && self.store.state.open.is_none()
                && !matches!(
                    self.store.state.last_outcome,
                    Some(TickOutcome::Started | TickOutcome::Failed)
                )
            {
                return;
            }
        }
    }
}
