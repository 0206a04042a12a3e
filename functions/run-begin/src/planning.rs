//! From the head of a run to its plan: profile, playbook, inputs, checks.

use countersign_plan::{Plan, Request, check, inputs, plan as planned};
use countersign_playbook::{PlaybookSource, ValidPlaybook, World, compile};
use countersign_run::Head;
use serde_json::{Map, Value};

use crate::{BeginError, Context};

/// Makes the plan. The playbook is compiled again with the connectors the profile has bound now (F-159).
pub(crate) async fn plan(context: &Context, head: &Head) -> Result<Plan, BeginError> {
    active_profile(context, head).await?;
    let playbook = playbook(context, head).await?;
    let given = match context.runs.inputs(&head.run).await? {
        Value::Object(given) => given,
        _ => Map::new(),
    };
    let inputs = inputs(&playbook, &given).map_err(BeginError::Inputs)?;
    let request = Request {
        tenant: context.tenant.clone(),
        run: head.run.clone(),
        owner: head.owner.clone(),
        profile: head.profile_id.clone(),
        context: head.context,
        inputs,
    };
    let plan = planned(&playbook, request);
    check(&plan).map_err(BeginError::Refused)?;
    Ok(plan)
}

async fn active_profile(context: &Context, head: &Head) -> Result<(), BeginError> {
    let gone = || BeginError::Profile(head.profile_id.clone());
    let id = head.profile_id.parse().map_err(|_| gone())?;
    let profile = context.catalog.profile(&head.owner, &id).await?.ok_or_else(gone)?;
    if profile.is_active { Ok(()) } else { Err(gone()) }
}

async fn playbook(context: &Context, head: &Head) -> Result<ValidPlaybook, BeginError> {
    let id = head.playbook_id.clone().unwrap_or_default();
    let stored = context
        .catalog
        .playbook(&head.owner, &id)
        .await?
        .ok_or_else(|| BeginError::Playbook(id.clone()))?;
    let endpoints = context.catalog.endpoints(&head.owner, &head.profile_id).await?;
    let world = World::of(&context.registry).with(&endpoints);
    let compiled = compile(&PlaybookSource::new(&id, &stored.yaml), &world);
    let problems: Vec<String> = compiled.errors().map(|error| error.message.clone()).collect();
    compiled.playbook.ok_or(BeginError::Links(problems))
}
