//! `/approvals/{id}` (F-358).

use countersign_approval::{ApprovalId, LifecycleError, Request};
use countersign_gatekeeper::GateError;
use countersign_store_approvals::Loaded;
use countersign_web::{FieldError, Json, Problem};

use super::approval_decide::refusal;
use super::approval_history::{ExtensionView, StrikeView, VoteView};
use super::approval_seen::may_see;
use super::approval_view::{ApprovalView, Beside};
use super::planned_step::planned;
use super::{JsonOf, Named, Reader, approval_effect, found};
use crate::Context;

/// One request with its preview, what each step behind it sends (`effects`), the digest a decision must carry, the votes by username (`not_counted` says why one of the present version does not count any more), how many approvals were
/// `given` of those `needed`, whom it waits for (`waits_for`), what could not be sent if it were approved now, and why (`send_problems`), and
/// who struck out or brought back what (`strikes`; `prompt_note` says then that the prompt is older) or gave it more time (`extensions`), and which steps of models can be rewritten (`revisable`). `steps` says of each step of the run what it does and under which condition. `asker` says who asks, `agent_profile_id` and `agent` which agent, `queue_status` the
/// status in the words `pending`, `approved`, `rejected`, `expired`.
#[utoipa::path(
    get, path = "/approvals/{id}", tag = "approvals", params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = ApprovalView), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref person), id): Named<ApprovalId>,
) -> JsonOf<ApprovalView> {
    let loaded = found(ctx.approvals.load(&id).await?)?;
    let loaded = found(Some(loaded).filter(|loaded| may_see(&loaded.request, person)))?;
    Ok(Json(shown(&ctx, loaded).await?))
}

/// The request after a change; or why there was none, with the part of the body that is wrong.
pub(super) async fn changed<T>(
    ctx: &Context,
    id: &ApprovalId,
    change: Result<T, GateError>,
) -> JsonOf<ApprovalView> {
    let Err(error) = change else {
        return Ok(Json(shown(ctx, found(ctx.approvals.load(id).await?)?).await?));
    };
    let mut problem = refusal(ctx, &error).await?;
    if let Some(place) = place(&error) {
        problem.errors = vec![place];
    }
    Err(problem)
}

fn place(error: &GateError) -> Option<FieldError> {
    match error {
        GateError::Strike(error) => Some(FieldError::new(error.path()?, error.to_string())),
        GateError::Lifecycle(LifecycleError::DeadlineNotLater) => {
            Some(FieldError::new("deadline", error.to_string()))
        }
        _ => None,
    }
}

/// What the run may send once it is known what became of a call; none of a request that does not ask that.
async fn unsent(ctx: &Context, request: &Request) -> Result<Option<u64>, Problem> {
    let Some(call) = request.outcome.first() else { return Ok(None) };
    let allowing = ctx.approvals.request(&call.approval).await?;
    match allowing.filter(|_| !request.status.is_final()) {
        Some(allowing) => Ok(Some(ctx.runs.unsent_of(&allowing).await?)),
        None => Ok(None),
    }
}

/// A request as its readers see it.
pub(super) async fn shown(ctx: &Context, loaded: Loaded) -> Result<ApprovalView, Problem> {
    let loaded = ctx.recorder.recounted(loaded).await?;
    let record = ctx.recorder.of(&loaded).await?;
    let Loaded { request, votes } = loaded;
    let people = &ctx.recorder;
    let run = ctx.runs.head(&request.position.run).await?;
    let steps = ctx.runs.effects_of(&request).await?;
    let send_problems = approval_effect::send_problems(ctx, &request, &steps, run.as_ref()).await;
    let mut beside = Beside {
        effects: approval_effect::summaries(&request, &steps),
        sent: approval_effect::sent(&request, &steps),
        send_problems,
        unsent: unsent(ctx, &request).await?,
        record,
        votes: Vec::new(),
        strikes: Vec::new(),
        extensions: Vec::new(),
        invoker: ctx.recorder.username(&request.invoker).await?,
        run,
        steps: ctx.runs.plan(&request.position.run).await?.map(|(plan, _)| planned(&plan)),
    };
    for vote in &votes {
        beside.votes.push(VoteView::of(&request, vote, people.username(&vote.person).await?));
    }
    for strike in &request.strikes {
        beside.strikes.push(StrikeView::of(strike, people.username(&strike.by).await?));
    }
    for extension in &request.extensions {
        beside.extensions.push(ExtensionView::of(extension, people.username(&extension.by).await?));
    }
    Ok(ApprovalView::of(request, beside))
}
