//! Reading a JSON object field by field and finding every problem at once.
//!
//! [`Fields`] hands out typed values and remembers the names it was asked for, so that [`Fields::finish`] can name the
//! fields nobody knows, with the nearest known one as a suggestion.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

/// One problem at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The path of the field, such as `output_config.destinations[0].type`.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

impl Problem {
    /// A problem at a path.
    #[must_use]
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// All problems in one line.
#[must_use]
pub fn listed(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// An object being read.
#[derive(Debug)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Begins to read `value`, which must be an object, at `path` (empty for the document itself).
    pub fn of(value: &'a Value, path: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let Some(map) = value.as_object() else {
            let place = if path.is_empty() { "(document)" } else { path };
            problems.push(Problem::new(place, format!("must be an object, not {}", kind(value))));
            return None;
        };
        Some(Self { map, path: path.to_owned(), known: Vec::new() })
    }

    /// The path of a field of this object.
    #[must_use]
    pub fn place(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The field as it stands; `null` counts as absent.
    pub fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A text of at most `max` characters.
    pub fn text(
        &mut self,
        name: &'static str,
        max: usize,
        problems: &mut Vec<Problem>,
    ) -> Option<String> {
        let value = self.value(name)?;
        let Some(text) = value.as_str() else { return self.wrong(name, "a text", value, problems) };
        let length = text.chars().count();
        if length > max {
            problems.push(Problem::new(
                self.place(name),
                format!("has {length} characters, at most {max} are allowed"),
            ));
            return None;
        }
        Some(text.to_owned())
    }

    /// A text that must be there and not be blank.
    pub fn required(
        &mut self,
        name: &'static str,
        max: usize,
        problems: &mut Vec<Problem>,
    ) -> Option<String> {
        let before = problems.len();
        match self.text(name, max, problems) {
            Some(text) if !text.trim().is_empty() => Some(text),
            _ => {
                if problems.len() == before {
                    problems.push(Problem::new(self.place(name), "is required"));
                }
                None
            }
        }
    }

    /// `true` or `false`.
    pub fn flag(&mut self, name: &'static str, problems: &mut Vec<Problem>) -> Option<bool> {
        let value = self.value(name)?;
        value.as_bool().or_else(|| self.wrong(name, "true or false", value, problems))
    }

    /// A whole number within `low..=high`.
    pub fn whole(
        &mut self,
        name: &'static str,
        low: i64,
        high: i64,
        problems: &mut Vec<Problem>,
    ) -> Option<i64> {
        let value = self.value(name)?;
        match value.as_i64() {
            Some(number) if (low..=high).contains(&number) => Some(number),
            _ => self.wrong(name, &format!("a whole number from {low} to {high}"), value, problems),
        }
    }

    /// One of a few words.
    pub fn choice<T: Copy>(
        &mut self,
        name: &'static str,
        choices: &[(&'static str, T)],
        problems: &mut Vec<Problem>,
    ) -> Option<T> {
        let text = self.text(name, 200, problems)?;
        let found = choices.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let hint = nearest(&text, &words);
            problems.push(Problem::new(
                self.place(name),
                format!("`{}` is not one of {}{hint}", shortened(&text), words.join(", ")),
            ));
        }
        found
    }

    /// A list; empty when absent.
    pub fn list(&mut self, name: &'static str, problems: &mut Vec<Problem>) -> &'a [Value] {
        let Some(value) = self.value(name) else { return &[] };
        match value.as_array() {
            Some(items) => items,
            None => {
                let _: Option<()> = self.wrong(name, "a list", value, problems);
                &[]
            }
        }
    }

    /// A list of texts of at most `max` characters each.
    pub fn texts(
        &mut self,
        name: &'static str,
        max: usize,
        problems: &mut Vec<Problem>,
    ) -> Vec<String> {
        let mut texts = Vec::new();
        for (index, item) in self.list(name, problems).iter().enumerate() {
            match item.as_str() {
                Some(text) if text.chars().count() <= max && !text.trim().is_empty() => {
                    texts.push(text.to_owned());
                }
                _ => {
                    let place = format!("{}[{index}]", self.place(name));
                    problems.push(Problem::new(
                        place,
                        format!("must be a text of 1 to {max} characters"),
                    ));
                }
            }
        }
        texts
    }

    /// Names the fields nobody asked for.
    pub fn finish(self, problems: &mut Vec<Problem>) {
        for name in self.map.keys().filter(|name| !self.known.contains(&name.as_str())) {
            let hint = nearest(name, &self.known);
            problems.push(Problem::new(
                self.place(&shortened(name)),
                format!("is not a field here{hint}"),
            ));
        }
    }

    fn wrong<T>(
        &self,
        name: &str,
        wanted: &str,
        value: &Value,
        problems: &mut Vec<Problem>,
    ) -> Option<T> {
        problems
            .push(Problem::new(self.place(name), format!("must be {wanted}, not {}", kind(value))));
        None
    }
}

/// What a value is, for a message.
#[must_use]
pub fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) => format!("`{}`", shortened(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn nearest(text: &str, words: &[&str]) -> String {
    words
        .iter()
        .map(|word| (strsim::jaro_winkler(text, word), word))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, word)| format!("; did you mean `{word}`?"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Fields, Problem};

    fn check(value: &Value, expect: &[&str]) {
        let mut problems: Vec<Problem> = Vec::new();
        if let Some(mut fields) = Fields::of(value, "at", &mut problems) {
            fields.required("name", 5, &mut problems);
            fields.flag("active", &mut problems);
            fields.whole("rounds", 1, 10, &mut problems);
            fields.choice("mode", &[("fast", 1), ("slow", 2)], &mut problems);
            fields.texts("tags", 3, &mut problems);
            fields.finish(&mut problems);
        }
        let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn every_problem_is_found_at_its_path() {
        check(
            &json!({"name": "Ann", "active": true, "rounds": 3, "mode": "fast", "tags": ["a"]}),
            &[],
        );
        check(&json!([]), &["at: must be an object, not a list"]);
        check(
            &json!({"active": "yes", "rounds": 11, "mode": "fats", "tags": ["a", "long"], "nmae": 1}),
            &[
                "at.name: is required",
                "at.active: must be true or false, not `yes`",
                "at.rounds: must be a whole number from 1 to 10, not `11`",
                "at.mode: `fats` is not one of fast, slow; did you mean `fast`?",
                "at.tags[1]: must be a text of 1 to 3 characters",
                "at.nmae: is not a field here; did you mean `name`?",
            ],
        );
        check(&json!({"name": "Annabel"}), &["at.name: has 7 characters, at most 5 are allowed"]);
    }

    #[test]
    fn null_counts_as_absent() {
        check(&json!({"name": "Ann", "active": null, "tags": null}), &[]);
    }
}
