use countersign_approval::Verdict;
use countersign_run::{Head, RunStatus, StepState};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::letter;
use super::super::tests::{denied, head, state, with};
use super::*;

#[test]
fn f_190_the_answer_is_cut_after_whole_words() {
    let long = beginning(&"word ".repeat(200), countersign_report::plain::line);
    assert!(long.chars().count() <= MAX_BEGINNING + 1 && long.ends_with("word…"), "{long}");
}

#[test]
fn f_311_of_many_steps_with_warnings_the_first_are_named() {
    let warning = |n: u8| json!({ "step": format!("s{n}"), "count": 1, "hash": "" });
    let many: Vec<Value> = (0..7).map(warning).collect();
    let told = warned(&serde_json::from_value::<Vec<_>>(json!(many)).unwrap());
    assert!(told.ends_with("1 warning in `s4`, and warnings in 2 more steps."), "{told}");
}

#[test]
fn f_190_each_kind_of_destination_is_named_once() {
    assert_eq!(counted_kinds(&["document"]), "document");
    assert_eq!(counted_kinds(&["chat", "document", "chat", "chat"]), "chat (3), document");
    let many = counted_kinds(&vec!["document"; 3_000]);
    assert_eq!(many, "document (3000)");
}

#[test]
fn f_190_a_notification_says_why_a_run_could_not_begin() {
    let stop = json!({ "reason": "broken", "code": "DETECTION_CHANGED", "message": "it was changed.", "at": Timestamp::UNIX_EPOCH });
    let stop: Stop = serde_json::from_value(stop).unwrap();
    let empty = RunState { status: RunStatus::Error, steps: Vec::new() };
    let expect = " It could not go on: it was changed (DETECTION_CHANGED).";
    assert_eq!(failed(&empty, Some(&stop)), expect);
    let head = Head { stop: Some(stop), ..head("background") };
    let mail = with(&head, RunStatus::Error, &[], &[], |done| letter(done, None).render());
    assert!(mail.unwrap().text.contains("DETECTION_CHANGED"));
}

#[test]
fn f_190_a_notification_says_why_a_step_failed() {
    let mut state = state(&[]);
    let said = |message: Option<&str>, step: &StepState| StepState {
        status: StepStatus::Failed,
        code: Some("FILE_EMPTY".to_owned()),
        message: message.map(str::to_owned),
        ..step.clone()
    };
    let step = state.steps[1].1.clone();
    state.steps[1].1 = said(Some("`a.xml`: the file is empty."), &step);
    assert_eq!(failed(&state, None), " `pay` failed: `a.xml`: the file is empty (FILE_EMPTY).");
    state.steps[1].1 = said(Some(&"x".repeat(600)), &step);
    assert!(failed(&state, None).contains("x… (FILE_EMPTY)"), "{}", failed(&state, None));
    state.steps[1].1 = said(None, &step);
    assert_eq!(failed(&state, None), " `pay` failed: FILE_EMPTY.");
}

/// A request that was sent back for changes with a text of so many characters.
fn sent_back(round: usize, characters: usize) -> ApprovalRecord {
    let mut record = denied("stop");
    record.status = countersign_approval::Status::Superseded;
    record.step = format!("round_{round}");
    for decision in &mut record.decisions {
        decision.verdict = Verdict::Enhance;
        decision.note = Some("𝕏".repeat(characters));
    }
    record
}

#[test]
fn f_190_of_many_requests_the_latest_are_told_and_the_others_counted() {
    let records: Vec<_> = (0..40).map(|round| sent_back(round, 10)).collect();
    let text = with(&head("background"), RunStatus::Complete, &records, &[], message);
    assert!(text.contains(" Earlier requests for approval: 20. round_20 "), "{text}");
    assert!(text.contains("round_39 ") && !text.contains("round_19 "), "{text}");
    assert!(text.ends_with(SHORTENED), "{text}");
    let few = with(&head("background"), RunStatus::Complete, &records[..20], &[], message);
    assert!(few.contains("round_0 ") && !few.contains(SHORTENED), "{few}");
}

#[test]
fn f_190_what_people_must_see_to_comes_before_what_they_decided() {
    let (head, records, unknown) = (head("background"), [denied("stop")], ["pay".to_owned()]);
    let text = with(&head, RunStatus::Partial, &records, &unknown, |done| {
        message(&Done { parked: Some(3), ..*done })
    });
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(place("3 items are parked") < place("`pay` to bank.example"), "{text}");
    assert!(place("`pay` to bank.example") < place("The answer:"), "{text}");
    assert!(place("The answer:") < place("maria"), "{text}");
}

#[test]
fn f_190_a_notice_stays_far_below_what_an_item_may_hold() {
    let records: Vec<_> = (0..40).map(|round| sent_back(round, MAX_NOTE)).collect();
    let unknown: Vec<String> = (0..500).map(|n| format!("{n}{}", "𝕏".repeat(2_000))).collect();
    let cases: [(&[ApprovalRecord], &[String]); 3] =
        [(&records, &[]), (&[], &unknown), (&records, &unknown)];
    for (records, unknown) in cases {
        let text = with(&head("background"), RunStatus::Partial, records, unknown, message);
        assert!(text.len() <= MAX_BYTES + SHORTENED.len() + '…'.len_utf8(), "{}", text.len());
        assert!(text.ends_with(SHORTENED), "{}", text.len());
    }
}

#[test]
fn f_190_of_many_destinations_that_failed_the_first_are_told() {
    let row = |n: usize| RoutedOutput {
        step: Some(format!("publish_{n}")),
        destination: "document".to_owned(),
        status: "error".to_owned(),
        details: Value::Null,
        error: Some(json!({ "code": "DOCUMENT_NOT_FOUND", "message": "x".repeat(600) })),
        origin: None,
    };
    let rows: Vec<_> = (0..3_000).map(row).collect();
    let mut told = Told::default();
    not_written(&rows, &mut told);
    let text = told.bounded();
    assert!(text.contains("publish_19 to") && !text.contains("publish_20 to"), "{text}");
    let rest = " Further destinations that were not written: 2980.";
    assert!(text.contains(rest) && text.ends_with(SHORTENED), "{text}");
    assert!(text.len() < 20_000, "{}", text.len());
}
