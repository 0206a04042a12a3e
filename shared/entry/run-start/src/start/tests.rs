//! What is asked is checked before anything starts.

use countersign_playbook::{CompileContext, PlaybookSource, compile};
use countersign_registry::Registry;
use countersign_run::{AskedIn, ConversationId};
use jiff::Timestamp;
use serde_json::json;

use super::*;

const PLAYBOOK: &str = "
id: p
name: P
description: Inputs of every kind.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: folder, type: string, required: true}
  - {name: year, type: string, required: true, default: '2024'}
  - {name: most, type: number, required: false}
steps:
  - {name: one, step_type: tool, action: transform_data, inputs: {data: []}, params: {operations: []}}
";

fn check(given: &Value, expect: &[&str]) {
    let registry = Registry::builtin();
    let compiled =
        compile(&PlaybookSource::new("p.yaml", PLAYBOOK), &CompileContext::of(&registry));
    let playbook = compiled.playbook.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let found = check_inputs(&playbook, given.as_object().unwrap());
    let errors = found.err().map(|problem| problem.errors.clone()).unwrap_or_default();
    let found: Vec<String> = errors.iter().map(|error| error.path.clone()).collect();
    assert_eq!(found, expect, "{given}: {errors:?}");
}

#[test]
fn f_135_inputs_are_checked_by_name_and_type_before_anything_starts() {
    check(&json!({"folder": "filings"}), &[]);
    check(&json!({"folder": "filings", "year": "2023", "most": null}), &[]);
    check(&json!({}), &["inputs.folder"]);
    check(&json!({"folder": null, "foldr": "x"}), &["inputs.foldr", "inputs.folder"]);
    check(&json!({"folder": ["a"], "most": "many"}), &["inputs.folder", "inputs.most"]);
}

fn finished(repeated_by: Option<RunId>) -> Head {
    let owner = UserId::from_bytes([2; 16]);
    let (run, now) = (RunId::from_bytes([1; 16]), Timestamp::UNIX_EPOCH);
    Head {
        repeated_by,
        finished_at: Some(now),
        ..Head::asked(run, owner, RunContext::Background, now)
    }
}

#[test]
fn whoever_repeats_a_run_a_moment_too_late_is_told_by_which_run_it_was_repeated() {
    let failed = || StoreError::ConditionFailed { table: "t".to_owned(), index: 3, item: None };
    let winner = RunId::from_bytes([7; 16]);
    let own = Head { run: RunId::from_bytes([8; 16]), ..finished(None) };
    let problem = repeated(&finished(Some(winner.clone())), &own, failed());
    assert_eq!((problem.status, problem.code.as_str()), (409, "RUN_REPEATED"));
    assert!(problem.detail.contains(&winner.to_string()), "{}", problem.detail);
    // Another condition did not hold.
    assert_eq!(repeated(&finished(None), &own, failed()).code, "STORE_CONFLICT");
    // The conversation was removed meanwhile.
    let asked_in = AskedIn {
        conversation: ConversationId::from_bytes([9; 16]),
        is_on_web: false,
        number: 2,
        has_summary: false,
    };
    let own = Head { asked_in: Some(asked_in), ..own };
    assert_eq!(repeated(&finished(None), &own, failed()).code, "NOT_FOUND");
}
