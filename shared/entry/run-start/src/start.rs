//! Starting a run, one that counts or a test: who and what is named, whether the inputs fit, the head, the execution.

#[cfg(test)]
mod tests;

use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_plan::{DryRunContext, Plan, Request, inputs, plan};
use countersign_playbook::{
    Bindings, Code, CompileContext, Diagnostic, PlaybookSource, ValidPlaybook, compile,
};
use countersign_profile::{Handle, Profile, ProfileId};
use countersign_registry::nearest;
use countersign_run::{
    DryRun, ExecutionMode, FromMonitor, GatePolicy, Head, OccurrenceId, RunContext, RunId,
    SourceLimit, UnderstoodInput,
};
use countersign_store_catalog::StoredPlaybook;
use countersign_store_kit::{Op, StoreError};
use countersign_store_runs::{Asked, Created, RunLimits};
use countersign_web::{FieldError, Problem};
use serde_json::{Map, Value};

use crate::approval_policy;
use crate::asking::{Asking, Made};
use crate::conversation::Within;
use crate::{Invoker, Starter, quotas, repeating, signing, teams};

/// A run that counts, about to be started.
pub struct Starting<'a> {
    /// Its id.
    pub run: RunId,
    /// The agent.
    pub profile: &'a Profile,
    /// What it follows.
    pub playbook: &'a StoredPlaybook,
    /// What is asked, in the caller's words.
    pub query: &'a str,
    /// The playbook's inputs as they came.
    pub inputs: &'a Map<String, Value>,
    /// How it comes about.
    pub context: RunContext,
    /// What asked for it, when that is no person.
    pub occurrence: Option<OccurrenceId>,
    /// How many runs whatever asked for it may start in a day.
    pub source_limit: Option<SourceLimit<'a>>,
    /// What its gates do: when a person starts it they ask (K-11), unless that person wants them skipped.
    pub approval_policy: GatePolicy,
    /// How much a model takes part.
    pub mode: ExecutionMode,
    /// Why this playbook, when the question chose it.
    pub chosen_because: Option<String>,
    /// The inputs that the question said.
    pub understood: Vec<UnderstoodInput>,
    /// The runs it repeats, the first one in front.
    pub repeats: &'a [RunId],
    /// What its monitor has found.
    pub found: Option<Found<'a>>,
    /// What the playbook was made for, when it was made for this question.
    pub made: Option<Made>,
    /// The conversation in which it is asked.
    pub within: Option<&'a Within>,
}

/// What a monitor has found: the run processes it.
#[derive(Debug, Clone)]
pub struct Found<'a> {
    /// Where it is from.
    pub from: FromMonitor,
    /// The outputs of its detection steps, by step: they look for nothing themselves.
    pub outputs: &'a Map<String, Value>,
    /// What is written together with the run, or neither: that the batch has one. None of a repetition.
    pub begun: Vec<Op>,
}

/// Checks that the run can be carried and signed, and begins it.
///
/// # Errors
/// A [`Problem`] that says why nothing was started.
pub async fn start(
    ctx: Starter<'_>,
    invoker: &Invoker,
    of: &Starting<'_>,
    warnings: Vec<FieldError>,
) -> Result<Started, Problem> {
    let (head, mut all) = ready(ctx, invoker, of).await?;
    all.extend(warnings);
    let samples = of.found.as_ref().map(|found| Value::Object(found.outputs.clone()));
    let playbook = of.made.map(|_| of.playbook.yaml.clone());
    let request = Asked { inputs: of.inputs.clone().into(), samples, playbook };
    let found = of.found.iter().flat_map(|found| found.begun.iter().cloned());
    let within = of.within.map(|within| within.written(ctx)).transpose()?;
    let with: Vec<Op> = found.chain(within).collect();
    let head = write(ctx, head, of.source_limit, &request, &with).await?;
    Ok(Started { head, warnings: all })
}

/// Checks the same of a run that is not to begin now: what it would be warned of.
///
/// # Errors
/// A [`Problem`] that says why it would not start.
pub async fn could_start(
    ctx: Starter<'_>,
    invoker: &Invoker,
    of: &Starting<'_>,
) -> Result<Vec<FieldError>, Problem> {
    ready(ctx, invoker, of).await.map(|(_, said)| said)
}

async fn ready(
    ctx: Starter<'_>,
    invoker: &Invoker,
    of: &Starting<'_>,
) -> Result<(Head, Vec<FieldError>), Problem> {
    let owner = invoker.owner();
    let endpoints = ctx.catalog.endpoints(owner, of.profile.id.as_str()).await?;
    let (linked, raised) = check_links(ctx, of.playbook, &endpoints)?;
    let policy = approval_policy::of_run(&linked, of.approval_policy);
    let asked = Asking {
        profile: Some(of.profile),
        query: of.query,
        context: of.context,
        occurrence: of.occurrence.clone(),
        approval_policy: policy,
        mode: of.mode,
        chosen_because: of.chosen_because.clone(),
        understood: of.understood.clone(),
        dry_run: None,
        made: of.made,
        asked_in: of.within.map(|within| within.asked_in(of.made)),
    };
    let head = Head {
        last_finished_at: ctx.runs.last_success(owner, of.profile.id.as_str()).await?,
        repeats: of.repeats.to_vec(),
        from_monitor: of.found.as_ref().map(|found| found.from.clone()),
        ..asked.head(of.run.clone(), invoker, of.playbook, ctx.now)
    };
    let plan = planned(&linked, &head);
    repeating::check(ctx, &plan, of.repeats).await?;
    let found = of.found.as_ref().map(|found| found.outputs);
    teams::check(ctx, invoker, of.profile, &plan, found).await?;
    let mut all = signing::check(ctx, invoker, of.profile, of.playbook, &plan, policy).await?;
    all.extend(raised);
    all.extend(approval_policy::overruled(&plan, policy, of.approval_policy));
    Ok((head, all))
}

/// A run that was started, and what whoever asked should know of how.
#[derive(Debug, Clone)]
pub struct Started {
    /// The run.
    pub head: Head,
    /// What did not stop it.
    pub warnings: Vec<FieldError>,
}

/// Writes the run and starts its execution. Once it is written it will run: should the start fail, the sweeper does it.
///
/// # Errors
/// A [`Problem`] when the quota is used up or the run cannot be written.
pub async fn begin(
    ctx: Starter<'_>,
    head: Head,
    asked: &Asked,
    warnings: Vec<FieldError>,
) -> Result<Started, Problem> {
    let head = write(ctx, head, None, asked, &[]).await?;
    Ok(Started { head, warnings })
}

async fn write(
    ctx: Starter<'_>,
    head: Head,
    source_limit: Option<SourceLimit<'_>>,
    asked: &Asked,
    with: &[Op],
) -> Result<Head, Problem> {
    let head = with_names(ctx, head).await?;
    let limits = RunLimits { person: ctx.runs_per_day, source: source_limit };
    let head = match ctx.runs.create(&head, asked, limits, with).await {
        Ok(Created::New) => head,
        Ok(Created::Existing(known)) => *known,
        Ok(Created::Exceeded(exceeded)) => return Err(quotas::refused(&exceeded, ctx.now)),
        Err(error) => return Err(not_created(ctx, &head, error).await),
    };
    if let Err(error) = ctx.runner.start(&head).await {
        tracing::warn!(run = %head.run, code = error.code(), %error, "the execution was not started; the sweeper will");
    }
    Ok(head)
}

/// The same head with what the directory calls its caller: steps see them as they were when the run was asked for.
async fn with_names(ctx: Starter<'_>, head: Head) -> Result<Head, Problem> {
    let person = ctx.directory.user(&head.invoked_by).await?;
    let email = person.as_ref().filter(|person| person.email_verified);
    Ok(Head {
        invoked_by_email: email.map(|person| person.email.to_string()),
        invoked_by_name: person.map(|person| person.display_name),
        ..head
    })
}

/// Why a run was not written. A run that is repeated twice at once is written once: the other request is told by which run.
async fn not_created(ctx: Starter<'_>, head: &Head, error: StoreError) -> Problem {
    let Some(before) = head.repeats.last().filter(|_| error.is_condition()) else {
        return without(head, error);
    };
    match ctx.runs.head(before).await {
        Ok(Some(before)) => repeated(&before, head, error),
        Ok(None) => error.into(),
        Err(unread) => unread.into(),
    }
}

/// Why a run was not written that no other one repeats: its conversation was removed meanwhile, or the table did not answer.
fn without(head: &Head, error: StoreError) -> Problem {
    match &head.asked_in {
        Some(asked) if error.is_condition() => {
            Problem::no_such("conversation", asked.conversation.as_str())
        }
        _ => error.into(),
    }
}

fn repeated(before: &Head, own: &Head, error: StoreError) -> Problem {
    repeating::chain(before, &own.run).err().unwrap_or_else(|| without(own, error))
}

/// The agent of this id or handle.
///
/// # Errors
/// A [`Problem`] when there is none.
pub async fn profile(ctx: Starter<'_>, owner: &UserId, named: &str) -> Result<Profile, Problem> {
    let name = named.strip_prefix('@').unwrap_or(named);
    let profile = match (ProfileId::parse(name), Handle::parse(name)) {
        (Ok(id), _) => ctx.catalog.profiles().get(owner, &id).await?,
        (_, Ok(handle)) => ctx.catalog.profiles().by_handle(owner, &handle).await?,
        (Err(_), Err(_)) => {
            return Err(Problem::field(
                "profile",
                format!("`{named}` is neither an id nor a handle"),
            ));
        }
    };
    profile.ok_or_else(|| Problem::no_such("profile", named))
}

/// An agent that is switched off does not run.
///
/// # Errors
/// `PROFILE_INACTIVE`.
pub fn active(profile: &Profile) -> Result<(), Problem> {
    if profile.is_active {
        return Ok(());
    }
    Err(Problem::conflict(
        "PROFILE_INACTIVE",
        "this agent is switched off; inactive agents never run",
    ))
}

/// A question of bounded length: it is stored with the run and shown to those who sign.
///
/// # Errors
/// A [`Problem`] when it is longer.
pub fn check_query(query: &str) -> Result<(), Problem> {
    const MAX: usize = 16_000;
    if query.chars().count() <= MAX {
        return Ok(());
    }
    Err(Problem::field("query", format!("has more than {MAX} characters")))
}

/// Every input that is missing, unknown, of another type or too large.
///
/// # Errors
/// A [`Problem`] with each of them.
pub fn check_inputs(
    playbook: &ValidPlaybook,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Problem> {
    let declared = || playbook.inputs.iter().map(|input| input.name.as_str());
    inputs(playbook, given).map_err(|problems| {
        let field = |problem: countersign_plan::InputProblem| {
            let near = nearest(&problem.name, declared());
            let near = near.filter(|_| !declared().any(|name| name == problem.name));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            FieldError { path: format!("inputs.{}", problem.name), message: problem.problem, hint }
        };
        Problem::invalid(problems.into_iter().map(field).collect())
    })
}

/// Everything in the playbook that the agent's data sources do not fit: a connector it does not have, an endpoint or
/// argument that is not there. The answer is the playbook as these data sources complete it, and what was raised for them.
///
/// # Errors
/// A [`Problem`] with each of them.
pub fn check_links(
    ctx: Starter<'_>,
    playbook: &StoredPlaybook,
    endpoints: &Bindings,
) -> Result<(ValidPlaybook, Vec<FieldError>), Problem> {
    let source = PlaybookSource::new("playbook.yaml", &playbook.yaml);
    let compiled = compile(&source, &CompileContext::of(ctx.registry).with(endpoints));
    let mut errors: Vec<FieldError> = Vec::new();
    for error in compiled.errors() {
        if errors.iter().all(|known| known.message != error.message) {
            errors.push(at(error));
        }
    }
    let raised = compiled.diagnostics.iter().filter(|said| said.code == Code::LinkRaised);
    let raised = raised.map(at).collect();
    compiled.playbook.map(|playbook| (playbook, raised)).ok_or_else(|| Problem::invalid(errors))
}

fn at(said: &Diagnostic) -> FieldError {
    let path = format!("playbook:{}:{}", said.place.line, said.place.column);
    FieldError { path, message: said.message.clone(), hint: said.hint.clone() }
}

/// The plan the run will follow, but for its inputs.
pub(crate) fn planned(playbook: &ValidPlaybook, head: &Head) -> Plan {
    let request = Request {
        tenant: String::new(),
        run: head.run.clone(),
        owner: head.owner.clone(),
        profile: head.profile_id.clone(),
        context: head.context,
        inputs: Map::new(),
    };
    plan(playbook, request)
}

/// Every sample of a test that cannot stand in for its step.
///
/// # Errors
/// A [`Problem`] with each of them.
pub fn check_samples(
    ctx: Starter<'_>,
    playbook: &ValidPlaybook,
    head: &Head,
    mode: DryRun,
    endpoints: &Bindings,
    samples: &Map<String, Value>,
) -> Result<(), Problem> {
    let rehearsal = DryRunContext { mode, registry: ctx.registry, endpoints, samples };
    rehearsal.apply(&mut planned(playbook, head)).map_err(|problems| {
        let field = |problem: countersign_plan::SampleProblem| FieldError {
            path: format!("samples.{}", problem.path).trim_end_matches('.').to_owned(),
            message: problem.problem,
            hint: problem.hint,
        };
        Problem::invalid(problems.into_iter().map(field).collect())
    })
}
