//! What is wrong with an argument: every problem at once, each at its place and in plain words.
//!
//! The schemas are those of declared types, so only their keywords are known here. A validator for any schema is not used:
//! every function that runs an action checks its arguments, and would contain it; and parts of an argument that are known
//! only during a run have to be left out, and given back with the schema that they have to fit.

mod formats;
mod no_effect;
mod path;

use countersign_document::words::{self, Wording, wanted};
use serde_json::{Map, Value};

pub use self::path::{Path, Step};
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
    /// Something that is allowed and does nothing: a warning for its author, and nothing to a run.
    NoEffect,
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
            return self.tagged(schema, branches, value, at);
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            return self.any_of(branches, value, at);
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.word(schema, words, value, at);
        }
        let Some(kind) = schema["type"].as_str().filter(|_| schema["x-any-form"] != true) else {
            return self.undeclared(value, at);
        };
        match value {
            Value::Object(set) if schema["x-record-set"] == true && set.contains_key("results") => {
            }
            Value::String(_) if schema["x-one-text"] == true => {}
            value if !kind_fits(kind, value) => self.wrong_type(&wanted(schema), value, at),
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

    fn report(&mut self, at: &Path, kind: ProblemKind, wording: Wording) {
        let problem = Problem::new(at.clone(), kind, wording.message);
        self.findings.problems.push(problem.hint(wording.hint));
    }

    fn wrong_type(&mut self, wanted: &str, value: &Value, at: &Path) {
        self.report(at, ProblemKind::WrongType, words::must_be(&at.what(), wanted, value));
    }

    fn word(&mut self, schema: &Value, all: &[Value], value: &Value, at: &Path) {
        let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        if value.as_str().is_none_or(|text| !all.contains(&text)) {
            let wording = words::choice(&at.what(), &all, schema, value);
            let own = || schema["x-hint"].as_str().map(str::to_owned);
            let hint = wording.hint.or_else(own);
            self.report(at, ProblemKind::NotAChoice, Wording { hint, ..wording });
        }
    }

    fn number(&mut self, schema: &Value, value: &Value, at: &Path) {
        let number = value.as_f64().unwrap_or_default();
        let below = schema["minimum"].as_f64().is_some_and(|low| number < low);
        let above = schema["maximum"].as_f64().is_some_and(|high| number > high);
        if below || above {
            let wording = words::must_be(&at.what(), &wanted(schema), value);
            self.report(at, ProblemKind::OutOfRange, wording);
        }
    }

    fn text(&mut self, schema: &'s Value, text: &str, at: &Path) {
        let format = schema["format"].as_str();
        let what = at.what();
        let longest = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
        let is_long = || u64::try_from(text.chars().count()).unwrap_or(u64::MAX) > longest;
        let out_of_range = if schema["minLength"].as_u64().is_some_and(|least| least > 0)
            && text.trim().is_empty()
        {
            Some(words::empty(&what))
        } else if is_long() {
            Some(words::too_long(&what, longest))
        } else if let Some(format) = format.filter(|format| formats::is_elsewhere(format)) {
            self.findings.forms.push((at.clone(), format, text.to_owned()));
            None
        } else {
            formats::check(format, text).err().map(|refused| refused.about(&what))
        };
        if let Some(wording) = out_of_range {
            self.report(at, ProblemKind::OutOfRange, wording);
        }
    }

    /// Whether a list or a mapping has as many entries as its schema allows.
    fn has_room(&mut self, bounds: [&Value; 2], count: usize, at: &Path) -> bool {
        let [least, most] = bounds.map(Value::as_u64);
        let length = u64::try_from(count).unwrap_or(u64::MAX);
        let fits =
            least.is_none_or(|least| length >= least) && most.is_none_or(|most| length <= most);
        if !fits {
            let wording = words::entries(&at.what(), least, most, count);
            self.report(at, ProblemKind::OutOfRange, wording);
        }
        fits
    }

    fn list(&mut self, schema: &'s Value, items: &[Value], at: &Path) {
        if !self.has_room([&schema["minItems"], &schema["maxItems"]], items.len(), at) {
            return;
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
        elsewhere: &[(&str, String)],
    ) {
        let bounds = [&schema["minProperties"], &schema["maxProperties"]];
        if !self.has_room(bounds, fields.len(), at) {
            return;
        }
        let properties = schema["properties"].as_object();
        let names = || properties.into_iter().flatten().map(|(name, _)| name.as_str());
        for (name, value) in fields {
            match properties.and_then(|properties| properties.get(name)) {
                Some(schema) if !value.is_null() => self.value(schema, value, &at.key(name)),
                Some(_) => {}
                None => match &schema["additionalProperties"] {
                    Value::Bool(false) => {
                        self.unknown(name, &names().collect::<Vec<_>>(), at, elsewhere);
                    }
                    entry @ Value::Object(_) => {
                        self.name(&schema["propertyNames"], name, at);
                        self.value(entry, value, &at.key(name));
                    }
                    _ => self.undeclared(value, &at.key(name)),
                },
            }
        }
        for name in names().filter(|name| is_required(schema, name)) {
            let takes_anything = properties.is_some_and(|all| takes_null(&all[name]));
            let given = fields.get(name).is_some_and(|value| takes_anything || !value.is_null());
            if !given {
                let unknown = fields.keys().filter(|key| !names().any(|known| known == *key));
                self.missing(name, unknown, at);
            }
        }
    }

    /// The key of an entry whose name has a form.
    fn name(&mut self, schema: &Value, name: &str, at: &Path) {
        if let Err(refused) = formats::check(schema["format"].as_str(), name) {
            let shown = format!("`{}`", words::shortened(name));
            self.report(&at.key(name), ProblemKind::UnknownKey, refused.about(&shown));
        }
    }

    fn missing<'k>(&mut self, name: &str, unknown: impl Iterator<Item = &'k String>, at: &Path) {
        let wording = words::missing(&at.what(), name, unknown.map(String::as_str));
        self.report(&at.key(name), ProblemKind::Missing, wording);
    }

    fn unknown(&mut self, name: &str, known: &[&str], at: &Path, elsewhere: &[(&str, String)]) {
        let wording = words::unknown_key(&at.what(), name, known);
        let other = elsewhere.iter().find(|(key, _)| *key == name);
        let belongs = other.map(|(_, branch)| format!("`{name}` is a key of `{branch}`"));
        let wording = Wording { hint: belongs.or(wording.hint), ..wording };
        self.report(&at.key(name), ProblemKind::UnknownKey, wording);
    }

    /// Mappings of several forms, told apart by a word.
    fn tagged(&mut self, schema: &'s Value, branches: &'s [Value], value: &Value, at: &Path) {
        let Some(fields) = value.as_object() else {
            return self.wrong_type("a mapping", value, at);
        };
        let Some(tag) = tag(branches) else { return };
        let word_of = |branch: &'s Value| branch["properties"][tag]["const"].as_str();
        let here = at.key(tag);
        let word = fields.get(tag).filter(|word| !word.is_null());
        if word.is_some() && self.open.contains(&here) {
            return self.undeclared(value, at);
        }
        let meant = word
            .and_then(Value::as_str)
            .and_then(|word| branches.iter().find(|branch| word_of(branch) == Some(word)));
        if let Some(meant) = meant {
            let keys = |other: &'s Value| {
                let branch = format!("{tag}: {}", word_of(other).unwrap_or_default());
                let keys = other["properties"].as_object().into_iter().flatten();
                keys.map(move |(key, _)| (key.as_str(), branch.clone()))
            };
            let elsewhere: Vec<_> = branches.iter().flat_map(keys).collect();
            return self.object(meant, fields, at, &elsewhere);
        }
        if let Some(word) = word {
            let all: Vec<Value> = branches.iter().filter_map(word_of).map(Value::from).collect();
            self.word(schema, &all, word, &here);
        }
        self.untold(branches, fields, at, tag);
    }

    /// A mapping whose form is not known: what is the same in every form is checked, and what no form has is unknown.
    fn untold(&mut self, branches: &'s [Value], fields: &Map<String, Value>, at: &Path, tag: &str) {
        let keys = branches.iter().flat_map(|branch| branch["properties"].as_object()).flatten();
        let mut known: Vec<&str> = keys.map(|(key, _)| key.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        let is_known = |name: &&String| known.contains(&name.as_str());
        if fields.get(tag).is_none_or(Value::is_null) {
            self.missing(tag, fields.keys().filter(|name| !is_known(name)), at);
        }
        for (name, value) in fields {
            let mut schemas = branches.iter().map(|branch| branch["properties"].get(name));
            let first = schemas.next().flatten();
            if !is_known(&name) {
                self.unknown(name, &known, at, &[]);
            } else if let Some(schema) = first
                && !value.is_null()
                && schemas.all(|other| other == first)
            {
                self.value(schema, value, &at.key(name));
            }
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
                self.wrong_type(&all.join(" or "), value, at);
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

/// Whether a value is of a type of JSON Schema. A number with a point is not a whole one.
fn kind_fits(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
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
        Some("string") => schema.get("const").cloned().unwrap_or_else(|| {
            let form = schema["format"].as_str().and_then(countersign_document::form);
            form.map_or("a", |form| form.sample).into()
        }),
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
