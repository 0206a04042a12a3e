use super::{Label, Shown, fingerprint};
use proptest::prelude::*;

fn check(input: &str, expect: &str) {
    let shown = Shown::line(input);
    let written: String = shown
        .parts()
        .iter()
        .map(|part| match &part.mark {
            None => part.text.clone(),
            Some(mark) => match mark.note() {
                Some(note) => format!("[{} {note}]", part.text),
                None => format!("[{}]", part.text),
            },
        })
        .collect();
    assert_eq!(written, expect, "{input:?}");
}

fn label(input: &str, expect: &str) {
    assert_eq!(Label::new(input).as_str(), expect, "{input:?}");
}

#[test]
fn no_text_from_outside_looks_like_the_place_of_a_secret() {
    let words = "the credential's token";
    let marked = |shown: &Shown| shown.parts().iter().any(|part| part.mark.is_some());
    assert!(marked(&Shown::secret(words)));
    assert!(!marked(&Shown::line(words)));
}

#[test]
fn hidden_characters_are_named() {
    check("pay \u{202E}gpj.exe", "pay [U+202E]gpj.exe");
    check("zero\u{200B}width\u{FEFF}", "zero[U+200B]width[U+FEFF]");
    check("bell\u{7}nul\0", "bell[U+0007]nul[U+0000]");
    check("tag\u{E0041}", "tag[U+E0041]");
    check("line\nfeed\tstays", "line\nfeed\tstays");
    check("Zoë, 株式会社", "Zoë, 株式会社");
    check("", "");
}

#[test]
fn f_200_what_would_be_misread_is_marked() {
    check(" Acme ", "[space]Acme[space]");
    check("Acme\u{a0}\n", "Acme[U+00A0][line feed]");
    check("two  spaces inside", "two  spaces inside");
    check("\u{410}cme GmbH", "[\u{410} U+0410 Cyrillic]cme GmbH");
    check("\u{420}\u{43e}\u{43c}a and Roma", "\u{420}\u{43e}\u{43c}[a U+0061 Latin] and Roma");
    check("DE0\u{662}", "DE0[\u{662} U+0662]");
    check("   ", "[space][space][space]");
    check("A\u{336}c\u{20E5}me", "A[U+0336]c[U+20E5]me");
    check(
        "bank\u{2024}example\u{2215}x",
        "bank[\u{2024} U+2024, not .]example[\u{2215} U+2215, not /]x",
    );
}

#[test]
fn f_200_ordinary_text_of_other_languages_has_no_marks() {
    for text in [
        "Jose\u{301} Nu\u{308}n\u{303}ez, Vie\u{323}\u{302}t Nam, Ça va – « oui » … 3 × 4 − 1",
        "\u{645}\u{64E}\u{631}\u{652}\u{62D}\u{64E}\u{628}\u{64B}\u{627}\u{60C} \u{643}\u{62A}\u{651}\u{627}\u{628}",
        "\u{928}\u{92E}\u{938}\u{94D}\u{924}\u{947} \u{939}\u{93F}\u{902}\u{926}\u{940}\u{964}",
        "\u{5E9}\u{5C1}\u{5B8}\u{5DC}\u{5D5}\u{5B9}\u{5DD}\u{5C3}",
        "株式会社、東京都：一／二。か\u{3099}",
        "\u{E01}\u{E33}\u{E25}\u{E31}\u{E07} и\u{306} Ελλα\u{301}δα;",
    ] {
        check(text, text);
    }
}

#[test]
fn f_200_the_end_of_a_head_is_not_the_edge_of_a_text() {
    let shown = Shown::new("abc def", 4);
    assert_eq!((shown.parts().len(), shown.parts()[0].text.as_str(), shown.cut()), (1, "abc ", 3));
    assert_eq!(Shown::new(&"x".repeat(13_345), 1_000).left_out(), "12,345");
    assert!(Shown::whole(&"x".repeat(13_345)).cut() == 0);
}

#[test]
fn long_text_is_cut_and_says_so() {
    let shown = Shown::new("abcdef", 4);
    assert_eq!((shown.parts()[0].text.as_str(), shown.cut()), ("abcd", 2));
}

#[test]
fn a_label_cannot_become_a_link_or_a_header() {
    label("Nonprofit Investigator", "Nonprofit Investigator");
    label("https://evil.example/x", "https·evil·example·x");
    label("a\r\nBcc: me@evil.example", "a Bcc· me·evil·example");
    label("<b>bold</b> & more", "·b·bold·b· & more");
    label("\u{202E}\u{200B}", "·");
    label("  ", "unnamed");
    label(&"x".repeat(90), &format!("{}…", "x".repeat(60)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn no_mail_program_makes_a_link_of_a_label(
        pieces in prop::collection::vec(prop_oneof![
            prop::sample::select(vec!["http", "://", "www.", "evil.com", "@", "mailto:", "。", "1.2.3.4", "\\\\x"])
                .prop_map(str::to_owned),
            ".{0,6}",
        ], 0..8)
    ) {
        let label = Label::new(&pieces.concat());
        prop_assert!(!countersign_links::makes_link(label.as_str()), "{label}");
    }
}

#[test]
fn digests_are_grouped() {
    assert_eq!(fingerprint("00112233445566"), vec!["00112233", "445566"]);
}
