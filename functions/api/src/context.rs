//! What the handlers work with; built once per process.

use std::sync::{Arc, LazyLock};

use countersign_clock::Clock;
use countersign_gatekeeper::{Bootstrap, Gatekeeper, Recorder};
use countersign_identity::{Presented, Rights};
use countersign_lambda_entry::{Boot, Setting, Settings, StartError};
use countersign_recovery::Runner;
use countersign_registry::Registry;
use countersign_run::RunId;
use countersign_run_start::Starter;
use countersign_states::Schedules;
use countersign_store_approvals::Approvals;
use countersign_store_catalog::{Catalog, MonitorStore};
use countersign_store_content::ContentStore;
use countersign_store_directory::Directory;
use countersign_store_egress::EgressStore;
use countersign_store_kit::Blobs;
use countersign_store_knowledge::KnowledgeStore;
use countersign_store_runs::{JournalStore, RunStore};
use countersign_store_tokens::Tokens;
use countersign_store_uploads::S3Files;
use countersign_store_vault::VaultStore;
use countersign_vault::{KmsKeys, Vault};
use countersign_web::AuthContext;
use countersign_web::token::Verifier;
use futures::future::BoxFuture;

use crate::cursor_keys::CursorKeys;
use crate::quotas::Quotas;
use crate::sessions::Sessions;

/// Stores and services of the API.
pub struct Context {
    /// Verifies tokens.
    pub verifier: Verifier,
    /// People and their rights.
    pub directory: Directory,
    /// Profiles, connectors, playbooks.
    pub catalog: Catalog,
    /// Where monitors stand.
    pub monitors: MonitorStore,
    /// What ticks them.
    pub monitor_clocks: Schedules,
    /// Runs.
    pub runs: RunStore,
    /// Journals.
    pub journal: JournalStore,
    /// Starts executions.
    pub runner: Runner,
    /// Requests for approval.
    pub approvals: Approvals,
    /// The approval protocol.
    pub gatekeeper: Gatekeeper,
    /// What is told of requests.
    pub recorder: Recorder,
    /// Documents, tables, exports.
    pub content: ContentStore,
    /// What agents learned.
    pub knowledge: KnowledgeStore,
    /// The data bucket, for uploads.
    pub blobs: Blobs,
    /// Files that are there.
    pub uploads: S3Files,
    /// Credentials.
    pub vault: VaultStore,
    /// How sources fare.
    pub egress: EgressStore,
    /// Every action there is; most requests ask for none.
    pub registry: Arc<LazyLock<Registry>>,
    /// Authenticates cursors.
    pub cursors: CursorKeys,
    /// Native schedules, which tick for the clock.
    pub ticks: Schedules,
    /// Starts what a schedule asks.
    pub clock: Clock,
    /// What a person may ask for in a day.
    pub quotas: Quotas,
    /// The model of whoever chooses none, such as `openai/gpt-5-mini`; none where the built-in one answers.
    pub own_model: Option<String>,
    /// Where people open connections.
    pub socket_url: String,
    /// Where the events of runs are read as they happen, if anywhere.
    pub stream_url: Option<String>,
    /// Which sessions tokens come from.
    pub sessions: Sessions,
}

impl AuthContext for Context {
    fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    fn rights(&self) -> &dyn Rights {
        &self.directory
    }

    fn accepted<'a>(&'a self, presented: &'a Presented) -> BoxFuture<'a, ()> {
        Box::pin(self.sessions.note(&self.directory, presented))
    }
}

impl Context {
    /// What starts runs.
    pub(crate) fn starter(&self) -> Starter<'_> {
        self.clock.starter()
    }

    /// Where the events of a run are read as they happen.
    pub(crate) fn events_url(&self, run: &RunId) -> Option<String> {
        let base = self.stream_url.as_deref()?.trim_end_matches('/');
        Some(format!("{base}/executions/{run}/events"))
    }

    /// Builds everything from the settings.
    ///
    /// # Errors
    /// [`StartError`] names the setting that is missing or unusable.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let blobs = boot.blobs()?;
        let tokens = Tokens::new(boot.table(Setting::TableTokens)?);
        let Bootstrap { gatekeeper, approvals, runs, directory, recorder, notices } =
            Bootstrap::waking(boot, Arc::new(tokens))?;
        let keys = KmsKeys::new(&boot.aws, boot.settings.need(Setting::VaultKeyId)?);
        let vault = Vault::new(Arc::new(keys));
        let clock = Clock::new(boot)?;
        Ok(Self {
            verifier: Verifier::of(&boot.settings)?,
            journal: JournalStore::new(boot.table(Setting::TableRuns)?),
            catalog: Catalog::new(boot.table(Setting::TableCatalog)?),
            monitors: MonitorStore::new(boot.table(Setting::TableCatalog)?, blobs.clone()),
            monitor_clocks: Schedules::new(
                &boot.aws,
                boot.settings.need(Setting::ScheduleGroup)?,
                boot.settings.need(Setting::ScheduleRoleArn)?,
                boot.settings.need(Setting::MonitorFunctionArn)?,
            ),
            runner: Runner::open(boot, runs.clone())?,
            gatekeeper,
            recorder,
            content: ContentStore::new(boot.table(Setting::TableContent)?, blobs.clone()),
            knowledge: KnowledgeStore::new(boot.table(Setting::TableKnowledge)?, blobs.clone()),
            vault: VaultStore::new(boot.table(Setting::TableVault)?, vault),
            egress: EgressStore::new(boot.table(Setting::TableEgress)?),
            registry: Arc::clone(&clock.registry),
            cursors: CursorKeys::new(notices.key),
            ticks: Schedules::new(
                &boot.aws,
                boot.settings.need(Setting::ScheduleGroup)?,
                boot.settings.need(Setting::ScheduleRoleArn)?,
                boot.settings.need(Setting::ScheduleFunctionArn)?,
            ),
            clock,
            quotas: Quotas::new(boot)?,
            own_model: own_model(&boot.settings),
            socket_url: boot.settings.need(Setting::SocketUrl)?.to_owned(),
            stream_url: boot.settings.get(Setting::StreamUrl).map(str::to_owned),
            sessions: Sessions::default(),
            directory,
            runs,
            approvals,
            uploads: S3Files::new(blobs.clone()),
            blobs,
        })
    }
}

/// The deployment's model of a provider, by the name that the list of models has for it.
fn own_model(settings: &Settings) -> Option<String> {
    let provider = settings.get(Setting::ModelProvider)?;
    Some(format!("{provider}/{}", settings.get(Setting::ModelName)?))
}
