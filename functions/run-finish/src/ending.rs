//! How a run ends, before it is written that it has: its status, its answer, and what is written where.

use countersign_approval::{ApprovalRecord, name_signers};
use countersign_plan::Plan;
use countersign_profile::Profile;
use countersign_run::{
    Head, PARTLY_DONE, Response, RoutedOutput, RunRecord, RunState, RunStatus, StepState, fold,
};
use jiff::Timestamp;

use crate::occasion::Occasion;
use crate::outcomes::Outcomes;
use crate::over::{self, Over};
use crate::{Context, Done, FinishError, answer, learn, missing, record, respond};

/// How a run ends, before it is written that it has.
pub(crate) struct Ending {
    pub(crate) head: Head,
    pub(crate) plan: Option<Plan>,
    pub(crate) profile: Option<Profile>,
    pub(crate) state: RunState,
    pub(crate) status: RunStatus,
    pub(crate) approvals: Vec<ApprovalRecord>,
    pub(crate) outcomes: Outcomes,
    pub(crate) response: Option<Response>,
    pub(crate) written: Vec<RoutedOutput>,
    pub(crate) record: RunRecord,
}

impl Ending {
    /// Gives every step an outcome, makes the answer, and routes what is to be written somewhere.
    pub(crate) async fn read(
        context: &Context,
        head: Head,
        attempt: u32,
        now: Timestamp,
    ) -> Result<Self, FinishError> {
        let (mut state, plan) = settled(context, &head, attempt, now).await?;
        let head = with_warnings(context, head, &state).await?;
        let profile = over::profile(context, &head.owner, &head.profile_id).await?;
        let head = referring(head, profile.as_ref());
        let judged = learn::judged(&head, plan.as_ref(), &state);
        let status = judged.outcome(head.stop.as_ref().map(|stop| stop.reason));
        let answered = plan.as_ref().filter(|_| respond::has_answer(status));
        let answered = answered.map(|plan| answer::needed(plan, &state)).unwrap_or_default();
        let outcomes = Outcomes::read(context, &head.run, plan.as_ref(), &answered).await?;
        let approvals = approvals(context, &head, &state).await?;
        let response = match &plan {
            Some(plan) => {
                let (head, state, outcomes) = (&head, &state, &outcomes);
                let profile = profile.as_ref();
                let over = Over { head, plan, state, outcomes, profile, at: now };
                respond::response(context, &over, status, &approvals).await?
            }
            None => None,
        };
        let written = match &response {
            Some(response) => response.outputs.clone(),
            None => outcomes.written(),
        };
        let status = with_failures(status, &state, &written);
        let record = record::of(&head, plan.as_ref(), &state, &outcomes, &written);
        name_signers(&mut state, &approvals);
        Ok(Self {
            head,
            plan,
            profile,
            state,
            status,
            approvals,
            outcomes,
            response,
            written,
            record,
        })
    }

    /// The same for whoever writes it down and tells of it.
    pub(crate) fn done<'a>(
        &'a self,
        parked: Option<usize>,
        occasion: Option<&'a Occasion>,
        at: Timestamp,
    ) -> Done<'a> {
        Done {
            head: &self.head,
            state: &self.state,
            status: self.status,
            approvals: &self.approvals,
            outcomes: &self.outcomes,
            written: &self.written,
            record: &self.record,
            response: self.response.as_ref(),
            profile: self.profile.as_ref(),
            parked,
            occasion,
            at,
        }
    }
}

/// A run whose profile was removed refers to it no more (F-178).
fn referring(head: Head, profile: Option<&Profile>) -> Head {
    let profile_id = profile.map(|profile| profile.id.to_string()).unwrap_or_default();
    Head { profile_id, ..head }
}

/// A run is not complete when a result could not be written where it was wanted, or a step did a part of its work.
fn with_failures(status: RunStatus, state: &RunState, written: &[RoutedOutput]) -> RunStatus {
    let is_part = |step: &StepState| step.code.as_deref() == Some(PARTLY_DONE);
    let is_failed = written.iter().any(RoutedOutput::is_failed)
        || state.steps.iter().any(|(_, step)| is_part(step));
    if status == RunStatus::Complete && is_failed { RunStatus::Partial } else { status }
}

/// What became of the requests of the run; most runs have none, and then nothing is read.
async fn approvals(
    context: &Context,
    head: &Head,
    state: &RunState,
) -> Result<Vec<ApprovalRecord>, FinishError> {
    if !state.has_asked(head) {
        return Ok(Vec::new());
    }
    Ok(context.recorder.of_run(&head.run).await?)
}

/// The state of the run once every step has an outcome.
async fn settled(
    context: &Context,
    head: &Head,
    attempt: u32,
    now: Timestamp,
) -> Result<(RunState, Option<Plan>), FinishError> {
    let (state, plan) = planned(context, head).await?;
    if missing::write_down(context, head, plan.as_ref(), &state, attempt, now).await? == 0 {
        return Ok((state, plan));
    }
    Ok((folded(context, head, plan.as_ref()).await?, plan))
}

/// The state of the run as its events say it now, and its plan.
pub(crate) async fn planned(
    context: &Context,
    head: &Head,
) -> Result<(RunState, Option<Plan>), FinishError> {
    let plan = context.runs.plan(&head.run).await?.map(|(plan, _)| plan);
    let state = folded(context, head, plan.as_ref()).await?;
    Ok((state, plan))
}

/// The state of the run as its events say it now.
async fn folded(
    context: &Context,
    head: &Head,
    plan: Option<&Plan>,
) -> Result<RunState, FinishError> {
    let order = plan.map(Plan::order).unwrap_or_default();
    Ok(fold(head, &order, &context.runs.events(&head.run).await?))
}

/// The head with the warnings of the lists that were ended just now.
async fn with_warnings(
    context: &Context,
    head: Head,
    state: &RunState,
) -> Result<Head, FinishError> {
    let is_list = |step: &StepState| step.sent.as_ref().is_some_and(|sent| sent.what.items > 0);
    if !state.steps.iter().any(|(_, step)| is_list(step)) {
        return Ok(head);
    }
    let now = context.runs.head(&head.run).await?;
    Ok(match now {
        Some(now) => Head { warnings: now.warnings, ..head },
        None => head,
    })
}
