//! Texts with a form of their own.

use countersign_document::{Refused, did_you_mean, listed, nearest};
use countersign_knowledge::Relationship;

/// Whether a text has a form.
type Check = fn(&str) -> Result<(), Refused>;

/// The forms, by the `format` of a schema.
const FORMATS: [(&str, Check); 4] = [
    ("link", link),
    ("table-name", table_name),
    ("category", category),
    ("relationship", relationship),
];

/// Whether a form is judged by whoever knows its grammar.
pub(super) fn is_elsewhere(format: &str) -> bool {
    format == "condition"
}

/// Whether a text has the form of its schema: one of these, or one that its type declares.
pub(super) fn check(format: Option<&str>, text: &str) -> Result<(), Refused> {
    let Some(format) = format else { return Ok(()) };
    let own = FORMATS.iter().find(|(name, _)| *name == format).map(|(_, check)| *check);
    let check = own.or_else(|| countersign_document::form(format).map(|form| form.check));
    check.map_or(Ok(()), |check| check(text))
}

fn when(holds: bool, message: &str) -> Result<(), Refused> {
    if holds { Ok(()) } else { Err(Refused::of_key(message)) }
}

/// A path of the deployment, or a web address. Whether an address without TLS is the deployment's own is known only there.
fn link(text: &str) -> Result<(), Refused> {
    let text = text.trim();
    let path = text.is_empty() || text.starts_with('/') && !text.starts_with("//");
    let host = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let named = host.is_some_and(|host| !host.is_empty() && !host.starts_with('/'));
    when(path || named, "must be an https address or a path of this deployment")
}

fn table_name(text: &str) -> Result<(), Refused> {
    let text = text.trim();
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let message = "must be 1 to 100 letters, digits, `_` and `-`";
    when(text.len() <= 100 && text.bytes().all(fits), message)
}

fn category(text: &str) -> Result<(), Refused> {
    let fits = |c: char| c.is_alphanumeric() || " _-".contains(c);
    let word = text.trim();
    let message = "must be a word of at most 50 letters, digits, spaces, `_` and `-`";
    when(word.len() <= 50 && word.chars().all(fits), message)
}

fn relationship(text: &str) -> Result<(), Refused> {
    if text.trim().is_empty() || Relationship::parse(text).is_some() {
        return Ok(());
    }
    let words = || Relationship::ALL.iter().map(|known| known.as_str());
    let all = || format!("use one of {}", listed(words()));
    let hint = nearest(text, words()).map_or_else(all, did_you_mean);
    Err(Refused::of_key("is not a relationship of the graph").hint(hint))
}
