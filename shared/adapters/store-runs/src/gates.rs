//! The run's own record of its gates.

use countersign_approval::ports::{PortError, PortResult, RunLog};
use countersign_approval::{Choice, Kind, OnReject, Request, Status, StepEffects};
use countersign_journal::EntryId;
use countersign_run::{
    EFFECT_NOT_DONE, Event, EventKind, GATE_CLOSED, GATE_DENIED, GATE_NOT_ASKED, GATE_TIMED_OUT,
    GateOutcome, RunId, Said, StepStatus, StepWarnings, Stop, StopReason,
};
use jiff::Timestamp;
use serde_json::json;

use crate::{Consequence, Intent, JournalStore, Result, RunStore, StepOutcome, warnings_of};

impl RunLog for RunStore {
    fn opened<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()> {
        Box::pin(async move {
            let kind = EventKind::GateOpened { approval: request.id.to_string() };
            let recorded = self
                .record(&request.position.run, &event(request, 0, request.opened_at, kind))
                .await;
            recorded.map_err(|error| PortError::of("noting the open gate", &error))
        })
    }

    fn closed<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()> {
        Box::pin(async move {
            let noted = self.gate_closed(request).await;
            noted.map_err(|error| PortError::of("noting the closed gate", &error))
        })
    }

    fn effects<'a>(&'a self, request: &'a Request) -> PortResult<'a, Vec<StepEffects>> {
        let effects = self.effects_of(request);
        Box::pin(async move {
            effects.await.map_err(|error| PortError::of("reading what is signed", &error))
        })
    }

    fn is_over<'a>(&'a self, run: &'a RunId) -> PortResult<'a, bool> {
        Box::pin(async move {
            let head =
                self.head(run).await.map_err(|error| PortError::of("reading the run", &error))?;
            Ok(head.is_none_or(|head| head.finished_at.is_some()))
        })
    }
}

impl RunStore {
    /// A gate ends with an outcome of its own. A tool that asked for itself ends here when it was refused, and when people said
    /// what became of its call; otherwise, approved, it goes on to act.
    async fn gate_closed(&self, request: &Request) -> Result<()> {
        if request.status.is_final() {
            // Nobody waits any more: the entry of the run says how it ended.
            let waiting = EntryId::of_request(request.id.as_str());
            JournalStore::new(self.table.clone()).take_away(&request.owner, &waiting).await?;
        }
        if let Some(closed) = &request.closed
            && let Some(revision) = &closed.revision
        {
            return self.revise(request, closed, revision).await;
        }
        let Some(verdict) = verdict(request.status) else { return Ok(()) };
        let run = &request.position.run;
        let at = request.closed.as_ref().map_or(request.opened_at, |closed| closed.at);
        let closed = EventKind::GateClosed { approval: request.id.to_string(), verdict };
        let event = event(request, 1, at, closed);
        let for_itself = matches!(request.kind, Kind::Tool | Kind::Outcome);
        if for_itself && verdict == GateOutcome::Approved {
            self.record(run, &event).await?;
            return self.answered(request, at).await;
        }
        let intent =
            if for_itself { self.intent(run, &request.position.step).await? } else { None };
        if let Some(intent) = intent.as_ref().filter(|intent| intent.sending.items > 0) {
            self.record(run, &event).await?;
            return self.list_closed(run, intent, verdict, at).await;
        }
        let (outcome, stop) = ending_of(request, intent.as_ref(), verdict, at);
        let is_missed = for_itself && intent.is_none() && stop.is_none();
        let warnings = if is_missed { self.missing(request, verdict).await? } else { None };
        let consequence = Consequence {
            stop: stop.as_ref(),
            warnings: warnings.as_ref(),
            ..Consequence::default()
        };
        self.end_step(run, &outcome, &event, consequence).await.map(drop)
    }

    /// What is told of a step that asked for itself and was refused: those who sign later have to know that its result is missing.
    async fn missing(
        &self,
        request: &Request,
        verdict: GateOutcome,
    ) -> Result<Option<StepWarnings>> {
        let Some(why) = refused(verdict) else { return Ok(None) };
        let step = &request.position.step;
        let view = self.view(&request.position.run, step).await?;
        Ok(view.as_ref().and_then(|view| {
            let step = view.plan.step(step)?;
            view.plan.told_of_held_back(step, step, why)
        }))
    }
}

/// How what a step asked was refused, as a clause.
fn refused(verdict: GateOutcome) -> Option<&'static str> {
    match verdict {
        GateOutcome::Denied => Some("what it asked was denied"),
        GateOutcome::TimedOut => Some("what it asked was not answered in time"),
        GateOutcome::Approved | GateOutcome::Closed | GateOutcome::NotAsked => None,
    }
}

impl RunStore {
    /// Ends a step over a list that asked people and was not approved: its records say what was sent.
    async fn list_closed(
        &self,
        run: &RunId,
        intent: &Intent,
        verdict: GateOutcome,
        at: Timestamp,
    ) -> Result<()> {
        let early = refused(verdict).unwrap_or("its request was closed");
        let outcome = self.list_outcome(run, intent, Some(early), at).await?;
        let stops = verdict != GateOutcome::Closed && intent.stops;
        let stop = stops.then(|| step_failed(intent, &outcome, at));
        // What its answers say could not be read counts for later gates all the same.
        let view = self.view(run, &intent.step).await?;
        let step = view.as_ref().and_then(|view| view.plan.step(&intent.step));
        let warnings = step.and_then(|step| warnings_of(step, &outcome.output, None));
        let consequence = Consequence {
            stop: stop.as_ref(),
            warnings: warnings.as_ref(),
            ..Consequence::default()
        };
        self.end_step(run, &outcome, &ended(intent, &outcome), consequence).await.map(drop)
    }

    /// Writes what people said became of the one call of a step. A step that is to send again ends when it has; one of
    /// several calls ends by itself, from the answers.
    async fn answered(&self, request: &Request, at: Timestamp) -> Result<()> {
        let (run, step) = (&request.position.run, &request.position.step);
        let Some(intent) = self.intent(run, step).await? else { return Ok(()) };
        let Some((outcome, stop)) = said(request, &intent, at) else { return Ok(()) };
        self.end_step(run, &outcome, &ended(&intent, &outcome), stop.as_ref()).await.map(drop)
    }
}

/// The event of a step that ends without an invocation.
fn ended(intent: &Intent, outcome: &StepOutcome) -> Event {
    let kind = EventKind::StepEnded {
        status: outcome.status,
        count: outcome.count,
        code: outcome.code.clone(),
        message: outcome.message.clone(),
        took_ms: 0,
        model: None,
    };
    Event { step: intent.step.clone(), attempt: intent.attempt, n: 9, at: outcome.at, kind }
}

/// How a step ends of whose call this was said; none while it is to send again, or when another call was asked about.
fn said(request: &Request, intent: &Intent, at: Timestamp) -> Option<(StepOutcome, Option<Stop>)> {
    // A step of several calls ends by itself.
    let closed = request.closed.as_ref().filter(|_| intent.sending.items == 0)?;
    let [call] = request.outcome.as_slice() else { return None };
    let answer = closed.answers.iter().find(|answer| answer.n == call.n)?;
    if (call.call, &call.receipt) != (intent.sending.call, &intent.sending.receipt) {
        return None;
    }
    let (status, what, code) = match answer.choice {
        Choice::Done => (StepStatus::Done, "was done", None),
        Choice::NotDone => (StepStatus::Failed, "was not done", Some(EFFECT_NOT_DONE)),
        Choice::Again => return None,
    };
    let said = Said {
        what,
        receipt: closed.receipt.as_str(),
        by: &[],
        evidence: answer.evidence.as_deref(),
    };
    let message = intent.sent().answered(&intent.step, &[], &said);
    let outcome = StepOutcome {
        status,
        input_hash: intent.input_hash.clone(),
        code: code.map(str::to_owned),
        message: Some(message),
        approval: Some(request.id.to_string()),
        ..StepOutcome::unknown(&intent.step, &intent.sent(), intent.attempt, at)
    };
    let stops = code.is_some() && intent.stops;
    let stop = stops.then(|| step_failed(intent, &outcome, at));
    Some((outcome, stop))
}

fn step_failed(intent: &Intent, outcome: &StepOutcome, at: Timestamp) -> Stop {
    Stop {
        reason: StopReason::StepFailed,
        step: Some(intent.step.clone()),
        by: None,
        code: None,
        message: outcome.message.clone().unwrap_or_default(),
        at,
    }
}

/// How a step ends at its gate: one with an intent may have acted.
fn ending_of(
    request: &Request,
    intent: Option<&Intent>,
    verdict: GateOutcome,
    at: Timestamp,
) -> (StepOutcome, Option<Stop>) {
    match intent {
        None => (outcome(request, verdict, at), stop(request, verdict, at)),
        Some(intent) => in_doubt(intent, verdict, at),
    }
}

/// A step that may have acted: that nobody decided, or decided against sending again, says nothing of what happened. The run
/// goes on or ends as it does when the step fails; when the question was closed, the run is ending already.
fn in_doubt(intent: &Intent, verdict: GateOutcome, at: Timestamp) -> (StepOutcome, Option<Stop>) {
    let outcome = StepOutcome::unknown(&intent.step, &intent.sent(), intent.attempt, at);
    let stops = verdict != GateOutcome::Closed && intent.stops;
    let stop = stops.then(|| step_failed(intent, &outcome, at));
    (outcome, stop)
}

/// Events of a gate belong to no attempt: a gate stays open across them.
fn event(request: &Request, n: u32, at: Timestamp, kind: EventKind) -> Event {
    let place = &request.position;
    Event { step: place.step.clone(), attempt: 0, n: place.round * 2 + n, at, kind }
}

/// None for a request that is open, or that another took the place of.
fn verdict(status: Status) -> Option<GateOutcome> {
    match status {
        Status::Pending | Status::Superseded => None,
        Status::Approved => Some(GateOutcome::Approved),
        Status::Denied => Some(GateOutcome::Denied),
        Status::TimedOut => Some(GateOutcome::TimedOut),
        Status::Expired | Status::Cancelled => Some(GateOutcome::Closed),
    }
}

fn outcome(request: &Request, verdict: GateOutcome, at: Timestamp) -> StepOutcome {
    let (status, code) = match verdict {
        GateOutcome::Approved => (StepStatus::Approved, None),
        GateOutcome::Denied => (StepStatus::Rejected, Some(GATE_DENIED)),
        GateOutcome::TimedOut => (StepStatus::TimedOut, Some(GATE_TIMED_OUT)),
        GateOutcome::Closed => (StepStatus::Closed, Some(GATE_CLOSED)),
        GateOutcome::NotAsked => (StepStatus::Closed, Some(GATE_NOT_ASKED)),
    };
    StepOutcome {
        step: request.position.step.clone(),
        status,
        input_hash: String::new(),
        output: json!({ "decision": verdict, "approval": request.id }),
        count: None,
        code: code.map(str::to_owned),
        message: None,
        verdict: Some(verdict),
        model: None,
        approval: Some(request.id.to_string()),
        attempt: 0,
        at,
    }
}

fn stop(request: &Request, verdict: GateOutcome, at: Timestamp) -> Option<Stop> {
    let (reason, what) = match verdict {
        GateOutcome::Denied => (StopReason::Rejected, "was denied"),
        GateOutcome::TimedOut => (StopReason::TimedOut, "was not answered in time"),
        GateOutcome::Approved | GateOutcome::Closed | GateOutcome::NotAsked => return None,
    };
    let step = request.position.step.clone();
    let message = format!("`{step}` {what}");
    (request.on_reject == OnReject::Stop).then_some(Stop {
        reason,
        step: Some(step),
        by: None,
        code: None,
        message,
        at,
    })
}
