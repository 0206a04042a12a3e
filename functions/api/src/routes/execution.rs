//! `/executions/{id}` (F-348).

use std::collections::BTreeMap;

use countersign_approval::{ApprovalRecord, name_signers};
use countersign_identity::UserId;
use countersign_plan::{Plan, stage_numbers};
use countersign_registry::longest_step;
use countersign_run::{
    Draft, Event, Head, ModelUse, Response, RunId, RunState, RunStatus, StepState, StepStatus,
    StepWarnings, Stop, ToolCall, fold,
};
use countersign_store_runs::Progress;
use countersign_web::{FieldError, Json, Problem, Query};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::answers::{
    ApprovalRecordAnswer, ModelUseAnswer, ResponseAnswer, StepWarningsAnswer, StopAnswer,
    ToolCallAnswer,
};
use super::execution_wait::{Version, WaitQuery, changed};
use super::executions::ExecutionLine;
use super::planned_step::description;
use super::{JsonOf, Named, Reader, found, now};
use crate::Context;

/// One step of a run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StepView {
    /// Its name.
    name: String,
    /// In which stage of the plan it is, from 1: the steps of a stage are carried out side by side. 0 in a run without a plan.
    stage: usize,
    /// Where it stands: `pending`, `running` once everything before it is over, `waiting` while its request is open, and so on.
    #[schema(value_type = String)]
    status: StepStatus,
    /// What it does, in the words of the playbook's author.
    description: Option<String>,
    /// What must hold for it to be carried out, as its author wrote it.
    condition: Option<String>,
    /// The stable code of its error or reason.
    code: Option<String>,
    /// The same for people.
    message: Option<String>,
    /// How many records came out.
    count: Option<u64>,
    /// How long it took, milliseconds.
    took_ms: u64,
    /// The model that wrote its result: `model_used`, `input_tokens`, `output_tokens`, `turns`, `latency_ms`, and SHA-256 of
    /// prompt and answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ModelUseAnswer>)]
    model: Option<ModelUse>,
    /// The tools that its model asked for: `turn`, `call`, `tool`, `arguments`, `status`, `code`, `message`, `took_ms`, and
    /// the pages of the web that it `found`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<ToolCallAnswer>)]
    tool_calls: Vec<ToolCall>,
    /// The approval it waits for or was signed by.
    approval_id: Option<String>,
    /// How many values, files or pages it could not read as they should be.
    warnings: u64,
}

/// How many warnings of a run are written out.
const MAX_SENTENCES: usize = 50;

impl StepView {
    fn of(
        (name, state): (String, StepState),
        (plan, stages): (Option<&Plan>, &BTreeMap<String, usize>),
        warnings: &[StepWarnings],
    ) -> Self {
        let stage = stages.get(&name).copied().unwrap_or_default();
        let planned = plan.and_then(|plan| plan.step(&name));
        let described = planned.and_then(description);
        let condition = planned.and_then(|step| step.condition.clone());
        let own = warnings.iter().find(|of_step| of_step.step == name);
        let warnings = own.map_or(0, |own| own.count);
        let StepState {
            status, code, message, count, took_ms, model, tool_calls, approval, ..
        } = state;
        let approval_id = approval;
        Self {
            name,
            stage,
            status,
            description: described,
            condition,
            code,
            message,
            count,
            took_ms,
            model,
            tool_calls,
            approval_id,
            warnings,
        }
    }
}

/// What a model has written so far of an answer. Nobody has checked it, and it may be rewritten.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DraftView {
    /// The step.
    step: String,
    /// Which turn of its model; a later one begins anew.
    turn: u32,
    /// When the last part came.
    #[schema(value_type = String)]
    at: Timestamp,
    /// Fields of the answer and their texts, as far as they are written.
    texts: BTreeMap<String, String>,
}

impl From<Draft> for DraftView {
    fn from(Draft { step, turn, at, texts }: Draft) -> Self {
        Self { step, turn, at, texts }
    }
}

/// A run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExecutionView {
    #[serde(flatten)]
    line: ExecutionLine,
    /// Where the run stands, from its events; the same as `status`.
    #[serde(rename = "state")]
    #[schema(value_type = String)]
    status: RunStatus,
    /// Another one as soon as something has happened in the run, for `after`. A vote that decides nothing yet does not count.
    version: String,
    /// Its steps, in the order of the plan.
    steps: Vec<StepView>,
    /// What models are writing at this moment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drafts: Vec<DraftView>,
    /// Its requests for approval, in the order they were opened: `step`, `approval`, `status`, `by`, `at`, `note`, `given`
    /// of `needed`, `waits_for`, and every decision with its note.
    #[schema(value_type = Vec<ApprovalRecordAnswer>)]
    approvals: Vec<ApprovalRecord>,
    /// What its steps could not read: `step`, `count`, the `first` sentences (50 in all; the step's output has more), and
    /// whether a later signature has to know them (`asks`).
    #[schema(value_type = Vec<StepWarningsAnswer>)]
    warnings: Vec<StepWarnings>,
    /// What the caller should know of how the run was started; only in the answer to the start, where that has waited for the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    start_warnings: Vec<FieldError>,
    /// The execution that carries it: 1, 2, …
    attempt: u32,
    /// The seal of its plan.
    seal: Option<String>,
    /// Why it ends early, when it does.
    #[schema(value_type = Option<StopAnswer>)]
    stop: Option<Stop>,
    /// Its inputs as they came.
    inputs: serde_json::Value,
    /// What it gave back, once it is over and was not stopped: `format`, `content` (up to 512 KB), `bytes`, `problems`, `outputs`
    /// (`step`, `destination`, `status`, `details`, `error`, `origin`), `entities`, `new_entities` and `new_relationships`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ResponseAnswer>)]
    response: Option<Response>,
}

impl ExecutionView {
    /// The same with what its start was warned of.
    pub(super) fn started_with(self, start_warnings: Vec<FieldError>) -> Self {
        Self { start_warnings, ..self }
    }
}

/// One run with its steps. With `after` the answer waits until something has happened since that `version`.
#[utoipa::path(
    get, path = "/executions/{id}", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), WaitQuery),
    responses((status = 200, body = ExecutionView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref user), id): Named<RunId>,
    Query(query): Query<WaitQuery>,
) -> JsonOf<ExecutionView> {
    let looked = changed(&ctx, (user, &id), query.wanted()?).await?;
    view(&ctx, looked).await.map(Json)
}

/// All that is shown of a run.
pub(super) async fn view(ctx: &Context, looked: Progress) -> Result<ExecutionView, Problem> {
    let version = Version::from(&looked).to_string();
    let Progress { head, events, drafts } = looked;
    let id = &head.run;
    let (mut state, plan) = placed(ctx, &head, &events).await?;
    let stages = plan.as_ref().map(stage_numbers).unwrap_or_default();
    let planned = (plan.as_ref(), &stages);
    let approvals =
        if state.has_asked(&head) { ctx.recorder.of_run(id).await? } else { Vec::new() };
    name_signers(&mut state, &approvals);
    let warnings = ctx.runs.warnings(&head, MAX_SENTENCES).await?;
    // There is none before the end.
    let response = if state.status.is_final() { ctx.runs.response(id).await? } else { None };
    Ok(ExecutionView {
        line: ExecutionLine::from(&head).with_status(state.status).with_events(ctx),
        version,
        status: state.status,
        drafts: drafts
            .into_iter()
            .filter(|draft| draft.goes_on(&state, now(), longest_step()))
            .map(DraftView::from)
            .collect(),
        steps: state.steps.into_iter().map(|step| StepView::of(step, planned, &warnings)).collect(),
        warnings,
        start_warnings: Vec::new(),
        approvals,
        attempt: head.attempt,
        inputs: ctx.runs.inputs(id).await?,
        seal: head.seal,
        stop: head.stop,
        response,
    })
}

/// Where a run stands, from its events.
pub(super) async fn state(ctx: &Context, head: &Head) -> Result<RunState, Problem> {
    let events = ctx.runs.events(&head.run).await?;
    placed(ctx, head, &events).await.map(|(state, _)| state)
}

/// The same, and the plan once there is one.
async fn placed(
    ctx: &Context,
    head: &Head,
    events: &[Event],
) -> Result<(RunState, Option<Plan>), Problem> {
    let plan = ctx.runs.plan(&head.run).await?.map(|(plan, _)| plan);
    let state = match &plan {
        Some(plan) => countersign_plan::state(plan, head, events),
        None => fold(head, &[], events),
    };
    Ok((state, plan))
}

/// A run of the caller; somebody else's is not there.
pub(super) async fn own(ctx: &Context, owner: &UserId, id: &RunId) -> Result<Head, Problem> {
    found(ctx.runs.owned_head(owner, id).await?)
}
