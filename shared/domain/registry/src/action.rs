//! What the handler of an action is given and gives back.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use countersign_effect::Effect;
use countersign_failure::{Class, Failure, chain};
use countersign_identity::UserId;
use countersign_run::{LeftEnd, ModelUse};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use countersign_model_list::{ModelChoice, ModelList};

use crate::contract::Contract;
use crate::output_schema::OutputSchema;
use crate::talk::{PriorTurns, Said};

/// What a step knows of the run it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The profile the run belongs to, `prof_…`.
    pub profile_id: String,
    /// The profile's name, for documents and mails.
    pub profile_name: String,
    /// The playbook's id, when the run follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<String>,
    /// What was asked, in the caller's words.
    #[serde(default)]
    pub query: String,
    /// `interactive | background | scheduled | monitor`.
    pub run_context: String,
    /// Whether the run is a test: whatever the action does beside answering is left out (K-46).
    #[serde(default)]
    pub dry_run: bool,
    /// Who started the run: the owner or a team member.
    pub invoked_by: UserId,
    /// The team as whose member they started it, `team_…`; none when the agent is theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// When the run started.
    pub started_at: Timestamp,
    /// The monitor that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monitor: Option<String>,
    /// For actions that write: what the steps before could not read, one sentence per step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One call of an action, with its wiring already resolved and checked against the contract.
#[derive(Debug, Clone)]
pub struct Call {
    /// The run, `run_…`.
    pub run: String,
    /// The step's name in its plan.
    pub step: String,
    /// Whose records may be read and written. Every lookup is under this owner.
    pub owner: UserId,
    /// The action's name.
    pub action: String,
    /// Resolved inputs, defaults filled in.
    pub inputs: Map<String, Value>,
    /// Resolved params, defaults filled in.
    pub params: Map<String, Value>,
    /// The same for every attempt of this step with these inputs: writes carry it so that a retry changes nothing.
    pub idempotency_key: String,
    /// The clock of this attempt.
    pub now: Timestamp,
    /// How long the step may still take.
    pub remaining: Duration,
    /// The run.
    pub info: RunInfo,
    /// What the step must answer, when a model does it.
    pub output_schema: Option<OutputSchema>,
    /// The model that does it, when it is another than the deployment's.
    pub model: Option<ModelChoice>,
    /// What an action that asks a model is given by the step protocol.
    pub asking: Asking,
    /// Whether it is one of the calls of a step over a list.
    pub is_for_each_item: bool,
    /// What the model wrote before, when whoever was to sign it asked for changes.
    pub rewrite: Option<Box<Rewrite>>,
    /// What an irreversible action may send, and nothing else. Made by the step protocol alone, after it has written the
    /// intent.
    pub permit: Option<Permit>,
}

/// What an action that asks a model is given beside its arguments.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    /// The models that an administrator has listed, where that was read with the run.
    pub list: ReadList,
    /// Where the end of its last turn is left, to be written with what came of the step; none where it is written at once.
    pub end: Option<Arc<LeftEnd>>,
}

/// The models that an administrator has listed, as a step has read them.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ReadList {
    /// They were not read.
    #[default]
    Not,
    /// This list, or that there is none.
    Read(Option<Box<ModelList>>),
}

/// What a model is to rewrite (R-060…R-062).
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    /// What it wrote last; null when that has no value.
    pub before: Value,
    /// What people asked for since it first wrote, the earliest first.
    pub changes: Vec<Change>,
}

/// Instructions of somebody who was to sign what a model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Whether they replace the task and every change before; else they are added.
    pub is_instead: bool,
    /// What is to be done.
    pub instructions: String,
}

/// Asks again whether a signed effect may still be sent. For a rate, for a token, or because its source asked it to, a call may
/// wait for minutes after its step has looked.
pub trait Recheck: fmt::Debug + Send + Sync {
    /// Why it may not be sent any more, or that this cannot be read; none when it may.
    fn refusal(&self) -> BoxFuture<'_, Option<ActionError>>;
}

/// A signed effect.
#[derive(Debug, Clone)]
pub struct Permit {
    /// What was signed: it is sent as it is, credentials filled in last.
    pub effect: Effect,
    /// The receipt that allows it.
    pub receipt: String,
    /// Asked each time before it is sent; none in tests of actions.
    pub recheck: Option<Arc<dyn Recheck>>,
}

/// The calls of one step whose effects are to be described: one, or one for each item of its list.
#[derive(Debug, Clone, Copy)]
pub struct EffectsOf<'a> {
    /// Whose records they read.
    pub owner: &'a UserId,
    /// The profile the run belongs to, `prof_…`.
    pub profile_id: &'a str,
    /// The action's name.
    pub action: &'a str,
    /// Resolved params, the same for every call.
    pub params: &'a Map<String, Value>,
    /// The calls, in order.
    pub calls: &'a [CallOf<'a>],
    /// What they were bound to when their run was planned; none when nothing is known, or nothing will be sent.
    pub ahead: Option<&'a ReadAhead>,
}

/// What is different from call to call.
#[derive(Debug, Clone, Copy)]
pub struct CallOf<'a> {
    /// Resolved inputs.
    pub inputs: &'a Map<String, Value>,
    /// The idempotency key.
    pub key: &'a str,
}

impl EffectsOf<'_> {
    /// What `made` makes of each call, in order. An error says which of several calls it is about.
    ///
    /// # Errors
    /// That of the first call of which nothing can be made.
    pub fn each<T>(
        &self,
        made: impl Fn(&CallOf<'_>) -> Result<T, ActionError>,
    ) -> Result<Vec<T>, ActionError> {
        let all = self.calls.len();
        let numbered = |(n, call)| made(call).map_err(|error| error.of_call(n, all));
        self.calls.iter().enumerate().map(numbered).collect()
    }
}

/// What a call was bound to when its run was planned. It only says what is worth reading together with the binding: what
/// does not hold any more is read again, and nothing is decided by it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadAhead {
    /// The id of the credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// What the breaker of its source is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Says what an irreversible action would do, without doing it. Gate and step use the same one, so that what is shown and
/// what is sent cannot differ.
pub trait Describe: Send + Sync {
    /// The whole effect of each call, in order.
    ///
    /// A terminal error means that the calls cannot be made as they stand: nobody should be asked to sign them.
    fn describe<'a>(
        &'a self,
        of: &'a EffectsOf<'a>,
    ) -> BoxFuture<'a, Result<Vec<Effect>, ActionError>>;
}

/// What an action, or what it works with, answers in its time.
pub type ActionFuture<'a, T> = BoxFuture<'a, Result<T, ActionError>>;

/// What a model would be asked; none where none is.
pub type Foreseen = Result<Option<Value>, ActionError>;

/// Why an action did not succeed. The code is stable and lands in the step's event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[error("{message}")]
#[failure(code = code, class = *class, help = help.clone())]
pub struct ActionError {
    /// A stable code in `SCREAMING_SNAKE_CASE`.
    pub code: &'static str,
    /// What happened, for the person who reads the run; never a secret.
    pub message: String,
    /// Whether the engine may try again.
    pub class: Class,
    /// What the reader can do about it.
    pub help: Option<String>,
}

impl ActionError {
    /// An error that the same call would meet again.
    #[must_use]
    pub fn terminal(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), class: Class::Terminal, help: None }
    }

    /// An error that may pass.
    #[must_use]
    pub fn retryable(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), class: Class::Retryable, help: None }
    }

    /// Adds what the reader can do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says which of several calls, counted from 0, this is about.
    fn of_call(self, n: usize, calls: usize) -> Self {
        if calls < 2 {
            return self;
        }
        let message = format!("call {} of {calls}: {}", n + 1, self.message);
        Self { message, ..self }
    }

    /// Carries another crate's error over, with its whole chain as message. An error that forwards the words of its cause says them once.
    #[must_use]
    pub fn from_failure(error: &dyn Failure) -> Self {
        let message = chain(error);
        Self { code: error.code(), message, class: error.class(), help: error.help() }
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The output.
    pub output: Value,
    /// The model that wrote it.
    pub model: Option<ModelUse>,
}

/// The handler of one action, without its types: what is done with a call. Those of declared actions are made by
/// [`crate::Perform`]; a connector's endpoint has its types only at run time.
///
/// A handler is called at least once per step. Whatever it writes carries [`Call::idempotency_key`], so that a second
/// call after a crash leaves one result. Its output must have exactly the contract's output slots.
pub trait Handler: Send + Sync {
    /// The action's name in the registry.
    fn name(&self) -> &'static str;

    /// Does it.
    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>>;

    /// Does it, and says which model wrote the output; an action without one need not care.
    fn answer<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Answered, ActionError>> {
        Box::pin(async move { Ok(Answered { output: self.run(call).await?, model: None }) })
    }

    /// One turn of a conversation with tools; an action without one answers.
    fn turn<'a>(
        &'a self,
        call: &'a Call,
        _talk: &'a PriorTurns<'a>,
    ) -> BoxFuture<'a, Result<Said, ActionError>> {
        Box::pin(async move { self.answer(call).await.map(Said::Answers) })
    }

    /// The model that would write the output now, as its record would name it; none for an action without one.
    fn model(&self, _choice: Option<&ModelChoice>) -> Option<String> {
        None
    }

    /// What a model would be asked, with these tools, and the most that it could use: what a test shows instead of asking.
    ///
    /// # Errors
    /// [`ActionError`] when it would not be asked: the call would fail.
    fn foresee(&self, _call: &Call, _tools: Vec<Cow<'_, Contract>>) -> Foreseen {
        Ok(None)
    }
}
