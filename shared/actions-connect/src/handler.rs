//! The handler.

use std::sync::Arc;

use countersign_connector::{
    Connection, ConnectorSource, CredentialSource, Files, Health, HealthSink, Operation,
};
use countersign_http_out::{Egress, HttpError};
use countersign_registry::CALL_CONNECTOR;
use countersign_registry::action::{Action, ActionError, Call};
use countersign_robots::Robots;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::binding::{Resolved, resolve};
use crate::error::ConnectError;
use crate::{feed, file, rest, scraper};

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
    /// The way out.
    pub egress: Egress,
}

/// The actions of this crate.
#[must_use]
pub fn actions(deps: Deps, mode: Mode) -> Vec<Arc<dyn Action>> {
    let robots = Robots::new(deps.egress.clone());
    vec![Arc::new(CallConnector { deps, robots, mode })]
}

struct CallConnector {
    deps: Deps,
    robots: Robots,
    mode: Mode,
}

impl Action for CallConnector {
    fn name(&self) -> &'static str {
        CALL_CONNECTOR
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move {
            let resolved = resolve(self.deps.connectors.as_ref(), call, self.mode).await?;
            let outcome = act(&self.deps, &self.robots, call, &resolved).await;
            self.note_health(call, &resolved, outcome.as_ref().err()).await;
            Ok(outcome?)
        })
    }
}

async fn act(
    deps: &Deps,
    robots: &Robots,
    call: &Call,
    resolved: &Resolved,
) -> Result<Value, ConnectError> {
    match (&resolved.definition.connection, &resolved.endpoint.operation) {
        (Connection::FileParser(connection), Operation::ParseXml(rules)) => {
            file::call(deps, call, resolved, connection, rules).await
        }
        (Connection::RestApi(connection), Operation::Request(rules)) => {
            rest::call(deps, call, resolved, connection, rules).await
        }
        (Connection::WebScraper(connection), Operation::Scrape(rules)) => {
            scraper::call(deps, robots, call, resolved, connection, rules).await
        }
        (Connection::RssFeed(connection), Operation::ReadFeeds(_)) => {
            feed::call(deps, call, resolved, connection).await
        }
        // The parser makes neither of these.
        _ => Err(ConnectError::Argument(
            "the connector's endpoint is of another type than its connection".to_owned(),
        )),
    }
}

impl CallConnector {
    /// Notes a change of health (F-094, F-306). That it could not be noted does not fail the call.
    async fn note_health(&self, call: &Call, resolved: &Resolved, error: Option<&ConnectError>) {
        let health = match error {
            None => Health::Ok,
            Some(ConnectError::AuthFailed { .. }) => Health::AuthFailed,
            Some(
                ConnectError::Unavailable { .. }
                | ConnectError::Http(HttpError::Timeout { .. } | HttpError::Network { .. }),
            ) => Health::Unavailable,
            Some(_) => return,
        };
        if health == resolved.binding.health {
            return;
        }
        if let Err(error) = self.deps.health.note(&call.owner, &resolved.binding, health).await {
            tracing::warn!(binding = %resolved.binding.id, %error, "the binding's health could not be noted");
        }
    }
}
