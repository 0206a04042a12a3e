use countersign_run::{RunId, Sending, StepStatus, StopReason, ToolCall};
use jiff::Timestamp;

use super::*;

fn head() -> Head {
    let user = countersign_identity::UserId::from_bytes([1; 16]);
    serde_json::from_value(json!({
        "run": RunId::from_bytes([2; 16]), "owner": user, "invoked_by": user, "scopes": [], "profile_id": "prof_1",
        "profile_name": "Investigator", "query": "", "context": "interactive", "mode": "hybrid", "approval_policy": "require",
        "started_at": "2026-03-04T05:06:07Z", "attempt": 1, "version": 1,
    }))
    .unwrap()
}

fn check(step: &str, kind: EventKind, name: &str, fields: &Value) {
    let at: Timestamp = "2026-03-04T05:06:08Z".parse().unwrap();
    let event = Event { step: step.to_owned(), attempt: 1, n: 1, at, kind };
    let head = head();
    let message = message(&head, &event, Beside::default());
    let mut expect = json!({ "run": head.run, "at": "2026-03-04T05:06:08Z", "attempt": 1 });
    expect.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    assert_eq!((message.name, message.data), (name, expect));
}

#[test]
fn r_099_r_100_r_101_every_event_has_its_name_and_fields() {
    let approval = || "appr_1".to_owned();
    let asked = json!({ "request_id": "appr_1", "agent_id": "ask", "agent_name": "Investigator", "tool_names": [] });
    check("ask", EventKind::GateOpened { approval: approval() }, "hitl_required", &asked);
    let closed = json!({ "request_id": "appr_1", "agent_id": "ask" });
    for (verdict, name) in [
        (GateOutcome::Approved, "hitl_approved"),
        (GateOutcome::Denied, "hitl_denied"),
        (GateOutcome::TimedOut, "hitl_timeout"),
        (GateOutcome::Closed, "hitl_closed"),
    ] {
        check("ask", EventKind::GateClosed { approval: approval(), verdict }, name, &closed);
    }
    let again = vec!["draft".to_owned()];
    let revised = json!({ "request_id": "appr_1", "agent_id": "ask", "again": ["draft"] });
    check("ask", EventKind::Revised { approval: approval(), again }, "hitl_revised", &revised);
    let done = json!({ "status": "complete" });
    check("", EventKind::Finished { status: RunStatus::Complete }, "done", &done);
}

#[test]
fn a_153_what_a_run_does_is_told_step_by_step() {
    let plan = json!({ "seal": "s", "steps": [] });
    check("", EventKind::Started { seal: "s".to_owned(), steps: 0 }, "plan", &plan);
    let call = ToolCall {
        turn: 1,
        call: 2,
        tool: "search_web".to_owned(),
        arguments: "{}".to_owned(),
        status: StepStatus::Done,
        code: None,
        message: None,
        took_ms: 7,
        found: Vec::new(),
    };
    let tool = json!({ "step": "look", "turn": 1, "call": 2, "tool": "search_web", "arguments": "{}", "status": "done", "took_ms": 7 });
    check("look", EventKind::ToolCalled(call), "tool", &tool);
    let (code, message, model) = (Some("X".to_owned()), Some("no".to_owned()), None);
    let ended = EventKind::StepEnded {
        status: StepStatus::Failed,
        count: Some(3),
        code,
        message,
        took_ms: 9,
        model,
    };
    let step = json!({ "step": "look", "status": "failed", "count": 3, "code": "X", "message": "no", "took_ms": 9 });
    check("look", ended, "step", &step);
    let what = Sending {
        call: 1,
        receipt: "rcpt_1".to_owned(),
        approval: None,
        target: "POST bank.example/pay".to_owned(),
        key: "9f".to_owned(),
        items: 0,
    };
    let sending = json!({ "step": "pay", "target": "POST bank.example/pay" });
    check("pay", EventKind::Sending(what), "sending", &sending);
    let stopped =
        EventKind::Stopped { reason: StopReason::Cancelled, message: "by Ada".to_owned() };
    check("", stopped, "stopped", &json!({ "reason": "cancelled", "message": "by Ada" }));
    let resumed = EventKind::Resumed { reason: "lost".to_owned() };
    check("", resumed, "resumed", &json!({ "reason": "lost" }));
}
