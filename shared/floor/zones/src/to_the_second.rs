//! How a moment is written in a sentence.

use jiff::Timestamp;

/// A moment in a sentence for people, without its fraction, which nobody reads there: `2026-11-22 14:03:07Z`. What programs read or
/// copy is written as [`Timestamp`] writes it.
#[must_use]
pub fn to_the_second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::to_the_second;

    #[test]
    fn a_moment_in_a_sentence_has_no_fraction() {
        assert_eq!(
            to_the_second("2026-11-22T14:03:07.9Z".parse().unwrap()),
            "2026-11-22 14:03:07Z"
        );
    }
}
