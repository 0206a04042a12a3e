//! Readers of mail and of Markdown turn words into links although nobody wrote one: `https://…`, `www.…`, `name@host`,
//! and often any `host.tld`. In text from outside such a link leads where its author wants. This crate knows which
//! characters make the link; each medium has one function that takes them apart:
//!
//! - [`unlinked`] for plain text: `example[.]com`, readable and never a link.
//! - `countersign_report::markdown::inline` for Markdown: the word becomes code, unchanged.

mod marks;

use marks::marks;

/// Whether a reader may make a link of something in `text`.
#[must_use]
pub fn makes_link(text: &str) -> bool {
    !marks(text).is_empty()
}

/// `text` for a plain text mail: every character that makes a link stands in brackets, nothing else changes.
#[must_use]
pub fn unlinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = 0;
    for (at, mark) in marks(text) {
        out.push_str(&text[rest..at]);
        out.extend(['[', mark, ']']);
        rest = at + mark.len_utf8();
    }
    out.push_str(&text[rest..]);
    out
}

#[cfg(test)]
mod tests {
    use super::{makes_link, unlinked};
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(unlinked(text), expect);
        assert_eq!(makes_link(text), text != expect, "{text}");
    }

    #[test]
    fn what_readers_link_is_taken_apart() {
        check("see https://evil.example/x.", "see https[:]//evil[.]example/x.");
        check("www.5 or WWW.Evil.com", "www[.]5 or WWW[.]Evil[.]com");
        check("pay at evil.com/x today", "pay at evil[.]com/x today");
        check("ada@evil.example", "ada[@]evil[.]example");
        check("x@.commailto:", "x[@].commailto:");
        check("mailto:ada tel:+15550100", "mailto[:]ada tel[:]+15550100");
        check("http://localhost, http:/\\evil", "http[:]//localhost, http[:]/\\evil");
        check("10.0.0.1:80/x", "10[.]0[.]0[.]1:80/x");
        check("evil。com and evil．com", "evil[。]com and evil[．]com");
        check("пример.рф", "пример[.]рф");
        check(r"\\evil\share", r"[\]\evil\share");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in [
            "Jane Q. Doe, Inc. 3 matches.",
            "1,250.50 USD on 21.11.2026 at 10:30: done",
            "e.g. U.S.A., p.m., ... and so on...",
            "Note: ratio 3:1 @ 5 %",
            "a/b // c, C:\\x",
            "",
        ] {
            check(text, text);
        }
    }

    /// Pieces that make links in some order.
    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z0-9.:/@\\\\ -]{0,4}",
            prop::sample::select(vec![
                "http", "://", "www.", "evil", ".com", "@", "mailto:", "[.]", "。", "é", "\n",
                "\u{200b}", "1.2.3.4",
            ])
            .prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn nothing_is_left_to_link_and_nothing_is_lost(text in hostile()) {
            let out = unlinked(&text);
            prop_assert!(!makes_link(&out), "{out:?}");
            let plain = |text: &str| text.replace(['[', ']'], "");
            prop_assert_eq!(plain(&out), plain(&text));
        }
    }
}
