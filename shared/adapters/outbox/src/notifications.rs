//! That somebody has a new notification.

use countersign_identity::UserId;
use jiff::Timestamp;

use crate::{DomainEvent, EventBus};

impl DomainEvent {
    /// That a notification was written for this person. Listeners may hear of one twice.
    #[must_use]
    pub fn notified(person: &UserId, notification: &str, at: Timestamp) -> Self {
        Self::new("notification.written", at)
            .about("owner", person.as_str())
            .about("notification", notification)
    }
}

impl EventBus {
    /// Publishes events that nothing depends on: whoever misses one finds what it is about at the API.
    pub fn tell<'a>(&'a self, events: &'a [DomainEvent]) -> futures::future::BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Err(error) = self.publish(events).await {
                tracing::warn!(%error, "listeners have missed an event");
            }
        })
    }
}
