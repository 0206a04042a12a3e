//! What every mail and every page keeps to.

use countersign_approval::Layout;
use countersign_letter::mail::{MailLink, Why};
use countersign_letter::page::content_security_policy;
use countersign_letter::{Preview, Shown};

mod bounds;
mod hostile;
mod sample;

#[test]
fn mails_read_well() {
    for (name, mail) in sample::mails::mails() {
        insta::assert_snapshot!(
            format!("mail-{name}"),
            format!("{}\n\n{}", mail.subject, mail.text)
        );
    }
}

#[test]
fn pages_keep_their_shape() {
    for (name, page) in sample::pages() {
        if ["decision", "payment", "comparison", "outcome", "code-wrong", "approved"]
            .contains(&name)
        {
            let start = page.find("<main>").unwrap();
            insta::assert_snapshot!(
                format!("page-{name}"),
                &page[start..page.find("</main>").unwrap()]
            );
        }
    }
}

#[test]
fn both_bodies_of_a_mail_say_the_same() {
    let mail = sample::mails::approval_mail(Why::New).render().unwrap();
    for part in [
        sample::LINK,
        "Ada Lindqvist",
        "Officer cross-reference",
        "28 Nov 2026, 14:05 UTC",
        "1207",
        "1 of 2 given",
    ] {
        assert!(mail.text.contains(part) && mail.html.contains(part), "{part}");
    }
}

#[test]
fn a_mail_holds_one_link_and_loads_nothing() {
    for (name, mail) in sample::mails::mails() {
        assert!(mail.html.matches("href=").count() <= 1, "{name}");
        for loads in ["<img", "<script", "src=", "url(", "<form", "@import"] {
            assert!(!mail.html.contains(loads), "{name}: {loads}");
        }
    }
}

#[test]
fn a_164_both_bodies_at_the_end_of_a_run_say_who_decided() {
    let mail = sample::mails::failed_mail().render().unwrap();
    for part in [
        "denied by maria, Sat 21 Nov 2026, 14:05 UTC; maria left a note; the run went on",
        "not decided in time, Sat 21 Nov 2026",
        "closed undecided",
        "one step happened",
        "HTTP_STATUS",
    ] {
        assert!(mail.text.contains(part) && mail.html.contains(part), "{part}: {}", mail.text);
    }
    let mut many = sample::mails::finished_mail();
    many.decisions = vec![many.decisions[0].clone(); 12];
    let text = many.render().unwrap().text;
    assert!(text.contains("and 2 more, see the record"), "{text}");
    assert_eq!(text.matches("approved by").count(), 10);
}

#[test]
fn mail_subjects_do_not_hold_codes() {
    let mail = sample::mails::code_mail().render().unwrap();
    assert!(mail.text.contains("481 516") && !mail.subject.contains("481"));
}

#[test]
fn links_in_mails_are_plain_addresses() {
    for bad in
        ["javascript:alert(1)", "http://a b", "https://a/\"onclick", "//a", "", "https://a/\n"]
    {
        assert!(MailLink::parse(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn pages_load_nothing_and_run_nothing() {
    for (name, page) in sample::pages() {
        for loads in [
            "<script",
            "src=",
            "url(",
            "@import",
            "<iframe",
            "<img",
            " style=",
            " onclick",
            "javascript:",
            "http-equiv",
        ] {
            assert!(!page.contains(loads), "{name}: {loads}");
        }
        assert_eq!(page.matches("<style>").count(), 1, "{name}");
        assert_eq!(page.matches("<h1>").count(), 1, "{name}");
        assert!(
            page.contains("<html lang=\"en\">") && page.contains("name=\"viewport\""),
            "{name}"
        );
    }
}

#[test]
fn the_policy_allows_exactly_the_embedded_style_sheet() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let (_, page) = sample::pages().remove(0);
    let start = page.find("<style>").unwrap() + "<style>".len();
    let style = &page[start..page.find("</style>").unwrap()];
    let hash =
        base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(style.as_bytes()));
    let policy = content_security_policy();
    assert!(policy.contains(&format!("'sha256-{hash}'")), "{policy}");
    assert!(
        policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
}

#[test]
fn only_pages_that_decide_or_strike_can_be_sent() {
    for (name, page) in sample::pages() {
        let sends = [
            "decision",
            "payment",
            "forty",
            "forty-struck",
            "effect",
            "effect-struck",
            "strike-code",
            "unread",
            "comparison",
            "outcome",
            "outcome-again",
            "code",
            "code-answer",
            "code-wrong",
            "revise",
            "revise-code",
        ]
        .contains(&name);
        assert_eq!(page.contains("<form method=\"post\""), sends, "{name}");
    }
}

#[test]
fn the_decision_page_shows_what_is_signed() {
    let page = sample::decision("Please look").html().unwrap();
    let shown = [
        "Please look",
        "Showing 10 of 512",
        "See all 512 rows",
        "/rows\"",
        "<span>9f2c1ab0</span>",
        "<span>99aabbcc</span>",
        "1 of 2 given; yours would be the last",
        "Sat 28 Nov 2026, 14:05 UTC",
        "0.00 EUR",
        "cannot be undone",
        "name=\"nonce\" value=\"bm9uY2U\"",
        "maxlength=\"2000\"",
        "value=\"approve\"",
        "value=\"deny\"",
        "checkpoint 1207",
        "waiting for you",
        "needs a further approval",
    ];
    for part in shown {
        assert!(page.contains(part), "{part}");
    }
}

/// Where each of some texts begins on a page; they stand in this order.
fn in_order(page: &str, texts: &[&str]) {
    let main = &page[page.find("<main>").unwrap_or_default()..];
    let mut last = 0;
    for text in texts {
        let at = main.find(text).unwrap_or_else(|| panic!("`{text}` is not on the page"));
        assert!(at >= last, "`{text}` stands too early");
        last = at;
    }
}

#[test]
fn f_200_a_payment_is_read_from_its_target_down() {
    let mut page = sample::payment();
    page.warnings = vec![Shown::line("The account is new.")];
    page.preview = Preview::head(&sample::rows(3), &Layout::default(), 10, None);
    in_order(
        &page.html().unwrap(),
        &[
            "Treasury assistant",
            "asks for your signature",
            "Pays the invoice",
            "POST",
            "api.bank.example",
            "/v1/payments",
            "cred_0000",
            "1,250.00 EUR",
            "&#34;1250.00&#34;",
            "Nordwind Energie GmbH",
            "DE02 1203",
            "Invoice 2026-0311",
            "idempotency-key",
            "The account is new.",
            "Written by the author of the playbook",
            "Pay the invoice",
            "Riverside Food Bank",
            "Where the run stands",
            "What exactly you sign",
            "value=\"approve\"",
        ],
    );
}

#[test]
fn f_200_what_is_left_out_is_counted_and_linked() {
    let mut page = sample::many_payments(512);
    page.prompt = Shown::prose(&"x".repeat(13_345), 1_000);
    let html = page.html().unwrap();
    for part in [
        "12,345 characters left out",
        "/prompt\">Read all of it",
        "Showing 50 of 512 requests",
        "<strong>462 more requests</strong>",
        "/effects/pay/51\"",
        "/effects/pay/50\"",
        "Approving sends 512 requests that cannot be undone",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(
        sample::prompt_page().html().unwrap().matches("Please read all of this.").count() == 200
    );
}

#[test]
fn f_200_what_could_not_be_sent_stands_at_the_top_and_is_not_counted_as_sent() {
    let mut page = sample::many_payments(3);
    let why = "`pay` cannot be sent as things stand: the connector `bank` is not bound.";
    page.warnings = vec![Shown::line(why)];
    for (not_sent, above, below) in [
        (
            1,
            "1 of 3 requests would not be sent",
            "Approving sends 2 requests that cannot be undone",
        ),
        (3, "approving sends nothing. <a", "approving sends nothing. A code is mailed to you"),
    ] {
        page.not_sent = not_sent;
        in_order(&page.html().unwrap(), &[above, "See why", "Look closely", "is not bound", below]);
    }
    assert!(!page.html().unwrap().contains("Approving sends"));
}

#[test]
fn f_311_what_could_not_be_read_stands_at_the_top_and_is_named() {
    let html = sample::unread::page().html().unwrap();
    in_order(
        &html,
        &[
            "3 warnings about what this is based on",
            "Look closely",
            "old-invoices.xlsx: the file is empty",
            "$4,200.00",
        ],
    );
    let mail = sample::mails::unread_mail().render().unwrap();
    assert!(
        mail.text.contains("Warnings    3 about what this is based on, on the page"),
        "{}",
        mail.text
    );
    assert!(mail.html.contains("3 about what this is based on, on the page"));
}

#[test]
fn f_200_pairs_are_compared_side_by_side() {
    let html = sample::comparison().html().unwrap();
    in_order(
        &html,
        &[
            "doubtful first: 1",
            "J. A. Whitfield",
            "Jonathan Whitfield",
            "Riverside Food Bank",
            "84 %",
            "0.84",
            "fuzzy_name",
            "MARGARET ONEILL",
        ],
    );
    assert!(
        html.contains("6 more fields and 2 internal fields of each row not shown here"),
        "{html}"
    );
}

#[test]
fn f_200_an_unknown_outcome_asks_for_one_of_three_answers_and_evidence() {
    let html = sample::outcome().html().unwrap();
    in_order(
        &html,
        &[
            "does not know what happened",
            "api.bank.example",
            "1,250.00 EUR",
            "by Ann Whitfield",
            "14:03:07 UTC",
            "unknown",
            "key 9f86",
            "name=\"choice-1\" value=\"done\"",
            "value=\"not_done\"",
            "value=\"again\"",
            "may pay twice",
            "name=\"evidence-1\"",
        ],
    );
}

#[test]
fn k_49_a_question_says_what_is_sent_once_it_is_answered() {
    let mut page = sample::outcome();
    assert!(page.html().unwrap().contains("The run waits.</p>"));
    page.unsent = 3;
    let html = page.html().unwrap();
    assert!(
        html.contains("it sends up to 3 more requests that were signed together with this"),
        "{html}"
    );
    page.unsent = 1;
    assert!(page.html().unwrap().contains("it sends 1 more request that was signed"));
}

#[test]
fn signing_in_leaves_no_buttons() {
    let mut page = sample::decision("x");
    page.assurance = countersign_letter::page::Assurance::SignedIn;
    let html = page.html().unwrap();
    assert!(
        !html.contains("<form")
            && !html.contains("<button")
            && html.contains("sign in to the console")
    );
}
