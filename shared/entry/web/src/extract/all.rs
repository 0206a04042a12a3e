//! Everything that does not fit: reading stops at the first mistake, so that it is taken out and the rest is read again.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::words;
use crate::problem::FieldError;

/// No more are looked for one after the other.
const MAX_ROUNDS: usize = 20;

/// Every field of a body that does not fit. A field that is missing ends the search: there is nothing to read on with.
pub(super) fn of_body<T: DeserializeOwned>(mut body: Value) -> Vec<FieldError> {
    let (mut found, mut removed) = (Vec::new(), BTreeSet::new());
    while found.len() < MAX_ROUNDS {
        let Err(error) = serde_path_to_error::deserialize::<_, T>(body.clone()) else { break };
        let told = words::error(&error.path().to_string(), &error.inner().to_string());
        if removed.contains(&told.path) {
            break;
        }
        let path = told.path.clone();
        found.push(told);
        if !take_out(&mut body, &path) {
            break;
        }
        removed.insert(path);
    }
    found
}

/// Takes the value at a path such as `steps[2].name` out; false when there is none.
fn take_out(body: &mut Value, path: &str) -> bool {
    let path = path.replace('[', ".").replace(']', "");
    let (above, last) = path.rsplit_once('.').unwrap_or(("", &path));
    let pointer = above.split('.').filter(|part| !part.is_empty());
    let pointer: String = pointer.map(|part| format!("/{part}")).collect();
    match body.pointer_mut(&pointer) {
        Some(Value::Object(fields)) => fields.shift_remove(last).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(at) if at < items.len() => {
                // The places of the others stay.
                let is_last = at + 1 == items.len();
                if is_last {
                    items.pop();
                }
                is_last
            }
            _ => false,
        },
        _ => false,
    }
}

/// Every value of a query string that does not fit; `read` says the parameter and what is wrong with it.
pub(super) fn of_query(
    query: &str,
    read: impl Fn(&str) -> Result<(), (String, String)>,
) -> Vec<FieldError> {
    let mut pairs: Vec<(String, String)> =
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let mut found = Vec::new();
    while found.len() < MAX_ROUNDS {
        let mut written = url::form_urlencoded::Serializer::new(String::new());
        let Err((name, said)) = read(&written.extend_pairs(&pairs).finish()) else { break };
        found.push(words::error(&name, &said));
        let before = pairs.len();
        pairs.retain(|(other, _)| *other != name);
        if pairs.len() == before {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::{of_body, of_query};

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only whether it can be read counts")]
    struct Person {
        name: String,
        age: Option<u32>,
        home: Option<Home>,
        role: Option<Role>,
        scope: Option<Role>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Role {
        Reader,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only whether it can be read counts")]
    struct Home {
        town: Option<String>,
        rooms: Option<u32>,
    }

    fn check(body: Value, expect: &[&str]) {
        let found = of_body::<Person>(body);
        let paths: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths, expect);
    }

    #[test]
    fn every_field_of_a_body_that_does_not_fit_is_found() {
        check(json!({"name": "Ann"}), &[]);
        let home = json!({"town": 1, "rooms": "x", "garden": true});
        check(
            json!({"name": 1, "age": "x", "nom": 1, "home": home}),
            &["name", "age", "nom", "home.town", "home.rooms", "home.garden"],
        );
        check(json!({"name": "Ann", "role": "king", "scope": "all"}), &["role", "scope"]);
        check(json!({"name": "Ann", "role": "reader", "scope": 1}), &["scope"]);
        check(json!({"age": "x"}), &["age", "name"]);
        check(json!({}), &["name"]);
    }

    #[test]
    fn every_value_of_a_query_that_does_not_fit_is_found() {
        let read = |query: &str| match query {
            _ if query.contains("limit=x") => {
                Err(("limit".to_owned(), "invalid digit found in string".to_owned()))
            }
            _ if query.contains("of=y") => Err(("of".to_owned(), "bad".to_owned())),
            _ => Ok(()),
        };
        let found = of_query("limit=x&of=y&q=%20a", read);
        let paths: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths, ["limit", "of"]);
    }
}
