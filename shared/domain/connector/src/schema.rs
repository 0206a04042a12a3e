//! The JSON Schema of connector YAML (F-107), for editors and for programs that write connectors. It is
//! `docs/schema/connector.json`.

use serde_json::Value;

/// The schema, JSON Schema draft 2020-12.
#[must_use]
pub fn schema() -> Value {
    countersign_document::schema::<crate::written::Connector>()
}
