//! Domain events to EventBridge.

use aws_sdk_eventbridge::Client;
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use countersign_aws::{AwsConfig, LazyClient, is_transient};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::error::OutboxError;
use crate::mail::bounded;

/// The source of all our events.
pub const SOURCE: &str = "countersign";

/// Entries of one request.
const BATCH: usize = 10;

/// Something that happened: a kind and ids, never content.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainEvent {
    kind: &'static str,
    at: Timestamp,
    fields: Map<String, Value>,
}

impl DomainEvent {
    /// An event such as `approval.opened`.
    #[must_use]
    pub fn new(kind: &'static str, at: Timestamp) -> Self {
        Self { kind, at, fields: Map::new() }
    }

    /// The same event about one more thing: `run`, `approval`, `profile`, `status`, …
    #[must_use]
    pub fn about(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The detail of the bus's entry: `{ "v": 1, "kind", "at", … }`.
    #[must_use]
    pub fn detail(&self) -> Value {
        let mut detail = Map::new();
        detail.insert("v".to_owned(), 1.into());
        detail.insert("kind".to_owned(), self.kind.into());
        detail.insert("at".to_owned(), self.at.to_string().into());
        detail.extend(self.fields.clone());
        Value::Object(detail)
    }
}

/// The bus of domain events.
#[derive(Debug, Clone)]
pub struct EventBus {
    client: LazyClient<Client>,
    name: String,
}

impl EventBus {
    /// The bus of this name or ARN.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, name: impl Into<String>) -> Self {
        Self { client: LazyClient::of(aws, Client::new), name: name.into() }
    }

    /// Publishes events, ten a request.
    ///
    /// # Errors
    /// [`OutboxError`] when the bus did not take all of them. What follows from an event must not depend on it alone:
    /// the bus is for those who listen, the stores hold the truth.
    pub fn publish<'a>(
        &'a self,
        events: &'a [DomainEvent],
    ) -> BoxFuture<'a, Result<(), OutboxError>> {
        Box::pin(async move {
            for batch in events.chunks(BATCH) {
                self.put(batch).await?;
            }
            Ok(())
        })
    }

    async fn put(&self, batch: &[DomainEvent]) -> Result<(), OutboxError> {
        let place = "event bus";
        let entries = batch.iter().map(|event| self.entry(event)).collect::<Result<Vec<_>, _>>()?;
        let sent = self.client.put_events().set_entries(Some(entries)).send().await;
        let answer = sent.map_err(|error| OutboxError::sdk(place, &error))?;
        let failed = answer.entries().iter().find_map(|entry| entry.error_code());
        match failed {
            None => Ok(()),
            Some(code) if is_transient(code) => {
                Err(OutboxError::Unavailable { place, reason: code.to_owned() })
            }
            Some(code) => Err(OutboxError::Refused { place, reason: code.to_owned() }),
        }
    }

    fn entry(&self, event: &DomainEvent) -> Result<PutEventsRequestEntry, OutboxError> {
        let detail = bounded("event bus", event.detail().to_string())?;
        let time = aws_smithy_types::DateTime::from_secs(event.at.as_second());
        let entry = PutEventsRequestEntry::builder().event_bus_name(&self.name).source(SOURCE);
        Ok(entry.detail_type(event.kind).time(time).detail(detail).build())
    }
}

#[cfg(test)]
mod tests {
    use super::DomainEvent;
    use serde_json::json;

    #[test]
    fn an_event_is_flat_and_versioned() {
        let event = DomainEvent::new("approval.opened", "2026-11-21T10:00:00Z".parse().unwrap())
            .about("run", "run_1");
        let expect = json!({"v": 1, "kind": "approval.opened", "at": "2026-11-21T10:00:00Z", "run": "run_1"});
        assert_eq!(event.detail(), expect);
    }
}
