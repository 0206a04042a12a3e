//! From events to a state.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    EFFECT_UNKNOWN, Event, EventKind, GATE_NOT_ASKED, GateOutcome, Head, ModelUse, RunStatus, Sent,
    StepStatus, StopReason, ToolCall,
};

/// What is known of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepState {
    /// What became of it.
    pub status: StepStatus,
    /// The stable code of its error or reason.
    pub code: Option<String>,
    /// The message for people.
    pub message: Option<String>,
    /// How many records came out.
    pub count: Option<u64>,
    /// How long it took, milliseconds.
    pub took_ms: u64,
    /// The model that wrote its result.
    pub model: Option<ModelUse>,
    /// The tools that its model asked for, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Its approval request, if it has one.
    pub approval: Option<String>,
    /// The last thing it sent, or was about to send, that cannot be taken back.
    pub sent: Option<Sent>,
}

impl StepState {
    /// Whether nobody was asked about it, because its run skips its gates.
    #[must_use]
    pub fn was_not_asked(&self) -> bool {
        self.code.as_deref() == Some(GATE_NOT_ASKED)
    }
}

impl Default for StepState {
    /// Nothing is known of it yet.
    fn default() -> Self {
        Self {
            status: StepStatus::Pending,
            code: None,
            message: None,
            count: None,
            took_ms: 0,
            model: None,
            tool_calls: Vec::new(),
            approval: None,
            sent: None,
        }
    }
}

/// What the events say of one step, before it is weighed.
struct Known<'a> {
    state: StepState,
    /// Requests that were opened.
    opened: BTreeSet<&'a str>,
    /// Requests that ended; one that allowed sending has.
    closed: BTreeSet<&'a str>,
}

impl Known<'_> {
    fn nothing() -> Self {
        Self { state: StepState::default(), opened: BTreeSet::new(), closed: BTreeSet::new() }
    }

    /// Once something may have been sent, only the step itself can say what came of it: that nobody decided, that the time
    /// was up or that the run ended says nothing of the effect.
    fn weighed(self, step: &str) -> StepState {
        let mut state = self.state;
        let Some(sent) = &state.sent else { return state };
        state.status = match state.status {
            StepStatus::Done | StepStatus::Failed => return state,
            StepStatus::Pending
            | StepStatus::Running
            | StepStatus::Waiting
            | StepStatus::Approved
            | StepStatus::Sending => {
                let asks = self.opened.difference(&self.closed).next().is_some();
                if asks { StepStatus::Waiting } else { StepStatus::Sending }
            }
            StepStatus::Skipped
            | StepStatus::NotRun
            | StepStatus::Rejected
            | StepStatus::TimedOut
            | StepStatus::Closed
            | StepStatus::Lost
            | StepStatus::Unknown => {
                // A step with several calls has said which of them are unknown.
                let counted = sent.what.items > 0 && state.status == StepStatus::Unknown;
                let said = state.message.take().filter(|_| counted);
                state.code = Some(EFFECT_UNKNOWN.to_owned());
                state.message = said.or_else(|| Some(sent.sentence(step, &[])));
                StepStatus::Unknown
            }
        };
        state
    }
}

/// What is known of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// Its status.
    pub status: RunStatus,
    /// Its steps in the order given.
    pub steps: Vec<(String, StepState)>,
}

/// Folds events into a state. `order` names the steps of the plan; `order` may be empty while there is no plan.
///
/// The result does not depend on the order of `events`: of two events about one step the one that says more wins
/// (ended over waiting, waiting over pending; a definite end over a lost one), whichever came first. A step that may have
/// sent something is done, failed, at it, or unknown, whatever else was written. What a step did before it was to be carried out
/// again, because somebody asked for changes, says nothing of it any more.
#[must_use]
pub fn fold(head: &Head, order: &[String], events: &[Event]) -> RunState {
    let mut known: BTreeMap<&str, Known<'_>> = BTreeMap::new();
    for event in events {
        if !event.step.is_empty() && head.counts(event) {
            apply(known.entry(event.step.as_str()).or_insert_with(Known::nothing), event);
        }
    }
    let steps: Vec<(String, StepState)> = order
        .iter()
        .map(|name| {
            let known = known.remove(name.as_str()).unwrap_or_else(Known::nothing);
            (name.clone(), known.weighed(name))
        })
        .collect();
    let status = head.status.unwrap_or_else(|| running_status(&steps));
    RunState { status, steps }
}

fn apply<'a>(known: &mut Known<'a>, event: &'a Event) {
    let state = &mut known.state;
    match &event.kind {
        EventKind::GateOpened { approval } => {
            known.opened.insert(approval);
            state.approval = state.approval.take().max(Some(approval.clone()));
            raise(state, StepStatus::Waiting, event);
        }
        EventKind::GateClosed { approval, verdict } => {
            known.closed.insert(approval);
            state.approval = state.approval.take().max(Some(approval.clone()));
            raise(state, closed_status(*verdict), event);
        }
        EventKind::Sending(what) => {
            known.closed.extend(what.approval.as_deref());
            let sent = Sent { at: event.at, what: what.clone() };
            state.sent = state.sent.take().max(Some(sent));
        }
        EventKind::ToolCalled(call) => add(&mut state.tool_calls, call),
        EventKind::StepEnded { status, .. } => raise(state, *status, event),
        EventKind::Started { .. }
        | EventKind::Resumed { .. }
        | EventKind::Revised { .. }
        | EventKind::Stopped { .. }
        | EventKind::Finished { .. } => {}
    }
}

/// A call that is told twice is one call.
fn add(calls: &mut Vec<ToolCall>, call: &ToolCall) {
    let place = |call: &ToolCall| (call.turn, call.call);
    if let Err(at) = calls.binary_search_by_key(&place(call), place) {
        calls.insert(at, call.clone());
    }
}

fn closed_status(verdict: GateOutcome) -> StepStatus {
    match verdict {
        GateOutcome::Approved => StepStatus::Approved,
        GateOutcome::Denied => StepStatus::Rejected,
        GateOutcome::TimedOut => StepStatus::TimedOut,
        GateOutcome::Closed | GateOutcome::NotAsked => StepStatus::Closed,
    }
}

/// How much a status says; a step only ever moves up. Done outranks Approved: a gated tool is first approved, then done.
fn rank(status: StepStatus) -> u8 {
    match status {
        StepStatus::Pending | StepStatus::Running => 0,
        StepStatus::Waiting => 1,
        StepStatus::Lost => 2,
        StepStatus::Closed => 3,
        StepStatus::Approved => 4,
        StepStatus::NotRun => 5,
        StepStatus::Skipped => 6,
        StepStatus::TimedOut => 7,
        StepStatus::Rejected => 8,
        StepStatus::Sending => 9,
        StepStatus::Unknown => 10,
        StepStatus::Failed => 11,
        StepStatus::Done => 12,
    }
}

fn raise(state: &mut StepState, status: StepStatus, event: &Event) {
    if rank(status) < rank(state.status) {
        return;
    }
    let first_of_its_rank = rank(status) > rank(state.status);
    state.status = status;
    let nothing = (&None, &None, &None, &0, &None);
    let said = match &event.kind {
        EventKind::StepEnded { count, code, message, took_ms, model, .. } => {
            (count, code, message, took_ms, model)
        }
        _ => nothing,
    };
    let known = (&state.count, &state.code, &state.message, &state.took_ms, &state.model);
    if first_of_its_rank || said > known {
        let (count, code, message, took_ms, model) = said;
        (state.count, state.took_ms) = (*count, *took_ms);
        (state.code, state.message) = (code.clone(), message.clone());
        state.model.clone_from(model);
    }
}

/// Steps start without an event of their own, so a run with an open gate counts as waiting for people.
fn running_status(steps: &[(String, StepState)]) -> RunStatus {
    let waiting = steps.iter().any(|(_, state)| state.status == StepStatus::Waiting);
    if waiting { RunStatus::AwaitingApproval } else { RunStatus::Running }
}

impl RunState {
    /// The status a run ends with: why it was stopped, or whether every step did what its author wanted.
    #[must_use]
    pub fn outcome(&self, stop: Option<StopReason>) -> RunStatus {
        match stop {
            Some(StopReason::Cancelled) => RunStatus::Cancelled,
            Some(StopReason::Rejected) => RunStatus::Rejected,
            Some(StopReason::TimedOut) => RunStatus::Timeout,
            Some(StopReason::StepFailed | StopReason::Broken) => RunStatus::Error,
            // A run without a plan has done nothing, however little was left to do.
            None if self.steps.is_empty() => RunStatus::Error,
            None if self.steps.iter().all(|(_, step)| step.status.is_good()) => RunStatus::Complete,
            None if self.steps.iter().any(|(_, step)| step.status == StepStatus::Done) => {
                RunStatus::Partial
            }
            // A refusal beside it does not hide that something may have been sent.
            None if self.steps.iter().any(|(_, step)| step.status == StepStatus::Unknown) => {
                RunStatus::Error
            }
            None if self.steps.iter().any(|(_, step)| step.status == StepStatus::Rejected) => {
                RunStatus::Rejected
            }
            // Nothing went wrong: whoever started the run wanted nobody to be asked.
            None if self.steps.iter().any(|(_, step)| step.was_not_asked()) => RunStatus::Partial,
            None => RunStatus::Error,
        }
    }

    /// Whether the run, with this head, has asked people anything: only then are there requests to read.
    #[must_use]
    pub fn has_asked(&self, head: &Head) -> bool {
        !head.revised.is_empty() || self.steps.iter().any(|(_, step)| step.approval.is_some())
    }

    /// One step.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&StepState> {
        self.steps.iter().find(|(own, _)| own == name).map(|(_, state)| state)
    }
}
