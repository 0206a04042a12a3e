//! Runs that a member of a team starts with an agent of somebody else.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Head, RunContext};

countersign_ids::prefixed_id! {
    /// One team.
    pub struct TeamId("team");
}

/// As whose member a run was started, and what the team granted its agent then (F-018).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamContext {
    /// The team.
    pub team_id: TeamId,
    /// Whether the agent might read its files.
    pub team_file_access: bool,
    /// Whether the agent might read its posts.
    pub team_post_access: bool,
}

/// Where a run was asked for (F-019).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvocationSource {
    /// Somebody wrote the agent's handle in a message.
    Mention,
    /// Somebody chose the agent.
    Sidebar,
    /// A schedule, a monitor or a trigger.
    Scheduled,
    /// Somebody asked for it and went on.
    Background,
}

impl Head {
    /// Where it was asked for: as the request says, else as it follows from how the run came about.
    #[must_use]
    pub fn invocation_source(&self) -> InvocationSource {
        let is_clocked = matches!(self.context, RunContext::Scheduled | RunContext::Monitor);
        match self.mentioned {
            _ if is_clocked || self.occurrence.is_some() => InvocationSource::Scheduled,
            true => InvocationSource::Mention,
            false if self.context == RunContext::Background => InvocationSource::Background,
            false => InvocationSource::Sidebar,
        }
    }

    /// Whoever started the run with an agent that somebody else shares with their team; none when its owner did.
    #[must_use]
    pub fn member(&self) -> Option<&countersign_identity::UserId> {
        self.team_context.as_ref().map(|_| &self.invoked_by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OccurrenceId;
    use crate::fold_tests::head;

    #[test]
    fn f_019_where_a_run_was_asked_for_follows_from_how_it_came_about() {
        use InvocationSource::{Background, Mention, Scheduled, Sidebar};
        let check = |context, mentioned, expect| {
            let asked = Head { context, mentioned, ..head() };
            assert_eq!(asked.invocation_source(), expect, "{context:?} {mentioned}");
        };
        check(RunContext::Interactive, false, Sidebar);
        check(RunContext::Interactive, true, Mention);
        check(RunContext::Background, false, Background);
        check(RunContext::Background, true, Mention);
        check(RunContext::Scheduled, false, Scheduled);
        check(RunContext::Monitor, true, Scheduled);
        let due = OccurrenceId::new("trig_1", jiff::Timestamp::UNIX_EPOCH);
        let fired = Head { occurrence: Some(due), context: RunContext::Background, ..head() };
        assert_eq!(fired.invocation_source(), Scheduled);
    }

    #[test]
    fn f_018_only_a_run_of_a_team_has_a_member() {
        assert_eq!(head().member(), None);
        let team_context = Some(TeamContext {
            team_id: TeamId::from_bytes([1; 16]),
            team_file_access: false,
            team_post_access: true,
        });
        let of_team = Head { team_context, ..head() };
        assert_eq!(of_team.member(), Some(&of_team.invoked_by));
    }
}
