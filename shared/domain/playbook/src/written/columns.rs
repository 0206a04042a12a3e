//! The columns of a gate's preview.

use countersign_document::{Problem, Related, Rules};
use schemars::JsonSchema;
use serde::Deserialize;

use super::report::report;
use super::text::{Currency, FieldPath, Label};
use crate::diagnostic::Code;
use crate::model::{ColumnFormat, PreviewColumn};

/// A column of what a gate shows.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    /// The field, dotted, such as `payee.name` or `lines[0].amount`; each once.
    field: FieldPath,
    /// What people read instead of the field's name, up to 60 characters.
    label: Option<Label>,
    /// How its value is written.
    #[serde(default)]
    #[schemars(extend("x-hint" = "leave it out to show the value as it is"))]
    format: ColumnFormat,
    /// For `money`: three capital letters of ISO 4217.
    currency: Option<Currency>,
}

impl Column {
    pub(super) fn model(&self) -> PreviewColumn {
        PreviewColumn {
            field: self.field.to_string(),
            label: self.label.as_ref().map(Label::to_string),
            format: self.format,
            currency: self.currency.as_ref().map(Currency::to_string),
        }
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        if self.currency.is_some()
            && self.format != ColumnFormat::Money
            && rules.is_sound("/format")
        {
            let message = "`currency` belongs to the format `money`";
            let hint = "write `format: money`, or leave the currency out".to_owned();
            report(rules, Code::Misplaced, "/currency", message, hint);
        }
    }
}

/// Reports what one column says about another. Pointers are those below the list.
pub(super) fn check(columns: &[Column], rules: &mut Rules<'_>) {
    for (n, column) in columns.iter().enumerate() {
        rules.within(n, |rules| column.rules(rules));
        let same = |first: &Column| first.field == column.field;
        let first = columns[..n].iter().position(same);
        let first = first.filter(|first| rules.is_sound(&format!("/{first}/field")));
        if let Some(first) = first {
            twice(column, n, first, rules);
        }
    }
}

fn twice(column: &Column, n: usize, first: usize, rules: &mut Rules<'_>) {
    let message = format!("the field `{}` is a column already", column.field);
    let problem = Problem::error(Code::Duplicate.as_str(), format!("/{n}/field"), message);
    let span = rules.span(&format!("/{first}/field"));
    let related = span.map(|span| Related { span, label: "first here".to_owned() });
    let problem = Problem { related: related.into_iter().collect(), ..problem };
    rules.report(problem.hint("name each field once".to_owned()));
}
