//! Ends a run: what is missing is written down, the status follows from what happened, the response is made and results are
//! routed, the journal gets its entry, and owner and requester are told.
//!
//! Everything here may be done again: outcomes, response, documents, entry and notice have ids that follow from the run, and
//! the status is written last, once.

mod account;
mod agent_list;
mod answer;
mod at_end;
mod batch;
mod confidence;
mod deliver;
mod ending;
mod enrich;
mod error;
mod held_back;
mod learn;
mod missing;
mod notice;
mod occasion;
mod outcomes;
mod over;
mod record;
mod respond;
mod sources;
mod taken;
mod triggers;
mod unwritten;

use std::sync::Arc;

use countersign_actions_knowledge::Stores;
use countersign_approval::ApprovalRecord;
use countersign_gatekeeper::{Bootstrap, Gatekeeper, Recorder};
use countersign_lambda_entry::{Boot, Fault, Invocation, Setting, StartError, decode};
use countersign_outbox::{DomainEvent, EventBus, MailQueue};
use countersign_plan::Plan;
use countersign_profile::Profile;
use countersign_registry::Registry;
use countersign_run::{
    EndPart, Head, Response, RoutedOutput, RunId, RunRecord, RunState, RunStatus, StepState,
    StepStatus,
};
use countersign_step_entry::StepError;
use countersign_store_catalog::{Catalog, MonitorStore};
use countersign_store_content::ContentStore;
use countersign_store_directory::Directory;
use countersign_store_knowledge::KnowledgeStore;
use countersign_store_runs::{JournalStore, RunStore};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use error::FinishError;

use ending::{Ending, planned};
use occasion::Occasion;
use outcomes::Outcomes;
use unwritten::Unwritten;

/// What the state machine sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinishEvent {
    /// The run.
    pub run: RunId,
    /// The execution.
    pub attempt: u32,
}

/// Stores, queues and the gatekeeper.
pub struct Context {
    registry: Registry,
    runs: RunStore,
    journal: JournalStore,
    catalog: Catalog,
    monitors: MonitorStore,
    content: ContentStore,
    graph: Stores,
    directory: Directory,
    gatekeeper: Gatekeeper,
    recorder: Recorder,
    public_url: String,
    mails: MailQueue,
    bus: EventBus,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let Bootstrap { gatekeeper, runs, directory, recorder, notices, .. } =
            Bootstrap::new(boot)?;
        let catalog = Catalog::new(boot.table(Setting::TableCatalog)?);
        let knowledge = boot.table(Setting::TableKnowledge)?;
        let knowledge = Arc::new(KnowledgeStore::new(knowledge, boot.blobs()?));
        let profiles = Arc::new(catalog.clone());
        Ok(Self {
            journal: JournalStore::new(boot.table(Setting::TableRuns)?),
            registry: Registry::builtin(),
            runs,
            monitors: MonitorStore::new(boot.table(Setting::TableCatalog)?, boot.blobs()?),
            catalog,
            content: ContentStore::new(boot.table(Setting::TableContent)?, boot.blobs()?),
            graph: Stores { graph: knowledge.clone(), explore: knowledge, profiles },
            directory,
            gatekeeper,
            recorder,
            public_url: notices.public_url,
            mails: MailQueue::new(&boot.aws, boot.settings.need(Setting::MailQueueUrl)?),
            bus: EventBus::new(&boot.aws, boot.settings.need(Setting::EventBus)?),
        })
    }
}

/// Finishes a run.
///
/// # Errors
/// A [`Fault`] when a table or queue does not answer; calling again goes on where it stopped.
pub async fn handle(
    context: &Context,
    event: Value,
    invocation: &Invocation,
) -> Result<Value, Fault> {
    let event: FinishEvent = decode(event)?;
    let status = finish(context, &event, invocation).await?;
    Ok(json!({ "status": status }))
}

async fn finish(
    context: &Context,
    event: &FinishEvent,
    invocation: &Invocation,
) -> Result<RunStatus, FinishError> {
    let now = invocation.now;
    let unknown = || FinishError::UnknownRun(event.run.clone());
    let head = context.runs.head(&event.run).await?.ok_or_else(unknown)?;
    if let Some(status) = head.status.filter(|_| head.finished_at.is_some()) {
        deliver::asked(context, &head, invocation).await?;
        return Ok(status);
    }
    // A later attempt carries the run now; this one has nothing to say about it. That it fails has the later one started, should
    // nobody have done so: after somebody asked for changes, nobody has.
    if event.attempt < head.attempt {
        let now = head.attempt;
        return Err(StepError::Superseded { attempt: event.attempt, now }.into());
    }
    context.gatekeeper.close_for_run(&head.run, now).await?;
    let ending = Ending::read(context, head, event.attempt, now).await?;
    let Ending { head, record, .. } = &ending;
    let status = ending.status;
    let parked = context.monitors.parks(head, status, now).await?;
    let occasion = occasion::read(context, head, status, parked.is_some()).await?;
    let done = ending.done(parked, occasion.as_ref(), now);
    // A test leaves nothing behind but itself (K-46).
    let counts = head.dry_run.is_none();
    let (mut told, mut unwritten) = (Vec::new(), Unwritten::default());
    if counts {
        for entered in
            [account::withdraw(context, &done).await, account::write(context, &done).await]
        {
            unwritten.unless_never(&head.run, EndPart::Journal, entered)?;
        }
        told = notice::send(context, &done, &mut unwritten).await?;
        batch::settle(context, &done, &mut unwritten).await?;
        learn::keep(context, &done, ending.plan.as_ref()).await;
        triggers::note(context, &done).await?;
    }
    if !context.runs.finish(head, status, &unwritten.noted_in(record), now).await? {
        is_still_ours(context, event).await?;
    }
    if counts {
        publish(context, &done, told).await;
    }
    Ok(status)
}

/// A run that is over.
pub(crate) struct Done<'a> {
    pub(crate) head: &'a Head,
    pub(crate) state: &'a RunState,
    pub(crate) status: RunStatus,
    /// Its requests for approval, in the order they were opened.
    pub(crate) approvals: &'a [ApprovalRecord],
    /// What its steps reported.
    pub(crate) outcomes: &'a Outcomes,
    /// What was written where, and what could not be.
    pub(crate) written: &'a [RoutedOutput],
    /// The same in figures.
    pub(crate) record: &'a RunRecord,
    /// None when it came to no end of its own.
    pub(crate) response: Option<&'a Response>,
    /// None when it is gone.
    pub(crate) profile: Option<&'a Profile>,
    /// How many items of its monitor its end parks.
    pub(crate) parked: Option<usize>,
    /// None when a person has asked for it.
    pub(crate) occasion: Option<&'a Occasion>,
    pub(crate) at: Timestamp,
}

impl Done<'_> {
    /// The steps of which nobody knows whether their effect happened, in the order of the plan.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &StepState> {
        let steps = self.state.steps.iter().map(|(_, step)| step);
        steps.filter(|step| step.status == StepStatus::Unknown)
    }
}

/// Nothing when the run was finished before.
///
/// # Errors
/// [`StepError::Superseded`] when another execution carries it since this one began to finish it.
async fn is_still_ours(context: &Context, event: &FinishEvent) -> Result<(), FinishError> {
    let head = context.runs.head(&event.run).await?;
    match head.filter(|head| head.finished_at.is_none() && head.attempt > event.attempt) {
        Some(Head { attempt: now, .. }) => {
            Err(StepError::Superseded { attempt: event.attempt, now }.into())
        }
        None => Ok(()),
    }
}

/// A run that has finished, as it was then; the profile as it is now.
struct Finished {
    state: RunState,
    plan: Option<Plan>,
    profile: Option<Profile>,
}

impl Finished {
    async fn read(context: &Context, head: &Head) -> Result<Self, FinishError> {
        let (state, plan) = planned(context, head).await?;
        let profile = over::profile(context, &head.owner, &head.profile_id).await?;
        Ok(Self { state, plan, profile })
    }
}

/// Listeners hear of it; one that misses it finds it in the run.
async fn publish(context: &Context, done: &Done<'_>, told: Vec<DomainEvent>) {
    let event = DomainEvent::new("run.finished", done.at).about("run", done.head.run.as_str());
    let event =
        event.about("owner", done.head.owner.as_str()).about("status", done.status.as_str());
    // Whoever has left the team hears nothing of it.
    let head = done.head;
    let left = notice::members::left(context, head, &head.invoked_by).await.unwrap_or(true);
    let people = if left { Vec::new() } else { vec![head.invoked_by.as_str()] };
    let event = event.about("people", people);
    context.bus.tell(&[vec![event], told].concat()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_event_is_one_of_ours() {
        let sample = include_str!("../../../events/run-finish/finish.json");
        let event: FinishEvent = serde_json::from_str(sample).unwrap();
        assert_eq!(event.attempt, 1);
    }
}
