//! What a JSON reader says of a text or a value it cannot use, in the words of whoever wrote it.

/// The messages of `serde_json` about syntax; those that are plain already are not listed.
const SAID: [(&str, &str); 16] = [
    ("EOF while parsing a list", "it ends inside a list"),
    ("EOF while parsing an object", "it ends inside an object"),
    ("EOF while parsing a string", "it ends inside a string"),
    ("EOF while parsing a value", "it ends where a value should begin"),
    ("expected ident", "only `true`, `false` and `null` are written without quotes"),
    ("expected value", "a value should begin here"),
    ("key must be a string", "a key must be a string in double quotes"),
    ("trailing characters", "something follows after its end"),
    (
        "control character",
        "a string holds a control character: write it as an escape such as `\\n`",
    ),
    ("invalid escape", "a string holds an escape that JSON does not have"),
    ("invalid unicode code point", "a string holds an escape that is not a character"),
    ("lone leading surrogate", "a string holds one half of a character's escape"),
    ("unexpected end of hex escape", "a string holds an escape that is cut off"),
    ("recursion limit exceeded", "it is nested too deep"),
    ("number out of range", "a number is too large"),
    ("expected `", "a mark is missing: expected `"),
];

/// `EOF while parsing a string at line 1 column 9` as `it ends inside a string`, and `invalid type: integer `5`,
/// expected a string` as `must be a string, found `5``. The place is left out: whoever reads part of a larger text knows a
/// better one.
#[must_use]
pub fn json_problem(message: &str) -> String {
    let message = message.rfind(" at line ").map_or(message, |at| &message[..at]);
    if message.starts_with("data did not match any variant") {
        return "has none of the forms that are accepted here".to_owned();
    }
    if let Some(told) = unfit(message).or_else(|| of_field(message)) {
        return told;
    }
    match SAID.iter().find(|(said, _)| message.starts_with(said)) {
        Some((said, plain)) if said.ends_with('`') => message.replacen(said, plain, 1),
        Some((_, plain)) => (*plain).to_owned(),
        None => message.to_owned(),
    }
}

/// `missing field `x`` as `` `x` is missing``.
fn of_field(message: &str) -> Option<String> {
    let named = |before: &str| message.strip_prefix(before)?.strip_prefix('`')?.split_once('`');
    let known = |rest: &str| {
        let (_, known) = rest.split_once(", expected ")?;
        Some(known.trim_start_matches("one of ").to_owned())
    };
    if let Some((field, _)) = named("missing field ") {
        return Some(format!("`{field}` is missing"));
    }
    if let Some((field, _)) = named("duplicate field ") {
        return Some(format!("`{field}` is given twice"));
    }
    if let Some((field, rest)) = named("unknown field ") {
        let known = known(rest).map_or_else(String::new, |known| format!(" (known: {known})"));
        return Some(format!("`{field}` is not known here{known}"));
    }
    let (word, rest) = named("unknown variant ")?;
    let known = known(rest).unwrap_or_else(|| "the values known here".to_owned());
    Some(format!("`{word}` is not one of {known}"))
}

/// Types of Rust as somebody who writes JSON knows them; the first that fits.
const TYPES: [(&str, &str); 11] = [
    ("a sequence", "a list"),
    ("an array", "a list"),
    ("a tuple", "a list"),
    ("tuple", "a list"),
    ("a map", "an object"),
    ("map", "an object"),
    ("struct", "an object"),
    ("enum", "one of the known values"),
    ("u", "an integer of at least 0"),
    ("i", "an integer"),
    ("f", "a number"),
];

/// `invalid type: integer `5`, expected a string` as `must be a string, found `5``.
fn unfit(message: &str) -> Option<String> {
    let found = ["invalid type: ", "invalid value: ", "invalid length "]
        .into_iter()
        .find_map(|before| message.strip_prefix(before));
    let (found, expected) = found?.rsplit_once(", expected ")?;
    if numeric(expected) && found.starts_with("floating point") && found.contains("e+") {
        return Some("is too large".to_owned());
    }
    let number = |rust: &str| rust.len() == 1 && numeric(expected);
    let word = TYPES.iter().find(|(rust, _)| {
        number(rust) && expected.starts_with(rust) || rust.len() > 1 && expected.starts_with(rust)
    });
    let expected = word.map_or(expected, |(_, word)| word);
    Some(format!("must be {expected}, found {}", value(found)))
}

/// No longer value is repeated.
const MAX_SHOWN: usize = 60;

/// What was found: `integer `5`` as `` `5` ``.
fn value(found: &str) -> String {
    let plain = match found {
        "sequence" => return "a list".to_owned(),
        "map" => return "an object".to_owned(),
        "null" | "unit value" => return "`null`".to_owned(),
        other => other.strip_prefix("string ").unwrap_or(other),
    };
    if plain.bytes().all(|b| b.is_ascii_digit()) {
        return format!("{plain} of them");
    }
    let inner = plain.split_once('`').and_then(|(_, rest)| rest.strip_suffix('`'));
    let inner = inner.filter(|_| !plain.starts_with('"')).unwrap_or(plain);
    if inner.chars().count() <= MAX_SHOWN {
        return format!("`{inner}`");
    }
    format!("`{}…`", inner.chars().take(MAX_SHOWN).collect::<String>())
}

/// Whether this is the name of a number's type: `u32`, `usize`.
fn numeric(expected: &str) -> bool {
    let bits = expected.get(1..).unwrap_or_default();
    expected.starts_with(['u', 'i', 'f']) && (bits == "size" || bits.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::json_problem;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
        assert_eq!(json_problem(&error.to_string()), expect, "{error}");
    }

    #[test]
    fn malformed_json_is_told_without_the_words_of_the_library() {
        check("", "it ends where a value should begin");
        check("{", "it ends inside an object");
        check("[1,", "it ends where a value should begin");
        check("[1", "it ends inside a list");
        check(r#"{"a": "b"#, "it ends inside a string");
        check(r#"{a: 1}"#, "a key must be a string in double quotes");
        check(r#"{"a" 1}"#, "a mark is missing: expected `:`");
        check("[1 2]", "a mark is missing: expected `,` or `]`");
        check("[nope]", "only `true`, `false` and `null` are written without quotes");
        check("[x]", "a value should begin here");
        check("{} {}", "something follows after its end");
        check(
            "[\"a\nb\"]",
            "a string holds a control character: write it as an escape such as `\\n`",
        );
        check(r#"["\x"]"#, "a string holds an escape that JSON does not have");
        check("[1e999]", "a number is too large");
        check("[1,]", "trailing comma");
    }

    #[test]
    fn a_value_of_another_type_is_told_without_the_types_of_the_program() {
        let told = |message: &str, expect: &str| assert_eq!(json_problem(message), expect);
        told(
            "invalid type: string \"x\", expected struct Rule",
            "must be an object, found `\"x\"`",
        );
        told(
            "invalid type: null, expected a sequence at line 1 column 4",
            "must be a list, found `null`",
        );
        told("missing field `name` at line 1 column 2", "`name` is missing");
        told("duplicate field `name`", "`name` is given twice");
        told(
            "unknown field `nom`, expected one of `name`, `kind`",
            "`nom` is not known here (known: `name`, `kind`)",
        );
        told("unknown field `x`, there are no fields", "`x` is not known here");
        told("unknown variant `x`, expected `a` or `b`", "`x` is not one of `a` or `b`");
        told(
            "data did not match any variant of untagged enum When",
            "has none of the forms that are accepted here",
        );
    }
}
