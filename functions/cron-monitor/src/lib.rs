//! One tick of a monitor's clock (F-210).
//!
//! The detection steps of its playbook look, and nothing else does (F-220): no run, no state machine. When nothing is new the
//! times are noted and that is all (F-212). When something is, it is written down as the monitor's open batch, in one write,
//! and a run is started whose detection steps have that result. Whatever a tick did not come to, the next one does.

mod asked;
mod attempts;
mod batch;
mod error;
mod gone;
mod limits;
mod look;
mod notice;
mod origins;
mod ready;
mod said;
mod sources;
mod start;
mod stops;
mod tick;
mod why;

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_actions_connect::{Deps, Mode, actions};
use countersign_actions_detect::{
    Detect, NewEntities, NewTeamPosts, SharedWith, Sources, detections,
};
use countersign_connect_entry::reading;
use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Fault, Invocation, Setting, StartError, decode};
use countersign_monitor::MonitorId;
use countersign_outbox::EventBus;
use countersign_recovery::Runner;
use countersign_registry::{CALL_CONNECTOR, Registry};
use countersign_run::Quota;
use countersign_run_start::Starter;
use countersign_store_catalog::{Catalog, MonitorStore};
use countersign_store_content::ContentStore;
use countersign_store_directory::Directory;
use countersign_store_knowledge::KnowledgeStore;
use countersign_store_runs::{JournalStore, RunStore};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use error::TickError;

use self::limits::Shared;
use self::origins::Ledger;
use self::sources::PerTick;

/// What the clocks send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TickEvent {
    /// Whose monitor.
    pub owner: UserId,
    /// The monitor.
    pub monitor: MonitorId,
    /// Set when a person asks for it: interval and hours do not matter then (F-216).
    #[serde(default)]
    pub asked_for: bool,
}

/// Stores, detections and what starts runs.
pub struct Context {
    catalog: Catalog,
    monitors: MonitorStore,
    directory: Directory,
    runs: RunStore,
    journal: JournalStore,
    runner: Runner,
    registry: Registry,
    runs_per_day: Quota,
    detections: BTreeMap<&'static str, Arc<dyn Detect>>,
    bus: EventBus,
    connectors: Arc<PerTick>,
    limits: Arc<Shared>,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let table = || boot.table(Setting::TableCatalog);
        let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
        let deps = reading(boot)?;
        let connectors = Arc::new(PerTick::new(deps.connectors));
        let limits = Arc::new(Shared::new(deps.limits));
        let deps = Deps { connectors: connectors.clone(), limits: limits.clone(), ..deps };
        Ok(Self {
            catalog: Catalog::new(table()?),
            monitors: MonitorStore::new(table()?, boot.blobs()?),
            directory: Directory::new(boot.table(Setting::TableDirectory)?),
            runner: Runner::open(boot, runs.clone())?,
            runs,
            journal: JournalStore::new(boot.table(Setting::TableRuns)?),
            registry: Registry::builtin(),
            runs_per_day: Quota::runs(boot.number(Setting::RunsPerDay)?),
            detections: detect(boot, deps)?.into_iter().map(|one| (one.name(), one)).collect(),
            bus: EventBus::new(&boot.aws, boot.settings.need(Setting::EventBus)?),
            connectors,
            limits,
        })
    }

    /// What starts runs; when one begins is read from the clock, for the look before it takes its time.
    pub(crate) fn starter(&self) -> Starter<'_> {
        Starter {
            catalog: &self.catalog,
            runs: &self.runs,
            directory: &self.directory,
            runner: &self.runner,
            registry: &self.registry,
            runs_per_day: self.runs_per_day,
            now: Timestamp::now(),
        }
    }
}

/// Every detection there is.
fn detect(boot: &Boot, deps: Deps) -> Result<Vec<Arc<dyn Detect>>, StartError> {
    let (connectors, files) = (Arc::clone(&deps.connectors), Arc::clone(&deps.files));
    let connect = actions(deps, Mode::Read).into_iter().find(|one| one.name() == CALL_CONNECTOR);
    let sources = connect.map(|connect| Sources { connect, connectors, files });
    let mut all = sources.as_ref().map(detections).unwrap_or_default();
    let knowledge = boot.table(Setting::TableKnowledge)?;
    let catalog = Catalog::new(boot.table(Setting::TableCatalog)?);
    let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
    all.push(Arc::new(NewEntities {
        discovered: Arc::new(KnowledgeStore::new(knowledge, boot.blobs()?)),
        namespaces: Arc::new(catalog.clone()),
        origins: Some(Arc::new(Ledger { runs, catalog: catalog.clone() })),
    }));
    let directory = Directory::new(boot.table(Setting::TableDirectory)?);
    all.push(Arc::new(NewTeamPosts {
        posts: Arc::new(ContentStore::new(boot.table(Setting::TableContent)?, boot.blobs()?)),
        access: Arc::new(SharedWith { catalog, directory }),
    }));
    Ok(all)
}

/// Carries out one tick.
///
/// # Errors
/// A [`Fault`] when a table does not answer. What keeps a monitor from looking — a source that is down, a playbook that is
/// gone — is not a fault: it is noted, and shown with the monitor.
pub async fn handle(
    context: &Context,
    event: Value,
    invocation: &Invocation,
) -> Result<Value, Fault> {
    let event: TickEvent = decode(event)?;
    context.connectors.begin();
    context.limits.begin();
    let outcome = tick::tick(context, &event, invocation).await?;
    tracing::info!(monitor = %event.monitor, outcome, "ticked");
    Ok(json!({ "outcome": outcome }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_events_are_ours() {
        for sample in [
            include_str!("../../../events/cron-monitor/tick.json"),
            include_str!("../../../events/cron-monitor/asked-for.json"),
        ] {
            serde_json::from_str::<TickEvent>(sample).unwrap();
        }
    }
}
