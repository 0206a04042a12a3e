//! From what a gate asks to a request for approval.

use countersign_approval::{
    Assurance, Column, Digest, Floor, Format, Kind, Layout, OnReject, OpenError, Opening, Policy,
    Position, Preview, StepEffects, SubjectError, Tenant, Timing, Waiting, requester_may_decide,
};
use countersign_effect::EffectError;
use countersign_identity::UserId;
use countersign_plan::{self as plan, StepKind};
use countersign_run::{AskedBy, Head};
use countersign_step_entry::GateAsk;
use countersign_store_directory::Setting;
use countersign_store_runs::{MAX_EFFECTS_BYTES, effects_bytes};
use jiff::Timestamp;

use crate::changed::changed_since;
use crate::members;
use crate::revise;
use crate::signers::{People, escalated, people};
use crate::{Context, OpenGateError};

/// Everything the request is opened with.
pub(crate) async fn opening(
    context: &Context,
    asked: &GateAsk,
    now: Timestamp,
) -> Result<Opening, OpenGateError> {
    let mut people = people(context, asked).await?;
    let before = revise::before(context, asked).await?;
    let head = &asked.head;
    let kind = asked.subject.kind;
    let irreversible = asked.irreversible;
    let floor = floor(context).await?;
    let effects_at = effects_at(context, asked, &asked.subject.effects).await?;
    let mut remarks = asked.remarks.clone();
    remarks.extend(raised(asked, &floor));
    remarks.extend(changed_since(context, asked).await?);
    if let Some(before) = &before {
        remarks.extend(before.remarks(context, asked).await?);
        people.approvers = before.approvers(context, asked, people.approvers).await?;
        people.requesters.extend(before.requesters(&floor));
    }
    remarks.extend(members::remark(context, head).await?);
    let policy = policy(asked, &people, kind, irreversible);
    let revisable = revise::revisable(context, asked, &policy, &floor, &people.requesters).await?;
    Ok(Opening {
        tenant: tenant(context),
        position: Position { round: asked.round, ..Position::of_step(&head.run, &asked.step.name) },
        context: head.context,
        subject: asked.subject.clone(),
        irreversible,
        owner: head.owner.clone(),
        invoker: head.invoked_by.clone(),
        asked_by: asked_by(context, head).await?,
        title: title(asked),
        prompt: asked.prompt.clone(),
        preview: preview(asked)?,
        layout: layout(asked),
        effects_at,
        remarks,
        plan_picture: picture(asked),
        cost_bound: None,
        policy,
        floor,
        requirement: Some(asked.requirement.clone()),
        topic: None,
        timing: timing(asked.gate.as_ref(), escalated(context, asked).await?, now),
        on_reject: on_reject(asked),
        revisable,
        salt: Digest::from_bytes(rand::random()),
        requesters: people.requesters,
    })
}

/// What asked for the run, when that is no person.
pub(crate) async fn asked_by(
    context: &Context,
    head: &Head,
) -> Result<Option<AskedBy>, OpenGateError> {
    let occurrence = context.catalog.occurrence_of(head).await?;
    Ok(occurrence.as_ref().map(|of| AskedBy::of(of).for_run(head)))
}

pub(crate) fn tenant(context: &Context) -> Tenant {
    context.steps.tenant.clone()
}

pub(crate) fn title(asked: &GateAsk) -> String {
    let what = asked.head.playbook_name.as_deref().unwrap_or(&asked.head.profile_name);
    format!("{what}: {}", asked.step.name)
}

fn preview(asked: &GateAsk) -> Result<Preview, OpenGateError> {
    let gate = asked.gate.as_ref();
    let limit = gate.map_or(0, |gate| gate.preview_limit);
    let preview = Preview::of(&asked.preview, limit)
        .map_err(|error| OpenGateError::Gate(OpenError::from(error).into()))?;
    // The reference is canonical: its first part is the step's name, unless the value is put together of several results.
    let reference = gate.and_then(|gate| gate.preview_from.as_deref());
    let root = reference.and_then(|reference| reference.split(['.', '[']).next());
    let is_step = |root: &&str| asked.stages.iter().flatten().any(|(step, _)| step == root);
    let is_own = |root: &&str| *root == asked.step.name;
    Ok(match root.filter(is_step).filter(|root| !is_own(root)) {
        Some(step) => preview.from_step(step),
        None => preview,
    })
}

/// How the gate's author lays out rows and requests. A step that asks for itself is laid out as its gate would have.
pub(crate) fn layout(asked: &GateAsk) -> Layout {
    let columns = asked.gate.as_ref().map(|gate| gate.preview_columns.as_slice());
    Layout { columns: columns.unwrap_or_default().iter().map(column).collect() }
}

fn column(column: &plan::PreviewColumn) -> Column {
    Column {
        field: column.field.clone(),
        label: column.label.clone(),
        format: match column.format {
            plan::ColumnFormat::Text => Format::Text,
            plan::ColumnFormat::Number => Format::Number,
            plan::ColumnFormat::Money => Format::Money,
            plan::ColumnFormat::Date => Format::Date,
            plan::ColumnFormat::Percent => Format::Percent,
        },
        currency: column.currency.clone(),
    }
}

/// Where the texts of the effects are kept, when they are too large for the request.
pub(crate) async fn effects_at(
    context: &Context,
    asked: &GateAsk,
    effects: &[StepEffects],
) -> Result<Option<String>, OpenGateError> {
    let bytes = effects_bytes(effects);
    if bytes > MAX_EFFECTS_BYTES {
        let too_large = EffectError::TooLarge { bytes, limit: MAX_EFFECTS_BYTES };
        return Err(OpenGateError::Gate(OpenError::from(SubjectError::from(too_large)).into()));
    }
    let kept = context.steps.runs.keep_effects(&asked.head.run, &asked.step.name, effects).await;
    kept.map_err(|error| OpenGateError::Step(error.into()))
}

/// What is said when the gate asked for less proof than such effects, or the deployment, take.
fn raised(asked: &GateAsk, floor: &Floor) -> Option<String> {
    let wanted = assurance(asked.gate.as_ref()?.assurance.as_deref())?;
    let least = Assurance::default_for(asked.irreversible);
    let held_to = least.max(floor.least_assurance(asked.irreversible));
    (wanted < held_to).then(|| {
        format!(
            "The playbook asks for `{}`. What is signed here takes at least `{}`.",
            wanted.as_str(),
            held_to.as_str()
        )
    })
}

/// One line per stage, the asking one marked.
pub(crate) fn picture(asked: &GateAsk) -> String {
    let line = |stage: &Vec<(String, StepKind)>| {
        let names: Vec<&str> = stage.iter().map(|(name, _)| name.as_str()).collect();
        let mark = if names.contains(&asked.step.name.as_str()) { "▸" } else { "·" };
        format!("{mark} {}", names.join(" | "))
    };
    asked.stages.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn policy(asked: &GateAsk, people: &People, kind: Kind, irreversible: bool) -> Policy {
    let policy = Policy::one_of(people.approvers.clone(), irreversible);
    let gate = asked.gate.as_ref();
    Policy {
        quorum: gate.map_or(1, |gate| gate.quorum),
        assurance: gate
            .and_then(|gate| assurance(gate.assurance.as_deref()))
            .unwrap_or(policy.assurance),
        requester_may_decide: requester_may_decide(kind, asked.head.context),
        ..policy
    }
}

fn assurance(word: Option<&str>) -> Option<Assurance> {
    word?.parse().ok()
}

/// The floor an administrator set; none means no floor.
pub(crate) async fn floor(context: &Context) -> Result<Floor, OpenGateError> {
    match context.directory.setting(Setting::ApprovalFloor).await? {
        Some(floor) => serde_json::from_str(&floor.json)
            .map_err(|error| OpenGateError::Floor(error.to_string())),
        None => Ok(Floor::default()),
    }
}

/// What the gate says; else a week, because every request is mailed (K-16). The two minutes of [`Waiting::Interactive`] need
/// a session that shows the request, and nothing says yet that there is one: that a run is interactive does not.
pub(crate) fn timing(gate: Option<&plan::Gate>, escalated: Vec<UserId>, now: Timestamp) -> Timing {
    let timing = Timing::starting(now, gate.and_then(|gate| gate.timeout_minutes), Waiting::Mail);
    let after = gate.and_then(|gate| gate.escalation.as_ref()?.after_minutes);
    timing.escalating(now, after, escalated)
}

fn on_reject(asked: &GateAsk) -> OnReject {
    match asked.gate.as_ref().map(|gate| gate.on_reject) {
        Some(plan::OnReject::Skip) => OnReject::Skip,
        _ => OnReject::Stop,
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use serde_json::json;

    use super::*;

    fn check(minutes: Option<u32>, expect: SignedDuration) {
        let gate = json!({
            "prompt": "Go on?", "preview_limit": 10, "timeout_minutes": minutes, "on_reject": "stop", "quorum": 1,
        });
        let (gate, now) = (serde_json::from_value(gate).unwrap(), Timestamp::UNIX_EPOCH);
        assert_eq!(
            timing(Some(&gate), Vec::new(), now).deadline.duration_since(now),
            expect,
            "{minutes:?}"
        );
    }

    #[test]
    fn k_16_a_mailed_gate_waits_a_week_unless_it_says_otherwise_by_hand() {
        check(None, SignedDuration::from_hours(7 * 24));
        check(Some(1440), SignedDuration::from_hours(24));
        check(Some(2), SignedDuration::from_mins(2));
        let now = Timestamp::UNIX_EPOCH;
        let own = timing(None, Vec::new(), now).deadline.duration_since(now);
        assert_eq!(own, SignedDuration::from_hours(7 * 24), "a step's own request");
    }
}
