//! Creating a run, planning it, and starting its next attempt.

use countersign_identity::UserId;
use countersign_plan::Plan;
use countersign_run::{Event, EventKind, Head, RunId};
use countersign_store_kit::{Expr, Op, StoreError, Write};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::active::Active;
use crate::quotas::{self, RunExceeded, RunLimits};
use crate::records::{LastItem, PlanItem, RequestItem};
use crate::{Result, RunStore, conversations, keys, members};

/// What became of a run that was to be written.
#[derive(Debug, Clone, PartialEq)]
pub enum Created {
    /// It was written now.
    New,
    /// It was there already.
    Existing(Box<Head>),
    /// It was not written: as many were started today as may be.
    Exceeded(RunExceeded),
}

/// What a run is started with.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The inputs, by name.
    pub inputs: Value,
    /// Of a test: outputs of steps, by name.
    pub samples: Option<Value>,
    /// Of a run that follows no stored playbook: the one that was made for it, as YAML.
    pub playbook: Option<String>,
}

impl RunStore {
    /// Writes a new run, if its limits have room for it: head, request and the mark of an active run, and on the run it repeats that
    /// it does. One transaction, together with what is counted of the day of `started_at` and the writes to other tables that go
    /// `with` it. One that is there already is neither written nor counted again.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer, or others are at the same items for seconds; [`StoreError::ConditionFailed`]
    /// when another run repeats the same one, or what goes with the run cannot be written.
    pub async fn create(
        &self,
        head: &Head,
        asked: &Asked,
        limits: RunLimits<'_>,
        with: &[Op],
    ) -> Result<Created> {
        let counts = quotas::of_run(head, limits);
        // Asked before the transaction decides, so that a run that is refused leaves no objects in the bucket.
        if let Some(exceeded) = self.exceeded(&counts).await? {
            return Ok(self.existing(&head.run).await?.unwrap_or(Created::Exceeded(exceeded)));
        }
        let put = Write::put(&keys::head(&head.run), head)?.if_absent();
        let put = put.indexed(
            &keys::owner_index(&head.owner),
            &keys::owner_sort(head.started_at, &head.run),
        );
        let mut writes = vec![put];
        for count in &counts {
            writes.push(count.raised(head.started_at)?);
        }
        writes.extend(self.beside(head, asked).await?);
        let own = writes.into_iter().map(|write| self.table.op(write));
        let ops: Vec<Op> = own.chain(with.iter().cloned()).collect();
        let Err(error) = self.table.transact_across_contended(ops).await else {
            return Ok(Created::New);
        };
        let StoreError::ConditionFailed { index, .. } = error else { return Err(error) };
        if let Some(existing) = self.existing(&head.run).await? {
            return Ok(existing);
        }
        // The head is in front of the counts, and everything else behind them.
        let full = index.checked_sub(1).and_then(|place| counts.get(place));
        full.map(|count| Created::Exceeded(count.exceeded)).ok_or(error)
    }

    /// A run that is there already.
    async fn existing(&self, run: &RunId) -> Result<Option<Created>> {
        Ok(self.head(run).await?.map(|known| Created::Existing(Box::new(known))))
    }

    /// What is written beside the head and the counts of a new run.
    async fn beside(&self, head: &Head, asked: &Asked) -> Result<Vec<Write>> {
        let place = |what: &str| format!("runs/{}/{what}.json", head.run);
        let inputs = self.blobs.store(&place("request"), &asked.inputs).await?;
        let samples = match &asked.samples {
            Some(samples) => Some(self.blobs.store(&place("samples"), samples).await?),
            None => None,
        };
        let item = RequestItem { inputs, samples, playbook: asked.playbook.clone() };
        let request = Write::put(&keys::request(&head.run), &item)?;
        let active = Write::put(&keys::active(&head.run), &Active::starting(head))?;
        let mut writes = vec![request, active];
        writes.extend(members::mark(head)?);
        writes.extend(conversations::mark(head)?);
        if let Some(before) = head.repeats.last() {
            let free = Expr::new("attribute_exists(#PK) AND attribute_not_exists(#repeated_by)");
            writes
                .push(Write::update(&keys::head(before)).set("repeated_by", &head.run)?.when(free));
        }
        Ok(writes)
    }

    /// The inputs as they came.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn inputs(&self, run: &RunId) -> Result<Value> {
        match self.table.get::<RequestItem>(&keys::request(run)).await? {
            Some(item) => self.blobs.load(&item.inputs).await,
            None => Ok(Value::Object(Map::new())),
        }
    }

    /// The playbook that was made for the run, as YAML; none when it follows a stored one.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn made_playbook(&self, run: &RunId) -> Result<Option<String>> {
        let item = self.table.get::<RequestItem>(&keys::request(run)).await?;
        Ok(item.and_then(|item| item.playbook))
    }

    /// Of a test: the outputs of steps it was given, by name.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn samples(&self, run: &RunId) -> Result<Map<String, Value>> {
        let item = self.table.get::<RequestItem>(&keys::request(run)).await?;
        match item.and_then(|item| item.samples) {
            Some(samples) => match self.blobs.load(&samples).await? {
                Value::Object(samples) => Ok(samples),
                _ => Ok(Map::new()),
            },
            None => Ok(Map::new()),
        }
    }

    /// When the profile's last successful run of this owner finished; none when there was none.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn last_success(&self, owner: &UserId, profile: &str) -> Result<Option<Timestamp>> {
        let key = keys::last_success(owner, profile);
        self.table.read_as(key, |item: LastItem| item.finished_at).await
    }

    /// Stores a sealed plan, once. Answers with the plan that stands: this one, or the one stored before.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn seal(&self, plan: &Plan, seal: &str, at: Timestamp) -> Result<(Plan, String)> {
        let value = serde_json::to_value(plan).map_err(StoreError::encode)?;
        let stored =
            self.blobs.store(&format!("runs/{}/plan-{seal}.json", plan.run), &value).await?;
        let steps = u32::try_from(plan.steps.len()).unwrap_or(u32::MAX);
        let event = Event {
            step: String::new(),
            attempt: 1,
            n: 0,
            at,
            kind: EventKind::Started { seal: seal.to_owned(), steps },
        };
        let writes = vec![
            Write::put(&keys::plan(&plan.run), &PlanItem { seal: seal.to_owned(), plan: stored })?
                .if_absent(),
            Write::update(&keys::head(&plan.run))
                .set("seal", &seal)?
                .add("version", &1)?
                .when(Expr::exists()),
            Write::put(&keys::event(&plan.run, "", 1, 0), &event)?,
        ];
        match self.table.transact(writes).await {
            Ok(()) => Ok((plan.clone(), seal.to_owned())),
            Err(error) if error.is_condition() => self.plan(&plan.run).await?.ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// The sealed plan of a run, once there is one.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer or the plan has another shape.
    pub async fn plan(&self, run: &RunId) -> Result<Option<(Plan, String)>> {
        let Some(item) = self.table.get::<PlanItem>(&keys::plan(run)).await? else {
            return Ok(None);
        };
        Ok(Some((self.load_plan(&item).await?, item.seal)))
    }

    pub(crate) async fn load_plan(&self, item: &PlanItem) -> Result<Plan> {
        self.blobs.load_as(&item.plan).await
    }

    /// Hands the run to its next attempt. Only one caller wins; the others see a condition that did not hold.
    ///
    /// # Errors
    /// [`StoreError::ConditionFailed`] when the run is finished or has gone on already.
    pub async fn next_attempt(
        &self,
        head: &Head,
        reason: &str,
        events: u64,
        at: Timestamp,
    ) -> Result<Head> {
        let idle = events <= head.events_at_attempt;
        let next = Head {
            attempt: head.attempt + 1,
            attempt_at: Some(at),
            idle_attempts: if idle { head.idle_attempts + 1 } else { 0 },
            events_at_attempt: events,
            version: head.version + 1,
            ..head.clone()
        };
        let condition = Expr::new("#attempt = :attempt AND attribute_not_exists(#finished_at)")
            .bind("attempt", &head.attempt)?;
        let update = Write::update(&keys::head(&head.run))
            .set("attempt", &next.attempt)?
            .set("attempt_at", &at)?
            .set("idle_attempts", &next.idle_attempts)?;
        let update = update
            .set("events_at_attempt", &next.events_at_attempt)?
            .add("version", &1)?
            .when(condition);
        let kind = EventKind::Resumed { reason: reason.to_owned() };
        let event = Event { step: String::new(), attempt: next.attempt, n: 0, at, kind };
        let writes =
            vec![update, Write::put(&keys::event(&head.run, "", next.attempt, 0), &event)?];
        self.table.transact(writes).await.map(|()| next)
    }
}
