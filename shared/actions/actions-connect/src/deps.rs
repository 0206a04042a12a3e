//! What the action reads from and writes to.

use std::sync::Arc;
use std::time::Duration;

use countersign_connector::{
    Announcer, ConnectorSource, CredentialSource, DeploymentSecrets, Files, HealthSink, Tools,
};
use countersign_http_out::Egress;
use countersign_reader::Readers;
use countersign_resilience::{Answers, CallLimits};
use countersign_robots::Robots;

use crate::token::Tokens;

/// What the action reads from and writes to.
#[derive(Clone)]
pub struct Deps {
    /// Connectors and bindings.
    pub connectors: Arc<dyn ConnectorSource>,
    /// Where a binding's health is noted.
    pub health: Arc<dyn HealthSink>,
    /// Credentials of the owner.
    pub credentials: Arc<dyn CredentialSource>,
    /// Credentials of the deployment; none where calls have effects, which take their owner's alone.
    pub deployment: Option<Arc<dyn DeploymentSecrets>>,
    /// Uploaded files.
    pub files: Arc<dyn Files>,
    /// Who reads files, pages and feeds.
    pub readers: Readers,
    /// Budgets and breakers, shared by every instance.
    pub limits: Arc<dyn CallLimits>,
    /// How long a source is left alone once its breaker has opened.
    pub rests_for: Duration,
    /// The last good answers.
    pub answers: Arc<dyn Answers>,
    /// Who hears of a refused credential.
    pub announcer: Arc<dyn Announcer>,
    /// The way out.
    pub egress: Egress,
    /// What sites say in their robots.txt; one for the life of the process.
    pub robots: Robots,
    /// Tokens bought so far; one for the life of the process.
    pub tokens: Tokens,
    /// Actions that connectors may stand for.
    pub tools: Arc<dyn Tools>,
}
