//! What steps know of their run.

use countersign_registry::action::RunInfo;
use countersign_run::Head;

/// What a step of a run is told of it, with `warnings`: what the steps before could not read, one sentence per step.
/// Of a test or a replay, the first says so: whatever is written of the run begins with it.
#[must_use]
pub fn run_info(head: &Head, warnings: Vec<String>) -> RunInfo {
    RunInfo {
        profile_id: head.profile_id.clone(),
        profile_name: head.profile_name.clone(),
        playbook_id: head.playbook_id.clone(),
        query: head.query.clone(),
        run_context: head.context.as_str().to_owned(),
        dry_run: head.dry_run.is_some(),
        invoked_by: head.invoked_by.clone(),
        team: head.team_context.as_ref().map(|team| team.team_id.to_string()),
        started_at: head.started_at,
        monitor: head.from_monitor.as_ref().map(|from| from.monitor.to_string()),
        warnings: head.notice().map(str::to_owned).into_iter().chain(warnings).collect(),
    }
}
