//! Any JSON value as rows a person can read.

mod cell;
pub(crate) mod flat;
mod pair;
mod strike_mark;
mod table;

use std::borrow::Cow;

use countersign_approval::{Layout, is_doubtful};
use serde_json::{Map, Value};

pub use cell::Cell;
pub use strike_mark::StrikeMark;
use table::Extent;
pub(crate) use table::HEADING_CHARACTERS;
pub use table::{Heading, Line, Role, Row, Table};
pub(crate) use table::{headings, named};

/// What will be acted upon: some rows of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The rows shown.
    pub table: Table,
    /// How many rows there are in all.
    pub total: u64,
    /// The number of the first row shown, from 1.
    pub first: u64,
    /// How many of all rows ask for a look, where that is known.
    pub all_doubtful: u64,
}

impl Preview {
    /// The rows of a value: the items of a list, of the only list in an object, or the value itself.
    #[must_use]
    pub fn rows_of(value: &Value) -> Vec<&Value> {
        rows(value)
    }

    /// The layout, without its currencies where a row names another one.
    #[must_use]
    pub fn layout_of<'l>(rows: &[&Value], layout: &'l Layout) -> Cow<'l, Layout> {
        table::agreed(rows, &flat::paths(rows), layout)
    }

    /// The first rows of `value`; `total` is the number of rows of the whole, of which `value` may be the head.
    #[must_use]
    pub fn head(value: &Value, layout: &Layout, limit: usize, total: Option<u64>) -> Self {
        let rows = rows(value);
        let total = total.unwrap_or(0).max(rows.len() as u64);
        let shown = rows.get(..limit.min(rows.len())).unwrap_or_default();
        let table = Table::of(shown, 1, layout, Extent::Head);
        Self { table, total, first: 1, all_doubtful: doubtful(&rows) }
    }

    /// One page of all rows of `value`; pages count from 1 and the last one answers for those behind it.
    #[must_use]
    pub fn page(value: &Value, layout: &Layout, page: u64, size: u64) -> Self {
        let rows = rows(value);
        let total = rows.len() as u64;
        let page = page.clamp(1, total.div_ceil(size).max(1));
        let first = (page - 1) * size + 1;
        let start = usize::try_from(first - 1).unwrap_or(usize::MAX).min(rows.len());
        let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX)).min(rows.len());
        let shown = rows.get(start..end).unwrap_or_default();
        let table = Table::of(shown, first, layout, Extent::Whole);
        Self { table, total, first, all_doubtful: doubtful(&rows) }
    }

    /// How many rows are shown.
    #[must_use]
    pub fn shown(&self) -> u64 {
        self.table.rows.len() as u64
    }

    /// The number of the last row shown.
    #[must_use]
    pub fn last(&self) -> u64 {
        (self.first + self.shown()).saturating_sub(1)
    }

    /// Whether some rows, fields, items of lists or characters are not shown.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.shown() < self.total || self.is_cut()
    }

    /// Whether some fields, items of lists or characters of the rows shown are left out.
    pub(crate) fn is_cut(&self) -> bool {
        let heading = |heading: &Heading| heading.label.cut() > 0;
        let line =
            |line: &Line| heading(&line.heading) || line.left.is_cut() || line.right.is_cut();
        let row = |row: &Row| row.cells.iter().any(Cell::is_cut) || row.lines.iter().any(line);
        self.table.fields_left_out + self.table.internal_left_out > 0
            || self.table.headings.iter().any(heading)
            || self.table.rows.iter().any(row)
    }

    /// Whether there is nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// What a table of it is called.
    #[must_use]
    pub fn caption(&self) -> String {
        let count = match (self.shown(), self.total) {
            (shown, total) if shown < total => format!("Showing {shown} of {total}"),
            (_, 1) => "The only row".to_owned(),
            (_, total) => format!("All {total} shown"),
        };
        let (shown, all) = (self.doubtful() as u64, self.all_doubtful);
        let doubtful = if all > shown { format!("{shown} of {all}") } else { shown.to_string() };
        match (shown, self.table.reordered) {
            (0, _) if all == 0 => count,
            (0, _) => format!("{count}; {all} doubtful among the others"),
            (_, true) => format!(
                "{count}, doubtful first: {doubtful}. Each row has its number in the order that is signed"
            ),
            (_, false) => format!("{count}; {doubtful} doubtful"),
        }
    }

    /// The same, of a value that is the head of rows among which so many ask for a look.
    #[must_use]
    pub fn with_doubtful(self, all: u64) -> Self {
        Self { all_doubtful: self.all_doubtful.max(all), ..self }
    }

    /// What of each row is not shown.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let fields = |count: usize, kind: &str| {
            (count > 0).then(|| format!("{count} {kind}{}", if count == 1 { "" } else { "s" }))
        };
        let parts = [
            fields(self.table.fields_left_out, "more field"),
            fields(self.table.internal_left_out, "internal field"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{} of each row not shown here.", parts.join(" and ")))
    }

    /// How many of the rows shown ask for a look.
    #[must_use]
    pub fn doubtful(&self) -> usize {
        self.table.rows.iter().filter(|row| row.doubtful).count()
    }
}

fn doubtful(rows: &[&Value]) -> u64 {
    rows.iter().filter(|row| is_doubtful(row)).count() as u64
}

/// The rows of a value: the items of a list, the items of the only list in an object, or the value itself.
fn rows(value: &Value) -> Vec<&Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().collect(),
        Value::Object(map) => match sole_list(map) {
            Some(items) => items.iter().collect(),
            None => vec![value],
        },
        _ => vec![value],
    }
}

fn sole_list(map: &Map<String, Value>) -> Option<&Vec<Value>> {
    let mut values = map.values();
    match (values.next(), values.next()) {
        (Some(Value::Array(items)), None) => Some(items),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
