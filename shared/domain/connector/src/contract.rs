//! What an endpoint takes and gives, in the registry's words (F-038, F-042, F-091).

pub use countersign_registry::EndpointContract;
use countersign_registry::{DataType, Field, Reach, Slot};

use crate::model::{
    Connection, ConnectorDefinition, Endpoint, FileSource, JsonMapping, MetadataField, Operation,
    OutputShape, Pagination, StatementSource,
};
use crate::request::SOURCE;

/// The argument with which a call goes on where an earlier one ended: its `_next_cursor`.
pub const CURSOR_ARGUMENT: &str = "_cursor";

/// How many feeds of an `rss_feed` are missing from an answer.
pub const FEEDS_FAILED: &str = "feeds_failed";

/// Fields every record carries beside its own: where it came from.
pub const PROVENANCE_FIELDS: [(&str, &str); 6] = [
    ("_source", "the connector the record came from"),
    ("_endpoint", "the endpoint that read it"),
    ("_source_ref", "the file's id, or the address without its query"),
    ("_source_name", "the file's name"),
    ("_retrieved_at", "when it was read"),
    ("_entity_type", "what one record is"),
];

/// The contract of one endpoint, or `None` when the connector has no such endpoint.
#[must_use]
pub fn endpoint_contract(
    definition: &ConnectorDefinition,
    endpoint: &str,
) -> Option<EndpointContract> {
    let endpoint = definition.endpoints.get(endpoint)?;
    Some(EndpointContract {
        description: endpoint.description.clone(),
        inputs: inputs(&definition.connection, endpoint),
        outputs: outputs(&definition.connection, endpoint),
        irreversible: is_irreversible(endpoint),
        reach: reach(&definition.connection, endpoint),
    })
}

/// What a call of the endpoint can read by its arguments.
fn reach(connection: &Connection, endpoint: &Endpoint) -> Reach {
    match (connection, &endpoint.operation) {
        (Connection::FileParser(files), _) if files.source == FileSource::Url => Reach::Web,
        (Connection::FileParser(_), _) => Reach::Files,
        (Connection::ExistingTool(_), _) => Reach::Web,
        (_, Operation::Query(query)) if query.statement == StatementSource::Free => {
            Reach::Statement
        }
        _ => Reach::Source,
    }
}

/// The contracts of the endpoints whose names are allowed.
#[must_use]
pub fn endpoint_contracts(
    definition: &ConnectorDefinition,
    is_allowed: impl Fn(&str) -> bool,
) -> Vec<(String, EndpointContract)> {
    let names = definition.endpoints.keys().filter(|name| is_allowed(name));
    names.filter_map(|name| Some((name.clone(), endpoint_contract(definition, name)?))).collect()
}

/// Whether an endpoint's effect cannot be taken back.
#[must_use]
pub fn is_irreversible(endpoint: &Endpoint) -> bool {
    match &endpoint.operation {
        Operation::ParseXml(_)
        | Operation::Parse(_)
        | Operation::Scrape(_)
        | Operation::ReadFeeds(_)
        | Operation::Query(_) => false,
        Operation::Request(rules) => !rules.method.reads() && !rules.safe,
        Operation::Graphql(rules) => rules.has_effect(),
        // The allow-list holds nothing that has an effect.
        Operation::Tool(_) => false,
    }
}

/// Whether an endpoint's answers come in pages that calls go through: what has an effect is sent once.
#[must_use]
pub fn has_pages(endpoint: &Endpoint) -> bool {
    if is_irreversible(endpoint) {
        return false;
    }
    match &endpoint.operation {
        Operation::Request(rules) => !matches!(rules.pagination, Pagination::None),
        Operation::Graphql(rules) => rules.pagination.is_some(),
        Operation::ParseXml(_)
        | Operation::Parse(_)
        | Operation::Scrape(_)
        | Operation::ReadFeeds(_)
        | Operation::Query(_)
        | Operation::Tool(_) => false,
    }
}

fn inputs(connection: &Connection, endpoint: &Endpoint) -> Vec<Slot> {
    let mut slots = Vec::new();
    if matches!(connection, Connection::FileParser(_)) {
        let declared = endpoint.parameters.iter().find(|parameter| parameter.name == SOURCE);
        let said = declared.map(|parameter| parameter.description.as_str());
        let usual = "a file's id, an address or a folder, or a list of them";
        let description = said.filter(|text| !text.is_empty()).unwrap_or(usual);
        slots.push(Slot { required: true, ..slot(SOURCE, DataType::Any, description) });
    }
    let is_known = |name: &str| slots.iter().any(|slot: &Slot| slot.name == name);
    let parameters = endpoint.parameters.iter().filter(|one| !is_known(&one.name));
    let parameters: Vec<Slot> = parameters
        .map(|parameter| Slot {
            required: parameter.required,
            default: parameter.default.clone(),
            ..slot(&parameter.name, parameter.data_type.clone(), &parameter.description)
        })
        .collect();
    slots.extend(parameters);
    if has_pages(endpoint) {
        let description = "where to go on: the `_next_cursor` of an earlier call";
        slots.push(slot(CURSOR_ARGUMENT, DataType::Any, description));
    }
    slots
}

fn outputs(connection: &Connection, endpoint: &Endpoint) -> Vec<Slot> {
    if let (Connection::ExistingTool(connection), Operation::Tool(rules)) =
        (connection, &endpoint.operation)
        && rules.passthrough
    {
        return connection.tool.contract().outputs;
    }
    let mut slots = match endpoint.output.shape {
        OutputShape::RecordSet => vec![
            slot("results", DataType::records(record_fields(endpoint)), "the records"),
            slot("count", DataType::Integer, "how many records came back"),
            slot("has_more", DataType::Boolean, "whether the source has more than came back"),
        ],
        OutputShape::Object => {
            let fields = record_fields(endpoint).into_iter();
            fields
                .map(|field| slot(&field.name, field.data_type.clone(), &field.description))
                .collect()
        }
        OutputShape::Scalar => vec![slot("value", DataType::Any, "the value")],
    };
    slots.extend(envelope(endpoint));
    if matches!(connection, Connection::FileParser(_)) && connection.is_requested() {
        slots.extend(stale_metadata());
    }
    slots
}

/// What an answer says beside its records: of files and pages, and what the connector reads from the whole answer.
pub(crate) fn envelope(endpoint: &Endpoint) -> Vec<Slot> {
    match &endpoint.operation {
        Operation::ParseXml(_) | Operation::Parse(_) => file_metadata(),
        Operation::Request(rules) => {
            answer_metadata(endpoint, &rules.mapping).into_iter().chain(stale_metadata()).collect()
        }
        Operation::Graphql(rules) => {
            answer_metadata(endpoint, &rules.mapping).into_iter().chain(stale_metadata()).collect()
        }
        Operation::Tool(rules) => answer_metadata(endpoint, &rules.mapping),
        Operation::ReadFeeds(_) => feed_metadata(),
        Operation::Scrape(_) | Operation::Query(_) => {
            page_metadata().into_iter().chain(stale_metadata()).collect()
        }
    }
}

/// A record's own fields, then where it came from.
fn record_fields(endpoint: &Endpoint) -> Vec<Field> {
    let mut fields = endpoint.output.fields.clone();
    let text = |(name, description)| Field::described(name, DataType::String, description);
    fields.extend(PROVENANCE_FIELDS.map(text));
    let rules = "which fields name entities: field, entity_type, relationship_type";
    fields.push(Field::described("_entity_rules", DataType::array(DataType::Object), rules));
    fields
}

fn file_metadata() -> Vec<Slot> {
    let text = |names: &[&str]| {
        names.iter().map(|name| Field::new(name, DataType::String)).collect::<Vec<_>>()
    };
    let mut warning = text(&["file", "name", "field", "message"]);
    warning.push(Field::new("record", DataType::Integer));
    vec![
        slot("files_read", DataType::Integer, "files that were read whole"),
        slot("files_failed", DataType::Integer, "files that could not be read; `errors` says why"),
        slot(
            "errors",
            DataType::records(text(&["file", "name", "code", "message"])),
            "files that could not be read",
        ),
        slot(
            "warnings",
            DataType::records(warning),
            "values that are not of their field's type, left null",
        ),
        warning_count(),
        slot(
            "file_notes",
            DataType::records(text(&["file", "name", "message"])),
            "files that were read and have nothing the endpoint looks for",
        ),
    ]
}

fn warning_count() -> Slot {
    slot("warning_count", DataType::Integer, "how many warnings there are, listed or not")
}

/// What an answer says of itself that stands in for another (K-75).
fn stale_metadata() -> [Slot; 2] {
    [
        slot(
            "_stale",
            DataType::Boolean,
            "true when an earlier answer stands in for a failed call",
        ),
        slot("_stale_age_seconds", DataType::Integer, "how old that answer is"),
    ]
}

fn feed_metadata() -> Vec<Slot> {
    let failed = "feeds that could not be read; `warnings` says why";
    let failed = slot(FEEDS_FAILED, DataType::Integer, failed);
    page_metadata().into_iter().chain([failed]).chain(stale_metadata()).collect()
}

fn page_metadata() -> Vec<Slot> {
    vec![
        slot("_has_more", DataType::Boolean, "the same as has_more, under its name of design F"),
        slot(
            "warnings",
            DataType::array(DataType::String),
            "why there are fewer records or values than there could be, or older ones; the first hundred",
        ),
        warning_count(),
    ]
}

fn answer_metadata(endpoint: &Endpoint, mapping: &JsonMapping) -> Vec<Slot> {
    let mut slots = page_metadata();
    slots.extend(mapping.metadata.iter().map(|MetadataField { field, .. }| {
        slot(&field.name, field.data_type.clone(), &field.description)
    }));
    if has_pages(endpoint) {
        slots.push(slot(
            "_next_cursor",
            DataType::Any,
            "where the next call continues; null at the end",
        ));
    }
    slots
}

fn slot(name: &str, data_type: DataType, description: &str) -> Slot {
    Slot {
        name: name.to_owned(),
        data_type,
        required: false,
        default: None,
        choices: Vec::new(),
        schema: None,
        description: description.to_owned(),
    }
}
