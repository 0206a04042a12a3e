//! The head of a run: what every step reads first.

use countersign_identity::{Presented, Scopes, UserId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AskedIn, ExecutionMode, FromMonitor, GatePolicy, OccurrenceId, Replayed, Revised, RunId,
    RunRecord, RunStatus, StepWarnings, Strategy, TeamContext, UnderstoodInput,
};

/// How a run came about, the least strict first: written in playbooks and profiles, and kept with the
/// run.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunContext {
    /// Somebody waits for it.
    #[default]
    Interactive,
    /// Somebody asked for it and went on.
    Background,
    /// A cron schedule.
    Scheduled,
    /// A monitor saw something new.
    Monitor,
}

impl RunContext {
    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A test run: nothing it does has an effect, and how much of it happens (K-46).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DryRun {
    /// Steps that only read happen, with the agent's own data sources; what stands in for the others is marked.
    Reads,
    /// Only steps that compute happen; nothing outside the run is asked.
    Samples,
}

impl DryRun {
    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What the report of a test says before anything else.
pub const WAS_A_TEST: &str = "This was a test: steps with an effect were not carried out, and what stands in for their results is not real.";

/// What the report of a replay says before anything else.
pub const WAS_A_REPLAY: &str =
    "This was a replay: nothing was asked or sent, and every answer is that of the run it replays.";

/// Why a run ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A step failed and `on_error` is `stop`.
    StepFailed,
    /// A gate was refused and `on_reject` is `stop`.
    Rejected,
    /// A gate's deadline passed and `on_reject` is `stop`.
    TimedOut,
    /// Somebody cancelled the run.
    Cancelled,
    /// The run cannot go on: its plan does not validate any more, or its attempts came to nothing.
    Broken,
}

/// The flag every later step reads before it does anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunStop")]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// The step it began with, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Who, for a cancelled run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UserId>,
    /// The stable code of why, where no step says it: the run could not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What the reader should know, without secrets.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

impl Stop {
    /// That the run could not begin or go on, as a sentence; none when a step, a person or a limit ended it.
    #[must_use]
    pub fn broken(&self) -> Option<String> {
        let is_broken = self.reason == StopReason::Broken && self.step.is_none();
        let code = self.code.as_ref().map_or_else(String::new, |code| format!(" ({code})"));
        is_broken.then(|| format!("{}{code}", self.message.trim_end_matches('.')))
    }

    /// Why a step was not run after it. The step it began with says all of it once, and is named.
    #[must_use]
    pub fn after(&self) -> String {
        let why = match &self.step {
            Some(step) => format!("see `{step}`"),
            None => self.message.clone(),
        };
        format!("the run is ending: {why}")
    }
}

/// The head item of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The run.
    pub run: RunId,
    /// Whose records it reads and writes.
    pub owner: UserId,
    /// Who started it: the owner, or a member the agent is shared with.
    pub invoked_by: UserId,
    /// Their name when they started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invoked_by_name: Option<String>,
    /// Their mail address when they started it, if it was proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invoked_by_email: Option<String>,
    /// The scopes of the token it was started with. What a step may do is this ∩ the directory, at that moment.
    pub scopes: Scopes,
    /// The token it was started with, as it was presented: once that is void, no step acts any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Presented>,
    /// The inputs that a member gave, by name; none of a run that its owner started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_inputs: Vec<String>,
    /// The profile it belongs to; empty for the test of a playbook without an agent.
    pub profile_id: String,
    /// The profile's name when it started.
    pub profile_name: String,
    /// Its handle when it started (F-019); empty of runs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent_handle: String,
    /// Whether it was asked for by writing that handle in a message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mentioned: bool,
    /// Set when a member of a team started it, with an agent that its owner shares with that team (F-018).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_context: Option<TeamContext>,
    /// The playbook it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<String>,
    /// The playbook's name when it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    /// Why this playbook, when the question chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_because: Option<String>,
    /// The inputs that were read from the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub understood: Vec<UnderstoodInput>,
    /// What was asked.
    #[serde(default)]
    pub query: String,
    /// How it came about.
    pub context: RunContext,
    /// What asked for it, when that was no person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<OccurrenceId>,
    /// How its answer is found; runs of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// How much a model takes part: of the request, else the playbook, else the profile.
    #[serde(default)]
    pub execution_mode: ExecutionMode,
    /// What its gates do; those of a run that a person starts ask, unless that person wants them skipped.
    #[serde(default)]
    pub approval_policy: GatePolicy,
    /// Set when the run is a test; absent for a run that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
    /// Set for the run of a monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_monitor: Option<FromMonitor>,
    /// Set when it was asked in a conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_in: Option<AskedIn>,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When the profile's last successful run before this one finished; what `{last_execution_date}` shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_finished_at: Option<Timestamp>,
    /// The execution that carries it now: 1, 2, …
    pub attempt: u32,
    /// When it was last begun anew because its execution had come to no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt_at: Option<Timestamp>,
    /// Attempts in a row that brought nothing new.
    #[serde(default)]
    pub idle_attempts: u32,
    /// How many events there were when the last attempt started.
    #[serde(default)]
    pub events_at_attempt: u64,
    /// The runs it repeats, the first one in front: what they have sent is not sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<RunId>,
    /// The run that repeats this one. There is at most one: whoever wants to go on repeats that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated_by: Option<RunId>,
    /// Set for a test that replays a run: what was asked and read then stands in for asking and reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replays: Option<Replayed>,
    /// What is carried out again because somebody asked for changes.
    #[serde(default, skip_serializing_if = "Revised::is_empty")]
    pub revised: Revised,
    /// Raised by every change of the head.
    pub version: u64,
    /// The seal of the plan, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
    /// What its steps could not read as it should be, in the order they ended; one entry for each step that warned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<StepWarnings>,
    /// Set when the run is to end early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// The final status, once finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RunStatus>,
    /// When it finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// What it did, in figures, once finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RunRecord>,
}

impl Head {
    /// The head of a run that is asked for at this time, by its owner: nothing else is known of it, and nothing has happened.
    #[must_use]
    pub fn asked(run: RunId, owner: UserId, context: RunContext, now: Timestamp) -> Self {
        Self {
            run,
            invoked_by: owner.clone(),
            owner,
            invoked_by_name: None,
            invoked_by_email: None,
            scopes: Scopes::default(),
            token: None,
            given_inputs: Vec::new(),
            profile_id: String::new(),
            profile_name: String::new(),
            agent_handle: String::new(),
            mentioned: false,
            team_context: None,
            playbook_id: None,
            playbook_name: None,
            chosen_because: None,
            understood: Vec::new(),
            query: String::new(),
            context,
            occurrence: None,
            strategy: None,
            execution_mode: ExecutionMode::default(),
            approval_policy: GatePolicy::default(),
            dry_run: None,
            from_monitor: None,
            asked_in: None,
            started_at: now,
            last_finished_at: None,
            attempt: 1,
            attempt_at: None,
            idle_attempts: 0,
            events_at_attempt: 0,
            repeats: Vec::new(),
            repeated_by: None,
            replays: None,
            revised: Revised::default(),
            version: 1,
            seal: None,
            warnings: Vec::new(),
            stop: None,
            status: None,
            finished_at: None,
            record: None,
        }
    }

    /// What is said of a run that has no effect, before anything else: a replay, or another test.
    #[must_use]
    pub fn notice(&self) -> Option<&'static str> {
        let replay = self.replays.as_ref().map(|_| WAS_A_REPLAY);
        replay.or(self.dry_run.map(|_| WAS_A_TEST))
    }

    /// The run that first meant to make the calls of this one: their keys are made of it, so that a repetition sends the
    /// same ones.
    #[must_use]
    pub fn origin(&self) -> &RunId {
        self.repeats.first().unwrap_or(&self.run)
    }

    /// The run of a monitor's batch that a person has repeated with this one: the repetition has no occurrence of its own, and what
    /// led to the batch led to it.
    #[must_use]
    pub fn repeated_of_monitor(&self) -> Option<&RunId> {
        let is_by_hand = self.occurrence.is_none() && self.from_monitor.is_some();
        self.repeats.first().filter(|_| is_by_hand)
    }

    /// Which run of its occurrence this is, from the second on: those before it failed. None of a run that no occurrence has.
    #[must_use]
    pub fn attempt_of_occurrence(&self) -> Option<u32> {
        let before = u32::try_from(self.repeats.len()).ok()?;
        self.occurrence.as_ref().filter(|_| before > 0).map(|_| before.saturating_add(1))
    }

    /// From the request to the end, with all waiting, in milliseconds; none while it is not over.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        let took = self.finished_at?.duration_since(self.started_at);
        Some(u64::try_from(took.as_millis()).unwrap_or_default())
    }
}
