//! What runs by itself with a playbook: monitors, schedules and triggers. Nobody is there to see that it is gone, or that it looks
//! anew.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use countersign_clock::{Schedule, Trigger};
use countersign_identity::UserId;
use countersign_monitor::{MonitorSpec, detections};
use countersign_playbook::{Code, Diagnostic, Place, ValidPlaybook};
use countersign_profile::{Profile, ProfileId};
use countersign_registry::Registry;
use countersign_store_catalog::{Stored, StoredPlaybook};
use countersign_web::Problem;

use crate::Context;

type Monitor = Stored<MonitorSpec>;

/// So many of its users are named.
const NAMED: usize = 5;

/// Refuses to remove a playbook that something needs.
///
/// # Errors
/// `PLAYBOOK_IN_USE`, with what needs it.
pub(super) async fn none(ctx: &Context, playbook: &StoredPlaybook) -> Result<(), Problem> {
    let Some(owner) = &playbook.owner else { return Ok(()) };
    let users = users(ctx, owner, &playbook.playbook.id).await?;
    if users.is_empty() {
        return Ok(());
    }
    let named: Vec<&str> = users.iter().take(NAMED).map(|(_, said)| said.as_str()).collect();
    let more = users.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let detail = format!("the playbook is what {}{more} runs with", named.join(", "));
    let ids: Vec<&str> = users.iter().map(|(id, _)| id.as_str()).collect();
    let problem = Problem::conflict("PLAYBOOK_IN_USE", detail).with("users", ids);
    Err(problem.with_hint("remove what needs it, or give it another playbook"))
}

/// The ids and names of what runs with a playbook.
async fn users(ctx: &Context, owner: &UserId, id: &str) -> Result<Vec<(String, String)>, Problem> {
    let (schedules, triggers) =
        (ctx.catalog.collection::<Schedule>(), ctx.catalog.collection::<Trigger>());
    let (schedules, triggers) = (schedules.all(owner).await?, triggers.all(owner).await?);
    let mut agents = Agents::default();
    let mut found = Vec::new();
    for monitor in with(ctx, owner, id, &mut agents).await? {
        found.push(said("monitor", monitor.id.as_str(), &monitor.spec.name));
    }
    for one in schedules
        .iter()
        .filter(|one| one.spec.playbook_id.as_deref().is_some_and(|own| *own == *id))
    {
        found.push(said("schedule", one.id.as_str(), &one.spec.name));
    }
    for one in &triggers {
        let agent = agents.of(ctx, owner, &one.spec.profile_id).await?;
        if agent.is_some_and(|agent| one.spec.playbook(&agent.spec) == Some(id)) {
            found.push(said("trigger", one.id.as_str(), &one.spec.name));
        }
    }
    Ok(found)
}

fn said(kind: &str, id: &str, name: &str) -> (String, String) {
    (id.to_owned(), format!("the {kind} `{name}` ({id})"))
}

/// The monitors that look with a playbook: it is named by them, or their agent's first one.
async fn with(
    ctx: &Context,
    owner: &UserId,
    id: &str,
    agents: &mut Agents,
) -> Result<Vec<Monitor>, Problem> {
    let mut found = Vec::new();
    for monitor in ctx.catalog.collection::<Monitor>().all(owner).await? {
        let agent = agents.of(ctx, owner, &monitor.spec.profile_id).await?;
        if agent.is_some_and(|agent| monitor.spec.playbook(&agent.spec) == Some(id)) {
            found.push(monitor);
        }
    }
    Ok(found)
}

/// Agents that were looked up, each once.
#[derive(Default)]
struct Agents(BTreeMap<String, Option<Profile>>);

impl Agents {
    async fn of(
        &mut self,
        ctx: &Context,
        owner: &UserId,
        id: &ProfileId,
    ) -> Result<Option<&Profile>, Problem> {
        let known = match self.0.entry(id.to_string()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(ctx.catalog.profiles().get(owner, id).await?),
        };
        Ok(known.as_ref())
    }
}

/// What a change of a playbook means for the monitors that look with it.
///
/// # Errors
/// A [`Problem`] when a table does not answer.
pub(super) async fn warned(
    ctx: &Context,
    before: &StoredPlaybook,
    after: &ValidPlaybook,
) -> Result<Vec<Diagnostic>, Problem> {
    let Some(owner) = &before.owner else { return Ok(Vec::new()) };
    let Some(said) = change(&before.playbook, after, &ctx.registry) else { return Ok(Vec::new()) };
    let monitors = with(ctx, owner, &before.playbook.id, &mut Agents::default()).await?;
    let warning = |monitor: Monitor| {
        let message = format!("the monitor `{}` ({}) {said}", monitor.spec.name, monitor.id);
        Diagnostic::new(
            Code::LooksAnew,
            Place { line: 1, column: 1, length: 1, ..Place::default() },
            message,
        )
    };
    Ok(monitors.into_iter().map(warning).collect())
}

/// What a monitor does otherwise with another text of its playbook: where it looked, it cannot look any more, or steps of other
/// names begin anew.
fn change(before: &ValidPlaybook, after: &ValidPlaybook, registry: &Registry) -> Option<String> {
    let looked = detections(before, registry).ok()?;
    let looks = match detections(after, registry) {
        Ok(looks) => looks,
        Err(why) => return Some(format!("cannot look with it any more: {why}")),
    };
    let looked: BTreeSet<&str> = looked.iter().map(|one| one.step).collect();
    let looks: BTreeSet<&str> = looks.iter().map(|one| one.step).collect();
    let list =
        |all: Vec<&&str>| all.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ");
    let gone = list(looked.difference(&looks).collect());
    let new = list(looks.difference(&looked).collect());
    if gone.is_empty() || new.is_empty() {
        return None;
    }
    Some(format!(
        "looks anew with {new}: a watermark is its step's, by name, and what came since {gone} looked last is not found"
    ))
}

#[cfg(test)]
mod tests {
    use countersign_playbook::{CompileContext, PlaybookSource, compile};

    use super::*;

    fn playbook(steps: &str) -> ValidPlaybook {
        let text = format!("name: Watch\nid: watch\nsteps:\n{steps}");
        let registry = Registry::builtin();
        let compiled = compile(&PlaybookSource::new("watch", text), &CompileContext::of(&registry));
        compiled.playbook.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
    }

    fn step(name: &str) -> String {
        format!(
            "  - name: {name}\n    step_type: tool\n    action: detect_folder_changes\n    inputs: {{folder_id: reports}}\n"
        )
    }

    fn check(before: &str, after: &str, expect: Option<&str>) {
        let said = change(&playbook(before), &playbook(after), &Registry::builtin());
        match (said, expect) {
            (Some(said), Some(expect)) => assert!(said.contains(expect), "{said}"),
            (said, expect) => assert_eq!(said.as_deref(), expect),
        }
    }

    #[test]
    fn issue_14_whoever_renames_a_detection_step_is_warned_that_it_looks_anew() {
        let (one, other) = (step("look"), step("look_again"));
        check(&one, &one, None);
        check(&one, &other, Some("looks anew with `look_again`"));
        check(&one, &format!("{one}{other}"), None);
        check(&format!("{one}{other}"), &one, None);
        let none = "  - name: list\n    step_type: tool\n    action: query_journal\n    inputs: {query: reports}\n";
        check(&one, none, Some("cannot look with it any more"));
        check(none, &one, None);
    }
}
