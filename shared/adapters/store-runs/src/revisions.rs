//! What people want changed at gates, and the steps that are carried out again for it.
//!
//! | item | SK |
//! |---|---|
//! | the instructions of one person | `REVISION#{gate}#{round}` |
//! | the outcome that a step had before | `REPLACED#{step}#{attempt}` |

use countersign_approval::{ApprovalId, Closed, Request, Revision};
use countersign_identity::UserId;
use countersign_run::{Event, EventKind, Head, RunId};
use countersign_store_kit::{Expr, StoreError, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::records::OutcomeItem;
use crate::{Result, RunStore, keys};

/// How often the head may be changed by others while it is written.
const RACES: usize = 20;

/// This bounds one read: a plan has at most 500 steps, few of them gates, and each asks for changes at most 40 times.
const MAX_READ: usize = 5_000;

/// What one person wants changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedChange {
    /// The request that was closed for it.
    pub approval: ApprovalId,
    /// The gate.
    pub gate: String,
    /// The steps of models that are rewritten.
    pub steps: Vec<String>,
    /// The execution that does it.
    pub attempt: u32,
    /// Who.
    pub by: UserId,
    /// When.
    pub at: Timestamp,
    /// Whether the instructions replace what was asked before.
    pub is_instead: bool,
    /// What is to be done; untrusted text.
    pub instructions: String,
}

impl RunStore {
    /// Takes the outcomes away of the steps that are carried out again, and has the run go on with another execution; one
    /// transaction. Nothing happens when that was done before, or when the run is ending.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer, or the plan has no such steps.
    pub(crate) async fn revise(
        &self,
        request: &Request,
        closed: &Closed,
        revision: &Revision,
    ) -> Result<()> {
        let place = &request.position;
        // Only people ask for changes.
        let Some(by) = closed.by.person() else { return Ok(()) };
        let mut last = None;
        for _ in 0..RACES {
            let Some(head) = self.head(&place.run).await? else { return Ok(()) };
            let is_known = head.round_of(&place.step) > place.round;
            if is_known || head.stop.is_some() || head.finished_at.is_some() {
                return Ok(());
            }
            let again = self.to_do_again(request).await?;
            let change = AskedChange {
                approval: request.id.clone(),
                gate: place.step.clone(),
                steps: request.revisable.clone(),
                attempt: head.attempt + 1,
                by: by.clone(),
                at: closed.at,
                is_instead: revision.is_instead(),
                instructions: revision.instructions.clone(),
            };
            let writes = self.revision_writes(&head, place.round, &change, &again).await?;
            match self.table.transact(writes).await {
                Ok(()) => return Ok(()),
                Err(error) if error.is_condition() => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        last.map_or(Ok(()), Err)
    }

    async fn to_do_again(&self, request: &Request) -> Result<Vec<String>> {
        let place = &request.position;
        let plan = self.plan(&place.run).await?;
        let again = plan.and_then(|(plan, _)| plan.done_again(&place.step, &request.revisable));
        again.ok_or_else(|| StoreError::Decode {
            table: self.table.name().to_owned(),
            reason: format!("the plan of {} does not have what `{}` offers", place.run, place.step),
        })
    }

    async fn revision_writes(
        &self,
        head: &Head,
        round: u32,
        change: &AskedChange,
        again: &[String],
    ) -> Result<Vec<Write>> {
        let (run, gate) = (&head.run, &change.gate);
        let mut writes = vec![
            update(head, round, change, again)?,
            Write::put(&keys::revision(run, gate, round), change)?,
            event(run, round, change, again)?,
        ];
        for step in again {
            let key = keys::outcome(run, step);
            let Some(outcome) = self.table.get::<OutcomeItem>(&key).await? else { continue };
            let Some(outcome) = outcome.standing() else { continue };
            writes.push(Write::put(&keys::replaced(run, step, change.attempt), &outcome)?);
            writes.push(Write::put(&key, &outcome.reopened(change.attempt))?);
        }
        // How an earlier request of the gate ended may have been noted only now.
        writes.push(Write::delete(&keys::outcome(run, gate)));
        Ok(writes)
    }

    /// All that people wanted changed in a run, the earliest first.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn revisions(&self, run: &RunId) -> Result<Vec<AskedChange>> {
        let query = keys::revisions(run).consistent();
        let mut changes: Vec<AskedChange> = self.table.query_all(query, MAX_READ).await?;
        changes.sort_by_key(|change| change.attempt);
        Ok(changes)
    }

    /// What a step had written before it was carried out again in `attempt`; null when it had no output.
    ///
    /// # Errors
    /// [`StoreError`] when the table or the bucket does not answer.
    pub async fn replaced(&self, run: &RunId, step: &str, attempt: u32) -> Result<Value> {
        match self.table.get::<OutcomeItem>(&keys::replaced(run, step, attempt)).await? {
            Some(item) => Ok(self.load_outcome(item).await?.output),
            None => Ok(Value::Null),
        }
    }
}

/// The run goes on with the next execution. What the steps warned of is gone with their results.
fn update(head: &Head, round: u32, change: &AskedChange, again: &[String]) -> Result<Write> {
    let mut warnings = head.warnings.clone();
    warnings.retain(|warned| !again.contains(&warned.step));
    let mut revised = head.revised.clone();
    revised.since.extend(again.iter().map(|step| (step.clone(), change.attempt)));
    revised.rounds.insert(change.gate.clone(), round + 1);
    let same = Expr::new(
        "#version = :version AND attribute_not_exists(#stop) AND attribute_not_exists(#finished_at)",
    );
    Ok(Write::update(&keys::head(&head.run))
        .set("attempt", &change.attempt)?
        .set("idle_attempts", &0)?
        .set("warnings", &warnings)?
        .set("revised", &revised)?
        .add("version", &1)?
        .when(same.bind("version", &head.version)?))
}

/// The event stands where the end of the request would.
fn event(run: &RunId, round: u32, change: &AskedChange, again: &[String]) -> Result<Write> {
    let kind = EventKind::Revised { approval: change.approval.to_string(), again: again.to_vec() };
    let step = change.gate.clone();
    let event = Event { step, attempt: 0, n: round * 2 + 1, at: change.at, kind };
    Write::put(&keys::event(run, &event.step, 0, event.n), &event)
}
