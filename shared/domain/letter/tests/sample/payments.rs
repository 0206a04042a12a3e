//! Payments: the pages before they are sent, and the question what came of one.

use countersign_approval::{Column, Format, Layout};
use countersign_effect::view::{EffectView, samples};
use countersign_effect::{Effect, Part};
use countersign_letter::page::{DecisionPage, UnknownCallView};
use countersign_letter::{About, Picture, Requests, Shown, Stage, StagePlace, StepView, Strikes};

use super::strikes::push_payments;
use super::{DIGEST, LINK, blank};

pub(super) const PAY: About<'static> = About {
    step: "pay",
    description: "Pays the invoice that was matched with its order.",
    action: "call_connector",
    irreversible: true,
};

pub(super) fn payment_picture() -> Picture {
    let stage = |place, name: &str, irreversible| Stage {
        place,
        steps: vec![StepView {
            name: Shown::line(name),
            irreversible,
            condition: None,
            not_done: None,
        }],
    };
    Picture::around(vec![
        stage(StagePlace::Done, "Reads the open invoices.", false),
        stage(StagePlace::Done, "Compares each invoice with its order.", false),
        stage(StagePlace::Here, "Nothing is paid before somebody has signed.", false),
        stage(StagePlace::Covered, "Pays what was signed.", true),
        stage(StagePlace::Covered, "Tells the owner.", false),
    ])
}

/// The layout of a gate before payments.
pub(crate) fn payment_layout() -> Layout {
    let labelled =
        |field: &str, label: &str| Column { label: Some(label.to_owned()), ..Column::of(field) };
    let amount = Column {
        format: Format::Money,
        currency: Some("EUR".to_owned()),
        ..labelled("amount", "Amount")
    };
    Layout {
        columns: vec![
            amount,
            labelled("payee", "Payee"),
            labelled("account", "Account"),
            labelled("reference", "Reference"),
        ],
    }
}

/// So many payments.
pub(crate) fn payments(count: usize) -> Vec<EffectView> {
    const PAYEES: [&str; 8] = [
        "Nordwind Energie GmbH",
        "Papierhaus Lindner KG",
        "Fjord Logistics AS",
        "Atelier Moreau SARL",
        "Van der Berg Transport BV",
        "Rossi Elettronica S.p.A.",
        "Kowalski Maszyny Sp. z o.o.",
        "Blue Heron Consulting Ltd",
    ];
    let view = |n: usize| {
        let amount = format!("{}.{:02}", 120 + n * 7_919 % 9_000, n * 37 % 100);
        let account = format!(
            "DE{:02} {:04} 0000 {:04} {:04} {:02}",
            10 + n * 7 % 89,
            1_203 + n,
            n * 31 % 9_999,
            n * 7_919 % 9_999,
            n % 99
        );
        let Effect::Http(mut http) =
            samples::payment_of(&amount, PAYEES[n % PAYEES.len()], &account)
        else {
            panic!("not HTTP")
        };
        if let Some(body) = &mut http.body {
            body.text = body.text.replace("2026-0311", &format!("2026-{:04}", 300 + n));
        }
        for (name, part) in &mut http.headers {
            if name == "idempotency-key" {
                *part = Part::Text(format!("{:032x}", 0x9f86_d081_u64 * (n as u64 + 1)));
            }
        }
        EffectView::of(&Effect::Http(http))
    };
    (0..count).map(view).collect()
}

/// The page before one payment.
pub(crate) fn payment() -> DecisionPage {
    let mut page = blank();
    page.effects.push(
        PAY,
        &[EffectView::of(&samples::payment())],
        1,
        &payment_layout(),
        Some(LINK),
    );
    page.what = Shown::line(PAY.description);
    page.prompt = Shown::line(
        "Pay the invoice 2026-0311 of Nordwind Energie GmbH? It matches order 4711 to the cent.",
    );
    page.digest = DIGEST.to_owned();
    page
}

/// The page before so many payments.
pub(crate) fn many_payments(count: usize) -> DecisionPage {
    let mut page = payment();
    page.effects = Requests::default();
    page.what = Shown::line("Pays what was signed.");
    push_payments(&mut page, count, &Strikes { open: true, ..Strikes::default() });
    page.prompt = Shown::line("Pay the invoices that fall due this week? Each matches its order.");
    page
}

/// The page that asks what came of a payment.
pub(crate) fn outcome() -> DecisionPage {
    let mut page = blank();
    let mut request = Requests::default();
    request.push(PAY, &[EffectView::of(&samples::payment())], 1, &payment_layout(), None);
    page.what = Shown::line("The payment was sent, and its answer never came.");
    page.outcomes = vec![UnknownCallView {
        n: 1,
        what: Shown::line(PAY.description),
        approved: Shown::line("by Ann Whitfield, rcpt_0197c3aa00112233445566778899aabb"),
        sent_at: "2026-11-21T14:03:07Z".parse().unwrap(),
        look_for: Shown::line("key 9f86d081884c7d659a2feaa0c55ad015 at api.bank.example"),
        warning: Some(Shown::line(
            "The bank keeps keys for 24 hours; after that, sending again may pay twice.",
        )),
        request: request.groups.remove(0),
        chosen: None,
        evidence: String::new(),
    }];
    page.tally = Some("1 of 2 for done".to_owned());
    page
}

/// Two calls, after a form whose evidence was missing.
pub(crate) fn outcome_again() -> DecisionPage {
    let mut page = outcome();
    let mut other = page.outcomes[0].clone();
    (other.n, other.warning) = (3, None);
    (other.chosen, other.evidence) = (Some("done"), "<b>statement 47</b>".to_owned());
    page.outcomes[0].chosen = Some("done");
    page.outcomes.push(other);
    page.tally = None;
    page.problem = Some("`done` needs evidence.".to_owned());
    page
}
