//! Params and literal inputs, down to their last part: each problem at its place, all at once.

use super::{around, compiled, shown};

/// The problems of one step, whose text begins at line 7, column 5 of the playbook.
fn check(rest: &str, expect: &[&str]) {
    let text = around(&format!(
        "  - name: s\n    step_type: tool\n    {}\n",
        rest.replace('\n', "\n    ")
    ));
    let told: Vec<String> = compiled(&text).errors().map(shown).collect();
    assert_eq!(told, expect, "{text}");
}

#[test]
fn f_051_every_part_of_an_operation_is_checked_at_its_place() {
    check(
        "action: transform_data\ninputs: {data: [{a: 1}]}\noperations:\n  - {type: limit, count: -3}\n  - {type: filtr}\n  - {field: a}\n  - type: filter\n    field: a\n    operator: gtt\n    value: 1\n    direction: asc\n  - sort",
        &[
            "P006 12:30 2 `count` must be a whole number, 0 or more, found -3",
            "P005 13:16 5 `type` must be one of `filter`, `sort`, `aggregate`, `deduplicate`, `limit`, found `filtr` | did you mean `filter`?",
            "P013 14:9 1 entry 3 of `operations` has no `type`",
            "P005 17:19 3 `operator` must be one of `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `contains`, `in`, found `gtt` | did you mean `gte`?",
            "P002 19:9 9 entry 4 of `operations` has no key `direction` | `direction` is a key of `type: sort`",
            "P014 20:9 4 entry 5 of `operations` must be a mapping, found a string",
        ],
    );
}

#[test]
fn f_051_an_operation_is_checked_as_a_whole() {
    check(
        "action: transform_data\ninputs: {data: [{a: 1}]}\noperations:\n  - {type: filter, field: a, operator: in, value: 1}\n  - {type: aggregate, function: sum}\n  - {type: limit}\n  - {type: deduplicate, field: a, fields: [a]}",
        &[
            "P014 12:55 1 the operator `in` needs a list as `value`",
            "P013 13:9 1 `sum` needs a `field`",
            "P013 14:9 1 `count` is missing",
            "P006 15:36 1 name the fields once, under `fields`",
        ],
    );
}

#[test]
fn k_52_a_variable_in_a_part_of_a_param_has_the_type_asked_for() {
    let step = "action: transform_data\ninputs: {data: [{a: 1}]}\noperations:\n";
    let with = |operations: &str| format!("{step}{operations}");
    check(&with("  - {type: limit, count: \"{year}\"}"), &[]);
    check(&with("  - {type: filter, field: a, operator: eq, value: \"{who}\"}"), &[]);
    check(&with("  - {type: filter, field: \"{who}\", operator: in, value: \"{who}\"}"), &[]);
    check(
        &with(
            "  - {type: limit, count: \"{who}\"}\n  - {type: sort, field: \"{year}\"}\n  - {type: limit, count: \"1{year}\"}",
        ),
        &[
            "P014 12:30 7 `count` takes integer, this is string",
            "P014 13:29 8 `field` takes string, this is number",
            "P014 14:30 9 `count` takes integer, this is string",
        ],
    );
}

#[test]
fn f_053_a_destination_is_checked_with_its_config() {
    check(
        "action: route_output\ninputs: {data: x}\nparams:\n  destinations:\n    - {type: data_workspace_table, format: cvs, config: {tabel_name: t}}\n    - {type: document, condition: \"a >\", transforms: [{type: limit, count: -1}]}\n    - {type: chat, config: {title: \"{{entity_name}}\"}}\n    - {type: data_workspace_table, config: {table_name: \"{who}\"}}",
        &[
            "P005 13:48 3 `format` must be one of `markdown`, `json`, `csv`, `structured`, found `cvs` | did you mean `csv`?",
            "P013 13:61 1 `config` has no `table_name` | is `tabel_name` meant to be `table_name`?",
            "P002 13:62 10 `config` has no key `tabel_name` | did you mean `table_name`?",
            "P021 14:39 5 expected a value: `{reference}`, 'text', a number, true, false, null or a list, found `a` | write `{a}` for a reference, `'a'` for a text",
            "P006 14:80 2 `count` must be a whole number from 0 to 1000000, found -1",
        ],
    );
    check(
        "action: route_output\ninputs: {data: x}\nparams: {destinations: []}",
        &["P006 11:28 1 `destinations` must have 1 to 50 entries, found 0"],
    );
}

#[test]
fn f_045_f_046_what_is_asked_of_the_web_is_checked() {
    check(
        "action: search_web\ninputs: {query: \" \"}\nparams: {max_results: 51, categories: [news, \"a&b\", 7]}",
        &[
            "P006 10:21 3 `query` is empty",
            "P006 11:27 2 `max_results` must be a whole number from 1 to 50, found 51",
            "P006 11:50 5 entry 2 of `categories` must be a word of at most 50 letters, digits, spaces, `_` and `-`",
        ],
    );
    check(
        "action: crawl_url\ninputs: {url: \"https://a.example\"}\nparams: {extract_mode: html}",
        &[
            "P005 11:28 4 `extract_mode` must be one of `text`, `markdown`, `structured`, found `html`",
        ],
    );
}

#[test]
fn f_047_f_048_f_049_what_finds_and_matches_entities_is_checked() {
    check(
        "action: extract_entities\ninputs: {data: [{n: A}]}\nparams:\n  entity_types: 7\n  strategy: rule\n  relationship_type: OFFICER\n  rules: [{field: n, kind: ORG}, {entity_type: ORG}]",
        &[
            "P014 12:21 1 `entity_types` must be a string or a list, found 7",
            "P005 13:17 4 `strategy` must be one of `auto`, `rules`, found `rule` | did you mean `rules`?",
            "P006 14:26 7 `relationship_type` is not a relationship of the graph | did you mean `OFFICER_OF`?",
            "P002 15:26 4 entry 1 of `rules` has no key `kind` | known keys are `field`, `entity_type`, `relationship_type`",
            "P013 15:38 1 entry 2 of `rules` has no `field`",
        ],
    );
    for action in ["resolve_entities", "match_entities"] {
        check(
            &format!(
                "action: {action}\ninputs: {{entities: [{{name: A}}]}}\nparams: {{threshold: 85, strategy: near}}"
            ),
            &[
                "P006 11:25 2 `threshold` must be a number from 0.0 to 1.0, found 85",
                "P005 11:39 4 `strategy` must be one of `exact`, `fuzzy`, found `near`",
            ],
        );
    }
    check(
        "action: cross_reference\ninputs: {dataset_a: [{name: A}], dataset_b: [{name: A}]}\nparams: {match_threshold: -1, match_strategy: ml}",
        &[
            "P006 11:31 2 `match_threshold` must be a number from 0.0 to 1.0, found -1",
            "P005 11:51 2 `match_strategy` must be one of `exact`, `fuzzy_name`, `external_id`, found `ml`",
        ],
    );
}

#[test]
fn f_052_f_065_f_066_f_072_what_writes_and_tells_is_checked() {
    check(
        "action: save_to_workspace\ninputs: {data: [{a: 1}]}\nparams: {table_name: a#b, upsert_key: [a, [b]]}",
        &[
            "P006 11:26 3 `table_name` must be 1 to 100 letters, digits, `_` and `-`",
            "P014 11:47 1 entry 2 of `upsert_key` must be a string, found a list",
        ],
    );
    check(
        "action: query_journal\nparams: {limit: -3}",
        &["P006 10:21 2 `limit` must be a whole number from 1 to 100, found -3"],
    );
    check(
        "action: write_journal_entry\ninputs: {summary: \"\"}",
        &["P006 10:23 2 `summary` is empty"],
    );
    check(
        "action: send_notification\ninputs: {message: hi}\nparams: {priority: soon, action_url: \"javascript:alert(1)\"}",
        &[
            "P005 11:24 4 `priority` must be one of `low`, `normal`, `high`, `urgent`, found `soon`",
            "P006 11:42 21 `action_url` must be an https address or a path of this deployment",
        ],
    );
}

#[test]
fn f_075_f_080_f_083_f_084_files_and_to_dos_are_checked() {
    check(
        "action: delete_file\ninputs: {document_id: a.md}\nparams: {confirm: false}",
        &["P005 11:23 5 `confirm` must be `true`: the file is removed"],
    );
    check(
        "action: read_file\ninputs: {path: a.md, scope: team_docs, team_id: t}",
        &[
            "P005 10:33 9 `scope` cannot be `team_docs`: teams have no files | use `my_docs`",
            "P006 10:53 1 `team_id` cannot be given: teams have no files | leave it out",
        ],
    );
    check(
        "action: create_todo\ninputs: {title: a}\nparams: {deadline: soon, tags: [a b], priority: D}",
        &[
            "P006 11:24 4 `deadline` must be a day, such as `2026-11-25`",
            "P006 11:37 3 entry 1 of `tags` must be 1 to 50 letters, digits, `_`, `@`, `#` and `%`",
            "P005 11:53 1 `priority` must be one of `A`, `B`, `C`, found `D`",
        ],
    );
    check(
        "action: patch_file\ninputs: {document_id: a.md, edits: [{operation: replace, content: a}]}",
        &["P013 10:41 1 entry 1 of `edits` has no `target`"],
    );
    check(
        "action: patch_file\ninputs: {document_id: a.md, edits: [{operation: remove, content: a}, {operation: append, target: b, content: a}]}",
        &[
            "P005 10:53 6 `operation` must be one of `append`, `prepend`, `replace`, `insert`, found `remove`",
            "P002 10:94 6 entry 2 of `edits` has no key `target` | `target` is a key of `operation: replace`",
        ],
    );
}
