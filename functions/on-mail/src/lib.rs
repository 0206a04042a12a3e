//! Hands queued mail to SES, once.
//!
//! Every message of a batch is dealt with on its own; those that could not be handed over are reported, come back after
//! the queue's visibility timeout and end in its dead letter queue, where an alarm waits. The request a mail asks for
//! stays pending all the while (K-03).

mod mail_sender;

use std::sync::Arc;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use countersign_failure::{Failure as _, chain};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_outbox::{Mail, MailId, OutboxError};
use countersign_store_content::{Claim, Deliveries};
use futures::future::BoxFuture;
use jiff::Timestamp;

pub use mail_sender::{MailSender, SendError, Ses};

/// The list of mails that have been handed over.
pub trait DeliveryList: Send + Sync {
    /// Claims a mail for this sender.
    fn claim<'a>(
        &'a self,
        mail: &'a MailId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Claim, OutboxError>>;
    /// Notes that it was handed over.
    fn sent<'a>(
        &'a self,
        mail: &'a MailId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), OutboxError>>;
    /// Gives a claim back.
    fn release<'a>(&'a self, mail: &'a MailId) -> BoxFuture<'a, Result<(), OutboxError>>;
}

impl DeliveryList for Deliveries {
    fn claim<'a>(
        &'a self,
        mail: &'a MailId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Claim, OutboxError>> {
        Box::pin(async move { Ok(Deliveries::claim(self, mail.as_str(), now).await?) })
    }

    fn sent<'a>(
        &'a self,
        mail: &'a MailId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), OutboxError>> {
        Box::pin(async move { Ok(Deliveries::sent(self, mail.as_str(), now).await?) })
    }

    fn release<'a>(&'a self, mail: &'a MailId) -> BoxFuture<'a, Result<(), OutboxError>> {
        Box::pin(async move { Ok(Deliveries::release(self, mail.as_str()).await?) })
    }
}

/// What the function is built from.
#[derive(Clone)]
pub struct Context {
    /// Which mails have been handed over.
    pub deliveries: Arc<dyn DeliveryList>,
    /// Who carries them.
    pub mail_sender: Arc<dyn MailSender>,
}

impl Context {
    /// The real thing.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let table = boot.table(Setting::TableContent)?;
        let from = boot.settings.need(Setting::MailFrom)?;
        Ok(Self {
            deliveries: Arc::new(Deliveries::new(table)),
            mail_sender: Arc::new(Ses::new(&boot.aws, from)),
        })
    }
}

/// Sends every mail of the batch; names those to be delivered again.
pub async fn handle(event: SqsEvent, context: &Context, now: Timestamp) -> SqsBatchResponse {
    let mut response = SqsBatchResponse::default();
    for message in event.records {
        let id = message.message_id.clone().unwrap_or_default();
        if !deliver(&message, context, now).await {
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = id;
            response.batch_item_failures.push(failure);
        }
    }
    response
}

/// Whether the message is done with.
async fn deliver(message: &SqsMessage, context: &Context, now: Timestamp) -> bool {
    let body = message.body.as_deref().unwrap_or_default();
    match serde_json::from_str::<Mail>(body) {
        // The body may hold a link or a code: only the place of the fault is told.
        Err(error) => {
            tracing::error!(
                line = error.line(),
                column = error.column(),
                "a message is not a mail"
            );
            false
        }
        Ok(mail) => match hand_over(&mail, context, now).await {
            Ok(done) => done,
            Err(error) => {
                tracing::error!(mail = %mail.id(), code = error.code(), error = chain(&error), "a mail was not handed over");
                false
            }
        },
    }
}

async fn hand_over(mail: &Mail, context: &Context, now: Timestamp) -> Result<bool, OutboxError> {
    match context.deliveries.claim(mail.id(), now).await? {
        Claim::Sent => {
            tracing::info!(mail = %mail.id(), "sent before");
            return Ok(true);
        }
        // Whoever holds the claim finishes it, or its lease ends before this message comes back.
        Claim::Busy => return Ok(false),
        Claim::Ours => {}
    }
    match context.mail_sender.send(mail).await {
        Ok(()) => {
            tracing::info!(mail = %mail.id(), "sent");
            // When this write fails the mail is out all the same: the message is done with.
            if let Err(error) = context.deliveries.sent(mail.id(), now).await {
                tracing::warn!(mail = %mail.id(), error = chain(&error), "a sent mail could not be noted");
            }
            Ok(true)
        }
        Err(error) => {
            tracing::error!(mail = %mail.id(), code = error.code(), error = chain(&error), "SES did not take a mail");
            if error.surely_unsent() {
                context.deliveries.release(mail.id()).await?;
            }
            Ok(false)
        }
    }
}
