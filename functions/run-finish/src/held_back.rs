//! What the gates of a run held back, as its answer says it (R-065…R-068).

use countersign_approval::ApprovalRecord;
use countersign_plan::{Plan, PlanStep, StepKind};
use countersign_report::{Format, Section, SectionFormat};
use countersign_run::{Blocked, BlockedData, BlockedError, RunState, StepState, StepStatus};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::over::Over;
use crate::{Context, FinishError, approvals};

/// Where an answer holds what is said of it; fields of results do not begin so.
const SECTION: &str = "_not_done";

/// Of a note on a decision, so many characters are part of the reason.
const MAX_NOTE: usize = 500;

/// What was held back; requests are read only when somebody may have refused.
pub(crate) async fn read(context: &Context, over: &Over<'_>) -> Result<Vec<Blocked>, FinishError> {
    if !over.state.steps.iter().any(|(_, state)| error(state).is_some()) {
        return Ok(Vec::new());
    }
    let records = approvals(context, over.head, over.state).await?;
    Ok(of(over.plan, over.state, &records))
}

fn of(plan: &Plan, state: &RunState, records: &[ApprovalRecord]) -> Vec<Blocked> {
    let asking = plan.steps.iter().filter(|step| step.kind != StepKind::Tool);
    let blocked = asking.filter_map(|step| {
        let own = state.step(&step.name)?;
        let error = error(own)?;
        let held: Vec<&PlanStep> = held(plan, state, step).collect();
        let mut tools: Vec<String> = held.iter().map(|step| tool(step)).collect();
        tools.dedup();
        let partial_data = BlockedData {
            reason: reason(step, own, error, records),
            steps: held.iter().map(|step| step.name.clone()).collect(),
            tools,
        };
        Some(Blocked { step: step.name.clone(), task_done: false, error, partial_data })
    });
    blocked.collect()
}

fn error(state: &StepState) -> Option<BlockedError> {
    match state.status {
        StepStatus::Rejected => Some(BlockedError::DeniedByUser),
        StepStatus::TimedOut => Some(BlockedError::HitlTimeout),
        StepStatus::Closed if state.was_not_asked() => Some(BlockedError::HitlSkippedNonStreaming),
        _ => None,
    }
}

/// The steps that a gate held back; a step that asks for itself is its own.
fn held<'p>(
    plan: &'p Plan,
    state: &'p RunState,
    asking: &'p PlanStep,
) -> impl Iterator<Item = &'p PlanStep> {
    let is_behind = |step: &PlanStep| step.guard.as_deref() == Some(asking.name.as_str());
    let was_held = |step: &PlanStep| {
        state.step(&step.name).is_some_and(|state| state.status == StepStatus::NotRun)
    };
    plan.steps.iter().filter(move |step| match asking.kind {
        StepKind::Gate => is_behind(step) && was_held(step),
        StepKind::Tool | StepKind::GatedTool => step.name == asking.name,
    })
}

/// The action of a step, or the endpoint that it calls.
fn tool(step: &PlanStep) -> String {
    let param = |name: &str| step.params.get(name).and_then(Value::as_str);
    match (param("connector"), param("endpoint")) {
        (Some(connector), Some(endpoint)) => format!("{connector}/{endpoint}"),
        _ => step.action.clone(),
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
            format!("{said} It needs a signature: repeat the run, and its gates ask.")
        }
    }
}

/// What is said of it to people.
fn sentence(blocked: &Blocked) -> String {
    let BlockedData { reason, steps, tools } = &blocked.partial_data;
    match steps.is_empty() {
        true => format!("“{}” was not approved. {reason}", blocked.step),
        false => format!("Not done: {} ({}). {reason}", quoted(steps), tools.join(", ")),
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ")
}

/// Adds what was held back to an answer: beside it, and as a section of one in Markdown that does not speak of it where its author
/// wants it shown.
pub(crate) fn show(blocked: &[Blocked], answer: &mut Answer) {
    let is_told = |blocked: &&Blocked| {
        let mut steps = blocked.partial_data.steps.iter();
        answer.is_declared
            && steps.any(|step| {
                answer.problems.iter().any(|problem| problem.contains(&format!("“{step}”")))
            })
    };
    let untold: Vec<Value> =
        blocked.iter().filter(|one| !is_told(one)).map(|one| sentence(one).into()).collect();
    answer.problems.extend(blocked.iter().map(sentence));
    if answer.format != Format::Markdown || untold.is_empty() {
        return;
    }
    if !answer.shown.is_object() {
        answer.shown = json!({});
    }
    answer.shown[SECTION] = untold.into();
    answer.layout.sections.push(Section {
        title: "Not done".to_owned(),
        source: SECTION.to_owned(),
        format: SectionFormat::List,
        ..Section::default()
    });
}

#[cfg(test)]
mod tests {
    use countersign_approval::ApprovalId;
    use countersign_report::{Provenance, render};
    use countersign_run::{GATE_NOT_ASKED, RunStatus};

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
            let state = StepState {
                status,
                code,
                message,
                count: None,
                took_ms: 1,
                model: None,
                tool_calls: Vec::new(),
                approval: None,
                sent: None,
            };
            (name.to_owned(), state)
        };
        let state = RunState {
            status: RunStatus::Partial,
            steps: vec![
                state("find", StepStatus::Done, None),
                state("sign_off", gate, code),
                state("pay", StepStatus::NotRun, None),
                state("tell", StepStatus::NotRun, None),
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
        let data = json!({ "reason": "Denied by maria: too *much*", "steps": ["pay", "tell"], "tools": ["bank/pay", "bank/tell"] });
        let gate = json!({ "step": "sign_off", "task_done": false, "error": "denied_by_user", "partial_data": data });
        check(
            &denied[0],
            gate,
            "Not done: “pay”, “tell” (bank/pay, bank/tell). Denied by maria: too *much*",
        );
        let data = json!({ "reason": "Nobody decided in time.", "steps": ["alone"], "tools": ["bank/alone"] });
        let alone = json!({ "step": "alone", "task_done": false, "error": "hitl_timeout", "partial_data": data });
        check(&denied[1], alone, "Not done: “alone” (bank/alone). Nobody decided in time.");
        let skipped = said(StepStatus::Closed, StepStatus::Done, Some(GATE_NOT_ASKED));
        assert_eq!((skipped.len(), skipped[0].error), (1, BlockedError::HitlSkippedNonStreaming));
        let reason = "Nobody was asked. It needs a signature: repeat the run, and its gates ask.";
        assert_eq!(skipped[0].partial_data.reason, reason);
        // A gate that the end of its run closed has held nothing back that anybody asked about.
        assert_eq!(said(StepStatus::Closed, StepStatus::Done, None), []);
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
        assert!(answer.problems.iter().any(|problem| problem.contains("Denied by maria")));
        render(answer.format, &answer.layout, &answer.shown, &from).unwrap().body
    }

    #[test]
    fn r_068_an_answer_says_what_is_not_done_unless_its_author_has_it_shown() {
        let markdown = Answer { format: Format::Markdown, ..Answer::default() };
        let said = text(markdown.clone());
        assert!(said.contains("## Not done") && said.contains(r"too \*much\*"), "{said}");
        let problems =
            vec!["the section “Calls” is not known: the step “pay” has no result".to_owned()];
        let said = text(Answer { is_declared: true, problems, ..markdown });
        assert!(!said.contains("Not done"), "{said}");
        let json = Answer { format: Format::Json, shown: json!({ "a": 1 }), ..Answer::default() };
        assert!(!text(json).contains("Not done"));
    }
}
