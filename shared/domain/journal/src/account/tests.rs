use std::collections::BTreeMap;

use countersign_approval::{ApprovalId, ApprovalRecord};
use countersign_identity::UserId;
use countersign_run::{RunContext, RunStatus, StepState, StepStatus};
use serde_json::json;

use super::{RunAccount, account};
use crate::entities::Entities;
use crate::entry::{DetailLevel, Entry, JournalConfig, Output, TaskStatus};

fn step(
    name: &str,
    status: StepStatus,
    count: Option<u64>,
    code: Option<&str>,
) -> (String, StepState) {
    let state = StepState {
        status,
        code: code.map(str::to_owned),
        message: code.map(|_| "it broke".to_owned()),
        count,
        took_ms: 1,
        model: None,
        tool_calls: Vec::new(),
        approval: None,
        sent: None,
    };
    (name.to_owned(), state)
}

fn entry(
    status: RunStatus,
    steps: &[(String, StepState)],
    config: &JournalConfig,
) -> Option<Entry> {
    let user = UserId::from_bytes([1; 16]);
    let outputs = [Output {
        output_type: "data_workspace_table".into(),
        path: None,
        table: Some("research/filings".into()),
        rows: Some(12),
    }];
    account(
        &RunAccount {
            run: "run_1",
            owner: &user,
            profile_id: "prof_1",
            name: "officer-cross-reference",
            query: "who sits on two boards?",
            context: RunContext::Interactive,
            occurrence: None,
            asked_by: None,
            invoked_by: &user,
            team: None,
            started_at: "2026-01-01T00:00:00Z".parse().unwrap(),
            finished_at: "2026-01-01T00:01:05Z".parse().unwrap(),
            status,
            steps,
            stop: None,
            approvals: &asked(steps),
            entities: &Entities::default(),
            found: &BTreeMap::from([("read".to_owned(), 5)]),
            outputs: &outputs,
            unreached: &[],
            warnings: &[],
        },
        config,
    )
}

/// A request for every gate that has ended.
fn asked(steps: &[(String, StepState)]) -> Vec<ApprovalRecord> {
    let record = |(name, state): &(String, StepState)| {
        let (status, verdict) = match state.status {
            StepStatus::Approved => ("approved", "approve"),
            StepStatus::Rejected => ("denied", "deny"),
            _ => return None,
        };
        let decided = json!({ "by": "maria", "verdict": verdict, "at": "2026-01-01T00:01:00Z", "note": "seen" });
        let record = json!({
            "step": name, "approval": ApprovalId::from_bytes([1; 16]), "status": status, "by": "maria",
            "at": "2026-01-01T00:01:00Z", "note": "seen", "given": 1, "needed": 1, "waits_for": [],
            "decisions": [decided], "on_reject": "stop",
        });
        Some(serde_json::from_value(record).unwrap())
    };
    steps.iter().filter_map(record).collect()
}

fn check(status: RunStatus, steps: &[(String, StepState)], expect: &str) {
    let made = entry(status, steps, &JournalConfig::default()).unwrap();
    assert_eq!(made.summary, expect);
}

#[test]
fn f_221_a_run_is_summed_up_from_its_steps() {
    check(
        RunStatus::Partial,
        &[
            step("read", StepStatus::Done, Some(40), None),
            step("grants", StepStatus::Failed, None, Some("XML_INVALID")),
            step("gate", StepStatus::Approved, None, None),
            step("extra", StepStatus::Skipped, None, None),
        ],
        "officer-cross-reference for \"who sits on two boards?\" ended as partial after 1 min 5 s. 2 of 4 steps done, \
         1 skipped, 1 failed. Asked: gate was approved: maria approved, noting “seen”. Found: read 40. Written: data_workspace_table research/filings \
         (12 rows). Went wrong: grants: XML_INVALID it broke.",
    );
    check(
        RunStatus::Rejected,
        &[
            step("gate", StepStatus::Rejected, None, None),
            step("write", StepStatus::NotRun, None, None),
        ],
        "officer-cross-reference for \"who sits on two boards?\" ended as rejected after 1 min 5 s. 0 of 2 steps done, \
         1 denied or not decided, 1 not run. Asked: gate was denied: maria denied, noting “seen”. Written: data_workspace_table research/filings (12 rows).",
    );
}

#[test]
fn a_164_the_entry_holds_every_decision_with_its_whole_note() {
    let steps = [step("gate", StepStatus::Rejected, None, None)];
    let made = entry(RunStatus::Rejected, &steps, &JournalConfig::default()).unwrap();
    let [record] = made.approvals.as_slice() else { panic!("{made:?}") };
    let [decision] = record.decisions.as_slice() else { panic!("{record:?}") };
    assert_eq!((decision.by.as_str(), decision.note.as_deref()), ("maria", Some("seen")));
}

#[test]
fn f_224_f_225_f_404_status_and_detail_follow_run_and_profile() {
    let steps = [
        step("read", StepStatus::Done, Some(2), None),
        step("write", StepStatus::Failed, None, Some("X")),
    ];
    let config = JournalConfig { detail_level: DetailLevel::Detailed, ..JournalConfig::default() };
    let made = entry(RunStatus::Error, &steps, &config).unwrap();
    assert_eq!(made.task_status, TaskStatus::Error);
    assert_eq!(made.error_summary.as_deref(), Some("write: X it broke"));
    assert_eq!(made.steps_completed, ["read"]);
    let notes: Vec<&str> = made.detail_entries.iter().map(|note| note.result.as_str()).collect();
    assert_eq!(notes, ["done, 2 records", "failed, X"]);
    let found: Vec<_> = made.detail_entries.iter().map(|note| note.entities_found).collect();
    assert_eq!(found, [Some(5), None]);
}

#[test]
fn f_212_a_suppressed_run_and_a_silent_profile_have_no_entry() {
    assert_eq!(entry(RunStatus::Suppressed, &[], &JournalConfig::default()), None);
    let silent = JournalConfig { auto_journal: false, ..JournalConfig::default() };
    assert_eq!(entry(RunStatus::Complete, &[], &silent), None);
}
