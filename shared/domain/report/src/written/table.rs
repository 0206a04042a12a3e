//! `data_workspace_table` and its `schema_mapping`, and `data_workspace_db`: several of them.

use countersign_document::{List, MaybeBlank, Named, Refused, Rules, Text, text_type};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::destination::TableConfig;
use crate::table::{ColumnType, MappedColumn, Mapping, TableColumn, plain_name, table_name};

/// Settings of `data_workspace_table`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// The workspace; the owner's default one when left out.
    workspace_id: Option<WorkspaceName>,
    /// The database, of which a workspace has one.
    database_id: Option<DatabaseName>,
    /// The table: 1 to 100 letters, digits, `_` and `-`.
    table_name: TableName,
    /// The path of the records in the data; the data itself when left out.
    source: Option<MaybeBlank<200>>,
    /// The columns, and where their values come from; read off the records when left out.
    schema_mapping: Option<Columns>,
    /// Whether a missing table is made.
    create_if_missing: Option<bool>,
    /// The columns that tell rows apart.
    deduplication_key: Option<Vec<Text<64>>>,
}

/// Settings of `data_workspace_db`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Database {
    /// The workspace; the owner's default one when left out.
    workspace_id: Option<WorkspaceName>,
    /// Whether missing tables are made; `true` when left out.
    create_if_missing: Option<bool>,
    /// The tables, each written on its own.
    tables: List<TableOfDatabase, 1, 50>,
}

/// One table of `data_workspace_db`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TableOfDatabase {
    /// The table: 1 to 100 letters, digits, `_` and `-`.
    table_name: TableName,
    /// The path of the records in the data; the table's name when left out.
    source: Option<MaybeBlank<200>>,
    /// The columns, and where their values come from; read off the records when left out.
    schema_mapping: Option<Columns>,
    /// The columns that tell rows apart.
    deduplication_key: Option<Vec<Text<64>>>,
}

/// A database of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "database", "x-hint" = "a workspace has one database, `default`"))]
enum DatabaseName {
    /// The only one.
    Default,
}

/// Columns by name.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Columns(Named<ColumnName, ColumnSource, 1, 100>);

/// The type of a column, or more about it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ColumnSource {
    /// The type of the values, which are in the field of the same name.
    Type(ColumnType),
    /// Where the values come from.
    Mapped(Mapped),
}

/// Where the values of a column come from.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MappedColumn")]
struct Mapped {
    /// The type of the values; TEXT when left out.
    #[serde(rename = "type")]
    column_type: Option<ColumnType>,
    /// The path of the values in the record; the column's name when left out.
    from: Option<MaybeBlank<200>>,
}

text_type! {
    /// The name of a table.
    struct TableName {
        format: "workspace-table", code: "table_name", sample: "a",
        pattern: "^[A-Za-z0-9_-]{1,100}$", check: table
    }
    /// The name of a workspace; none is the default one.
    struct WorkspaceName {
        format: "workspace", code: "workspace_id", sample: "a",
        pattern: "^[A-Za-z0-9_-]{0,100}$", check: workspace
    }
    /// The name of a column.
    struct ColumnName {
        format: "column-name", code: "name", sample: "a",
        pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$", check: column
    }
}

fn table(text: &str) -> Result<(), Refused> {
    table_name(text).map_err(Refused::of_key)
}

fn workspace(text: &str) -> Result<(), Refused> {
    if text.is_empty() { Ok(()) } else { table(text) }
}

fn column(text: &str) -> Result<(), Refused> {
    let hint = "use up to 64 letters, digits and underscores, beginning with a letter";
    let wrong = || Refused::of_key("is not a column name").hint(hint.to_owned());
    if !text.is_empty() && plain_name(text) == text { Ok(()) } else { Err(wrong()) }
}

impl Table {
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        key_rules(self.schema_mapping.as_ref(), self.deduplication_key.as_deref(), rules);
    }
}

impl Database {
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        rules.within("tables", |rules| {
            for (n, table) in self.tables.iter().enumerate() {
                let (columns, key) = (table.schema_mapping.as_ref(), &table.deduplication_key);
                rules.within(n, |rules| key_rules(columns, key.as_deref(), rules));
                let name = table.table_name.as_str();
                if self.tables[..n].iter().any(|other| other.table_name.as_str() == name) {
                    let pointer = format!("/{n}/table_name");
                    rules.error("table_name", &pointer, format!("`{name}` is there already"));
                }
            }
        });
    }
}

/// A key is made of columns.
fn key_rules(columns: Option<&Columns>, key: Option<&[Text<64>]>, rules: &mut Rules<'_>) {
    let Some(Columns(columns)) = columns else { return };
    if !rules.is_sound("/schema_mapping") {
        return;
    }
    for (n, key) in key.into_iter().flatten().enumerate() {
        if !columns.keys().any(|name| name.as_str() == &**key) {
            let pointer = format!("/deduplication_key/{n}");
            let message = format!("`{key}` is not a column of `schema_mapping`");
            rules.error("deduplication_key", &pointer, message);
        }
    }
}

impl From<Table> for TableConfig {
    fn from(written: Table) -> Self {
        Self {
            workspace_id: named(written.workspace_id),
            table_name: written.table_name.into(),
            source: written.source.map(String::from).unwrap_or_default(),
            mapping: written.schema_mapping.map(Mapping::from),
            create_if_missing: written.create_if_missing.unwrap_or(false),
            deduplication_key: key(written.deduplication_key),
        }
    }
}

impl From<Database> for Vec<TableConfig> {
    fn from(written: Database) -> Self {
        let Database { workspace_id, create_if_missing, tables } = written;
        let workspace_id = named(workspace_id);
        let table = |table: TableOfDatabase| {
            let table_name = String::from(table.table_name);
            TableConfig {
                workspace_id: workspace_id.clone(),
                source: table.source.map_or_else(|| table_name.clone(), String::from),
                table_name,
                mapping: table.schema_mapping.map(Mapping::from),
                create_if_missing: create_if_missing.unwrap_or(true),
                deduplication_key: key(table.deduplication_key),
            }
        };
        tables.into_iter().map(table).collect()
    }
}

fn named(workspace: Option<WorkspaceName>) -> Option<String> {
    workspace.map(String::from).filter(|workspace| !workspace.is_empty())
}

fn key(written: Option<Vec<Text<64>>>) -> Vec<String> {
    written.into_iter().flatten().map(String::from).collect()
}

impl From<Columns> for Mapping {
    fn from(Columns(columns): Columns) -> Self {
        let mapped = |(name, source): (ColumnName, ColumnSource)| {
            let name = String::from(name);
            let (column_type, from) = match source {
                ColumnSource::Type(column_type) => (column_type, None),
                ColumnSource::Mapped(mapped) => {
                    (mapped.column_type.unwrap_or(ColumnType::Text), mapped.from)
                }
            };
            let from = from.map_or_else(|| name.clone(), String::from);
            MappedColumn { column: TableColumn { name, column_type }, from }
        };
        Self { columns: columns.into_iter().map(mapped).collect() }
    }
}
