//! Starting a run that does the rest of one that has finished.

use countersign_run::{ApprovalPolicy, Head, OccurrenceId, RunContext, RunId};
use countersign_web::Problem;
use serde_json::{Map, Value};

use crate::asking::Made;
use crate::choosing::Otherwise;
use crate::start::{self, Found, Started, Starting};
use crate::{Invoker, Starter, choosing, direct, repeating, research, run_context, run_mode};

/// Who repeats a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A person: its gates ask.
    Person,
    /// The clock that started it, because it failed: what held for the run holds for its repetition, unless gates have to ask by
    /// now. This is the policy of what asked for the run; when it leaves that to the agent, there is none.
    Clock(Option<ApprovalPolicy>),
}

impl By {
    fn held(self, head: &Head, agent: ApprovalPolicy) -> (ApprovalPolicy, Option<OccurrenceId>) {
        match self {
            Self::Person => (ApprovalPolicy::Require, None),
            Self::Clock(own) => {
                let policy = stricter(head.approval_policy, own.unwrap_or(agent));
                (policy, head.occurrence.clone())
            }
        }
    }
}

/// Gates open by themselves only where both say so.
fn stricter(one: ApprovalPolicy, other: ApprovalPolicy) -> ApprovalPolicy {
    match (one, other) {
        (ApprovalPolicy::AutoApprove, ApprovalPolicy::AutoApprove) => ApprovalPolicy::AutoApprove,
        _ => ApprovalPolicy::Require,
    }
}

/// Starts a run with the agent, the playbook and the inputs of one that has finished, without the calls that were made.
///
/// # Errors
/// A [`Problem`] that says why nothing was started.
pub async fn repeat(
    ctx: Starter<'_>,
    invoker: &Invoker,
    head: &Head,
    run: RunId,
    by: By,
) -> Result<Started, Problem> {
    let owner = &invoker.user;
    let repeats = repeating::chain(head, &run)?;
    if head.profile_id.is_empty() {
        let problem = Problem::no_such("profile", &head.profile_name);
        return Err(problem.with_hint("the agent of this run was removed"));
    }
    let profile = start::profile(ctx, owner, &head.profile_id).await?;
    start::active(&profile)?;
    let made = ctx.runs.made_playbook(&head.run).await?.map(|yaml| (Made::of(head), yaml));
    let playbook = match &made {
        // The agent's skill may have been narrowed since.
        Some((Made::Research, _)) => {
            let anew = research::made(ctx, owner, &profile, &head.query).await?;
            let message = "the agent does not have the skill `research` any more";
            anew.ok_or_else(|| Problem::field("profile", message))?.playbook
        }
        Some((Made::Call, yaml)) => direct::stored(ctx, yaml)?,
        None => {
            let named = (head.playbook_id.as_deref(), "");
            choosing::playbook(ctx, owner, &profile, named, Otherwise::Nothing).await?.playbook
        }
    };
    let inputs = given(ctx.runs.inputs(&head.run).await?);
    start::check_inputs(&playbook.playbook, &inputs)?;
    // No laxer than a new run, and than the one that is repeated.
    let new: RunContext = run_context::by_hand(&profile, &playbook.playbook, None)?;
    let (approval_policy, occurrence) = by.held(head, profile.spec.default_approval_policy);
    // What a monitor had found is what is repeated: its detection steps would look for something else.
    let outputs = match &head.from_monitor {
        Some(_) => ctx.runs.samples(&head.run).await?,
        None => Map::new(),
    };
    let found =
        head.from_monitor.clone().map(|from| Found { from, outputs: &outputs, begun: Vec::new() });
    let starting = Starting {
        run,
        profile: &profile,
        playbook: &playbook,
        query: &head.query,
        inputs: &inputs,
        context: new.max(head.context),
        occurrence,
        approval_policy,
        mode: run_mode::again(&playbook.playbook, head.execution_mode)?,
        chosen_because: head.chosen_because.clone(),
        understood: head.understood.clone(),
        repeats: &repeats,
        found,
        made: made.map(|(made, _)| made),
    };
    start::start(ctx, invoker, &starting, Vec::new()).await
}

fn given(inputs: Value) -> Map<String, Value> {
    match inputs {
        Value::Object(inputs) => inputs,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use ApprovalPolicy::{AutoApprove, Require};

    use super::*;

    #[test]
    fn k_11_a_gate_opens_by_itself_only_where_both_say_so() {
        assert_eq!(stricter(AutoApprove, AutoApprove), AutoApprove);
        for (one, other) in [(AutoApprove, Require), (Require, AutoApprove), (Require, Require)] {
            assert_eq!(stricter(one, other), Require, "{one:?} {other:?}");
        }
    }
}
