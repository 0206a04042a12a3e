//! What is wrong with an argument: every problem at once, each at its place and in plain words.
//!
//! The schemas are those of declared types, so only their keywords are known here. A validator for any schema is not used:
//! every function that runs an action checks its arguments, and would contain it; and parts of an argument that are known
//! only during a run have to be left out, and given back with the schema that they have to fit.

mod formats;
mod path;
mod words;

use serde_json::{Map, Value};

pub use self::path::{Path, Step};
use self::words::{found, kind_fits, listed, shortened, wanted};
use crate::catalogue::nearest;
use crate::derive::is_required;

/// What kind of problem it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// A key that means nothing here. The path leads to the key.
    UnknownKey,
    /// A key that must be there.
    Missing,
    /// A value of another type.
    WrongType,
    /// A word that is not one of those allowed.
    NotAChoice,
    /// The name of a field that no record has.
    UnknownField,
    /// Too small, too large, too short, too long; or not of the form asked for.
    OutOfRange,
}

/// One problem of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub path: Path,
    /// What kind.
    pub kind: ProblemKind,
    /// What is wrong, lower case.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem at a place.
    #[must_use]
    pub fn new(path: Path, kind: ProblemKind, message: impl Into<String>) -> Self {
        Self { path, kind, message: message.into(), hint: None }
    }

    /// Says what to do, if it is known.
    #[must_use]
    pub fn hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }
}

/// What was found in one argument.
#[derive(Debug, Default)]
pub struct Findings<'s> {
    /// The problems, in the order of the schema.
    pub problems: Vec<Problem>,
    /// The parts that are known only during a run, and the schemas they have to fit.
    pub open: Vec<(Path, &'s Value)>,
    /// Texts of a form that is judged elsewhere, with its name: `condition`.
    pub forms: Vec<(Path, &'s str, String)>,
}

/// The schema of what is not declared.
static ANY: Value = Value::Bool(true);

/// Compares a value with its schema. The values at the paths in `open` are known only during a run.
#[must_use]
pub fn explain<'s>(schema: &'s Value, value: &Value, at: &Path, open: &[Path]) -> Findings<'s> {
    let mut walk = Walk { open, findings: Findings::default() };
    walk.value(schema, value, at);
    walk.findings
}

struct Walk<'s, 'o> {
    open: &'o [Path],
    findings: Findings<'s>,
}

impl<'s> Walk<'s, '_> {
    fn value(&mut self, schema: &'s Value, value: &Value, at: &Path) {
        if self.open.contains(at) {
            return self.findings.open.push((at.clone(), schema));
        }
        if let Some(branches) = schema["oneOf"].as_array() {
            return self.tagged(branches, value, at);
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            return self.any_of(branches, value, at);
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.word(words, value, at);
        }
        let Some(kind) = schema["type"].as_str().filter(|_| schema["x-any-form"] != true) else {
            return self.undeclared(value, at);
        };
        match value {
            Value::Object(set) if schema["x-record-set"] == true && set.contains_key("results") => {
            }
            Value::String(_) if schema["x-one-text"] == true => {}
            value if !kind_fits(kind, value) => self.wrong_type(schema, value, at),
            Value::Number(_) => self.number(schema, value, at),
            Value::String(text) => self.text(schema, text, at),
            Value::Array(items) => self.list(schema, items, at),
            Value::Object(fields) => self.object(schema, fields, at, &[]),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Of what is not declared only the parts are found that are known during a run.
    fn undeclared(&mut self, value: &Value, at: &Path) {
        if self.open.iter().any(|open| open.touches(at)) {
            match value {
                _ if self.open.contains(at) => self.findings.open.push((at.clone(), &ANY)),
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    items.for_each(|(entry, item)| self.undeclared(item, &at.entry(entry)));
                }
                Value::Object(fields) => {
                    fields.iter().for_each(|(key, value)| self.undeclared(value, &at.key(key)));
                }
                _ => {}
            }
        }
    }

    fn report(&mut self, at: &Path, kind: ProblemKind, message: String, hint: Option<String>) {
        self.findings.problems.push(Problem::new(at.clone(), kind, message).hint(hint));
    }

    fn wrong_type(&mut self, schema: &Value, value: &Value, at: &Path) {
        let message = format!("{} must be {}, found {}", at.what(), wanted(schema), found(value));
        self.report(at, ProblemKind::WrongType, message, None);
    }

    fn word(&mut self, words: &[Value], value: &Value, at: &Path) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let Some(text) = value.as_str() else {
            let message =
                format!("{} is one of {}, found {}", at.what(), listed(&words), found(value));
            return self.report(at, ProblemKind::NotAChoice, message, None);
        };
        if !words.contains(&text) {
            let likely = nearest(text, words.iter().copied());
            let hint = likely.map(|likely| format!("did you mean `{likely}`?"));
            let shown = shortened(text);
            let message = format!("{} is one of {}, found `{shown}`", at.what(), listed(&words));
            self.report(at, ProblemKind::NotAChoice, message, hint);
        }
    }

    fn number(&mut self, schema: &Value, value: &Value, at: &Path) {
        let number = value.as_f64().unwrap_or_default();
        let below = schema["minimum"].as_f64().is_some_and(|low| number < low);
        let above = schema["maximum"].as_f64().is_some_and(|high| number > high);
        if below || above {
            let message = format!("{} must be {}, found {value}", at.what(), wanted(schema));
            self.report(at, ProblemKind::OutOfRange, message, None);
        }
    }

    fn text(&mut self, schema: &'s Value, text: &str, at: &Path) {
        let format = schema["format"].as_str();
        let what = at.what();
        let longest = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
        if schema["minLength"].as_u64().is_some_and(|least| least > 0) && text.trim().is_empty() {
            let message = format!("{what} must not be empty");
            self.report(at, ProblemKind::OutOfRange, message, None);
        } else if u64::try_from(text.chars().count()).unwrap_or(u64::MAX) > longest {
            let message = format!("{what} has more than {longest} characters");
            self.report(at, ProblemKind::OutOfRange, message, None);
        } else if let Some(format) = format.filter(|format| formats::is_elsewhere(format)) {
            self.findings.forms.push((at.clone(), format, text.to_owned()));
        } else if let Some(Err(problem)) = formats::check(format, text) {
            self.report(at, ProblemKind::OutOfRange, format!("{what} {problem}"), None);
        }
    }

    fn list(&mut self, schema: &'s Value, items: &[Value], at: &Path) {
        let what = at.what();
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if schema["minItems"].as_u64().is_some_and(|least| count < least) {
            let message = format!("{what} must have at least one entry");
            self.report(at, ProblemKind::OutOfRange, message, None);
        }
        if let Some(most) = schema["maxItems"].as_u64().filter(|most| count > *most) {
            let message = format!("{what} has {count} entries, more than {most}");
            return self.report(at, ProblemKind::OutOfRange, message, None);
        }
        // The records of an input were given their type when they were wired.
        if let Some(item) = schema.get("items").filter(|_| schema["x-record-set"] != true) {
            for (entry, value) in items.iter().enumerate() {
                self.value(item, value, &at.entry(entry));
            }
        }
    }

    /// `elsewhere` has the keys that belong to other branches, and to which.
    fn object(
        &mut self,
        schema: &'s Value,
        fields: &Map<String, Value>,
        at: &Path,
        elsewhere: &[(&str, &str)],
    ) {
        let properties = schema["properties"].as_object();
        let names = || properties.into_iter().flatten().map(|(name, _)| name.as_str());
        for (name, value) in fields {
            match properties.and_then(|properties| properties.get(name)) {
                Some(schema) if !value.is_null() => self.value(schema, value, &at.key(name)),
                Some(_) => {}
                None if schema["additionalProperties"] != false => {
                    self.undeclared(value, &at.key(name));
                }
                None => self.unknown(name, &names().collect::<Vec<_>>(), at, elsewhere),
            }
        }
        for name in names().filter(|name| is_required(schema, name)) {
            let takes_anything = properties.is_some_and(|all| takes_null(&all[name]));
            let given = fields.get(name).is_some_and(|value| takes_anything || !value.is_null());
            if !given {
                let message = format!("`{name}` is missing");
                self.report(&at.key(name), ProblemKind::Missing, message, None);
            }
        }
    }

    fn unknown(&mut self, name: &str, known: &[&str], at: &Path, elsewhere: &[(&str, &str)]) {
        let likely = nearest(name, known.iter().copied());
        let other = elsewhere.iter().find(|(key, _)| *key == name);
        let hint = match (likely, other) {
            (_, Some((_, branch))) => format!("`{name}` belongs to `{branch}`"),
            (Some(likely), None) => format!("did you mean `{likely}`?"),
            (None, None) => format!("known here are {}", listed(known)),
        };
        let message = format!("unknown key `{}`", shortened(name));
        self.report(&at.key(name), ProblemKind::UnknownKey, message, Some(hint));
    }

    /// Mappings of several forms, told apart by a word.
    fn tagged(&mut self, branches: &'s [Value], value: &Value, at: &Path) {
        let (Some(fields), Some(tag)) = (value.as_object(), tag(branches)) else {
            if !value.is_object() {
                let message = format!("{} must be a mapping, found {}", at.what(), found(value));
                self.report(at, ProblemKind::WrongType, message, None);
            }
            return;
        };
        let word_of = |branch: &'s Value| branch["properties"][tag]["const"].as_str();
        let here = at.key(tag);
        match fields.get(tag).filter(|word| !word.is_null()) {
            None => {
                self.report(&here, ProblemKind::Missing, format!("`{tag}` is missing"), None);
            }
            Some(_) if self.open.contains(&here) => self.undeclared(value, at),
            Some(word) => match branches.iter().find(|branch| word_of(branch) == word.as_str()) {
                Some(branch) if word.is_string() => {
                    let keys = |other: &'s Value| {
                        let keys = other["properties"].as_object().into_iter().flatten();
                        keys.map(move |(key, _)| (key.as_str(), word_of(other).unwrap_or_default()))
                    };
                    let elsewhere: Vec<_> = branches.iter().flat_map(keys).collect();
                    self.object(branch, fields, at, &elsewhere);
                }
                _ => {
                    let words: Vec<Value> =
                        branches.iter().filter_map(word_of).map(Value::from).collect();
                    self.word(&words, word, &here);
                }
            },
        }
    }

    /// Of several forms the one whose type fits is meant.
    fn any_of(&mut self, branches: &'s [Value], value: &Value, at: &Path) {
        let fits =
            |branch: &&Value| branch["type"].as_str().is_none_or(|kind| kind_fits(kind, value));
        match branches.iter().find(fits) {
            Some(meant) => self.value(meant, value, at),
            None => {
                let all: Vec<String> = branches.iter().map(wanted).collect();
                let (what, wanted) = (at.what(), all.join(" or "));
                let message = format!("{what} must be {wanted}, found {}", found(value));
                self.report(at, ProblemKind::WrongType, message, None);
            }
        }
    }
}

/// The key that every branch pins to a word of its own.
fn tag(branches: &[Value]) -> Option<&str> {
    let keys = branches.first()?["properties"].as_object()?.keys();
    let mut tags = keys.filter(|key| {
        branches.iter().all(|branch| branch["properties"][key.as_str()]["const"].is_string())
    });
    tags.next().map(String::as_str)
}

fn takes_null(schema: &Value) -> bool {
    ["type", "enum", "oneOf", "anyOf", "const"].iter().all(|keyword| schema.get(*keyword).is_none())
}

/// A value that fits a schema, and stands in for one that is known only during a run.
#[must_use]
pub(crate) fn sample(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0).or_else(|| schema.get("minimum")) {
        return first.clone();
    }
    if let Some(branch) = schema["anyOf"].get(0).or_else(|| schema["oneOf"].get(0)) {
        return sample(branch);
    }
    match schema["type"].as_str() {
        Some("string") => schema.get("const").cloned().unwrap_or_else(|| "a".into()),
        Some("integer" | "number") => 1.into(),
        Some("boolean") => true.into(),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let needed = fields.filter(|(name, _)| is_required(schema, name));
            needed.map(|(name, schema)| (name.clone(), sample(schema))).collect()
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests;
