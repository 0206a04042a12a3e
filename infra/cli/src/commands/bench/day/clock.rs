//! Ticks of the clock of schedules, request by request, so that two may go on at once and each may break off anywhere.
//!
//! The order of the requests is that of `shared/entry/clock`; what is due and what becomes of it is its code.

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceSource, OccurrenceState, RunStatus};
use countersign_schedule::{FoundDue, Overlap};
use jiff::{SignedDuration, Timestamp};
use rand::RngExt as _;
use rand::rngs::StdRng;

use super::ledger::{DueNext, Ledger, StoredSchedule};

/// How many occurrences are followed at once, as the sweeper does.
const MAX_FOLLOWED: usize = 1_000;
/// What could not be begun for so long is missed.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(1);
/// A run that failed is repeated so long after its end.
const PAUSE: SignedDuration = SignedDuration::from_secs(60);

/// What a tick does next.
enum Stage {
    Read,
    Judge(DueNext),
    Notice(DueNext, FoundDue, usize),
    MoveOn(DueNext, Option<Timestamp>),
    Start(usize),
    Note(usize),
    Done,
}

/// A tick under way.
pub(super) struct Tick {
    of: usize,
    now: Timestamp,
    stage: Stage,
    begun: Vec<Occurrence>,
}

impl Tick {
    pub(super) fn new(of: usize, now: Timestamp) -> Self {
        Self { of, now, stage: Stage::Read, begun: Vec::new() }
    }

    /// Does the next request; whether there is more to do.
    pub(super) fn advance(&mut self, ledger: &mut Ledger, random: &mut StdRng) -> bool {
        let stage = std::mem::replace(&mut self.stage, Stage::Done);
        self.stage = self.next(stage, ledger, random);
        !matches!(self.stage, Stage::Done)
    }

    fn next(&mut self, stage: Stage, ledger: &mut Ledger, random: &mut StdRng) -> Stage {
        let (of, now) = (self.of, self.now);
        match stage {
            Stage::Read => match ledger.schedules[of].next.filter(|next| next.at <= now) {
                Some(next) => Stage::Judge(next),
                None => Stage::Done,
            },
            Stage::Judge(next) => {
                let is_busy = ledger.schedules[of].spec.overlap != Overlap::Allow
                    && is_busy(ledger, of, now, random);
                match ledger.schedules[of].spec.found_due(next.at, now, is_busy, usize::MAX) {
                    Some(found) => Stage::Notice(next, found, 0),
                    None => Stage::Done,
                }
            }
            Stage::Notice(next, found, nth) => match found.times.get(nth) {
                Some((due, verdict)) => {
                    let due = verdict.judged(occurrence(&ledger.schedules[of], *due, now), now);
                    if ledger.notice(&due) && due.state == OccurrenceState::Due {
                        self.begun.push(due);
                    }
                    Stage::Notice(next, found, nth + 1)
                }
                None => Stage::MoveOn(next, found.next),
            },
            Stage::MoveOn(from, next) => {
                ledger.move_on(of, from, next);
                Stage::Start(0)
            }
            Stage::Start(nth) => match self.begun.get(nth) {
                Some(due) => {
                    ledger.start(due.id.run(0), ends(now, random));
                    Stage::Note(nth)
                }
                None => Stage::Done,
            },
            Stage::Note(nth) => {
                note_started(ledger, &self.begun[nth], now);
                Stage::Start(nth + 1)
            }
            Stage::Done => Stage::Done,
        }
    }
}

/// A run takes up to twelve minutes; one of ten fails.
fn ends(now: Timestamp, random: &mut StdRng) -> (Timestamp, RunStatus) {
    let status = match random.random_range(0..10) {
        0 => RunStatus::Error,
        1 => RunStatus::Rejected,
        _ => RunStatus::Complete,
    };
    (now + SignedDuration::from_secs(random.random_range(1..720)), status)
}

fn note_started(ledger: &mut Ledger, of: &Occurrence, now: Timestamp) {
    let after = Occurrence { runs: vec![of.id.run(0)], ..of.moved(OccurrenceState::Started, now) };
    ledger.move_occurrence(&after);
}

/// Whether something of the schedule goes on: what is over and was not looked at yet does not.
fn is_busy(ledger: &mut Ledger, of: usize, now: Timestamp, random: &mut StdRng) -> bool {
    let source = ledger.schedules[of].id.clone();
    for open in ledger.open(Some(&source), MAX_FOLLOWED) {
        follow(ledger, &open, now, random);
    }
    !ledger.open(Some(&source), 1).is_empty()
}

/// Looks after what is not at its end. It breaks off now and then.
pub(super) fn follow_all(ledger: &mut Ledger, now: Timestamp, random: &mut StdRng) {
    for open in ledger.open(None, MAX_FOLLOWED) {
        if random.random_range(0..50) > 0 {
            follow(ledger, &open, now, random);
        }
    }
}

fn follow(ledger: &mut Ledger, id: &OccurrenceId, now: Timestamp, random: &mut StdRng) {
    let Some(of) = ledger.occurrence(id).cloned() else { return };
    match of.state {
        // What was started and not noted is not missed.
        OccurrenceState::Due if ledger.runs.contains_key(&of.id.run(0)) => {
            note_started(ledger, &of, now);
        }
        OccurrenceState::Due if now.duration_since(of.noticed_at) > GIVEN_UP => {
            let message = "for an hour, the run could not be started";
            let missed = of.ended(OccurrenceState::Missed, "NOT_STARTED", message, now);
            ledger.move_occurrence(&missed);
        }
        OccurrenceState::Due => begin(ledger, &of, now, random),
        OccurrenceState::Queued if ledger.open(Some(id.source()), 1).first() == Some(id) => {
            begin(ledger, &of, now, random);
        }
        OccurrenceState::Started => look_at_run(ledger, &of, now, random),
        _ => {}
    }
}

/// Starts the run and notes it, unless it breaks off in between.
fn begin(ledger: &mut Ledger, of: &Occurrence, now: Timestamp, random: &mut StdRng) {
    ledger.start(of.id.run(0), ends(now, random));
    if random.random_range(0..50) > 0 {
        note_started(ledger, of, now);
    }
}

fn look_at_run(ledger: &mut Ledger, of: &Occurrence, now: Timestamp, random: &mut StdRng) {
    let ended = of.runs.last().and_then(|run| ledger.ended(run, now));
    let may_repeat = of.runs.len() <= of.max_retries as usize;
    match ended {
        Some((at, RunStatus::Error)) if may_repeat && now.duration_since(at) < PAUSE => {}
        Some((_, RunStatus::Error)) if may_repeat => {
            let mut after = of.moved(OccurrenceState::Started, now);
            after.runs.push(of.id.run(of.runs.len()));
            ledger.start(of.id.run(of.runs.len()), ends(now, random));
            ledger.move_occurrence(&after);
        }
        Some((_, status)) => {
            let after = of.moved(OccurrenceState::Finished, now);
            ledger.move_occurrence(&Occurrence { status: Some(status), ..after });
        }
        None => {}
    }
}

/// What a schedule is due at a time, before anything has come of it.
fn occurrence(schedule: &StoredSchedule, due: Timestamp, now: Timestamp) -> Occurrence {
    Occurrence {
        id: OccurrenceId::new(&schedule.id, due),
        owner: UserId::from_bytes([1; 16]),
        source: OccurrenceSource::Schedule,
        source_id: schedule.id.clone(),
        name: schedule.spec.name.to_string(),
        profile_id: schedule.spec.profile_id.to_string(),
        due_at: due,
        noticed_at: now,
        asked_by: None,
        fired_by: None,
        chain: Vec::new(),
        others: Vec::new(),
        state: OccurrenceState::Due,
        reason: None,
        runs: Vec::new(),
        status: None,
        finished_at: None,
        max_retries: schedule.spec.max_retries.to(),
        timeout_seconds: schedule.spec.timeout_seconds.to(),
        version: 1,
    }
}
