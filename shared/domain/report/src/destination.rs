//! Where a result goes (F-280…F-288).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::fields::{Fields, Problem, listed};
use crate::format::Format;
use crate::layout::Layout;
use crate::path::at;
use crate::table::{Mapping, table_name};

/// What a file is called when nobody says (F-280).
const DEFAULT_FILE_NAME: &str = "agent_output_{date}.md";

/// One destination, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Destination {
    /// As it was written: what is stored and shown.
    written: Value,
    /// The format of documents, files and chat answers.
    pub format: Format,
    /// A condition in the playbook grammar over the routed data; false skips the destination (F-288).
    pub condition: Option<String>,
    /// Changes to the data before it is written, in order.
    pub transforms: Vec<Transform>,
    /// The kind of destination and its settings.
    pub config: DestinationConfig,
}

/// The kinds of destination of this release, with their settings.
#[derive(Debug, Clone, PartialEq)]
pub enum DestinationConfig {
    /// A new document (F-280).
    Document(DocumentConfig),
    /// Rows of a workspace table (F-282).
    Table(TableConfig),
    /// Part of the answer (F-287).
    Chat(Layout),
    /// A file to download (F-285).
    Export(ExportConfig),
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
    /// What the document shows.
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
    /// The columns that tell rows apart (F-290).
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

/// A change to the data on its way to one destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transform {
    /// Goes on with the value at a path.
    Pick(String),
    /// Keeps the named fields of every record.
    Select(Vec<String>),
    /// Gives a field of every record another name.
    Rename(String, String),
    /// Keeps the first records.
    Limit(usize),
}

#[derive(Clone, Copy)]
enum Kind {
    Document,
    Table,
    Chat,
    Export,
    Later,
}

const KINDS: [(&str, Kind); 8] = [
    ("document", Kind::Document),
    ("data_workspace_table", Kind::Table),
    ("chat", Kind::Chat),
    ("file_export", Kind::Export),
    ("folder", Kind::Later),
    ("data_workspace_db", Kind::Later),
    ("knowledge_graph", Kind::Later),
    ("append_to_existing", Kind::Later),
];

impl Destination {
    /// Reads one destination; `None` when there are problems.
    #[must_use]
    pub fn read(value: &Value, path: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let before = problems.len();
        let mut fields = Fields::of(value, path, problems)?;
        let kind = fields.choice("type", &KINDS, problems);
        if kind.is_none() && problems.len() == before {
            problems.push(Problem::new(fields.place("type"), "is required"));
        }
        let format = fields.choice("format", &Format::CHOICES, problems);
        let condition = fields.text("condition", 1_000, problems);
        let place = fields.place("transforms");
        let transforms = fields.list("transforms", problems).iter().enumerate();
        let transforms = transforms
            .filter_map(|(i, t)| Transform::read(t, &format!("{place}[{i}]"), problems))
            .collect();
        if fields.flag("confirm", problems) == Some(true) {
            let hint = "asks for a gate of its own, which is not in this release: put an approval step before the routing";
            problems.push(Problem::new(fields.place("confirm"), hint));
        }
        let place = fields.place("config");
        let nothing = Value::Object(Map::new());
        let written = fields.value("config").unwrap_or(&nothing);
        fields.finish(problems);
        let config = DestinationConfig::read(kind?, written, &place, value, path, problems)?;
        let usual = if matches!(config, DestinationConfig::Export(_)) {
            Format::Csv
        } else {
            Format::Markdown
        };
        (problems.len() == before).then(|| Self {
            written: value.clone(),
            format: format.unwrap_or(usual),
            condition,
            transforms,
            config,
        })
    }

    /// Reads a list of destinations.
    #[must_use]
    pub fn read_all(values: &[Value], path: &str, problems: &mut Vec<Problem>) -> Vec<Self> {
        let numbered = values.iter().enumerate();
        numbered
            .filter_map(|(index, value)| Self::read(value, &format!("{path}[{index}]"), problems))
            .collect()
    }

    /// The word in `type`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.config {
            DestinationConfig::Document(_) => "document",
            DestinationConfig::Table(_) => "data_workspace_table",
            DestinationConfig::Chat(_) => "chat",
            DestinationConfig::Export(_) => "file_export",
        }
    }

    /// The data as this destination gets it.
    #[must_use]
    pub fn prepared(&self, data: &Value) -> Value {
        self.transforms.iter().fold(data.clone(), |data, transform| transform.apply(data))
    }
}

impl DestinationConfig {
    fn read(
        kind: Kind,
        config: &Value,
        place: &str,
        whole: &Value,
        path: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        if matches!(kind, Kind::Later) {
            let word = whole.get("type").and_then(Value::as_str).unwrap_or_default();
            let message = format!(
                "`{word}` destinations are not in this release; it has document, data_workspace_table, chat and file_export"
            );
            problems.push(Problem::new(format!("{path}.type"), message));
            return None;
        }
        let mut fields = Fields::of(config, place, problems)?;
        let read = match kind {
            Kind::Document => Self::Document(DocumentConfig::read(&mut fields, problems)),
            Kind::Table => Self::Table(TableConfig::read(&mut fields, problems)?),
            Kind::Chat => Self::Chat(Layout::read(&mut fields, problems)),
            Kind::Export | Kind::Later => Self::Export(ExportConfig {
                filename_template: file_name_template(&mut fields, problems, "agent_output_{date}"),
                layout: Layout::read(&mut fields, problems),
            }),
        };
        fields.finish(problems);
        Some(read)
    }
}

impl DocumentConfig {
    fn read(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> Self {
        Self {
            filename_template: file_name_template(fields, problems, DEFAULT_FILE_NAME),
            folder_id: fields
                .text("folder_id", 100, problems)
                .filter(|folder| !folder.trim().is_empty()),
            create_if_missing: fields.flag("create_if_missing", problems).unwrap_or(false),
            layout: Layout::read(fields, problems),
        }
    }
}

impl TableConfig {
    fn read(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> Option<Self> {
        let place = fields.place("schema_mapping");
        let mapping =
            fields.value("schema_mapping").and_then(|value| Mapping::read(value, &place, problems));
        if let Some(database) =
            fields.text("database_id", 100, problems).filter(|database| database != "default")
        {
            let message =
                format!("`{database}` does not exist: a workspace has one database, `default`");
            problems.push(Problem::new(fields.place("database_id"), message));
        }
        let read = Self {
            workspace_id: fields.text("workspace_id", 100, problems),
            table_name: fields.required("table_name", 100, problems).unwrap_or_default(),
            source: fields.text("source", 200, problems).unwrap_or_default(),
            mapping,
            create_if_missing: fields.flag("create_if_missing", problems).unwrap_or(false),
            deduplication_key: fields.texts("deduplication_key", 64, problems),
        };
        for (name, text) in
            [("table_name", Some(&read.table_name)), ("workspace_id", read.workspace_id.as_ref())]
        {
            if let Some(Err(message)) =
                text.filter(|text| !text.is_empty()).map(|text| table_name(text))
            {
                problems.push(Problem::new(fields.place(name), message));
            }
        }
        if let Some(mapping) = &read.mapping {
            for column in read.deduplication_key.iter().filter(|column| !mapping.has(column)) {
                let message =
                    format!("names `{column}`, which is not a column of `schema_mapping`");
                problems.push(Problem::new(fields.place("deduplication_key"), message));
            }
        }
        Some(read)
    }
}

fn file_name_template(fields: &mut Fields<'_>, problems: &mut Vec<Problem>, usual: &str) -> String {
    let text = fields.text("filename_template", 200, problems);
    text.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| usual.to_owned())
}

impl Transform {
    fn read(value: &Value, path: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let before = problems.len();
        let mut fields = Fields::of(value, path, problems)?;
        let choices = [("pick", 0), ("select", 1), ("rename", 2), ("limit", 3)];
        let kind = fields.choice("type", &choices, problems);
        if kind.is_none() && problems.len() == before {
            problems.push(Problem::new(fields.place("type"), "is required"));
        }
        let read = match kind? {
            0 => Self::Pick(fields.required("path", 200, problems)?),
            1 => Self::Select(fields.texts("fields", 200, problems)),
            2 => Self::Rename(
                fields.required("from", 200, problems)?,
                fields.required("to", 200, problems)?,
            ),
            _ => {
                let count = fields.whole("count", 0, 1_000_000, problems)?;
                Self::Limit(usize::try_from(count).unwrap_or(0))
            }
        };
        fields.finish(problems);
        Some(read)
    }

    fn apply(&self, data: Value) -> Value {
        match (self, data) {
            (Self::Pick(path), data) => at(&data, path).cloned().unwrap_or(Value::Null),
            (Self::Limit(count), Value::Array(items)) => items.into_iter().take(*count).collect(),
            (change, Value::Array(items)) => {
                items.into_iter().map(|item| change.apply_to_record(item)).collect()
            }
            (change, data) => change.apply_to_record(data),
        }
    }

    fn apply_to_record(&self, record: Value) -> Value {
        let Value::Object(map) = record else { return record };
        let renamed = |(name, value): (String, Value)| match self {
            Self::Select(names) => names.contains(&name).then_some((name, value)),
            Self::Rename(from, to) if *from == name => Some((to.clone(), value)),
            _ => Some((name, value)),
        };
        Value::Object(map.into_iter().filter_map(renamed).collect())
    }
}

impl Serialize for Destination {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Destination {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let mut problems = Vec::new();
        Self::read(&value, "destination", &mut problems)
            .ok_or_else(|| <D::Error as serde::de::Error>::custom(listed(&problems)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Destination, DestinationConfig};
    use crate::format::Format;

    fn check(value: &Value, expect: &[&str]) {
        let mut problems = Vec::new();
        let read = Destination::read(value, "d", &mut problems);
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(told, expect);
        assert_eq!(read.is_some(), expect.is_empty());
    }

    #[test]
    fn f_280_f_288_the_four_kinds_are_read() {
        check(&json!({"type": "chat"}), &[]);
        check(
            &json!({"type": "document", "format": "markdown", "config": {"folder_id": "f", "create_if_missing": true}}),
            &[],
        );
        check(&json!({"type": "file_export", "config": {"filename_template": "x_{date}"}}), &[]);
        check(
            &json!({"type": "data_workspace_table", "condition": "{count} > 0", "config": {"table_name": "filings",
                "schema_mapping": {"ein": "TEXT"}, "deduplication_key": ["ein"]}}),
            &[],
        );
    }

    #[test]
    fn f_281_f_283_f_284_f_286_later_kinds_say_so() {
        check(
            &json!({"type": "knowledge_graph"}),
            &[
                "d.type: `knowledge_graph` destinations are not in this release; it has document, data_workspace_table, \
               chat and file_export",
            ],
        );
    }

    #[test]
    fn every_problem_has_its_path() {
        check(&json!({}), &["d.type: is required"]);
        check(
            &json!({"type": "data_workspace_table", "format": "xlsx", "config": {"schema_mapping": {"a": "INT"},
                "database_id": "x", "deduplication_key": ["b"], "tabel_name": "t"}}),
            &[
                "d.format: `xlsx` is not one of markdown, json, csv, structured",
                "d.config.schema_mapping.a: `INT` is not one of TEXT, REAL, DECIMAL, TIMESTAMP",
                "d.config.database_id: `x` does not exist: a workspace has one database, `default`",
                "d.config.table_name: is required",
                "d.config.deduplication_key: names `b`, which is not a column of `schema_mapping`",
                "d.config.tabel_name: is not a field here; did you mean `table_name`?",
            ],
        );
        check(
            &json!({"type": "chat", "confirm": true, "transforms": [{"type": "limit", "count": -1}, {"type": "pick"}]}),
            &[
                "d.transforms[0].count: must be a whole number from 0 to 1000000, not `-1`",
                "d.transforms[1].path: is required",
                "d.confirm: asks for a gate of its own, which is not in this release: put an approval step before the routing",
            ],
        );
    }

    #[test]
    fn k_62_a_destination_may_say_that_it_needs_no_confirmation() {
        check(&json!({"type": "chat", "confirm": false}), &[]);
    }

    #[test]
    fn f_288_transforms_change_the_data_for_one_destination() {
        let mut problems = Vec::new();
        let destination = Destination::read(
            &json!({"type": "file_export", "transforms": [{"type": "pick", "path": "people"}, {"type": "limit", "count": 1},
                {"type": "select", "fields": ["n", "o"]}, {"type": "rename", "from": "n", "to": "name"}]}),
            "d",
            &mut problems,
        )
        .unwrap();
        let data = json!({"people": [{"n": 1, "o": 2, "p": 3}, {"n": 4}]});
        assert_eq!(destination.prepared(&data), json!([{"name": 1, "o": 2}]));
        assert_eq!(destination.format, Format::Csv);
        assert!(matches!(destination.config, DestinationConfig::Export(_)));
    }

    #[test]
    fn a_destination_survives_storage() {
        let written = json!({"type": "chat", "format": "json", "config": {"title": "T"}});
        let read: Destination = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), written);
        assert!(serde_json::from_value::<Destination>(json!({"type": "fax"})).is_err());
    }
}
