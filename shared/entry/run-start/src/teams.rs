//! What a plan needs of teams (F-010): an action that needs a grant is there for an agent only while a team gives it.

use countersign_plan::{Plan, PlanStep};
use countersign_profile::Profile;
use countersign_team::{Share, TeamId, TeamPermission};
use countersign_web::{FieldError, Problem};
use http::StatusCode;
use serde_json::{Map, Value};

use crate::{Invoker, Starter};

/// The input that says for which team a step works.
const TEAM: &str = "team_id";

/// Every step must have the grants that its action needs: of the team that it names, or of any where only the run will say which.
/// The step asks again. `found` is what a monitor has found, by step: a step that found nothing does nothing.
///
/// # Errors
/// A [`Problem`] with each step that has not.
pub(crate) async fn check(
    ctx: Starter<'_>,
    invoker: &Invoker,
    profile: &Profile,
    plan: &Plan,
    found: Option<&Map<String, Value>>,
) -> Result<(), Problem> {
    let acts = |step: &&PlanStep| {
        found.and_then(|found| found.get(&step.name)).is_none_or(|output| output["count"] != 0)
    };
    let mut errors = Vec::new();
    for step in plan.steps.iter().filter(acts) {
        let contract = ctx.registry.get(&step.action);
        for grant in contract.iter().flat_map(|contract| &contract.requires) {
            let asked = Asked { invoker, profile, step, grant };
            errors.extend(asked.missing(ctx).await?);
        }
    }
    if errors.is_empty() {
        return Ok(());
    }
    let message = "the agent does not have the grants of a team that its steps need";
    let mut problem = Problem::new(StatusCode::CONFLICT, "TEAM_ACCESS_MISSING", message);
    problem.errors = errors;
    Err(problem.with_hint("share the agent with the team; its owner must be a member of it"))
}

/// A grant that a step needs.
struct Asked<'a> {
    invoker: &'a Invoker,
    profile: &'a Profile,
    step: &'a PlanStep,
    grant: &'a str,
}

impl Asked<'_> {
    /// Why the agent does not have it; none when it has.
    async fn missing(&self, ctx: Starter<'_>) -> Result<Option<FieldError>, Problem> {
        let named = self.step.inputs.get(TEAM).and_then(|team| TeamId::parse(team.as_str()?).ok());
        let profile = self.profile.id.as_str();
        let shares = match &named {
            Some(team) => Vec::from_iter(ctx.catalog.share(profile, team).await?),
            None => ctx.catalog.shares(profile).await?,
        };
        let granting: Vec<&Share> = shares.iter().filter(|share| self.grants(share)).collect();
        for share in &granting {
            if ctx.directory.team_of(self.invoker.owner(), &share.team_id).await?.is_some() {
                return Ok(None);
            }
        }
        let team = named.map_or_else(|| "a team".to_owned(), |team| format!("`{team}`"));
        let (grant, step) = (self.grant, &self.step.name);
        let why = if granting.is_empty() {
            format!("the agent is not shared with {team} with `{grant}`")
        } else {
            let owner = if self.invoker.shared.is_some() { "its owner is" } else { "you are" };
            format!("{owner} not a member of {team}, or it is switched off")
        };
        Ok(Some(FieldError::new("playbook", format!("step `{step}` needs `{grant}`: {why}"))))
    }

    /// Whether a share gives the grant; for a member that of their own team alone.
    fn grants(&self, share: &Share) -> bool {
        let shared = self.invoker.shared.as_ref();
        if shared.is_some_and(|shared| shared.team.team_id != share.team_id) {
            return false;
        }
        TeamPermission::of(self.invoker.owner(), Some(share), true).has(self.grant)
    }
}
