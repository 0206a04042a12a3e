//! What leaves the system, and how it gets there at least once and is acted on once.
//!
//! - [`MailQueue`]: finished mails to SQS; `on-mail` hands them to SES and keeps a list of deliveries, so that a message
//!   that SQS delivers twice is mailed once.
//! - [`ReceiptQueue`]: receipts to the FIFO queue of the ledger, in one message group, so that one sealer sees them in
//!   order.
//! - [`EventBus`]: domain events (`run.finished`, `approval.opened`, `connector.auth_failed`, …) to EventBridge; ids only.
//! - [`Connections`]: messages to open connections; ids only.
//!
//! Nothing that goes through here carries a task token. Futures are boxed at the public methods.

mod connections;
mod connectors;
mod error;
mod events;
mod mail;
mod notifications;
mod occurrences;
mod queues;

pub use connections::{Connections, Pushed};
pub use error::OutboxError;
pub use events::{DomainEvent, EventBus, SOURCE};
pub use mail::{MAX_MESSAGE, Mail, MailId};
pub use queues::{MailQueue, ReceiptQueue};
