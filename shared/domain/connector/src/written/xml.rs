//! Endpoints of a `file_parser` that read XML (F-099).

use countersign_document::{List, Rules};
use schemars::JsonSchema;
use serde::Deserialize;

use super::endpoint::{Shared, endpoint};
use super::fields::unique;
use super::mapping::{RecordMapping, RecordOutput};
use super::text::{ElementPath, FieldName};
use crate::model::{FieldRule, Operation, OutputSchema, ParseRules, ValueType};
use crate::reading::Reading;
use crate::xpath::XPath;

endpoint! {
    /// XML. Paths match by local name.
    XmlEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// The part of the document that bounds lists and that relative paths start from.
        root_element: Option<ElementPath>,
        /// One record per element; without it the document is one record.
        list_element: Option<ElementPath>,
        /// The record's fields.
        fields: List<XmlField, 1, { usize::MAX }>,
        /// Fields of the whole document, carried on every record.
        #[serde(default)]
        context_fields: Vec<XmlField>,
    }
}

/// A field read from XML.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct XmlField {
    /// Its name in the record.
    field: FieldName,
    /// Where its value is, such as `Person/Name | Name`; by local name.
    xpath: XPath,
    /// What its text is read as; `string` when left out.
    #[serde(rename = "type")]
    value_type: Option<ValueType>,
    /// One sentence.
    #[serde(default)]
    description: String,
}

impl XmlField {
    fn model(&self) -> FieldRule {
        FieldRule {
            field: self.field.as_str().to_owned(),
            xpath: self.xpath.clone(),
            value_type: self.value_type.unwrap_or(ValueType::String),
            description: self.description.trim().to_owned(),
        }
    }
}

impl XmlEndpoint {
    pub(super) fn operation(&self) -> (Operation, OutputSchema) {
        let element = |path: &Option<ElementPath>| XPath::parse(path.as_ref()?.as_str()).ok();
        let fields: Vec<FieldRule> = self.fields.iter().map(XmlField::model).collect();
        let context_fields: Vec<FieldRule> =
            self.context_fields.iter().map(XmlField::model).collect();
        let output = fields.iter().chain(&context_fields).map(FieldRule::described).collect();
        let output = OutputSchema::inferred_records(output);
        let rules = ParseRules {
            root_element: element(&self.root_element),
            list_element: element(&self.list_element),
            fields,
            context_fields,
            reading: Reading::default(),
        };
        (Operation::ParseXml(rules), output)
    }

    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        let names = |fields: &'_ [XmlField]| -> Vec<String> {
            fields.iter().map(|field| field.field.as_str().to_owned()).collect()
        };
        let (fields, context) = (names(&self.fields), names(&self.context_fields));
        let taken: Vec<&str> = fields.iter().map(String::as_str).collect();
        unique("fields", taken.iter().copied(), &[], rules);
        unique("context_fields", context.iter().map(String::as_str), &taken, rules);
    }
}
