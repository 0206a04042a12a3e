//! Starting a run that does the rest of one that has finished.

use countersign_identity::UserId;
use countersign_profile::Profile;
use countersign_run::{
    ApprovalPolicy, GatePolicy, Head, OccurrenceId, RunContext, RunId, Strategy,
};
use countersign_store_catalog::StoredPlaybook;
use countersign_web::Problem;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::asking::Made;
use crate::choosing::{Chosen, Otherwise, Sought};
use crate::conversation::Within;
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
    fn held(self, head: &Head, agent: ApprovalPolicy) -> (GatePolicy, Option<OccurrenceId>) {
        match self {
            Self::Person => (GatePolicy::Require, None),
            Self::Clock(own) => {
                let policy = stricter(head.approval_policy, own.unwrap_or(agent));
                (policy, head.occurrence.clone())
            }
        }
    }
}

/// Gates open by themselves only where both say so.
fn stricter(one: GatePolicy, other: ApprovalPolicy) -> GatePolicy {
    match (one, other) {
        (GatePolicy::AutoApprove, ApprovalPolicy::AutoApprove) => GatePolicy::AutoApprove,
        _ => GatePolicy::Require,
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
    let profile = agent_of(ctx, owner, head).await?;
    start::active(&profile)?;
    let Followed { playbook, made, inputs, within } = followed(ctx, owner, &profile, head).await?;
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
        // Repetitions of a trigger's runs are not counted, and batches of monitors are tried again by their own clock.
        source_limit: None,
        approval_policy,
        mode: run_mode::again(&playbook.playbook, head.execution_mode)?,
        chosen_because: head.chosen_because.clone(),
        understood: head.understood.clone(),
        repeats: &repeats,
        found,
        made,
        within: within.as_ref(),
    };
    start::start(ctx, invoker, &starting, Vec::new()).await
}

/// The agent of a run, as it is now.
pub(crate) async fn agent_of(
    ctx: Starter<'_>,
    owner: &UserId,
    head: &Head,
) -> Result<Profile, Problem> {
    if head.profile_id.is_empty() {
        let problem = Problem::no_such("profile", &head.profile_name);
        return Err(problem.with_hint("the agent of this run was removed"));
    }
    start::profile(ctx, owner, &head.profile_id).await
}

/// What a run follows that does what an earlier one did.
pub(crate) struct Followed {
    pub(crate) playbook: StoredPlaybook,
    pub(crate) made: Option<Made>,
    pub(crate) inputs: Map<String, Value>,
    /// The conversation of the earlier run.
    pub(crate) within: Option<Within>,
}

/// The playbook, the inputs and the conversation of an earlier run.
pub(crate) async fn followed(
    ctx: Starter<'_>,
    owner: &UserId,
    profile: &Profile,
    head: &Head,
) -> Result<Followed, Problem> {
    let within = within(ctx, owner, head).await?;
    let Chosen { playbook, made, .. } =
        same_playbook(ctx, owner, profile, head, within.as_ref()).await?;
    let inputs = given(ctx.runs.inputs(&head.run).await?);
    start::check_inputs(&playbook.playbook, &inputs)?;
    Ok(Followed { playbook, made, inputs, within })
}

/// The same playbook as it is now. What was made for the question is made for it once more.
async fn same_playbook(
    ctx: Starter<'_>,
    owner: &UserId,
    profile: &Profile,
    head: &Head,
    within: Option<&Within>,
) -> Result<Chosen, Problem> {
    let Some(yaml) = ctx.runs.made_playbook(&head.run).await? else {
        let sought = Sought {
            named: head.playbook_id.as_deref(),
            question: "",
            earlier: None,
            given: &Map::new(),
            today: ctx.now.to_zoned(TimeZone::UTC).date(),
            may_learn: false,
        };
        return choosing::playbook(ctx, owner, profile, sought, Otherwise::Nothing).await;
    };
    if head.strategy != Some(Strategy::Research) {
        let playbook = direct::stored(ctx, &yaml)?;
        return Ok(Chosen { playbook, because: None, made: Some(Made::Call) });
    }
    // The agent's skill may have been narrowed since.
    // What the first of them was shown: those between ask the same.
    let first = match head.repeats.first() {
        Some(first) => ctx.runs.head(first).await?,
        None => None,
    };
    let first = first.as_ref().unwrap_or(head);
    let earlier = within.map(|within| within.before(first));
    let anew = research::made(ctx, owner, profile, (&head.query, false), earlier).await?;
    let message = "the agent does not have the skill `research` any more";
    anew.ok_or_else(|| Problem::field("profile", message))
}

/// The conversation of a run, unless it was removed since.
async fn within(ctx: Starter<'_>, owner: &UserId, head: &Head) -> Result<Option<Within>, Problem> {
    let Some(asked) = &head.asked_in else { return Ok(None) };
    let known = ctx.runs.conversation(owner, &asked.conversation).await?;
    match known {
        Some(conversation) => Within::next(ctx, conversation).await.map(Some),
        None => Ok(None),
    }
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
        assert_eq!(stricter(GatePolicy::AutoApprove, AutoApprove), GatePolicy::AutoApprove);
        for (one, other) in [(AutoApprove, Require), (Require, AutoApprove), (Require, Require)] {
            let policy = stricter(one.into(), other);
            assert_eq!(policy, GatePolicy::Require, "{one:?} {other:?}");
        }
    }
}
