//! Playbooks that are made for a question, as text.

use serde_json::Value;

/// Whether YAML has a place for a character as it is.
pub(crate) fn is_plain(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// JSON that is YAML, too: characters that YAML has no place for are escaped.
pub(crate) fn text(playbook: &Value) -> String {
    let mut text = String::new();
    for c in playbook.to_string().chars() {
        match is_plain(c) {
            true => text.push(c),
            false => text.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    text
}
