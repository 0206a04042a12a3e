//! What serde says of a value that does not fit, in the words of whoever sent it.
//!
//! Serde's messages are stable texts of a few forms; a form that is not known here is passed on without its place.

use countersign_failure::json_problem;

use crate::problem::{FieldError, choice};

/// Messages of numbers that are read from texts.
const NUMBERS: [(&str, &str); 5] = [
    ("invalid digit found in string", "must be an integer"),
    ("cannot parse integer from empty string", "must be an integer"),
    ("number too large to fit in target type", "is too large"),
    ("number too small to fit in target type", "is too small"),
    ("provided string was not `true` or `false`", "must be `true` or `false`"),
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
        return match expected(message) {
            Some(keys) => error.with_hint(format!("known: {}", keys.trim_start_matches("one of "))),
            None => error,
        };
    }
    if let Some(field) = quoted(message, "duplicate field ") {
        return FieldError::new(whole(path, field), "is given twice");
    }
    if let Some(word) = quoted(message, "unknown variant ") {
        let accepted = expected(message).unwrap_or("one of the values known here");
        return FieldError::new(path, choice(accepted, word));
    }
    if let Some((_, plain)) = NUMBERS.iter().find(|(rust, _)| *rust == message) {
        return FieldError::new(path, *plain);
    }
    let told = FieldError::new(path, json_problem(message));
    if message.starts_with("data did not match") {
        return told.with_hint("`GET /openapi.json` describes each of them");
    }
    told
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

/// What serde expected, as it lists it: `` one of `a`, `b` ``, `` `a` or `b` ``.
fn expected(message: &str) -> Option<&str> {
    message.rsplit_once(", expected ").map(|(_, expected)| expected)
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
        check(".", "duplicate field `name`", "name", "is given twice", None);
        check(
            "kind",
            "unknown variant `x`, expected `a` or `b`",
            "kind",
            "must be `a` or `b`, found `x`",
            None,
        );
        check(
            "status",
            "unknown variant `x, expected y`, expected one of `a`, `b`, `c`",
            "status",
            "must be one of `a`, `b`, `c`, found `x, expected y`",
            None,
        );
        check(
            ".",
            "invalid type: sequence, expected struct Source with 1 element",
            "",
            "must be an object, found a list",
            None,
        );
        check(
            "rows",
            "invalid type: string \"x\", expected usize",
            "rows",
            "must be an integer of at least 0, found `\"x\"`",
            None,
        );
        check(
            "rows",
            "invalid value: integer `-1`, expected u32 at line 2 column 3",
            "rows",
            "must be an integer of at least 0, found `-1`",
            None,
        );
        check(
            "q",
            "invalid type: integer `5`, expected a string",
            "q",
            "must be a string, found `5`",
            None,
        );
        check(
            "q",
            "invalid type: null, expected a map",
            "q",
            "must be an object, found `null`",
            None,
        );
        check("limit", "invalid digit found in string", "limit", "must be an integer", None);
        check(
            "rows",
            "invalid type: floating point `1e+20`, expected usize",
            "rows",
            "is too large",
            None,
        );
        check(
            "when",
            "data did not match any variant of untagged enum When",
            "when",
            "has none of the forms that are accepted here",
            Some("`GET /openapi.json` describes each of them"),
        );
        check(
            "pair",
            "invalid length 1, expected a tuple of size 2",
            "pair",
            "must be a list, found 1 of them",
            None,
        );
        let long = format!("invalid type: string \"{}\", expected a map", "x".repeat(500));
        let told = format!("must be an object, found `\"{}…`", "x".repeat(59));
        check("q", &long, "q", &told, None);
        check("at", "a time has a zone", "at", "a time has a zone", None);
    }
}
