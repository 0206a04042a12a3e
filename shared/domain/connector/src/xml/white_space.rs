//! White space in the texts of XML.

use std::borrow::Cow;

/// White space becomes single spaces; control characters go.
#[inline]
pub(super) fn collapse(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| !c.is_control()));
    }
    Cow::Owned(out)
}

/// Whether a text without space around it stays as it is: nearly every value of a filing.
#[inline]
fn is_plain(text: &str) -> bool {
    let mut space = false;
    text.bytes().all(|byte| {
        let was = std::mem::replace(&mut space, byte == b' ');
        matches!(byte, b' '..=b'~') && !(was && space)
    })
}
