//! `for_each`: one call for each item of a list, signed together.

mod items;
mod result;

use super::{around, bindings, compiled, problems, registry, shown, step, valid};
use crate::{Bindings, CompileContext, ForEach, PlaybookSource, StepKind, compile};

/// A step that reads people.
const READ: &str = "  - {name: people, step_type: tool, action: call_connector, connector: irs-990-xml, endpoint: officers, output_key: rows, inputs: {year: 2024}}\n";

/// A letter to each of them.
fn post(for_each: &str, rest: &str) -> String {
    format!(
        "{READ}  - {{name: post, step_type: tool, action: call_connector, connector: letters, endpoint: send, for_each: {for_each}, {rest}}}\n"
    )
}

#[track_caller]
fn check(steps: &str, expect: &[&str]) {
    let notes = ["P102", "P106"];
    let mut got = problems(&around(steps));
    got.retain(|problem| !notes.iter().any(|note| problem.starts_with(note)));
    assert_eq!(got, expect, "{steps}");
}

/// What is said of `for_each` where everything else is right.
#[track_caller]
fn check_each(for_each: &str, expect: &[&str]) {
    check(&post(for_each, "inputs: {to: a}"), expect);
}

fn each(playbook: &str) -> ForEach {
    step(&valid(&around(playbook)), "post").for_each.clone().unwrap()
}

#[test]
fn f_146_what_is_left_out_has_its_default_and_references_are_canonical() {
    let read = each(&post("{in: \"{rows.results}\"}", "inputs: {to: \"{item.name}\"}"));
    let expect = ForEach {
        list: "people.results".to_owned(),
        item: "item".to_owned(),
        key: None,
        parallel: 1,
        max: 100,
    };
    assert_eq!(read, expect);
    let all =
        "{in: rows.results, as: one, key: \"{rows.count}-{one.name}\", parallel: 10, max: 1000}";
    let read = each(&post(all, "inputs: {to: \"{one.name}\"}"));
    let expect = ForEach {
        item: "one".to_owned(),
        key: Some("{people.count}-{one.name}".to_owned()),
        parallel: 10,
        max: 1000,
        ..expect
    };
    assert_eq!(read, expect);
}

#[test]
fn a_step_with_for_each_survives_json_and_changes_the_digest() {
    let playbook = valid(&around(&post("{in: rows.results}", "inputs: {to: \"{item.name}\"}")));
    let json = serde_json::to_value(&playbook).unwrap();
    let again: crate::ValidPlaybook = serde_json::from_value(json).unwrap();
    assert_eq!(again, playbook);
    let StepKind::Action { inputs, irreversible, .. } = &step(&playbook, "post").kind else {
        unreachable!("it is an action")
    };
    assert_eq!((&inputs["to"], *irreversible), (&"{item.name}".into(), true));
    let other =
        valid(&around(&post("{in: rows.results, max: 99}", "inputs: {to: \"{item.name}\"}")));
    assert_ne!(other.digest, playbook.digest);
}

#[test]
fn every_mistake_of_the_mapping_is_told_at_once() {
    check_each(
        "{inn: rows.results, as: 1st, parallel: 11, max: 0, key: 7}",
        &[
            "P002 inn: `for_each` has no key `inn` | did you mean `in`?",
            "P003 inn: `for_each` has no `in` | is `inn` meant to be `in`?",
            "P007 1st: `1st` is not a name that references can use | use a letter, then letters, digits, `_` and `-`, at most 64",
            "P006 11: `parallel` must be a whole number from 1 to 10, found 11",
            "P006 0: `max` must be a whole number from 1 to 1000, found 0",
            "P004 7: `key` must be a string, found 7 | put it in quotes: \"7\"",
        ],
    );
    check_each(
        "{in: rows.results, parallel: two}",
        &["P004 two: `parallel` must be a whole number from 1 to 10, found a string"],
    );
}

#[test]
fn what_is_not_a_mapping_is_told_how_to_be_one() {
    check_each(
        "\"{rows.results}\"",
        &[
            "P004 \"{rows.results}\": `for_each` must be a mapping, found a string | write `for_each: {in: \"{rows.results}\"}`",
        ],
    );
    check_each(
        "[rows.results]",
        &[
            "P004 [: `for_each` must be a mapping, found a list | write `for_each: {in: \"{step.results}\"}`",
        ],
    );
    check_each(
        "~",
        &[
            "P004 for_each: `for_each` must be a mapping, found nothing | write `for_each: {in: \"{step.results}\"}`",
        ],
    );
    check_each(
        "{in: {rows.results}}",
        &[
            "P004 {: `in` must be a string, found a mapping | a brace begins a mapping: put it in quotes: \"{rows.results}\"",
        ],
    );
    check_each(
        "{in: rows.results, key: {item.name}}",
        &[
            "P004 {: `key` must be a string, found a mapping | a brace begins a mapping: put it in quotes: \"{item.name}\"",
        ],
    );
}

#[test]
fn the_list_is_one_reference_to_a_list() {
    check_each(
        "{in: \"\"}",
        &["P003 \"\": `in` is empty | name the list: `in: \"{step.results}\"`"],
    );
    check_each(
        "{in: \"all {rows.results}\"}",
        &["P020 : unexpected ` ` | write one reference, such as `step.results`"],
    );
    check_each(
        "{in: rows}",
        &["P014 rows: `in` takes a list, this is record | use `{rows.results}`"],
    );
    check_each(
        "{in: \"{rows.count}\"}",
        &["P014 \"{rows.count}\": `in` takes a list, this is integer"],
    );
    check_each(
        "{in: \"{rows.reslts}\"}",
        &[
            "P016 \"{rows.reslts}\": `{rows.reslts}`: there is no field `reslts` | did you mean `results`?",
        ],
    );
    check_each(
        "{in: \"{row.results}\"}",
        &["P015 \"{row.results}\": there is no step or input `row` | did you mean `rows.results`?"],
    );
    check_each("{in: \"{rows.results[*].name}\"}", &[]);
    check_each(
        "{in: \"{post.results}\"}",
        &[
            "P018 \"{post.results}\": these steps need each other: post → post | break the circle: let one of them use an input or a literal",
        ],
    );
    check_each(
        "{in: \"{item.rows}\"}",
        &[
            "P015 \"{item.rows}\": `{item.rows}` is an item of this very list | name the result of an earlier step or an input of the playbook",
        ],
    );
    let list = around(&post("{in: numbers}", "inputs: {to: \"{item}\"}")).replace(
        "{name: year, type: number}",
        "{name: year, type: number}\n  - {name: numbers, type: list}",
    );
    assert!(compiled(&list).is_valid());
}

#[test]
fn several_results_are_not_a_list() {
    let both = "  - {name: both, step_type: tool, action: parallel, parallel_steps: [{name: a, step_type: tool, action: query_journal}]}\n";
    check(
        &format!("{both}{}", post("{in: both}", "inputs: {to: a}")),
        &["P020 both: `{both}` holds the results of several steps | name one of them: `{both.a}`"],
    );
    check(&format!("{both}{}", post("{in: both.a.entries}", "inputs: {to: a}")), &[]);
}

#[test]
fn k_10_only_calls_that_are_signed_have_it() {
    let read = format!(
        "{READ}{}",
        READ.replace("name: people", "name: more")
            .replace("output_key: rows, ", "for_each: {in: rows.results}, ")
    );
    check(
        &read,
        &[
            "P026 for_each: `for_each` is for calls that are signed, and this endpoint needs no signature | leave `for_each` out: an endpoint that only reads is called once in a step",
        ],
    );
    let sort = format!(
        "{READ}  - {{name: t, step_type: tool, action: transform_data, for_each: {{in: rows.results}}, inputs: {{data: \"{{rows.results}}\"}}}}\n"
    );
    check(
        &sort,
        &[
            "P026 for_each: `for_each` is for calls that are signed, and `transform_data` needs no signature | leave `for_each` out and wire the whole list",
        ],
    );
    let unknown = sort.replace("action: transform_data", "action: transform_dat");
    check(
        &unknown,
        &[
            "P010 transform_dat: there is no action `transform_dat` | did you mean `transform_data`?",
        ],
    );
}

/// Whether a call of `endpoint` may have `for_each`, where these are known.
#[track_caller]
fn check_saved(endpoint: &str, known: Option<&Bindings>, bound: Option<&Bindings>, valid: bool) {
    let (registry, text) = (
        registry(),
        around(&format!(
            "  - {{name: s, step_type: tool, action: call_connector, {endpoint}, for_each: {{in: names}}, inputs: {{to: \"{{item}}\", year: 1}}}}\n"
        )),
    );
    let text = text.replace("{name: year, type: number}", "{name: names, type: list}");
    let mut world = CompileContext::of(&registry);
    world = bound.map_or(world, |bound| world.with(bound));
    world = known.map_or(world, |known| world.knowing(known));
    let compiled = compile(&PlaybookSource::new("test.yaml", &text), &world);
    let said: Vec<String> =
        compiled.errors().map(shown).filter(|one| one.starts_with("P026")).collect();
    assert_eq!(said.is_empty(), valid, "{said:?}");
}

#[test]
fn k_10_where_nobody_knows_the_endpoint_a_call_is_signed() {
    let (known, none) = (bindings(), Bindings::none());
    let (send, read) =
        ("connector: letters, endpoint: send", "connector: irs-990-xml, endpoint: grants");
    check_saved(send, None, None, true);
    check_saved(read, None, None, true);
    // Whoever saves it is told by the connectors they have.
    check_saved(read, Some(&known), None, false);
    check_saved(send, Some(&known), None, true);
    check_saved(read, Some(&none), None, true);
    // What the agent has bound decides when it runs.
    check_saved(read, None, Some(&known), false);
    check_saved(send, None, Some(&known), true);
}

#[test]
fn other_kinds_of_steps_are_told_where_it_belongs() {
    let at =
        |step: &str| format!("{READ}  - {{name: s, for_each: {{in: rows.results}}, {step}}}\n");
    check(
        &at("step_type: approval, prompt: Go on?"),
        &[
            "P026 for_each: `for_each` belongs to tool steps | write it at the step whose calls this gate signs",
        ],
    );
    check(
        &at(
            "step_type: tool, action: parallel, parallel_steps: [{name: a, step_type: tool, action: query_journal}]",
        ),
        &[
            "P026 for_each: `for_each` belongs to tool steps | write it at a step under `parallel_steps`",
        ],
    );
    check(
        &at(
            "step_type: llm_task, action: judge, inputs: {text: a}, output_schema: {type: scalar, fields: [{name: v, type: string}]}",
        ),
        &[
            "P026 for_each: `for_each` belongs to tool steps | wire the whole list: a model takes it at once",
        ],
    );
    let foreach = post("{in: rows.results}", "inputs: {to: a}").replace("for_each:", "foreach:");
    check(
        &foreach,
        &["P002 foreach: entry 2 of `steps` has no key `foreach` | did you mean `for_each`?"],
    );
}

#[test]
fn a_call_that_takes_longer_than_an_invocation_is_refused() {
    let each = |seconds: u32| {
        post("{in: rows.results}", &format!("timeout_seconds: {seconds}, inputs: {{to: a}}"))
    };
    check(&each(240), &[]);
    check(
        &each(241),
        &[
            "P006 241: `timeout_seconds` must be a whole number from 1 to 240 with `for_each`, found 241",
        ],
    );
    check(&each(296).replace("for_each: {in: rows.results}, ", ""), &[]);
}
