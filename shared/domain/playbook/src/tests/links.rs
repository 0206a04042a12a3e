//! The rules of section 12, one by one.

use super::{around, problems};

/// A step that reads filings, to build on.
pub(super) const READ: &str = "  - {name: filings, step_type: tool, action: call_connector, connector: irs-990-xml, endpoint: officers, output_key: rows, inputs: {year: 2024}}\n";
/// A last step that uses it.
pub(super) const USE: &str = "  - {name: used, step_type: tool, action: transform_data, inputs: {data: \"{rows.results}\"}}\n";

pub(super) fn check(steps: &str, expect: &[&str]) {
    let text = around(&format!("{READ}{steps}"));
    let got: Vec<String> = problems(&text).into_iter().filter(|p| !p.starts_with("P102")).collect();
    assert_eq!(got, expect, "{steps}");
}

pub(super) fn tool(name: &str, rest: &str) -> String {
    format!("  - {{name: {name}, step_type: tool, {rest}}}\n")
}

#[test]
fn f_160_required_inputs_resolve() {
    check(USE, &[]);
    check(
        &tool("t", "action: transform_data"),
        &["P013 t: `t` needs `data` (object[]) | add `data: \"{rows.results}\"` under `inputs`"],
    );
    check(
        &tool("t", "action: transform_data, inputs: {data: }"),
        &["P013 : `data` is required, but empty"],
    );
    check(&tool("t", "action: transform_data, inputs: {data: [{a: 1}]}"), &[]);
    check(
        &tool("t", "action: call_connector, connector: irs-990-xml, endpoint: officers"),
        &["P013 t: `t` needs `year` (integer) | add `year: \"{rows.count}\"` under `inputs`"],
    );
}

#[test]
fn f_161_types_fit() {
    check(
        &tool("t", "action: transform_data, inputs: {data: \"{rows}\"}"),
        &["P014 \"{rows}\": `data` takes object[], this is record | use `{rows.results}`"],
    );
    check(
        &tool("t", "action: transform_data, inputs: {data: \"{rows.count}\"}"),
        &["P014 \"{rows.count}\": `data` takes object[], this is integer"],
    );
    check(
        &tool("t", "action: send_notification, inputs: {message: \"{rows.results[*].name}\"}"),
        &[
            "P014 \"{rows.results[*].name}\": `message` takes string, this is string[] | use `{rows.results[*].name[0]}` for the first",
        ],
    );
    check(
        &tool("t", "action: send_notification, inputs: {message: \"{rows.results[0].name}\"}"),
        &[],
    );
    check(&tool("t", "action: send_notification, inputs: {message: \"{rows.count} people\"}"), &[]);
    check(
        &tool("t", "action: query_journal, inputs: {date_from: someday}"),
        &["P014 someday: `date_from` does not fit: expected date, found a text that is not a date"],
    );
    check(
        &tool(
            "t",
            "action: query_journal, inputs: {date_from: \"{30_days_ago}\", query: \"{who}\"}",
        ),
        &[],
    );
}

#[test]
fn f_161_conversions_are_warned_of() {
    check(
        &tool("t", "action: send_notification, inputs: {message: \"{rows.count}\"}"),
        &[
            "P101 \"{rows.count}\": `message` takes string, this is integer: it is written out as text",
        ],
    );
    check(
        &tool(
            "t",
            "action: save_to_workspace, inputs: {data: \"{rows.results}\"}, params: {upsert_key: name}",
        ),
        &["P101 name: `upsert_key` takes string[]; the literal is converted | write `[\"name\"]`"],
    );
    check(
        &tool("t", "action: query_journal, params: {limit: \"{year}\"}"),
        &[
            "P101 \"{year}\": `limit` takes integer, this is number: a number with a fraction is rejected at run time",
        ],
    );
}

#[test]
fn f_162_references_exist_come_earlier_and_have_the_field() {
    check(
        &tool("t", "action: transform_data, inputs: {data: \"{filing.results}\"}"),
        &[
            "P015 {filing.results}: there is no step or input `filing` | did you mean `filings.results`?",
        ],
    );
    check(
        &tool("t", "action: transform_data, inputs: {data: \"{rows.reslts}\"}"),
        &[
            "P016 {rows.reslts}: `{rows.reslts}`: there is no field `reslts` | did you mean `results`?",
        ],
    );
    check(
        &tool("t", "action: resolve_entities, inputs: {entities: \"{rows.results.name}\"}"),
        &[
            "P016 {rows.results.name}: `{rows.results.name}`: a record[] has no field `name` | write `[*].name` for that field of every item, or `[0].name` for the first",
        ],
    );
    let late =
        format!("{}{USE}", tool("t", "action: transform_data, inputs: {data: \"{used.data}\"}"));
    check(&late, &["P017 {used.data}: `used` comes after `t` | move `used` in front of `t`"]);
}

#[test]
fn f_163_circles_are_named() {
    let circle = format!(
        "{}{}",
        tool("a", "action: transform_data, inputs: {data: \"{b.data}\"}"),
        tool("b", "action: transform_data, inputs: {data: \"{a.data}\"}"),
    );
    let hint = "break the circle: let one of them use an input or a literal";
    check(&circle, &[&format!("P018 {{b.data}}: these steps need each other: a → b → a | {hint}")]);
    check(
        &tool("a", "action: transform_data, inputs: {data: \"{a.data}\"}"),
        &[&format!("P018 {{a.data}}: these steps need each other: a → a | {hint}")],
    );
    let three = format!(
        "{}{}{}",
        tool("a", "action: transform_data, inputs: {data: \"{c.data}\"}"),
        tool("b", "action: transform_data, inputs: {data: \"{a.data}\"}"),
        tool("c", "action: transform_data, inputs: {data: \"{b.data}\"}"),
    );
    check(
        &three,
        &[&format!("P018 {{c.data}}: these steps need each other: a → c → b → a | {hint}")],
    );
}

#[test]
fn f_164_connectors_are_bound_and_have_the_endpoint() {
    check(
        &tool("t", "action: call_connector, connector: irs-990-xm, endpoint: officers"),
        &[
            "P011 irs-990-xm: the connector `irs-990-xm` is not bound to the profile | did you mean `irs-990-xml`?",
        ],
    );
    check(
        &tool("t", "action: call_connector, params: {connector: irs-990-xml, endpoint: officer}"),
        &[
            "P012 officer: the connector `irs-990-xml` has no endpoint `officer` | did you mean `officers`?",
        ],
    );
    check(
        &tool("t", "action: call_connector, connector: \"{who}\", endpoint: officers"),
        &[
            "P004 \"{who}\": `connector` is written out, not filled in | what a playbook can reach is known before it runs",
        ],
    );
    check(
        &tool("t", "action: call_connector, connector: letters"),
        &["P013 t: `call_connector` needs `endpoint`"],
    );
    let text = format!("{}required_connectors: [crunchbase]\n", around(&format!("{READ}{USE}")));
    let hint = "bind it to the profile, or choose one that is bound";
    assert_eq!(
        problems(&text),
        [format!(
            "P011 crunchbase: the connector `crunchbase` is not bound to the profile | {hint}"
        )]
    );
}

#[test]
fn an_unknown_model_action_is_no_action() {
    let rest = "inputs: {text: hi}, output_schema: {type: scalar, fields: []}";
    check(
        &format!("  - {{name: t, step_type: llm_task, action: summarize, {rest}}}\n"),
        &["P010 summarize: there is no action `summarize`"],
    );
}

#[test]
fn k_52_params_take_variables_but_no_results() {
    check(
        &tool("t", "action: query_journal, params: {limit: \"{year}0\"}"),
        &["P014 \"{year}0\": `limit` takes integer, this is string"],
    );
    check(
        &tool(
            "t",
            "action: save_to_workspace, inputs: {data: \"{rows.results}\"}, params: {table_name: \"{rows.count}\"}",
        ),
        &[
            "P101 \"{rows.count}\": `table_name` takes string, this is integer: it is written out as text",
            "P019 {rows.count}: `{rows.count}` is a step's result, and params hold settings only | wire it under `inputs`, or use an input of the playbook",
        ],
    );
    check(
        &tool(
            "t",
            "action: save_to_workspace, inputs: {data: \"{rows.results}\"}, params: {table_name: \"people_{today}_{who}\"}",
        ),
        &[],
    );
}

#[test]
fn k_55_names_that_could_mean_two_things_are_refused() {
    let own = "give it a name of its own";
    check(
        &tool("rows", "action: query_journal"),
        &[&format!("P009 rows: `rows` is also a step: references could mean either | {own}")],
    );
    check(
        &tool("filings", "action: query_journal"),
        &[&format!("P008 filings: `filings` is the name of another step already | {own}")],
    );
    check(
        &tool("t", "action: query_journal, output_key: who"),
        &[&format!("P009 who: `who` is also an input: references could mean either | {own}")],
    );
    check(
        &tool("today", "action: query_journal"),
        &["P009 today: `today` is a variable of every run already"],
    );
    check(&tool("t", "action: query_journal, output_key: t"), &[]);
}

#[test]
fn k_58_no_model_in_deterministic_mode() {
    let task = "  - {name: t, step_type: llm_task, action: judge, inputs: {text: hi}, output_schema: {type: scalar, fields: []}}\n";
    let text = around(&format!("{READ}{USE}{task}"));
    let text = format!(
        "execution_mode: deterministic\noutput: {{summary_prompt: sum up, sections: [{{title: A, source: used.data}}]}}\n{text}"
    );
    assert_eq!(
        problems(&text).into_iter().filter(|p| !p.starts_with("P102")).collect::<Vec<_>>(),
        [
            "P022 sum up: a summary is written by a model, but `execution_mode` is `deterministic` | use `template` or `sections`".to_owned(),
            "P022 t: `t` calls a model, but `execution_mode` is `deterministic` | use `execution_mode: hybrid`, or a tool step".to_owned(),
        ]
    );
}

#[test]
fn k_11_auto_approve_only_where_nobody_waits_and_it_says_that_gates_ask_all_the_same() {
    for (context, code) in [
        ("interactive", "P024"),
        ("background", "P024"),
        ("scheduled", "P108"),
        ("monitor", "P108"),
    ] {
        let text = format!(
            "run_context: {context}\napproval_policy: auto_approve\n{}",
            around(&format!("{READ}{USE}"))
        );
        let codes: Vec<String> = problems(&text).iter().map(|p| p[..4].to_owned()).collect();
        assert_eq!(codes, [code], "{context}");
    }
}

#[test]
fn malformed_references_and_conditions_are_located() {
    check(
        &tool("t", "action: send_notification, inputs: {message: \"hi {who\"}"),
        &["P020 {: a `{` without its `}` | write `{{` for a brace"],
    );
    check(
        &tool("t", "action: query_journal, condition: \"{rows.count} = 3\""),
        &["P021 =: expected AND, OR or the end, found `=` | write `==` for equality"],
    );
    check(
        &tool("t", "action: query_journal, condition: \"{rows.coun} > 3 AND {nobody} is defined\""),
        &[
            "P016 rows.coun: `{rows.coun}`: there is no field `coun` | did you mean `count`?",
            "P015 nobody: there is no step or input `nobody` | use the name of an earlier step, of an input of the playbook, or a variable such as `today`",
        ],
    );
    check(
        "  - name: t\n    step_type: tool\n    action: query_journal\n    condition: {rows.count}\n",
        &[
            "P021 {: `condition` must be a string, found a mapping | a brace begins a mapping: put it in quotes: \"{rows.count}\"",
        ],
    );
}

pub(super) fn check_items(action: &str, expect: &[&str]) {
    check(&tool("t", &format!("action: {action}")), expect);
}

#[test]
fn what_an_action_would_refuse_behind_a_gate_is_refused_before_the_run() {
    let data = "inputs: {data: \"{rows.results}\"}";
    let transform = |operations: &str| format!("transform_data, {data}, operations: {operations}");
    check_items(
        &transform("[{type: filtr, field: a}]"),
        &[
            "P005 filtr: `type` must be one of `filter`, `sort`, `aggregate`, `deduplicate`, `limit`, found `filtr` | did you mean `filter`?",
        ],
    );
    check_items(
        &transform("[{type: sort, field: a, directoin: desc}, {field: a}]"),
        &[
            "P002 directoin: entry 1 of `operations` has no key `directoin` | did you mean `direction`?",
            "P013 {: entry 2 of `operations` has no `type`",
        ],
    );
    check_items(&transform("[{type: filter, field: compensation, operator: gte, value: 3}]"), &[]);
    let route = |destinations: &str| {
        format!("route_output, {data}, params: {{destinations: {destinations}}}")
    };
    check_items(
        &route("[{type: fax}, {type: chat, format: pdf}]"),
        &[
            "P005 fax: `type` must be one of `document`, `folder`, `append_to_existing`, `data_workspace_table`, `data_workspace_db`, `chat`, `file_export`, `knowledge_graph`, found `fax`",
            "P005 pdf: `format` must be one of `markdown`, `json`, `csv`, `structured`, found `pdf`",
        ],
    );
    check_items(&route("[{type: document, config: {title: \"{{entity_name}}\"}}]"), &[]);
}

#[test]
fn an_unknown_action_hides_nothing_that_is_wrong_beside_it() {
    check_items(
        "nosuch, inputs: {y: \"{nobody.z}\"}",
        &[
            "P010 nosuch: there is no action `nosuch`",
            "P015 {nobody.z}: there is no step or input `nobody` | use the name of an earlier step, of an input of the playbook, or a variable such as `today`",
        ],
    );
}
