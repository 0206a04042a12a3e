//! Every environment name of the functions, in one place.

use std::collections::HashMap;
use std::fmt;

/// A name in a function's environment. `template.yaml` sets them; no code reads the environment anywhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the meaning of each stands in `meaning`, where the docs are made from"
)]
pub enum Setting {
    Stack,
    Tenant,
    TableDirectory,
    TableCatalog,
    TableRuns,
    TableApprovals,
    TableKnowledge,
    TableContent,
    TableVault,
    TableEgress,
    TableTokens,
    BucketData,
    BucketLedger,
    RunMachineArn,
    EventBus,
    /// Address at which messages for open connections are handed over.
    SocketEndpoint,
    /// Address at which people open connections.
    SocketUrl,
    /// Address at which the events of runs are read; none when nobody can.
    StreamUrl,
    MailQueueUrl,
    ReceiptQueueUrl,
    LinkKeyId,
    LedgerKeyId,
    VaultKeyId,
    ScheduleGroup,
    ScheduleRoleArn,
    DeadlineFunctionArn,
    MonitorFunctionArn,
    ScheduleFunctionArn,
    PublicUrl,
    MailFrom,
    JwtIssuer,
    JwtAudience,
    JwtHs256Secret,
    JwtJwksUrl,
    FirstAdministrator,
    AllowLoopback,
    SearchProvider,
    SearchUrl,
    SearchKey,
    ModelProvider,
    ModelUrl,
    ModelName,
    ModelTokensPerRun,
    ModelTokensPerDay,
    BreakerSeconds,
    RunsPerDay,
    MailsPerDay,
    SearchesPerDay,
    UploadMegabytesPerDay,
    RequireMfa,
}

impl Setting {
    /// Every setting.
    pub const ALL: [Setting; 50] = [
        Setting::Stack,
        Setting::Tenant,
        Setting::TableDirectory,
        Setting::TableCatalog,
        Setting::TableRuns,
        Setting::TableApprovals,
        Setting::TableKnowledge,
        Setting::TableContent,
        Setting::TableVault,
        Setting::TableEgress,
        Setting::TableTokens,
        Setting::BucketData,
        Setting::BucketLedger,
        Setting::RunMachineArn,
        Setting::EventBus,
        Setting::SocketEndpoint,
        Setting::SocketUrl,
        Setting::StreamUrl,
        Setting::MailQueueUrl,
        Setting::ReceiptQueueUrl,
        Setting::LinkKeyId,
        Setting::LedgerKeyId,
        Setting::VaultKeyId,
        Setting::ScheduleGroup,
        Setting::ScheduleRoleArn,
        Setting::DeadlineFunctionArn,
        Setting::MonitorFunctionArn,
        Setting::ScheduleFunctionArn,
        Setting::PublicUrl,
        Setting::MailFrom,
        Setting::JwtIssuer,
        Setting::JwtAudience,
        Setting::JwtHs256Secret,
        Setting::JwtJwksUrl,
        Setting::FirstAdministrator,
        Setting::AllowLoopback,
        Setting::SearchProvider,
        Setting::SearchUrl,
        Setting::SearchKey,
        Setting::ModelProvider,
        Setting::ModelUrl,
        Setting::ModelName,
        Setting::ModelTokensPerRun,
        Setting::ModelTokensPerDay,
        Setting::BreakerSeconds,
        Setting::RunsPerDay,
        Setting::MailsPerDay,
        Setting::SearchesPerDay,
        Setting::UploadMegabytesPerDay,
        Setting::RequireMfa,
    ];

    /// The environment variable.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.describe().0
    }

    /// What it holds, in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.describe().1
    }

    fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Stack => ("STACK", "name of the stack; functions are called `{STACK}-{folder}`"),
            Self::Tenant => (
                "TENANT",
                "constant id of this deployment, bound into links, digests and the ledger",
            ),
            Self::TableDirectory => {
                ("TABLE_DIRECTORY", "table of users, grants, teams and revocations")
            }
            Self::TableCatalog => {
                ("TABLE_CATALOG", "table of profiles, connectors, playbooks and bindings")
            }
            Self::TableRuns => {
                ("TABLE_RUNS", "table of runs: heads, plans, outputs, events, intents, journals")
            }
            Self::TableApprovals => {
                ("TABLE_APPROVALS", "table of approval requests, votes, receipts and the chain")
            }
            Self::TableKnowledge => {
                ("TABLE_KNOWLEDGE", "table of entities, edges and their provenance")
            }
            Self::TableContent => {
                ("TABLE_CONTENT", "table of documents, workspaces and notifications")
            }
            Self::TableVault => ("TABLE_VAULT", "table of encrypted credentials"),
            Self::TableEgress => {
                ("TABLE_EGRESS", "table of budgets, breakers and last good answers of sources")
            }
            Self::TableTokens => ("TABLE_TOKENS", "table of the task tokens of waiting gates"),
            Self::BucketData => ("BUCKET_DATA", "bucket of uploads, large bodies and exports"),
            Self::BucketLedger => ("BUCKET_LEDGER", "bucket of the exported ledger"),
            Self::RunMachineArn => ("RUN_MACHINE_ARN", "state machine that executes plans"),
            Self::EventBus => ("EVENT_BUS", "bus of domain events"),
            Self::SocketEndpoint => (
                "SOCKET_ENDPOINT",
                "address at which messages for open connections are handed over",
            ),
            Self::SocketUrl => ("SOCKET_URL", "address at which people open connections"),
            Self::StreamUrl => (
                "STREAM_URL",
                "address at which the events of runs are read as they happen; without it nobody can",
            ),
            Self::MailQueueUrl => ("MAIL_QUEUE_URL", "queue of outgoing mail"),
            Self::ReceiptQueueUrl => ("RECEIPT_QUEUE_URL", "FIFO queue of receipts for the ledger"),
            Self::LinkKeyId => ("LINK_KEY_ID", "KMS HMAC key of approval links and nonces"),
            Self::LedgerKeyId => ("LEDGER_KEY_ID", "KMS signing key of ledger checkpoints"),
            Self::VaultKeyId => ("VAULT_KEY_ID", "KMS key that wraps the data keys of credentials"),
            Self::ScheduleGroup => ("SCHEDULE_GROUP", "group of the schedules that call functions"),
            Self::ScheduleRoleArn => {
                ("SCHEDULE_ROLE_ARN", "role the schedules call functions with")
            }
            Self::ScheduleFunctionArn => {
                ("SCHEDULE_FUNCTION_ARN", "function that enabled schedules call when they are due")
            }
            Self::DeadlineFunctionArn => {
                ("DEADLINE_FUNCTION_ARN", "function the deadline schedules call")
            }
            Self::MonitorFunctionArn => {
                ("MONITOR_FUNCTION_ARN", "function the schedules of monitors call")
            }
            Self::PublicUrl => ("PUBLIC_URL", "base of every link that leaves the system"),
            Self::MailFrom => ("MAIL_FROM", "verified sender of mail"),
            Self::JwtIssuer => ("JWT_ISSUER", "issuer a token must name"),
            Self::JwtAudience => ("JWT_AUDIENCE", "audience a token must name"),
            Self::JwtHs256Secret => {
                ("JWT_HS256_SECRET", "shared secret of tokens; local stacks only")
            }
            Self::JwtJwksUrl => ("JWT_JWKS_URL", "where the issuer publishes its keys"),
            Self::FirstAdministrator => {
                ("FIRST_ADMINISTRATOR", "address whose person becomes an administrator, once")
            }
            Self::AllowLoopback => {
                ("ALLOW_LOOPBACK", "`true` lets connectors reach loopback; local stacks only")
            }
            Self::SearchProvider => {
                ("SEARCH_PROVIDER", "who searches the web: `searxng`, `tavily` or nobody")
            }
            Self::SearchUrl => ("SEARCH_URL", "base address of the search provider"),
            Self::SearchKey => ("SEARCH_KEY", "key of the search provider"),
            Self::ModelProvider => (
                "MODEL_PROVIDER",
                "who answers `llm_task` steps: `extractive`, `openai`, `anthropic` or `bedrock`",
            ),
            Self::ModelUrl => ("MODEL_URL", "base address of the model provider"),
            Self::ModelName => ("MODEL_NAME", "the model's name at its provider"),
            Self::ModelTokensPerRun => {
                ("MODEL_TOKENS_PER_RUN", "tokens models may use for a run; 0: any number")
            }
            Self::ModelTokensPerDay => (
                "MODEL_TOKENS_PER_DAY",
                "tokens models may use for a person's runs in a day; 0: any number",
            ),
            Self::BreakerSeconds => (
                "BREAKER_SECONDS",
                "seconds for which a source that keeps failing is not called; 300 when not set",
            ),
            Self::RunsPerDay => ("RUNS_PER_DAY", "runs a person may start in a day; 0: any number"),
            Self::MailsPerDay => {
                ("MAILS_PER_DAY", "mails a person's runs may send in a day; 0: any number")
            }
            Self::SearchesPerDay => (
                "SEARCHES_PER_DAY",
                "requests to the search provider for a person's runs and monitors in a day; 0: any number",
            ),
            Self::RequireMfa => (
                "REQUIRE_MFA",
                "`true` lets sessions decide on what is irreversible with a second factor only",
            ),
            Self::UploadMegabytesPerDay => (
                "UPLOAD_MEGABYTES_PER_DAY",
                "megabytes a person may upload in a day; 0: any number",
            ),
        }
    }
}

/// The name Lambda gave this function; empty outside Lambda.
pub(crate) fn function_name() -> &'static str {
    static NAME: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    NAME.get_or_init(|| std::env::var("AWS_LAMBDA_FUNCTION_NAME").unwrap_or_default())
}

/// Where Lambda's runtime listens, `host:port`: no connector may ever call it. None outside Lambda.
#[must_use]
pub fn runtime_api() -> Option<String> {
    std::env::var("AWS_LAMBDA_RUNTIME_API").ok().filter(|address| !address.is_empty())
}

/// A setting that a function needs and does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable `{}` is not set ({})", .0.name(), .0.meaning())]
pub struct MissingSetting(pub Setting);

/// The settings of this process, read once.
#[derive(Clone, Default)]
pub struct Settings(HashMap<Setting, String>);

// Written by hand: a derived one would print the JWT secret.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Settings {
    /// Reads the environment. Empty variables count as not set.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_pairs(
            Setting::ALL
                .into_iter()
                .filter_map(|setting| Some((setting, std::env::var(setting.name()).ok()?))),
        )
    }

    /// Settings from elsewhere: tests, the command line.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (Setting, String)>) -> Self {
        Self(pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }

    /// A setting the function cannot do without.
    ///
    /// # Errors
    /// [`MissingSetting`] names it and says what it is for.
    pub fn need(&self, setting: Setting) -> Result<&str, MissingSetting> {
        self.get(setting).ok_or(MissingSetting(setting))
    }

    /// A setting that may be left out.
    #[must_use]
    pub fn get(&self, setting: Setting) -> Option<&str> {
        self.0.get(&setting).map(String::as_str)
    }

    /// Whether connectors may reach loopback addresses.
    #[must_use]
    pub fn allow_loopback(&self) -> bool {
        self.get(Setting::AllowLoopback) == Some("true")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_setting_says_what_it_is_for() {
        let settings = Settings::from_pairs([(Setting::Stack, String::new())]);
        let error = settings.need(Setting::Stack).unwrap_err();
        assert!(error.to_string().contains("`STACK` is not set (name of the stack"));
    }

    #[test]
    fn debug_prints_names_and_no_values() {
        let settings = Settings::from_pairs([(Setting::JwtHs256Secret, "hunter2".to_owned())]);
        assert!(!format!("{settings:?}").contains("hunter2"));
    }

    #[test]
    fn every_setting_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> =
            Setting::ALL.into_iter().map(Setting::name).collect();
        assert_eq!(names.len(), Setting::ALL.len());
    }
}
