use countersign_approval::ApprovalId;
use countersign_run::{Response, RunId, RunRecord};
use jiff::Timestamp;
use serde_json::json;

use super::*;

pub(super) fn user(n: u8) -> UserId {
    UserId::from_bytes([n; 16])
}

pub(super) fn head(context: &str) -> Head {
    let head = json!({
        "run": RunId::from_bytes([1; 16]), "owner": user(1), "invoked_by": user(2), "scopes": [], "profile_id": "p",
        "profile_name": "Payer", "context": context, "started_at": Timestamp::UNIX_EPOCH, "attempt": 1, "version": 1,
    });
    serde_json::from_value(head).unwrap()
}

pub(super) fn state(unknown: &[String]) -> RunState {
    let step = |status| StepState {
        status,
        code: Some("GATE_DENIED".to_owned()),
        message: None,
        count: None,
        took_ms: 0,
        model: None,
        tool_calls: Vec::new(),
        approval: None,
        sent: None,
    };
    let said = |name: &String| {
        let message = Some(format!("`{name}` to bank.example: outcome unknown."));
        (name.clone(), StepState { message, ..step(StepStatus::Unknown) })
    };
    if !unknown.is_empty() {
        return RunState { status: RunStatus::Partial, steps: unknown.iter().map(said).collect() };
    }
    let steps = vec![
        ("sign_off".to_owned(), step(StepStatus::Rejected)),
        ("pay".to_owned(), step(StepStatus::NotRun)),
    ];
    RunState { status: RunStatus::Rejected, steps }
}

const NOTE: &str = "<a href=\"https://evil.example\">look</a>";

pub(super) fn denied(on_reject: &str) -> ApprovalRecord {
    let record = json!({
        "step": "sign_off", "approval": ApprovalId::from_bytes([1; 16]), "status": "denied", "by": "maria",
        "at": "2026-11-21T14:05:00Z", "note": NOTE, "given": 0, "needed": 1, "waits_for": [], "on_reject": on_reject,
        "decisions": [{ "by": "maria", "verdict": "deny", "at": "2026-11-21T14:05:00Z", "note": NOTE }],
    });
    serde_json::from_value(record).unwrap()
}

pub(super) fn with<T>(
    head: &Head,
    status: RunStatus,
    approvals: &[ApprovalRecord],
    unknown: &[String],
    see: impl FnOnce(&Done<'_>) -> T,
) -> T {
    let (state, at) = (state(unknown), Timestamp::UNIX_EPOCH);
    let (outcomes, written, profile) = (&crate::outcomes::Outcomes::default(), &[][..], None);
    let mut record = RunRecord::default();
    record.add_destination("document", "success");
    let (record, response) = (&record, Some(&answer()));
    see(&Done {
        head,
        state: &state,
        status,
        approvals,
        outcomes,
        written,
        record,
        response,
        profile,
        parked: None,
        occasion: None,
        at,
    })
}

/// What a run gave back.
fn answer() -> Response {
    serde_json::from_value(json!({
        "format": "markdown", "content": "# People\n\nAnn\\_of Turin.\n\n---\n- Run: `run_1`\n", "bytes": 40,
        "outputs": [{ "destination": "document", "status": "success" }, { "destination": "chat", "status": "skipped" }],
        "entities": 3, "new_entities": 1,
    }))
    .unwrap()
}

#[test]
fn f_190_the_notification_has_the_first_lines_of_the_answer_and_the_mail_has_none() {
    let head = head("background");
    let (mail, message) = with(&head, RunStatus::Complete, &[], &[], |done| {
        (letter(done, None).render().unwrap(), message(done))
    });
    let expect =
        "Written: document. Entities resolved: 3, new: 1. The answer: People\nAnn_of Turin.";
    assert!(message.contains(expect), "{message}");
    assert!(!mail.text.contains("Ann"), "{}", mail.text);
}

#[test]
fn f_311_mail_and_notification_say_that_something_could_not_be_read() {
    let warning = |step: &str, count: u64| json!({ "step": step, "count": count, "hash": "" });
    let warnings = serde_json::from_value(json!([warning("read", 12), warning("total", 1)]));
    let head = Head { warnings: warnings.unwrap(), ..head("background") };
    let (mail, message) = with(&head, RunStatus::Complete, &[], &[], |done| {
        (letter(done, None).render().unwrap(), message(done))
    });
    let told = " With 12 warnings in `read`, 1 warning in `total`.";
    assert!(message.contains(told), "{message}");
    let told = "13 about what it is based on, see the record";
    assert!(mail.text.contains(&format!("Warnings  {told}")), "{}", mail.text);
    assert!(mail.html.contains(told), "{}", mail.html);
}

#[test]
fn f_190_owner_and_requester_are_told_once_each() {
    let shared = head("background");
    assert_eq!(told(&shared), BTreeSet::from([&user(1), &user(2)]));
    let own = Head { invoked_by: user(1), ..shared };
    assert_eq!(told(&own), BTreeSet::from([&user(1)]));
    let ids = |person: &UserId| {
        with(&own, RunStatus::Complete, &[], &[], |done| notification(done, person, "a").id)
    };
    assert_ne!(ids(&user(1)), ids(&user(2)));
}

#[test]
fn f_190_a_member_is_told_nothing_of_who_signed_and_where_results_went() {
    let team = json!({ "team_id": countersign_run::TeamId::from_bytes([3; 16]), "team_file_access": false, "team_post_access": false });
    let head = Head { team_context: serde_json::from_value(team).unwrap(), ..head("background") };
    let approvals = [denied("stop")];
    with(&head, RunStatus::Rejected, &approvals, &[], |done| {
        let told = |person: u8, may_read| told_to(done, &user(person), "a", may_read);
        let (owner, member) = (told(1, true), told(2, true));
        assert!(
            owner.message.contains("maria") && owner.details.contains_key("output_destinations")
        );
        assert!(!member.message.contains("maria"), "{}", member.message);
        let without = told(2, false).message;
        assert!(member.message.starts_with(&without) && !without.contains("answer"), "{without}");
        assert!(member.message.contains(" The answer: "), "{}", member.message);
        assert_eq!(Vec::from_iter(member.details.keys()), ["execution_id", "status"]);
        let mail = members::letter(done.head, letter(done, None)).render().unwrap();
        assert!(!mail.text.contains("maria"), "{}", mail.text);
        assert!(
            mail.text.contains("countersign teams runs team_") && !mail.html.contains("href="),
            "{}",
            mail.text
        );
    });
    assert!(members::path(&head).is_some_and(|path| path.contains("/teams/team_")));
}

#[test]
fn f_190_the_mail_about_a_run_of_an_agent_that_is_removed_promises_no_answer() {
    let team = json!({ "team_id": countersign_run::TeamId::from_bytes([3; 16]), "team_file_access": false, "team_post_access": false });
    let team_context = serde_json::from_value(team).unwrap();
    let head = Head { team_context, profile_id: String::new(), ..head("background") };
    with(&head, RunStatus::Complete, &[], &[], |done| {
        let mail = members::letter(done.head, letter(done, None)).render().unwrap();
        for body in [&mail.text, &mail.html] {
            assert!(
                body.contains("Its agent is removed: what it gave back is not shown"),
                "{body}"
            );
            assert!(!body.contains("notifications"), "{body}");
        }
        // Nobody may read an answer of an agent that is not there, in a notification either.
        let told = told_to(done, &user(2), "a", false).message;
        assert!(!told.contains("answer"), "{told}");
    });
}

#[test]
fn r_067_a_run_that_only_skips_its_gates_was_watched_like_one_that_is_complete() {
    let with_code = |code: &str| {
        let mut state = state(&[]);
        state.steps.iter_mut().for_each(|(_, step)| step.code = Some(code.to_owned()));
        state
    };
    let skipped = with_code(countersign_run::GATE_NOT_ASKED);
    assert!(only_skipped(RunStatus::Partial, &skipped));
    assert!(!only_skipped(RunStatus::Error, &skipped));
    assert!(!only_skipped(RunStatus::Partial, &with_code("GATE_DENIED")));
}

fn check_watched(context: &str, status: RunStatus, unknown: &[String], expect: bool) {
    let head = head(context);
    assert_eq!(with(&head, status, &[], unknown, was_watched), expect, "{context} {status:?}");
}

#[test]
fn f_190_only_a_success_that_somebody_waited_for_is_not_mailed() {
    check_watched("interactive", RunStatus::Complete, &[], true);
    check_watched("background", RunStatus::Complete, &[], false);
    check_watched("scheduled", RunStatus::Complete, &[], false);
    for status in [
        RunStatus::Partial,
        RunStatus::Rejected,
        RunStatus::Timeout,
        RunStatus::Error,
        RunStatus::Cancelled,
    ] {
        check_watched("interactive", status, &[], false);
    }
    check_watched("interactive", RunStatus::Complete, &["pay".to_owned()], false);
    assert!(did_nothing(RunStatus::Suppressed) && !did_nothing(RunStatus::Cancelled));
}

#[test]
fn a_164_the_mail_says_that_there_is_a_note_and_the_notification_holds_it() {
    let (head, records) = (head("background"), [denied("stop")]);
    let (mail, note) = with(&head, RunStatus::Rejected, &records, &[], |done| {
        (letter(done, None).render().unwrap(), notification(done, &user(1), "address"))
    });
    assert_eq!(mail.subject, "Payer: denied");
    for body in [&mail.text, &mail.html] {
        assert!(body.contains("denied by maria") && body.contains("maria left a note"), "{body}");
        assert!(!body.contains("evil") && !body.contains("look"), "{body}");
    }
    assert!(note.message.contains(NOTE), "{}", note.message);
    assert_eq!(serde_json::to_value(note.notification_type).unwrap(), "agent_job_complete");
    let details = json!({
        "execution_id": head.run, "status": "rejected", "entities_discovered": 0,
        "output_destinations": [{ "destination": "document", "status": "success", "count": 1 }],
    });
    assert_eq!(Value::Object(note.details), details);
    assert_eq!(note.action_url.as_deref(), Some("address"));
}

#[test]
fn k_13_a_gate_that_was_skipped_is_told_at_the_end() {
    let (head, records) = (head("background"), [denied("skip")]);
    let (mail, message) = with(&head, RunStatus::Partial, &records, &[], |done| {
        (letter(done, None).render().unwrap(), message(done))
    });
    assert!(mail.text.contains("the run went on without the steps behind it"), "{}", mail.text);
    assert!(message.contains("The run went on"), "{message}");
}

#[test]
fn an_unknown_outcome_is_the_first_thing_said() {
    let head = head("interactive");
    let unknown = ["pay".to_owned()];
    let (mail, message) = with(&head, RunStatus::Cancelled, &[], &unknown, |done| {
        (letter(done, Some(Label::new("ana"))).render().unwrap(), message(done))
    });
    assert_eq!(mail.subject, "Payer: outcome unknown");
    assert!(
        mail.text.contains("Cancelled by ana") && mail.text.contains("look there"),
        "{}",
        mail.text
    );
    assert!(message.contains("`pay`"), "{message}");
}
