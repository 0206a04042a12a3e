//! `/executions/{id}/model-calls`.

use countersign_model_list::Cost;
use countersign_run::{ModelCall, ModelCallStatus, RunId};
use countersign_web::{Page, PageQuery, Path};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::execution::own;
use crate::lists::{Asked, PageOf};

/// One turn with a model of a provider. Neither what it was shown nor what it answered is kept here: the hashes tell whether two
/// turns were the same.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelCallView {
    /// The step.
    step: String,
    /// 1, or 2 for the turn that repairs the first answer.
    turn: u32,
    /// Provider and model.
    model: String,
    /// `asked | answered | failed`. What stays `asked` was never recorded to its end.
    #[schema(value_type = String)]
    status: ModelCallStatus,
    /// The stable code of its error.
    code: Option<String>,
    /// When the model was asked.
    #[schema(value_type = String, format = DateTime)]
    asked_at: Timestamp,
    /// How long it took, with all tries, milliseconds.
    latency_ms: Option<u64>,
    /// How many requests were sent.
    requests: u32,
    /// Tokens of what the model was shown, when the provider says.
    input_tokens: Option<u64>,
    /// Tokens of what it answered, when the provider says.
    output_tokens: Option<u64>,
    /// Tokens that the budgets count.
    counted_tokens: u64,
    /// What they cost, such as `0.0012`, when the price is known.
    counted_cost: Option<String>,
    /// The currency of that.
    currency: Option<String>,
    /// SHA-256 of the messages, as JSON.
    prompt_sha256: String,
    /// SHA-256 of the text of the answer.
    answer_sha256: Option<String>,
}

impl From<ModelCall> for ModelCallView {
    fn from(call: ModelCall) -> Self {
        Self {
            step: call.step,
            turn: call.turn,
            model: call.model,
            status: call.status,
            code: call.code,
            asked_at: call.asked_at,
            latency_ms: call.latency_ms,
            requests: call.requests,
            input_tokens: call.input_tokens,
            output_tokens: call.output_tokens,
            counted_tokens: call.counted_tokens,
            counted_cost: call.counted_cost.as_ref().map(Cost::amount),
            currency: call.counted_cost.map(|cost| cost.currency.into()),
            prompt_sha256: call.prompt_sha256,
            answer_sha256: call.answer_sha256,
        }
    }
}

/// The turns of a run with models of a provider: by step, and of a step by time.
#[utoipa::path(
    get, path = "/executions/{id}/model-calls", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), PageQuery),
    responses((status = 200, body = Page<ModelCallView>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(asked: Asked<PageQuery>, Path(id): Path<RunId>) -> PageOf<ModelCallView> {
    own(&asked.ctx, &asked.owner, &id).await?;
    let paging = asked.paging("model-calls", &[("run", Some(id.as_str()))]).await?;
    let page = asked.ctx.runs.model_calls(&id, paging.window()).await?;
    paging.page(page.map(ModelCallView::from))
}
