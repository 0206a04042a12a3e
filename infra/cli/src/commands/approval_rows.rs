//! The rows that the gate's author chose to show, with the columns first that the author named.

use countersign_approval::{Column, Layout, is_doubtful};
use countersign_letter::{Preview, formatted};
use serde_json::Value;

use super::marked::{self, fitted, is_short, quoted};
use super::{FACTORY, items, text};

/// A line for each row that fits one, else a line for each of its fields; doubtful rows first, as on the page. Nothing when there
/// are none.
pub(super) fn lines(request: &Value) -> Vec<String> {
    let shown = request.pointer("/preview/shown").unwrap_or(&Value::Null);
    let rows = Preview::rows_of(shown);
    if rows.is_empty() {
        return Vec::new();
    }
    let layout = layout(request);
    let caption = caption(request, shown, rows.len(), &layout);
    let layout = Preview::layout_of(&rows, &layout);
    let mut numbered: Vec<(usize, &Value)> = (1..).zip(rows.iter().copied()).collect();
    numbered.sort_by_key(|(_, row)| !is_doubtful(row));
    let each = numbered.into_iter().flat_map(|(n, row)| one(n, row, &layout.columns));
    let elsewhere = elsewhere(request, rows.len() as u64);
    [String::new(), caption].into_iter().chain(each).chain(elsewhere).collect()
}

/// The layout, without columns that this command does not know: their fields are among the others.
fn layout(request: &Value) -> Layout {
    let columns = request.pointer("/layout/columns").map_or(&[][..], items).iter();
    let known = columns.filter_map(|column| serde_json::from_value(column.clone()).ok());
    Layout { columns: known.collect() }
}

/// How many rows there are and how many of them are doubtful, as the page says it.
fn caption(request: &Value, shown: &Value, count: usize, layout: &Layout) -> String {
    let number = |field: &str| request.pointer(field).and_then(Value::as_u64);
    let preview = Preview::head(shown, layout, count, number("/preview/total"));
    let preview = preview.with_doubtful(number("/preview/doubtful").unwrap_or_default());
    format!("Rows. {}:", preview.caption())
}

/// Where the rows are that are not shown.
fn elsewhere(request: &Value, shown: u64) -> Option<String> {
    let total = request.pointer("/preview/total").and_then(Value::as_u64)?;
    let more = total.checked_sub(shown).filter(|more| *more > 0)?;
    let (run, step) = (text(request, "position.run")?, text(request, "preview.source")?);
    let at = format!("GET {FACTORY}/executions/{run}/outputs/{step}");
    Some(format!("  and {more} more: {}", marked::line(&at)))
}

/// `1. Amount: 12.00 EUR (12), vendor: "Acme"`.
fn one(n: usize, row: &Value, columns: &[Column]) -> Vec<String> {
    let mark = if is_doubtful(row) { " [doubtful]" } else { "" };
    let head = format!("  {n}.{mark}");
    let cells = cells(row, columns);
    let short: Vec<String> = cells.iter().map(Cell::on_a_line).collect();
    let line = format!("{head} {}", short.join(", "));
    if !cells.iter().any(Cell::has_lines) && is_short(&line) {
        return vec![line];
    }
    let below = cells.iter().flat_map(Cell::lines).map(|line| format!("     {line}"));
    std::iter::once(head).chain(below).collect()
}

/// A value of a row.
struct Cell<'v> {
    /// Its name or label; empty for a row that is not a record.
    before: String,
    /// The value written as its column says, where that differs.
    formatted: Option<String>,
    value: &'v Value,
}

impl Cell<'_> {
    fn on_a_line(&self) -> String {
        let value =
            self.value.as_str().map_or_else(|| marked::line(&self.value.to_string()), quoted);
        let value = match &self.formatted {
            Some(formatted) => format!("{formatted} ({value})"),
            None => value,
        };
        if self.before.is_empty() { value } else { format!("{}: {value}", self.before) }
    }

    fn has_lines(&self) -> bool {
        self.value.as_str().is_some_and(|text| text.contains('\n'))
    }

    /// On one line if it fits; else behind bars.
    fn lines(&self) -> Vec<String> {
        let line = self.on_a_line();
        if !self.has_lines() && is_short(&line) {
            return vec![line];
        }
        let before = (!self.before.is_empty()).then(|| format!("{}:", self.before));
        let before = fitted(before);
        let plain = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        before.into_iter().chain(marked::block(&plain)).collect()
    }
}

/// The values of a row, those of named columns first; what is not a record as one value.
fn cells<'v>(row: &'v Value, columns: &[Column]) -> Vec<Cell<'v>> {
    let Some(fields) = row.as_object() else {
        return vec![Cell { before: String::new(), formatted: None, value: row }];
    };
    let named = |name: &str| columns.iter().any(|column| column.field == name);
    let laid_out = columns.iter().filter_map(|column| cell(row, column));
    let rest = fields.iter().filter(|(name, _)| !named(name));
    let rest =
        rest.map(|(name, value)| Cell { before: marked::name(name), formatted: None, value });
    laid_out.chain(rest).collect()
}

/// A value under the name that the author gave it; none when the row does not have it.
fn cell<'v>(row: &'v Value, column: &Column) -> Option<Cell<'v>> {
    let value = row.get(&column.field).or_else(|| row.pointer(&pointer(&column.field)))?;
    let raw = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let formatted = formatted(&raw, column);
    let label = marked::line(column.label.as_ref().unwrap_or(&column.field));
    let before = match (&formatted, &column.currency) {
        (None, Some(currency)) => format!("{label} ({})", marked::line(currency)),
        _ => label,
    };
    Some(Cell { before, formatted, value })
}

/// `/payee/lines/0/name` of `payee.lines[0].name`.
fn pointer(field: &str) -> String {
    let steps = field.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    steps.map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
}

#[cfg(test)]
mod tests {
    use countersign_approval::Column;
    use serde_json::{Value, json};

    use super::{lines, one};

    #[track_caller]
    fn check(row: &Value, columns: &Value, expect: &[&str]) {
        let columns: Vec<Column> = serde_json::from_value(columns.clone()).unwrap();
        assert_eq!(one(1, row, &columns), expect);
    }

    #[test]
    fn f_146_named_columns_come_first_under_their_labels_and_nothing_is_hidden() {
        let row = json!({"vendor": "Acme", "amount": 12, "payee": {"name": "Ann"}});
        check(&row, &json!([]), &[r#"  1. vendor: "Acme", amount: 12, payee: {"name":"Ann"}"#]);
        let columns = json!([
            {"field": "amount", "label": "Amount", "format": "money", "currency": "EUR"},
            {"field": "payee.name", "label": "Payee"},
            {"field": "due"},
        ]);
        let expect = [
            "  1.",
            "     Amount: 12.00 EUR (12)",
            "     Payee: \"Ann\"",
            "     vendor: \"Acme\"",
            "     payee: {\"name\":\"Ann\"}",
        ];
        check(&row, &columns, &expect);
        check(&json!(["a"]), &columns, &[r#"  1. ["a"]"#]);
        check(&json!("a, b: 1"), &columns, &[r#"  1. "a, b: 1""#]);
    }

    #[test]
    fn no_value_and_no_name_of_a_row_passes_for_another_column() {
        let row = json!({"vendor": "Acme, amount: 12.00", "amount": 900_000});
        check(&row, &json!([]), &[r#"  1. vendor: "Acme, amount: 12.00", amount: 900000"#]);
        let row = json!({"vendor": "Acme\", amount: \"12", "amount: 1, x": "\u{61c}5 "});
        let expect = r#"  1. vendor: "Acme\", amount: \"12", "amount: 1, x": "[U+061C]5[space]""#;
        check(&row, &json!([]), &[expect]);
        let money = json!([{"field": "amount", "format": "money", "currency": "EUR"}]);
        let row = json!({"amount": "1.00 EUR (1)"});
        check(&row, &money, &[r#"  1. amount (EUR): "1.00 EUR (1)""#]);
    }

    #[test]
    fn a_text_of_several_lines_is_behind_bars() {
        let row = json!({"note": "Hi\nRows. All 0 shown:", "amount": 1});
        let expect =
            ["  1.", "     note:", "     | Hi", "     | Rows. All 0 shown:", "     amount: 1"];
        check(&row, &json!([]), &expect);
        let row = json!({"note": "x".repeat(90)});
        let (first, rest) = ("x".repeat(70), "x".repeat(20));
        let expect = ["  1.", "     note:", &format!("     | {first}"), &format!("     |+{rest}")];
        check(&row, &json!([]), &expect);
    }

    #[test]
    fn f_200_doubtful_rows_come_first_and_the_rest_is_said_to_be_elsewhere() {
        let rows = json!([{"n": "a"}, {"n": "b", "score": 0.4}, {"n": "c"}]);
        let request = json!({
            "position": {"run": "run_1", "step": "ask"},
            "preview": {"shown": rows, "total": 9, "count": 3, "doubtful": 2, "source": "read"},
        });
        let expect = "
Rows. Showing 3 of 9, doubtful first: 1 of 2. Each row has its number in the order that is signed:
  2. [doubtful] n: \"b\", score: 0.4
  1. n: \"a\"
  3. n: \"c\"
  and 6 more: GET /api/agent-factory/executions/run_1/outputs/read";
        assert_eq!(lines(&request).join("\n"), expect);
        assert!(lines(&json!({"preview": {"shown": null, "total": 0}})).is_empty());
    }

    #[test]
    fn a_currency_that_a_row_contradicts_is_not_written() {
        let columns = json!([{"field": "amount", "format": "money", "currency": "USD"}]);
        let request = json!({
            "layout": {"columns": columns},
            "preview": {"shown": [{"amount": 12.5, "currency": "EUR"}], "total": 1, "count": 1},
        });
        assert!(lines(&request).join("\n").contains("1. amount: 12.50 (12.5), currency: \"EUR\""));
    }
}
