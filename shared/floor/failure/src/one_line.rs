//! Texts that somebody else wrote, as part of a message.

/// A text in one line: whatever separates its words becomes one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The first `most` characters of a text, with `…` where it goes on.
#[must_use]
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{beginning, one_line};

    #[test]
    fn what_goes_on_ends_with_dots() {
        assert_eq!(beginning("é…", 2), "é…");
        assert_eq!(beginning("éab", 2), "éa…");
    }

    #[test]
    fn blanks_and_control_characters_become_one_space() {
        assert_eq!(one_line(" a\u{7}\r\n\tb  c\n"), "a b c");
        assert_eq!(one_line("\n"), "");
    }
}
