//! Whether everybody a run will ask can sign, before anything of it runs.
//!
//! A gate that nobody can open would otherwise be noticed when it opens: after the steps before it, and by nobody in
//! particular. The rules are the gate's own: the same names, the same directory, the same policy and floor.

use std::collections::{BTreeMap, BTreeSet};

use countersign_approval::{Floor, Kind, Policy, RunContext, requester_may_decide};
use countersign_gatekeeper::{CannotSign, Named, approvers_of, requesters, signers};
use countersign_identity::{Requirement, Role, Scopes, UserId, permits};
use countersign_plan::{Plan, PlanStep, StepKind, requirement_of};
use countersign_profile::Profile;
use countersign_registry::Registry;
use countersign_run::GatePolicy;
use countersign_store_catalog::StoredPlaybook;
use countersign_store_directory::Setting;
use countersign_web::{FieldError, Problem};
use http::StatusCode;

use crate::{Invoker, Starter};

/// Checks that the caller may do every step of the plan, and that its gates can be opened. What does not stop the run,
/// such as an unknown name beside enough good ones, is a warning. Nobody is asked at a gate that opens by itself, nor in a run that
/// skips its gates.
pub(crate) async fn check(
    ctx: Starter<'_>,
    invoker: &Invoker,
    profile: &Profile,
    playbook: &StoredPlaybook,
    plan: &Plan,
    policy: GatePolicy,
) -> Result<Vec<FieldError>, Problem> {
    permitted(ctx.registry, &invoker.scopes, plan)?;
    if let Some(shared) = &invoker.shared {
        permitted(ctx.registry, &shared.scopes, plan).map_err(of_owner)?;
    }
    if policy == GatePolicy::Skip {
        return Ok(Vec::new());
    }
    let member = invoker.shared.as_ref().map(|_| &invoker.user);
    let floor = floor(ctx).await?;
    let editors = [playbook.updated_by.as_ref(), profile.user_id.as_ref()];
    let rules = Rules {
        requesters: requesters(&plan.owner, &invoker.user, editors),
        context: plan.context,
        floor,
    };
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    // Most gates of a run ask the same people for the same: they are looked up once.
    let mut known: BTreeMap<(Vec<String>, Role), Vec<Named>> = BTreeMap::new();
    let asking = |step: &&PlanStep| !plan.opens_by_itself(step, plan.context, policy);
    let gates = plan.steps.iter().filter(asking);
    for gate in gates.filter_map(|step| Gate::of(ctx.registry, plan, step, profile.signers())) {
        let people = (gate.names.clone(), gate.requirement.required_role);
        if !known.contains_key(&people) {
            let named = signers(ctx.directory, &gate.names, &gate.requirement, member).await?;
            known.insert(people.clone(), named);
        }
        let named = known.get(&people).map(Vec::as_slice).unwrap_or_default();
        let found = rules.judge(&gate, named);
        if found.is_reachable { &mut warnings } else { &mut errors }.extend(found.said);
    }
    warnings.extend(escalations(ctx, plan, member).await?);
    // Who signs for an agent is told to its owner.
    if member.is_some() {
        (warnings, errors) = (Vec::new(), errors.into_iter().take(1).map(|_| unsaid()).collect());
    }
    if errors.is_empty() { Ok(once(warnings)) } else { Err(unreachable(once(errors))) }
}

/// Those whom a gate asks in addition, later, and who could not sign: the gate can be opened without them.
async fn escalations(
    ctx: Starter<'_>,
    plan: &Plan,
    member: Option<&UserId>,
) -> Result<Vec<FieldError>, Problem> {
    let mut said = Vec::new();
    for step in &plan.steps {
        let gate = step.gate.as_ref();
        let Some(escalation) = gate.and_then(|gate| gate.escalation.as_ref()) else { continue };
        let role = plan.requirement_to_sign(step, ctx.registry);
        let named = signers(ctx.directory, &escalation.to, &role, member).await?;
        let place = format!("playbook.steps.{}.escalation.to", step.name);
        let cannot = named
            .iter()
            .enumerate()
            .filter_map(|(n, one)| Some((n, one, one.person.as_ref().err()?)));
        said.extend(cannot.map(|(n, one, why)| error(&place, n, one, &why.to_string())));
    }
    Ok(said)
}

/// The floor an administrator set; one that cannot be read must not look like none.
async fn floor(ctx: Starter<'_>) -> Result<Floor, Problem> {
    let Some(stored) = ctx.directory.setting(Setting::ApprovalFloor).await? else {
        return Ok(Floor::default());
    };
    serde_json::from_str(&stored.json).map_err(|_| floor_unreadable())
}

/// A floor that cannot be read stops every gate.
#[must_use]
pub fn floor_unreadable() -> Problem {
    let detail = "the floor policy of the deployment cannot be read";
    let problem = Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "FLOOR_POLICY_INVALID", detail);
    problem.with_hint("an administrator sets it again at `PUT /api/admin/approval-floor`")
}

/// What every step asks of whoever started the run; asked again at the moment it acts.
fn permitted(registry: &Registry, scopes: &Scopes, plan: &Plan) -> Result<(), Problem> {
    let denied = |step: &PlanStep| {
        let requirement = requirement_of(step, registry.get(&step.action)?);
        let denied = permits(scopes, &requirement, None).err()?;
        let mut problem = Problem::of(&denied);
        let path = format!("playbook.steps.{}", step.name);
        problem.errors.push(FieldError::new(path, denied.to_string()));
        Some(problem)
    };
    plan.steps.iter().find_map(denied).map_or(Ok(()), Err)
}

/// The same refusal, said of the owner of an agent that somebody else starts.
fn of_owner(problem: Problem) -> Problem {
    problem.with_hint("it is the owner of the agent who may not do this")
}

/// A step that asks people.
struct Gate<'a> {
    step: &'a str,
    kind: Kind,
    irreversible: bool,
    requirement: Requirement,
    quorum: u32,
    names: Vec<String>,
    /// Where the names are written.
    place: String,
}

impl<'a> Gate<'a> {
    /// A gate, or a step without one that asks for a signature of its own.
    fn of(
        registry: &Registry,
        plan: &Plan,
        step: &'a PlanStep,
        agents: Vec<String>,
    ) -> Option<Self> {
        let (own, quorum, irreversible) = match (step.kind, &step.gate) {
            (StepKind::Gate, Some(gate)) => {
                (&gate.approvers[..], gate.quorum, !gate.covers.is_empty())
            }
            (StepKind::GatedTool, _) if step.guard.is_none() => (&[][..], 1, true),
            _ => return None,
        };
        let place = if own.is_empty() {
            "profile.approvers".to_owned()
        } else {
            format!("playbook.steps.{}.approvers", step.name)
        };
        let kind = if step.kind == StepKind::Gate { Kind::Step } else { Kind::Tool };
        let names = approvers_of(own, agents, &plan.owner);
        let requirement = plan.requirement_to_sign(step, registry);
        Some(Self { step: &step.name, kind, irreversible, requirement, quorum, names, place })
    }
}

/// What holds for every gate of the run.
struct Rules {
    requesters: BTreeSet<UserId>,
    context: RunContext,
    floor: Floor,
}

struct Judged {
    is_reachable: bool,
    said: Vec<FieldError>,
}

impl Rules {
    fn judge(&self, gate: &Gate<'_>, named: &[Named]) -> Judged {
        let policy = Policy {
            quorum: gate.quorum,
            requester_may_decide: requester_may_decide(gate.kind, self.context),
            ..Policy::one_of(Named::able(named), gate.irreversible)
        };
        let policy = policy.tightened(&self.floor, gate.irreversible);
        let why = |one: &Named| match &one.person {
            Err(why) => Some(why.to_string()),
            Ok(person) if policy.bars(person, &self.requesters) => Some(self.bar()),
            Ok(_) => None,
        };
        let mut said: Vec<FieldError> = named
            .iter()
            .enumerate()
            .filter_map(|(n, one)| Some((n, one, why(one)?)))
            .map(|(n, one, why)| error(&gate.place, n, one, &why))
            .collect();
        let settled = policy.settled(&self.requesters);
        if let Err(error) = &settled {
            let place = format!("playbook.steps.{}", gate.step);
            said.insert(0, FieldError::new(place, error.to_string()));
        }
        Judged { is_reachable: settled.is_ok(), said }
    }

    fn bar(&self) -> String {
        let asked = "started the run, owns the agent or edited the playbook last";
        if self.floor.requester_never_decides {
            format!("{asked}; by the deployment's floor requesters never sign")
        } else {
            format!("{asked}; requesters do not sign `{}` runs", self.context.as_str())
        }
    }
}

fn error(place: &str, n: usize, one: &Named, why: &str) -> FieldError {
    let error = FieldError::new(format!("{place}[{n}]"), format!("`{}` {why}", one.name));
    match &one.person {
        Err(CannotSign::Unknown) => error.with_hint("name an id, a username or a mail address"),
        Err(_) => error.with_hint("ask an administrator, or name somebody else"),
        Ok(_) => error.with_hint("name somebody else"),
    }
}

/// Several gates may ask the same people.
fn once(said: Vec<FieldError>) -> Vec<FieldError> {
    let mut all: Vec<FieldError> = Vec::new();
    for one in said {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// What a member is told when nobody could sign.
fn unsaid() -> FieldError {
    FieldError::new("profile_id", "those who sign for this agent could not sign this run")
        .with_hint("ask its owner; what runs in the background is signed by others than its owner")
}

fn unreachable(errors: Vec<FieldError>) -> Problem {
    let detail = "too few of the approvers could sign; nothing was started";
    let mut problem =
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "APPROVAL_UNREACHABLE", detail);
    problem.errors = errors;
    problem
}

#[cfg(test)]
mod tests;
