//! What a body is, by its header and its first bytes.

use crate::Body;

/// What a body is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// HTML or XHTML.
    Html,
    /// JSON.
    Json,
    /// Any other text, XML included.
    Text,
    /// A PDF.
    Pdf,
    /// Something else, by its media type.
    Other(String),
}

impl Kind {
    /// What a body is. Its first bytes count more than a header that says nothing, and a PDF is one whatever its
    /// header says.
    #[must_use]
    pub fn of(body: &Body<'_>) -> Self {
        if start(body.bytes).starts_with(b"%PDF-") {
            return Self::Pdf;
        }
        let media_type = media_type(body.content_type);
        match media_type.as_str() {
            "text/html" | "application/xhtml+xml" => Self::Html,
            "application/pdf" => Self::Pdf,
            "" | "application/octet-stream" | "text/plain" => sniff(body.bytes, &media_type),
            text if text.ends_with("/json") || text.ends_with("+json") => Self::Json,
            text if text.starts_with("text/")
                || text.ends_with("/xml")
                || text.ends_with("+xml") =>
            {
                Self::Text
            }
            "application/javascript" | "application/yaml" | "application/x-ndjson" => Self::Text,
            _ => Self::Other(media_type),
        }
    }
}

/// The media type of a header, lower case, without its parameters.
pub(crate) fn media_type(content_type: Option<&str>) -> String {
    let text = content_type.unwrap_or_default();
    let media = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media.chars().take(100).collect()
}

/// The body after a byte order mark and white space.
fn start(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let spaces = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    &bytes[spaces..]
}

fn sniff(bytes: &[u8], media_type: &str) -> Kind {
    let start = start(bytes);
    let head: Vec<u8> = start.iter().take(512).map(u8::to_ascii_lowercase).collect();
    let wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    if head.contains(&0) && !wide {
        return Kind::Other(
            if media_type.is_empty() { "binary data" } else { media_type }.to_owned(),
        );
    }
    if media_type == "text/plain" {
        return Kind::Text;
    }
    let html = ["<!doctype html", "<html", "<head", "<body", "<!--"];
    if html.iter().any(|tag| head.starts_with(tag.as_bytes())) {
        return Kind::Html;
    }
    match head.first() {
        Some(b'{' | b'[') => Kind::Json,
        _ => Kind::Text,
    }
}
