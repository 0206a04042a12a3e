//! One lookup for describing a call and for making it.
//!
//! The step protocol describes a call right before it makes it. Both need connector and binding; what was read to describe
//! the call is handed over to the action, once. Describing always reads anew: nothing is signed from memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_connector::{
    Binding, ConnectorId, ConnectorSource, Found, SourceError, StoredConnector,
};
use countersign_identity::UserId;
use futures::future::BoxFuture;

/// What was read last, and for which call.
#[derive(Default)]
struct Slot(Mutex<Option<(Key, Found)>>);

type Key = (UserId, String, ConnectorId);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<(Key, Found)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A source that always reads, and keeps what it read for the action.
pub(crate) struct Describing {
    source: Arc<dyn ConnectorSource>,
    slot: Arc<Slot>,
}

/// A source that takes what was read to describe the same call; it reads itself when there is nothing.
pub(crate) struct Acting {
    source: Arc<dyn ConnectorSource>,
    slot: Arc<Slot>,
}

/// Both sides over one source.
pub(crate) fn handover(source: &Arc<dyn ConnectorSource>) -> (Describing, Acting) {
    let slot = Arc::new(Slot::default());
    let describing = Describing { source: Arc::clone(source), slot: Arc::clone(&slot) };
    (describing, Acting { source: Arc::clone(source), slot })
}

fn key(owner: &UserId, profile: &str, connector: &ConnectorId) -> Key {
    (owner.clone(), profile.to_owned(), connector.clone())
}

impl ConnectorSource for Describing {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<StoredConnector>, SourceError>> {
        self.source.definition(owner, id)
    }

    fn binding<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<Binding>, SourceError>> {
        self.source.binding(owner, profile, connector)
    }

    fn bound<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Found, SourceError>> {
        Box::pin(async move {
            let found = self.source.bound(owner, profile, connector).await?;
            *self.slot.lock() = Some((key(owner, profile, connector), found.clone()));
            Ok(found)
        })
    }
}

impl ConnectorSource for Acting {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<StoredConnector>, SourceError>> {
        self.source.definition(owner, id)
    }

    fn binding<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<Binding>, SourceError>> {
        self.source.binding(owner, profile, connector)
    }

    fn bound<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Found, SourceError>> {
        Box::pin(async move {
            let kept = self.slot.lock().take();
            match kept.filter(|(of, _)| *of == key(owner, profile, connector)) {
                Some((_, found)) => Ok(found),
                None => self.source.bound(owner, profile, connector).await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt as _;

    use super::*;

    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl ConnectorSource for Counting {
        fn definition<'a>(
            &'a self,
            _: &'a UserId,
            _: &'a ConnectorId,
        ) -> BoxFuture<'a, Result<Option<StoredConnector>, SourceError>> {
            Box::pin(async { Ok(None) })
        }

        fn binding<'a>(
            &'a self,
            _: &'a UserId,
            _: &'a str,
            _: &'a ConnectorId,
        ) -> BoxFuture<'a, Result<Option<Binding>, SourceError>> {
            Box::pin(async { Ok(None) })
        }

        fn bound<'a>(
            &'a self,
            _: &'a UserId,
            _: &'a str,
            _: &'a ConnectorId,
        ) -> BoxFuture<'a, Result<Found, SourceError>> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Ok(Found { connector: None, binding: None }) })
        }
    }

    #[test]
    fn what_describing_read_is_used_once_and_for_the_same_call_only() {
        let counting = Arc::new(Counting::default());
        let source: Arc<dyn ConnectorSource> = counting.clone();
        let (describing, acting) = handover(&source);
        let owner = UserId::from_bytes([1; 16]);
        let (bank, other) =
            (ConnectorId::parse("bank").unwrap(), ConnectorId::parse("other").unwrap());
        let look = |side: &dyn ConnectorSource, id: &ConnectorId| {
            side.bound(&owner, "prof_1", id).now_or_never().unwrap().unwrap();
            counting.0.load(Ordering::SeqCst)
        };
        assert_eq!(look(&describing, &bank), 1);
        assert_eq!(look(&acting, &bank), 1, "it was handed over");
        assert_eq!(look(&acting, &bank), 2, "once");
        assert_eq!(look(&describing, &bank), 3);
        assert_eq!(look(&describing, &bank), 4, "describing never uses what was kept");
        assert_eq!(look(&acting, &other), 5, "another call reads for itself");
    }
}
