//! Why serde refused a document: every structural problem at once, from its schema.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::mend::Mend;
use crate::problem::Problem;
use crate::remarked::Remarked;
use crate::span::Span;
use crate::text::{self, Form};
use crate::tree::{Tree, escaped};
use crate::whole::{WHOLE, WithoutPoint};
use crate::words::{self, Wording, is_index, shortened, types, what};

/// Errors that are looked at in one round.
const MAX_ERRORS: usize = 100;
/// What is mended can show more. A document that is broken more deeply is explained again after it is corrected.
const MAX_ROUNDS: usize = 4;

static VALIDATORS: LazyLock<Mutex<HashMap<usize, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Reports every structural problem of `whole` and mends it.
pub(crate) fn explain(
    schema: &Arc<Remarked>,
    kind: &str,
    tree: &Tree,
    whole: &mut Value,
    problems: &mut Vec<Problem>,
) -> Vec<Mend> {
    let mut mends = Vec::new();
    let Some(validator) = validator(schema) else { return mends };
    let mut explainer = Explainer { schema, kind, tree, problems };
    for _ in 0..MAX_ROUNDS {
        let errors: Vec<ValidationError<'_>> =
            validator.iter_errors(whole).take(MAX_ERRORS).collect();
        let told = |error: &&ValidationError<'_>| {
            let pointer = error.instance_path().as_str();
            !mends.iter().any(|mend: &Mend| mend.replaces(pointer))
                && !is_emptied(error, &mends)
                && !is_shadowed(error, &errors)
        };
        errors.iter().filter(told).for_each(|error| explainer.tell(error));
        let found: Vec<Mend> = errors.iter().flat_map(|error| explainer.mend(error)).collect();
        drop(errors);
        if found.is_empty() {
            break;
        }
        found.iter().for_each(|mend| mend.apply(whole));
        mends.extend(found);
    }
    mends
}

/// What is left of a mapping after its broken parts were removed may be less than it must have.
fn is_emptied(error: &ValidationError<'_>, mends: &[Mend]) -> bool {
    let pointer = error.instance_path().as_str();
    matches!(error.kind(), Kind::MinProperties { .. })
        && mends.iter().any(|mend| mend.is_inside(pointer))
}

/// What is not of the type is none of the words either: the type is enough.
fn is_shadowed(error: &ValidationError<'_>, all: &[ValidationError<'_>]) -> bool {
    let of_type = |other: &&ValidationError<'_>| matches!(other.kind(), Kind::Type { .. });
    matches!(error.kind(), Kind::Enum { .. })
        && all.iter().filter(of_type).any(|other| other.instance_path() == error.instance_path())
}

/// The validator of a schema, made when the first document of its kind is refused.
fn validator(schema: &Arc<Remarked>) -> Option<Arc<Validator>> {
    let mut made = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    // A schema is never dropped, so that its address stays its own.
    let key = Arc::as_ptr(schema).addr();
    if let Some(known) = made.get(&key) {
        return Some(Arc::clone(known));
    }
    let mut options = jsonschema::options()
        .should_validate_formats(true)
        .with_keyword(WHOLE, |_, _, _| Ok(Box::new(WithoutPoint)));
    for Form { format, check, .. } in text::forms() {
        options = options.with_format(format, move |text: &str| check(text).is_ok());
    }
    let validator = Arc::new(options.build(&schema.0).ok()?);
    made.insert(key, Arc::clone(&validator));
    Some(validator)
}

/// Errors of the validator in the words of whoever writes the document.
pub(crate) struct Explainer<'t> {
    pub(crate) schema: &'t Remarked,
    kind: &'t str,
    tree: &'t Tree,
    problems: &'t mut Vec<Problem>,
}

impl Explainer<'_> {
    fn tell(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str();
        let what = what(pointer, self.kind);
        let value = error.instance();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => self.unknown(error, unexpected),
            Kind::Required { property } => {
                self.missing(error, property.as_str().unwrap_or_default());
            }
            Kind::PropertyNames { error: inner } => self.name(pointer, inner),
            Kind::Enum { options } => self.choice(error, options),
            Kind::Constant { expected_value } => {
                self.put(
                    error,
                    "choice",
                    words::must_be(&what, &expected_value.to_string(), value),
                );
            }
            Kind::Type { kind } => {
                let wanted = self.wanted(error).unwrap_or_else(|| types(kind));
                let hint = self.quoted(pointer, value, &wanted);
                let wording = words::must_be(&what, &wanted, value);
                self.put(error, "type", Wording { hint, ..wording });
            }
            Kind::Minimum { .. } | Kind::Maximum { .. } | Kind::Custom { .. } => {
                let wanted = self.wanted(error).unwrap_or_else(|| "within its bounds".to_owned());
                self.put(error, "type", words::must_be(&what, &wanted, value));
            }
            Kind::Format { format } => self.form(error, format),
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.either(error, context);
            }
            Kind::MinItems { .. } | Kind::MaxItems { .. } | Kind::MaxProperties { .. } => {
                self.length(error);
            }
            Kind::MinProperties { .. } | Kind::MinLength { .. } => {
                self.put(error, "empty", words::empty(&what));
            }
            Kind::MaxLength { limit } => {
                self.put(error, "length", words::too_long(&what, *limit));
            }
            Kind::FalseSchema => {
                self.put(error, "unknown_key", words::not_allowed(&what));
            }
            // The form beside it is what is explained.
            Kind::Pattern { .. } if self.has_form(error) => {}
            _ => self.put(error, "shape", words::malformed(&what)),
        }
    }

    /// Reports a problem of a value. The schema may have another code or hint for it.
    fn put(&mut self, error: &ValidationError<'_>, code: &str, wording: Wording) {
        let pointer = error.instance_path().as_str();
        let remark = |key: &str| {
            let around = self.around(error)?;
            around[key].as_str().map(str::to_owned)
        };
        let (own_code, own_hint) = (remark("x-code"), remark("x-hint"));
        let code = own_code.unwrap_or_else(|| code.to_owned());
        let problem = Problem::error(code, pointer, wording.message).at(self.tree.span(pointer));
        self.push(problem.hint(wording.hint.or(own_hint)));
    }

    fn at_key(&mut self, pointer: String, code: &str, wording: Wording) {
        let span: Option<Span> = self.tree.key_span(&pointer);
        self.push(Problem::error(code, pointer, wording.message).at(span).hint(wording.hint));
    }

    fn push(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn unknown(&mut self, error: &ValidationError<'_>, unexpected: &[String]) {
        let pointer = error.instance_path().as_str().to_owned();
        let what = what(&pointer, self.kind);
        let known: Vec<String> = self.known(error);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        for name in unexpected {
            let wording = words::unknown_key(&what, name, &known);
            self.at_key(format!("{pointer}/{}", escaped(name)), "unknown_key", wording);
        }
    }

    /// The keys that a mapping may have, in the order of its schema.
    fn known(&self, error: &ValidationError<'_>) -> Vec<String> {
        let around = self.around(error);
        let keys = around.and_then(|schema| schema["properties"].as_object());
        keys.into_iter().flatten().map(|(key, _)| key.clone()).collect()
    }

    fn missing(&mut self, error: &ValidationError<'_>, name: &str) {
        let pointer = error.instance_path().as_str();
        let known = self.known(error);
        let written = error.instance().as_object();
        let others = written.into_iter().flatten().map(|(key, _)| key.as_str());
        let others = others.filter(|key| !known.iter().any(|known| known == key));
        let wording = words::missing(&what(pointer, self.kind), name, others);
        self.push(
            Problem::error("missing", format!("{pointer}/{}", escaped(name)), wording.message)
                .at(self.tree.span(pointer))
                .hint(wording.hint),
        );
    }

    fn name(&mut self, pointer: &str, inner: &ValidationError<'_>) {
        if matches!(inner.kind(), Kind::Pattern { .. }) && self.has_form(inner) {
            return;
        }
        let name = inner.instance().as_str().unwrap_or_default().to_owned();
        let own = format!("{pointer}/{}", escaped(&name));
        let form =
            if let Kind::Format { format } = inner.kind() { text::form(format) } else { None };
        let refused = form.and_then(|form| Some((form.code, (form.check)(&name).err()?)));
        let shown = format!("`{}`", shortened(&name));
        match refused {
            Some((code, refused)) => self.at_key(own, code, refused.about(&shown)),
            None => {
                let wording = words::not_a_name(&shown, &what(pointer, self.kind));
                self.at_key(own, "name", wording);
            }
        }
    }

    fn choice(&mut self, error: &ValidationError<'_>, options: &Value) {
        let what = what(error.instance_path().as_str(), self.kind);
        let schema = self.around(error).unwrap_or(&Value::Null);
        let wording = words::choice(&what, &strings(options), schema, error.instance());
        self.put(error, "choice", wording);
    }

    fn form(&mut self, error: &ValidationError<'_>, format: &str) {
        let what = what(error.instance_path().as_str(), self.kind);
        let text = error.instance().as_str().unwrap_or_default();
        let form = text::form(format);
        let refused = form.and_then(|form| (form.check)(text).err());
        let wording =
            refused.map_or_else(|| words::malformed(&what), |refused| refused.about(&what));
        self.put(error, form.map_or("shape", |form| form.code), wording);
    }

    fn length(&mut self, error: &ValidationError<'_>) {
        let what = what(error.instance_path().as_str(), self.kind);
        let schema = self.around(error).unwrap_or(&Value::Null);
        let bound = |keys: [&str; 2]| keys.iter().find_map(|key| schema[*key].as_u64());
        let (least, most) =
            (bound(["minItems", "minProperties"]), bound(["maxItems", "maxProperties"]));
        let count = match error.instance().as_ref() {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        self.put(error, "length", words::entries(&what, least, most, count));
    }

    /// Of several forms the one whose type fits is meant: its problems are reported.
    fn either(&mut self, error: &ValidationError<'_>, context: &[Vec<ValidationError<'static>>]) {
        let pointer = error.instance_path().as_str();
        if let Some(meant) = meant(pointer, context) {
            return meant.iter().for_each(|error| self.tell(error));
        }
        let mut wanted: Vec<String> = Vec::new();
        for one in context.iter().flatten() {
            if let Kind::Type { kind } = one.kind() {
                wanted.push(types(kind));
            }
        }
        wanted.dedup();
        let what = what(pointer, self.kind);
        self.put(error, "type", words::must_be(&what, &wanted.join(" or "), error.instance()));
    }

    /// What the schema of one type asks for, such as "a whole number from 1 to 300".
    fn wanted(&self, error: &ValidationError<'_>) -> Option<String> {
        let schema = self.around(error)?;
        schema["type"].is_string().then(|| words::wanted(schema))
    }

    /// A number where a string belongs is mostly one without quotes.
    fn quoted(&self, pointer: &str, value: &Value, wanted: &str) -> Option<String> {
        let written = self.tree.written(pointer);
        let key = pointer.rsplit('/').next().filter(|key| !is_index(key) && !key.is_empty());
        match value {
            Value::Number(_) | Value::Bool(_) if wanted == "a string" && !written.is_empty() => {
                Some(format!("put it in quotes: \"{}\"", shortened(written)))
            }
            _ if wanted == "a list" => {
                Some("start each entry on its own line with `- `".to_owned())
            }
            _ if wanted == "a mapping" => {
                key.map(|key| format!("write `{key}:` and below it, indented, `name: value`"))
            }
            _ => None,
        }
    }

    /// Whether a form is beside the keyword of the error.
    pub(crate) fn has_form(&self, error: &ValidationError<'_>) -> bool {
        self.around(error).is_some_and(|schema| schema.get("format").is_some())
    }

    /// The schema that has the keyword of the error.
    pub(crate) fn around(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let path = error.schema_path().as_str();
        self.schema.0.pointer(path.rsplit_once('/').map_or("", |(above, _)| above))
    }
}

/// Of several forms the one whose type fits the value.
pub(crate) fn meant<'e>(
    pointer: &str,
    context: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e [ValidationError<'static>]> {
    let misses = |one: &ValidationError<'_>| {
        one.instance_path().as_str() == pointer && matches!(one.kind(), Kind::Type { .. })
    };
    context.iter().find(|errors| !errors.iter().any(misses)).map(Vec::as_slice)
}

pub(crate) fn strings(options: &Value) -> Vec<&str> {
    options.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
