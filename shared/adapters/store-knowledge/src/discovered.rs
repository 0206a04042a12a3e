//! What was found lately, for those who look for it.

use countersign_knowledge::Discovery;
use countersign_knowledge::discovered::Discovered;
use countersign_knowledge::graph::{GraphFuture, Scope};
use countersign_store_kit::{Window, boxed};
use futures::TryFutureExt as _;
use jiff::Timestamp;

use crate::KnowledgeStore;

/// How many are read with one request.
const PAGE: i32 = 200;

impl Discovered for KnowledgeStore {
    fn since<'a>(
        &'a self,
        scope: &'a Scope,
        since: Option<Timestamp>,
        after: Option<&'a str>,
    ) -> GraphFuture<'a, (Vec<Discovery>, Option<String>)> {
        let page = self.discoveries_since(
            scope,
            since,
            Window { limit: PAGE, after: after.map(str::to_owned) },
        );
        boxed(page.map_ok(|page| (page.items, page.next)))
    }
}
