//! The shapes of items.

use countersign_approval::{Digest, Request, Status};
use countersign_store_kit::{Page, Query, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Answer, Approvals, Result};

/// A value kept as JSON text, so that key order and numbers survive.
#[derive(Serialize, Deserialize)]
pub(crate) struct Body {
    pub(crate) body: String,
}

impl Body {
    pub(crate) fn of(value: &impl Serialize) -> Result<Self> {
        Ok(Self { body: to_text(value)? })
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, table: &str) -> Result<T> {
        from_text(table, &self.body)
    }
}

/// The request, with what the conditions of its writes look at.
#[derive(Serialize, Deserialize)]
pub(crate) struct RequestItem {
    pub(crate) body: String,
    pub(crate) status: Status,
    pub(crate) version: u32,
    pub(crate) revision: u64,
    pub(crate) digest: Digest,
    pub(crate) deadline_ms: i64,
}

impl RequestItem {
    pub(crate) fn of(request: &Request) -> Result<Self> {
        Ok(Self {
            body: to_text(request)?,
            status: request.status,
            version: request.version,
            revision: request.revision,
            digest: request.digest,
            deadline_ms: request.timing.deadline.as_millisecond(),
        })
    }
}

pub(crate) fn to_text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(StoreError::encode)
}

pub(crate) fn from_text<T: DeserializeOwned>(table: &str, text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Decode { table: table.to_owned(), reason: error.to_string() })
}

impl Approvals {
    /// The values under a query, at most `most`.
    pub(crate) fn all_of<T: DeserializeOwned + Send>(
        &self,
        query: Query,
        most: usize,
    ) -> Answer<'_, Vec<T>> {
        Box::pin(async move {
            let items: Vec<Body> = self.table.query_all(query, most).await?;
            items.iter().map(|item| item.read(self.table.name())).collect()
        })
    }

    /// A page of the values under a query.
    pub(crate) fn page_of<T: DeserializeOwned + Send>(&self, query: Query) -> Answer<'_, Page<T>> {
        Box::pin(async move {
            let Page { items, next } = self.table.page::<Body, StoreError>(query).await?;
            let read = items.iter().map(|item| item.read(self.table.name()));
            Ok(Page { items: read.collect::<Result<_>>()?, next })
        })
    }
}
