//! Why serde refused a document: every structural problem at once, from its schema.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::mend::{Mend, apply};
use crate::problem::Problem;
use crate::remarked::Remarked;
use crate::remarks::laid_out;
use crate::span::Span;
use crate::text::{self, Form};
use crate::tree::{Tree, escaped};
use crate::whole::{WHOLE, WithoutPoint};
use crate::words::{self, Wording, shortened, types, what};

/// Errors that are looked at in one round.
const MAX_ERRORS: usize = 100;
/// Problems that are kept, of which those first in the text are reported.
const MAX_FOUND: usize = 1_000;
/// What is mended can show more. A document that is broken more deeply is explained again after it is corrected.
const MAX_ROUNDS: usize = 4;

static VALIDATORS: LazyLock<Mutex<HashMap<usize, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// What a kind of document calls itself and its problems.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Naming {
    pub(crate) kind: &'static str,
    /// The code of a number outside its bounds.
    pub(crate) out_of_range: &'static str,
}

/// Reports every structural problem of `whole` and mends it.
pub(crate) fn explain(
    schema: &Arc<Remarked>,
    naming: Naming,
    tree: &Tree,
    whole: &mut Value,
    problems: &mut Vec<Problem>,
) -> Vec<Mend> {
    let mut mends = Vec::new();
    let Some(validator) = validator(schema) else { return mends };
    let mut explainer = Explainer { schema, naming, tree, problems };
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
    let mut options = jsonschema::options()
        .should_validate_formats(true)
        .with_keyword(WHOLE, |_, applies, _| Ok(Box::new(WithoutPoint(*applies == true))));
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
    naming: Naming,
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
                self.put(
                    error,
                    "choice",
                    words::must_be(&what, &expected_value.to_string(), value),
                );
            }
            Kind::Type { kind } => self.mistyped(error, &types(kind)),
            Kind::Minimum { .. } | Kind::Maximum { .. } | Kind::Custom { .. } => {
                self.out_of_range(error);
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

    /// What a message calls the part at a pointer.
    fn what(&self, pointer: &str) -> String {
        what(pointer, self.naming.kind)
    }

    /// Reports a problem of a value. The schema may have another code or hint for it.
    fn put(&mut self, error: &ValidationError<'_>, code: &str, wording: Wording) {
        let span = self.tree.span(error.instance_path().as_str());
        self.put_at(error, span, code, wording);
    }

    fn put_at(
        &mut self,
        error: &ValidationError<'_>,
        span: Option<Span>,
        code: &str,
        Wording { message, hint }: Wording,
    ) {
        let code = self.remark(error, "x-code").unwrap_or_else(|| code.to_owned());
        let hint = hint.or_else(|| self.remark(error, "x-hint"));
        let problem = Problem::error(code, error.instance_path().as_str(), message).at(span);
        self.push(problem.hint(hint));
    }

    fn at_key(&mut self, pointer: String, code: &str, wording: Wording) {
        let span: Option<Span> = self.tree.key_span(&pointer);
        self.push(Problem::error(code, pointer, wording.message).at(span).hint(wording.hint));
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
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        for name in unexpected {
            if self.is_full() {
                return;
            }
            let own = format!("{pointer}/{}", escaped(name));
            if let Some((code, message, hint)) = self.elsewhere(error, name) {
                self.at_key(own, &code, Wording { message, hint });
                continue;
            }
            let wording = words::unknown_key(&what, name, &known);
            let hint = self.of_another(error, name).or(wording.hint);
            self.at_key(own, "unknown_key", Wording { hint, ..wording });
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
        let Wording { message, hint } = words::missing(&self.what(pointer), name, others);
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
            Some((code, refused)) => self.at_key(own, code, refused.about(&shown)),
            None => {
                let wording = words::not_a_name(&shown, &self.what(pointer));
                self.at_key(own, "name", wording);
            }
        }
    }

    fn choice(&mut self, error: &ValidationError<'_>, options: &Value) {
        let what = self.what(error.instance_path().as_str());
        let schema = self.around(error).unwrap_or(&Value::Null);
        let wording = words::choice(&what, &strings(options), schema, error.instance());
        self.put(error, "choice", wording);
    }

    fn form(&mut self, error: &ValidationError<'_>, format: &str) {
        let what = self.what(error.instance_path().as_str());
        let text = error.instance().as_str().unwrap_or_default();
        let form = text::form(format);
        let refused = form.and_then(|form| (form.check)(text).err());
        let wording =
            refused.map_or_else(|| words::malformed(&what), |refused| refused.about(&what));
        self.put(error, form.map_or("shape", |form| form.code), wording);
    }

    fn length(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str();
        let what = self.what(pointer);
        let schema = self.around(error).unwrap_or(&Value::Null);
        let bound = |keys: [&str; 2]| keys.iter().find_map(|key| schema[*key].as_u64());
        let (least, most) =
            (bound(["minItems", "minProperties"]), bound(["maxItems", "maxProperties"]));
        let count = match error.instance().as_ref() {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        // Of too many entries, the first that is one too many.
        let first = most.map(|most| format!("{pointer}/{most}"));
        let first = first.filter(|first| self.tree.has(first));
        let span = self.tree.span(first.as_deref().unwrap_or(pointer));
        self.put_at(error, span, "length", words::entries(&what, least, most, count));
    }

    fn mistyped(&mut self, error: &ValidationError<'_>, wanted: &str) {
        let value = error.instance();
        if value.is_number() && wanted == "a whole number" {
            return self.out_of_range(error);
        }
        let pointer = error.instance_path().as_str();
        let wanted = self.wanted(error).unwrap_or_else(|| wanted.to_owned());
        let hint = self.quoted(pointer, value, &wanted);
        let hint = hint.or_else(|| self.remark(error, "x-hint"));
        let hint = hint.or_else(|| laid_out(pointer, &wanted));
        let wording = words::must_be(&self.what(pointer), &wanted, value);
        self.put(error, "type", Wording { hint, ..wording });
    }

    fn out_of_range(&mut self, error: &ValidationError<'_>) {
        let what = self.what(error.instance_path().as_str());
        let wanted = self.wanted(error).unwrap_or_else(|| "a whole number".to_owned());
        let wording = words::must_be(&what, &wanted, error.instance());
        self.put(error, self.naming.out_of_range, wording);
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
        let text = wanted.iter().find(|one| *one == "a string");
        let hint = text.and_then(|text| self.quoted(pointer, error.instance(), text));
        let what = self.what(pointer);
        let wording = words::must_be(&what, &wanted.join(" or "), error.instance());
        self.put(error, "type", Wording { hint, ..wording });
    }

    /// What the schema of one type asks for, such as "a whole number from 1 to 300".
    fn wanted(&self, error: &ValidationError<'_>) -> Option<String> {
        let schema = self.around(error)?;
        schema["type"].is_string().then(|| words::wanted(schema))
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
