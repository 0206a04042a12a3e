//! A mail of every sort.

use countersign_approval::Verdict;
use countersign_letter::Label;
use countersign_letter::mail::{
    ApprovalMail, Asked, CodeMail, DeadlineNotice, DecisionFact, Ending, FinishedMail, MailLink,
    Reader, Rendered, SourceAlert, StrikeNotice, TooFewMail, TroubleMail, Why,
};

use super::{LINK, anchor, later, now};

pub(crate) fn approval_mail(why: Why) -> ApprovalMail {
    ApprovalMail {
        asked: Asked::Step,
        approval: Label::new("appr_0197c3aa00112233445566778899aabb"),
        run: Some(Label::new("run_0197c3aa00112233445566778899aabb")),
        asker: Label::new("Ada Lindqvist"),
        on_behalf: None,
        about: Label::new("Officer cross-reference"),
        link: MailLink::parse(LINK).unwrap(),
        deadline: later(),
        now: now(),
        given: 1,
        needed: 2,
        anchor: Some(anchor()),
        why,
        unread: 0,
    }
}

/// Some of what is signed could not be read.
pub(crate) fn unread_mail() -> ApprovalMail {
    ApprovalMail { unread: 3, ..approval_mail(Why::New) }
}

/// Somebody struck requests out since.
fn struck_mail() -> ApprovalMail {
    let by = Label::new("Ann Whitfield");
    let strike = StrikeNotice { by, struck: 2, restored: 0, left: 38, count: 40 };
    ApprovalMail { given: 0, ..approval_mail(Why::Struck(strike)) }
}

/// Somebody gave it more time since.
fn extended_mail() -> ApprovalMail {
    let (by, from) = (Label::new("Ann Whitfield"), "2026-11-24T14:05:00Z".parse().unwrap());
    approval_mail(Why::Extended(DeadlineNotice { by, from, to: later() }))
}

/// Somebody asked for changes of what was to be signed.
fn revised_mail() -> ApprovalMail {
    ApprovalMail { given: 0, ..approval_mail(Why::Revised(Label::new("Ann Whitfield"))) }
}

pub(crate) fn code_mail() -> CodeMail {
    CodeMail {
        code: "481516".to_owned(),
        approval: Label::new("appr_0197c3aa00112233445566778899aabb"),
        verdict: Verdict::Approve,
        striking: false,
        answer: None,
        about: Label::new("Officer cross-reference"),
        expires: "2026-11-21T14:15:00Z".parse().unwrap(),
    }
}

pub(crate) fn finished_mail() -> FinishedMail {
    FinishedMail {
        reader: Reader::Owner,
        run: Label::new("run_0197c3aa00112233445566778899aabb"),
        occurrence: None,
        attempt: None,
        asked_by: None,
        again: None,
        parked: None,
        warnings: 0,
        status: Label::new("complete"),
        profile: Label::new("Nonprofit Investigator"),
        playbook: Some(Label::new("officer-cross-reference")),
        started: now(),
        finished: "2026-11-21T14:11:00Z".parse().unwrap(),
        steps_done: 9,
        steps_skipped: 0,
        steps: 9,
        decisions: vec![DecisionFact {
            ending: Ending::Approved,
            by: vec![Label::new("maria"), Label::new("tom")],
            at: "2026-11-21T14:10:00Z".parse().unwrap(),
            noted: vec![Label::new("tom")],
            went_on: false,
        }],
        error: None,
        cancelled_by: None,
        unknown: 0,
    }
}

/// A run of which one request was denied and one not decided, which went on, failed and left an effect in doubt.
pub(crate) fn failed_mail() -> FinishedMail {
    let fact = |ending, by: &[&str], noted: &[&str], went_on| DecisionFact {
        ending,
        by: by.iter().map(|name| Label::new(name)).collect(),
        at: now(),
        noted: noted.iter().map(|name| Label::new(name)).collect(),
        went_on,
    };
    FinishedMail {
        status: Label::new("outcome unknown"),
        steps_done: 3,
        steps_skipped: 1,
        decisions: vec![
            fact(Ending::Denied, &["maria"], &["maria"], true),
            fact(Ending::TimedOut, &[], &[], true),
            fact(Ending::Revised, &["maria"], &[], false),
            fact(Ending::Closed, &[], &[], false),
        ],
        error: Some(Label::new("HTTP_STATUS")),
        cancelled_by: Some(Label::new("ana")),
        unknown: 1,
        occurrence: Some(Label::new("mon_0197c3aa-20261121T140500Z")),
        attempt: Some(Label::new("third attempt")),
        asked_by: Some(Label::new("New filings")),
        again: Some(Label::new("at the next check")),
        parked: Some(2),
        warnings: 12,
        ..finished_mail()
    }
}

/// A monitor that has not been able to look since yesterday.
pub(crate) fn trouble_mail(trouble: SourceAlert) -> TroubleMail {
    TroubleMail {
        trouble,
        id: Label::new("mon_0197c3aa00112233445566778899aabb"),
        name: Label::new("New filings"),
        since: now(),
        code: Label::new("SAVED_TOKEN_REVOKED"),
        occurrence: None,
        link: MailLink::parse(LINK).ok(),
    }
}

/// A request that takes two approvals, with this many who can give one.
fn too_few_mail(able: u32) -> TooFewMail {
    TooFewMail {
        asked: Asked::Step,
        approval: Label::new("appr_0197c3aa00112233445566778899aabb"),
        run: Label::new("run_0197c3aa00112233445566778899aabb"),
        about: Label::new("Officer cross-reference"),
        deadline: later(),
        now: now(),
        able,
        needed: 2,
    }
}

/// Every mail, by name.
pub(crate) fn mails() -> Vec<(&'static str, Rendered)> {
    vec![
        ("failing", trouble_mail(SourceAlert::Failing).render().unwrap()),
        ("failing-in-part", trouble_mail(SourceAlert::FailingInPart).render().unwrap()),
        ("parked", trouble_mail(SourceAlert::Parked { items: 2, batches: 1 }).render().unwrap()),
        (
            "left-out",
            trouble_mail(SourceAlert::SkippedOccurrence { is_missed: false }).render().unwrap(),
        ),
        ("approval", approval_mail(Why::New).render().unwrap()),
        ("reminder", approval_mail(Why::Reminder).render().unwrap()),
        ("extended", extended_mail().render().unwrap()),
        ("revised", revised_mail().render().unwrap()),
        ("unread", unread_mail().render().unwrap()),
        ("struck", struck_mail().render().unwrap()),
        ("too-few", too_few_mail(1).render().unwrap()),
        ("code", code_mail().render().unwrap()),
        ("finished", finished_mail().render().unwrap()),
        ("failed", failed_mail().render().unwrap()),
    ]
}
