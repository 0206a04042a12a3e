//! The gatekeeper over the real tables, keys, queues and schedules: what every function that touches an approval starts with.

use std::sync::Arc;

use countersign_identity::Rights;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_outbox::{EventBus, MailQueue, ReceiptQueue};
use countersign_signer::KmsMac;
use countersign_states::{Schedules, Tasks};
use countersign_store_approvals::{Approvals, TaskTokens};
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;

use crate::notices::Notices;
use crate::ports::Ledger;
use crate::recorder::Recorder;
use crate::service::Gatekeeper;

/// The gatekeeper, and the stores it was built from.
#[derive(Clone)]
pub struct Bootstrap {
    /// The protocol.
    pub gatekeeper: Gatekeeper,
    /// The requests.
    pub approvals: Approvals,
    /// The runs.
    pub runs: RunStore,
    /// The people.
    pub directory: Directory,
    /// The records of requests, for readers.
    pub recorder: Recorder,
    /// Mails and events of approvals.
    pub notices: Notices,
}

impl Bootstrap {
    /// Builds it from the settings of a function that wakes nobody: it only closes what an ended run leaves open.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Self::over(boot, Approvals::new(boot.table(Setting::TableApprovals)?))
    }

    /// Builds it from the settings of a function that opens gates or wakes the tasks that wait at them.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn waking(boot: &Boot, tokens: Arc<dyn TaskTokens>) -> Result<Self, StartError> {
        let approvals = Approvals::new(boot.table(Setting::TableApprovals)?);
        Self::over(boot, approvals.with_tokens(tokens))
    }

    fn over(boot: &Boot, approvals: Approvals) -> Result<Self, StartError> {
        let need = |setting| boot.settings.need(setting);
        let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
        let directory = Directory::new(boot.table(Setting::TableDirectory)?);
        let rights: Arc<dyn Rights> = Arc::new(directory.clone());
        let notices = Notices {
            approvals: approvals.clone(),
            rights: Arc::clone(&rights),
            key: Arc::new(KmsMac::new(&boot.aws, need(Setting::LinkKeyId)?)),
            mails: MailQueue::new(&boot.aws, need(Setting::MailQueueUrl)?),
            bus: EventBus::new(&boot.aws, need(Setting::EventBus)?),
            public_url: need(Setting::PublicUrl)?.trim_end_matches('/').to_owned(),
        };
        let recorder = Recorder { approvals: approvals.clone(), directory: directory.clone() };
        let group = need(Setting::ScheduleGroup)?;
        let (role, target) = (need(Setting::ScheduleRoleArn)?, need(Setting::DeadlineFunctionArn)?);
        let gatekeeper = Gatekeeper {
            records: Arc::new(approvals.clone()),
            tasks: Arc::new(Tasks::new(&boot.aws)),
            alarms: Arc::new(Schedules::new(&boot.aws, group, role, target)),
            rights,
            notifier: Arc::new(notices.clone()),
            runs: Arc::new(runs.clone()),
            ledger: Arc::new(Ledger(ReceiptQueue::new(&boot.aws, need(Setting::ReceiptQueueUrl)?))),
            requires_mfa: boot.flag(Setting::RequireMfa)?,
        };
        Ok(Self { gatekeeper, approvals, runs, directory, recorder, notices })
    }
}
