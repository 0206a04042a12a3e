//! The shapes of items.

use countersign_knowledge::{EntityId, Relationship};
use countersign_store_kit::StoreError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Result;

/// An entity or edge as JSON text, with the number of its change.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Versioned {
    pub(crate) version: u64,
    pub(crate) json: String,
}

/// Names an entity.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Pointer {
    pub(crate) id: EntityId,
}

pub(crate) fn open<T: DeserializeOwned>(table: &str, json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| StoreError::unreadable(table, &error))
}

/// The way back along an edge.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Back {
    pub(crate) from: EntityId,
    pub(crate) relationship: Relationship,
}
