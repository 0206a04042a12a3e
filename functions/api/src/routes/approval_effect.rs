//! `/approvals/{id}/effects/{step}/{n}`: one signed request, whole.

use countersign_approval::{ApprovalId, Covered, Request, StepEffects};
use countersign_connector::SendProblem;
use countersign_effect::view::EffectView;
use countersign_effect::{Digest, Effect, effect_leaf, tree};
use countersign_letter::{Shown, Strikes, amounts};
use countersign_run::Head;
use countersign_web::Json;
use schemars::JsonSchema;
use serde::Serialize;

use super::approval_seen::seen_by;
use super::{JsonOf, Named, Reader, found};
use crate::Context;
use crate::documented::documented;

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
    responses((status = 200, body = EffectDetail), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref person), (id, step, n)): Named<(ApprovalId, String, u32)>,
) -> JsonOf<EffectDetail> {
    let request = seen_by(&ctx, &id, person).await?;
    let steps = ctx.runs.effects_of(&request).await?;
    let of_step = found(steps.iter().find(|effects| effects.step == step))?;
    let at = found(usize::try_from(n).ok().and_then(|n| n.checked_sub(1)))?;
    let text = found(of_step.texts.get(at))?;
    let covered = request.covers.iter().find(|covered| covered.step == of_step.step);
    Ok(Json(EffectDetail {
        n: at + 1,
        leaf: effect_leaf(text),
        sends: view_of(text),
        step: of_step.step.clone(),
        action: of_step.action.clone(),
        count: of_step.texts.len(),
        text: text.clone(),
        struck: covered.is_some_and(|covered| covered.is_struck(at)),
        path: covered.and_then(|covered| covered.path(of_step, at)),
    }))
}

/// One of the requests that a signature allows, whole.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalEffect")]
pub(crate) struct EffectDetail {
    /// Which effect of the step, from 1.
    n: usize,
    /// The hash of its canonical text.
    leaf: Digest,
    /// What people see of it; null when the text is of a version that is not known any more.
    sends: Option<EffectView>,
    step: String,
    /// The action that the step calls.
    action: String,
    /// How many effects the step has.
    count: usize,
    /// The canonical text.
    text: String,
    /// Whether it was struck out.
    struck: bool,
    /// The way from the hash to the root that the digest covers; null when it was struck out.
    path: Option<tree::Path>,
}

documented!(EffectDetail);

/// What one step behind a gate is going to send.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalStep")]
pub(crate) struct StepSummary {
    #[serde(flatten)]
    covered: Covered,
    /// How many effects are not struck out.
    left: u64,
    /// How many effects are not in `items`: those have addresses of their own.
    left_out: usize,
    /// The first effects; of all steps together fifty.
    items: Vec<EffectLine>,
    /// What the effects that are not struck out amount to.
    amounts: Vec<Amount>,
}

/// One of the requests that a signature allows.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalEffectLine")]
struct EffectLine {
    /// Which effect of the step, from 1.
    n: usize,
    /// The hash of its canonical text.
    leaf: Digest,
    /// What people see of it; null when the text is of a version that is not known any more.
    sends: Option<EffectView>,
    /// Whether it was struck out.
    struck: bool,
}

/// A sum of money in the effects of a step.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalAmount")]
struct Amount {
    /// What is added up.
    label: String,
    /// The sum as it is written for people, with its currency.
    sum: String,
    /// Of how many effects.
    of: usize,
}

/// What a request shows of its effects: the first fifty whole, and where the others are.
pub(super) fn summaries(request: &Request, steps: &[StepEffects]) -> Vec<StepSummary> {
    let mut left = MAX_SHOWN;
    let mut summaries = Vec::new();
    for (covered, step) in request.covers.iter().zip(steps) {
        let shown = step.texts.iter().take(left).enumerate();
        let items: Vec<EffectLine> =
            shown.map(|(at, text)| EffectLine::of(covered, at, text)).collect();
        left -= items.len();
        summaries.push(StepSummary {
            left: covered.left(),
            left_out: step.texts.len() - items.len(),
            items,
            amounts: amounts_of(request, covered, &step.texts),
            covered: covered.clone(),
        });
    }
    summaries
}

/// Why calls of an open request would not be sent as they are shown, as the agent of its run calls connectors now.
pub(super) async fn send_problems(
    ctx: &Context,
    request: &Request,
    steps: &[StepEffects],
    run: Option<&Head>,
) -> Vec<SendProblem> {
    let Some(run) = run else { return Vec::new() };
    let read = |of: &StepEffects| Some((of.step.clone(), Effect::parse(of.texts.first()?).ok()?));
    let first: Vec<(String, Effect)> = steps.iter().filter_map(read).collect();
    let first: Vec<(&str, &Effect)> =
        first.iter().map(|(step, effect)| (step.as_str(), effect)).collect();
    countersign_gatekeeper::send_problems(&ctx.catalog, request, &run.profile_id, &first).await
}

/// What the requests that are left amount to, as the page shows it.
fn amounts_of(request: &Request, covered: &Covered, texts: &[String]) -> Vec<Amount> {
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
    let one = |(label, sum, of): (Shown, String, usize)| Amount { label: label.plain(), sum, of };
    all.into_iter().map(one).collect()
}

/// What a call sent whose outcome is asked for.
pub(super) struct SentCall {
    /// The address at which all of it is.
    pub(super) effect: String,
    /// What people see of it; `null` from the fifty-first on.
    pub(super) sends: Option<EffectView>,
}

/// What each call sent whose outcome is asked for, in their order.
pub(super) fn sent(request: &Request, steps: &[StepEffects]) -> Vec<SentCall> {
    if request.outcome.is_empty() {
        return Vec::new();
    }
    let addresses = steps.iter().flat_map(|step| {
        let address = format!("/approvals/{}/effects/{}", request.id, step.step);
        (1..=step.texts.len()).map(move |n| format!("{address}/{n}"))
    });
    let texts = steps.iter().flat_map(|step| &step.texts);
    let shown = |at: usize, text: &str| (at < MAX_SHOWN).then(|| view_of(text)).flatten();
    let calls = addresses.zip(texts).enumerate();
    calls.map(|(at, (effect, text))| SentCall { effect, sends: shown(at, text) }).collect()
}

impl EffectLine {
    fn of(covered: &Covered, at: usize, text: &str) -> Self {
        let (leaf, sends) = (effect_leaf(text), view_of(text));
        Self { n: at + 1, leaf, sends, struck: covered.is_struck(at) }
    }
}

fn view_of(text: &str) -> Option<EffectView> {
    Effect::parse(text).map(|effect| EffectView::of(&effect)).ok()
}
