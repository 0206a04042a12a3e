//! Messages to open connections.

use aws_sdk_apigatewaymanagement::config::Builder;
use aws_sdk_apigatewaymanagement::primitives::Blob;
use aws_sdk_apigatewaymanagement::{Client, Config};
use countersign_aws::{AwsConfig, LazyClient, answered};
use futures::future::BoxFuture;
use serde_json::Value;

use crate::error::OutboxError;

/// How errors name it.
const GATEWAY: &str = "gateway of connections";

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// The gateway has it.
    Sent,
    /// The connection is over.
    Gone,
}

/// The gateway of open connections.
#[derive(Debug, Clone)]
pub struct Connections {
    client: LazyClient<Client>,
}

impl Connections {
    /// The gateway with this address: `https://…/{stage}`.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, address: impl Into<String>) -> Self {
        let (aws, address) = (aws.clone(), address.into());
        Self { client: LazyClient::new(move || Client::from_conf(config(&aws, &address))) }
    }

    /// Sends a message to a connection.
    ///
    /// # Errors
    /// [`OutboxError`] when the gateway does not take it.
    pub fn push<'a>(
        &'a self,
        connection: &'a str,
        message: &'a Value,
    ) -> BoxFuture<'a, Result<Pushed, OutboxError>> {
        Box::pin(async move {
            let post = self.client.post_to_connection().connection_id(connection);
            let sent = post.data(Blob::new(message.to_string())).send().await;
            let pushed = answered(sent.map(|_| Pushed::Sent), |said| {
                said.is_gone_exception().then_some(Pushed::Gone)
            });
            pushed.map_err(|error| OutboxError::sdk(GATEWAY, &error))
        })
    }

    /// Ends a connection. One that is over already is left as it is.
    ///
    /// # Errors
    /// [`OutboxError`] when the gateway does not answer.
    pub fn close<'a>(&'a self, connection: &'a str) -> BoxFuture<'a, Result<(), OutboxError>> {
        Box::pin(async move {
            let sent = self.client.delete_connection().connection_id(connection).send().await;
            let closed = answered(sent.map(drop), |said| said.is_gone_exception().then_some(()));
            closed.map_err(|error| OutboxError::sdk(GATEWAY, &error))
        })
    }
}

/// Each gateway has an address of its own, whatever the address of other services is.
fn config(aws: &AwsConfig, address: &str) -> Config {
    Builder::from(&**aws).endpoint_url(address).build()
}
