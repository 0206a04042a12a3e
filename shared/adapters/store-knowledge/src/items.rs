//! The shapes of items.

use countersign_failure::json_problem;
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
    serde_json::from_str(json).map_err(|error| StoreError::Decode {
        table: table.to_owned(),
        reason: json_problem(&error.to_string()),
    })
}

/// The way back along an edge.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Back {
    pub(crate) from: EntityId,
    pub(crate) relationship: Relationship,
}
