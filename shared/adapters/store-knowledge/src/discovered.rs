//! What was found lately, for those who look for it.

use countersign_knowledge::Discovery;
use countersign_knowledge::discovered::Discovered;
use countersign_knowledge::graph::{GraphError, Scope};
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::graph::boxed;
use crate::{KnowledgeStore, Window};

/// How many are read with one request.
const PAGE: i32 = 200;

impl Discovered for KnowledgeStore {
    fn since<'a>(
        &'a self,
        scope: &'a Scope,
        since: Option<Timestamp>,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<(Vec<Discovery>, Option<String>), GraphError>> {
        Box::pin(async move {
            let page = self.discoveries_since(scope, since, Window { limit: PAGE, after });
            let page = page.await.map_err(boxed)?;
            Ok((page.items, page.next))
        })
    }
}
