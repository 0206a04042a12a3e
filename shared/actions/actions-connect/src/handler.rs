//! The handler.

use std::sync::Arc;

use countersign_connector::{
    Announcer, Connection, ConnectorSource, CredentialSource, Files, Health, HealthSink, Operation,
    Tools,
};
use countersign_http_out::Egress;
use countersign_reader::Readers;
use countersign_registry::CALL_CONNECTOR;
use countersign_registry::action::{ActionError, Call, Handler};
use countersign_resilience::{Answers, Standing};
use countersign_robots::Robots;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::binding::{Resolved, resolve};
use crate::error::ConnectError;
use crate::token::Tokens;
use crate::{circuit_breaker, database, feed, file, graphql, rest, scraper, tool};

/// Which endpoints a function may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those that only read.
    Read,
    /// Those that have an effect.
    Write,
}

impl Mode {
    /// Why an endpoint is not for this function.
    pub(crate) fn refuses(self, irreversible: bool) -> Option<&'static str> {
        match (self, irreversible) {
            (Self::Read, true) => Some("has an effect, and this function only reads"),
            (Self::Write, false) => Some("only reads, and this function is for effects"),
            (Self::Read, false) | (Self::Write, true) => None,
        }
    }
}

/// What the action reads from and writes to.
#[derive(Clone)]
pub struct Deps {
    /// Connectors and bindings.
    pub connectors: Arc<dyn ConnectorSource>,
    /// Where a binding's health is noted.
    pub health: Arc<dyn HealthSink>,
    /// Credentials of the owner.
    pub credentials: Arc<dyn CredentialSource>,
    /// Uploaded files.
    pub files: Arc<dyn Files>,
    /// Who reads files, pages and feeds.
    pub readers: Readers,
    /// Budgets and breakers, shared by every instance.
    pub standing: Arc<dyn Standing>,
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

/// The actions of this crate.
#[must_use]
pub fn actions(deps: Deps, mode: Mode) -> Vec<Arc<dyn Handler>> {
    vec![Arc::new(CallConnector { deps, mode })]
}

struct CallConnector {
    deps: Deps,
    mode: Mode,
}

impl Handler for CallConnector {
    fn name(&self) -> &'static str {
        CALL_CONNECTOR
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move {
            let resolved = resolve(&self.deps, call, self.mode).await;
            let resolved = resolved.map_err(|error| error.into_action(self.mode))?;
            let circuit_breaker::Guarded { outcome, health } =
                circuit_breaker::call(&self.deps, call, &resolved).await;
            self.note_health(call, &resolved, health).await;
            outcome.map_err(|error| error.into_action(self.mode))
        })
    }
}

pub(crate) async fn act(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
) -> Result<Value, ConnectError> {
    match (&resolved.definition.connection, &resolved.endpoint.operation) {
        (
            Connection::FileParser(connection),
            operation @ (Operation::ParseXml(_) | Operation::Parse(_)),
        ) => file::call(deps, call, resolved, connection, operation).await,
        (Connection::RestApi(connection), Operation::Request(rules)) => {
            rest::call(deps, call, resolved, connection, rules).await
        }
        (Connection::Graphql(connection), Operation::Graphql(rules)) => {
            graphql::call(deps, call, resolved, connection, rules).await
        }
        (Connection::ExistingTool(connection), Operation::Tool(rules)) => {
            tool::call(deps, call, resolved, connection, rules).await
        }
        (Connection::WebScraper(connection), Operation::Scrape(rules)) => {
            scraper::call(deps, call, resolved, connection, rules).await
        }
        (Connection::RssFeed(connection), Operation::ReadFeeds(_)) => {
            feed::call(deps, call, resolved, connection).await
        }
        (Connection::Database(connection), Operation::Query(rules)) => {
            database::call(deps, call, resolved, connection, rules).await
        }
        // The parser makes none of these.
        _ => Err(ConnectError::Argument(
            "the connector's endpoint is of another type than its connection".to_owned(),
        )),
    }
}

impl CallConnector {
    /// Tells that a credential is refused (F-306), and notes a change of health (F-094). That it could not be told or noted
    /// does not fail the call. First told, then noted: what was not told is told by the next call.
    async fn note_health(&self, call: &Call, resolved: &Resolved, health: Option<Health>) {
        let Some(health) = health.filter(|health| *health != resolved.binding.health) else {
            return;
        };
        // A test leaves nothing behind, and takes no notice from the run that counts (K-46).
        if call.info.dry_run {
            return;
        }
        let binding = &resolved.binding;
        // A source that wants no credential refuses something else.
        if health == Health::AuthFailed && binding.credential.is_some() {
            let at = resolved.meter.now();
            if let Err(error) = self.deps.announcer.auth_failed(&call.owner, binding, at).await {
                tracing::warn!(binding = %binding.id, %error, "nobody was told of the refused credential");
                return;
            }
        }
        if let Err(error) = self.deps.health.note(&call.owner, binding, health).await {
            tracing::warn!(binding = %binding.id, %error, "the binding's health could not be noted");
        }
    }
}
