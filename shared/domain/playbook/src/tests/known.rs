//! What is known before a run beside the text: fields of records, people, names that were meant.

use super::around;
use super::links::{READ, USE, check, check_items};

#[test]
fn f_161_a_field_that_no_record_has_is_refused_where_it_is_written() {
    let transform = |from: &str, operations: &str| {
        format!("transform_data, inputs: {{data: \"{from}\"}}, operations: {operations}")
    };
    check_items(
        &transform(
            "{rows.results}",
            "[{type: sort, field: compensatoin}, {type: deduplicate, field: [name, ein]}]",
        ),
        &[
            "P016 compensatoin: the records have no field `compensatoin` | did you mean `compensation`?",
            "P016 ein: the records have no field `ein` | the fields are `name`, `compensation`",
        ],
    );
    check_items(&transform("{rows.results}", "[{type: sort, field: \"{who}\"}]"), &[]);
}

#[test]
fn f_161_fields_stay_known_behind_a_filter_whose_value_is_a_variable() {
    let sorted = |operation: &str| {
        format!(
            "  - {{name: some, step_type: tool, action: transform_data, inputs: {{data: \"{{rows.results}}\"}}, operations: [{operation}]}}\n  - {{name: t, step_type: tool, action: transform_data, inputs: {{data: \"{{some.data}}\"}}, operations: [{{type: sort, field: compensatoin}}]}}\n"
        )
    };
    let expect = "P016 compensatoin: the records have no field `compensatoin` | did you mean `compensation`?";
    check(&sorted("{type: filter, field: name, operator: eq, value: \"{who}\"}"), &[expect]);
    // A field that only the run knows: nothing can be said of what follows.
    check(&sorted("{type: aggregate, group_by: \"{who}\", function: count}"), &[]);
}

#[test]
fn f_161_what_a_step_leaves_of_its_records_is_known_to_the_next() {
    let total = "  - {name: total, step_type: tool, action: transform_data, inputs: {data: \"{rows.results}\"}, operations: [{type: aggregate, group_by: name, function: sum, field: compensation, as: pay}]}\n";
    let sorted = |field: &str| {
        format!(
            "{total}  - {{name: t, step_type: tool, action: transform_data, inputs: {{data: \"{{total.data}}\"}}, operations: [{{type: sort, field: {field}}}]}}\n"
        )
    };
    check(&sorted("pay"), &[]);
    check(
        &sorted("compensation"),
        &[
            "P016 compensation: the records have no field `compensation` | the fields are `name`, `pay`",
        ],
    );
    let gate = |field: &str| {
        format!(
            "{total}  - {{name: look, step_type: approval, prompt: Go on?, preview_from: \"total.data\", preview_columns: [{{field: {field}}}]}}\n"
        )
    };
    check(&gate("pay"), &[]);
    let compiled = super::compiled(&around(&format!("{READ}{}{USE}", gate("pey"))));
    let column =
        compiled.diagnostics.iter().find(|found| found.code.as_str() == "P109").map(super::shown);
    assert_eq!(
        column.as_deref(),
        Some("P109 9:109 3 the rows of `total.data` have no field `pey` | did you mean `pay`?"),
    );
}

#[test]
fn a_reference_without_quotes_is_told_from_a_mapping() {
    let step = |inputs: &str| {
        format!(
            "  - {{name: t, step_type: tool, action: call_connector, connector: irs-990-xml, endpoint: officers, inputs: {inputs}}}\n"
        )
    };
    check(
        &step("{year: {rows.count}}"),
        &[
            "P020 {: `{rows.count}` without quotes is a mapping, not a reference | write `\"{rows.count}\"`",
        ],
    );
    check(
        "  - {name: t, step_type: tool, action: send_notification, inputs: {message: {who}}}\n",
        &["P020 {: `{who}` without quotes is a mapping, not a reference | write `\"{who}\"`"],
    );
}

#[test]
fn an_approver_who_cannot_sign_is_warned_of_where_people_are_known() {
    let text = around(&format!(
        "{READ}{USE}  - {{name: ask, step_type: approval, prompt: Go on?, approvers: [ada, mallory]}}\n"
    ));
    let registry = countersign_registry::Registry::builtin();
    let cannot_sign = [("mallory".to_owned(), "is not in the directory".to_owned())].into();
    let world = crate::CompileContext::of(&registry).asking(&cannot_sign);
    let compiled = crate::compile(&crate::PlaybookSource::new("p.yaml", &text), &world);
    let found = compiled.diagnostics.iter().find(|found| found.code.as_str() == "P111").unwrap();
    assert_eq!(&text[found.place.start..found.place.end], "mallory");
    assert_eq!(found.message, "`mallory` is not in the directory, and cannot sign");
    assert!(compiled.playbook.is_some());
}
