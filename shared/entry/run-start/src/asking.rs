//! The head of a run that is asked for.

use countersign_profile::Profile;
use countersign_run::{
    AskedIn, DryRun, ExecutionMode, GatePolicy, Head, OccurrenceId, RunContext, RunId, Strategy,
    UnderstoodInput,
};
use countersign_store_catalog::StoredPlaybook;
use jiff::Timestamp;

use crate::Invoker;

/// What a playbook is for that was made for one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// One call that reads (F-031).
    Call,
    /// A model that looks for the answer (F-030).
    Research {
        /// Whether the model looks on the web.
        is_on_web: bool,
        /// Whether it also says what was asked and answered so far in the conversation.
        has_summary: bool,
    },
}

impl Made {
    fn strategy(self) -> Strategy {
        match self {
            Self::Call => Strategy::Direct,
            Self::Research { .. } => Strategy::Research,
        }
    }
}

/// What is asked of whom.
pub struct Asking<'a> {
    /// The agent; none for the test of a playbook alone.
    pub profile: Option<&'a Profile>,
    /// What is asked, in the caller's words.
    pub query: &'a str,
    /// How the run comes about.
    pub context: RunContext,
    /// What asked for it, when that is no person.
    pub occurrence: Option<OccurrenceId>,
    /// What its gates do.
    pub approval_policy: GatePolicy,
    /// How much a model takes part.
    pub mode: ExecutionMode,
    /// Why this playbook, when the question chose it.
    pub chosen_because: Option<String>,
    /// The inputs that the question said.
    pub understood: Vec<UnderstoodInput>,
    /// Set for a test.
    pub dry_run: Option<DryRun>,
    /// What the playbook was made for, when it was made for this question.
    pub made: Option<Made>,
    /// The conversation in which it is asked, as which question.
    pub asked_in: Option<AskedIn>,
}

impl Asking<'_> {
    /// The head of the run.
    #[must_use]
    pub fn head(
        &self,
        run: RunId,
        invoker: &Invoker,
        playbook: &StoredPlaybook,
        now: Timestamp,
    ) -> Head {
        let named =
            self.profile.map(|profile| (profile.id.to_string(), profile.spec.name.to_string()));
        let (profile_id, profile_name) = named.unwrap_or_default();
        let handle = self.profile.map(|profile| profile.spec.handle.to_string());
        Head {
            invoked_by: invoker.user.clone(),
            // What the token is worth now: a run never gets more than its caller had, and the directory may take it back.
            scopes: invoker.scopes.clone(),
            token: invoker.token.clone(),
            profile_id,
            profile_name,
            agent_handle: handle.unwrap_or_default(),
            mentioned: invoker.by_mention,
            team_context: invoker.shared.as_ref().map(|shared| shared.team.clone()),
            given_inputs: invoker
                .shared
                .as_ref()
                .map(|shared| shared.given.clone())
                .unwrap_or_default(),
            playbook_id: self.made.is_none().then(|| playbook.playbook.id.clone()),
            playbook_name: Some(playbook.playbook.name.clone()),
            chosen_because: self.chosen_because.clone(),
            understood: self.understood.clone(),
            query: self.query.to_owned(),
            strategy: Some(self.made.map_or_else(|| self.mode.strategy(), Made::strategy)),
            execution_mode: self.mode,
            approval_policy: self.approval_policy,
            dry_run: self.dry_run,
            occurrence: self.occurrence.clone(),
            asked_in: self.asked_in.clone(),
            ..Head::asked(run, invoker.owner().clone(), self.context, now)
        }
    }
}
