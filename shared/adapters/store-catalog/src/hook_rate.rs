//! How many messages a webhook takes in a minute.

use countersign_store_kit::{Expr, Write};
use countersign_trigger::TriggerId;
use countersign_trigger::hook::MAX_PER_MINUTE;
use jiff::Timestamp;

use crate::error::CatalogError;
use crate::{Answer, Catalog, keys};

/// How long a minute is kept, in seconds.
const KEPT: i64 = 3_600;

impl Catalog {
    /// Counts a message of this trigger. `false`, and not counted, when its minute has as many as it may.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn count_message(&self, trigger: &TriggerId, at: Timestamp) -> Answer<'_, bool> {
        let key = keys::hook_minute(trigger, at.as_second().div_euclid(60));
        Box::pin(async move {
            let doing = CatalogError::doing("count a message of a webhook");
            let fits = Expr::new("attribute_not_exists(#used) OR #used < :most");
            let fits = fits.bind("most", &MAX_PER_MINUTE).map_err(doing)?;
            let count = Write::update(&key).add("used", &1_u64).map_err(doing)?;
            let count = count.set("expires_at", &(at.as_second() + KEPT)).map_err(doing)?;
            self.table.try_write(count.when(fits)).await.map_err(doing)
        })
    }
}
