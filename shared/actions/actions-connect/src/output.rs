//! What every record carries beside its own fields, and the shape of an output.

use countersign_connector::OutputShape;
use countersign_registry::action::Call;
use serde_json::{Map, Value, json};

use crate::binding::Resolved;

/// Where a record came from.
pub(crate) struct Origin<'o> {
    /// A file's id, or an address without its query.
    pub(crate) reference: &'o str,
    /// A file's name.
    pub(crate) name: &'o str,
}

/// Adds where a record came from, and which of its fields name entities: what `extract_entities` goes by.
pub(crate) fn stamp(
    record: &mut Map<String, Value>,
    resolved: &Resolved,
    call: &Call,
    origin: &Origin<'_>,
) {
    let rules = &resolved.endpoint.entities;
    record.insert("_source".to_owned(), resolved.definition.id.as_str().into());
    record.insert("_endpoint".to_owned(), resolved.endpoint_name.as_str().into());
    record.insert("_source_ref".to_owned(), origin.reference.into());
    record.insert("_source_name".to_owned(), origin.name.into());
    record.insert("_retrieved_at".to_owned(), call.now.to_string().into());
    record.insert("_entity_type".to_owned(), rules.entity_type.as_str().into());
    record.insert("_entity_rules".to_owned(), json!(rules.extraction));
}

/// The records in the endpoint's declared shape, and what is said when that has room for one and there were several.
pub(crate) fn shaped(
    shape: OutputShape,
    records: Vec<Map<String, Value>>,
    has_more: bool,
) -> (Map<String, Value>, Option<String>) {
    let mut output = Map::new();
    let is_cut = shape != OutputShape::RecordSet && records.len() > 1;
    let several =
        is_cut.then(|| format!("the answer has {} records; only the first counts", records.len()));
    match shape {
        OutputShape::RecordSet => {
            output.insert("count".to_owned(), records.len().into());
            output.insert("has_more".to_owned(), has_more.into());
            output.insert("results".to_owned(), records.into_iter().map(Value::Object).collect());
        }
        OutputShape::Object => output = records.into_iter().next().unwrap_or_default(),
        OutputShape::Scalar => {
            let own = records
                .into_iter()
                .next()
                .into_iter()
                .flatten()
                .find(|(name, _)| !name.starts_with('_'));
            output.insert("value".to_owned(), own.map_or(Value::Null, |(_, value)| value));
        }
    }
    (output, several)
}
