//! `/executions/{id}/calls/{step}`.

use countersign_approval::shown_number;
use countersign_run::{RunId, StepStatus};
use countersign_store_runs::{ItemCall, ItemStatus};
use countersign_web::{Page, PageQuery, Path, Problem};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::execution::own;
use super::found;
use crate::lists::{Asked, PageOf};

/// One call of a step that makes one for each item of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallView {
    /// Its number in the step's list, from 1.
    n: u32,
    /// What the playbook calls the item.
    key: String,
    /// `sending | done | failed | unknown`. Calls that have not begun are not listed.
    #[schema(value_type = String)]
    status: ItemStatus,
    /// The stable code of its error.
    code: Option<String>,
    /// The same for people.
    message: Option<String>,
    /// Method, host and path.
    target: String,
    /// The key it carried: what to look for at the target.
    idempotency_key: String,
    /// The receipt that allowed it.
    receipt: String,
    /// The request that receipt closed.
    approval_id: Option<String>,
    /// The hash of what was sent. Among the effects of the request it tells which one this was.
    leaf: String,
    /// How often it was sent.
    calls: u32,
    /// When it was sent.
    #[schema(value_type = String, format = DateTime)]
    sent_at: Timestamp,
    /// When it answered.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
}

impl CallView {
    /// A call that its invocation never finished is unknown once its step is over.
    fn of(call: ItemCall, is_over: bool) -> Self {
        let lost = is_over && call.status == ItemStatus::Sending;
        Self {
            n: shown_number(call.n),
            key: call.item,
            status: if lost { ItemStatus::Unknown } else { call.status },
            code: call.code,
            message: call.message,
            target: call.sending.target,
            idempotency_key: call.sending.key,
            receipt: call.sending.receipt,
            approval_id: call.sending.approval,
            leaf: call.leaf,
            calls: call.sending.call,
            sent_at: call.at,
            ended_at: call.ended_at,
        }
    }
}

/// The calls of a step over a list that were made or begun, in the order of the list.
#[utoipa::path(
    get, path = "/executions/{id}/calls/{step}", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), ("step" = String, Path, description = "the step's name"), PageQuery),
    responses((status = 200, body = Page<CallView>), (status = 404, description = "NOT_FOUND: also of a step without `for_each`"))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path((id, step)): Path<(RunId, String)>,
) -> PageOf<CallView> {
    let runs = &asked.ctx.runs;
    own(&asked.ctx, &asked.owner, &id).await?;
    let plan = runs.plan(&id).await?.map(|(plan, _)| plan);
    let known = found(plan.as_ref().and_then(|plan| plan.step(&step)))?;
    if known.for_each.is_none() {
        return Err(without_calls(&id, &step));
    }
    let filters = [("run", Some(id.as_str())), ("step", Some(step.as_str()))];
    let paging = asked.paging("calls", &filters).await?;
    let page = runs.items_page(&id, &step, paging.window()).await?;
    let over = runs.outcome(&id, &step).await?.is_some_and(|end| is_over(end.status));
    paging.page(page.map(|call| CallView::of(call, over)))
}

/// The step is there, and makes no list of calls.
fn without_calls(run: &RunId, step: &str) -> Problem {
    let mut problem = Problem::not_found();
    problem.detail =
        format!("the step `{step}` has no `for_each`, so there is no list of its calls");
    problem.with_hint(format!(
        "its result is at `GET /api/agent-factory/executions/{run}/outputs/{step}`"
    ))
}

fn is_over(status: StepStatus) -> bool {
    status.is_final()
}
