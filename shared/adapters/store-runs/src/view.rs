//! What a step reads of its run: one batch, when its plan is known already.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use countersign_plan::Plan;
use countersign_run::{Head, RunId, StepStatus};
use countersign_store_kit::{Item, Key, Lookup, decode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::records::{OutcomeItem, PlanItem};
use crate::{Intent, ModelTurn, Result, RunStore, StepOutcome, ToolOutcome, keys};

/// So many turns are read with a view at most; of more, all are read by themselves.
const MAX_TURNS: u32 = 50;
/// So many outcomes of calls are read with a view at most; of more, all are read by themselves. A batch reads 100 items, a few of
/// them for other things.
const MAX_CALLS: u32 = 30;

/// What a step sees when it starts.
#[derive(Debug, Clone)]
pub struct StepView {
    /// The head.
    pub head: Head,
    /// The plan.
    pub plan: Arc<Plan>,
    /// How many bytes of JSON were read for the plan; 0 when it was known.
    pub plan_bytes: usize,
    /// What came of the step, if it is over already.
    pub own: Option<StepOutcome>,
    /// The mark it left before acting, if it did.
    pub intent: Option<Intent>,
    /// What came of other steps, if that was read with it.
    pub others: Option<OthersRead>,
    /// What its model has asked for, if that was read with it.
    pub asked: Option<AskedRead>,
    /// What was read of other tables with it.
    pub other_tables: HashMap<Lookup, Item>,
}

/// What is read in the same request as the view of a step.
#[derive(Debug, Clone, Copy)]
pub struct ReadWith<'a> {
    /// The steps whose outcomes are read.
    pub others: &'a BTreeSet<&'a str>,
    /// What is read of what the step's model has asked for.
    pub asked: ReadAsked<'a>,
    /// Items of other tables.
    pub other_tables: &'a [Lookup],
}

/// What a step's model has asked for, as far as it is read in the same request as the view of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAsked<'a> {
    /// Nothing.
    Nothing,
    /// One turn, and what came of some of its calls, all numbered from 1.
    Calls {
        /// The turn.
        turn: u32,
        /// The calls.
        calls: &'a [u32],
    },
    /// All turns, and what came of their calls where it is known how many there are.
    Turns {
        /// How many turns are known to be kept.
        kept: u32,
        /// How many calls each of them has; empty where that is not known.
        calls: &'a [u32],
    },
}

/// What was read of it.
#[derive(Debug, Clone, PartialEq)]
pub enum AskedRead {
    /// A turn, none where it is not kept, and those of its calls that are over.
    Calls(Option<ModelTurn>, Vec<ToolOutcome>),
    /// The turns, in order, and those of their calls that are over; none where these were not read.
    Turns(Vec<ModelTurn>, Option<Vec<ToolOutcome>>),
}

impl ReadAsked<'_> {
    fn turns(self, run: &RunId, step: &str) -> Vec<Key> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Calls { turn, .. } => vec![keys::turn(run, step, turn)],
            // With the one behind them, which tells whether there are more.
            Self::Turns { kept, .. } => {
                let last = kept.min(MAX_TURNS) + 1;
                (1..=last).map(|n| keys::turn(run, step, n)).collect()
            }
        }
    }

    fn outcomes(self, run: &RunId, step: &str) -> Vec<Key> {
        let of = |turn: u32, call: u32| keys::tool_outcome(run, step, turn, call);
        match self {
            Self::Calls { turn, calls } => calls.iter().map(|call| of(turn, *call)).collect(),
            Self::Turns { calls, .. } if self.has_outcomes() => {
                let turns = (1..).zip(calls);
                turns
                    .flat_map(|(turn, calls)| (1..=*calls).map(move |call| of(turn, call)))
                    .collect()
            }
            Self::Nothing | Self::Turns { .. } => Vec::new(),
        }
    }

    /// Whether what came of the calls of all turns is read with them.
    fn has_outcomes(self) -> bool {
        let Self::Turns { kept, calls } = self else { return false };
        let all = calls.iter().fold(0_u32, |all, calls| all.saturating_add(*calls));
        u32::try_from(calls.len()) == Ok(kept) && kept <= MAX_TURNS && all <= MAX_CALLS
    }

    fn keys(self, run: &RunId, step: &str) -> Vec<Key> {
        [self.turns(run, step), self.outcomes(run, step)].concat()
    }
}

/// The outcomes of other steps, read in the same request as the view of a step.
#[derive(Debug, Clone)]
pub struct OthersRead {
    asked: BTreeSet<String>,
    found: Vec<OutcomeItem>,
    /// What was written since, by whoever read.
    written: Vec<StepOutcome>,
}

impl OthersRead {
    /// Whether it was read that a step is not over.
    #[must_use]
    pub fn is_open(&self, step: &str) -> bool {
        let is_found = self.found.iter().any(|item| item.step == step);
        let is_written = || self.written.iter().any(|outcome| outcome.step == step);
        self.asked.contains(step) && !is_found && !is_written()
    }

    /// Status and count of a step that was found over.
    #[must_use]
    pub fn over(&self, step: &str) -> Option<(StepStatus, Option<u64>)> {
        let found = self.found.iter().find(|item| item.step == step)?;
        Some((found.status, found.count))
    }

    /// The same with an outcome that was written since.
    #[must_use]
    pub fn and(mut self, outcome: StepOutcome) -> Self {
        self.written.push(outcome);
        self
    }
}

impl RunStore {
    /// Head, plan, own outcome and own intent: one request. None when the run or its plan does not exist.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer or an item has another shape.
    pub async fn view(&self, run: &RunId, step: &str) -> Result<Option<StepView>> {
        self.view_and(run, step, ReadAsked::Nothing).await
    }

    /// The same, and what the step's model has asked for, in one request.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn view_and(
        &self,
        run: &RunId,
        step: &str,
        asked: ReadAsked<'_>,
    ) -> Result<Option<StepView>> {
        let beside = asked.keys(run, step).into_iter().chain([keys::plan(run)]).collect();
        let (mut found, _) = self.look(run, step, beside, &[]).await?;
        let Some(plan) = found.remove(&keys::plan(run)) else { return Ok(None) };
        let item: PlanItem = decode(self.table.name(), plan)?;
        let plan = Arc::new(self.load_plan(&item).await?);
        let view = self.viewed(run, step, asked, found, plan).await?;
        Ok(view.map(|view| StepView { plan_bytes: item.plan.bytes(), ..view }))
    }

    /// The same for a plan that is known, and what is to be read beside, in one request. None when the run does not exist.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer or an item has another shape.
    pub async fn view_with(
        &self,
        run: &RunId,
        step: &str,
        plan: Arc<Plan>,
        with: ReadWith<'_>,
    ) -> Result<Option<StepView>> {
        let ReadWith { others, asked, other_tables } = with;
        let wanted: Vec<Key> = others.iter().map(|other| keys::outcome(run, other)).collect();
        let beside = asked.keys(run, step).into_iter().chain(wanted.iter().cloned()).collect();
        let (mut found, other_tables) = self.look(run, step, beside, other_tables).await?;
        let read = wanted.iter().filter_map(|key| found.remove(key));
        let read = self.standing(read);
        // What came of the step itself is in the view.
        let names = others.iter().chain([&step]).map(|other| (*other).to_owned()).collect();
        let others = OthersRead { asked: names, found: read?, written: Vec::new() };
        let view = self.viewed(run, step, asked, found, plan).await?;
        Ok(view.map(|view| StepView { others: Some(others), other_tables, ..view }))
    }

    /// What was read of what the step's model has asked for. None where turns are kept that nobody knew of: all have to be read.
    fn asked(
        &self,
        run: &RunId,
        step: &str,
        asked: ReadAsked<'_>,
        found: &mut HashMap<Key, Item>,
    ) -> Result<Option<AskedRead>> {
        let turns: Vec<ModelTurn> = self.taken(asked.turns(run, step), found)?;
        let outcomes: Vec<ToolOutcome> = self.taken(asked.outcomes(run, step), found)?;
        Ok(match asked {
            ReadAsked::Nothing => None,
            ReadAsked::Calls { .. } => Some(AskedRead::Calls(turns.into_iter().next(), outcomes)),
            ReadAsked::Turns { kept, calls } => {
                let is_all = turns.iter().map(|turn| turn.turn).eq(1..=kept);
                let counts = turns.iter().map(|turn| turn.asks.len());
                let is_known = counts.map(u32::try_from).eq(calls.iter().map(|calls| Ok(*calls)));
                let outcomes = (is_known && asked.has_outcomes()).then_some(outcomes);
                is_all.then_some(AskedRead::Turns(turns, outcomes))
            }
        })
    }

    /// Takes what was found under these keys out of it, in their order.
    fn taken<T: DeserializeOwned>(
        &self,
        keys: Vec<Key>,
        found: &mut HashMap<Key, Item>,
    ) -> Result<Vec<T>> {
        let items = keys.into_iter().filter_map(|key| found.remove(&key));
        items.map(|item| decode(self.table.name(), item)).collect()
    }

    /// What was read of the run, and of other tables.
    async fn look(
        &self,
        run: &RunId,
        step: &str,
        beside: Vec<Key>,
        other_tables: &[Lookup],
    ) -> Result<(HashMap<Key, Item>, HashMap<Lookup, Item>)> {
        let own = [keys::head(run), keys::outcome(run, step), keys::intent(run, step)];
        let own = own.into_iter().chain(beside).map(|key| self.table.lookup(key));
        let wanted: Vec<Lookup> = own.chain(other_tables.iter().cloned()).collect();
        let found = self.table.get_across(&wanted).await?;
        let (own, other_tables): (HashMap<_, _>, _) =
            found.into_iter().partition(|(of, _)| of.is_of(&self.table));
        Ok((own.into_iter().map(|(of, item)| (of.into_key(), item)).collect(), other_tables))
    }

    async fn viewed(
        &self,
        run: &RunId,
        step: &str,
        asked: ReadAsked<'_>,
        mut found: HashMap<Key, Item>,
        plan: Arc<Plan>,
    ) -> Result<Option<StepView>> {
        let asked = self.asked(run, step, asked, &mut found)?;
        let table = self.table.name();
        let Some(head) = found.remove(&keys::head(run)) else { return Ok(None) };
        let own = match found.remove(&keys::outcome(run, step)) {
            Some(item) => match decode::<OutcomeItem>(table, item)?.standing() {
                Some(item) => Some(self.load_outcome(item).await?),
                None => None,
            },
            None => None,
        };
        let intent = found.remove(&keys::intent(run, step));
        let intent = intent.map(|item| decode(table, item)).transpose()?;
        Ok(Some(StepView {
            head: decode(table, head)?,
            plan,
            plan_bytes: 0,
            own,
            intent,
            others: None,
            asked,
            other_tables: HashMap::new(),
        }))
    }

    /// What came of several steps: one request, or none when it was read with the view; and one per output of `read` in the
    /// bucket. The outputs of others are null. Steps that are not over are absent.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn outcomes(
        &self,
        run: &RunId,
        steps: &[&str],
        read: &[&str],
        known: Option<&OthersRead>,
    ) -> Result<BTreeMap<String, StepOutcome>> {
        let is_known = |step: &str| known.is_some_and(|known| known.asked.contains(step));
        let unknown: Vec<&str> = steps.iter().copied().filter(|step| !is_known(step)).collect();
        let mut items = self.outcome_items(run, &unknown).await?;
        let read_before = known.into_iter().flat_map(|known| &known.found);
        items.extend(read_before.filter(|item| steps.contains(&item.step.as_str())).cloned());
        let mut outcomes = BTreeMap::new();
        for item in items {
            let outcome = if read.contains(&item.step.as_str()) {
                self.load_outcome(item).await?
            } else {
                item.with_output(Value::Null)
            };
            outcomes.insert(outcome.step.clone(), outcome);
        }
        let written = known.into_iter().flat_map(|known| &known.written);
        for outcome in written.filter(|outcome| steps.contains(&outcome.step.as_str())) {
            let is_read = read.contains(&outcome.step.as_str());
            let output = if is_read { outcome.output.clone() } else { Value::Null };
            let outcome = StepOutcome { output, ..outcome.clone() };
            outcomes.insert(outcome.step.clone(), outcome);
        }
        Ok(outcomes)
    }

    async fn outcome_items(&self, run: &RunId, steps: &[&str]) -> Result<Vec<OutcomeItem>> {
        let wanted: Vec<Key> = steps.iter().map(|step| keys::outcome(run, step)).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.table.get_many(&wanted).await?;
        self.standing(found.into_values())
    }

    /// The outcomes among these items; that of a step which is carried out again is none.
    fn standing(&self, items: impl Iterator<Item = Item>) -> Result<Vec<OutcomeItem>> {
        let items = items.map(|item| decode::<OutcomeItem>(self.table.name(), item));
        items.filter_map(|item| item.map(OutcomeItem::standing).transpose()).collect()
    }
}
