//! Where a result goes (F-280…F-288).

use serde_json::Value;

use crate::error::ReportError;
use crate::format::Format;
use crate::layout::Layout;
use crate::table::Mapping;
use crate::transform::Transform;

/// One destination. Made of a [`crate::WrittenDestination`].
#[derive(Debug, Clone, PartialEq)]
pub struct Destination {
    /// The format of documents, files and chat answers.
    pub format: Format,
    /// A condition in the playbook grammar over the routed data; false skips the destination.
    pub condition: Option<String>,
    /// Changes to the data before it is written, in order.
    pub transforms: Vec<Transform>,
    /// The kind of destination and its settings.
    pub config: DestinationConfig,
}

/// Data as a destination gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The data.
    pub data: Value,
    /// What the destination names and the data does not have, a sentence each.
    pub notes: Vec<String>,
}

/// The kinds of destination of this release, with their settings.
#[derive(Debug, Clone, PartialEq, strum::IntoStaticStr)]
pub enum DestinationConfig {
    /// A new document.
    #[strum(to_string = "document")]
    Document(DocumentConfig),
    /// A new document in a folder.
    #[strum(to_string = "folder")]
    Folder(DocumentConfig),
    /// More text at the end of a document.
    #[strum(to_string = "append_to_existing")]
    Append(AppendConfig),
    /// Rows of a workspace table.
    #[strum(to_string = "data_workspace_table")]
    Table(TableConfig),
    /// Rows of several tables of a workspace, each on its own (F-283).
    #[strum(to_string = "data_workspace_db")]
    Database(Vec<TableConfig>),
    /// Part of the answer.
    #[strum(to_string = "chat")]
    Chat(Layout),
    /// A file to download.
    #[strum(to_string = "file_export")]
    Export(ExportConfig),
    /// Entities of the owner's graph.
    #[strum(to_string = "knowledge_graph")]
    Graph(GraphConfig),
}

/// Settings of `document`.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentConfig {
    /// With `{date}` and `{entity_name}`.
    pub filename_template: String,
    /// The folder; the owner's top folder when absent.
    pub folder_id: Option<String>,
    /// Whether a missing folder is made; without it a missing folder is an error.
    pub create_if_missing: bool,
    /// What lists call it when its layout has no title; the file's name when absent.
    pub title: Option<String>,
    /// What the document shows.
    pub layout: Layout,
}

/// Settings of `append_to_existing`.
#[derive(Debug, Clone, PartialEq)]
pub struct AppendConfig {
    /// The document, `doc_…`.
    pub document_id: String,
    /// What is added.
    pub layout: Layout,
}

/// Settings of `data_workspace_table`.
#[derive(Debug, Clone, PartialEq)]
pub struct TableConfig {
    /// The workspace; the owner's default one when absent.
    pub workspace_id: Option<String>,
    /// The table.
    pub table_name: String,
    /// The path of the records in the data; empty for the data itself.
    pub source: String,
    /// The columns and where their values come from; read off the records when absent.
    pub mapping: Option<Mapping>,
    /// Whether a missing table is made.
    pub create_if_missing: bool,
    /// The columns that tell rows apart.
    pub deduplication_key: Vec<String>,
}

/// Settings of `file_export`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportConfig {
    /// With `{date}` and `{entity_name}`.
    pub filename_template: String,
    /// What the file shows.
    pub layout: Layout,
}

/// Settings of `knowledge_graph`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphConfig {
    /// The part of the graph; the agent's first when absent.
    pub namespace: Option<String>,
    /// The path of the entities or records in the data; empty for the data itself.
    pub source: String,
}

impl Destination {
    /// The word in `type`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        (&self.config).into()
    }

    /// The data as this destination gets it.
    ///
    /// # Errors
    /// [`ReportError::FieldTaken`] when a field would be renamed to one that is there.
    pub fn prepared(&self, data: &Value) -> Result<Prepared, ReportError> {
        let (mut data, mut notes) = (data.clone(), Vec::new());
        for transform in &self.transforms {
            data = transform.apply(data, &mut notes)?;
        }
        let shown = self.layout().filter(|_| self.is_by_section());
        let absent = shown.map(|layout| layout.absent(&data)).unwrap_or_default();
        let says = if self.format == Format::Markdown { "says \"Not known\"" } else { "is `null`" };
        let absent = absent.iter().map(|source| {
            format!(
                "the data has no `{source}`, which one of its `sections` shows; the section {says}"
            )
        });
        notes.extend(absent);
        notes.extend(self.of_list(&data));
        Ok(Prepared { data, notes })
    }

    /// That a table is all of the data although its section names a part of it: a list has no parts with names.
    fn of_list(&self, data: &Value) -> Option<String> {
        let section = self.layout().filter(|_| self.format == Format::Csv)?.sections.first()?;
        let source = Some(section.source.as_str()).filter(|source| !source.is_empty())?;
        data.is_array().then(|| {
            format!("the data is a list and has no `{source}`; the table has all of the list")
        })
    }

    /// Whether it is written section by section; `json` is the data as it is, and `csv` fails without its table.
    fn is_by_section(&self) -> bool {
        matches!(self.format, Format::Markdown | Format::Structured)
    }

    fn layout(&self) -> Option<&Layout> {
        match &self.config {
            DestinationConfig::Document(config) | DestinationConfig::Folder(config) => {
                Some(&config.layout)
            }
            DestinationConfig::Append(config) => Some(&config.layout),
            DestinationConfig::Export(config) => Some(&config.layout),
            DestinationConfig::Chat(layout) => Some(layout),
            DestinationConfig::Table(_)
            | DestinationConfig::Database(_)
            | DestinationConfig::Graph(_) => None,
        }
    }
}
