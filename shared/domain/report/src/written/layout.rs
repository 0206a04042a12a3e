//! Layouts: title, template, sections, columns.

use countersign_document::{MaybeBlank, Refused, Rules, Text, Whole, text_type};
use schemars::JsonSchema;
use serde::Deserialize;

use super::without_effect;
use crate::format::Format;
use crate::layout::{self, CellFormat, Currency, heading};

/// What a document shows.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layout {
    /// The heading; may hold `{entity_name}` and `{date}`.
    pub(super) title: Option<MaybeBlank<200>>,
    /// Markdown of your own with `{path}` placeholders and `{sections}`.
    pub(super) template: Option<MaybeBlank<20_000>>,
    /// The parts, in order.
    pub(super) sections: Option<Vec<Section>>,
}

/// One part of a document.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    /// Its heading.
    title: Text<200>,
    /// The path of its data in the result; the whole when left out.
    source: Option<MaybeBlank<200>>,
    /// How it is shown.
    pub(super) format: Option<SectionFormat>,
    /// The columns of a table, the lines of a list of facts; all simple fields when left out.
    columns: Option<Vec<Column>>,
    /// A sentence of your own above the data.
    text: Option<MaybeBlank<2_000>>,
    /// What is written when there is no data.
    empty: Option<MaybeBlank<500>>,
    /// How many records are shown at most; the rest is counted.
    limit: Option<Whole<1, 100_000>>,
    /// For linked records: the field with the name; `name` when left out.
    name: Option<MaybeBlank<100>>,
    /// For linked records: the field that must differ within a group.
    across: Option<MaybeBlank<100>>,
    /// What the different values of that field are, such as `organisations`.
    across_label: Option<MaybeBlank<100>>,
    /// For linked records: the field with the resolved entity.
    entity: Option<MaybeBlank<100>>,
    /// For linked records: the field with the heading of a group.
    heading: Option<MaybeBlank<100>>,
}

/// How a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SectionFormat {
    /// By what the data is.
    Auto,
    /// A paragraph per line.
    Text,
    /// Another word for `text`.
    Markdown,
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
    /// Another word for `json`.
    Structured,
}

/// A column: the name of a field, or more about it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ReportColumn")]
enum Column {
    /// The field's name.
    Name(String),
    /// The field and how it is shown.
    Shown(ShownColumn),
}

/// A column and how it is shown.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShownColumn {
    /// The path of its value in the record.
    field: Text<200>,
    /// Its heading.
    title: Option<MaybeBlank<100>>,
    /// How its values are written.
    format: Option<CellFormat>,
    /// What is written before an amount of money; nothing when left out.
    currency: Option<CurrencyCode>,
}

text_type! {
    /// A currency by its ISO 4217 code.
    struct CurrencyCode {
        format: "three-capitals", code: "currency", sample: "USD", pattern: "^[A-Z]{3}$", check: currency
    }
}

fn currency(text: &str) -> Result<(), Refused> {
    let wrong = || Refused::of_key("must be a currency of three capitals such as EUR");
    Currency::parse(text).map(drop).ok_or_else(wrong)
}

/// Where a template says that the sections are.
const SECTIONS: &str = "{sections}";

/// The layout of a destination as it was written.
#[derive(Clone, Copy)]
pub(super) struct WrittenLayout<'a> {
    pub(super) format: Format,
    pub(super) title: Option<&'a MaybeBlank<200>>,
    /// Whether the title also names the document in lists.
    pub(super) names_document: bool,
    pub(super) template: Option<&'a MaybeBlank<20_000>>,
    pub(super) sections: &'a [Section],
}

impl WrittenLayout<'_> {
    /// What it says that a document of its format has no place for, and what its columns say about each other.
    pub(super) fn rules(self, rules: &mut Rules<'_>) {
        if let Some(template) = self.template.filter(|text| !text.as_str().trim().is_empty()) {
            template_rules(self.format, template.as_str(), self.sections, rules);
        }
        match (self.format, self.sections.len()) {
            (Format::Json, 1..) => {
                let message = "JSON is the data as it is, and has no sections";
                let hint = "use `format: structured`, or leave them out".to_owned();
                rules.hinted("sections", "/sections", message, hint);
            }
            (Format::Csv, 2..) => {
                let message = "CSV is one table, and there are several sections";
                let hint = "keep one section, or use `format: structured`".to_owned();
                rules.hinted("sections", "/sections", message, hint);
            }
            _ => {}
        }
        column_rules(self.sections, rules);
        without_effect::report(self, rules);
    }
}

fn template_rules(format: Format, template: &str, sections: &[Section], rules: &mut Rules<'_>) {
    if format != Format::Markdown {
        let message = "a template is Markdown, and `format` is another";
        let hint = "use `sections`, or `format: markdown`".to_owned();
        rules.hinted("template", "/template", message, hint);
    } else if !sections.is_empty() && !template.contains(SECTIONS) {
        let message = format!("the template has no `{SECTIONS}`, so nobody would see the sections");
        let hint = format!("write `{SECTIONS}` where they shall be, or leave them out");
        rules.hinted("template", "/template", message, hint);
    }
}

fn column_rules(sections: &[Section], rules: &mut Rules<'_>) {
    for (n, section) in sections.iter().enumerate() {
        for (k, column) in section.columns.iter().flatten().enumerate() {
            let Column::Shown(column) = column else { continue };
            if column.currency.is_some() && column.format != Some(CellFormat::Money) {
                let pointer = format!("/sections/{n}/columns/{k}/currency");
                let hint = "write `format: money`, or leave the currency out".to_owned();
                let message = "`currency` is for columns with `format: money`";
                rules.hinted("currency", &pointer, message, hint);
            }
        }
    }
}

impl From<Layout> for layout::Layout {
    fn from(written: Layout) -> Self {
        Self {
            title: written.title.map(String::from),
            template: written.template.map(String::from),
            sections: written.sections.into_iter().flatten().map(Section::model).collect(),
        }
    }
}

impl Section {
    /// The keys that say something, but for `title` and `source`.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> {
        fn says<const N: usize>(text: Option<&MaybeBlank<N>>) -> bool {
            text.is_some_and(|text| !text.as_str().trim().is_empty())
        }
        let keys = [
            ("format", self.format.is_some_and(|format| format != SectionFormat::Auto)),
            ("columns", self.columns.as_ref().is_some_and(|columns| !columns.is_empty())),
            ("text", says(self.text.as_ref())),
            ("empty", says(self.empty.as_ref())),
            ("limit", self.limit.is_some()),
            ("name", says(self.name.as_ref())),
            ("across", says(self.across.as_ref())),
            ("across_label", says(self.across_label.as_ref())),
            ("entity", says(self.entity.as_ref())),
            ("heading", says(self.heading.as_ref())),
        ];
        keys.into_iter().filter_map(|(key, is_said)| is_said.then_some(key))
    }

    fn model(self) -> layout::Section {
        let source = self.source.map(String::from).unwrap_or_default();
        layout::Section {
            title: self.title.into(),
            source: source.trim().trim_start_matches('{').trim_end_matches('}').to_owned(),
            format: self.format.map(SectionFormat::model).unwrap_or_default(),
            columns: self.columns.into_iter().flatten().map(Column::model).collect(),
            text: self.text.map(String::from),
            empty: self.empty.map(String::from),
            limit: self.limit.map(Whole::to),
            name: self.name.map(String::from),
            across: self.across.map(String::from),
            across_label: self.across_label.map(String::from),
            entity: self.entity.map(String::from),
            heading: self.heading.map(String::from),
        }
    }
}

impl SectionFormat {
    fn model(self) -> layout::SectionFormat {
        match self {
            Self::Auto => layout::SectionFormat::Auto,
            Self::Text | Self::Markdown => layout::SectionFormat::Text,
            Self::List => layout::SectionFormat::List,
            Self::Table => layout::SectionFormat::Table,
            Self::Facts => layout::SectionFormat::Facts,
            Self::Linked => layout::SectionFormat::Linked,
            Self::Json | Self::Structured => layout::SectionFormat::Json,
        }
    }
}

impl Column {
    fn model(self) -> layout::Column {
        let column = match self {
            Self::Name(field) => return layout::Column::plain(&field),
            Self::Shown(column) => column,
        };
        let field = String::from(column.field);
        let (title, is_titled) = match column.title {
            Some(title) => (title.into(), true),
            None => (heading(&field), false),
        };
        let currency = column.currency.and_then(|code| Currency::parse(code.as_str()));
        layout::Column {
            field,
            title,
            format: column.format.unwrap_or_default(),
            currency,
            is_titled,
        }
    }
}
