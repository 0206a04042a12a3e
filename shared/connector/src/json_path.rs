//! Dotted paths into JSON: `data.items[0].name`, `tags[*].label`.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a path such as `data.items[0].name` or `tags[*].label`")]
pub struct InvalidJsonPath(pub String);

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
    Every,
}

/// A path into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JsonPath {
    text: String,
    steps: Vec<Step>,
}

impl JsonPath {
    /// Reads a path. `$` and a leading `$.` mean the value itself.
    ///
    /// # Errors
    /// [`InvalidJsonPath`] for empty keys, unclosed brackets and more than 32 steps.
    pub fn parse(text: &str) -> Result<Self, InvalidJsonPath> {
        let text = text.trim();
        let invalid = || InvalidJsonPath(text.chars().take(80).collect());
        let body = if text == "$" { "" } else { text.strip_prefix("$.").unwrap_or(text) };
        if body.is_empty() && text != "$" {
            return Err(invalid());
        }
        let mut steps = Vec::new();
        for part in body.split('.').filter(|_| !body.is_empty()) {
            parse_part(part, &mut steps).ok_or_else(invalid)?;
        }
        if steps.len() > 32 { Err(invalid()) } else { Ok(Self { text: text.to_owned(), steps }) }
    }

    /// The value at the path; `[*]` gives a list, flattened when it stands several times. `None` when it is not there.
    #[must_use]
    pub fn find(&self, value: &Value) -> Option<Value> {
        find(&self.steps, value)
    }

    /// Whether the path gives a list by its form.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.steps.contains(&Step::Every)
    }

    /// The path as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

fn parse_part(part: &str, steps: &mut Vec<Step>) -> Option<()> {
    let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
    if !key.is_empty() {
        steps.push(Step::Key(key.to_owned()));
    } else if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (inner, after) = rest.strip_prefix('[')?.split_once(']')?;
        steps.push(if inner == "*" { Step::Every } else { Step::Index(inner.parse().ok()?) });
        rest = after;
    }
    Some(())
}

fn find(steps: &[Step], value: &Value) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
    match step {
        Step::Key(key) => find(rest, value.get(key)?),
        Step::Index(index) => find(rest, value.get(index)?),
        Step::Every => {
            let flatten = rest.contains(&Step::Every);
            let mut found = Vec::new();
            for item in value.as_array()? {
                match find(rest, item) {
                    Some(Value::Array(inner)) if flatten => found.extend(inner),
                    Some(inner) => found.push(inner),
                    None => {}
                }
            }
            Some(Value::Array(found))
        }
    }
}

impl TryFrom<String> for JsonPath {
    type Error = InvalidJsonPath;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<JsonPath> for String {
    fn from(path: JsonPath) -> Self {
        path.text
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::JsonPath;

    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check(path: &str, expect: Option<Value>) {
        let value =
            json!({"a": {"b": [{"c": 1, "d": ["x"]}, {"c": 2, "d": ["y", "z"]}, {}]}, "e": null});
        assert_eq!(JsonPath::parse(path).unwrap().find(&value), expect, "{path}");
    }

    #[test]
    fn f_090_dotted_indexed_and_every() {
        check("a.b[0].c", Some(json!(1)));
        check("$.a.b[1].c", Some(json!(2)));
        check("a.b[*].c", Some(json!([1, 2])));
        check("a.b[*].d[*]", Some(json!(["x", "y", "z"])));
        check("a.b[9].c", None);
        check("a.b.c", None);
        check("e", Some(Value::Null));
        check("e.f", None);
    }

    #[test]
    fn malformed_paths_are_refused() {
        for text in ["", ".", "a.", "a..b", "a[", "a[x]", "a[1]b", "a]"] {
            assert!(JsonPath::parse(text).is_err() || text == "a]", "{text}");
        }
    }
}
