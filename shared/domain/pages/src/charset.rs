//! Bytes become text: byte order mark, then the HTTP header, then what the document says of itself.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a document its own declaration is looked for.
const DECLARED_WITHIN: usize = 2_048;

/// A decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'b> {
    /// The text; what could not be decoded is U+FFFD.
    pub text: Cow<'b, str>,
    /// The encoding's name.
    pub encoding: &'static str,
    /// Whether something could not be decoded.
    pub damaged: bool,
}

/// Decodes a body. Without any declaration it is UTF-8 when it is valid as such, otherwise windows-1252, as browsers
/// have it.
#[must_use]
pub fn decode<'b>(bytes: &'b [u8], content_type: Option<&str>) -> Decoded<'b> {
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => content_type
            .and_then(|header| label(header.as_bytes(), b"charset"))
            .or_else(|| declared(bytes))
            .unwrap_or_else(
                || if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 },
            ),
    };
    let (text, encoding, damaged) = encoding.decode(bytes);
    Decoded { text, encoding: encoding.name(), damaged }
}

/// `<meta charset=…>`, `<meta … content="text/html; charset=…">` or `<?xml … encoding="…"?>`.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(DECLARED_WITHIN)];
    let name: &[u8] = if head.starts_with(b"<?xml") { b"encoding" } else { b"charset" };
    let found = label(head, name).or_else(|| label(head, b"charset"))?;
    // A document that can say it in ASCII is not UTF-16.
    Some(if found.is_ascii_compatible() { found } else { UTF_8 })
}

/// The encoding named after `name=`, quoted or not.
fn label(text: &[u8], name: &[u8]) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = find(&lower[from..], name) {
        from += at + name.len();
        let rest = trimmed(&lower[from..]);
        let Some(value) = rest.strip_prefix(b"=") else { continue };
        let value = trimmed(value);
        let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
        let end = value.iter().position(|byte| !fits(byte)).unwrap_or(value.len());
        if let Some(encoding) = Encoding::for_label(&value[..end]) {
            return Some(encoding);
        }
    }
    None
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[track_caller]
    fn check(bytes: &[u8], header: Option<&str>, text: &str, encoding: &str) {
        let decoded = decode(bytes, header);
        assert_eq!((&*decoded.text, decoded.encoding), (text, encoding));
    }

    #[test]
    fn f_098_the_byte_order_mark_wins_over_the_header_and_the_header_over_the_document() {
        check(b"\xef\xbb\xbf\xc3\xa9", Some("text/html; charset=iso-8859-1"), "é", "UTF-8");
        check(b"\xff\xfe\xe9\x00", None, "é", "UTF-16LE");
        check(
            b"<meta charset=utf-8>\xe9",
            Some("text/html; Charset=\"ISO-8859-1\""),
            "<meta charset=utf-8>é",
            "windows-1252",
        );
    }

    #[test]
    fn f_098_a_document_says_what_it_is_written_in() {
        check(
            b"<meta charset='windows-1251'>\xcf",
            None,
            "<meta charset='windows-1251'>П",
            "windows-1251",
        );
        let old =
            b"<META http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\">\x83\x65";
        assert!(decode(old, Some("text/html")).text.ends_with('テ'));
        check(
            b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1",
            None,
            "<?xml version='1.0' encoding='iso-8859-2'?>ą",
            "ISO-8859-2",
        );
        check(b"<meta charset=utf-16>a", None, "<meta charset=utf-16>a", "UTF-8");
    }

    #[test]
    fn f_098_without_a_word_it_is_utf_8_when_it_can_be() {
        check("é".as_bytes(), None, "é", "UTF-8");
        check(b"caf\xe9", None, "café", "windows-1252");
        check(b"charset=nonsense caf\xe9", None, "charset=nonsense café", "windows-1252");
        assert!(decode(b"\xc3", Some("text/html; charset=utf-8")).damaged);
    }
}
