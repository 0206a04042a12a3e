//! The door of webhooks: `POST /hooks/{id}`, signed as Standard Webhooks has it.
//!
//! Nobody signs in here. The signature says that whoever was given a key sent this, and only that: a webhook starts a run with
//! its owner's rights, whose gates ask, and decides nothing. To a stranger a trigger that there is not, one that is not active and
//! a wrong signature are the same answer.

mod receive;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::post;
use countersign_clock::Clock;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_store_vault::VaultStore;
use countersign_vault::{KmsKeys, Vault};
use countersign_web::{door, no_parameters};

/// What a message needs.
#[derive(Debug)]
pub struct Context {
    clock: Clock,
    vault: VaultStore,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] names the setting that is missing or unusable.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let keys = KmsKeys::new(&boot.aws, boot.settings.need(Setting::VaultKeyId)?);
        let table = boot.table(Setting::TableVault)?;
        let vault = VaultStore::new(table, Vault::new(Arc::new(keys)));
        Ok(Self { clock: Clock::new(boot)?, vault })
    }
}

/// The one route, with everything a door has around it.
pub fn router(context: Arc<Context>) -> Router {
    let hook = post(receive::receive).route_layer(from_fn(no_parameters));
    door::complete(Router::new().route("/hooks/{id}", hook).with_state(context))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn the_sample_event_is_a_signed_message() {
        let sample = include_str!("../../../events/hooks/invoice.json");
        let event: Value = serde_json::from_str(sample).unwrap();
        let header = |name: &str| event["headers"][name].as_str().unwrap();
        let sent_at = header("webhook-timestamp");
        let now = jiff::Timestamp::from_second(sent_at.parse().unwrap()).unwrap();
        let (id, signature) = (header("webhook-id"), header("webhook-signature"));
        let message =
            countersign_trigger::hook::Message::read(&[id], &[sent_at], &[signature], now).unwrap();
        let key = countersign_trigger::hook::Secret::new([7; 32]);
        assert!(message.is_signed_by(&[key], event["body"].as_str().unwrap().as_bytes()));
    }
}
