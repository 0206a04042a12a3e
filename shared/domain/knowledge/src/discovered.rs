//! What was found lately.

use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::graph::{GraphError, Scope};
use crate::rows::Discovery;

/// Reading what runs have found, by time.
pub trait Discovered: Send + Sync {
    /// What was found since a time, the newest first: at most about `most`, and whether there is more.
    fn since<'a>(
        &'a self,
        scope: &'a Scope,
        since: Option<Timestamp>,
        most: usize,
    ) -> BoxFuture<'a, Result<(Vec<Discovery>, bool), GraphError>>;
}
