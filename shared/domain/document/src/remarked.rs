//! A schema as messages need it.

use serde_json::Value;

/// A schema with the remarks that messages are made of (`x-…`).
#[derive(Debug)]
pub(crate) struct Remarked(pub(crate) Value);

impl Remarked {
    /// The schema itself, where it stands for one by its name.
    pub(crate) fn resolved<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let mut schema = schema;
        // A name of a name ends; one that goes around would never be made from types.
        for _ in 0..8 {
            let Some(target) = schema["$ref"].as_str() else { break };
            match self.0.pointer(target.trim_start_matches('#')) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}
