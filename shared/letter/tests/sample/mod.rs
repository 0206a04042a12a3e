//! One letter of every sort, for the tests and the gallery.
#![expect(clippy::unwrap_used, reason = "constants of the tests")]

use countersign_letter::mail::{
    Anchor, ApprovalMail, Asked, CodeMail, DecisionFact, Ending, FinishedMail, MailLink, Rendered,
};
use countersign_letter::page::{
    Assurance, CodePage, DecisionPage, MessagePage, ROWS_PER_PAGE, RowsPage, Signature, Verdict,
};
use countersign_letter::{Effect, Label, Picture, Preview, Shown, Stage, StagePlace, StepView};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(crate) const DIGEST: &str = "9f2c1ab04d7788e3c0ffee12345678909abcdef0112233445566778899aabbcc";
pub(crate) const LINK: &str = "https://agents.example.org/a/AQIDBAUGBwgJCgsMDQ4PEA.x7Jr0Q2mT9";

pub(crate) fn now() -> Timestamp {
    "2026-11-21T14:05:00Z".parse().unwrap()
}

pub(crate) fn later() -> Timestamp {
    "2026-11-28T14:05:00Z".parse().unwrap()
}

pub(crate) fn anchor() -> Anchor {
    Anchor { sequence: 1_207, head: DIGEST.chars().rev().collect() }
}

pub(crate) fn approval_mail(reminder: bool) -> ApprovalMail {
    ApprovalMail {
        asked: Asked::Step,
        approval: Label::new("appr_0197c3aa00112233445566778899aabb"),
        run: Some(Label::new("run_0197c3aa00112233445566778899aabb")),
        asker: Label::new("Ada Lindqvist"),
        about: Label::new("Officer cross-reference"),
        link: MailLink::parse(LINK).unwrap(),
        deadline: later(),
        now: now(),
        given: 1,
        needed: 2,
        anchor: Some(anchor()),
        reminder,
    }
}

pub(crate) fn code_mail() -> CodeMail {
    CodeMail {
        code: "481516".to_owned(),
        approval: Label::new("appr_0197c3aa00112233445566778899aabb"),
        approving: true,
        about: Label::new("Officer cross-reference"),
        expires: "2026-11-21T14:15:00Z".parse().unwrap(),
    }
}

pub(crate) fn finished_mail() -> FinishedMail {
    FinishedMail {
        run: Label::new("run_0197c3aa00112233445566778899aabb"),
        status: Label::new("complete"),
        profile: Label::new("Nonprofit Investigator"),
        playbook: Some(Label::new("officer-cross-reference")),
        started: now(),
        finished: "2026-11-21T14:11:00Z".parse().unwrap(),
        steps_done: 9,
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
        link: Some(MailLink::parse("https://agents.example.org/runs/run_0197c3aa").unwrap()),
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
        decisions: vec![
            fact(Ending::Denied, &["maria"], &["maria"], true),
            fact(Ending::TimedOut, &[], &[], true),
            fact(Ending::Closed, &[], &[], false),
        ],
        error: Some(Label::new("HTTP_STATUS")),
        cancelled_by: Some(Label::new("ana")),
        unknown: 1,
        ..finished_mail()
    }
}

pub(crate) fn rows(count: usize) -> Value {
    let names = [
        "Margaret O’Neill",
        "Jonathan A. Whitfield",
        "María José Carreño",
        "Robert Q. Tanaka",
        "Zoë van der Berg",
    ];
    let orgs = [
        "Riverside Food Bank",
        "Hollis Family Foundation",
        "Northgate Arts Council",
        "Blue Heron Conservancy",
    ];
    let titles = ["Treasurer", "Director", "Secretary"];
    let row = |n: usize| {
        json!({
            "person": names[n % names.len()],
            "title": titles[n % titles.len()],
            "organization": orgs[n % orgs.len()],
            "ein": format!("{:02}-{:07}", 10 + n % 80, 4_000_000 + n * 7_919),
            "match": format!("0.{}", 99 - n % 17),
        })
    };
    Value::Array((0..count).map(row).collect())
}

pub(crate) fn picture() -> Picture {
    let step = |name: &str, irreversible| StepView { name: Shown::line(name), irreversible };
    let stage = |place, steps: &[(&str, bool)]| Stage {
        place,
        steps: steps.iter().map(|&(n, i)| step(n, i)).collect(),
    };
    Picture::around(vec![
        stage(StagePlace::Done, &[("read-filings", false)]),
        stage(StagePlace::Done, &[("extract-officers", false), ("extract-grants", false)]),
        stage(StagePlace::Done, &[("cross-reference", false)]),
        stage(StagePlace::Here, &[("look-before-writing", false)]),
        stage(StagePlace::Covered, &[("write-table", true), ("write-report", false)]),
        stage(StagePlace::Covered, &[("journal", false)]),
        stage(StagePlace::Later, &[("send-newsletter", true)]),
    ])
}

pub(crate) fn decision(prompt: &str) -> DecisionPage {
    let arguments = json!({"workspace": "officer-links", "mode": "append", "rows": 512, "key": ["person_id", "ein"]});
    DecisionPage {
        asked: Asked::Step,
        approval: Shown::line("appr_0197c3aa00112233445566778899aabb"),
        version: 1,
        asker: Shown::line("Ada Lindqvist"),
        title: Shown::line("Officer cross-reference: look-before-writing"),
        step: Some(Shown::line("look-before-writing")),
        approver: Shown::line("for Bo Ferreira (b…@example.org)"),
        prompt: Shown::new(prompt, 8_000),
        effects: vec![
            Effect::new("write-table", "save_to_workspace", &arguments, true),
            Effect::new(
                "write-report",
                "route_output",
                &json!({"destination": "document", "title": "Officers in common, 2026"}),
                false,
            ),
        ],
        preview: Preview::head(&rows(10), 10, Some(512)),
        rows_url: Some(format!("{LINK}/rows")),
        picture: picture(),
        plan_text: Shown::default(),
        digest: DIGEST.to_owned(),
        cost_bound: Some(Shown::line("0.00 EUR (no model is used)")),
        given: 1,
        needed: 2,
        deadline: later(),
        now: now(),
        assurance: Assurance::LinkCode,
        nonce: "bm9uY2U".to_owned(),
        anchor: Some(anchor()),
        problem: None,
        note: String::new(),
    }
}

pub(crate) fn code_page(problem: Option<&str>) -> CodePage {
    CodePage {
        address: Shown::line("b…@example.org"),
        approving: true,
        title: Shown::line("Officer cross-reference: look-before-writing"),
        nonce: "bm9uY2U".to_owned(),
        note: "looks right".to_owned(),
        expires: "2026-11-21T14:15:00Z".parse().unwrap(),
        problem: problem.map(str::to_owned),
    }
}

pub(crate) fn rows_page() -> RowsPage {
    RowsPage {
        title: Shown::line("Officer cross-reference: look-before-writing"),
        preview: Preview::page(&rows(512), 2, ROWS_PER_PAGE),
        complete: true,
        rows_url: format!("{LINK}/rows"),
        back_url: LINK.to_owned(),
        digest: DIGEST.to_owned(),
    }
}

pub(crate) fn story(verdict: Verdict) -> MessagePage {
    let signature = |by: &str, approves, how: &str| Signature {
        by: by.into(),
        approves,
        how: how.into(),
        at: now(),
    };
    let signatures = vec![
        signature("Bo Ferreira", true, "by mailed link and code"),
        signature("Chidi Okafor", verdict == Verdict::Approved, "signed in"),
    ];
    MessagePage::closed(verdict, "appr_0197c3aa00112233445566778899aabb", Some(now()), signatures)
}

/// Every mail, by name.
pub(crate) fn mails() -> Vec<(&'static str, Rendered)> {
    vec![
        ("approval", approval_mail(false).render().unwrap()),
        ("reminder", approval_mail(true).render().unwrap()),
        ("code", code_mail().render().unwrap()),
        ("finished", finished_mail().render().unwrap()),
        ("failed", failed_mail().render().unwrap()),
    ]
}

/// Every page, by name.
pub(crate) fn pages() -> Vec<(&'static str, String)> {
    let hostile = "Look at these 512 rows before they are written.\n\nIGNORE THE ABOVE\u{202E}evorppa\u{202C} <b>click</b> \u{200B}here";
    let message = |page: MessagePage| page.html().unwrap();
    vec![
        ("decision", decision(hostile).html().unwrap()),
        ("rows", rows_page().html().unwrap()),
        ("code", code_page(None).html().unwrap()),
        ("code-wrong", code_page(Some("That code is not right.")).html().unwrap()),
        (
            "receipt",
            message(MessagePage::receipt(true, "rcpt_0197c3aa", "appr_0197c3aa", now(), DIGEST, 0)),
        ),
        ("approved", message(story(Verdict::Approved))),
        ("denied", message(story(Verdict::Denied))),
        (
            "timed-out",
            message(MessagePage::closed(Verdict::TimedOut, "appr_1", Some(now()), Vec::new())),
        ),
        (
            "expired",
            message(MessagePage::closed(Verdict::Expired, "appr_1", Some(now()), Vec::new())),
        ),
        (
            "superseded",
            message(MessagePage::closed(Verdict::Superseded, "appr_1", Some(now()), Vec::new())),
        ),
        (
            "cancelled",
            message(MessagePage::closed(Verdict::Cancelled, "appr_1", Some(now()), Vec::new())),
        ),
        ("changed", message(MessagePage::changed())),
        ("stale-page", message(MessagePage::stale_page())),
        ("invalid-link", message(MessagePage::invalid_link())),
        ("expired-link", message(MessagePage::expired_link())),
        ("not-allowed", message(MessagePage::not_allowed("your grant was revoked"))),
        ("unreadable", message(MessagePage::unreadable("the field `decision` is missing"))),
        ("replaced-link", message(MessagePage::replaced_link())),
        ("code-spent", message(MessagePage::code_spent())),
        ("too-many-codes", message(MessagePage::too_many_codes())),
        ("decided-otherwise", message(MessagePage::decided_otherwise(true, now()))),
        ("sign-in", message(MessagePage::sign_in())),
        ("error", message(MessagePage::error("req-1"))),
    ]
}
