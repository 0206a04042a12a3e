//! What a step writes: one transaction to end.

use countersign_run::{
    Event, EventKind, LeftEnd, ModelUse, RunId, StepWarnings, Stop, warning_sentences,
};
use countersign_store_kit::{Expr, StoreError, Write, decode};
use jiff::Timestamp;

use crate::records::OutcomeItem;
use crate::{EndedCall, Intent, Result, RunStore, StepOutcome, keys};

/// How many sentences about what a step could not read are kept beside its outcome, so that nobody has to read the output
/// for them.
const KEPT: usize = 50;

/// What the end of a step changes of its run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Consequence<'a> {
    /// The run ends.
    pub stop: Option<&'a Stop>,
    /// Later steps, and those who sign them, have to know.
    pub warnings: Option<&'a StepWarnings>,
    /// The end of the last call of its model, where that is still to be written.
    pub end_of_turn: Option<&'a LeftEnd>,
}

impl<'a> From<Option<&'a Stop>> for Consequence<'a> {
    fn from(stop: Option<&'a Stop>) -> Self {
        Self { stop, ..Self::default() }
    }
}

/// How the end of a step was recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// As given.
    Now,
    /// It had ended before; this stands.
    Before(Box<StepOutcome>),
    /// It is carried out again, in this execution: what an earlier one says does not count.
    Superseded(u32),
}

/// Whether an irreversible step may act.
#[derive(Debug, Clone, PartialEq)]
pub enum Intended {
    /// The mark is written; act.
    Now,
    /// The run is to end; do not act.
    Stopped,
    /// A mark without outcome stands: it may have acted before.
    InDoubt(Box<Intent>),
}

/// A run is there, is not over, and nobody has told it to end.
pub(crate) fn goes_on() -> Expr {
    Expr::new(
        "attribute_exists(#PK) AND attribute_not_exists(#stop) AND attribute_not_exists(#finished_at)",
    )
}

impl RunStore {
    /// Records the end of a step: outcome and event, and what it changes of the run; one transaction.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn end_step(
        &self,
        run: &RunId,
        outcome: &StepOutcome,
        event: &Event,
        consequence: impl Into<Consequence<'_>>,
    ) -> Result<Ended> {
        let consequence = consequence.into();
        let key = format!("runs/{run}/{}/{}.json", outcome.step, outcome.attempt);
        let output = self.blobs.store(&key, &outcome.output).await?;
        let written = outcome.model.iter().map(ModelUse::sentence);
        let unread = warning_sentences(&outcome.output, KEPT);
        let warned = consequence.warnings.map(|known| {
            let of_tools = known.first.iter().cloned();
            written.chain(of_tools).chain(unread).take(KEPT).collect::<Vec<_>>()
        });
        let item =
            OutcomeItem { warned: warned.unwrap_or_default(), ..OutcomeItem::new(outcome, output) };
        // An earlier execution that is late does not end a step that is carried out again since.
        let open = Expr::new("attribute_not_exists(#PK) OR #reopened <= :attempt");
        let open = open.bind("attempt", &outcome.attempt)?;
        let put = Write::put(&keys::outcome(run, &outcome.step), &item)?.when(open);
        let event = Write::put(&keys::event(run, &event.step, event.attempt, event.n), event)?;
        let own = vec![put, event];
        let mut writes = own.clone();
        writes.extend(self.head_writes(run, consequence, outcome.attempt)?);
        if let Some(end) = consequence.end_of_turn.and_then(LeftEnd::take)
            && self.with_end_of_turn(writes.clone(), EndedCall::of(run, &end)).await?
        {
            return Ok(Ended::Now);
        }
        match self.table.transact(writes).await {
            // The run was stopped a moment ago by another step; its reason stands.
            Err(StoreError::ConditionFailed { index: 2.., .. }) if consequence.stop.is_some() => {
                let mut writes = own;
                let warned = Consequence { stop: None, ..consequence };
                writes.extend(self.head_writes(run, warned, outcome.attempt)?);
                self.recorded(run, outcome, self.table.transact(writes).await).await
            }
            written => self.recorded(run, outcome, written).await,
        }
    }

    async fn recorded(
        &self,
        run: &RunId,
        outcome: &StepOutcome,
        written: Result<()>,
    ) -> Result<Ended> {
        match written {
            Ok(()) => Ok(Ended::Now),
            Err(StoreError::ConditionFailed { index: 0, .. }) => {
                self.ended_before(run, &outcome.step).await
            }
            Err(error) => Err(error),
        }
    }

    /// What the end of a step writes to the head of its run: one update at most, because a transaction takes no two of an
    /// item.
    fn head_writes(
        &self,
        run: &RunId,
        consequence: Consequence<'_>,
        attempt: u32,
    ) -> Result<Vec<Write>> {
        let Consequence { stop, warnings, .. } = consequence;
        let mut writes = match (stop, warnings) {
            (None, None) => return Ok(Vec::new()),
            (Some(stop), _) => self.stop_writes(run, stop, attempt)?,
            (None, Some(_)) => {
                vec![Write::update(&keys::head(run)).add("version", &1)?.when(Expr::exists())]
            }
        };
        if let Some(warnings) = warnings {
            let warnings = StepWarnings { first: Vec::new(), ..warnings.clone() };
            writes[0] = writes[0].clone().append("warnings", &[&warnings])?;
        }
        Ok(writes)
    }

    async fn ended_before(&self, run: &RunId, step: &str) -> Result<Ended> {
        let found = self.table.get::<OutcomeItem>(&keys::outcome(run, step)).await?;
        let missing = || StoreError::Decode {
            table: self.table.name().to_owned(),
            reason: format!("no outcome of `{step}`"),
        };
        let item = found.ok_or_else(missing)?;
        match item.reopened {
            Some(attempt) => Ok(Ended::Superseded(attempt)),
            None => Ok(Ended::Before(Box::new(self.load_outcome(item).await?))),
        }
    }

    /// Writes an event of its own, such as an opened gate. Writing it again changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn record(&self, run: &RunId, event: &Event) -> Result<()> {
        self.table
            .write(Write::put(&keys::event(run, &event.step, event.attempt, event.n), event)?)
            .await
    }

    /// Leaves the mark of an irreversible step, unless the run is to end or a mark stands that no newer signature
    /// replaces; and says so in the run's history. One transaction.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn intend(&self, run: &RunId, intent: &Intent) -> Result<Intended> {
        let fresh =
            Expr::new("attribute_not_exists(#PK) OR (#receipt <> :receipt AND #call < :call)");
        let fresh =
            fresh.bind("receipt", &intent.sending.receipt)?.bind("call", &intent.sending.call)?;
        let event = intent.event();
        let writes = vec![
            Write::check(&keys::head(run), goes_on()),
            Write::put(&keys::intent(run, &intent.step), intent)?.when(fresh),
            Write::put(&keys::event(run, &event.step, event.attempt, event.n), &event)?,
        ];
        match self.table.transact(writes).await {
            Ok(()) => Ok(Intended::Now),
            Err(StoreError::ConditionFailed { index: 0, .. }) => Ok(Intended::Stopped),
            Err(StoreError::ConditionFailed { item: Some(item), .. }) => {
                Ok(Intended::InDoubt(Box::new(decode(self.table.name(), *item)?)))
            }
            Err(error) => Err(error),
        }
    }

    /// Ends the lease of a mark: the invocation that left it does not act any more, and does not know what came of it.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer, or another call has left its mark since.
    pub async fn release(&self, run: &RunId, step: &str, call: u32, at: Timestamp) -> Result<()> {
        let update = Write::update(&keys::intent(run, step)).set("lease_until", &at)?;
        self.table.write(update.when(Expr::new("#call = :call").bind("call", &call)?)).await
    }

    /// The mark an irreversible step left, if any.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn intent(&self, run: &RunId, step: &str) -> Result<Option<Intent>> {
        self.table.get(&keys::intent(run, step)).await
    }

    /// The event a stop leaves, and the flag itself.
    pub(crate) fn stop_writes(&self, run: &RunId, stop: &Stop, attempt: u32) -> Result<Vec<Write>> {
        let update = Write::update(&keys::head(run)).set("stop", stop)?.add("version", &1)?;
        let update = update.when(goes_on());
        let kind = EventKind::Stopped { reason: stop.reason, message: stop.message.clone() };
        let event = Event { step: String::new(), attempt, n: 1, at: stop.at, kind };
        Ok(vec![update, Write::put(&keys::event(run, "", attempt, 1), &event)?])
    }
}
