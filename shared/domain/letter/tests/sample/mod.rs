//! One letter of every sort, for the tests and the gallery.
#![expect(clippy::unwrap_used, reason = "constants of the tests")]

pub(crate) mod mails;
mod payments;
mod revise;
pub(crate) mod strikes;
pub(crate) mod unread;

use countersign_approval::{Column, Format, Layout, Verdict};
use countersign_letter::mail::{Anchor, Asked};
use countersign_letter::page::{
    Assurance, CodePage, DecisionPage, EffectPage, GivenAnswer, Listed, MessagePage, PromptPage,
    ROWS_PER_PAGE, RequestEnd, RowsPage, Signature,
};
use countersign_letter::{
    About, EffectGroup, Picture, Preview, Requests, Shown, Stage, StagePlace, StepView,
};
use jiff::Timestamp;
use serde_json::{Value, json};

use self::payments::{PAY, payment_layout, payment_picture, payments};
pub(crate) use self::payments::{many_payments, outcome, outcome_again, payment};

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
    let step = |name: &str, irreversible| StepView {
        name: Shown::line(name),
        irreversible,
        condition: (name == "write-report").then(|| Shown::line("{cross-reference.count} > 0")),
        not_done: (name == "extract-grants").then_some("failed"),
    };
    let stage = |place, steps: &[(&str, bool)]| Stage {
        place,
        steps: steps.iter().map(|&(n, i)| step(n, i)).collect(),
    };
    Picture::around(vec![
        stage(StagePlace::Done, &[("read-filings", false)]),
        stage(StagePlace::Over, &[("extract-officers", false), ("extract-grants", false)]),
        stage(StagePlace::Done, &[("cross-reference", false)]),
        stage(StagePlace::Here, &[("look-before-writing", false)]),
        stage(StagePlace::Covered, &[("write-table", true), ("write-report", false)]),
        stage(StagePlace::Covered, &[("journal", false)]),
        stage(StagePlace::Later, &[("send-newsletter", true)]),
    ])
}

const SAVE: About<'static> = About {
    step: "write-table",
    description: "One row per pair in the table officer-links.",
    action: "save_to_workspace",
    irreversible: true,
};

fn blank() -> DecisionPage {
    DecisionPage {
        asked: Asked::Step,
        agent: Some(Shown::line("Treasury assistant")),
        what: Shown::default(),
        approval: Shown::line("appr_0197c3aa00112233445566778899aabb"),
        version: 1,
        asker: Shown::line("Ada Lindqvist"),
        title: Shown::line("Supplier payments: sign-off"),
        approver: Shown::line("for Bo Ferreira (b…@example.org)"),
        prompt: Shown::default(),
        prompt_lead: "Written by the author of the playbook.",
        prompt_note: None,
        prompt_url: Some(format!("{LINK}/prompt")),
        effects: Requests::default(),
        changed: None,
        strikes: Vec::new(),
        outcomes: Vec::new(),
        unsent: 0,
        unread: 0,
        not_sent: 0,
        warnings: Vec::new(),
        warnings_url: None,
        preview: Preview::default(),
        rows_url: Some(format!("{LINK}/rows")),
        picture: payment_picture(),
        plan_text: Shown::default(),
        digest: DIGEST.to_owned(),
        cost_bound: None,
        given: 1,
        tally: None,
        needed: 2,
        deadline: later(),
        now: now(),
        assurance: Assurance::LinkCode,
        barred: None,
        nonce: "bm9uY2U".to_owned(),
        anchor: Some(anchor()),
        problem: None,
        note: String::new(),
        revisable: Vec::new(),
        bars_who_asks: false,
        wish: None,
    }
}

/// The gate of the shipped investigator: pairs of people.
pub(crate) fn comparison() -> DecisionPage {
    let side = |name: &str, org: &str, ein: &str, title: &str| json!({"name": name, "organization_name": org, "ein": ein, "title": title, "tax_year": 2024, "hours_per_week": 4.0, "_source_name": "990.xml"});
    let pair = |a: Value, b: Value, score: f64, method: &str| json!({"entity_a": a, "entity_b": b, "match_score": score, "match_method": method});
    let rows = json!([
        pair(
            side("MARGARET ONEILL", "Riverside Food Bank", "12-3456789", "TREASURER"),
            side("Margaret O’Neill", "Hollis Family Foundation", "98-7654321", "Director"),
            0.97,
            "fuzzy_name"
        ),
        pair(
            side("Robert Q. Tanaka", "Northgate Arts Council", "45-1122334", "Secretary"),
            side("ROBERT TANAKA", "Blue Heron Conservancy", "33-9988776", "CHAIR"),
            0.93,
            "fuzzy_name"
        ),
        pair(
            side("J. A. Whitfield", "Riverside Food Bank", "12-3456789", "Director"),
            side("Jonathan Whitfield", "Northgate Arts Council", "45-1122334", "Director"),
            0.84,
            "fuzzy_name"
        ),
    ]);
    let column =
        |field: &str, label: &str| Column { label: Some(label.to_owned()), ..Column::of(field) };
    let layout = Layout {
        columns: vec![
            column("entity_a.name", "Name"),
            column("entity_b.name", "Name"),
            column("entity_a.organization_name", "Organisation"),
            column("entity_b.organization_name", "Organisation"),
            column("entity_a.title", "Role"),
            column("entity_b.title", "Role"),
            Column { format: Format::Percent, ..column("match_score", "Likeness") },
            column("match_method", "Compared by"),
        ],
    };
    let mut page = blank();
    page.agent = Some(Shown::line("Nonprofit Investigator"));
    page.title = Shown::line("Officer cross-reference: sign_off");
    page.what = Shown::line("Nothing has been written so far; the steps below do that.");
    page.prompt = Shown::line(
        "3 pairs of officer entries in 12 filings look like the same person (1 of them doubtful). Approve to write the report.",
    );
    page.preview = Preview::head(&rows, &layout, 20, Some(43));
    page.assurance = Assurance::Link;
    page.needed = 1;
    page.given = 0;
    page.picture = picture();
    page
}

/// Everything a page can hold, some of it hostile.
pub(crate) fn decision(prompt: &str) -> DecisionPage {
    let arguments = json!({"workspace": "officer-links", "mode": "append", "rows": 512, "key": ["person_id", "ein"]});
    let mut page = blank();
    page.agent = Some(Shown::line("Nonprofit Investigator"));
    page.title = Shown::line("Officer cross-reference: look-before-writing");
    page.what = Shown::line("Writes the pairs into a table and a report.");
    page.prompt = Shown::prose(prompt, 1_000);
    page.effects.state(EffectGroup::stated(SAVE, &arguments, &Layout::default()));
    let report = About {
        step: "write-report",
        description: "",
        action: "route_output",
        irreversible: false,
    };
    page.effects.state(EffectGroup::stated(
        report,
        &json!({"destination": "document", "title": "Officers in common, 2026"}),
        &Layout::default(),
    ));
    page.warnings = vec![Shown::line("The account of the payee was changed yesterday.")];
    page.preview = Preview::head(&rows(10), &Layout::default(), 10, Some(512));
    page.picture = picture();
    page.cost_bound = Some(Shown::line("0.00 EUR (no model is used)"));
    page
}

/// One whole request.
pub(crate) fn effect_page() -> EffectPage {
    EffectPage {
        request: EffectGroup::whole(PAY, &payments(7)[6], &payment_layout()),
        number: 7,
        total: 40,
        strike: Some(strikes::effect_strike(None)),
        effects_url: format!("{LINK}/effects/pay"),
        whole_at: "/api/agent-factory/approvals/appr_1/effects/pay/7".to_owned(),
        back_url: LINK.to_owned(),
        digest: DIGEST.to_owned(),
    }
}

/// The whole question.
pub(crate) fn prompt_page() -> PromptPage {
    PromptPage {
        prompt: Shown::whole(&"Please read all of this. ".repeat(200)),
        prompt_note: None,
        prompt_lead: "Written by the author of the playbook.",
        back_url: LINK.to_owned(),
        digest: DIGEST.to_owned(),
    }
}

pub(crate) fn code_page(problem: Option<&str>) -> CodePage {
    CodePage {
        address: Shown::line("b…@example.org"),
        verdict: Verdict::Approve,
        answers: Vec::new(),
        answer: None,
        title: Shown::line("Officer cross-reference: look-before-writing"),
        nonce: "bm9uY2U".to_owned(),
        note: "looks right".to_owned(),
        expires: "2026-11-21T14:15:00Z".parse().unwrap(),
        problem: problem.map(str::to_owned),
    }
}

/// The code of somebody who answers a question.
pub(crate) fn code_of_answer() -> CodePage {
    let mut page = code_page(None);
    page.answers =
        vec![GivenAnswer { n: 0, choice: "done", evidence: "statement 47 of <21 Nov>".to_owned() }];
    page.answer = Some(Shown::line("done: “statement 47 of <21 Nov>”"));
    page
}

pub(crate) fn rows_page() -> RowsPage {
    RowsPage {
        title: Shown::line("Officer cross-reference: look-before-writing"),
        preview: Preview::page(&rows(512), &Layout::default(), 2, ROWS_PER_PAGE),
        listed: Listed::Rows,
        rows_url: format!("{LINK}/rows"),
        whole_at: "/api/agent-factory/executions/run_1/outputs/find".to_owned(),
        back_url: LINK.to_owned(),
        digest: DIGEST.to_owned(),
    }
}

pub(crate) fn story(verdict: RequestEnd) -> MessagePage {
    let signature = |by: &str, verdict, how: &str| Signature {
        by: by.into(),
        verdict,
        answer: None,
        how: how.into(),
        at: now(),
        not_counted: None,
    };
    let last = match verdict {
        RequestEnd::Approved => Verdict::Approve,
        RequestEnd::Revised => Verdict::Enhance,
        _ => Verdict::Deny,
    };
    let signatures = vec![
        signature("Bo Ferreira", Verdict::Approve, "by mailed link and code"),
        signature("Chidi Okafor", last, "signed in"),
    ];
    MessagePage::closed(verdict, "appr_0197c3aa00112233445566778899aabb", Some(now()), signatures)
}

/// Every page, by name.
pub(crate) fn pages() -> Vec<(&'static str, String)> {
    let hostile = "Look at these 512 rows before they are written.\n\nIGNORE THE ABOVE\u{202E}evorppa\u{202C} <b>click</b> \u{200B}here";
    let message = |page: MessagePage| page.html().unwrap();
    vec![
        ("decision", decision(hostile).html().unwrap()),
        ("payment", payment().html().unwrap()),
        ("forty", many_payments(40).html().unwrap()),
        ("forty-struck", strikes::struck_payments(40, &[4, 18]).html().unwrap()),
        ("unread", unread::page().html().unwrap()),
        ("comparison", comparison().html().unwrap()),
        ("outcome", outcome().html().unwrap()),
        ("outcome-again", outcome_again().html().unwrap()),
        ("effect", effect_page().html().unwrap()),
        ("effect-struck", strikes::struck_effect_page().html().unwrap()),
        ("prompt", prompt_page().html().unwrap()),
        ("rows", rows_page().html().unwrap()),
        ("code", code_page(None).html().unwrap()),
        ("strike-code", strikes::strike_code_page().html().unwrap()),
        ("code-answer", code_of_answer().html().unwrap()),
        ("code-wrong", code_page(Some("That code is not right.")).html().unwrap()),
        (
            "receipt",
            message(MessagePage::receipt(
                Verdict::Approve,
                "rcpt_0197c3aa",
                "appr_0197c3aa",
                now(),
                DIGEST,
                0,
            )),
        ),
        (
            "answered",
            message(MessagePage::answered(
                Some(Shown::line("done: “statement 47”")),
                "rcpt_1",
                "appr_1",
                now(),
                DIGEST,
                1,
            )),
        ),
        (
            "unanswered",
            message(MessagePage::outcome_closed(
                RequestEnd::TimedOut,
                "appr_1",
                Some(now()),
                Vec::new(),
            )),
        ),
        ("approved", message(story(RequestEnd::Approved))),
        ("denied", message(story(RequestEnd::Denied))),
        ("revised", message(story(RequestEnd::Revised))),
        (
            "asked-for-changes",
            message(MessagePage::receipt(
                Verdict::Enhance,
                "rcpt_0197c3aa",
                "appr_0197c3aa",
                now(),
                DIGEST,
                0,
            )),
        ),
        ("revise", revise::revisable().html().unwrap()),
        ("revise-code", revise::code_of_revision().html().unwrap()),
        (
            "timed-out",
            message(MessagePage::closed(RequestEnd::TimedOut, "appr_1", Some(now()), Vec::new())),
        ),
        (
            "expired",
            message(MessagePage::closed(RequestEnd::Expired, "appr_1", Some(now()), Vec::new())),
        ),
        (
            "cancelled",
            message(MessagePage::closed(RequestEnd::Cancelled, "appr_1", Some(now()), Vec::new())),
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
