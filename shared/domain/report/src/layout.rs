//! What a document shows: title, template, sections, columns.

use serde_json::Value;

use crate::fields::{Fields, Problem};

/// The shape of a document (the `output` of a playbook, F-136, or the `config` of a destination).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// The heading; may hold `{entity_name}` and `{date}`.
    pub title: Option<String>,
    /// Markdown of the author's own with `{path}` placeholders and, where the sections shall stand, `{sections}`.
    pub template: Option<String>,
    /// The parts, in order.
    pub sections: Vec<Section>,
}

/// One part of a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// The path of its data in the result; empty for the whole.
    pub source: String,
    /// How it is shown.
    pub format: SectionFormat,
    /// The columns of a table, the lines of a list of facts; none means: all simple fields.
    pub columns: Vec<Column>,
    /// A sentence of the author's own above the data.
    pub text: Option<String>,
    /// What stands there when there is no data.
    pub empty: Option<String>,
    /// How many records are shown at most; the rest is counted.
    pub limit: Option<usize>,
    /// For linked records: the field with the name; `name` unless said otherwise.
    pub name: Option<String>,
    /// For linked records: the field that must differ within a group.
    pub across: Option<String>,
    /// What the different values of that field are, such as `organisations`.
    pub across_label: Option<String>,
    /// For linked records: the field with the resolved entity, which alone says who belongs together.
    pub entity: Option<String>,
    /// For linked records: the field with the heading of a group; its most frequent name unless said otherwise.
    pub heading: Option<String>,
}

/// How a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SectionFormat {
    /// A table for records, a list for a list, facts for an object, a paragraph for a text.
    #[default]
    Auto,
    /// A paragraph per line.
    Text,
    /// One bullet per item.
    List,
    /// One row per record.
    Table,
    /// One labelled line per column.
    Facts,
    /// One block per group of records that matched each other.
    Linked,
    /// A block of JSON.
    Json,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The path of its value in the record.
    pub field: String,
    /// Its heading.
    pub title: String,
    /// How its values are written.
    pub format: CellFormat,
    /// What stands before an amount of money.
    pub currency: Currency,
    /// Whether its author gave the heading: a table of data keeps the names of its fields otherwise.
    pub is_titled: bool,
}

/// How a value is written in Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellFormat {
    /// As it is.
    #[default]
    Text,
    /// With thousands separators.
    Number,
    /// An amount with its currency: whole, or with two decimals.
    Money,
    /// A time to the minute, in UTC.
    Time,
    /// A share of one, in percent.
    Percent,
    /// How many items a list has.
    Count,
}

const SECTION_FORMATS: [(&str, SectionFormat); 9] = [
    ("auto", SectionFormat::Auto),
    ("text", SectionFormat::Text),
    ("markdown", SectionFormat::Text),
    ("list", SectionFormat::List),
    ("table", SectionFormat::Table),
    ("facts", SectionFormat::Facts),
    ("linked", SectionFormat::Linked),
    ("json", SectionFormat::Json),
    ("structured", SectionFormat::Json),
];

const CELL_FORMATS: [(&str, CellFormat); 6] = [
    ("text", CellFormat::Text),
    ("number", CellFormat::Number),
    ("money", CellFormat::Money),
    ("time", CellFormat::Time),
    ("percent", CellFormat::Percent),
    ("count", CellFormat::Count),
];

impl Layout {
    /// Reads `title`, `template` and `sections` of an object that may have other fields too.
    #[must_use]
    pub fn read(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> Self {
        let title = fields.text("title", 200, problems);
        let template = fields.text("template", 20_000, problems);
        let place = fields.place("sections");
        let sections = fields.list("sections", problems);
        let sections = sections
            .iter()
            .enumerate()
            .filter_map(|(index, section)| {
                Section::read(section, &format!("{place}[{index}]"), problems)
            })
            .collect();
        Self { title, template, sections }
    }
}

impl Section {
    fn read(value: &Value, path: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let mut fields = Fields::of(value, path, problems)?;
        let title = fields.required("title", 200, problems).unwrap_or_default();
        let source = fields.text("source", 200, problems).unwrap_or_default();
        let format = fields.choice("format", &SECTION_FORMATS, problems).unwrap_or_default();
        let place = fields.place("columns");
        let columns = fields
            .list("columns", problems)
            .iter()
            .enumerate()
            .filter_map(|(index, column)| {
                Column::read(column, &format!("{place}[{index}]"), problems)
            })
            .collect();
        let section = Self {
            title,
            source: source.trim().trim_start_matches('{').trim_end_matches('}').to_owned(),
            format,
            columns,
            text: fields.text("text", 2_000, problems),
            empty: fields.text("empty", 500, problems),
            limit: fields
                .whole("limit", 1, 100_000, problems)
                .and_then(|limit| usize::try_from(limit).ok()),
            name: fields.text("name", 100, problems),
            across: fields.text("across", 100, problems),
            across_label: fields.text("across_label", 100, problems),
            entity: fields.text("entity", 100, problems),
            heading: fields.text("heading", 100, problems),
        };
        fields.finish(problems);
        Some(section)
    }
}

impl Column {
    /// A column shown as it is.
    #[must_use]
    pub fn plain(field: &str) -> Self {
        Self {
            field: field.to_owned(),
            title: heading(field),
            format: CellFormat::Text,
            currency: Currency::default(),
            is_titled: false,
        }
    }

    /// A name, or `{field, title?, format?, currency?}`.
    fn read(value: &Value, path: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        if let Some(field) = value.as_str() {
            return Some(Self::plain(field));
        }
        let mut fields = Fields::of(value, path, problems)?;
        let field = fields.required("field", 200, problems);
        let title = fields.text("title", 100, problems);
        let format = fields.choice("format", &CELL_FORMATS, problems).unwrap_or_default();
        let place = fields.place("currency");
        let currency = fields.text("currency", 3, problems).map(|code| Currency::parse(&code));
        if currency.is_some() && format != CellFormat::Money {
            problems.push(Problem::new(place, "is of columns with `format: money`"));
        } else if matches!(currency, Some(None)) {
            problems.push(Problem::new(place, "must be a currency of three capitals such as EUR"));
        }
        fields.finish(problems);
        let (field, is_titled) = (field?, title.is_some());
        let title = title.unwrap_or_else(|| heading(&field));
        let currency = currency.flatten().unwrap_or_default();
        Some(Self { field, title, format, currency, is_titled })
    }
}

/// A currency by its ISO 4217 code; US dollars unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Currency([u8; 3]);

impl Default for Currency {
    fn default() -> Self {
        Self(*b"USD")
    }
}

impl Currency {
    /// Reads three capitals.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_uppercase).then_some(Self(bytes))
    }

    /// What stands before an amount: its sign, or its code and a space.
    #[must_use]
    pub fn sign(self) -> String {
        match &self.0 {
            b"USD" => "$".to_owned(),
            b"EUR" => "€".to_owned(),
            b"GBP" => "£".to_owned(),
            b"JPY" => "¥".to_owned(),
            code => format!("{} ", String::from_utf8_lossy(code)),
        }
    }
}

/// `average_hours_per_week` as `Average hours per week`.
fn heading(field: &str) -> String {
    let last = field.rsplit('.').next().unwrap_or(field);
    let text = last.trim_start_matches('_').replace(['_', '-'], " ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CellFormat, Layout, SectionFormat};
    use crate::fields::Fields;

    fn read(value: &Value) -> (Layout, Vec<String>) {
        let mut problems = Vec::new();
        let mut fields = Fields::of(value, "output", &mut problems).unwrap();
        let layout = Layout::read(&mut fields, &mut problems);
        (layout, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn f_136_sections_are_read() {
        let (layout, problems) = read(&json!({"title": "People", "sections": [
            {"title": "Officers", "source": "{officers.data}", "format": "table",
             "columns": ["person_name", {"field": "pay", "format": "money"}]}]}));
        assert_eq!(problems, Vec::<String>::new());
        let section = &layout.sections[0];
        assert_eq!(
            (section.source.as_str(), section.format),
            ("officers.data", SectionFormat::Table)
        );
        assert_eq!(section.columns[0].title, "Person name");
        assert_eq!(section.columns[1].format, CellFormat::Money);
    }

    #[test]
    fn f_136_every_problem_has_its_path() {
        let (_, problems) = read(&json!({"sections": [
            {"source": "a", "format": "tabel"}, {"title": "B", "columns": [{"titel": "x"}]}]}));
        assert_eq!(
            problems,
            [
                "output.sections[0].title: is required",
                "output.sections[0].format: `tabel` is not one of auto, text, markdown, list, table, facts, linked, \
                 json, structured; did you mean `table`?",
                "output.sections[1].columns[0].field: is required",
                "output.sections[1].columns[0].titel: is not a field here; did you mean `title`?",
            ]
        );
    }
}
