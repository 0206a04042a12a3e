//! Notifications of steps: written, and said to those who listen.

use countersign_actions_notify::Notes;
use countersign_notice::OwnerNotifier;
use countersign_registry::action::{ActionError, ActionFuture};
use countersign_store_content::Notification;

/// Where notifications of steps go.
pub(crate) struct Announced(pub(crate) OwnerNotifier);

impl Notes for Announced {
    fn keep<'a>(&'a self, note: &'a Notification) -> ActionFuture<'a, Notification> {
        Box::pin(async move {
            self.0.note(note).await.map_err(|error| ActionError::from_failure(&error))
        })
    }
}
