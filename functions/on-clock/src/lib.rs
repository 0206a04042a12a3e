//! Tells the owner of a schedule, monitor or trigger what does not work: in the application, and by mail to a verified address.
//!
//! Events say what has happened, and may come twice; the stores say what there is to tell, and when it was told. Ids of
//! notifications and mails follow from the condition, so that whatever happens twice, or breaks off in between, tells once.

mod error;
mod found;
mod given_up;
mod note;
mod parked;

use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Fault, Setting, StartError, decode};
use countersign_monitor::MonitorId;
use countersign_notice::OwnerNotifier;
use countersign_outbox::MailId;
use countersign_run::{OccurrenceId, RunId};
use countersign_store_catalog::{Catalog, MonitorStore};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

pub use error::ClockNoticeError;
use found::Found;

/// An event of the deployment's bus; what else it says is not used.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "detail-type", content = "detail")]
pub enum Happened {
    /// A monitor fails at each tick.
    #[serde(rename = "monitor.failing")]
    Failing(Failing),
    /// Items that a monitor found are parked.
    #[serde(rename = "monitor.parked")]
    Parked(Parked),
    /// A due time or an event came to no run.
    #[serde(rename = "occurrence.left_out")]
    SkippedOccurrence(SkippedOccurrence),
    /// A run failed, was to be tried again, and is not.
    #[serde(rename = "occurrence.given_up")]
    Abandoned(Abandoned),
}

/// Which monitor fails, and why.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Failing {
    /// When it failed last.
    pub at: Timestamp,
    /// Whose.
    pub owner: UserId,
    /// Which.
    pub monitor: MonitorId,
    /// The code of the reason.
    pub code: String,
    /// Since when.
    pub since: Timestamp,
}

/// Which batch is parked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Parked {
    /// When.
    pub at: Timestamp,
    /// Whose.
    pub owner: UserId,
    /// Which monitor's.
    pub monitor: MonitorId,
    /// Its number.
    #[serde(default)]
    pub number: u64,
    /// Why its run was refused.
    #[serde(default)]
    pub code: String,
    /// The run whose end parked it: the notice of that run says so.
    #[serde(default)]
    pub run: Option<RunId>,
}

/// What came to no run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SkippedOccurrence {
    /// When.
    pub at: Timestamp,
    /// Whose.
    pub owner: UserId,
    /// Which occurrence.
    pub occurrence: OccurrenceId,
}

/// What is not tried again.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Abandoned {
    /// When.
    pub at: Timestamp,
    /// Whose.
    pub owner: UserId,
    /// Which occurrence.
    pub occurrence: OccurrenceId,
    /// The code of the reason.
    pub code: String,
}

/// What owners made, and who tells them.
pub struct Context {
    catalog: Catalog,
    monitors: MonitorStore,
    teller: OwnerNotifier,
    public_url: String,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let table = || boot.table(Setting::TableCatalog);
        Ok(Self {
            catalog: Catalog::new(table()?),
            monitors: MonitorStore::new(table()?, boot.blobs()?),
            teller: OwnerNotifier::new(boot)?,
            public_url: boot.settings.need(Setting::PublicUrl)?.trim_end_matches('/').to_owned(),
        })
    }
}

/// Handles one event.
///
/// # Errors
/// A [`Fault`] when a table or the queue does not answer; the event comes again.
pub async fn handle(context: &Context, event: Value) -> Result<Value, Fault> {
    let happened: Happened = decode(event)?;
    let told = match found::read(context, &happened).await? {
        Some(found) => tell(context, &found).await?,
        None => false,
    };
    Ok(json!({ "told": told }))
}

/// Tells it, unless that was done, or something else of the kind was told within the day.
async fn tell(context: &Context, found: &Found) -> Result<bool, ClockNoticeError> {
    let note = note::notification(found, &context.public_url);
    let told = context.catalog.told(&found.source, found.kind()).await?;
    if !found.is_to_be_told(told) {
        if found.is_noted_each_time() {
            context.teller.note(&note).await?;
        }
        return Ok(false);
    }
    let letter = note::letter(found, &context.public_url).render()?;
    context.teller.tell(&note, MailId::from_bytes(found.occasion("mail")), letter).await?;
    context.catalog.note_told(&found.source, found.kind(), found.at).await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_events_are_ours() {
        let read = |sample: &str| serde_json::from_str::<Happened>(sample).unwrap();
        let failing = read(include_str!("../../../events/on-clock/failing.json"));
        assert!(matches!(failing, Happened::Failing(of) if of.code == "SAVED_TOKEN_REVOKED"));
        let parked = read(include_str!("../../../events/on-clock/parked.json"));
        assert!(matches!(parked, Happened::Parked(of) if of.number == 7 && of.run.is_none()));
        let given_up = read(include_str!("../../../events/on-clock/given-up.json"));
        assert!(matches!(given_up, Happened::Abandoned(of) if of.code == "SCHEDULE_DISABLED"));
        let left_out = read(include_str!("../../../events/on-clock/left-out.json"));
        assert!(
            matches!(left_out, Happened::SkippedOccurrence(of) if of.occurrence.source().starts_with("sched_"))
        );
    }
}
