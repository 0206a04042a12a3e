//! The two queues.

use aws_sdk_sqs::Client;
use countersign_aws::{AwsConfig, LazyClient};
use futures::future::BoxFuture;
use serde::Serialize;

use crate::error::OutboxError;
use crate::mail::{Mail, bounded};

/// All receipts form one group: the sealer sees them in order, one batch at a time.
const LEDGER_GROUP: &str = "ledger";

/// The queue of outgoing mail.
#[derive(Debug, Clone)]
pub struct MailQueue {
    client: LazyClient<Client>,
    url: String,
}

impl MailQueue {
    /// The queue at `url`.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, url: impl Into<String>) -> Self {
        Self { client: LazyClient::of(aws, Client::new), url: url.into() }
    }

    /// Puts a mail into the queue.
    ///
    /// # Errors
    /// [`OutboxError`] when the queue does not take it; the caller's request stays as it was.
    pub fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), OutboxError>> {
        Box::pin(async move {
            let request =
                self.client.send_message().queue_url(&self.url).message_body(mail.encoded()?);
            request.send().await.map(drop).map_err(|error| OutboxError::sdk("mail queue", &error))
        })
    }
}

/// The FIFO queue of receipts.
#[derive(Debug, Clone)]
pub struct ReceiptQueue {
    client: LazyClient<Client>,
    url: String,
}

impl ReceiptQueue {
    /// The queue at `url`.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, url: impl Into<String>) -> Self {
        Self { client: LazyClient::of(aws, Client::new), url: url.into() }
    }

    /// Hands a receipt to the sealer. Sending the same receipt again within five minutes does nothing; the sealer
    /// itself knows which receipts it has sealed.
    ///
    /// # Errors
    /// [`OutboxError`] when the queue does not take it; the sweeper sends unsealed receipts again.
    pub fn send<'a, R: Serialize>(
        &'a self,
        id: &'a str,
        receipt: &'a R,
    ) -> BoxFuture<'a, Result<(), OutboxError>> {
        let place = "receipt queue";
        let body =
            serde_json::to_string(receipt).map_err(|source| OutboxError::Encode { place, source });
        let body = body.and_then(|body| bounded(place, body));
        Box::pin(async move {
            let request = self.client.send_message().queue_url(&self.url).message_body(body?);
            let request = request.message_group_id(LEDGER_GROUP).message_deduplication_id(id);
            request.send().await.map(drop).map_err(|error| OutboxError::sdk(place, &error))
        })
    }
}
