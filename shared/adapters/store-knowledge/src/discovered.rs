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
        most: usize,
    ) -> BoxFuture<'a, Result<(Vec<Discovery>, bool), GraphError>> {
        Box::pin(async move {
            let (mut all, mut after) = (Vec::new(), None::<String>);
            loop {
                let window = Window { limit: PAGE, after: after.as_deref() };
                let page = self.discoveries(scope, window).await.map_err(boxed)?;
                let is_late = |found: &Discovery| since.is_none_or(|at| found.discovered_at >= at);
                let has_earlier = page.items.iter().any(|found| !is_late(found));
                all.extend(page.items.into_iter().filter(is_late));
                after = page.next;
                if has_earlier || after.is_none() {
                    return Ok((all, false));
                }
                if all.len() >= most {
                    return Ok((all, true));
                }
            }
        })
    }
}
