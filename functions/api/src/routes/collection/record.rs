//! A document as it is sent and shown: its fields, and what the store adds.

use std::marker::PhantomData;

use countersign_document::Problem as Found;
use countersign_store_catalog::{CatalogError, StoredDocument};
use countersign_web::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::ObjectBuilder;

use super::More;
use super::schemas::{added, version_read};

/// A record that is shown whole: its fields, and what the store adds.
pub(crate) trait DocumentRecord: StoredDocument {
    /// The fields that its owner writes.
    type Fields: JsonSchema;

    /// What the store adds, as the OpenAPI document has it.
    fn added() -> ObjectBuilder {
        added()
    }

    /// The part of it that is shown.
    #[must_use]
    fn shown(self) -> Self {
        self
    }

    /// The names of what the store adds, and of what is shown beside the fields.
    fn added_names() -> Vec<String> {
        let added = serde_json::to_value(Self::added().build()).unwrap_or_default();
        let names = added["properties"].as_object().map(|map| map.keys().cloned().collect());
        names.unwrap_or_default()
    }

    /// What of it may be sent with a change.
    fn sent_back() -> ObjectBuilder {
        version_read()
    }
}

/// A body from which a document is read; what is wrong with it is said all at once.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sent<F> {
    pub(crate) body: Value,
    #[serde(skip)]
    kind: PhantomData<fn() -> F>,
}

/// A body that replaces a document: its fields, and whatever else was read with them.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Resent<R> {
    body: Value,
    #[serde(skip)]
    kind: PhantomData<fn() -> R>,
}

/// A record as it is shown.
#[derive(Debug, Serialize)]
pub(crate) struct Shown<R> {
    #[serde(flatten)]
    pub(crate) record: R,
    /// What is known of it beside its fields.
    #[serde(flatten)]
    pub(crate) more: More,
    /// What may surprise in what was just written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<Found>,
}

impl<R: DocumentRecord> From<&R> for Shown<R> {
    fn from(record: &R) -> Self {
        Self { record: record.clone().shown(), more: More::new(), warnings: Vec::new() }
    }
}

impl<R> Resent<R> {
    /// A document as it is to be.
    pub(super) fn of(body: Value) -> Self {
        Self { body, kind: PhantomData }
    }
}

impl<R: DocumentRecord> Resent<R> {
    /// The fields that are changed, and what was sent back of what is shown beside them. What the store adds may be sent back
    /// as it was read.
    pub(crate) fn fields(self, before: &R) -> Result<(Value, More), Problem> {
        let mut fields = self.body;
        let kept = serde_json::to_value(before).unwrap_or_default();
        let mut shown = More::new();
        let Some(map) = fields.as_object_mut() else { return Ok((fields, shown)) };
        if let Some(seen) = map.shift_remove("version").filter(|seen| *seen != kept["version"]) {
            if kept["version"].is_u64() && !seen.is_u64() {
                return Err(Problem::field("version", "must be an integer, as it was read"));
            }
            return Err(CatalogError::Changed(R::KIND).into());
        }
        // What is shown beside the fields of one document is not a part of it.
        let record = R::added_names();
        let beside = |name: &String| kept.get(name).is_none() && record.contains(name);
        let sent: Vec<String> = map.keys().filter(|name| beside(name)).cloned().collect();
        shown.extend(sent.into_iter().filter_map(|name| map.shift_remove_entry(&name)));
        for name in ["id", "user_id", "created_at", "updated_at", "scopes"] {
            if map.shift_remove(name).is_some_and(|sent| sent != kept[name]) {
                return Err(Problem::field(name, "cannot be changed"));
            }
        }
        Ok((fields, shown))
    }
}
