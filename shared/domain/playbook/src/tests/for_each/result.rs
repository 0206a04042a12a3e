//! What a step with `for_each` gives back, and what uses it.

use countersign_registry::DataType;

use super::{READ, check, post};
use crate::tests::{around, bindings, problems, registry, step, valid};
use crate::{CompileContext, ForEach, OnError, graph, render};

/// A last step that uses what the letters gave back.
#[track_caller]
fn check_use(wired: &str, expect: &[&str]) {
    let used = format!(
        "  - {{name: note, step_type: tool, action: write_journal_entry, inputs: {{summary: \"Sent {wired}\"}}}}\n"
    );
    check(
        &format!(
            "{}{used}",
            post("{in: rows.results}", "output_key: sent, inputs: {to: \"{item.name}\"}")
        ),
        expect,
    );
}

#[test]
fn f_162_the_result_has_every_item_and_their_counts() {
    for part in [
        "results",
        "results[0].n",
        "results[*].key",
        "results[0].status",
        "results[0].message",
        "results[*].output.receipt",
        "count",
        "done",
        "failed",
        "unknown",
        "not_sent",
        "struck",
        "sent_before",
    ] {
        check_use(&format!("{{post.{part}}}"), &[]);
        check_use(&format!("{{sent.{part}}}"), &[]);
    }
    check_use(
        "{post.receipt}",
        &[
            "P016 {post.receipt}: `{post.receipt}`: `post` makes one call for each item | use `{post.results[*].output.receipt}`",
        ],
    );
    check_use(
        "{sent[0].receipt}",
        &[
            "P016 {sent[0].receipt}: `{sent[0].receipt}`: `post` makes one call for each item | use `{sent.results[0].output.receipt}`",
        ],
    );
    check_use(
        "{post.dnoe}",
        &["P016 {post.dnoe}: `{post.dnoe}`: there is no field `dnoe` | did you mean `done`?"],
    );
    check_use(
        "{post.results[0].output.recept}",
        &[
            "P016 {post.results[0].output.recept}: `{post.results[0].output.recept}`: there is no field `recept` | did you mean `receipt`?",
        ],
    );
    check_use(
        "{post.whatever}",
        &[
            "P016 {post.whatever}: `{post.whatever}`: there is no field `whatever` | the fields are `results`, `count`, `done`, `failed`, `unknown`, `not_sent`, `struck`, `sent_before`, `warnings`, `warning_count`",
        ],
    );
}

#[test]
fn f_162_through_a_parallel_step_too() {
    let post = post("{in: rows.results}", "inputs: {to: \"{item.name}\"}").replace(READ, "");
    let post = post.trim().trim_start_matches("- ");
    let both = format!(
        "{READ}  - {{name: both, step_type: tool, action: parallel, parallel_steps: [{post}]}}\n"
    );
    let used = |part: &str| {
        format!(
            "{both}  - {{name: note, step_type: tool, action: write_journal_entry, inputs: {{summary: \"Sent {{both.post.{part}}}\"}}}}\n"
        )
    };
    check(&used("done"), &[]);
    check(
        &used("receipt"),
        &[
            "P016 {both.post.receipt}: `{both.post.receipt}`: `post` makes one call for each item | use `{both.post.results[*].output.receipt}`",
        ],
    );
}

#[test]
fn an_answer_that_nobody_knows_has_anything() {
    let outputs = ForEach::outputs(DataType::Any);
    let names: Vec<&str> = outputs.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "results",
            "count",
            "done",
            "failed",
            "unknown",
            "not_sent",
            "struck",
            "sent_before",
            "warnings",
            "warning_count"
        ]
    );
    assert_eq!(outputs[0].data_type.to_string(), "record[]");
}

#[test]
fn the_list_counts_as_used_and_decides_about_failures() {
    let read = "{in: rows.results}";
    let playbook = around(&post(read, "inputs: {to: a}"));
    let unused: Vec<String> =
        problems(&playbook).into_iter().filter(|one| one.starts_with("P102")).collect();
    assert_eq!(unused, Vec::<String>::new());
    assert_eq!(step(&valid(&playbook), "people").on_error, OnError::Stop);
    let skip = playbook.replace("output_key: rows,", "output_key: rows, on_error: skip,");
    assert!(problems(&skip).iter().any(|one| one.starts_with("P104")), "{:?}", problems(&skip));
}

#[test]
fn f_167_the_graph_and_the_stages_show_it() {
    let text = around(&post(
        "{in: rows.results, key: \"{rows.count}-{item.name}\", parallel: 3}",
        "inputs: {to: \"{item.name}\"}",
    ));
    let playbook = valid(&text);
    let (registry, bindings) = (registry(), bindings());
    let graph = graph(&playbook, &CompileContext::of(&registry).with(&bindings));
    let edges: Vec<String> = graph
        .edges
        .iter()
        .map(|edge| format!("{} {} {} {}", edge.from, edge.to, edge.field, edge.data_type))
        .collect();
    assert_eq!(edges, ["people post results record[]", "people post count integer"]);
    assert_eq!(graph.nodes[1].for_each, step(&playbook, "post").for_each);
    let stages = render::stages(&playbook);
    assert!(stages.contains("for each of people.results, at most 100, 3 side by side"), "{stages}");
}

#[test]
fn k_50_a_failed_call_stops_the_rest_unless_something_else_is_written() {
    let each = "{in: rows.results}";
    let on_error = |steps: &str| step(&valid(&around(steps)), "post").on_error;
    assert_eq!(on_error(&post(each, "inputs: {to: a}")), OnError::Stop);
    assert_eq!(on_error(&post(each, "inputs: {to: a}, on_error: skip")), OnError::Skip);
    let once = post(each, "inputs: {to: a}").replace("for_each: {in: rows.results}, ", "");
    assert_eq!(on_error(&once), OnError::Skip, "nothing depends on a single last call");
}
