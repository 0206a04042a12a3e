//! The question what became of calls: what was sent, and who decides, are those of the request that allowed sending.

use countersign_approval::{
    Digest, OnReject, Opening, Position, Preview, Request, StepEffects, UnknownCall,
};
use countersign_connector::{ConnectorId, ConnectorSource as _};
use countersign_effect::{Effect, effect_leaf};
use countersign_identity::UserId;
use countersign_step_entry::{GateAsk, StepError};
use countersign_store_approvals::Loaded;
use countersign_store_content::CHANGE_KEPT_HOURS;
use jiff::Timestamp;

use crate::members;
use crate::opening::{asked_by, effects_at, floor, layout, picture, tenant, timing, title};
use crate::signers::escalated;
use crate::{Context, OpenGateError};

/// A call, what it sent, and the sentence that tells of it.
struct Call {
    unknown: UnknownCall,
    text: String,
    action: String,
    sentence: String,
}

/// Everything the question is opened with.
pub(crate) async fn opening(
    context: &Context,
    asked: &GateAsk,
    now: Timestamp,
) -> Result<Opening, OpenGateError> {
    let mut calls = Vec::new();
    let mut allowed: Option<Request> = None;
    for unknown in &asked.subject.outcome {
        let loaded = allowing(context, asked, unknown).await?;
        calls.push(call(context, asked, unknown, &loaded).await?);
        allowed.get_or_insert(loaded.request);
    }
    let (Some(allowed), Some(action)) = (allowed, calls.first().map(|call| call.action.clone()))
    else {
        return Err(StepError::UnknownStep(asked.step.name.clone()).into());
    };
    let texts = calls.iter().map(|call| call.text.clone()).collect();
    let effects = vec![StepEffects { step: asked.step.name.clone(), action, texts }];
    let mut subject = asked.subject.clone();
    subject.outcome = calls.iter().map(|call| call.unknown.clone()).collect();
    let effects_at = effects_at(context, asked, &effects).await?;
    subject.effects = effects;
    let head = &asked.head;
    Ok(Opening {
        tenant: tenant(context),
        position: Position { round: asked.round, ..Position::of_step(&head.run, &asked.step.name) },
        context: head.context,
        subject,
        irreversible: true,
        owner: head.owner.clone(),
        invoker: head.invoked_by.clone(),
        asked_by: asked_by(context, head).await?,
        title: title(asked),
        prompt: prompt(&calls),
        preview: Preview::of(&serde_json::Value::Null, 0).map_err(unopened)?,
        layout: layout(asked),
        effects_at,
        remarks: asked
            .remarks
            .iter()
            .cloned()
            .chain(members::remark(context, head).await?)
            .collect(),
        plan_picture: picture(asked),
        cost_bound: None,
        policy: allowed.policy,
        floor: floor(context).await?,
        requirement: allowed.requirement,
        topic: allowed.topic,
        timing: timing(asked.gate.as_ref(), escalated(context, asked).await?, now),
        // A refusal leaves the outcome unknown; then the run ends as it does when the step fails.
        on_reject: OnReject::Stop,
        revisable: Vec::new(),
        salt: Digest::from_bytes(rand::random()),
        requesters: allowed.requesters,
    })
}

fn unopened(error: countersign_approval::SubjectError) -> OpenGateError {
    OpenGateError::Gate(countersign_approval::OpenError::from(error).into())
}

/// The request that allowed sending.
async fn allowing(
    context: &Context,
    asked: &GateAsk,
    call: &UnknownCall,
) -> Result<Loaded, OpenGateError> {
    let loaded = context.approvals.load(&call.approval).await.map_err(StepError::from)?;
    let loaded = loaded.filter(|loaded| loaded.request.position.run == asked.head.run);
    loaded.ok_or_else(|| unaskable(asked, call))
}

fn unaskable(asked: &GateAsk, call: &UnknownCall) -> OpenGateError {
    OpenGateError::Unaskable { step: asked.step.name.clone(), approval: call.approval.clone() }
}

async fn call(
    context: &Context,
    asked: &GateAsk,
    unknown: &UnknownCall,
    loaded: &Loaded,
) -> Result<Call, OpenGateError> {
    let kept = context.steps.runs.effects_of(&loaded.request).await.map_err(StepError::from)?;
    let mut of_step = kept.into_iter().filter(|effects| effects.step == asked.step.name);
    let sent = of_step.find_map(|effects| {
        let text = effects.texts.into_iter().find(|text| effect_leaf(text) == unknown.leaf)?;
        Some((text, effects.action))
    });
    let (text, action) = sent.ok_or_else(|| unaskable(asked, unknown))?;
    let key_hours = key_hours(context, &asked.head.owner, &text).await?;
    let unknown = UnknownCall { key_hours, ..unknown.clone() };
    let record = context.recorder.of(loaded).await?;
    let senders: Vec<&str> = record.senders().collect();
    let sentence = unknown.sent().sentence(&asked.step.name, &senders);
    Ok(Call { unknown, text, action, sentence })
}

/// For how long the service remembers a key, as the connector of what was sent says today.
async fn key_hours(
    context: &Context,
    owner: &UserId,
    text: &str,
) -> Result<Option<u32>, OpenGateError> {
    let effect = match Effect::parse(text) {
        Ok(Effect::Http(effect)) => effect,
        // Documents remember it themselves.
        Ok(Effect::File(_)) => return Ok(Some(CHANGE_KEPT_HOURS)),
        Err(_) => return Ok(None),
    };
    let Ok(id) = ConnectorId::parse(&effect.via.connector) else { return Ok(None) };
    let stored = context.catalog.definition(owner, &id).await.map_err(OpenGateError::Connector)?;
    let connection = stored.map(|stored| stored.trusted(None).connection);
    Ok(connection.and_then(|connection| connection.idempotency()?.hours))
}

/// Sentences in a question; the calls themselves are all in the request.
const MAX_TOLD: usize = 20;

fn prompt(calls: &[Call]) -> String {
    let mut lines: Vec<String> =
        calls.iter().take(MAX_TOLD).map(|call| call.sentence.clone()).collect();
    if calls.len() > MAX_TOLD {
        lines.push(format!("And {} more calls.", calls.len() - MAX_TOLD));
    }
    lines.join("\n")
}
