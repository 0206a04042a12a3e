//! A step in which a model asks for tools: the turns in which it did, and what came of each call.

use countersign_plan::{OnWarning, PlanStep};
use countersign_run::{
    Event, EventKind, ModelCallEnd, ModelUse, RunId, StepWarnings, ToolAsk, ToolCall, all_warnings,
    warning_count, warning_sentences,
};
use countersign_store_kit::{Key, Query, Stored, Write};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{EndedCall, Result, RunStore, keys};

/// More records than a step can have.
const MAX_RECORDS: usize = 1_000;
/// How many sentences about what a call could not read are kept with it.
const KEPT: usize = 20;

/// A turn in which the model asked for tools. Once it is written the turn is not asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelTurn {
    /// The step.
    pub step: String,
    /// Which turn, from 1.
    pub turn: u32,
    /// What the model asked for.
    pub asks: Vec<ToolAsk>,
    /// What the turn used.
    pub used: ModelUse,
    /// When it was written.
    pub at: Timestamp,
}

/// What came of a call that a model asked for. Once it is written the call is not made again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The step.
    pub step: String,
    /// The call, without what it found: that is kept with its event.
    pub call: ToolCall,
    /// What it answered; none when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Stored>,
    /// How much of it could not be read.
    #[serde(default)]
    warnings: u64,
    /// Some of that, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    first: Vec<String>,
    /// SHA-256, hex, of all of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    warned: String,
    /// The execution.
    pub attempt: u32,
    /// When it ended.
    pub at: Timestamp,
}

impl ToolOutcome {
    /// A call of `step` that is over.
    #[must_use]
    pub fn new(step: &str, call: ToolCall, attempt: u32, at: Timestamp) -> Self {
        Self {
            step: step.to_owned(),
            call,
            output: None,
            warnings: 0,
            first: Vec::new(),
            warned: String::new(),
            attempt,
            at,
        }
    }

    /// With what this output says that could not be read.
    #[must_use]
    pub fn warned_by(self, output: &Value) -> Self {
        let all: Vec<&Value> = all_warnings(output).collect();
        Self {
            warnings: warning_count(output),
            first: warning_sentences(output, KEPT),
            warned: hex::encode(Sha256::digest(json!(all).to_string())),
            ..self
        }
    }

    fn key(&self, run: &RunId) -> Key {
        keys::tool_outcome(run, &self.step, self.call.turn, self.call.call)
    }

    fn event(&self) -> Event {
        Event {
            step: self.step.clone(),
            attempt: self.attempt,
            n: self.call.event_number(),
            at: self.at,
            kind: EventKind::ToolCalled(self.call.clone()),
        }
    }
}

impl RunStore {
    /// Keeps a turn, with the end of the call of its model where that is still to be written. One that was kept before stands: false.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn put_turn(
        &self,
        run: &RunId,
        turn: &ModelTurn,
        end: Option<&ModelCallEnd>,
    ) -> Result<bool> {
        let put = Write::put(&keys::turn(run, &turn.step, turn.turn), turn)?.if_absent();
        if let Some(end) = end
            && self.with_end_of_turn(vec![put.clone()], EndedCall::of(run, end)).await?
        {
            return Ok(true);
        }
        self.table.try_write(put).await
    }

    /// The turns of a step in which its model asked for tools, in order.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn turns(&self, run: &RunId, step: &str) -> Result<Vec<ModelTurn>> {
        self.records(keys::turns(run, step)).await
    }

    /// What came of the calls of a step, in order.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn tool_outcomes(&self, run: &RunId, step: &str) -> Result<Vec<ToolOutcome>> {
        self.records(keys::tool_outcomes(run, step)).await
    }

    async fn records<T: DeserializeOwned>(&self, query: Query) -> Result<Vec<T>> {
        self.table.query_all(query.consistent(), MAX_RECORDS).await
    }

    /// What a call answered; null when it failed.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the bucket does not answer.
    pub async fn tool_output(&self, of: &ToolOutcome) -> Result<Value> {
        self.blobs.load_or_null(of.output.as_ref()).await
    }

    /// Writes what came of calls, with their outputs if they have any, and their events; one transaction. What was written before
    /// stands.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table or the bucket does not answer.
    pub async fn end_tool_calls(
        &self,
        run: &RunId,
        over: Vec<(ToolOutcome, Option<Value>)>,
    ) -> Result<()> {
        let (mut writes, mut result) = (Vec::with_capacity(over.len()), Ok(()));
        for (outcome, output) in over {
            match self.end_of_tool_call(run, outcome, output).await {
                Ok(own) => writes.push(own),
                Err(error) => result = Err(error),
            }
        }
        if writes.len() > 1 && matches!(self.table.try_transact(writes.concat()).await, Ok(true)) {
            return result;
        }
        // There is one only, or one of them was over before or cannot be written: the others are.
        for own in writes {
            if let Err(error) = self.table.try_transact(own).await {
                result = Err(error);
            }
        }
        result
    }

    async fn end_of_tool_call(
        &self,
        run: &RunId,
        mut outcome: ToolOutcome,
        output: Option<Value>,
    ) -> Result<Vec<Write>> {
        if let Some(output) = output {
            let ToolCall { turn, call, .. } = outcome.call;
            let step = &outcome.step;
            let key = format!("runs/{run}/{step}/tools/{turn}-{call}-{}.json", outcome.attempt);
            outcome.output = Some(self.blobs.store(&key, &output).await?);
            outcome = outcome.warned_by(&output);
        }
        let event = outcome.event();
        outcome.call.found = Vec::new();
        let event_key = keys::event(run, &event.step, event.attempt, event.n);
        Ok(vec![
            Write::put(&outcome.key(run), &outcome)?.if_absent(),
            Write::put(&event_key, &event)?,
        ])
    }
}

/// What the calls of a step could not read, for the steps behind it and those who sign them; with it the first sentences. None
/// when there is nothing.
#[must_use]
pub fn warnings_of_tools(step: &PlanStep, calls: &[ToolOutcome]) -> Option<StepWarnings> {
    let count = calls.iter().fold(0_u64, |all, call| all.saturating_add(call.warnings));
    let told = |call: &ToolOutcome| {
        let tool = call.call.tool.clone();
        call.first.iter().map(move |text| format!("`{tool}`: {text}")).collect::<Vec<_>>()
    };
    let hashes: Vec<&str> = calls.iter().map(|call| call.warned.as_str()).collect();
    let hash = hex::encode(Sha256::digest(json!([step.name, count, hashes]).to_string()));
    (count > 0).then(|| StepWarnings {
        step: step.name.clone(),
        count,
        first: calls.iter().flat_map(told).take(KEPT).collect(),
        hash,
        asks: step.on_warning == OnWarning::Gate,
    })
}
