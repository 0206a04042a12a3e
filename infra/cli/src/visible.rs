//! Text of strangers at a terminal: what would move the cursor, colour the terminal, or hide or turn letters is written out.

use std::fmt::Write as _;

use countersign_effect::is_hidden;
use serde_json::Value;

/// A text on one line: control characters and those that cannot be seen are written as escapes.
pub(crate) fn visible(text: &str) -> String {
    let written = |c: char| match c {
        _ if c.is_control() => c.escape_default().to_string(),
        _ if is_hidden(c) => c.escape_unicode().to_string(),
        _ => c.into(),
    };
    text.chars().map(written).collect()
}

/// A text of several lines, each as [`visible`] writes it.
pub(crate) fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// A value as indented JSON, which a terminal can show.
pub(crate) fn pretty(value: &Value) -> String {
    escaped(&serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()))
}

/// A value as JSON on one line, which a terminal can show.
pub(crate) fn compact(value: &Value) -> String {
    escaped(&value.to_string())
}

/// The same JSON with escapes for characters that cannot be seen: they occur only inside strings, so it is equal as data.
fn escaped(json: &str) -> String {
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _always_fits = write!(written, "\\u{unit:04x}");
            }
        } else {
            written.push(character);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{compact, pretty, visible, visible_lines};

    /// Every kind of character that a terminal obeys, hides or turns the line with.
    const HIDDEN: &str = "\u{7f}\u{9b}2J\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{180b}\u{180f}\u{200b}\u{202e}\u{2066}\u{2800}\u{3164}\u{e000}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{fffb}\u{e0041}\u{f0000}";

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(visible(text), expect);
    }

    #[test]
    fn what_moves_the_cursor_or_cannot_be_seen_is_written_out() {
        check("Zoë, 株式会社", "Zoë, 株式会社");
        check("a\u{1b}[2J\nb\tc", "a\\u{1b}[2J\\nb\\tc");
        check("\u{61c}a\u{2800}b\u{ffa0}c", "\\u{61c}a\\u{2800}b\\u{ffa0}c");
        check(
            HIDDEN,
            &HIDDEN
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_string()
                    } else {
                        c.escape_unicode().to_string()
                    }
                })
                .collect::<String>(),
        );
        assert_eq!(visible_lines("a\n\u{9b}b"), "a\n\\u{9b}b");
    }

    #[test]
    fn json_at_a_terminal_is_equal_as_data_and_has_nothing_hidden() {
        let value = json!({ HIDDEN: [HIDDEN, "Zoë\n"], "n": 1.5 });
        for written in [pretty(&value), compact(&value)] {
            assert!(!written.chars().any(countersign_effect::is_hidden), "{written:?}");
            assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
        }
        assert_eq!(compact(&json!("\u{9b}\u{e0041}é")), "\"\\u009b\\udb40\\udc41é\"");
    }
}
