//! What serde says of a value that does not fit, in the words of whoever sent it.
//!
//! Serde's messages are stable texts of a few forms; a form that is not known here is passed on without its place.

use crate::problem::FieldError;

/// Types of Rust as somebody who writes JSON knows them; the first that fits.
const TYPES: [(&str, &str); 12] = [
    ("a sequence", "a list"),
    ("an array", "a list"),
    ("a tuple", "a list"),
    ("tuple", "a list"),
    ("a map", "an object"),
    ("map", "an object"),
    ("struct", "an object"),
    ("enum", "one of the known words"),
    ("a string", "a text"),
    ("u", "a whole number that is not negative"),
    ("i", "a whole number"),
    ("f", "a number"),
];

/// Messages of numbers that are read from texts.
const NUMBERS: [(&str, &str); 5] = [
    ("invalid digit found in string", "must be a whole number"),
    ("cannot parse integer from empty string", "must be a whole number"),
    ("number too large to fit in target type", "is too large"),
    ("number too small to fit in target type", "is too small"),
    ("provided string was not `true` or `false`", "must be true or false"),
];

/// The error of a field, from serde's message and the path it stands at.
pub(super) fn error(path: &str, message: &str) -> FieldError {
    let path = if path == "." { "" } else { path };
    let message = placeless(message);
    if let Some(field) = quoted(message, "missing field ") {
        return FieldError::new(below(path, field), "is missing");
    }
    if let Some(field) = quoted(message, "unknown field ") {
        let error = FieldError::new(whole(path, field), "is not known here");
        return known(message).map_or(error.clone(), |known| error.with_hint(known));
    }
    if let Some(field) = quoted(message, "duplicate field ") {
        return FieldError::new(whole(path, field), "stands twice");
    }
    if let Some(word) = quoted(message, "unknown variant ") {
        let error = FieldError::new(path, format!("`{word}` is not a word known here"));
        return known(message).map_or(error.clone(), |known| error.with_hint(known));
    }
    if let Some((_, plain)) = NUMBERS.iter().find(|(rust, _)| *rust == message) {
        return FieldError::new(path, *plain);
    }
    FieldError::new(path, unfit(message).unwrap_or_else(|| message.to_owned()))
}

/// Without ` at line 1 column 12`: the path says where.
fn placeless(message: &str) -> &str {
    message.rfind(" at line ").map_or(message, |at| &message[..at])
}

fn quoted<'m>(message: &'m str, before: &str) -> Option<&'m str> {
    message.strip_prefix(before)?.strip_prefix('`')?.split('`').next()
}

fn below(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

/// The path of a field that serde may have named already.
fn whole(path: &str, field: &str) -> String {
    if path == field || path.ends_with(&format!(".{field}")) {
        path.to_owned()
    } else {
        below(path, field)
    }
}

/// The words that would be known.
fn known(message: &str) -> Option<String> {
    let (_, expected) = message.split_once(", expected ")?;
    Some(expected.trim_start_matches("one of ").to_owned()).map(|known| format!("known: {known}"))
}

/// `invalid type: integer `5`, expected a string` as `must be a text, not integer `5``.
fn unfit(message: &str) -> Option<String> {
    let found =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    let (found, expected) = found?.split_once(", expected ")?;
    let found = match found {
        "sequence" => "a list",
        "map" => "an object",
        other => other,
    };
    if numeric(expected) && found.starts_with("floating point") && found.contains("e+") {
        return Some("is too large".to_owned());
    }
    let number = |rust: &str| rust.len() == 1 && numeric(expected);
    let word = TYPES.iter().find(|(rust, _)| {
        number(rust) && expected.starts_with(rust) || rust.len() > 1 && expected.starts_with(rust)
    });
    Some(format!("must be {}, not {found}", word.map_or(expected, |(_, word)| word)))
}

/// Whether this is the name of a number's type: `u32`, `usize`.
fn numeric(expected: &str) -> bool {
    let bits = expected.get(1..).unwrap_or_default();
    expected.starts_with(['u', 'i', 'f']) && (bits == "size" || bits.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::error;

    fn check(path: &str, message: &str, at: &str, told: &str, hint: Option<&str>) {
        let error = error(path, message);
        assert_eq!((error.path.as_str(), error.message.as_str()), (at, told), "{message}");
        assert_eq!(error.hint.as_deref(), hint, "{message}");
    }

    #[test]
    fn what_does_not_fit_is_told_in_plain_words() {
        check(".", "missing field `name` at line 1 column 2", "name", "is missing", None);
        check("steps[0]", "missing field `name`", "steps[0].name", "is missing", None);
        check(
            "steps[0].nom",
            "unknown field `nom`, expected one of `name`, `kind` at line 1 column 9",
            "steps[0].nom",
            "is not known here",
            Some("known: `name`, `kind`"),
        );
        check(".", "unknown field `x`, there are no fields", "x", "is not known here", None);
        check(".", "duplicate field `name`", "name", "stands twice", None);
        check(
            "kind",
            "unknown variant `x`, expected `a` or `b`",
            "kind",
            "`x` is not a word known here",
            Some("known: `a` or `b`"),
        );
        check(
            ".",
            "invalid type: sequence, expected struct Source with 1 element",
            "",
            "must be an object, not a list",
            None,
        );
        check(
            "rows",
            "invalid type: string \"x\", expected usize",
            "rows",
            "must be a whole number that is not negative, not string \"x\"",
            None,
        );
        check(
            "rows",
            "invalid value: integer `-1`, expected u32 at line 2 column 3",
            "rows",
            "must be a whole number that is not negative, not integer `-1`",
            None,
        );
        check(
            "q",
            "invalid type: integer `5`, expected a string",
            "q",
            "must be a text, not integer `5`",
            None,
        );
        check("q", "invalid type: null, expected a map", "q", "must be an object, not null", None);
        check("limit", "invalid digit found in string", "limit", "must be a whole number", None);
        check(
            "rows",
            "invalid type: floating point `1e+20`, expected usize",
            "rows",
            "is too large",
            None,
        );
        check("at", "a time has a zone", "at", "a time has a zone", None);
    }
}
