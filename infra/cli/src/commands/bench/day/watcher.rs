//! Ticks of a monitor's clock, in the order of the requests of `functions/cron-monitor` (`tick.rs`, `look.rs`): what a tick does and
//! what it finds is the code of the domain. Looks by hand, warnings and items too large for a batch are left out.

use std::collections::BTreeMap;
use std::rc::Rc;

use countersign_identity::UserId;
use countersign_monitor::{
    Batch, BatchItem, Content, Due, Found, MAX_BYTES, MAX_SEEN, MarkKind, NewItems, Origin,
    Overlap, Position, TickOutcome, Watermark, noticed, novel, tick as due,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::Map;

use super::monitor_store::Standing;
use super::monitors::Monitors;
use super::tables::{Batched, Change};
use super::timeline::Unanswered;

/// How late an item may come, in minutes.
pub(super) const LATE: i64 = 120;
/// The detection step.
pub(super) const STEP: &str = "look";
/// The most items of a batch: few, so that some are left.
const MOST: usize = 5;

/// A tick of a monitor, or the end of a run of it.
#[derive(Clone, Copy)]
pub(super) struct Ticking<'w> {
    pub(super) world: &'w Monitors,
    pub(super) nth: usize,
    pub(super) now: Timestamp,
}

impl Ticking<'_> {
    pub(super) async fn tick(self) -> Result<(), Unanswered> {
        let standing = self.world.standing(self.nth).await?;
        let standing = self.recalled(standing).await;
        if !standing.is_active {
            return self.paused(&standing).await;
        }
        // The owner and what they may do, the agent and the playbook.
        self.world.time.requests(2).await?;
        match due(&standing.state, &standing.timing, false, self.now) {
            Due::Nothing => self.too_soon(&standing).await,
            Due::OutsideHours => self.noted(&standing, TickOutcome::OutsideActiveHours, &[]).await,
            Due::Resume(open) => self.resume(&standing, &open).await,
            Due::Retry(open) => self.retry(&standing, &open).await,
            Due::Look => self.look(&standing).await,
        }
    }

    /// Says that items are parked which nobody could say before, and a day later once more.
    async fn recalled(self, standing: Standing) -> Standing {
        let Some((_, state)) = standing.state.recalled(self.now) else { return standing };
        match self.world.time.requests(1).await {
            Ok(()) => Standing { state, ..standing },
            Err(_) => standing,
        }
    }

    /// Nobody looks. A monitor of the day is switched off once it has no open batch, so nothing else is to be said.
    async fn paused(self, standing: &Standing) -> Result<(), Unanswered> {
        if standing.state.parked.as_ref().is_some_and(|parked| parked.is_unsaid) {
            return Ok(());
        }
        self.world.set_clock(self.nth, None).await
    }

    /// It ticked a moment ago: the sweeper need not come again before the next tick is overdue.
    async fn too_soon(self, standing: &Standing) -> Result<(), Unanswered> {
        match standing.state.due_again(&standing.timing, self.now) {
            Some(at) => self.world.set_clock(self.nth, Some(at)).await,
            None => Ok(()),
        }
    }

    /// Notes a tick that started nothing.
    pub(super) async fn noted(
        self,
        standing: &Standing,
        outcome: TickOutcome,
        marks: &[Watermark],
    ) -> Result<(), Unanswered> {
        let state = standing.state.ticked(outcome, self.now);
        let (state, marks) = match outcome {
            TickOutcome::Suppressed => state.found_nothing(&standing.marks, marks),
            _ => (state, marks.to_vec()),
        };
        let clock = state.overdue_at(&standing.timing, self.now);
        self.world.note(self.nth, &state, &marks, clock).await.map(drop)
    }

    /// Looks, and has a batch when there is something new.
    async fn look(self, standing: &Standing) -> Result<(), Unanswered> {
        let there = self.world.look(self.nth).await?;
        self.world.counts().looks += 1;
        if self.world.time.is_one_of(50) {
            return self.failed(standing, "the source is down").await;
        }
        let mark = standing.marks.get(STEP).cloned().unwrap_or_else(|| Watermark::new(STEP));
        let Ok(seen) = novel(mark.position.as_ref(), there, how(self.now)) else {
            return self.failed(standing, "the look may have missed something").await;
        };
        let mark = mark.looked(seen.items.len(), self.now);
        match seen.items.is_empty() {
            true => self.found_nothing(standing, mark, seen.position).await,
            false => self.found(standing, mark, seen).await,
        }
    }

    /// Notes a look that failed.
    async fn failed(self, standing: &Standing, why: &str) -> Result<(), Unanswered> {
        let state = standing.state.failed(why, self.now);
        let (state, marks) = state.found_nothing(&standing.marks, &[]);
        let clock = state.overdue_at(&standing.timing, self.now);
        self.world.note(self.nth, &state, &marks, clock).await.map(drop)
    }

    /// The watermark of a first look moves: what is there is known from now on. Others stay where they are.
    async fn found_nothing(
        self,
        standing: &Standing,
        mark: Watermark,
        position: Position,
    ) -> Result<(), Unanswered> {
        let begins = mark.position.as_ref().is_none_or(Position::is_start);
        let mark = if begins { mark.moved(position, self.now) } else { mark };
        self.noted(standing, TickOutcome::Suppressed, &[mark]).await
    }

    /// Writes the batch down, then starts its run.
    async fn found(
        self,
        standing: &Standing,
        mark: Watermark,
        seen: NewItems,
    ) -> Result<(), Unanswered> {
        let batched = self.batched(standing, &mark, seen);
        let state = standing.state.opened(&batched.batch, self.now);
        let clock = Some(state.overdue_at(&standing.timing, self.now));
        // What it holds is kept in the bucket first.
        self.world.time.requests(1).await?;
        let batch = Some((batched.clone(), None));
        let change = Change { state: state.clone(), marks: vec![mark], clock, batch };
        match self.world.apply(self.nth, &change).await? {
            true => self.trying(standing, &batched, &state).at_once().await,
            false => Ok(()),
        }
    }

    /// The batch of what is new, what it holds, and its line in the ledger.
    fn batched(self, standing: &Standing, mark: &Watermark, seen: NewItems) -> Batched {
        let previous = BTreeMap::from([(STEP.to_owned(), mark.version)]);
        let count = seen.items.len();
        let batch = Batch::found(&standing.id, &standing.state, count, previous, self.now);
        let owner = UserId::from_bytes([1; 16]);
        let origin = Origin { owner: &owner, name: "A day", profile: "prof_1", asked_for: false };
        let occurrence = noticed(&batch, origin);
        let item = |found: &Found| BatchItem { step: STEP.to_owned(), key: found.key.clone() };
        let content = Content {
            items: seen.items.iter().map(item).collect(),
            outputs: Map::new(),
            proposed: BTreeMap::from([(STEP.to_owned(), seen.position)]),
            too_large: None,
        };
        Batched { batch, content: Rc::new(content), occurrence }
    }
}

fn how(now: Timestamp) -> Overlap {
    Overlap {
        kind: MarkKind::Cursor,
        late: SignedDuration::from_mins(LATE),
        now,
        most: MOST,
        bytes: MAX_BYTES,
        memory: MAX_SEEN,
        is_cut: false,
    }
}
