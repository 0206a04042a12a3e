//! What is written when a run is over: what the playbook's `save_to` wants, and the profile's destinations.

use countersign_actions_output::{OutputPorts, OwnDestination, route, route_again, told};
use countersign_identity::{Requirement, Role};
use countersign_playbook::{OutputDecl, SaveTo};
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::route_output::Routed;
use countersign_report::{Destination, DestinationConfig, DocumentConfig, Format, TableConfig};
use countersign_run::{Head, OutputOrigin, StepStatus};
use countersign_step_entry as step_entry;
use serde_json::Value;

use crate::agent_list::{self, gone};
use crate::answer::Answer;
use crate::over::Over;
use crate::taken::Taken;
use crate::{Context, FinishError};

/// What the playbook's `save_to` wants, then those of the profile's destinations that no step has [`Taken`]: a row for each.
/// Whoever started the run must still be allowed to write, when there is something to write, and nobody may have refused it.
pub(crate) async fn routed(
    context: &Context,
    over: &Over<'_>,
    answer: &mut Answer,
    call: &Call,
) -> Result<Vec<Value>, FinishError> {
    let own = own(over, answer);
    let of_profile = of_profile(over);
    if own.is_empty() && of_profile.as_ref().is_ok_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    if let Some(refused) = refused(over) {
        answer.problems.push(refused);
        return Ok(Vec::new());
    }
    if let Some(error) = denied(context, over.head).await? {
        return Ok(vec![failed(call, "output", &error)]);
    }
    let is_whole = !answer.is_incomplete;
    let mut rows = sent(context, call, (OWN, &own), &answer.shown, is_whole).await;
    match of_profile {
        Ok(destinations) => {
            let list = (PROFILE, destinations.as_slice());
            rows.extend(sent(context, call, list, &answer.data, is_whole).await);
        }
        Err(error) => rows.push(failed(call, "output_config", &error)),
    }
    Ok(rows)
}

/// That a gate of the run was not approved. Its results are written nowhere, whatever the gate was about: nothing that a person
/// may have refused is published because nobody wrote a step for it.
pub(crate) fn refused(over: &Over<'_>) -> Option<String> {
    over.state.steps.iter().find_map(|(name, state)| {
        let what = match state.status {
            StepStatus::Rejected => "was denied",
            StepStatus::TimedOut => "was not answered in time",
            StepStatus::Closed if state.was_not_asked() => {
                "was never made: this run skips its gates"
            }
            StepStatus::Closed => "was not decided",
            _ => return None,
        };
        Some(format!("nothing is written at the end of the run: the request of `{name}` {what}"))
    })
}

/// Why nothing may be written for whoever started the run: rights are read now.
pub(crate) async fn denied(
    context: &Context,
    head: &Head,
) -> Result<Option<ActionError>, FinishError> {
    let entry = context.directory.entry_of(&head.invoked_by).await?;
    let requirement = Requirement::role(Role::Analyst);
    if let Some(why) = step_entry::denied(head, entry.as_ref(), &requirement, "route_output") {
        return Ok(Some(why));
    }
    Ok(step_entry::member_refused(&context.directory, head, &requirement).await?)
}

/// Tries one destination again, as [`routed`] did, and with the same key: what was written is found.
pub(crate) async fn again(
    context: &Context,
    over: &Over<'_>,
    answer: &Answer,
    call: &Call,
    (kind, origin): (&str, OutputOrigin),
    was: &[String],
) -> Result<Routed, ActionError> {
    let (list, n, data) = match origin {
        OutputOrigin::SaveTo(n) => (OWN, n, &answer.shown),
        OutputOrigin::Profile(n) => (PROFILE, n, &answer.data),
        OutputOrigin::Step(_) => return Err(gone()),
    };
    let destination = match origin {
        OutputOrigin::Profile(n) => {
            let now = agent_list(over, !answer.is_incomplete)?;
            agent_list::found(&now, was, (kind, n))?.clone()
        }
        _ => {
            let (mut fit, _) = fitting(&own(over, answer), !answer.is_incomplete);
            let is_own = fit.get(n).is_some_and(|one| one.kind() == kind);
            if is_own { fit.swap_remove(n) } else { return Err(gone()) }
        }
    };
    let places = OutputPorts { content: &context.content, graph: &context.graph };
    route_again(places, &keyed(call, list), (&destination, n), data).await
}

/// The agent's destinations as the numbers of rows count them: all of them where a step writes to them, else those that the end
/// of the run writes to.
pub(crate) fn agent_list(
    over: &Over<'_>,
    is_whole: bool,
) -> Result<Vec<OwnDestination>, ActionError> {
    let Some(profile) = over.profile else { return Ok(Vec::new()) };
    let mut list = OwnDestination::all(&profile.spec.output_config)?;
    let taken = Taken::of(over.plan, over.state);
    if taken != Taken::All {
        let namespace = profile.spec.knowledge_config.first();
        let left = |one: OwnDestination| {
            let left = taken.left(one.destination, &namespace)?;
            (is_whole || says_warnings(&left))
                .then_some(OwnDestination { destination: left, ..one })
        };
        list = list.into_iter().filter_map(left).collect();
    }
    Ok(list)
}

fn own(over: &Over<'_>, answer: &Answer) -> Vec<Destination> {
    let saved = over.plan.output.as_ref().map(|output| saving(over, output, answer));
    saved.unwrap_or_default()
}

fn of_profile(over: &Over<'_>) -> Result<Vec<Destination>, ActionError> {
    let taken = Taken::of(over.plan, over.state);
    let Some(profile) = over.profile.filter(|_| taken != Taken::All) else { return Ok(Vec::new()) };
    let destinations = profile.spec.output_config.destinations();
    let destinations = destinations.map_err(|error| ActionError::from_failure(&error))?;
    let namespace = profile.spec.knowledge_config.first();
    Ok(destinations.into_iter().filter_map(|one| taken.left(one, &namespace)).collect())
}

/// A list of destinations: its part of the key, and where its rows come from.
type List = (&'static str, fn(usize) -> OutputOrigin);

const OWN: List = ("output", OutputOrigin::SaveTo);
const PROFILE: List = ("profile", OutputOrigin::Profile);

/// The key follows from the run, so that finishing again writes nothing twice.
fn keyed(call: &Call, (list, _): List) -> Call {
    Call { idempotency_key: format!("{}/{list}", call.idempotency_key), ..call.clone() }
}

/// An answer of which a part is not known goes only where that is said beside it.
fn fitting(destinations: &[Destination], is_whole: bool) -> (Vec<Destination>, Vec<Destination>) {
    destinations.iter().cloned().partition(|one| is_whole || says_warnings(one))
}

/// Routes to destinations.
async fn sent(
    context: &Context,
    call: &Call,
    (list, destinations): (List, &[Destination]),
    data: &Value,
    is_whole: bool,
) -> Vec<Value> {
    let (fit, unfit) = fitting(destinations, is_whole);
    let call = keyed(call, list);
    let places = OutputPorts { content: &context.content, graph: &context.graph };
    let row = |(n, row): (usize, &Routed)| {
        let mut row = serde_json::to_value(row).ok()?;
        row["origin"] = serde_json::to_value(list.1(n)).ok()?;
        Some(row)
    };
    let mut rows = match route(places, &call, &fit, data).await {
        Ok(rows) => rows.iter().enumerate().filter_map(row).collect(),
        Err(error) => vec![failed(&call, list.0, &error)],
    };
    rows.extend(unfit.iter().map(|one| failed(&call, one.kind(), &incomplete())));
    rows
}

/// Whether what is written there begins with what could not be known.
fn says_warnings(destination: &Destination) -> bool {
    use DestinationConfig::{Database, Graph, Table};
    !matches!(destination.config, Table(_) | Database(_) | Graph(_))
        && matches!(destination.format, Format::Markdown | Format::Structured)
}

fn incomplete() -> ActionError {
    let message = "a part of the answer is not known, and this destination has no place to say so";
    let error = ActionError::terminal("RESULT_INCOMPLETE", message);
    error.with_help("see `problems` of the response; repeat the run when they are solved")
}

fn failed(call: &Call, destination: &str, error: &ActionError) -> Value {
    serde_json::json!({
        "destination": destination, "status": "error", "details": null,
        "error": told(call, error),
    })
}

/// `save_to` as destinations.
fn saving(over: &Over<'_>, output: &OutputDecl, answer: &Answer) -> Vec<Destination> {
    let playbook = &over.plan.playbook.id;
    let document = DestinationConfig::Document(DocumentConfig {
        filename_template: format!("{playbook}_{{date}}"),
        folder_id: None,
        create_if_missing: false,
        title: over.head.playbook_name.clone(),
        layout: answer.layout.clone(),
    });
    let table = DestinationConfig::Table(TableConfig {
        workspace_id: None,
        table_name: playbook.replace('-', "_"),
        source: records_at(&answer.shown),
        mapping: None,
        create_if_missing: true,
        deduplication_key: Vec::new(),
    });
    let configs = match output.save_to {
        SaveTo::None => vec![],
        SaveTo::Document => vec![document],
        SaveTo::Workspace => vec![table],
        SaveTo::Both => vec![document, table],
    };
    let destination = |config| Destination {
        format: answer.format,
        condition: None,
        transforms: Vec::new(),
        config,
    };
    configs.into_iter().map(destination).collect()
}

/// Where the first list of records is; the whole, when there is none. A section that is not known may have been it, so that no
/// other takes its place.
fn records_at(shown: &Value) -> String {
    let is_records = |value: &Value| match value {
        Value::Null => true,
        value => value.as_array().is_some_and(|all| all.iter().all(Value::is_object)),
    };
    let fields = shown.as_object().into_iter().flatten();
    let found = fields.filter(|(_, value)| is_records(value)).map(|(name, _)| name.clone()).next();
    found.unwrap_or_default()
}
