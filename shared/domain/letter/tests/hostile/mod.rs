//! Text from strangers, in pages and mails: it is shown and has no power.

use countersign_approval::Layout;
use countersign_letter::mail::Why;
use countersign_letter::page::MessagePage;
use countersign_letter::{About, EffectGroup, Label, Preview, Shown};
use proptest::prelude::*;
use serde_json::json;

use crate::sample;

/// A mark that no template holds, with everything HTML gives a meaning to.
const EVIL: &str = "<script>zq</script>\"'&\u{202E}zq\u{200B}";

fn no_markup(html: &str, place: &str) {
    assert!(!html.contains("<script"), "{place}: a tag got through");
    assert!(
        !html.contains('\u{202E}') && !html.contains('\u{200B}'),
        "{place}: a hidden character got through"
    );
}

#[test]
fn hostile_text_is_harmless_everywhere() {
    let mut page = sample::decision(EVIL);
    let evil = || Shown::line(EVIL);
    (page.asker, page.title, page.agent, page.plan_text) = (evil(), evil(), Some(evil()), evil());
    (page.what, page.warnings) = (evil(), vec![evil()]);
    (page.approver, page.approval, page.cost_bound) = (evil(), evil(), Some(evil()));
    let about = About { step: EVIL, description: EVIL, action: EVIL, irreversible: true };
    page.effects.state(EffectGroup::stated(about, &json!({ EVIL: EVIL }), &Layout::default()));
    page.preview = Preview::head(&json!([{ EVIL: EVIL }, EVIL]), &Layout::default(), 10, None);
    page.picture.stages[0].steps[0].name = evil();
    // A typed note comes back into the same person's page: escaped, but their own characters are kept.
    page.note = "</textarea><script>".to_owned();
    page.digest = EVIL.to_owned();
    no_markup(&page.html().unwrap(), "decision");
    no_markup(&MessagePage::not_allowed(EVIL).html().unwrap(), "not allowed");
    no_markup(&MessagePage::unreadable(EVIL).html().unwrap(), "unreadable");
}

#[test]
fn hostile_names_are_harmless_in_mails() {
    let mut mail = sample::mails::approval_mail(Why::New);
    let evil = || Label::new("<a href=\"https://evil.example\">x</a>\r\nBcc: e@evil.example");
    (mail.asker, mail.about, mail.approval) = (evil(), evil(), evil());
    let mail = mail.render().unwrap();
    assert!(!mail.subject.contains(['\r', '\n', '<', '@']), "{}", mail.subject);
    for body in [&mail.text, &mail.html] {
        assert!(
            !body.contains("evil.example") && !body.contains("<a href=\"https://evil"),
            "{body}"
        );
    }
}

/// Text that HTML, terminals or bidirectional layout might take seriously.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<"),
        Just(">"),
        Just("\""),
        Just("'"),
        Just("&"),
        Just("</textarea>"),
        Just("</style>"),
        Just("<!--"),
        Just("{{"),
        Just("{%"),
        Just("\u{202E}"),
        Just("\u{2066}"),
        Just("\u{200B}"),
        Just("\0"),
        Just("\u{1b}[31m"),
        Just("a"),
    ];
    proptest::collection::vec(piece, 1..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The page around a hostile text has exactly the markup of the page around a harmless one.
    #[test]
    fn no_text_adds_or_removes_markup(text in nasty()) {
        let tags = |html: &str| html.matches('<').count() - html.matches("<span class=\"odd\"").count() * 2;
        let harmless = sample::decision("x").html().unwrap();
        let hostile = sample::decision(&text).html().unwrap();
        prop_assert_eq!(tags(&hostile), tags(&harmless));
        let hidden = hostile.contains(['\u{202E}', '\u{2066}', '\u{200B}', '\0', '\u{1b}']);
        prop_assert!(!hidden);
    }

    /// No name, whatever it holds, leaves a mail's markup or its one line of subject.
    #[test]
    fn no_name_changes_a_mail(name in any::<String>()) {
        let mut mail = sample::mails::approval_mail(Why::New);
        let harmless = mail.render().unwrap();
        mail.about = Label::new(&name);
        let hostile = mail.render().unwrap();
        prop_assert_eq!(hostile.html.matches('<').count(), harmless.html.matches('<').count());
        prop_assert_eq!(hostile.text.lines().count(), harmless.text.lines().count());
        prop_assert!(!hostile.subject.chars().any(char::is_control));
        prop_assert!(hostile.subject.chars().count() < 120);
    }
}
