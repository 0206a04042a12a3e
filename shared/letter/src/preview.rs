//! Any JSON value as a table a person can read.

use serde_json::{Map, Value};

use crate::text::Shown;

/// Columns beyond this number are named, not shown.
const COLUMN_LIMIT: usize = 24;
/// Characters of a cell in a preview.
const CELL_LIMIT: usize = 240;
/// Characters of a cell on the page of all rows.
const FULL_CELL_LIMIT: usize = 4_000;

/// The heading of a column.
pub type Column = Shown;

/// Rows of equal width.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The headings; empty when the value is not tabular.
    pub columns: Vec<Column>,
    /// The rows; each has as many cells as there are columns.
    pub rows: Vec<Vec<Shown>>,
    /// How many columns were left out.
    pub columns_cut: usize,
}

/// What will be acted upon: some rows of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The rows shown.
    pub table: Table,
    /// How many rows there are in all.
    pub total: u64,
    /// The number of the first row shown, from 1.
    pub first: u64,
}

impl Preview {
    /// The first rows of `value`; `total` is the number of rows of the whole, of which `value` may be the head.
    #[must_use]
    pub fn head(value: &Value, limit: usize, total: Option<u64>) -> Self {
        let rows = rows(value);
        let total = total.unwrap_or(0).max(rows.len() as u64);
        Self {
            table: table(rows.get(..limit.min(rows.len())).unwrap_or_default(), CELL_LIMIT),
            total,
            first: 1,
        }
    }

    /// One page of all rows of `value`; pages count from 1 and the last one answers for those behind it.
    #[must_use]
    pub fn page(value: &Value, page: u64, size: u64) -> Self {
        let rows = rows(value);
        let total = rows.len() as u64;
        let page = page.clamp(1, total.div_ceil(size).max(1));
        let start = usize::try_from((page - 1) * size).unwrap_or(usize::MAX).min(rows.len());
        let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX)).min(rows.len());
        Self {
            table: table(rows.get(start..end).unwrap_or_default(), FULL_CELL_LIMIT),
            total,
            first: (page - 1) * size + 1,
        }
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

    /// Whether some rows or columns are not shown.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.shown() < self.total
            || self.table.columns_cut > 0
            || self.table.rows.iter().flatten().any(|cell| cell.cut() > 0)
    }

    /// Whether there is nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

/// Something that cannot be taken back, with the arguments it will be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The step it belongs to.
    pub step: Shown,
    /// The action's name.
    pub action: Shown,
    /// The arguments, in order.
    pub arguments: Vec<(Shown, Shown)>,
    /// Whether it cannot be undone.
    pub irreversible: bool,
}

impl Effect {
    /// An effect with its arguments as JSON.
    #[must_use]
    pub fn new(step: &str, action: &str, arguments: &Value, irreversible: bool) -> Self {
        let pair =
            |(name, value): (&String, &Value)| (Shown::line(name), Shown::new(&flat(value), 1_000));
        let arguments = match arguments {
            Value::Object(map) => map.iter().take(40).map(pair).collect(),
            Value::Null => Vec::new(),
            other => vec![(Shown::line("value"), Shown::new(&flat(other), 1_000))],
        };
        Self { step: Shown::line(step), action: Shown::line(action), arguments, irreversible }
    }
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

fn table(rows: &[&Value], cell_limit: usize) -> Table {
    let names = column_names(rows);
    if names.is_empty() {
        let rows = rows.iter().map(|row| vec![Shown::new(&flat(row), cell_limit)]).collect();
        return Table { columns: vec![Shown::line("value")], rows, columns_cut: 0 };
    }
    let kept = names.get(..COLUMN_LIMIT.min(names.len())).unwrap_or_default();
    let cells = |row: &Value| {
        let cell =
            |name: &&str| Shown::new(&row.get(name).map(flat).unwrap_or_default(), cell_limit);
        if row.is_object() {
            kept.iter().map(cell).collect()
        } else {
            spread(row, kept.len(), cell_limit)
        }
    };
    Table {
        columns: kept.iter().map(|name| Shown::line(name)).collect(),
        rows: rows.iter().map(|row| cells(row)).collect(),
        columns_cut: names.len() - kept.len(),
    }
}

/// A row that is no object among rows that are: its text in the first column.
fn spread(row: &Value, width: usize, cell_limit: usize) -> Vec<Shown> {
    let mut cells = vec![Shown::default(); width];
    if let Some(first) = cells.first_mut() {
        *first = Shown::new(&flat(row), cell_limit);
    }
    cells
}

/// The names of all columns, in the order they are first met.
fn column_names<'a>(rows: &[&'a Value]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for name in rows.iter().filter_map(|row| row.as_object()).flat_map(Map::keys) {
        if seen.insert(name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// A value in one line: text as it is, an object as its fields (where a record came from stands on the page of all rows),
/// everything else as JSON.
fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(map) => {
            let told = |(name, field): (&String, &Value)| {
                let hidden = name.starts_with('_') || field.is_null();
                (!hidden).then(|| format!("{name}: {}", flat(field)))
            };
            map.iter().filter_map(told).collect::<Vec<_>>().join(" · ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::Preview;
    use serde_json::{Value, json};

    fn check(value: &Value, columns: &[&str], total: u64) {
        let preview = Preview::head(value, 10, None);
        let names: Vec<String> = preview
            .table
            .columns
            .iter()
            .map(|c| c.parts().iter().map(|p| p.text.clone()).collect())
            .collect();
        assert_eq!(names, columns, "{value}");
        assert_eq!(preview.total, total, "{value}");
        assert!(preview.table.rows.iter().all(|row| row.len() == columns.len()));
    }

    #[test]
    fn f_200_every_shape_becomes_a_table() {
        check(&json!([{"a": 1, "b": "x"}, {"b": null, "c": [1, 2]}]), &["a", "b", "c"], 2);
        check(&json!({"rows": [{"a": 1}, {"a": 2}]}), &["a"], 2);
        check(&json!(["x", "y"]), &["value"], 2);
        check(&json!([{"a": 1}, "loose"]), &["a"], 2);
        check(&json!({"a": 1, "b": 2}), &["a", "b"], 1);
        check(&json!("text"), &["value"], 1);
        check(&json!(null), &["value"], 0);
    }

    #[test]
    fn f_200_a_record_in_a_cell_is_told_field_by_field() {
        let record =
            json!({"name": "ANN LEE", "role": {"title": "CHAIR"}, "ein": null, "_source": "irs"});
        assert_eq!(super::flat(&record), "name: ANN LEE · role: title: CHAIR");
    }

    #[test]
    fn f_200_a_preview_is_cut_and_knows_it() {
        let rows: Vec<Value> = (0..512).map(|n| json!({ "n": n })).collect();
        let preview = Preview::head(&json!(rows), 10, None);
        assert_eq!((preview.shown(), preview.total, preview.is_partial()), (10, 512, true));
    }

    #[test]
    fn pages_cover_every_row_once_and_clamp() {
        let rows: Vec<Value> = (0..105).map(|n| json!({ "n": n })).collect();
        let rows = json!(rows);
        let spans: Vec<(u64, u64)> =
            (1..=3).map(|p| Preview::page(&rows, p, 50)).map(|p| (p.first, p.last())).collect();
        assert_eq!(spans, [(1, 50), (51, 100), (101, 105)]);
        assert_eq!(Preview::page(&rows, 99, 50).first, 101);
        assert_eq!(Preview::page(&rows, 0, 50).first, 1);
    }
}
