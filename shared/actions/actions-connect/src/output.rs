//! What every record carries beside its own fields, and the shape of an output.

use countersign_connector::{Endpoint, OutputShape, PageBounds, empty_everywhere};
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
    let stamped = [
        ("_source", resolved.definition.id.as_str().into()),
        ("_endpoint", resolved.endpoint_name.as_str().into()),
        ("_source_ref", origin.reference.into()),
        ("_source_name", origin.name.into()),
        ("_retrieved_at", call.now.to_string().into()),
        ("_entity_type", rules.entity_type.as_str().into()),
        ("_entity_rules", json!(rules.extraction)),
    ];
    record.extend(stamped.map(|(name, value)| (name.to_owned(), value)));
}

/// The bound that ended the reading although the source has more records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// What is counted, such as `page`.
    pub(crate) of: &'static str,
    /// The key it is written under.
    pub(crate) key: &'static str,
    pub(crate) most: usize,
    /// Whether the call's `_next_cursor` leads to the rest.
    pub(crate) goes_on: bool,
    /// Whether whoever writes the connector may raise it.
    pub(crate) is_fixed: bool,
}

/// What follows the first word of a warning about a limit; no other warning begins so.
const REACHED: &str = " limit reached ";

impl Limit {
    /// The bound that ends a call whose answers come in pages: its records, or its pages. None where the endpoint wants the
    /// beginning of the list only: then `has_more` says all there is to say.
    pub(crate) fn of_pages(bounds: PageBounds, is_full: bool, goes_on: bool) -> Option<Self> {
        let PageBounds { max_pages, max_records, first_only } = bounds;
        let (of, key, most) = if is_full {
            ("record", "max_records", max_records)
        } else {
            ("page", "max_pages", max_pages)
        };
        (!first_only).then_some(Self { of, key, most: most as usize, goes_on, is_fixed: false })
    }

    /// Whether a warning says that a limit was reached: the answer has all that was asked of the source.
    pub(crate) fn is_said_by(warning: &Value) -> bool {
        let first = warning.as_str().and_then(|text| text.split_once(REACHED));
        first.is_some_and(|(of, _)| ["page", "record", "row", "item"].contains(&of))
    }

    /// What is said of it: a sum over these records is too small.
    fn sentence(self, records: usize) -> String {
        let Self { of, key, most, goes_on, is_fixed } = self;
        let noun = if records == 1 { "record" } else { "records" };
        let rest = match (goes_on, is_fixed) {
            (true, _) => "a call goes on from `_next_cursor`",
            (false, true) => "ask for fewer on a page: no call reads more one by one",
            (false, false) => "raise the limit",
        };
        format!(
            "{of}{REACHED}(`{key}` is {most}): {records} {noun} read, the source may have more; {rest}"
        )
    }
}

/// The records in the endpoint's declared shape, and what is said of what is missing from it: records behind a limit or, of a
/// shape that has room for one, the others, and fields that are expected and empty everywhere.
pub(crate) fn shaped(
    endpoint: &Endpoint,
    records: Vec<Map<String, Value>>,
    has_more: bool,
    limit: Option<Limit>,
) -> (Map<String, Value>, Vec<String>) {
    let mut output = Map::new();
    let (shape, count) = (endpoint.output.shape, records.len());
    let empty = empty(&endpoint.expected_fields, &records);
    let missing = match shape {
        OutputShape::RecordSet => limit.map(|limit| limit.sentence(count)),
        OutputShape::Object | OutputShape::Scalar => {
            (count > 1).then(|| format!("the answer has {count} records; only the first counts"))
        }
    };
    match shape {
        OutputShape::RecordSet => {
            output.insert("count".to_owned(), count.into());
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
    (output, missing.into_iter().chain(empty).collect())
}

/// What is said of expected fields that no record has: nothing else tells of a column that a source has left empty.
fn empty(expected: &[String], records: &[Map<String, Value>]) -> Vec<String> {
    let read = match records.len() {
        1 => "the one record".to_owned(),
        many => format!("all {many} records"),
    };
    let sentence = |name: &str| {
        format!(
            "field `{name}` is empty in {read}: the source may have renamed it, or its path is wrong"
        )
    };
    let names = expected.iter().map(String::as_str);
    empty_everywhere(names, records.iter()).into_iter().map(sentence).collect()
}
