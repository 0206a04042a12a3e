//! The handler.

use std::sync::Arc;

use countersign_connector::Health;
use countersign_registry::CALL_CONNECTOR;
use countersign_registry::action::{ActionFuture, Call, Handler};
use serde_json::Value;

use crate::binding::{Resolved, resolve};
use crate::circuit_breaker;
use crate::deps::Deps;
use crate::message::SendMessage;
use crate::mode::Mode;

/// The actions of this crate.
#[must_use]
pub fn actions(deps: Deps, mode: Mode) -> Vec<Arc<dyn Handler>> {
    let mut actions: Vec<Arc<dyn Handler>> = Vec::new();
    if mode == Mode::Write {
        actions.push(Arc::new(SendMessage::new(deps.clone())));
    }
    actions.insert(0, Arc::new(CallConnector { deps, mode }));
    actions
}

pub(crate) struct CallConnector {
    pub(crate) deps: Deps,
    pub(crate) mode: Mode,
}

impl Handler for CallConnector {
    fn name(&self) -> &'static str {
        CALL_CONNECTOR
    }

    fn run<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Value> {
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
