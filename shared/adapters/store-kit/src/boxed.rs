//! Answers of stores behind the traits of domains, which do not know the errors of stores.

use countersign_failure::Failure;
use futures::future::BoxFuture;

use crate::error::StoreError;

/// What is asked of a store, as somebody waits for it who only knows that it may fail.
pub fn boxed<'a, T: Send>(
    answer: impl Future<Output = Result<T, StoreError>> + Send + 'a,
) -> BoxFuture<'a, Result<T, Box<dyn Failure>>> {
    Box::pin(async move { answer.await.map_err(|error| Box::new(error) as Box<dyn Failure>) })
}
