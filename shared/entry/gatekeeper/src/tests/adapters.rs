//! A world in memory: table, Step Functions, scheduler, mail, directory, run log and ledger, with a power switch.

mod records;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use countersign_approval::ports::{
    Notifier, Occasion, PortError, PortResult, ReceiptOutbox, RunLog, TooFew,
};
use countersign_approval::{
    ApprovalId, Opening, Receipt, ReceiptId, Request, RunId, Status, StepEffects, Vote,
};
use countersign_failure::{Class, Failure};
use countersign_identity::{Accounts, Capability, DirectoryEntry, Rights, Scopes, UserId};
use countersign_states::{Once, ResumeOutcome, StatesError};
use countersign_store_approvals::{Commit, Committed, Created, Loaded, Place, TaskToken};
use countersign_store_kit::{Result as StoreResult, StoreError};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;

pub(crate) use super::make::{at, by_mail, gate, payments, question, run, user};
use crate::{Alarms, Gatekeeper, Records, ResumeTask};

#[derive(Default)]
pub(crate) struct State {
    pub(crate) requests: BTreeMap<ApprovalId, Request>,
    pub(crate) votes: Vec<(ApprovalId, Vote)>,
    pub(crate) receipts: BTreeMap<ReceiptId, Receipt>,
    pub(crate) tokens: BTreeMap<ApprovalId, TaskToken>,
    pub(crate) unasked: BTreeMap<ApprovalId, (u32, Timestamp)>,
    pub(crate) unmoved: BTreeSet<ApprovalId>,
    /// Tokens somebody waits with; waking takes them.
    pub(crate) waiting: BTreeSet<String>,
    /// What woken tasks were told.
    pub(crate) told: Vec<(String, Value)>,
    pub(crate) alarms: BTreeMap<String, Timestamp>,
    /// Mails by person, version and occasion: the outbox mails each once.
    pub(crate) mails: BTreeSet<(UserId, u32, String)>,
    /// What owners were told of requests that too few can decide.
    pub(crate) too_few: Vec<TooFew>,
    /// What listeners heard of, each with how many people were mailed.
    pub(crate) heard: Vec<(String, usize)>,
    pub(crate) run_opened: BTreeSet<ApprovalId>,
    pub(crate) run_closed: BTreeMap<ApprovalId, Status>,
    pub(crate) run_over: bool,
    pub(crate) ledger: BTreeSet<ReceiptId>,
    pub(crate) requires_mfa: bool,
    pub(crate) people: BTreeMap<UserId, DirectoryEntry>,
    /// Ports that answer nothing at the moment.
    pub(crate) broken: BTreeSet<&'static str>,
    /// How many operations there were.
    pub(crate) operations: usize,
    /// After so many operations the power fails: everything later does nothing and errs.
    pub(crate) power: Option<usize>,
}

#[derive(Clone, Default)]
pub(crate) struct World(Arc<Mutex<State>>);

fn off<T>() -> StoreResult<T> {
    Err(StoreError::Unavailable { table: "memory".to_owned(), reason: "power".to_owned() })
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self::default();
        for n in 1..=9 {
            world.state().people.insert(user(n), entry(n));
        }
        world
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn gatekeeper(&self) -> Gatekeeper {
        let world = Arc::new(self.clone());
        Gatekeeper {
            records: world.clone(),
            tasks: world.clone(),
            alarms: world.clone(),
            rights: world.clone(),
            notifier: world.clone(),
            runs: world.clone(),
            ledger: world,
            requires_mfa: self.state().requires_mfa,
        }
    }

    /// Counts an operation; `None` when the power is off. Yields first, so that concurrent callers interleave.
    async fn powered(&self, port: &'static str) -> Option<MutexGuard<'_, State>> {
        tokio::task::yield_now().await;
        let mut state = self.state();
        state.operations += 1;
        let is_off = state.power.is_some_and(|limit| state.operations > limit);
        if is_off || state.broken.contains(port) { None } else { Some(state) }
    }

    pub(crate) fn request(&self, id: &ApprovalId) -> Request {
        self.state().requests[id].clone()
    }

    /// What the task that waits with `token` was told, if anything.
    pub(crate) fn told(&self, token: &str) -> Vec<Value> {
        let state = self.state();
        state.told.iter().filter(|(to, _)| to == token).map(|(_, output)| output.clone()).collect()
    }

    pub(crate) async fn open(
        &self,
        opening: Opening,
        token: &str,
        now: Timestamp,
    ) -> crate::Opened {
        self.state().waiting.insert(token.to_owned());
        self.gatekeeper().open(opening, &TaskToken::new(token), now).await.unwrap()
    }
}

fn port_error(operation: &'static str) -> PortError {
    PortError { operation, code: "BROKEN", message: "off".to_owned(), class: Class::Retryable }
}

fn states_error() -> StatesError {
    StatesError::Unavailable { operation: "test", reason: "off".to_owned() }
}

impl State {
    fn place(&self, id: &ApprovalId) -> Place {
        let request = &self.requests[id];
        Place {
            approval: id.clone(),
            run: request.position.run.clone(),
            step: request.position.step.clone(),
            status: request.status,
            covers: request.covers.clone(),
            warned: Vec::new(),
            outcome: request.outcome.clone(),
            closed: request.closed.clone(),
        }
    }

    fn holds(&self, commit: &Commit<'_>) -> bool {
        let current = &self.requests[&commit.before.id];
        let unchanged = current.status == Status::Pending
            && current.version == commit.before.version
            && current.digest == commit.before.digest
            && current.revision == commit.before.revision;
        let votes = commit.vote.is_none_or(|vote| {
            let same = |(id, cast): &(ApprovalId, Vote)| {
                *id == current.id
                    && (&cast.person, cast.version, cast.again)
                        == (&vote.person, vote.version, vote.again)
            };
            current.timing.deadline > commit.now && !self.votes.iter().any(same)
        });
        unchanged && votes && commit.receipt.is_none_or(|r| !self.receipts.contains_key(&r.id))
    }
}

impl ResumeTask for World {
    fn wake<'a>(
        &'a self,
        token: &'a TaskToken,
        output: &'a Value,
    ) -> BoxFuture<'a, Result<ResumeOutcome, StatesError>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("states").await else { return Err(states_error()) };
            if !state.waiting.remove(token.expose()) {
                return Ok(ResumeOutcome::NotMovedYet);
            }
            state.told.push((token.expose().to_owned(), output.clone()));
            Ok(ResumeOutcome::Moved)
        })
    }
}

impl Alarms for World {
    fn set<'a>(&'a self, once: &'a Once) -> BoxFuture<'a, Result<(), StatesError>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("alarms").await else { return Err(states_error()) };
            assert!(once.name.len() <= 64, "{}", once.name);
            let _: crate::GateEvent = serde_json::from_value(once.event.clone()).unwrap();
            state.alarms.insert(once.name.clone(), once.at);
            Ok(())
        })
    }

    fn clear<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), StatesError>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("alarms").await else { return Err(states_error()) };
            state.alarms.remove(name);
            Ok(())
        })
    }
}

impl Notifier for World {
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        people: &'a [UserId],
        occasion: Occasion,
    ) -> PortResult<'a, ()> {
        Box::pin(async move {
            for person in people {
                let Some(mut state) = self.powered("mail").await else {
                    return Err(port_error("mailing"));
                };
                state.mails.insert((person.clone(), request.version, occasion.name()));
            }
            self.state().heard.push((occasion.name(), people.len()));
            Ok(())
        })
    }

    fn too_few<'a>(&'a self, _request: &'a Request, too_few: TooFew) -> PortResult<'a, ()> {
        Box::pin(async move {
            let Some(mut state) = self.powered("mail").await else {
                return Err(port_error("mailing"));
            };
            state.too_few.push(too_few);
            Ok(())
        })
    }

    fn closed<'a>(&'a self, _request: &'a Request) -> PortResult<'a, ()> {
        Box::pin(async move { Ok(()) })
    }
}

impl RunLog for World {
    fn opened<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()> {
        Box::pin(async move {
            let Some(mut state) = self.powered("runs").await else {
                return Err(port_error("noting"));
            };
            state.run_opened.insert(request.id.clone());
            Ok(())
        })
    }

    fn closed<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()> {
        Box::pin(async move {
            let Some(mut state) = self.powered("runs").await else {
                return Err(port_error("noting"));
            };
            let before = state.run_closed.insert(request.id.clone(), request.status);
            assert!(before.is_none_or(|status| status == request.status), "two outcomes");
            Ok(())
        })
    }

    fn effects<'a>(&'a self, request: &'a Request) -> PortResult<'a, Vec<StepEffects>> {
        Box::pin(async move {
            let Some(_state) = self.powered("runs").await else {
                return Err(port_error("reading the effects"));
            };
            Ok(request.effects.clone())
        })
    }

    fn is_over<'a>(&'a self, _run: &'a RunId) -> PortResult<'a, bool> {
        Box::pin(async move {
            let Some(state) = self.powered("runs").await else {
                return Err(port_error("reading the run"));
            };
            Ok(state.run_over)
        })
    }
}

impl ReceiptOutbox for World {
    fn hand_over<'a>(&'a self, receipt: &'a Receipt) -> PortResult<'a, ()> {
        Box::pin(async move {
            let Some(mut state) = self.powered("ledger").await else {
                return Err(port_error("handing over"));
            };
            state.ledger.insert(receipt.id.clone());
            Ok(())
        })
    }
}

impl Rights for World {
    fn entry<'a>(
        &'a self,
        user: &'a UserId,
    ) -> BoxFuture<'a, Result<Option<DirectoryEntry>, Box<dyn Failure>>> {
        Box::pin(async move {
            let Some(state) = self.powered("directory").await else {
                return Err(Box::new(port_error("reading the directory")) as Box<dyn Failure>);
            };
            Ok(state.people.get(user).cloned())
        })
    }

    fn is_member<'a>(
        &'a self,
        _: &'a UserId,
        _: &'a str,
    ) -> BoxFuture<'a, Result<bool, Box<dyn Failure>>> {
        Box::pin(async { Ok(false) })
    }
}

fn entry(n: u8) -> DirectoryEntry {
    DirectoryEntry {
        user: user(n),
        name: format!("Person {n}"),
        email: format!("p{n}@example.org"),
        email_verified: true,
        active: true,
        accounts: Accounts::Any,
        scopes: Scopes::parse(["global:editor"]),
        capabilities: BTreeSet::from([Capability::Decide]),
        not_before: None,
        revoked: BTreeSet::new(),
    }
}
