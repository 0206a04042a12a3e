//! Tells a person something that nobody waits for: in the application, and by mail to a verified address.
//!
//! Ids of notifications and mails follow from what they are about: told again, it is told once.

use countersign_failure::Failure;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_letter::LetterError;
use countersign_letter::mail::Rendered;
use countersign_outbox::{DomainEvent, EventBus, Mail, MailId, MailQueue, OutboxError};
use countersign_store_content::{ContentError, ContentStore, Notification};
use countersign_store_directory::{Directory, DirectoryError};

/// Why somebody could not be told; the event that says what there is to tell comes again.
#[derive(Debug, thiserror::Error, Failure)]
pub enum NoticeError {
    /// The directory does not answer.
    #[error(transparent)]
    #[failure(forward)]
    Directory(#[from] DirectoryError),
    /// The notification could not be written.
    #[error(transparent)]
    #[failure(forward)]
    Content(#[from] ContentError),
    /// The mail could not be written.
    #[error(transparent)]
    #[failure(forward)]
    Letter(#[from] LetterError),
    /// The mail could not be queued.
    #[error(transparent)]
    #[failure(forward)]
    Outbox(#[from] OutboxError),
}

/// Notifications, the directory and the mail queue.
#[derive(Debug, Clone)]
pub struct OwnerNotifier {
    content: ContentStore,
    directory: Directory,
    mails: MailQueue,
    bus: EventBus,
}

impl OwnerNotifier {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Ok(Self {
            content: ContentStore::new(boot.table(Setting::TableContent)?, boot.blobs()?),
            directory: Directory::new(boot.table(Setting::TableDirectory)?),
            mails: MailQueue::new(&boot.aws, boot.settings.need(Setting::MailQueueUrl)?),
            bus: EventBus::new(&boot.aws, boot.settings.need(Setting::EventBus)?),
        })
    }

    /// Writes the notification, and queues the letter to whom it is for. `false` when that person has no verified address, or
    /// is not active any more: then there is only the notification.
    ///
    /// # Errors
    /// [`NoticeError`] when a table or the queue does not answer; telling it again is safe.
    pub async fn tell(
        &self,
        note: &Notification,
        id: MailId,
        letter: Rendered,
    ) -> Result<bool, NoticeError> {
        self.note(note).await?;
        let person = self.directory.user(&note.owner).await?;
        let reachable = person.filter(|person| person.active && person.email_verified);
        let Some(address) = reachable.map(|person| person.email.to_string()) else {
            return Ok(false);
        };
        let Rendered { subject, text, html } = letter;
        let mail = Mail::new(id, vec![address], subject, text, Some(html))?;
        let mail = mail.with_header("Auto-Submitted", "auto-generated")?;
        self.mails.send(&mail).await?;
        Ok(true)
    }

    /// Writes the notification alone, unless one with its id exists; answers with the one that stands.
    ///
    /// # Errors
    /// [`NoticeError::Content`] when the table does not answer.
    pub async fn note(&self, note: &Notification) -> Result<Notification, NoticeError> {
        let stands = self.content.notify(note).await?;
        let said = DomainEvent::notified(&stands.owner, stands.id.as_str(), stands.created_at);
        self.bus.tell(&[said]).await;
        Ok(stands)
    }
}
