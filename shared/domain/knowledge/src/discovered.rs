//! What was found lately.

use jiff::Timestamp;

use crate::graph::{GraphFuture, Scope};
use crate::rows::Discovery;

/// A page of what was found, and the place where it goes on.
pub type DiscoveryPage = (Vec<Discovery>, Option<String>);

/// Reading what runs have found, by time.
pub trait Discovered: Send + Sync {
    /// A page of what was found since a time, the oldest first, behind the place `after`; the place where it goes on.
    fn since<'a>(
        &'a self,
        scope: &'a Scope,
        since: Option<Timestamp>,
        after: Option<&'a str>,
    ) -> GraphFuture<'a, DiscoveryPage>;
}
