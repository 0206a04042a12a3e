//! The pattern of a rule: the beginning of a path, with `*` for any text and `$` at the end for nothing more.
//!
//! It is kept and matched as text: a regular expression would take many times its memory.

/// A pattern in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// In normal form; a star that is no wildcard is written `%2A`.
    text: Box<str>,
    /// Whether it ends in `$`.
    is_whole: bool,
}

impl Pattern {
    /// Reads what stands behind `Allow:` or `Disallow:`; none when nothing does.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (text, is_whole) = match text.strip_suffix('$') {
            Some(text) => (text, true),
            None => (text, false),
        };
        if text.is_empty() && !is_whole {
            return None;
        }
        let parts: Vec<String> = text.split('*').map(normal).collect();
        Some(Self { text: parts.join("*").into(), is_whole })
    }

    /// How much it says: the longest that matches decides.
    pub(super) fn length(&self) -> usize {
        self.text.len() + usize::from(self.is_whole)
    }

    /// About the bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.text.len()
    }

    /// Whether it matches a path in normal form, in time that grows with the lengths of the two.
    pub(super) fn matches(&self, path: &str) -> bool {
        let mut parts = self.text.split('*').peekable();
        let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
            return false;
        };
        if parts.peek().is_none() {
            return !self.is_whole || rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if self.is_whole && parts.peek().is_none() {
                return rest.ends_with(part);
            }
            // The first place leaves the most for the parts behind it.
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        true
    }
}

/// One form for all ways of writing a path: what needs no escape has none, all else is `%` and two capital digits.
pub(super) fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut bytes = text.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        let meant = (byte == b'%').then(|| escaped(bytes.as_slice())).flatten();
        if meant.is_some() {
            bytes.nth(1);
        }
        let stands = match meant {
            // An escaped slash is not a slash.
            Some(meant) => is_unreserved(meant),
            None => is_unreserved(byte) || b"/?:@!&'()+,;=".contains(&byte),
        };
        let byte = meant.unwrap_or(byte);
        if stands { out.push(char::from(byte)) } else { escape(&mut out, byte) }
    }
    out
}

/// The byte that two hexadecimal digits mean.
fn escaped(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

fn escape(out: &mut String, byte: u8) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    out.extend(['%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::{Pattern, normal};

    #[track_caller]
    fn check(pattern: &str, path: &str, expect: bool) {
        let read = Pattern::read(pattern).unwrap();
        assert_eq!(read.matches(&normal(path)), expect, "{pattern} {path}");
    }

    #[test]
    fn k_76_stars_and_the_end_of_a_path() {
        check("/fish", "/fish.html", true);
        check("/fish", "/Fish", false);
        check("/fish$", "/fish", true);
        check("/fish$", "/fish.html", false);
        check("/*.php", "/a/b.php?x=1", true);
        check("/*.php$", "/a.php/b.php", true);
        check("/*.php$", "/a.php?x=1", false);
        check("*/a**b*$", "/x/a-b-c", true);
        check("/a*b", "/ab", true);
        check("/a*bc", "/abd", false);
        check("$", "/", false);
        check("/price$list", "/price$list", true);
        assert_eq!(Pattern::read(""), None);
    }

    #[test]
    fn k_76_all_ways_of_writing_a_path_are_one() {
        check("/caf\u{e9}", "/caf%C3%A9", true);
        check("/a%7eb", "/a~b", true);
        check("/%61", "/a", true);
        check("/a%2fb", "/a%2Fb", true);
        check("/a%2fb", "/a/b", false);
        check("/a%2A", "/a*", true);
        check("/a%2A", "/ab", false);
        check("/100%", "/100%", true);
        check("/{id}", "/%7Bid%7D", true);
    }

    #[test]
    fn k_76_a_pattern_built_to_be_slow_is_matched_at_once() {
        let pattern = Pattern::read(&format!("/{}b", "a*".repeat(100_000))).unwrap();
        let path = format!("/{}", "a".repeat(200_000));
        let begin = Instant::now();
        assert!(!pattern.matches(&path));
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    }

    /// The same by trying everything.
    fn slowly(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|n| slowly(rest, &path[n..])),
            [first, rest @ ..] => path.first() == Some(first) && slowly(rest, &path[1..]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn k_76_a_pattern_matches_what_it_says(pattern in "[/ab*]{1,8}\\$?", path in "[/ab]{0,10}") {
            let read = Pattern::read(&pattern).unwrap();
            prop_assert_eq!(read.matches(&normal(&path)), slowly(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn k_76_the_normal_form_of_a_normal_form_is_itself(text in ".{0,40}") {
            let once = normal(&text);
            prop_assert_eq!(normal(&once), once);
        }
    }
}
