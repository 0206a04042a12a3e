//! Notifications of steps: written, and said to those who listen.

use countersign_actions_notify::Notes;
use countersign_outbox::{DomainEvent, EventBus};
use countersign_registry::action::ActionFuture;
use countersign_store_content::{ContentStore, Notification};

/// Where notifications of steps go.
pub(crate) struct Announced {
    pub(crate) content: ContentStore,
    pub(crate) bus: EventBus,
}

impl Notes for Announced {
    fn keep<'a>(&'a self, note: &'a Notification) -> ActionFuture<'a, Notification> {
        Box::pin(async move {
            let stands = self.content.keep(note).await?;
            let said = DomainEvent::notified(&stands.owner, stands.id.as_str(), stands.created_at);
            self.bus.tell(&[said]).await;
            Ok(stands)
        })
    }
}
