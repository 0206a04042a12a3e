//! `/approvals/{id}/effects/{step}/{n}`: one signed request, whole.

use axum::extract::State;
use countersign_approval::{ApprovalId, Covered, Request};
use countersign_effect::view::EffectView;
use countersign_effect::{Effect, effect_leaf};
use countersign_letter::{Shown, Strikes, amounts};
use countersign_web::{Json, Path, Problem};
use serde_json::{Value, json};

use super::approval::seen_by;
use super::{Ctx, JsonOf, Reader, found};
use crate::Context;

/// Effects that a request is shown with; of more, the rest have addresses of their own.
const MAX_SHOWN: usize = 50;

/// One request that a signature allows: what people see of it, its canonical text, its hash, and the path from there to
/// the root that the digest covers; one that was struck out (`struck`) has none. `n` counts from 1.
#[utoipa::path(
    get, path = "/approvals/{id}/effects/{step}/{n}", tag = "approvals",
    params(
        ("id" = String, Path, description = "`appr_…`"),
        ("step" = String, Path, description = "the step's name"),
        ("n" = u32, Path, description = "which of its effects, from 1", minimum = 1)
    ),
    responses((status = 200, body = Value), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref person): Reader,
    Path((id, step, n)): Path<(ApprovalId, String, u32)>,
) -> JsonOf<Value> {
    let request = seen_by(&ctx, &id, person).await?;
    let steps = ctx.runs.effects_of(&request).await?;
    let of_step = found(steps.iter().find(|effects| effects.step == step))?;
    let at = found(usize::try_from(n).ok().and_then(|n| n.checked_sub(1)))?;
    let text = found(of_step.texts.get(at))?;
    let mut shown = shown(at, text);
    shown["step"] = json!(of_step.step);
    shown["action"] = json!(of_step.action);
    shown["count"] = json!(of_step.texts.len());
    shown["text"] = json!(text);
    let covered = request.covers.iter().find(|covered| covered.step == of_step.step);
    shown["struck"] = json!(covered.is_some_and(|covered| covered.is_struck(at)));
    shown["path"] = json!(covered.and_then(|covered| covered.path(of_step, at)));
    Ok(Json(shown))
}

/// What a request shows of its effects: the first fifty whole, and where the others are.
pub(super) async fn summaries(ctx: &Context, request: &Request) -> Result<Value, Problem> {
    let steps = ctx.runs.effects_of(request).await?;
    let mut left = MAX_SHOWN;
    let mut summaries = Vec::new();
    for (covered, step) in request.covers.iter().zip(&steps) {
        let shown: Vec<Value> = step
            .texts
            .iter()
            .take(left)
            .enumerate()
            .map(|(at, text)| listed(covered, at, text))
            .collect();
        left -= shown.len();
        let mut summary = json!(covered);
        summary["left"] = json!(covered.left());
        summary["left_out"] = json!(step.texts.len() - shown.len());
        summary["items"] = shown.into();
        summary["amounts"] = amounts_of(request, covered, &step.texts);
        summaries.push(summary);
    }
    Ok(summaries.into())
}

/// What the requests that are left amount to, as the page shows it.
fn amounts_of(request: &Request, covered: &Covered, texts: &[String]) -> Value {
    let views: Vec<EffectView> =
        texts.iter().flat_map(|text| Effect::parse(text)).map(|of| EffectView::of(&of)).collect();
    let mut strikes = Strikes::default();
    let struck = (0..texts.len()).filter(|at| covered.is_struck(*at));
    strikes.by.extend(struck.map(|at| (at as u64 + 1, Shown::default())));
    let all = if views.len() == texts.len() {
        amounts(&views, &request.layout, &strikes)
    } else {
        Vec::new()
    };
    let one = |(label, sum, of): (Shown, String, usize)| json!({ "label": label.plain(), "sum": sum, "of": of });
    all.into_iter().map(one).collect()
}

/// What a call sent whose outcome is asked for.
pub(super) struct SentCall {
    /// The address at which all of it is.
    pub(super) effect: String,
    /// What people see of it; `null` from the fifty-first on.
    pub(super) sends: Value,
}

/// What each call sent whose outcome is asked for, in their order.
pub(super) async fn sent(ctx: &Context, request: &Request) -> Result<Vec<SentCall>, Problem> {
    if request.outcome.is_empty() {
        return Ok(Vec::new());
    }
    let steps = ctx.runs.effects_of(request).await?;
    let addresses = steps.iter().flat_map(|step| {
        let address = format!("/approvals/{}/effects/{}", request.id, step.step);
        (1..=step.texts.len()).map(move |n| format!("{address}/{n}"))
    });
    let texts = steps.iter().flat_map(|step| &step.texts);
    let shown = |at: usize, text: &str| (at < MAX_SHOWN).then(|| view_of(text));
    let calls = addresses.zip(texts).enumerate();
    let calls =
        calls.map(|(at, (effect, text))| SentCall { effect, sends: json!(shown(at, text)) });
    Ok(calls.collect())
}

fn listed(covered: &Covered, at: usize, text: &str) -> Value {
    let mut shown = shown(at, text);
    shown["struck"] = json!(covered.is_struck(at));
    shown
}

fn shown(at: usize, text: &str) -> Value {
    json!({ "n": at + 1, "leaf": effect_leaf(text), "sends": view_of(text) })
}

fn view_of(text: &str) -> Option<EffectView> {
    Effect::parse(text).map(|effect| EffectView::of(&effect)).ok()
}
