//! A value that its first use makes, and that its clones share.
//!
//! A function holds a client for every service it may ask and asks few of them in one invocation. What is never used is
//! never made: it takes no time when the function starts, and no memory.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// A value of type `T`, once somebody looks at it.
pub struct Lazy<T>(Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send>>>);

impl<T> Lazy<T> {
    /// What `make` gives when it is first needed.
    #[must_use]
    pub fn new(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Lazy<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lazy")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn it_is_made_once_and_not_before_it_is_needed() {
        let made = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&made);
        let lazy = Lazy::new(move || counted.fetch_add(1, Ordering::SeqCst) + 41);
        let other = lazy.clone();
        assert_eq!(made.load(Ordering::SeqCst), 0);
        assert_eq!((*lazy, *other, *lazy), (41, 41, 41));
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }
}
