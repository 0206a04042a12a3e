//! `response_mapping` and `output_schema` (F-090, F-091).

use countersign_document::{Named, OneOrMany, Rules};
use countersign_registry::{DataType, Field};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::names::is_name;
use super::text::{FieldName, RelationshipName, TypeName};
use crate::json_path::JsonPath;
use crate::model::{self, EntityRule, JsonMapping, Layout, OutputSchema, OutputShape};
use crate::reading::Reading;

/// What is provided without a path.
const PROVIDED: [&str; 5] = ["count", "has_more", "next_cursor", "_has_more", "_next_cursor"];
/// Outputs that have their own meaning.
const TAKEN: [&str; 8] = [
    "results",
    "value",
    "warnings",
    "warning_count",
    "errors",
    "files_read",
    "files_failed",
    "file_notes",
];

/// A path into JSON, or several of which the first that leads to a value counts.
pub(super) type Paths = OneOrMany<JsonPath>;

/// The alternatives as one path; `None` when there are too many.
pub(super) fn joined(paths: &Paths) -> Option<JsonPath> {
    let texts: Vec<&str> = paths.as_slice().iter().map(JsonPath::as_str).collect();
    JsonPath::parse(&texts.join(" | ")).ok()
}

/// What every `response_mapping` says.
pub(super) trait Mapping {
    /// What one record is, and the entities named in its fields.
    fn entities(&self) -> (String, Vec<EntityRule>);
}

/// What records stand for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordMapping {
    /// What one record is, such as nonprofit_filing.
    #[serde(default)]
    entity_type: String,
    /// Entities named in the records' fields.
    #[serde(default)]
    entity_extraction: Vec<Extraction>,
}

/// How records are read from the answer, and what they stand for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerMapping {
    /// What one record is, such as nonprofit_filing.
    #[serde(default)]
    entity_type: String,
    /// Entities named in the records' fields.
    #[serde(default)]
    entity_extraction: Vec<Extraction>,
    /// Where the records are; the whole answer when left out.
    pub(super) results_path: Option<Paths>,
    /// An answer in which nothing is there has no records: some sources leave an empty list out.
    #[serde(default)]
    results_optional: bool,
    /// How the records lie there: `rows` is one object for each; `columns` one list for each field.
    #[serde(default)]
    layout: Layout,
    /// The record's fields and where in the record each is. Left out, records stay as they are.
    #[serde(default)]
    fields: Named<FieldName, Paths>,
    /// Fields whose texts come in base64 (of either alphabet), and are read as the text they stand for.
    #[serde(default)]
    base64: Vec<FieldName>,
}

/// A field that names an entity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Extraction {
    /// The record's field that names the entity.
    field: String,
    /// What it names: PERSON, ORG, LOCATION and the like, or `auto`.
    entity_type: String,
    /// How it relates to the record's subject.
    relationship_type: Option<RelationshipName>,
}

impl Extraction {
    fn model(&self) -> EntityRule {
        EntityRule {
            field: self.field.clone(),
            entity_type: self.entity_type.clone(),
            relationship_type: self.relationship_type.clone().map(String::from),
        }
    }
}

impl Mapping for RecordMapping {
    fn entities(&self) -> (String, Vec<EntityRule>) {
        (self.entity_type.clone(), self.entity_extraction.iter().map(Extraction::model).collect())
    }
}

impl Mapping for AnswerMapping {
    fn entities(&self) -> (String, Vec<EntityRule>) {
        (self.entity_type.clone(), self.entity_extraction.iter().map(Extraction::model).collect())
    }
}

impl AnswerMapping {
    /// How records are read from JSON.
    pub(super) fn json(&self, output: Option<&AnswerOutput>) -> JsonMapping {
        let field = |(name, paths): (&FieldName, &Paths)| {
            joined(paths).map(|path| (name.as_str().to_owned(), path))
        };
        JsonMapping {
            results_path: self.results_path.as_ref().and_then(joined),
            results_optional: self.results_optional,
            layout: self.layout,
            fields: self.fields.iter().filter_map(field).collect(),
            base64: self.base64.iter().map(|name| name.as_str().to_owned()).collect(),
            metadata: output.map(Output::metadata).unwrap_or_default(),
            reading: Reading::default(),
        }
    }

    pub(super) fn is_of_columns(&self) -> bool {
        self.layout == Layout::Columns
    }

    /// Alternatives have a bound, however they are written.
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        let fields = self.fields.iter().map(|(name, paths)| (format!("/fields/{name}"), paths));
        let results = self.results_path.iter().map(|paths| ("/results_path".to_owned(), paths));
        for (pointer, paths) in results.chain(fields) {
            if joined(paths).is_none() {
                rules.error("path", &pointer, "this has too many alternatives");
            }
        }
        if self.results_optional && self.results_path.is_none() && rules.is_sound("/results_path") {
            let message = "`results_optional` has no effect without `results_path`";
            rules.warning("results_path", "/results_optional", message);
        }
        for (n, name) in self.base64.iter().enumerate() {
            if self.base64[..n].contains(name) {
                let message = format!("the field `{}` is named twice", name.as_str());
                rules.error("duplicate", &format!("/base64/{n}"), message);
            }
            if !self.fields.keys().any(|known| known == name) && rules.is_sound("/fields") {
                let message = format!("nothing is mapped to the field `{}`", name.as_str());
                let hint = "name one of `fields`".to_owned();
                rules.hinted("base64", &format!("/base64/{n}"), message, hint);
            }
        }
    }
}

/// What every `output_schema` says.
pub(super) trait Output {
    /// The declared fields.
    fn fields(&self) -> &[OutputField];
    /// As it is stored.
    fn schema(&self) -> OutputSchema;
    /// Values beside the records.
    fn metadata(&self) -> Vec<model::MetadataField>;
    /// What one part of it says about another.
    fn rules(&self, rules: &mut Rules<'_>);
}

/// What comes back from a source that answers JSON.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerOutput {
    /// A list of records (`results`), one record (its fields are outputs), or one value (`value`).
    #[serde(default, rename = "type")]
    shape: OutputShape,
    /// The fields; only what is mapped can be promised.
    #[serde(default)]
    fields: Vec<OutputField>,
    /// Outputs beside the records.
    #[serde(default)]
    metadata_fields: Vec<MetadataField>,
}

/// What comes back from a source that has no answer around its records.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordOutput {
    /// A list of records (`results`), one record (its fields are outputs), or one value (`value`).
    #[serde(default, rename = "type")]
    shape: OutputShape,
    /// The fields; only what is mapped can be promised.
    #[serde(default)]
    fields: Vec<OutputField>,
    /// Outputs beside the records.
    #[serde(default)]
    metadata_fields: Vec<MetadataField>,
}

/// A field of the records.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OutputField {
    /// The field's name.
    name: String,
    /// What its values become; `any` when left out.
    #[serde(rename = "type")]
    data_type: Option<TypeName>,
    /// One sentence.
    #[serde(default)]
    description: String,
}

impl OutputField {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> Field {
        field(&self.name, self.data_type.as_ref(), &self.description)
    }
}

fn field(name: &str, kind: Option<&TypeName>, description: &str) -> Field {
    let data_type = kind.map_or(DataType::Any, TypeName::data_type);
    Field::described(name, data_type, description.trim())
}

/// An output beside the records.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MetadataField {
    /// The output's name.
    name: String,
    /// What its value becomes; `any` when left out.
    #[serde(rename = "type")]
    data_type: Option<TypeName>,
    /// One sentence.
    #[serde(default)]
    description: String,
    /// Where in the first answer it is; count, has_more and next_cursor need none.
    path: Option<Paths>,
}

impl MetadataField {
    fn model(&self) -> Option<model::MetadataField> {
        let path = joined(self.path.as_ref()?)?;
        Some(model::MetadataField {
            field: field(&self.name, self.data_type.as_ref(), &self.description),
            path,
        })
    }

    /// What is provided anyway may be named; everything else says where in the answer it is.
    fn rules(&self, earlier: &[Self], in_record: bool, rules: &mut Rules<'_>) {
        let name = self.name.as_str();
        let provided = PROVIDED.contains(&name);
        let reserved = !is_name(name) || name.starts_with('_') || TAKEN.contains(&name);
        if self.path.is_none() {
            if !provided && rules.is_sound("/path") {
                let message = format!("the metadata field `{name}` is not provided");
                let hint = "say with `path` where in the answer it is; count, has_more and next_cursor need none";
                rules.hinted("metadata", "/name", message, hint.to_owned());
            }
        } else if provided {
            let message = format!("`{name}` is counted here and not read from the answer");
            let hint = "give what the source says another name, such as `total`".to_owned();
            rules.hinted("metadata", "/path", message, hint);
        } else if reserved || in_record {
            let message = format!("`{name}` cannot be the name of a metadata field");
            rules.error("metadata", "/name", message);
        } else if earlier.iter().any(|other| other.path.is_some() && other.name == name) {
            let message = format!("the metadata field `{name}` is declared twice");
            rules.error("duplicate", "/name", message);
        }
    }
}

impl Output for AnswerOutput {
    fn fields(&self) -> &[OutputField] {
        &self.fields
    }
    fn schema(&self) -> OutputSchema {
        schema(self.shape, &self.fields)
    }
    fn metadata(&self) -> Vec<model::MetadataField> {
        self.metadata_fields.iter().filter_map(MetadataField::model).collect()
    }
    fn rules(&self, rules: &mut Rules<'_>) {
        check_metadata(self.shape, &self.fields, &self.metadata_fields, rules);
    }
}

impl Output for RecordOutput {
    fn fields(&self) -> &[OutputField] {
        &self.fields
    }
    fn schema(&self) -> OutputSchema {
        schema(self.shape, &self.fields)
    }
    fn metadata(&self) -> Vec<model::MetadataField> {
        Vec::new()
    }
    fn rules(&self, rules: &mut Rules<'_>) {
        check_metadata(self.shape, &self.fields, &self.metadata_fields, rules);
        for (n, field) in self.metadata_fields.iter().enumerate() {
            if field.path.is_some() && !PROVIDED.contains(&field.name.as_str()) {
                let message = "this type of connector has no answer to read metadata fields from";
                rules.error("metadata", &format!("/metadata_fields/{n}/path"), message);
            }
        }
    }
}

fn schema(shape: OutputShape, fields: &[OutputField]) -> OutputSchema {
    OutputSchema { shape, fields: fields.iter().map(OutputField::model).collect(), inferred: false }
}

fn check_metadata(
    shape: OutputShape,
    fields: &[OutputField],
    metadata: &[MetadataField],
    rules: &mut Rules<'_>,
) {
    for (n, field) in metadata.iter().enumerate() {
        let in_record =
            shape == OutputShape::Object && fields.iter().any(|one| one.name == field.name);
        rules.within("metadata_fields", |rules| {
            rules.within(n, |rules| field.rules(&metadata[..n], in_record, rules));
        });
    }
}

/// Types are not known from a mapping; only whether a path gives a list.
pub(super) fn inferred(fields: &IndexMap<String, JsonPath>) -> OutputSchema {
    let field = |(name, path): (&String, &JsonPath)| {
        let list = DataType::array(DataType::Any);
        Field::new(name, if path.is_list() { list } else { DataType::Any })
    };
    OutputSchema::inferred_records(fields.iter().map(field).collect())
}
