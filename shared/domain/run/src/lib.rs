//! Runs: what happened, and what that means.
//!
//! A run is not its Step Functions execution: an execution may be aborted or lost, the run goes on with the next
//! attempt. What happened is an append-only set of [`Event`]s; what it means is a fold over them ([`fold`]). Events of
//! steps commute, so the fold does not depend on the order they arrive in.

mod ancestry;
mod applied;
mod asked_by;
mod context;
mod conversation;
mod counted;
mod draft;
mod event;
mod fired;
mod fold;
#[cfg(test)]
#[path = "tests.rs"]
mod fold_tests;
mod found_page;
mod from_monitor;
mod head;
mod model_call;
mod model_use;
mod occurrence;
mod open;
mod partly;
mod quota;
mod record;
mod recorded;
mod replayed;
mod response;
mod revision;
mod rights;
mod sent;
mod statistics;
mod status;
mod stored_names;
pub mod summary;
mod team_context;
mod tool_call;
mod turns;
mod warnings;

pub use ancestry::Ancestry;
pub use applied::{ApprovalPolicy, ExecutionMode, GatePolicy, UnderstoodInput};
pub use asked_by::{AskedBy, AskedByKind, attempt_in_words};
pub use conversation::{AskedIn, Conversation, ConversationId, InConversation, LATEST, MAX_TITLE};
pub use draft::Draft;
pub use event::{Event, EventKind, GateOutcome, Sending};
pub use fired::TriggeredBy;
pub use fold::{RunState, StepState, fold};
pub use found_page::FoundPage;
pub use from_monitor::{BatchId, FromMonitor, MonitorId};
pub use head::{DryRun, Head, RunContext, Stop, StopReason, WAS_A_REPLAY, WAS_A_TEST};
pub use model_call::{LeftEnd, ModelCall, ModelCallEnd, ModelCallStatus};
pub use model_use::{ModelUse, WRITTEN_BY_A_MODEL};
pub use occurrence::{
    InvalidOccurrence, Occurrence, OccurrenceId, OccurrenceReason, OccurrenceSource,
    OccurrenceState, QUOTA_EXCEEDED,
};
pub use open::OpenOccurrence;
pub use partly::{PARTLY_DONE, partly_done};
pub use quota::{Quota, QuotaExceeded, QuotaKind, SourceLimit, SourceLimitExceeded, day_of};
pub use record::{
    ConnectorCall, DestinationCount, EndPart, EntityCounts, NotWritten, RunRecord, StepProblem,
    Strategy,
};
pub use replayed::{PROMPT_CHANGED, Replayed};
pub use response::{
    Blocked, BlockedData, BlockedError, Confidence, OutputOrigin, Response, RoutedOutput,
};
pub use revision::Revised;
pub use rights::NotPermitted;
pub use sent::{EFFECT_NOT_DONE, EFFECT_UNKNOWN, Said, Sent};
pub use statistics::{AgentFigures, ConnectorFigures, DayFigures, Figures, Statistics};
pub use status::{
    CONDITION_FALSE, GATE_CLOSED, GATE_DENIED, GATE_NOT_ASKED, GATE_SKIPPED, GATE_TIMED_OUT,
    IllegalTransition, RUN_STOPPED, RunStatus, STATUSES_OF_RUNS, StepStatus,
};
pub use stored_names::names_stored;
pub use team_context::{InvocationSource, TeamContext, TeamId};
pub use tool_call::{ToolAsk, ToolCall};
pub use turns::{OpenPlace, had_before, in_turns, left_at};
pub use warnings::{
    StepWarnings, WarningText, all_warnings, left_out, warned, warning_count, warning_sentences,
};

countersign_ids::prefixed_id! {
    /// A run.
    pub struct RunId("run");
}

/// Executions are named `{run}-{attempt}`.
#[must_use]
pub fn execution_name(run: &RunId, attempt: u32) -> String {
    format!("{run}-{attempt}")
}

/// The run and attempt an execution's name speaks of; none when the name is not one of ours.
#[must_use]
pub fn parse_execution_name(name: &str) -> Option<(RunId, u32)> {
    let (run, attempt) = name.rsplit_once('-')?;
    Some((RunId::parse(run).ok()?, attempt.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_execution_name_says_which_run_and_attempt() {
        let run = RunId::from_bytes([7; 16]);
        let name = execution_name(&run, 12);
        assert!(name.len() <= 80);
        assert_eq!(parse_execution_name(&name), Some((run, 12)));
        assert_eq!(parse_execution_name("something-else"), None);
    }
}
