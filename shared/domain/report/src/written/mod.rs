//! Destinations as people write them, in profiles and in the steps of playbooks.
//!
//! One type per shape: it is the reader, the JSON Schema and the source of every message. What may be left out is an
//! `Option`, so that `null` counts as left out. [`crate::Destination`] is made of it.

mod document;
mod graph;
mod layout;
mod table;
mod without_effect;

use std::borrow::Cow;

use countersign_document::{Document, MaybeBlank, Rules};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use self::document::{Append, InFolder, NewDocument};
use self::graph::Graph;
pub use self::graph::GraphNamespace;
pub(crate) use self::layout::Layout;
use self::layout::{Section, WrittenLayout};
#[cfg(test)]
pub(crate) use self::table::Columns;
use self::table::{Database, Table};
use self::without_effect::placeholders;
use crate::destination::{Destination, DestinationConfig, ExportConfig};
use crate::format::Format;
use crate::transform::Transform;

/// The default name of a document (F-280) or an exported file; the extension of its format is added.
const FILE_NAME: &str = "agent_output_{date}";

/// The most destinations of one list: each is one write and one row of what the run says.
pub const MAX_DESTINATIONS: usize = 50;

/// A destination as it was written, with its form.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenDestination {
    written: Map<String, Value>,
    form: Form,
}

/// Where a result goes, by its kind.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Destination")]
enum Form {
    /// A new document.
    Document(Of<Option<NewDocument>>),
    /// A new document in a folder.
    Folder(Of<InFolder>),
    /// More text at the end of a document.
    AppendToExisting(Of<Append>),
    /// Rows of a workspace table.
    DataWorkspaceTable(Of<Table>),
    /// Rows of several tables of a workspace.
    DataWorkspaceDb(Of<Database>),
    /// Part of the answer.
    Chat(Of<Option<Layout>>),
    /// A file to download.
    FileExport(Of<Option<Export>>),
    /// Entities of the owner's graph.
    KnowledgeGraph(Of<Option<Graph>>),
}

/// What every destination has.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Of<C> {
    /// How documents, files and chat answers are written; `markdown` when left out, `csv` for a file.
    format: Option<Format>,
    /// A condition over `data`, `count` and the fields of the data; false skips the destination.
    #[schemars(extend("format" = "condition"))]
    condition: Option<MaybeBlank<1_000>>,
    /// Changes to the data before it is written, in order.
    transforms: Option<Vec<Transform>>,
    /// Whether people confirm before the step writes; only in steps of a playbook.
    confirm: Option<bool>,
    /// Settings of its kind.
    config: C,
}

/// What is written beside the settings, whatever the kind.
struct Beside<'f> {
    format: Option<Format>,
    condition: Option<&'f MaybeBlank<1_000>>,
    confirm: Option<bool>,
}

impl<C> Of<C> {
    fn beside(&self) -> Beside<'_> {
        let Self { format, condition, confirm, .. } = self;
        Beside { format: *format, condition: condition.as_ref(), confirm: *confirm }
    }
}

/// Settings of `file_export`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Export {
    /// The file's name, with `{date}` and `{entity_name}`.
    filename_template: Option<MaybeBlank<200>>,
    /// The heading; may hold `{entity_name}` and `{date}`.
    title: Option<MaybeBlank<200>>,
    /// Markdown of your own with `{path}` placeholders and `{sections}`.
    template: Option<MaybeBlank<20_000>>,
    /// The parts, in order.
    sections: Option<Vec<Section>>,
}

impl WrittenDestination {
    /// Whether people are asked before it is written.
    #[must_use]
    pub fn confirms(&self) -> bool {
        self.form.beside().confirm == Some(true)
    }

    /// The condition as it is written. What may be in one, whoever reads the destination knows.
    #[must_use]
    pub fn condition(&self) -> Option<&str> {
        self.form.beside().condition.map(MaybeBlank::as_str)
    }

    /// What was written, as it was.
    #[must_use]
    pub fn into_written(self) -> Map<String, Value> {
        self.written
    }
}

impl Document for WrittenDestination {
    const KIND: &'static str = "destination";

    fn rules(&self, rules: &mut Rules<'_>) {
        if let Form::AppendToExisting(of) = &self.form
            && of.format.is_some_and(|format| format != Format::Markdown)
        {
            let message = "only Markdown can be added to a document";
            let hint = "leave `format` out, or write a new `document`".to_owned();
            rules.hinted("format", "/format", message, hint);
        }
        if self.form.is_written_as_data() && self.form.beside().format.is_some() {
            let message = "`format` is for documents, files and chat answers";
            rules.hinted("format", "/format", message, "leave it out".to_owned());
        }
        rules.within("config", |rules| self.form.config_rules(rules));
    }
}

/// The layout that settings of a kind hold.
macro_rules! layout {
    ($config:expr, $format:expr) => {
        WrittenLayout {
            format: $format,
            title: $config.title.as_ref(),
            names_document: false,
            template: $config.template.as_ref(),
            sections: $config.sections.as_deref().unwrap_or_default(),
        }
    };
}

impl Form {
    fn config_rules(&self, rules: &mut Rules<'_>) {
        let format = self.beside().format;
        let markdown = format.unwrap_or(Format::Markdown);
        match self {
            Self::Document(of) => of.config.iter().for_each(|config| {
                config.without_effect(rules);
                placeholders("filename_template", config.filename_template.as_ref(), rules);
                WrittenLayout { names_document: true, ..layout!(config, markdown) }.rules(rules);
            }),
            Self::Chat(of) => of.config.iter().for_each(|config| {
                layout!(config, markdown).rules(rules);
            }),
            Self::FileExport(of) => of.config.iter().for_each(|config| {
                placeholders("filename_template", config.filename_template.as_ref(), rules);
                layout!(config, format.unwrap_or(Format::Csv)).rules(rules);
            }),
            Self::Folder(Of { config, .. }) => {
                placeholders("filename_template", config.filename_template.as_ref(), rules);
                WrittenLayout { names_document: true, ..layout!(config, markdown) }.rules(rules);
            }
            Self::AppendToExisting(Of { config, .. }) => {
                layout!(config, Format::Markdown).rules(rules);
            }
            Self::DataWorkspaceTable(of) => of.config.rules(rules),
            Self::DataWorkspaceDb(of) => of.config.rules(rules),
            Self::KnowledgeGraph(_) => {}
        }
    }

    /// Whether it gets the data itself, and no text about it.
    fn is_written_as_data(&self) -> bool {
        matches!(
            self,
            Self::DataWorkspaceTable(_) | Self::DataWorkspaceDb(_) | Self::KnowledgeGraph(_)
        )
    }

    fn beside(&self) -> Beside<'_> {
        match self {
            Self::Document(of) => of.beside(),
            Self::Folder(of) => of.beside(),
            Self::AppendToExisting(of) => of.beside(),
            Self::DataWorkspaceDb(of) => of.beside(),
            Self::DataWorkspaceTable(of) => of.beside(),
            Self::Chat(of) => of.beside(),
            Self::FileExport(of) => of.beside(),
            Self::KnowledgeGraph(of) => of.beside(),
        }
    }
}

impl From<WrittenDestination> for Destination {
    fn from(written: WrittenDestination) -> Self {
        match written.form {
            Form::Document(of) => of.destination(Format::Markdown, |config| {
                DestinationConfig::Document(config.unwrap_or_default().into())
            }),
            Form::Folder(of) => {
                of.destination(Format::Markdown, |config| DestinationConfig::Folder(config.into()))
            }
            Form::AppendToExisting(of) => {
                of.destination(Format::Markdown, |config| DestinationConfig::Append(config.into()))
            }
            Form::DataWorkspaceTable(of) => {
                of.destination(Format::Markdown, |config| DestinationConfig::Table(config.into()))
            }
            Form::DataWorkspaceDb(of) => of
                .destination(Format::Markdown, |config| DestinationConfig::Database(config.into())),
            Form::Chat(of) => of.destination(Format::Markdown, |config| {
                DestinationConfig::Chat(config.unwrap_or_default().into())
            }),
            Form::FileExport(of) => of.destination(Format::Csv, |config| {
                DestinationConfig::Export(config.unwrap_or_default().into())
            }),
            Form::KnowledgeGraph(of) => of.destination(Format::Json, |config| {
                DestinationConfig::Graph(config.unwrap_or_default().into())
            }),
        }
    }
}

impl<C> Of<C> {
    fn destination(
        self,
        default: Format,
        config: impl FnOnce(C) -> DestinationConfig,
    ) -> Destination {
        Destination {
            format: self.format.unwrap_or(default),
            condition: self.condition.map(String::from),
            transforms: self.transforms.unwrap_or_default(),
            config: config(self.config),
        }
    }
}

impl From<Export> for ExportConfig {
    fn from(written: Export) -> Self {
        let Export { filename_template, title, template, sections } = written;
        Self {
            filename_template: filled(filename_template).unwrap_or_else(|| FILE_NAME.to_owned()),
            layout: Layout { title, template, sections }.into(),
        }
    }
}

/// A string that says something.
fn filled<const MAX: usize>(text: Option<MaybeBlank<MAX>>) -> Option<String> {
    text.map(String::from).filter(|text| !text.trim().is_empty())
}

impl Serialize for WrittenDestination {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for WrittenDestination {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Map::deserialize(deserializer)?;
        let form = Form::deserialize(Value::Object(written.clone()));
        Ok(Self { written, form: form.map_err(serde::de::Error::custom)? })
    }
}

impl JsonSchema for WrittenDestination {
    fn schema_name() -> Cow<'static, str> {
        Form::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Form::json_schema(generator)
    }
}

#[cfg(test)]
mod tests;
