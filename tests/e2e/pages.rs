//! The pages of the mailed links, in a browser.

use serde_json::json;

use crate::browser::{Browser, DESK, NIGHT, PHONE, Screen, WIDE};
use crate::case::{Person, gated, person, rows, step, until};
use crate::effects::{Elsewhere, payer, playbook};
use crate::world::world;

async fn signs(screen: Screen, button: &str, end: &str) {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-browser", "")).await;
    let run = ana.start(&agent, "gated-browser", rows()).await;
    let link = maria.link().await;
    let browser = Browser::open(screen).await;
    browser.visit(&link).await;
    browser.fits().await;
    browser.picture("decision").await;
    let text = browser.text().await;
    assert!(text.contains("Keep 2 rows?"), "the question is not there: {text}");
    browser.fill("#note", "seen in a browser").await;
    browser.press(&format!("button[value={button}]")).await;
    browser.fits().await;
    browser.picture(button).await;
    let done = ana.reaches(&run, end).await;
    let kept = if button == "approve" { "done" } else { "not_run" };
    assert_eq!(step(&done, "keep")["status"], kept);
    // The same link afterwards tells what became of it, and offers nothing to press.
    browser.visit(&link).await;
    browser.fits().await;
    browser.picture("afterwards").await;
    assert_eq!(browser.computed("document.forms.length").await, json!(0));
    assert!(browser.text().await.contains("maria"), "it does not say who decided");
    browser.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn k_06_somebody_approves_on_a_phone() {
    signs(PHONE, "approve", "complete").await;
}

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn k_06_somebody_denies_at_night() {
    signs(NIGHT, "deny", "rejected").await;
}

/// What a signer has to see without scrolling: the first fields that are sent, and both buttons.
const ABOVE_THE_FOLD: &str = "[...document.querySelectorAll('.to, .fields .amount, .fields .headline, .bar button')]
    .filter(e => e.getBoundingClientRect().bottom > window.innerHeight).map(e => e.textContent).join()";

/// A sample page of the letters, opened as a file: what a stack cannot show yet, at its real size.
async fn sample(screen: Screen, name: &str) -> Browser {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{name}.html"));
    let page = crate::letter_sample::pages().into_iter().find(|(known, _)| *known == name);
    std::fs::write(&file, page.expect("the sample exists").1).unwrap();
    let browser = Browser::open(screen).await;
    browser.visit(&format!("file://{}", file.display())).await;
    browser.fits().await;
    browser.picture(name).await;
    browser
}

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn f_200_a_payment_is_read_and_signed_without_scrolling() {
    for screen in [PHONE, NIGHT] {
        let browser = sample(screen, "payment").await;
        assert_eq!(browser.computed(ABOVE_THE_FOLD).await, json!(""));
        let shown = "document.querySelectorAll('.fields .amount, .fields .headline').length";
        assert_eq!(browser.computed(shown).await, json!(4));
        let behind = "(() => { const bar = document.querySelector('.bar').getBoundingClientRect().top;
            return [...document.querySelectorAll('.fields .amount, .fields .headline')].filter(e => e.getBoundingClientRect().bottom > bar).length })()";
        assert_eq!(browser.computed(behind).await, json!(0), "the buttons cover a field");
        browser.close().await;
    }
}

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn f_200_forty_payments_take_at_most_4_000_pixels_of_a_phone() {
    let browser = sample(PHONE, "forty").await;
    let height = browser.computed("document.documentElement.scrollHeight").await.as_f64().unwrap();
    assert!(height <= 4_000.0, "{height} pixels");
    let rows = "document.querySelectorAll('.effect > .rows tbody tr').length";
    assert_eq!(browser.computed(rows).await, json!(40));
    browser.close().await;
}

/// What the browser would send of the form that asks for changes.
const WISH: &str = "[...new FormData(document.querySelector('#revise'))].filter(([name]) => name !== 'nonce').flat().join('|')";

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn r_060_changes_are_asked_for_on_a_phone_and_at_night() {
    for screen in [PHONE, NIGHT] {
        let browser = sample(screen, "revise").await;
        // As it comes back after a form that could not be used.
        assert_eq!(browser.computed(WISH).await, json!("note|Pay <half> of it.|decision|override"));
        browser.press("#revise input[value=enhance]").await;
        browser.fill("#instructions", " Not before May.").await;
        let wish = browser.computed(WISH).await;
        assert!(wish.as_str().unwrap().ends_with("Not before May.|decision|enhance"), "{wish}");
        browser.press("#instructions").await;
        browser.picture("revise-form").await;
        assert!(browser.text().await.contains("You cannot sign what comes of it yourself."));
        browser.close().await;
    }
}

/// What the browser would send of the form for the marks of a step.
const MARKS: &str =
    "new URLSearchParams(new FormData(document.querySelector('form.strike'))).getAll('row').join()";

/// How many amounts are shown struck through.
const STRUCK: &str = "[...document.querySelectorAll('.rows td.amount-cell .written')]
    .filter(e => getComputedStyle(e).textDecorationLine === 'line-through').length";

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn k_09_rows_are_marked_and_struck_through_without_a_script() {
    for screen in [PHONE, NIGHT, DESK, WIDE] {
        let browser = sample(screen, "forty").await;
        assert_eq!(
            (browser.computed(MARKS).await, browser.computed(STRUCK).await),
            (json!(""), json!(0))
        );
        browser.press("input[name=row][value='3']").await;
        browser.press("input[name=row][value='40']").await;
        assert_eq!(browser.computed(MARKS).await, json!("3,40"));
        assert_eq!(browser.computed(STRUCK).await, json!(2), "what is marked looks struck");
        let form = browser.computed("document.querySelector('form.strike').method").await;
        assert_eq!(form, json!("post"));
        browser.close().await;

        let browser = sample(screen, "forty-struck").await;
        let height = browser.computed("document.documentElement.scrollHeight").await;
        let height = height.as_f64().unwrap();
        assert!(height <= 4_200.0, "{height} pixels with who struck them");
        assert_eq!(
            (browser.computed(MARKS).await, browser.computed(STRUCK).await),
            (json!("4,18"), json!(2))
        );
        browser.press("input[name=row][value='18']").await;
        assert_eq!(
            (browser.computed(MARKS).await, browser.computed(STRUCK).await),
            (json!("4"), json!(1))
        );
        let text = browser.text().await;
        assert!(text.contains("struck out by Ann Whitfield"), "{text}");
        assert!(text.contains("38 of 40 requests, 2 struck out"), "{text}");
        browser.close().await;
        for name in ["effect-struck", "strike-code"] {
            sample(screen, name).await.close().await;
        }
    }
}

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn f_200_comparisons_and_unknown_outcomes_fit_every_screen() {
    for screen in [PHONE, NIGHT, DESK] {
        for name in [
            "unread",
            "comparison",
            "outcome",
            "outcome-again",
            "code-answer",
            "decision",
            "effect",
            "prompt",
            "rows",
        ] {
            sample(screen, name).await.close().await;
        }
    }
}

/// The newest code that was mailed to somebody.
async fn code(person: &Person) -> String {
    until("the mailed code", || async {
        let mails = world().mailbox().to(&person.email).await.unwrap();
        mails.iter().rev().find_map(countersign_cli::mailbox::Mail::code)
    })
    .await
}

#[tokio::test]
#[ignore = "needs Chromium: `.ci/run external`"]
async fn k_10_a_payment_is_approved_with_a_mailed_code() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&playbook("pay-browser", "")).await;
    let run = ana.start(&agent, "pay-browser", json!({ "amount": "31.40" })).await;
    let link = maria.link().await;
    let browser = Browser::open(DESK).await;
    browser.visit(&link).await;
    browser.fits().await;
    browser.picture("payment").await;
    assert!(browser.text().await.contains("31.40"), "the amount is not shown");
    browser.press("button[value=approve]").await;
    browser.fits().await;
    browser.picture("code").await;
    assert_eq!(elsewhere.posts(), 0, "paid before the code was entered");
    browser.fill("#code", "000000").await;
    browser.press("button[type=submit]").await;
    assert!(browser.text().await.contains("Nothing was recorded"), "a wrong code is not told");
    browser.fits().await;
    browser.picture("wrong-code").await;
    browser.fill("#code", &code(&maria).await).await;
    browser.press("button[type=submit]").await;
    browser.fits().await;
    ana.reaches(&run, "complete").await;
    assert_eq!(elsewhere.posts(), 1);
    browser.close().await;
}
