//! Starting a test that replays a run: the same agent, question and inputs, with what was asked and read then.

use countersign_plan::{Plan, PlanStep};
use countersign_question::LEARN_STEP;
use countersign_registry::Action as _;
use countersign_registry::actions::extract_facts::ExtractFacts;
use countersign_run::{DryRun, GatePolicy, Head, Replayed, RunId};
use countersign_store_runs::Asked;
use countersign_web::{FieldError, Problem};
use serde_json::json;

use crate::asking::Asking;
use crate::repeat::{Followed, agent_of, followed};
use crate::start::{self, Started};
use crate::{Invoker, Starter, repeating, run_context, run_mode};

/// Starts it. The agent and its playbook are as they are now, which is what a replay is for.
///
/// # Errors
/// A [`Problem`] that says why nothing was started.
pub async fn replay(
    ctx: Starter<'_>,
    invoker: &Invoker,
    of: &Head,
    run: RunId,
) -> Result<Started, Problem> {
    can_be_replayed(of)?;
    let owner = &invoker.user;
    let profile = agent_of(ctx, owner, of).await?;
    let Followed { playbook, made, inputs, .. } = followed(ctx, owner, &profile, of).await?;
    let endpoints = ctx.catalog.endpoints(owner, profile.id.as_str()).await?;
    let (linked, _) = start::check_links(ctx, &playbook, &endpoints)?;
    let asking = Asking {
        profile: Some(&profile),
        query: &of.query,
        context: run_context::by_hand(&profile, &playbook.playbook, None)?,
        occurrence: None,
        approval_policy: GatePolicy::Require,
        mode: run_mode::again(&playbook.playbook, of.execution_mode)?,
        chosen_because: of.chosen_because.clone(),
        understood: of.understood.clone(),
        dry_run: Some(DryRun::Samples),
        made,
        asked_in: None,
    };
    let head = Head {
        replays: Some(Replayed { run: of.run.clone(), started_at: of.started_at }),
        last_finished_at: of.last_finished_at,
        ..asking.head(run, invoker, &playbook, ctx.now)
    };
    let own = made.map(|_| playbook.yaml.clone());
    let asked = Asked { inputs: inputs.into(), samples: Some(json!({})), playbook: own };
    let warnings = gone(ctx, of, &start::planned(&linked, &head)).await?;
    start::begin(ctx, head, &asked, warnings).await
}

/// Steps of the run that the plan does not have any more, a gate perhaps: nothing else would say so.
async fn gone(ctx: Starter<'_>, of: &Head, now: &Plan) -> Result<Vec<FieldError>, Problem> {
    let Some((then, _)) = ctx.runs.plan(&of.run).await? else { return Ok(Vec::new()) };
    let about = ctx.catalog.about(&of.owner).await?;
    let learns = about.is_some_and(|said| said.about.learn);
    Ok(lost(&then, now, learns).into_iter().map(said).collect())
}

/// The steps that are in the first plan and not in the second. A replay learns nothing of whoever asks: the step that looks for it is
/// lost only where a run would not have it any more.
fn lost<'p>(then: &'p Plan, now: &Plan, learns: bool) -> Vec<&'p PlanStep> {
    let is_kept = |step: &PlanStep| {
        now.step(&step.name).is_some()
            || learns && step.name == LEARN_STEP && then.is_beside_the_answer(step)
    };
    then.steps.iter().filter(|step| !is_kept(step)).collect()
}

fn said(step: &PlanStep) -> FieldError {
    let name = &step.name;
    let error = FieldError::new(
        format!("playbook.steps.{name}"),
        format!("`{name}` of the run that is replayed is not in the plan any more"),
    );
    match step.action == ExtractFacts::NAME {
        true => error
            .with_hint("nothing is learned from questions any more (`learn` of `PUT /me/memory`)"),
        false => error,
    }
}

fn can_be_replayed(of: &Head) -> Result<(), Problem> {
    repeating::is_over(of)?;
    if of.dry_run.is_some() {
        let message = "a test has no answers that another one could take over";
        return Err(Problem::conflict("RUN_IS_A_TEST", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(steps: &[(&str, &str)]) -> Plan {
        let step = |(name, action): &(&str, &str)| json!({ "name": name, "kind": "tool", "action": action, "on_error": "stop", "after": [] });
        let steps: Vec<_> = steps.iter().map(step).collect();
        serde_json::from_value(json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)), "owner": format!("user_{}", "2".repeat(32)),
            "profile": "prof", "context": "background", "inputs": {}, "steps": steps,
            "playbook": { "id": "question", "version": "1.0.0", "digest": "" },
            "output": {
                "format": "markdown", "auto_enrich_graph": false, "save_to": "none",
                "sections": [{ "title": "Answer", "source": "answer.answer" }],
            },
        }))
        .unwrap()
    }

    #[test]
    fn issue_15_a_step_that_looked_for_facts_is_lost_once_nothing_is_learned_any_more() {
        let answer = ("answer", "research_with_tools");
        let then = plan(&[answer, ("learn", "extract_facts"), ("ask", "")]);
        let names = |now: &Plan, learns: bool| -> Vec<&str> {
            lost(&then, now, learns).into_iter().map(|step| step.name.as_str()).collect()
        };
        assert_eq!(names(&plan(&[answer]), true), ["ask"]);
        assert_eq!(names(&plan(&[answer]), false), ["learn", "ask"]);
        let learn = said(then.step("learn").unwrap());
        assert_eq!(learn.path, "playbook.steps.learn");
        assert!(learn.hint.unwrap().contains("nothing is learned"));
        assert_eq!(said(then.step("ask").unwrap()).hint, None);
    }
}
