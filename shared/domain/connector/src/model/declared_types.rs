//! Types that an endpoint declares for fields of which its mapping says none: files and pages are read with them.

use countersign_registry::{DataType, Field};

use super::{FormatRules, Operation, ValueType};

impl ValueType {
    const ALL: [Self; 8] = [
        Self::String,
        Self::Number,
        Self::Decimal,
        Self::Integer,
        Self::Date,
        Self::Boolean,
        Self::StringList,
        Self::NumberList,
    ];

    /// What a value of this type is read as; `None` for types that no text is read as.
    #[must_use]
    pub fn of(data_type: &DataType) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.data_type() == *data_type)
    }
}

impl Operation {
    /// Whether values have the types that the mapping gives them: those of files, pages and feeds. Answers of JSON and rows of a
    /// database get the declared types.
    #[must_use]
    pub fn is_typed_by_mapping(&self) -> bool {
        matches!(self, Self::ParseXml(_) | Self::Parse(_) | Self::Scrape(_) | Self::ReadFeeds(_))
    }

    /// Reads fields of which the mapping says no type, or only that they are texts, as what is declared.
    pub(crate) fn declare(&mut self, declared: &[Field]) {
        let of = |name: &str| {
            let field = declared.iter().find(|field| field.name == name)?;
            ValueType::of(&field.data_type)
        };
        match self {
            Self::ParseXml(rules) => {
                let fields = rules.fields.iter_mut().chain(&mut rules.context_fields);
                fields.for_each(|rule| text(&mut rule.value_type, of(&rule.field)));
            }
            Self::Scrape(rules) => {
                rules
                    .fields
                    .iter_mut()
                    .for_each(|rule| text(&mut rule.value_type, of(&rule.field)));
            }
            Self::Parse(rules) => match rules.as_mut() {
                FormatRules::Csv(rules) => columns(&mut rules.table.fields, of),
                FormatRules::Xlsx(rules) => columns(&mut rules.table.fields, of),
                FormatRules::HtmlTable(rules) => columns(&mut rules.table.fields, of),
                FormatRules::Json(rules) | FormatRules::Jsonl(rules) => {
                    let fields = rules.fields.iter_mut();
                    fields.for_each(|rule| open(&mut rule.value_type, of(&rule.field)));
                }
                FormatRules::PdfText(_) => {}
            },
            Self::Request(_)
            | Self::Graphql(_)
            | Self::Tool(_)
            | Self::ReadFeeds(_)
            | Self::Query(_) => {}
        }
    }
}

fn columns(rules: &mut [super::ColumnRule], of: impl Fn(&str) -> Option<ValueType>) {
    rules.iter_mut().for_each(|rule| open(&mut rule.value_type, of(&rule.field)));
}

fn open(own: &mut Option<ValueType>, declared: Option<ValueType>) {
    if own.is_none_or(|own| own == ValueType::String) {
        *own = declared.or(*own);
    }
}

/// Of XML and pages, a text is what a field is of which nothing is said.
fn text(own: &mut ValueType, declared: Option<ValueType>) {
    if *own == ValueType::String {
        *own = declared.unwrap_or(*own);
    }
}
