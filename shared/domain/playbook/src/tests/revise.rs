//! What a gate may offer to have rewritten.

use super::{around, problems, step, valid};
use crate::StepKind;

const DRAFT: &str = "  - {name: draft, step_type: llm_task, action: llm_analyze, inputs: {data: \"{who}\"}, params: {instructions: Write a letter.}, output_schema: {type: object, fields: [{name: text, type: string}]}}\n";
const LOOK: &str = "  - {name: look, step_type: llm_task, action: research_with_tools, inputs: {data: \"{who}\"}, params: {tools: [search_web], system_prompt: Look.}, output_schema: {type: object, fields: [{name: text, type: string}]}}\n";
const SEND: &str = "  - {name: post, step_type: tool, action: call_connector, connector: letters, endpoint: send, inputs: {to: \"{draft.text}\"}}\n";
const TRIM: &str = "  - {name: trim, step_type: tool, action: transform_data, inputs: {data: [{text: \"{draft.text}\"}]}, operations: [{type: limit, value: 1}]}\n";

fn gate(name: &str, revise: &str) -> String {
    format!(
        "  - {{name: {name}, step_type: approval, prompt: \"Send {{draft.text}}?\", revise: [{revise}]}}\n"
    )
}

#[track_caller]
fn check(steps: &[&str], expect: &[&str]) {
    let text = around(&steps.concat());
    let found: Vec<String> =
        problems(&text).into_iter().filter(|one| !one.starts_with("P102")).collect();
    assert_eq!(found, expect, "{text}");
}

#[test]
fn k_09_a_gate_offers_steps_of_models_whose_results_only_it_has_used() {
    check(&[DRAFT, &gate("ask", "draft"), SEND], &[]);
    check(&[DRAFT, TRIM, &gate("ask", "draft"), SEND], &[]);
    let playbook = valid(&around(&[DRAFT, &gate("ask", "draft"), SEND].concat()));
    let StepKind::Approval { revise, .. } = &step(&playbook, "ask").kind else { panic!("no gate") };
    assert_eq!(*revise, ["draft"]);
}

#[test]
fn k_09_what_cannot_be_written_anew_is_refused_with_its_reason() {
    let earlier = "name it at an earlier gate, or move that step behind this one";
    check(&[DRAFT, &gate("ask", "draft, draft"), SEND], &["P008 draft: `draft` is named twice"]);
    check(
        &[DRAFT, &gate("ask", "drft"), SEND],
        &["P015 drft: there is no step `drft` | did you mean `draft`?"],
    );
    check(
        &[DRAFT, &gate("ask", "post"), SEND],
        &[
            "P017 post: `post` does not come before this gate | name steps whose results the gate shows or signs",
        ],
    );
    let no_model = "is not written by a model that could be told what to change | name a step with the action `llm_analyze` or `synthesize_report`";
    check(&[DRAFT, TRIM, &gate("ask", "trim"), SEND], &[&format!("P026 trim: `trim` {no_model}")]);
    check(&[DRAFT, LOOK, &gate("ask", "look"), SEND], &[&format!("P026 look: `look` {no_model}")]);
    let sent = format!(
        "P026 draft: `draft` cannot be rewritten at this gate: before it, `post` uses it and changes something | {earlier}"
    );
    let (first, last) = (
        gate("ask", ""),
        "  - {name: more, step_type: approval, prompt: Go on?, revise: [draft]}\n",
    );
    let shown = format!(
        "P026 draft: `draft` cannot be rewritten at this gate: before it, `ask` uses it and people decide on it | {earlier}"
    );
    check(&[DRAFT, &first, last, SEND], &[&shown]);
    // The condition of a parallel step is one of each of its steps.
    let beside = "  - {name: beside, step_type: tool, action: parallel, condition: \"{draft.text} == 'x'\", parallel_steps: [{name: tell, step_type: tool, action: send_notification, inputs: {message: x}}]}\n";
    let told = format!(
        "P026 draft: `draft` cannot be rewritten at this gate: before it, `tell` uses it and changes something | {earlier}"
    );
    check(&[DRAFT, beside, &gate("ask", "draft"), SEND], &[&told]);
    let unseen = "  - {name: ask, step_type: approval, prompt: Go on?}\n";
    check(&[DRAFT, unseen, SEND, last], &[&sent]);
}
