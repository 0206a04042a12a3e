//! `preview_columns` of a gate.

use super::{around, problems, step, valid};
use crate::{ColumnFormat, PreviewColumn, StepKind};

fn gate(columns: &str) -> String {
    around(&format!(
        "  - name: ask\n    step_type: approval\n    prompt: Pay?\n    preview_columns:\n{columns}"
    ))
}

#[track_caller]
fn check(columns: &str, expect: &[&str]) {
    assert_eq!(problems(&gate(columns)), expect, "{columns}");
}

#[test]
fn f_146_columns_are_read_in_their_order() {
    let playbook = valid(&gate(
        "      - {field: amount, label: Amount, format: money, currency: EUR}\n      - {field: \"payee.lines[0].name\"}\n",
    ));
    let StepKind::Approval { preview_columns, .. } = &step(&playbook, "ask").kind else {
        unreachable!("it is a gate")
    };
    let column = |field: &str| PreviewColumn {
        field: field.to_owned(),
        label: None,
        format: ColumnFormat::Text,
        currency: None,
    };
    let amount = PreviewColumn {
        label: Some("Amount".to_owned()),
        format: ColumnFormat::Money,
        currency: Some("EUR".to_owned()),
        ..column("amount")
    };
    assert_eq!(*preview_columns, [amount, column("payee.lines[0].name")]);
    let again: crate::ValidPlaybook =
        serde_json::from_value(serde_json::to_value(&playbook).unwrap()).unwrap();
    assert_eq!(again, playbook);
}

#[test]
fn f_146_a_playbook_without_columns_keeps_its_digest() {
    let text = around("  - {name: ask, step_type: approval, prompt: Pay?}\n");
    let written = serde_json::to_string(&valid(&text)).unwrap();
    assert!(!written.contains("preview_columns"), "{written}");
}

#[test]
fn f_146_what_is_wrong_with_a_column_is_said_where_it_is() {
    let dotted = "write names of fields with dots between them, such as `payee.name`";
    let formats = "`format` must be one of `text`, `number`, `money`, `date`, `percent`";
    check(
        "      - {field: a, format: mony}\n      - {field: b, format: xyz}\n",
        &[
            &format!("P005 mony: {formats}, found `mony` | did you mean `money`?"),
            &format!("P005 xyz: {formats}, found `xyz` | leave it out to show the value as it is"),
        ],
    );
    check("      - {field: \"\"}\n", &[&format!("P020 \"\": `field` is empty | {dotted}")]);
    check(
        "      - {field: a..b}\n",
        &[&format!("P020 a..b: `a..b` has an empty part or spaces at an edge | {dotted}")],
    );
    check(
        "      - {field: \"{a.b}\"}\n",
        &[&format!("P020 \"{{a.b}}\": `{{a.b}}` is not the name of a field | {dotted}")],
    );
    check(
        "      - {feld: a}\n",
        &[
            "P002 feld: entry 1 of `preview_columns` has no key `feld` | did you mean `field`?",
            "P003 feld: entry 1 of `preview_columns` has no `field` | is `feld` meant to be `field`?",
        ],
    );
    check(
        "      - amount\n",
        &["P004 amount: entry 1 of `preview_columns` must be a mapping, found a string"],
    );
    check(
        "      - {field: a, currency: EUR}\n",
        &[
            "P026 EUR: `currency` belongs to the format `money` | write `format: money`, or leave the currency out",
        ],
    );
    check(
        "      - {field: a, format: money, currency: Euro}\n",
        &[
            "P005 Euro: `currency` must be three capital letters, found `Euro` | use the code of ISO 4217, such as `EUR`",
        ],
    );
}

#[test]
fn f_146_a_field_is_named_once() {
    let text = gate("      - {field: a}\n      - {field: b}\n      - {field: a, label: Again}\n");
    let compiled = super::compiled(&text);
    let [problem] = &compiled.diagnostics[..] else { panic!("{:?}", compiled.diagnostics) };
    assert_eq!(problem.message, "the field `a` is a column already");
    assert_eq!(problem.hint.as_deref(), Some("name each field once"));
    assert_eq!(problem.related[0].span.line + 2, problem.place.line);
}

#[test]
fn f_146_there_are_at_most_twelve_columns() {
    let of = |count: usize| -> String {
        (0..count).map(|n| format!("      - {{field: f{n}}}\n")).collect()
    };
    check(&of(12), &[]);
    check(
        &of(13),
        &[
            "P006 {: `preview_columns` must have at most 12 entries, found 13 | keep the columns that decide; a page shows the rest of a row below them",
        ],
    );
}
