//! From the head of a run to its plan: profile, playbook, inputs, checks.

use std::collections::BTreeMap;

use countersign_channel::{ENDPOINT, choose};
use countersign_plan::{DryRunContext, Plan, Request, check, detected, inputs, plan as planned};
use countersign_playbook::{Bindings, CompileContext, PlaybookSource, ValidPlaybook, compile};
use countersign_profile::Profile;
use countersign_registry::action::ReadAhead;
use countersign_registry::actions::send_channel_message::Channel;
use countersign_registry::{ModelChoice, Registry, SEND_CHANNEL_MESSAGE};
use countersign_run::{DryRun, Head};
use serde_json::{Map, Value};

use crate::{BeginError, Context};

/// Makes the plan. The playbook is compiled again with the connectors the profile has bound now (F-159).
pub(crate) async fn plan(context: &Context, head: &Head) -> Result<Plan, BeginError> {
    let profile = profile(context, head).await?;
    let (playbook, endpoints, reads) = playbook(context, head).await?;
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
    let mut plan = planned(&playbook, request);
    plan.give_endpoints(&endpoints);
    if head.dry_run != Some(DryRun::Samples) {
        choose_channels(&mut plan, &endpoints)?;
    }
    choose_model(
        &context.registry,
        &mut plan,
        profile.and_then(|profile| profile.spec.model_choice()).as_ref(),
    );
    rehearse(context, head, &endpoints, &mut plan).await?;
    if head.from_monitor.is_some() {
        let found = context.runs.samples(&head.run).await?;
        detected(&mut plan, &found).map_err(BeginError::DetectionMismatch)?;
    }
    if head.dry_run.is_none() {
        read_ahead(&mut plan, &reads);
    }
    check(&plan).map_err(BeginError::Refused)?;
    // The playbook may have been saved again since the run was started.
    let unrecognised = context.runs.unrecognised(&plan, &head.repeats).await?;
    if unrecognised.is_empty() { Ok(plan) } else { Err(BeginError::Repeat(unrecognised)) }
}

/// The agent of the run. A test may have none, or one that is switched off.
async fn profile(context: &Context, head: &Head) -> Result<Option<Profile>, BeginError> {
    let found = context.catalog.profile_named(&head.owner, &head.profile_id).await?;
    let is_active = found.as_ref().is_some_and(|profile| profile.is_active);
    if is_active || head.dry_run.is_some() {
        return Ok(found);
    }
    Err(BeginError::Profile(head.profile_id.clone()))
}

/// The steps of a model that name none ask the one that the agent chose.
fn choose_model(registry: &Registry, plan: &mut Plan, choice: Option<&ModelChoice>) {
    let asks = |action: &str| registry.get(action).is_some_and(|contract| contract.uses_llm);
    for step in plan.steps.iter_mut().filter(|step| asks(&step.action) && step.model.is_none()) {
        step.model = choice.cloned();
    }
}

/// The plan says through which of the agent's channels each message goes: what is signed is never looked for later.
fn choose_channels(plan: &mut Plan, endpoints: &Bindings) -> Result<(), BeginError> {
    let has = |channel: &Channel| endpoints.endpoint(channel.as_str(), ENDPOINT).is_some();
    let has: Vec<Channel> = Channel::ALL.into_iter().filter(has).collect();
    for step in plan.steps.iter_mut().filter(|step| step.action == SEND_CHANNEL_MESSAGE) {
        let word = step.params.get("channel").and_then(Value::as_str);
        let named = word.and_then(Channel::named);
        // What a variable fills in is known when the step is prepared, and has to be a name.
        if named.is_none() && word.is_some_and(|word| word != Channel::Default.as_str()) {
            continue;
        }
        let channel = choose(named.unwrap_or_default(), &has);
        let channel =
            channel.map_err(|cause| BeginError::Channel { step: step.name.clone(), cause })?;
        step.params.insert("channel".to_owned(), channel.as_str().into());
    }
    Ok(())
}

/// Notes what the calls that cannot be taken back read beside connector and binding.
fn read_ahead(plan: &mut Plan, reads: &Reads) {
    for step in plan.steps.iter_mut().filter(|step| step.irreversible) {
        let place = if step.action == SEND_CHANNEL_MESSAGE { "channel" } else { "connector" };
        let connector = step.params.get(place).and_then(Value::as_str);
        step.ahead = connector.and_then(|connector| reads.get(connector).cloned());
    }
}

/// By connector, what a call of it reads beside connector and binding.
type Reads = BTreeMap<String, ReadAhead>;

/// The playbook, the endpoints its calls can go to, and what they read.
async fn playbook(
    context: &Context,
    head: &Head,
) -> Result<(ValidPlaybook, Bindings, Reads), BeginError> {
    let (id, yaml) = yaml(context, head).await?;
    let world = CompileContext::of(&context.registry);
    let source = PlaybookSource::new(&id, &yaml);
    // A test with samples asks no data source: what a connector would answer is all that has to be known of it. A replay is of an
    // agent, with what is bound to it.
    let is_alone = head.dry_run == Some(DryRun::Samples) && head.replays.is_none();
    let (compiled, endpoints, reads) = if is_alone {
        let compiled = compile(&source, &world);
        let named = compiled.playbook.iter().flat_map(ValidPlaybook::connectors).collect();
        let endpoints = context.catalog.endpoints_of(&head.owner, &named).await?;
        (compiled, endpoints, Reads::new())
    } else {
        let (endpoints, reads) =
            context.catalog.endpoints_ahead(&head.owner, &head.profile_id).await?;
        (compile(&source, &world.with(&endpoints)), endpoints, reads)
    };
    let problems: Vec<String> = compiled.errors().map(|error| error.message.clone()).collect();
    Ok((compiled.playbook.ok_or(BeginError::Links(problems))?, endpoints, reads))
}

/// The playbook of the run and its id: the stored one, or the one that was made for it.
async fn yaml(context: &Context, head: &Head) -> Result<(String, String), BeginError> {
    let Some(id) = head.playbook_id.clone() else {
        let made = context.runs.made_playbook(&head.run).await?;
        let made = made.ok_or_else(|| BeginError::Playbook(String::new()))?;
        return Ok(("question".to_owned(), made));
    };
    let stored = context.catalog.playbooks().get(&head.owner, &id).await?;
    let stored = stored.ok_or_else(|| BeginError::Playbook(id.clone()))?;
    Ok((id, stored.yaml))
}

/// Makes the plan of a test one without effects.
async fn rehearse(
    context: &Context,
    head: &Head,
    endpoints: &Bindings,
    plan: &mut Plan,
) -> Result<(), BeginError> {
    let Some(mode) = head.dry_run else { return Ok(()) };
    let samples = context.runs.samples(&head.run).await?;
    let rehearsal =
        DryRunContext { mode, registry: &context.registry, endpoints, samples: &samples };
    rehearsal.apply(plan).map_err(BeginError::Samples)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_calls_that_cannot_be_taken_back_say_what_to_read_ahead() {
        let step = |name: &str, irreversible: bool, connector: &str| {
            json!({
                "name": name, "kind": "tool", "action": "call_connector", "on_error": "stop", "after": [],
                "irreversible": irreversible, "params": { "connector": connector, "endpoint": "pay" },
            })
        };
        let mut plan: Plan = serde_json::from_value(json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "2".repeat(32)), "profile": "prof_1", "context": "background",
            "playbook": { "id": "p", "version": "1.0.0", "digest": "" }, "inputs": {},
            "steps": [step("look", false, "bank"), step("pay", true, "bank"), step("tell", true, "gone")],
        }))
        .unwrap();
        let bank = ReadAhead { credential: Some("cred_1".to_owned()), source: None };
        read_ahead(&mut plan, &Reads::from([("bank".to_owned(), bank.clone())]));
        let found: Vec<_> = plan.steps.iter().map(|step| step.ahead.clone()).collect();
        assert_eq!(found, [None, Some(bank), None]);
    }
}
