//! Connectors and bindings as one tick reads them: each once, however many of its steps ask for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_connector::{
    AgentConnector, Binding, ConnectorId, ConnectorSource, Found, SourceFuture, StoredConnector,
};
use countersign_identity::UserId;
use tokio::sync::OnceCell;

/// A source that keeps what it read until the next tick.
pub(crate) struct PerTick {
    source: Arc<dyn ConnectorSource>,
    found: Mutex<HashMap<AgentConnector, Arc<OnceCell<Found>>>>,
}

impl PerTick {
    pub(crate) fn new(source: Arc<dyn ConnectorSource>) -> Self {
        Self { source, found: Mutex::default() }
    }

    /// Forgets what an earlier tick read.
    pub(crate) fn begin(&self) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn cell(&self, of: AgentConnector) -> Arc<OnceCell<Found>> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(found.entry(of).or_default())
    }
}

impl ConnectorSource for PerTick {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<StoredConnector>> {
        self.source.definition(owner, id)
    }

    fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
        self.source.binding(of)
    }

    fn bound<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Found> {
        Box::pin(async move {
            let cell = self.cell(of.clone());
            cell.get_or_try_init(|| self.source.bound(of)).await.cloned()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;

    use super::*;

    /// A catalogue without connectors that counts who asks.
    #[derive(Default)]
    struct Empty(AtomicUsize);

    impl ConnectorSource for Empty {
        fn definition<'a>(
            &'a self,
            _: &'a UserId,
            _: &'a ConnectorId,
        ) -> SourceFuture<'a, Option<StoredConnector>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Box::pin(async {
                tokio::task::yield_now().await;
                Ok(None)
            })
        }

        fn binding<'a>(&'a self, _: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
            Box::pin(async { Ok(None) })
        }
    }

    #[tokio::test]
    async fn f_220_a_tick_reads_a_connector_once() {
        let empty = Arc::new(Empty::default());
        let source = PerTick::new(empty.clone());
        let owner = UserId::from_bytes([1; 16]);
        let called = ["feed", "feed", "desk", "feed"].map(|id| AgentConnector {
            owner: owner.clone(),
            profile: "prof_1".to_owned(),
            connector: ConnectorId::parse(id).unwrap(),
        });
        for ticks in 1..=2 {
            source.begin();
            let found = join_all(called.iter().map(|of| source.bound(of))).await;
            assert!(found.iter().all(Result::is_ok));
            assert_eq!(empty.0.load(Ordering::Relaxed), 2 * ticks);
        }
    }
}
