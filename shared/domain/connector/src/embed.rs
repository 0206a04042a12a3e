//! `{name}` inside a longer text, such as a query in another language: only values that cannot end a name, a literal or
//! a statement there may take its place (K-42).

use serde_json::{Map, Value};

use crate::request::RequestError;

/// Letters, digits, `_` and `-`, in the languages that know no more than ASCII.
const MAX: usize = 200;

/// The names in `{…}`. Braces around anything but a name belong to the text.
pub(crate) fn names(text: &str) -> Vec<&str> {
    pieces(text).into_iter().filter_map(|piece| piece.name).collect()
}

/// The text with the arguments in their places.
///
/// # Errors
/// [`RequestError::MissingArgument`] without a value; [`RequestError::Embedded`] for one that holds anything but letters,
/// digits, `_` and `-`.
pub(crate) fn fill(text: &str, arguments: &Map<String, Value>) -> Result<String, RequestError> {
    let mut filled = String::with_capacity(text.len());
    for piece in pieces(text) {
        filled.push_str(piece.before);
        if let Some(name) = piece.name {
            filled.push_str(&word(name, arguments)?);
        }
    }
    Ok(filled)
}

fn word(name: &str, arguments: &Map<String, Value>) -> Result<String, RequestError> {
    let missing = || RequestError::MissingArgument(name.to_owned());
    let word = match arguments.get(name).ok_or_else(missing)? {
        Value::Null => return Err(missing()),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if (1..=MAX).contains(&word.len()) && word.bytes().all(fits) {
        Ok(word)
    } else {
        Err(RequestError::Embedded(name.to_owned()))
    }
}

/// A stretch of text and the name behind it; the last has none.
struct Piece<'t> {
    before: &'t str,
    name: Option<&'t str>,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut start, mut from) = (0, 0);
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        from = open + 1;
        let Some(name) = text[from..].split_once('}').map(|(name, _)| name) else { break };
        if crate::written::names::is_name(name) {
            pieces.push(Piece { before: &text[start..open], name: Some(name) });
            start = from + name.len() + 1;
            from = start;
        }
    }
    pieces.push(Piece { before: &text[start..], name: None });
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
    use serde_json::{Map, Value, json};

    use super::{fill, names};
    use crate::request::RequestError;

    const QUERY: &str = "SELECT ?x WHERE { wd:{id} ?p ?x . { ?x wdt:{p} \"{id}\" } } LIMIT {n}";

    fn arguments(value: &Value) -> Map<String, Value> {
        json!({ "id": value, "p": "P31", "n": 5 }).as_object().cloned().unwrap()
    }

    #[test]
    fn k_42_names_are_found_between_other_braces() {
        assert_eq!(names(QUERY), ["id", "p", "id", "n"]);
        assert_eq!(names("{ } {} {a b} {a"), Vec::<&str>::new());
        assert_eq!(names("{{a}}"), ["a"]);
        assert_eq!(
            fill(QUERY, &arguments(&json!("Q42"))).unwrap(),
            "SELECT ?x WHERE { wd:Q42 ?p ?x . { ?x wdt:P31 \"Q42\" } } LIMIT 5"
        );
    }

    #[test]
    fn k_42_what_could_change_the_query_is_refused() {
        for value in
            ["", "a b", "a\"", "a}", "a.", "a\\u0022", "a\n", "\u{ff21}", "a;", "a>", "{p}"]
        {
            let outcome = fill(QUERY, &arguments(&json!(value)));
            assert_eq!(outcome, Err(RequestError::Embedded("id".to_owned())), "{value:?}");
        }
        for value in [json!([1]), json!({}), json!(true), json!("a".repeat(201))] {
            assert!(fill(QUERY, &arguments(&value)).is_err(), "{value}");
        }
        let missing = fill("{id}", &Map::new());
        assert_eq!(missing, Err(RequestError::MissingArgument("id".to_owned())));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn k_42_whatever_is_filled_in_keeps_the_text_around_it(value in "\\PC{0,20}") {
            let parts: Vec<&str> = QUERY.split("{id}").collect();
            if let Ok(filled) = fill(QUERY, &arguments(&json!(value))) {
                prop_assert!(value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
                let expect = parts.join(&value).replace("{p}", "P31").replace("{n}", "5");
                prop_assert_eq!(filled, expect);
            }
        }
    }
}
