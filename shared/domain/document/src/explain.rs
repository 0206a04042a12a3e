//! Why serde refused a document: every structural problem at once, from its schema.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::mend::{Mend, apply};
use crate::nearest::{did_you_mean, listed, nearest};
use crate::problem::Problem;
use crate::remarks::laid_out;
use crate::schema::Remarked;
use crate::span::Span;
use crate::text::{self, Form};
use crate::tree::{Tree, escaped};
use crate::words::{kind_of, shortened, types, what};

/// Errors that are looked at in one round.
const MAX_ERRORS: usize = 100;
/// Problems that are kept, of which those first in the text are reported.
const MAX_FOUND: usize = 1_000;
/// What is mended can show more. A document that is broken more deeply is explained again after it is corrected.
const MAX_ROUNDS: usize = 4;

static VALIDATORS: LazyLock<Mutex<HashMap<usize, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// What a kind of document calls itself and its problems.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wording {
    pub(crate) kind: &'static str,
    /// The code of a number outside its bounds.
    pub(crate) out_of_range: &'static str,
}

/// Reports every structural problem of `whole` and mends it.
pub(crate) fn explain(
    schema: &Arc<Remarked>,
    wording: Wording,
    tree: &Tree,
    whole: &mut Value,
    problems: &mut Vec<Problem>,
) -> Vec<Mend> {
    let mut mends = Vec::new();
    let Some(validator) = validator(schema) else { return mends };
    let mut explainer = Explainer { schema, wording, tree, problems };
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
        apply(&found, whole);
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
    let mut options = jsonschema::options().should_validate_formats(true);
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
    pub(crate) tree: &'t Tree,
    wording: Wording,
    problems: &'t mut Vec<Problem>,
}

impl Explainer<'_> {
    fn tell(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str();
        let what = self.what(pointer);
        let value = error.instance();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => self.unknown(error, unexpected),
            Kind::Required { property } => {
                self.missing(error, property.as_str().unwrap_or_default());
            }
            Kind::PropertyNames { error: inner } => self.name(pointer, inner),
            Kind::Enum { options } => self.choice(error, options),
            Kind::Constant { expected_value } => {
                let message = format!("{what} must be {expected_value}, found {}", kind_of(value));
                self.put(error, "choice", message, None);
            }
            Kind::Type { kind } => self.mistyped(error, &types(kind)),
            Kind::Minimum { .. } | Kind::Maximum { .. } => self.out_of_range(error),
            Kind::Format { format } => self.form(error, format),
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.either(error, context);
            }
            Kind::MinItems { .. } | Kind::MaxItems { .. } => self.length(error),
            Kind::MinProperties { .. } | Kind::MinLength { .. } => {
                self.put(error, "empty", format!("{what} is empty"), None);
            }
            Kind::MaxLength { limit } => {
                let message = format!("{what} is longer than {limit} characters");
                self.put(error, "length", message, None);
            }
            Kind::FalseSchema => {
                self.put(error, "unknown_key", format!("{what} is not allowed here"), None);
            }
            // The form beside it is what is explained.
            Kind::Pattern { .. } if self.has_form(error) => {}
            _ => self.put(
                error,
                "shape",
                format!("{what} does not have the form that is needed here"),
                None,
            ),
        }
    }

    /// What a message calls the part at a pointer.
    fn what(&self, pointer: &str) -> String {
        what(pointer, self.wording.kind)
    }

    /// Reports a problem of a value. The schema may have another code or hint for it.
    fn put(
        &mut self,
        error: &ValidationError<'_>,
        code: &str,
        message: String,
        hint: Option<String>,
    ) {
        let span = self.tree.span(error.instance_path().as_str());
        self.put_at(error, span, (code, message, hint));
    }

    fn put_at(
        &mut self,
        error: &ValidationError<'_>,
        span: Option<Span>,
        (code, message, hint): (&str, String, Option<String>),
    ) {
        let code = self.remark(error, "x-code").unwrap_or_else(|| code.to_owned());
        let hint = hint.or_else(|| self.remark(error, "x-hint"));
        let problem = Problem::error(code, error.instance_path().as_str(), message).at(span);
        self.push(problem.hint(hint));
    }

    fn at_key(&mut self, pointer: String, code: &str, message: String, hint: Option<String>) {
        let span: Option<Span> = self.tree.key_span(&pointer);
        self.push(Problem::error(code, pointer, message).at(span).hint(hint));
    }

    fn push(&mut self, problem: Problem) {
        if !self.is_full() && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= MAX_FOUND
    }

    fn unknown(&mut self, error: &ValidationError<'_>, unexpected: &[String]) {
        let pointer = error.instance_path().as_str().to_owned();
        let what = self.what(&pointer);
        let known: Vec<String> = self.known(error);
        for name in unexpected {
            if self.is_full() {
                return;
            }
            let own = format!("{pointer}/{}", escaped(name));
            if let Some((code, message, hint)) = self.elsewhere(error, name) {
                self.at_key(own, &code, message, hint);
                continue;
            }
            let near = || nearest(name, known.iter().map(String::as_str)).map(did_you_mean);
            let all = || format!("known keys are {}", listed(known.iter().map(String::as_str)));
            let hint = self.of_another(error, name).or_else(near);
            let hint = hint.or_else(|| (!known.is_empty()).then(all));
            let message = format!("{what} has no key `{}`", shortened(name));
            self.at_key(own, "unknown_key", message, hint);
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
        let hint = nearest(name, others).map(|near| format!("is `{near}` meant to be `{name}`?"));
        let message = format!("{} has no `{name}`", self.what(pointer));
        let own = self.around(error).map_or(&Value::Null, |schema| &schema["properties"][name]);
        let code = own["x-missing-code"].as_str().unwrap_or("missing").to_owned();
        let hint = hint.or_else(|| own["x-hint"].as_str().map(str::to_owned));
        self.push(
            Problem::error(code, format!("{pointer}/{}", escaped(name)), message)
                .at(self.tree.span(pointer))
                .hint(hint),
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
            Some((code, refused)) => {
                let (message, hint) = refused.about(&shown);
                self.at_key(own, code, message, hint);
            }
            None => {
                let message = format!("{shown} cannot be a key of {}", self.what(pointer));
                self.at_key(own, "name", message, None);
            }
        }
    }

    fn choice(&mut self, error: &ValidationError<'_>, options: &Value) {
        let what = self.what(error.instance_path().as_str());
        let words = strings(options);
        let wanted = match &words[..] {
            [one] => format!("`{one}`"),
            all => format!("one of {}", listed(all.iter().copied())),
        };
        let value = error.instance();
        let found = value.as_str().map(|word| format!("`{}`", shortened(word)));
        let found = found.unwrap_or_else(|| kind_of(value).to_owned());
        let near = value.as_str().and_then(|word| nearest(word, words.iter().copied()));
        let hint = near.map(did_you_mean);
        self.put(error, "choice", format!("{what} must be {wanted}, found {found}"), hint);
    }

    fn form(&mut self, error: &ValidationError<'_>, format: &str) {
        let what = self.what(error.instance_path().as_str());
        let text = error.instance().as_str().unwrap_or_default();
        let form = text::form(format);
        let refused = form.and_then(|form| (form.check)(text).err());
        let (message, hint) = refused.map_or_else(
            || (format!("{what} does not have the form that is needed here"), None),
            |refused| refused.about(&what),
        );
        self.put(error, form.map_or("shape", |form| form.code), message, hint);
    }

    fn length(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str();
        let what = self.what(pointer);
        let count = error.instance().as_array().map_or(0, Vec::len);
        let bound = |key: &str| self.around(error).and_then(|schema| schema[key].as_u64());
        let wanted = match (bound("minItems"), bound("maxItems")) {
            (Some(least), Some(most)) => format!("{least} to {most} entries"),
            (Some(1), None) => "at least one entry".to_owned(),
            (Some(least), None) => format!("at least {least} entries"),
            (None, most) => format!("at most {} entries", most.unwrap_or_default()),
        };
        let message = format!("{what} must have {wanted}, found {count}");
        // Of too many entries, the first that is one too many.
        let first = bound("maxItems").map(|most| format!("{pointer}/{most}"));
        let first = first.filter(|first| self.tree.has(first));
        let span = self.tree.span(first.as_deref().unwrap_or(pointer));
        self.put_at(error, span, ("length", message, None));
    }

    fn mistyped(&mut self, error: &ValidationError<'_>, wanted: &str) {
        let value = error.instance();
        if value.is_number() && wanted == "a whole number" {
            return self.out_of_range(error);
        }
        let pointer = error.instance_path().as_str();
        let wanted = self.bounds(error).unwrap_or_else(|| wanted.to_owned());
        let message = format!("{} must be {wanted}, found {}", self.what(pointer), kind_of(value));
        let hint = self.quoted(pointer, value, &wanted);
        let hint = hint.or_else(|| self.remark(error, "x-hint"));
        let hint = hint.or_else(|| laid_out(pointer, &wanted));
        self.put(error, "type", message, hint);
    }

    fn out_of_range(&mut self, error: &ValidationError<'_>) {
        let what = self.what(error.instance_path().as_str());
        let wanted = self.bounds(error).unwrap_or_else(|| "a whole number".to_owned());
        let message = format!("{what} must be {wanted}, found {}", error.instance());
        self.put(error, self.wording.out_of_range, message, None);
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
        let (what, found) = (self.what(pointer), kind_of(error.instance()));
        let message = format!("{what} must be {}, found {found}", wanted.join(" or "));
        self.put(error, "type", message, None);
    }

    /// "a whole number from 1 to 300", when the schema has both bounds.
    fn bounds(&self, error: &ValidationError<'_>) -> Option<String> {
        let schema = self.around(error)?;
        let (least, most) = (schema.get("minimum")?, schema.get("maximum")?);
        Some(format!("a whole number from {least} to {most}"))
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
