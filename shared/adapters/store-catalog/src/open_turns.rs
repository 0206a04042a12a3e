//! Open occurrences by turns: each look goes on where the last one stopped.

use countersign_store_kit::{Key, Write};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::record::StoredRecord;
use crate::{Catalog, OpenOccurrence, Result, keys, record};

/// How many one request reads.
const PAGE: i32 = 200;

/// Where the last look stopped; nowhere when it came to the end.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    after: Option<String>,
}

impl Place {
    fn key() -> Key {
        Key::new(keys::OPEN_TURNS, "PLACE")
    }
}

impl Catalog {
    /// Occurrences that are not at their end: about `most` of them, those behind the last look's. Over several looks each has
    /// its turn, however many there are; when there are fewer, one look sees all.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn next_open_occurrences(&self, most: usize) -> BoxFuture<'_, Result<Vec<OpenOccurrence>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("go on with open occurrences");
            let known: Option<Place> =
                record::get(&self.table, &Place::key()).await.map_err(doing)?;
            let began = known.unwrap_or_default();
            let (mut all, mut after) = (Vec::new(), began.after.clone());
            loop {
                let page = self.open_occurrences(None, PAGE, after.as_deref()).await?;
                all.extend(page.items);
                after = page.next;
                if after.is_none() || all.len() >= most {
                    break;
                }
            }
            let place = Place { after };
            if place != began {
                let record = StoredRecord::of("place of a look", &place, 1)?;
                let put: Write = record.put(&Place::key()).map_err(doing)?;
                self.table.write(put).await.map_err(doing)?;
            }
            Ok(all)
        })
    }
}
