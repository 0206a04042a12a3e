//! Steps of a model: what they have to say, and what they may not.

use super::links::{check, tool};

#[test]
fn f_145_f_165_llm_tasks_declare_their_output() {
    let task = |rest: &str| {
        format!("  - {{name: t, step_type: llm_task, action: judge, inputs: {{text: hi}}{rest}}}\n")
    };
    check(
        &task(""),
        &[
            "P023 t: entry 2 of `steps` has no `output_schema` | say what the model must answer: `output_schema: {type: object, fields: [{name: verdict, type: string}]}`",
        ],
    );
    let schema = ", output_schema: {type: record_set, fields: [{name: verdict, type: string}]}";
    check(&task(schema), &[]);
    let after = |field: &str| {
        format!(
            "{}{}",
            task(schema),
            tool("u", &format!("action: transform_data, inputs: {{data: \"{{t.{field}}}\"}}"))
        )
    };
    check(&after("results"), &[]);
    check(
        &after("verdicts"),
        &[
            "P016 {t.verdicts}: `{t.verdicts}`: there is no field `verdicts` | the fields are `results`, `count`",
        ],
    );
}

#[test]
fn f_145_k_44_the_task_of_a_model_is_its_authors_and_its_answer_hides_no_warning() {
    let task = |field: &str, words: &str| {
        format!(
            "  - {{name: t, step_type: llm_task, action: llm_analyze, inputs: {{data: hi}}, params: {{instructions: \"{words}\"}}, output_schema: {{type: object, fields: [{{name: {field}, type: integer}}]}}}}\n"
        )
    };
    check(&task("risk", "Judge."), &[]);
    check(
        &task("warning_count", "Judge."),
        &[
            "P009 warning_count: `warning_count` is what a step says of what it could not read | give the field another name",
        ],
    );
    check(
        &task("risk", "Judge {who}."),
        &[
            "P026 \"Judge {who}.\": `instructions` holds a reference: a model would take what it leads to as its task | give it as `data`, such as `data: {question: \"{question}\"}`",
        ],
    );
}

#[test]
fn f_055_f_056_what_a_model_does_and_what_it_does_not_is_told_apart() {
    let schema = "output_schema: {type: scalar, fields: [{name: a, type: string}]}";
    check(
        &tool("t", "action: llm_analyze, inputs: {data: hi}, params: {instructions: Judge.}"),
        &[
            "P023 llm_analyze: `llm_analyze` is what a model does, and the step does not say what it must answer | write `step_type: llm_task` with an `output_schema`",
        ],
    );
    check(
        &format!("  - {{name: t, step_type: llm_task, action: query_journal, {schema}}}\n"),
        &[
            "P026 query_journal: `query_journal` is not what a model does: its results are known | write `step_type: tool`, without `output_schema`",
        ],
    );
    let task = |params: &str| {
        let rest = format!("inputs: {{data: hi}}, params: {{{params}}}, {schema}");
        format!("  - {{name: t, step_type: llm_task, action: synthesize_report, {rest}}}\n")
    };
    check(&task("template: \"# Officers\""), &[]);
    check(&task(""), &["P013 : `instructions` or `template` must say what the model is to do"]);
}

#[test]
fn f_057_k_44_what_a_model_may_ask_for_is_written_out_and_only_reads() {
    let task = |params: &str| {
        format!(
            "  - {name}, params: {{{params}}}, output_schema: {{type: object, fields: [{{name: a}}]}}}}\n",
            name = "{name: t, step_type: llm_task, action: research_with_tools, inputs: {data: hi}"
        )
    };
    check(&task("tools: [query_journal, search_web], system_prompt: Look."), &[]);
    check(&task("tools: [query_journal], system_prompt: Look., max_rounds: 10"), &[]);
    check(
        &task("tools: [send_notification, query_journal], system_prompt: Look."),
        &[
            "P005 send_notification: `send_notification` cannot be a tool of a model: it changes something; make it a step, behind a gate if it has to be signed",
        ],
    );
    check(&task("tools: [irs-990-xml/officers, bank/due], system_prompt: Look."), &[]);
    check(
        &task("tools: [query_journal, bank/pay, bank/du, banc/due], system_prompt: Look."),
        &[
            "P005 bank/pay: `bank/pay` cannot be a tool of a model: it has an effect; make it a step, which is signed",
            "P012 bank/du: the connector `bank` has no endpoint `du` | did you mean `due`?",
            "P011 banc/due: the connector `banc` is not bound to the profile | did you mean `bank`?",
        ],
    );
    check(
        &task("tools: [query_jurnal], system_prompt: Look."),
        &["P005 query_jurnal: there is no action `query_jurnal` | did you mean `query_journal`?"],
    );
    check(
        &task("tools: [\"{who}\"], system_prompt: Look."),
        &[
            "P026 [: `tools` is written out, not filled in | what a model may ask for is known before the playbook runs",
        ],
    );
    check(
        &task("tools: [query_journal], system_prompt: \"Look for {who}.\""),
        &[
            "P026 \"Look for {who}.\": `system_prompt` holds a reference: a model would take what it leads to as its task | give it as `data`, such as `data: {question: \"{question}\"}`",
        ],
    );
}
