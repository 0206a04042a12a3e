//! A lazily initialised client, shared by its clones.
//!
//! A function holds a client for every service it may ask and asks few of them in one invocation. What is never used is
//! never made: it takes no time when the function starts, and no memory.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use aws_types::SdkConfig;

use crate::AwsConfig;

/// A lazily initialised value shared by its clones; in an adapter, the client of a service.
pub struct LazyClient<T>(Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send>>>);

impl<T> LazyClient<T> {
    /// What `make` gives when it is first needed.
    #[must_use]
    #[inline]
    pub fn new(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }

    /// What `make` gives of this configuration when it is first needed.
    #[must_use]
    #[inline]
    pub fn of(config: &AwsConfig, make: fn(&SdkConfig) -> T) -> Self
    where
        T: 'static,
    {
        let config = config.clone();
        Self::new(move || make(&config))
    }
}

impl<T> Deref for LazyClient<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for LazyClient<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for LazyClient<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyClient")
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
        let lazy = LazyClient::new(move || counted.fetch_add(1, Ordering::SeqCst) + 41);
        let other = lazy.clone();
        assert_eq!(made.load(Ordering::SeqCst), 0);
        assert_eq!((*lazy, *other, *lazy), (41, 41, 41));
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }
}
