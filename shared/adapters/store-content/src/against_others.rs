//! Changes that others may come before.

use crate::{ContentError, Result};

/// How often a change is made again on top of what others have changed meanwhile.
const TRIES: u32 = 8;

/// Tries a change until nobody else has changed the same meanwhile.
pub(crate) async fn against_others<T, F>(attempt: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut tries = TRIES;
    loop {
        tries -= 1;
        match attempt().await {
            Err(ContentError::Store(error)) if error.is_condition() && tries > 0 => {}
            done => return done,
        }
    }
}
