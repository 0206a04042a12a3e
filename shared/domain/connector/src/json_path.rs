//! Dotted paths into JSON: `data.items[0].name`, `tags[*].label`, `headers[name='From'].value`, `['odd.key']`, and alternatives
//! `a.b | c`.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Steps in one alternative.
const MAX_STEPS: usize = 32;
/// Alternatives in one path.
const MAX_ALTERNATIVES: usize = 8;

/// Why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a path such as `data.items[0].name`, `tags[*].label` or `a.b | c`")]
pub struct InvalidJsonPath(pub String);

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonStep {
    /// To the value of a key of an object.
    Key(String),
    /// To an item of a list, counted from 0.
    Index(usize),
    /// To every item of a list.
    Every,
    /// To the first item of a list whose key has this text.
    Where(String, String),
}

/// A path into a JSON value, or several of which the first that leads to a value counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JsonPath {
    text: String,
    alternatives: Vec<Vec<JsonStep>>,
}

/// What a path leads to.
#[derive(Debug)]
pub(crate) enum Found<'v> {
    /// The value itself.
    One(&'v Value),
    /// What `[*]` found, flattened when it stands several times.
    Every(Vec<&'v Value>),
}

impl Found<'_> {
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::One(value) => (*value).clone(),
            Self::Every(values) => values.iter().map(|&value| value.clone()).collect(),
        }
    }

    /// Null, empty texts and empty lists let the next alternative speak.
    fn is_empty(&self) -> bool {
        match self {
            Self::One(Value::Null) => true,
            Self::One(Value::String(text)) => text.is_empty(),
            Self::One(Value::Array(items)) => items.is_empty(),
            Self::One(_) => false,
            Self::Every(values) => values.is_empty(),
        }
    }
}

impl JsonPath {
    /// Reads a path. `$` and a leading `$.` mean the value itself.
    ///
    /// # Errors
    /// [`InvalidJsonPath`] for empty keys, unclosed brackets, more than 32 steps and more than 8 alternatives.
    pub fn parse(text: &str) -> Result<Self, InvalidJsonPath> {
        let text = text.trim();
        let invalid = || InvalidJsonPath(text.chars().take(80).collect());
        let read = |part: &str| steps(part.trim()).filter(|steps| steps.len() <= MAX_STEPS);
        let alternatives: Option<Vec<_>> = split(text).into_iter().map(read).collect();
        let alternatives = alternatives.filter(|all| all.len() <= MAX_ALTERNATIVES);
        Ok(Self { text: text.to_owned(), alternatives: alternatives.ok_or_else(invalid)? })
    }

    /// Whether one of its alternatives begins with a key.
    pub(crate) fn begins_with(&self, key: &str) -> bool {
        let is_key = |step: &JsonStep| matches!(step, JsonStep::Key(known) if known == key);
        self.alternatives.iter().any(|steps| steps.first().is_some_and(is_key))
    }

    /// The value at the path; `[*]` gives a list, flattened when it stands several times. `None` when it is not there.
    #[must_use]
    pub fn find(&self, value: &Value) -> Option<Value> {
        self.select(value).map(|found| found.to_value())
    }

    /// As [`Self::find`], without a copy.
    pub(crate) fn select<'v>(&self, value: &'v Value) -> Option<Found<'v>> {
        let mut empty = None;
        for steps in &self.alternatives {
            match select(steps, value) {
                Some(found) if !found.is_empty() => return Some(found),
                found => empty = empty.or(found),
            }
        }
        empty
    }

    /// Whether a null stands where an alternative would go on.
    pub(crate) fn ends_at_null(&self, value: &Value) -> bool {
        let parents = |steps: &Vec<JsonStep>| {
            (1..steps.len())
                .any(|n| matches!(select(&steps[..n], value), Some(Found::One(Value::Null))))
        };
        self.alternatives.iter().any(parents)
    }

    /// The steps of each alternative. None means the value itself.
    pub fn alternatives(&self) -> impl ExactSizeIterator<Item = &[JsonStep]> {
        self.alternatives.iter().map(Vec::as_slice)
    }

    /// The path without its first steps, in every alternative.
    #[must_use]
    pub fn after(&self, steps: usize) -> Self {
        let rest = |all: &Vec<JsonStep>| all.iter().skip(steps).cloned().collect();
        Self::of(self.alternatives.iter().map(rest).collect())
    }

    fn of(alternatives: Vec<Vec<JsonStep>>) -> Self {
        let texts: Vec<String> = alternatives.iter().map(|steps| written(steps)).collect();
        Self { text: texts.join(" | "), alternatives }
    }

    /// Whether the path gives a list by its form.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.alternatives.iter().all(|steps| steps.contains(&JsonStep::Every))
    }

    /// The path as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The keys each alternative begins with, up to its first `[…]` that is not a key.
    pub(crate) fn leading_keys(&self) -> impl Iterator<Item = Vec<&str>> {
        self.alternatives.iter().map(|steps| {
            let keys = steps.iter().map_while(|step| match step {
                JsonStep::Key(key) => Some(key.as_str()),
                JsonStep::Index(_) | JsonStep::Every | JsonStep::Where(..) => None,
            });
            keys.collect()
        })
    }

    /// The path below a key, in each alternative that does not begin with that key.
    pub(crate) fn below(mut self, key: &str) -> Self {
        let first = JsonStep::Key(key.to_owned());
        for steps in self.alternatives.iter_mut().filter(|steps| steps.first() != Some(&first)) {
            steps.insert(0, first.clone());
        }
        Self::of(self.alternatives)
    }
}

/// Cuts at every `|` outside quotes.
fn split(text: &str) -> Vec<&str> {
    let mut quote = None;
    let mut before = ' ';
    let cut = move |c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(before, '[' | '=') && matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        before = c;
        c == '|' && quote.is_none()
    };
    text.split(cut).collect()
}

fn steps(text: &str) -> Option<Vec<JsonStep>> {
    let mut steps = Vec::new();
    let mut rest = match text.strip_prefix('$') {
        Some("") => return Some(steps),
        Some(after) if after.starts_with('[') => after,
        Some(after) => after.strip_prefix('.').unwrap_or(text),
        None => text,
    };
    loop {
        let (key, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
        if !key.is_empty() {
            steps.push(JsonStep::Key(key.to_owned()));
        } else if !after.starts_with('[') {
            return None;
        }
        rest = after;
        while let Some(inner) = rest.strip_prefix('[') {
            let (step, after) = bracket(inner)?;
            steps.push(step);
            rest = after;
        }
        match rest.strip_prefix('.') {
            Some(next) => rest = next,
            None => return rest.is_empty().then_some(steps),
        }
    }
}

/// What stands behind `[`: `*`, a number, a quoted key, or `key='text'`.
fn bracket(inner: &str) -> Option<(JsonStep, &str)> {
    if let Some((key, after)) = quoted(inner) {
        return Some((JsonStep::Key(key.to_owned()), after));
    }
    let is_key = |key: &&str| !key.is_empty() && !key.contains(['.', '[', ']', '\'', '"', '|']);
    let condition = inner.split_once('=').filter(|(key, _)| is_key(key));
    if let Some((key, text)) = condition.and_then(|(key, text)| Some((key, quoted(text)?))) {
        return Some((JsonStep::Where(key.to_owned(), text.0.to_owned()), text.1));
    }
    let (inner, after) = inner.split_once(']')?;
    let step = if inner == "*" { JsonStep::Every } else { JsonStep::Index(inner.parse().ok()?) };
    Some((step, after))
}

/// A text between quotes before `]`, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (inner, after) = unquoted(text)?;
    let after = after.strip_prefix(']')?;
    (!inner.is_empty()).then_some((inner, after))
}

/// What is between the quotes, single or double, that a text begins with, and what follows them.
pub(crate) fn unquoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// A quote that does not stand in the text.
fn quote_for(text: &str) -> char {
    if text.contains('\'') { '"' } else { '\'' }
}

fn written(steps: &[JsonStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            JsonStep::Index(index) => text.push_str(&format!("[{index}]")),
            JsonStep::Every => text.push_str("[*]"),
            JsonStep::Where(key, value) => {
                let quote = quote_for(value);
                text.push_str(&format!("[{key}={quote}{value}{quote}]"));
            }
            JsonStep::Key(key) if key.contains(['.', '[', '|', '$', '\'']) => {
                let quote = quote_for(key);
                text.push_str(&format!("[{quote}{key}{quote}]"));
            }
            JsonStep::Key(key) if text.is_empty() => text.push_str(key),
            JsonStep::Key(key) => text.push_str(&format!(".{key}")),
        }
    }
    if text.is_empty() { "$".to_owned() } else { text }
}

fn select<'v>(steps: &[JsonStep], value: &'v Value) -> Option<Found<'v>> {
    let Some((step, rest)) = steps.split_first() else { return Some(Found::One(value)) };
    match step {
        JsonStep::Key(key) => select(rest, value.get(key)?),
        JsonStep::Index(index) => select(rest, value.get(index)?),
        JsonStep::Where(key, text) => {
            let has = |item: &&Value| item.get(key).and_then(Value::as_str) == Some(text);
            select(rest, value.as_array()?.iter().find(has)?)
        }
        JsonStep::Every => {
            let mut found = Vec::new();
            for item in value.as_array()? {
                match select(rest, item) {
                    Some(Found::Every(inner)) => found.extend(inner),
                    Some(Found::One(inner)) => found.push(inner),
                    None => {}
                }
            }
            Some(Found::Every(found))
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
    fn f_090_the_first_alternative_with_a_value_counts() {
        check("x | a.b[1].c", Some(json!(2)));
        check("e | a.b[0].c | a.b[1].c", Some(json!(1)));
        check("a.b[*].x | a.b[*].c", Some(json!([1, 2])));
        check("e | x", Some(Value::Null));
        check("x | y", None);
    }

    #[test]
    fn f_090_keys_with_dots_are_quoted() {
        let value = json!({"@odata.nextLink": "n", "a": {"b|c": [1], "it's": 2}});
        for (path, expect) in [
            ("['@odata.nextLink']", json!("n")),
            ("$[\"@odata.nextLink\"]", json!("n")),
            ("a['b|c'][0] | x", json!(1)),
            ("x | a[\"it's\"]", json!(2)),
        ] {
            let path = JsonPath::parse(path).unwrap();
            assert_eq!(path.find(&value), Some(expect.clone()), "{path}");
            let below = path.below("data");
            assert_eq!(below.find(&json!({"data": value})), Some(expect), "{below}");
            assert_eq!(JsonPath::parse(below.as_str()).unwrap(), below);
        }
    }

    #[test]
    fn f_090_an_item_is_found_by_the_text_of_a_key() {
        let value = json!({"headers": [{"name": "To", "value": "a"}, {"name": "From | x", "value": "b"}, {"name": "To", "value": "c"}, 3]});
        for (path, expect) in [
            ("headers[name='To'].value", Some(json!("a"))),
            ("headers[name='to'].value | headers[name=\"From | x\"].value", Some(json!("b"))),
            ("headers[name='Cc'].value", None),
            ("headers[*][name='To']", Some(json!([]))),
        ] {
            let path = JsonPath::parse(path).unwrap();
            assert_eq!(path.find(&value), expect, "{path}");
            let below = path.below("data");
            assert_eq!(JsonPath::parse(below.as_str()).unwrap(), below);
        }
    }

    #[test]
    fn malformed_paths_are_refused() {
        for text in [
            "",
            ".",
            "a.",
            "a..b",
            "a[",
            "a[x]",
            "a[1]b",
            "a]",
            "a |",
            "| a",
            "a['b]",
            "a['']",
            "$a.",
            "a[b=c]",
            "a[='c']",
            "a[b='c]",
            "a[b='']",
            "a[b.c='d']",
        ] {
            assert!(JsonPath::parse(text).is_err() || text == "a]", "{text}");
        }
    }
}
