//! The rows that the gate's author chose to show, with the columns first that the author named.

use countersign_approval::Column;
use countersign_letter::formatted;
use serde_json::Value;

use super::{items, visible};

/// A line for each row; nothing when there are none.
pub(super) fn lines(request: &Value) -> Vec<String> {
    let Some(preview) = request.get("preview").filter(|preview| !preview["shown"].is_null()) else {
        return Vec::new();
    };
    let shown = &preview["shown"];
    let rows = shown.as_array().map_or(std::slice::from_ref(shown), Vec::as_slice);
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = request.pointer("/layout/columns").map_or(&[][..], items).iter();
    // One that this command does not know leaves its field among the others.
    let columns: Vec<Column> =
        columns.filter_map(|column| serde_json::from_value(column.clone()).ok()).collect();
    let total = preview["total"].as_u64().unwrap_or(rows.len() as u64);
    let heading = format!("Rows ({} of {total}):", rows.len());
    let line = |(n, row)| format!("  {}. {}", n + 1, visible(&one_line(row, &columns)));
    let each = rows.iter().enumerate().map(line);
    [String::new(), heading].into_iter().chain(each).collect()
}

/// `Amount: 12.00 EUR (12), vendor: Acme`; what is not an object as JSON.
fn one_line(row: &Value, columns: &[Column]) -> String {
    let Some(fields) = row.as_object() else { return plain(row) };
    let named = |name: &str| columns.iter().any(|column| column.field == name);
    let laid_out = columns.iter().filter_map(|column| cell(row, column));
    let rest = fields.iter().filter(|(name, _)| !named(name));
    let rest = rest.map(|(name, value)| format!("{name}: {}", plain(value)));
    laid_out.chain(rest).collect::<Vec<_>>().join(", ")
}

/// A value under the name that the author gave it, written as its column says, with the value itself beside it; none when
/// the row does not have it.
fn cell(row: &Value, column: &Column) -> Option<String> {
    let value = row.get(&column.field).or_else(|| row.pointer(&pointer(&column.field)))?;
    let label = column.label.as_ref().unwrap_or(&column.field);
    let raw = plain(value);
    Some(match (formatted(&raw, column), &column.currency) {
        (Some(written), _) => format!("{label}: {written} ({raw})"),
        (None, Some(currency)) => format!("{label} ({currency}): {raw}"),
        (None, None) => format!("{label}: {raw}"),
    })
}

/// `/payee/lines/0/name` of `payee.lines[0].name`.
fn pointer(field: &str) -> String {
    let steps = field.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    steps.map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use countersign_approval::Column;
    use serde_json::{Value, json};

    use super::one_line;

    #[track_caller]
    fn check(row: &Value, columns: &Value, expect: &str) {
        let columns: Vec<Column> = serde_json::from_value(columns.clone()).unwrap();
        assert_eq!(one_line(row, &columns), expect);
    }

    #[test]
    fn f_146_named_columns_come_first_under_their_labels_and_nothing_is_hidden() {
        let row = json!({"vendor": "Acme", "amount": 12, "payee": {"lines": [{"name": "Ann"}]}});
        check(&row, &json!([]), r#"vendor: Acme, amount: 12, payee: {"lines":[{"name":"Ann"}]}"#);
        let columns = json!([
            {"field": "amount", "label": "Amount", "format": "money", "currency": "EUR"},
            {"field": "payee.lines[0].name", "label": "Payee"},
            {"field": "due"},
        ]);
        let expect = r#"Amount: 12.00 EUR (12), Payee: Ann, vendor: Acme, payee: {"lines":[{"name":"Ann"}]}"#;
        check(&row, &columns, expect);
        check(&json!(["a"]), &columns, r#"["a"]"#);
    }
}
