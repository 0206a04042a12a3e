//! What was not done in a run, as its answer says it: what gates held back (R-065…R-068), and what failed and a model went on
//! without.

use std::collections::BTreeSet;

use countersign_approval::ApprovalRecord;
use countersign_plan::{Plan, PlanStep};
use countersign_report::{Format, Section, SectionFormat, markdown};
use countersign_run::{Blocked, BlockedData, BlockedError, RunState, StepState, StepStatus};
use serde_json::json;

use crate::answer::Answer;

/// Where an answer holds what is said of it; fields of results do not begin so.
const SECTION: &str = "_not_done";

/// The heading of the section.
const TITLE: &str = "Not done";

/// What can be done about a gate that asked nobody.
const TO_BE_ASKED: &str = "It needs a signature: repeat the run, and its gates ask.";

/// Of a note on a decision, so many characters are part of the reason.
const MAX_NOTE: usize = 500;

/// What was not done, in the order of the plan; who refused is in the records.
pub(crate) fn of(plan: &Plan, state: &RunState, records: &[ApprovalRecord]) -> Vec<Blocked> {
    let blocked = plan.steps.iter().filter_map(|step| {
        let own = state.step(&step.name)?;
        if own.status == StepStatus::Failed {
            let has_answered = |reader: &PlanStep| {
                state.step(&reader.name).is_some_and(|state| state.status == StepStatus::Done)
            };
            return plan.going_on_without(step).any(has_answered).then(|| failed(step, own));
        }
        let error = error(own)?;
        let was_held = |held: &&PlanStep| {
            let ended = state.step(&held.name).map(|state| state.status);
            held.name == step.name || ended == Some(StepStatus::NotRun)
        };
        let held: Vec<&PlanStep> = plan.held_by(step).filter(was_held).collect();
        let tools: BTreeSet<String> = held.iter().map(|step| step.tool_name()).collect();
        let partial_data = BlockedData {
            reason: reason(step, own, error, records),
            steps: held.iter().map(|step| step.name.clone()).collect(),
            tools: tools.into_iter().collect(),
            ..BlockedData::default()
        };
        Some(Blocked { step: step.name.clone(), task_done: false, error, partial_data })
    });
    blocked.collect()
}

/// A step that failed, with what its model had learned by then.
fn failed(step: &PlanStep, state: &StepState) -> Blocked {
    let error = BlockedError::StepFailed;
    let answered = state.tool_calls.iter().filter(|call| call.status == StepStatus::Done);
    let partial_data = BlockedData {
        reason: reason(step, state, error, &[]),
        steps: vec![step.name.clone()],
        tools: vec![step.tool_name()],
        code: state.code.clone(),
        calls: answered.cloned().collect(),
    };
    Blocked { step: step.name.clone(), task_done: false, error, partial_data }
}

fn error(state: &StepState) -> Option<BlockedError> {
    match state.status {
        StepStatus::Rejected => Some(BlockedError::DeniedByUser),
        StepStatus::TimedOut => Some(BlockedError::HitlTimeout),
        StepStatus::Closed if state.was_not_asked() => Some(BlockedError::HitlSkippedNonStreaming),
        _ => None,
    }
}

fn reason(
    step: &PlanStep,
    state: &StepState,
    error: BlockedError,
    records: &[ApprovalRecord],
) -> String {
    match error {
        BlockedError::DeniedByUser => {
            let denied = records.iter().rfind(|record| record.step == step.name);
            let by = denied.and_then(|record| record.by.as_deref()).unwrap_or("somebody");
            let note = denied.and_then(|record| record.note.as_deref()).unwrap_or_default();
            let note: String = note.chars().take(MAX_NOTE).collect();
            if note.is_empty() {
                format!("Denied by {by}.")
            } else {
                format!("Denied by {by}: {note}")
            }
        }
        BlockedError::HitlTimeout => "Nobody decided in time.".to_owned(),
        BlockedError::HitlSkippedNonStreaming => {
            let said = state.message.as_deref().unwrap_or_default();
            format!("{said} {TO_BE_ASKED}")
        }
        BlockedError::StepFailed => state.message.clone().unwrap_or_default(),
    }
}

/// What is said of it to people who read the answer, members of a team among them: neither who refused nor what was to be called.
fn sentence(blocked: &Blocked) -> String {
    let code = blocked.partial_data.code.as_deref().unwrap_or_default();
    let why = match blocked.error {
        BlockedError::DeniedByUser => "It was denied.",
        BlockedError::HitlTimeout => "Nobody decided in time.",
        BlockedError::HitlSkippedNonStreaming => TO_BE_ASKED,
        BlockedError::StepFailed => {
            return format!(
                "Not done: “{}”. It failed ({code}), and the answer is without its result.",
                blocked.step
            );
        }
    };
    let steps = &blocked.partial_data.steps;
    match steps.is_empty() {
        true => format!("“{}” was not approved. {why}", blocked.step),
        false => format!("Not done: {}. {why}", quoted(steps)),
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ")
}

/// Adds what was held back to an answer: beside it, and as a section of one in Markdown.
pub(crate) fn show(blocked: &[Blocked], answer: &mut Answer) {
    let sentences: Vec<String> = blocked.iter().map(sentence).collect();
    answer.problems.extend(sentences.iter().cloned());
    if answer.format != Format::Markdown || sentences.is_empty() {
        return;
    }
    if !answer.shown.is_object() {
        answer.shown = json!({});
    }
    answer.shown[SECTION] = sentences.into();
    answer.layout.sections.push(Section {
        title: TITLE.to_owned(),
        source: SECTION.to_owned(),
        format: SectionFormat::List,
        ..Section::default()
    });
}

/// A text in Markdown that does not have the section, because its author has laid it out or a chat wrote it, with what was held back
/// at its end.
pub(crate) fn told(blocked: &[Blocked], format: Format, text: String) -> String {
    let heading = format!("## {TITLE}");
    if format != Format::Markdown || blocked.is_empty() || text.contains(&heading) {
        return text;
    }
    let items = blocked.iter().map(|one| format!("\n- {}", markdown::line(&sentence(one))));
    format!("{}\n\n{heading}\n{}\n", text.trim_end(), items.collect::<String>())
}

#[cfg(test)]
mod tests {
    use countersign_approval::ApprovalId;
    use countersign_report::{Provenance, render};
    use countersign_run::{GATE_NOT_ASKED, RunStatus, ToolCall};
    use serde_json::Value;

    use super::*;

    fn plan() -> Plan {
        let step = |name: &str, kind: &str, action: &str, guard: Option<&str>| {
            json!({
                "name": name, "kind": kind, "action": action, "guard": guard, "on_error": "stop", "after": [],
                "params": { "connector": "bank", "endpoint": name },
            })
        };
        let steps = [
            step("find", "tool", "transform_data", None),
            step("sign_off", "gate", "", None),
            step("pay", "tool", "call_connector", Some("sign_off")),
            step("tell", "gated_tool", "call_connector", Some("sign_off")),
            step("keep_confirm", "gate", "", Some("sign_off")),
            step("keep", "tool", "call_connector", Some("keep_confirm")),
            step("alone", "gated_tool", "call_connector", None),
        ];
        let plan = json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "2".repeat(32)), "profile": "prof_1", "context": "interactive",
            "playbook": { "id": "p", "version": "1.0.0", "digest": "" }, "inputs": {}, "steps": steps,
        });
        serde_json::from_value(plan).unwrap()
    }

    /// What is said where the gate, and the step that asks for itself, have ended so.
    fn said(gate: StepStatus, alone: StepStatus, code: Option<&str>) -> Vec<Blocked> {
        let state = |name: &str, status: StepStatus, code: Option<&str>| {
            let (code, message) =
                (code.map(str::to_owned), code.map(|_| "Nobody was asked.".to_owned()));
            (name.to_owned(), StepState { status, code, message, ..StepState::default() })
        };
        let state = RunState {
            status: RunStatus::Partial,
            steps: vec![
                state("find", StepStatus::Done, None),
                state("sign_off", gate, code),
                state("pay", StepStatus::NotRun, None),
                state("tell", StepStatus::NotRun, None),
                state("keep_confirm", StepStatus::NotRun, None),
                state("keep", StepStatus::NotRun, None),
                state("alone", alone, code),
            ],
        };
        let record = json!({
            "step": "sign_off", "approval": ApprovalId::from_bytes([1; 16]), "status": "denied", "by": "maria", "at": null,
            "note": "too *much*", "given": 0, "needed": 1, "waits_for": [], "on_reject": "skip", "decisions": [],
        });
        of(&plan(), &state, &[serde_json::from_value(record).unwrap()])
    }

    #[test]
    fn r_065_r_066_r_067_r_068_what_gates_held_back_is_told_with_its_reason() {
        let check = |of: &Blocked, expect: Value, sentence_is: &str| {
            assert_eq!(serde_json::to_value(of).unwrap(), expect);
            assert_eq!(sentence(of), sentence_is);
        };
        let denied = said(StepStatus::Rejected, StepStatus::TimedOut, None);
        let data = json!({ "reason": "Denied by maria: too *much*", "steps": ["pay", "tell", "keep"], "tools": ["bank/keep", "bank/pay", "bank/tell"] });
        let gate = json!({ "step": "sign_off", "task_done": false, "error": "denied_by_user", "partial_data": data });
        check(&denied[0], gate, "Not done: “pay”, “tell”, “keep”. It was denied.");
        let data = json!({ "reason": "Nobody decided in time.", "steps": ["alone"], "tools": ["bank/alone"] });
        let alone = json!({ "step": "alone", "task_done": false, "error": "hitl_timeout", "partial_data": data });
        check(&denied[1], alone, "Not done: “alone”. Nobody decided in time.");
        let skipped = said(StepStatus::Closed, StepStatus::Done, Some(GATE_NOT_ASKED));
        assert_eq!((skipped.len(), skipped[0].error), (1, BlockedError::HitlSkippedNonStreaming));
        let reason = "Nobody was asked. It needs a signature: repeat the run, and its gates ask.";
        assert_eq!(skipped[0].partial_data.reason, reason);
        // A gate that the end of its run closed has held nothing back that anybody asked about.
        assert_eq!(said(StepStatus::Closed, StepStatus::Done, None), []);
    }

    #[test]
    fn r_027_what_failed_and_a_model_went_on_without_is_told_with_what_there_was() {
        let mut plan = plan();
        plan.steps[1].reads = vec!["find".to_owned()];
        let call = |status: StepStatus| ToolCall {
            turn: 1,
            call: 1,
            tool: "search_web".to_owned(),
            arguments: "{}".to_owned(),
            status,
            code: None,
            message: None,
            took_ms: 1,
            found: Vec::new(),
        };
        let reader = plan.steps[1].name.clone();
        let state = |status: StepStatus, of_reader: StepStatus| {
            let found = StepState {
                status,
                code: Some("STEP_TIMEOUT".to_owned()),
                message: Some("no answer within 3 s".to_owned()),
                tool_calls: vec![call(StepStatus::Done), call(StepStatus::Failed)],
                ..StepState::default()
            };
            let read = StepState { status: of_reader, ..StepState::default() };
            RunState {
                status: RunStatus::Partial,
                steps: vec![("find".to_owned(), found), (reader.clone(), read)],
            }
        };
        let failed = state(StepStatus::Failed, StepStatus::Done);
        assert_eq!(of(&plan, &failed, &[]), [], "no model goes on without it");
        plan.steps[1].allows_gaps = true;
        assert_eq!(of(&plan, &state(StepStatus::Done, StepStatus::Done), &[]), []);
        let skipped = state(StepStatus::Failed, StepStatus::Skipped);
        assert_eq!(of(&plan, &skipped, &[]), [], "the model that would go on was not asked");
        let told = of(&plan, &failed, &[]);
        let calls = json!([{ "turn": 1, "call": 1, "tool": "search_web", "arguments": "{}", "status": "done", "took_ms": 1 }]);
        let data = json!({
            "reason": "no answer within 3 s", "steps": ["find"], "tools": ["bank/find"], "code": "STEP_TIMEOUT", "calls": calls,
        });
        let expect = json!([{ "step": "find", "task_done": false, "error": "step_failed", "partial_data": data }]);
        assert_eq!(serde_json::to_value(&told).unwrap(), expect);
        let said =
            "Not done: “find”. It failed (STEP_TIMEOUT), and the answer is without its result.";
        assert_eq!(sentence(&told[0]), said);
    }

    /// The text of an answer with what was held back.
    fn text(mut answer: Answer) -> String {
        show(&said(StepStatus::Rejected, StepStatus::Done, None), &mut answer);
        let from = Provenance {
            run: "run_1".to_owned(),
            profile: "Ana".to_owned(),
            playbook: None,
            query: String::new(),
            entity_name: String::new(),
            at: jiff::Timestamp::UNIX_EPOCH,
            warnings: Vec::new(),
        };
        assert!(answer.problems.iter().any(|problem| problem.contains("“tell”")));
        render(answer.format, &answer.layout, &answer.shown, &from).unwrap().body
    }

    #[test]
    fn r_068_an_answer_says_what_is_not_done_and_not_who_refused_it() {
        let markdown = Answer { format: Format::Markdown, ..Answer::default() };
        let said = text(markdown.clone());
        assert!(said.contains("## Not done") && said.contains("It was denied"), "{said}");
        assert!(!said.contains("maria") && !said.contains("bank/pay"), "{said}");
        let json = Answer { format: Format::Json, shown: json!({ "a": 1 }), ..Answer::default() };
        assert!(!text(json).contains("Not done"));
    }

    #[test]
    fn r_068_a_text_without_the_section_ends_with_it() {
        let blocked = said(StepStatus::Rejected, StepStatus::Done, None);
        let chat = told(&blocked, Format::Markdown, "Paid.\n".to_owned());
        assert!(chat.starts_with("Paid.\n\n## Not done\n\n- Not done: “pay”"), "{chat}");
        assert_eq!(told(&blocked, Format::Markdown, chat.clone()), chat);
        assert_eq!(told(&blocked, Format::Json, "{}".to_owned()), "{}");
        assert_eq!(told(&[], Format::Markdown, "Paid.\n".to_owned()), "Paid.\n");
    }
}
