//! Messages to open connections.

use aws_sdk_apigatewaymanagement::config::Builder;
use aws_sdk_apigatewaymanagement::error::SdkError;
use aws_sdk_apigatewaymanagement::operation::delete_connection::DeleteConnectionError;
use aws_sdk_apigatewaymanagement::operation::post_to_connection::PostToConnectionError;
use aws_sdk_apigatewaymanagement::primitives::Blob;
use aws_sdk_apigatewaymanagement::{Client, Config};
use countersign_aws::{AwsConfig, LazyClient};
use futures::future::BoxFuture;
use serde_json::Value;

use crate::error::OutboxError;

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
            match sent {
                Ok(_) => Ok(Pushed::Sent),
                Err(SdkError::ServiceError(said))
                    if matches!(said.err(), PostToConnectionError::GoneException(_)) =>
                {
                    Ok(Pushed::Gone)
                }
                Err(error) => Err(OutboxError::sdk("gateway of connections", &error)),
            }
        })
    }

    /// Ends a connection. One that is over already is left as it is.
    ///
    /// # Errors
    /// [`OutboxError`] when the gateway does not answer.
    pub fn close<'a>(&'a self, connection: &'a str) -> BoxFuture<'a, Result<(), OutboxError>> {
        Box::pin(async move {
            let closed = self.client.delete_connection().connection_id(connection).send().await;
            match closed {
                Ok(_) => Ok(()),
                Err(SdkError::ServiceError(said))
                    if matches!(said.err(), DeleteConnectionError::GoneException(_)) =>
                {
                    Ok(())
                }
                Err(error) => Err(OutboxError::sdk("gateway of connections", &error)),
            }
        })
    }
}

/// Each gateway has an address of its own, whatever the address of other services is.
fn config(aws: &AwsConfig, address: &str) -> Config {
    Builder::from(&**aws).endpoint_url(address).build()
}
