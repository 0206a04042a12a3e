//! The JSON Schema of playbooks, for editors and for programs that write playbooks. It is `docs/schema/playbook.json`.

use serde_json::Value;

/// The schema, JSON Schema draft 2020-12.
#[must_use]
pub fn schema() -> Value {
    countersign_document::schema::<crate::written::Playbook>()
}
