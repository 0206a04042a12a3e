//! The entry of a run that waits for people (F-224): written when a request opens, taken away when it closes.

use countersign_identity::UserId;
use countersign_run::{AskedBy, RunContext, StepState, StepStatus, TeamId};
use countersign_zones::to_the_second;
use jiff::Timestamp;

use crate::account::{asked, by, counted, named};
use crate::entry::{Entry, EntryId, JournalConfig, Origin, TaskStatus};

/// A run that waits.
#[derive(Debug, Clone)]
pub struct Waiting<'a> {
    /// The request, `appr_…`.
    pub approval: &'a str,
    /// The step that asks.
    pub step: &'a str,
    /// When it ends by itself.
    pub deadline: Timestamp,
    /// The run.
    pub run: &'a str,
    /// Its owner.
    pub owner: &'a UserId,
    /// The profile, `prof_…`.
    pub profile_id: &'a str,
    /// The playbook's or the profile's name.
    pub name: &'a str,
    /// What was asked.
    pub query: &'a str,
    /// How it came about.
    pub context: RunContext,
    /// What asked for it, when that was no person.
    pub asked_by: Option<&'a AskedBy>,
    /// Who started it.
    pub invoked_by: &'a UserId,
    /// The team as whose member they did.
    pub team: Option<&'a TeamId>,
    /// Its steps so far, in order.
    pub steps: &'a [(String, StepState)],
    /// When the request was opened.
    pub at: Timestamp,
}

/// The entry of a run that waits; none when the profile does not want entries.
#[must_use]
pub fn waiting(run: &Waiting<'_>, config: &JournalConfig) -> Option<Entry> {
    config.auto_journal.then(|| Entry {
        id: EntryId::of_request(run.approval),
        agent_profile_id: run.profile_id.to_owned(),
        user_id: run.owner.clone(),
        execution_id: run.run.to_owned(),
        origin: Origin::Run,
        summary: format!(
            "{}{}{} waits at {} for people to decide ({}), until {}. {}",
            run.name,
            asked(run.query),
            by(run.asked_by),
            run.step,
            run.approval,
            to_the_second(run.deadline),
            counted(run.steps),
        ),
        brief: Some(format!(
            "{}{}{} waits for people to decide. {}",
            run.name,
            asked(run.query),
            by(run.asked_by),
            counted(run.steps),
        )),
        detail_entries: Vec::new(),
        run_context: run.context,
        occurrence: None,
        invoked_by: run.invoked_by.clone(),
        team_id: run.team.map(ToString::to_string),
        entities_mentioned: Vec::new(),
        steps_completed: named(run.steps, StepStatus::is_done),
        entities_discovered: Vec::new(),
        outputs_produced: Vec::new(),
        approvals: Vec::new(),
        task_status: TaskStatus::AwaitingApproval,
        error_summary: None,
        created_at: run.at,
        expires_at: config.expiry(run.at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(config: &JournalConfig) -> Option<Entry> {
        let user = UserId::from_bytes([1; 16]);
        let step = |status| StepState {
            status,
            code: None,
            message: None,
            count: None,
            took_ms: 1,
            model: None,
            tool_calls: Vec::new(),
            approval: None,
            sent: None,
        };
        let steps = [
            ("read".to_owned(), step(StepStatus::Done)),
            ("sign_off".to_owned(), step(StepStatus::Waiting)),
        ];
        let run = Waiting {
            approval: "appr_1",
            step: "sign_off",
            deadline: "2026-01-08T00:00:00Z".parse().unwrap(),
            run: "run_1",
            owner: &user,
            profile_id: "prof_1",
            name: "pay",
            query: "pay them",
            context: RunContext::Background,
            asked_by: None,
            invoked_by: &user,
            team: None,
            steps: &steps,
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
        };
        waiting(&run, config)
    }

    #[test]
    fn f_224_a_run_that_waits_says_where_for_what_and_until_when() {
        let made = entry(&JournalConfig::default()).unwrap();
        assert_eq!(made.task_status, TaskStatus::AwaitingApproval);
        assert_eq!(made.steps_completed, ["read"]);
        assert_eq!(
            made.summary,
            "pay for \"pay them\" waits at sign_off for people to decide (appr_1), until 2026-01-08 00:00:00Z. 1 of 2 steps \
             done, 1 not run."
        );
        let silent = JournalConfig { auto_journal: false, ..JournalConfig::default() };
        assert_eq!(entry(&silent), None);
    }
}
