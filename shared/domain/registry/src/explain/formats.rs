//! Texts with a form of their own.

use crate::catalogue::nearest;

/// Says what is wrong with a text, in words that follow its name.
type Check = fn(&str) -> Result<(), String>;

/// The forms, by the `format` of a schema.
const FORMATS: [(&str, Check); 4] = [
    ("link", link),
    ("table-name", table_name),
    ("category", category),
    ("relationship", relationship),
];

/// How two nodes of the graph may relate.
const RELATIONSHIPS: [&str; 16] = [
    "MENTIONED_IN",
    "FUNDS",
    "FUNDED_BY",
    "OFFICER_OF",
    "BOARD_MEMBER_OF",
    "CONTROLS",
    "SUBSIDIARY_OF",
    "RELATED_TO",
    "DONATED_TO",
    "LOCATED_IN",
    "OPERATES_IN",
    "WORKS_FOR",
    "DISCOVERED_BY",
    "SOURCED_FROM",
    "MEMBER_OF_CLUSTER",
    "MEMBER_OF",
];

/// Whether a form is judged by whoever knows its grammar.
pub(super) fn is_elsewhere(format: &str) -> bool {
    format == "condition"
}

pub(super) fn check(format: Option<&str>, text: &str) -> Option<Result<(), String>> {
    let (_, check) = FORMATS.iter().find(|(name, _)| Some(*name) == format)?;
    Some(check(text))
}

fn when(holds: bool, message: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message.to_owned()) }
}

/// A path of the deployment, or a web address. Whether an address without TLS is the deployment's own is known only there.
fn link(text: &str) -> Result<(), String> {
    let text = text.trim();
    let path = text.is_empty() || text.starts_with('/') && !text.starts_with("//");
    let host = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let named = host.is_some_and(|host| !host.is_empty() && !host.starts_with('/'));
    when(path || named, "must be an https address or a path of this deployment")
}

fn table_name(text: &str) -> Result<(), String> {
    let text = text.trim();
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let message = "must be 1 to 100 letters, digits, `_` and `-`";
    when(text.len() <= 100 && text.bytes().all(fits), message)
}

fn category(text: &str) -> Result<(), String> {
    let fits = |c: char| c.is_alphanumeric() || " _-".contains(c);
    let word = text.trim();
    let message = "must be a word of at most 50 letters, digits, spaces, `_` and `-`";
    when(word.len() <= 50 && word.chars().all(fits), message)
}

fn relationship(text: &str) -> Result<(), String> {
    let text = text.trim();
    let known =
        text.is_empty() || RELATIONSHIPS.iter().any(|known| known.eq_ignore_ascii_case(text));
    let likely = || nearest(text, RELATIONSHIPS);
    if known {
        return Ok(());
    }
    let hint = likely()
        .map_or_else(|| RELATIONSHIPS.join(", "), |likely| format!("did you mean {likely}?"));
    Err(format!("is not a relationship of the graph: {hint}"))
}
