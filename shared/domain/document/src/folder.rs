//! Names of folders, of uploads and of documents alike.

use crate::Refused;

/// What is said of a name that is none.
pub const FOLDER_RULE: &str = "must be 1 to 128 letters, digits, `_` and `-`";

/// The same for schemas.
pub const FOLDER_PATTERN: &str = "^[A-Za-z0-9_-]{1,128}$";

const MAX: usize = 128;

/// Whether a text is the name of a folder.
#[must_use]
pub fn is_folder(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (1..=MAX).contains(&text.len()) && text.bytes().all(fits)
}

/// Checks the name of a folder.
///
/// # Errors
/// [`Refused`] with what a name must be.
pub fn folder_name(text: &str) -> Result<(), Refused> {
    if is_folder(text) { Ok(()) } else { Err(Refused::of_key(FOLDER_RULE)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: bool) {
        assert_eq!(is_folder(text), expect, "{text}");
        assert_eq!(folder_name(text).is_ok(), expect, "{text}");
    }

    #[test]
    fn the_rule_the_pattern_and_the_check_say_the_same() {
        check("filings_2026-11", true);
        check(&"x".repeat(MAX), true);
        check(&"x".repeat(MAX + 1), false);
        for odd in ["", "a/b", "ä", "a b"] {
            check(odd, false);
        }
        assert!(FOLDER_RULE.contains(&format!("1 to {MAX} ")));
        assert!(FOLDER_PATTERN.contains(&format!("{{1,{MAX}}}")));
    }
}
