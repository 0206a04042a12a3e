//! Replacing references by values.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::error::WiringError;
use crate::gap::is_gap;
use crate::reference::{Reference, Segment};
use crate::scope::Scope;
use crate::template::{Part, Template, literal_text};

/// The most bytes one resolved value may hold, so that many references to a large result cannot fill the memory.
const LARGEST_VALUE: usize = 64 * 1024 * 1024;

/// What becomes of a text that is one reference without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    /// It is an error.
    Fails,
    /// It is null; of a result that does not exist, it is what says why.
    Null,
}

impl Reference {
    /// The value it leads to, or nothing when there is none (F-154).
    ///
    /// After `[*]` the rest of the path is applied to every item; items that lack it are left out, and each further
    /// `[*]` adds its items to the same flat list.
    #[must_use]
    pub fn value<'a>(&self, scope: &'a Scope) -> Option<Cow<'a, Value>> {
        match scope.get(self.root())? {
            Cow::Borrowed(value) => walk(value, self.segments()),
            Cow::Owned(value) => {
                walk(&value, self.segments()).map(|found| Cow::Owned(found.into_owned()))
            }
        }
    }
}

fn walk<'a>(value: &'a Value, path: &[Segment]) -> Option<Cow<'a, Value>> {
    let Some((segment, rest)) = path.split_first() else { return Some(Cow::Borrowed(value)) };
    match segment {
        Segment::Field(name) => walk(value.as_object()?.get(name)?, rest),
        Segment::Index(at) => walk(value.as_array()?.get(*at)?, rest),
        Segment::Every => Some(Cow::Owned(Value::Array(project(value.as_array()?, rest)))),
    }
}

fn project(items: &[Value], rest: &[Segment]) -> Vec<Value> {
    let found = items.iter().filter_map(|item| walk(item, rest)).map(Cow::into_owned);
    if rest.contains(&Segment::Every) {
        found
            .flat_map(|list| if let Value::Array(list) = list { list } else { vec![list] })
            .collect()
    } else {
        found.collect()
    }
}

/// Replaces every reference in the texts of a JSON value. Keys are left alone.
///
/// A text that is one reference becomes the value with its type; references inside a text are rendered (see
/// [`render`]). Values that are filled in are not read again, so data can never introduce a reference.
///
/// # Errors
/// [`WiringError`] for a malformed text, a reference without a value, or a result above 64 MiB.
pub fn resolve(value: &Value, scope: &Scope) -> Result<Value, WiringError> {
    Filling::new(scope, Undefined::Fails).fill(value)
}

/// A value that [`resolve`] gives back as it is: braces in its texts are doubled, so that nothing in it is a reference.
#[must_use]
pub fn literal(value: Value) -> Value {
    match value {
        Value::String(text) => literal_text(&text).into(),
        Value::Array(items) => items.into_iter().map(literal).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, literal(value))).collect()
        }
        value => value,
    }
}

/// A value that is being filled in.
pub(crate) struct Filling<'s> {
    pub(crate) scope: &'s Scope<'s>,
    /// So many bytes may still be filled in.
    budget: usize,
    undefined: Undefined,
}

impl<'s> Filling<'s> {
    pub(crate) fn new(scope: &'s Scope<'s>, undefined: Undefined) -> Self {
        Self { scope, budget: LARGEST_VALUE, undefined }
    }

    pub(crate) fn fill(&mut self, value: &Value) -> Result<Value, WiringError> {
        match value {
            Value::String(text) => self.fill_text(text),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(key, item)| Ok((key.clone(), self.fill(item)?)))
                .collect::<Result<Map<_, _>, _>>()
                .map(Value::Object),
            other => Ok(other.clone()),
        }
    }

    /// What stands for a reference without a value.
    fn gap_of(&self, reference: &Reference) -> Value {
        let whole = self.scope.get(reference.root()).filter(|value| is_gap(value));
        whole.map_or(Value::Null, Cow::into_owned)
    }

    fn fill_text(&mut self, text: &str) -> Result<Value, WiringError> {
        let template = parse(text)?;
        if let Some(reference) = template.whole() {
            if self.undefined == Undefined::Null && reference.value(self.scope).is_none() {
                return Ok(self.gap_of(reference));
            }
            let value = defined(reference, self.scope)?;
            spend(&mut self.budget, weight(&value))?;
            return Ok(value.into_owned());
        }
        let mut filled = String::new();
        for part in template.parts() {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Reference(reference, _) => {
                    let value = defined(reference, self.scope)?;
                    spend(&mut self.budget, weight(&value))?;
                    filled.push_str(&render(&value));
                }
            }
        }
        Ok(Value::String(filled))
    }
}

pub(crate) fn parse(text: &str) -> Result<Template, WiringError> {
    Template::parse(text)
        .map_err(|source| WiringError::Syntax { text: text.chars().take(80).collect(), source })
}

fn defined<'a>(reference: &Reference, scope: &'a Scope) -> Result<Cow<'a, Value>, WiringError> {
    reference.value(scope).ok_or_else(|| WiringError::Undefined(reference.to_string()))
}

fn spend(budget: &mut usize, bytes: usize) -> Result<(), WiringError> {
    *budget = budget.checked_sub(bytes).ok_or(WiringError::TooLarge(LARGEST_VALUE))?;
    Ok(())
}

/// About how many bytes a value takes.
fn weight(value: &Value) -> usize {
    const NODE: usize = 16;
    match value {
        Value::String(text) => NODE + text.len(),
        Value::Array(items) => NODE + items.iter().map(weight).sum::<usize>(),
        Value::Object(fields) => {
            NODE + fields.iter().map(|(key, item)| key.len() + weight(item)).sum::<usize>()
        }
        _ => NODE,
    }
}

/// How a value looks inside a text (F-157): texts as they are, numbers and booleans as in JSON, null as nothing, lists
/// of those joined with `, `, and everything else as compact JSON.
#[must_use]
pub fn render(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            items.iter().map(render).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Every reference in the texts of a JSON value, in order. Malformed texts are passed over: [`resolve`] names them.
#[must_use]
pub fn references(value: &Value) -> Vec<Reference> {
    let templates = texts(value).into_iter().filter_map(|text| Template::parse(text).ok());
    let of = |template: Template| template.references().cloned().collect::<Vec<_>>();
    templates.flat_map(of).collect()
}

/// Every text in a JSON value, in order; a key is none of them.
#[must_use]
pub fn texts(value: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// The same value with other references.
///
/// # Errors
/// [`WiringError::Syntax`] for a malformed text.
pub fn map_references(
    value: &Value,
    change: &dyn Fn(&Reference) -> Reference,
) -> Result<Value, WiringError> {
    Ok(match value {
        Value::String(text) => Value::String(parse(text)?.map(change).to_string()),
        Value::Array(items) => Value::Array(
            items.iter().map(|item| map_references(item, change)).collect::<Result<_, _>>()?,
        ),
        Value::Object(fields) => {
            let changed =
                fields.iter().map(|(key, item)| Ok((key.clone(), map_references(item, change)?)));
            Value::Object(changed.collect::<Result<Map<_, _>, WiringError>>()?)
        }
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn scope() -> Scope<'static> {
        Scope::new()
            .with("n", json!(3))
            .with("name", json!("Ada"))
            .with("nothing", json!(null))
            .with("step", json!({
                "results": [{"name": "A", "tags": ["x", "y"]}, {"tags": ["z"]}, {"name": null, "tags": []}],
                "count": 3,
            }))
            .with("sly", json!("{name} and {{"))
    }

    fn check(value: &Value, expect: &Value) {
        let got = resolve(value, &scope()).unwrap_or_else(|error| json!(format!("error: {error}")));
        assert_eq!(&got, expect, "{value}");
    }

    #[test]
    fn f_157_whole_references_keep_their_type() {
        check(&json!("{n}"), &json!(3));
        check(&json!("{step.results[0].tags}"), &json!(["x", "y"]));
        check(&json!({"a": ["{n}", {"{n}": "{nothing}"}]}), &json!({"a": [3, {"{n}": null}]}));
    }

    #[test]
    fn f_157_embedded_references_render_as_text() {
        check(&json!("{n} of {name}"), &json!("3 of Ada"));
        check(&json!("[{nothing}]"), &json!("[]"));
        check(&json!("tags: {step.results[0].tags}"), &json!("tags: x, y"));
        check(&json!(" {step.results[1]}"), &json!(" {\"tags\":[\"z\"]}"));
        check(&json!("{{{n}}}"), &json!("{3}"));
    }

    #[test]
    fn f_154_projection_flattens_and_leaves_out_what_is_missing() {
        check(&json!("{step.results[*].name}"), &json!(["A", null]));
        check(&json!("{step.results[*].tags}"), &json!([["x", "y"], ["z"], []]));
        check(&json!("{step.results[*].tags[*]}"), &json!(["x", "y", "z"]));
        check(&json!("{step.results[*].tags[0]}"), &json!(["x", "z"]));
    }

    #[test]
    fn what_leads_nowhere_is_named() {
        check(&json!("{step.other}"), &json!("error: `{step.other}` leads to no value"));
        check(&json!("{step.results[9]}"), &json!("error: `{step.results[9]}` leads to no value"));
        check(&json!("{step.count[*]}"), &json!("error: `{step.count[*]}` leads to no value"));
        check(&json!("{gone}"), &json!("error: `{gone}` leads to no value"));
        check(
            &json!("a } b"),
            &json!("error: the text `a } b` cannot be read: a `}` without its `{`"),
        );
    }

    #[test]
    fn data_never_becomes_a_template() {
        check(&json!("{sly}"), &json!("{name} and {{"));
        check(&json!("<{sly}>"), &json!("<{name} and {{>"));
    }

    #[test]
    fn many_references_to_a_large_value_are_refused() {
        let scope = Scope::new().with("big", json!("x".repeat(8 * 1024 * 1024)));
        let value = json!(vec!["{big}"; 9]);
        assert_eq!(resolve(&value, &scope), Err(WiringError::TooLarge(64 * 1024 * 1024)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn resolving_escaped_text_gives_it_back(text in any::<String>()) {
            let escaped = text.replace('{', "{{").replace('}', "}}");
            prop_assert_eq!(resolve(&json!(escaped), &Scope::new()), Ok(json!(text)));
        }

        #[test]
        fn resolving_never_panics(text in any::<String>()) {
            let _ = resolve(&json!([text]), &scope());
        }
    }
}
