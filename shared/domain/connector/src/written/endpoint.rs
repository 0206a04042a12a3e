//! What endpoints of every type share.

use countersign_decimal::Decimal;
use countersign_document::{Rules, did_you_mean, nearest};
use countersign_registry::{DataType, Field};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::mapping::{Mapping, Output, OutputField};
use super::text::{CurrencyCode, FieldName, LocaleTag, ParameterName, TypeName};
use crate::coerce::coerce;
use crate::model::{self, Connection, Endpoint, EntityRules, Operation, OutputSchema, ValueType};
use crate::reading::Reading;

/// Declares an endpoint: its own keys, and those that endpoints of every type have.
macro_rules! endpoint {
    (
        $(#[$meta:meta])*
        $name:ident, parameters: $parameters:literal, mapping: $mapping:ty, output: $output:ty,
        { $($(#[$field_meta:meta])* $field:ident: $field_type:ty,)* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// What it does, in one sentence: people and models choose by it.
            #[serde(default)]
            description: String,
            $($(#[$field_meta])* $field: $field_type,)*
            /// What a call passes.
            #[serde(default, rename = $parameters)]
            parameters: Vec<$crate::written::endpoint::Parameter>,
            /// How records are read from the answer, and what they stand for.
            #[serde(default)]
            response_mapping: $mapping,
            /// What comes back; inferred from the mapping when left out.
            output_schema: Option<$output>,
            /// How its numbers and dates are written, such as `en-US`: a language and a region (BCP 47).
            locale: Option<$crate::written::text::LocaleTag>,
            /// The currency of its sums (ISO 4217), such as `EUR`, where it is not the locale's own; needs `locale`.
            currency: Option<$crate::written::text::CurrencyCode>,
            /// Fields that no answer is without: one that is empty in every record of a call is a warning.
            #[serde(default)]
            expected_fields: Vec<$crate::written::text::FieldName>,
        }

        impl $name {
            pub(super) fn shared_keys(&self) -> Shared<'_> {
                Shared {
                    description: &self.description,
                    key: $parameters,
                    parameters: &self.parameters,
                    mapping: &self.response_mapping,
                    output: self.output_schema.as_ref().map(|output| output as &dyn $crate::written::mapping::Output),
                    locale: self.locale.as_ref(),
                    currency: self.currency.as_ref(),
                    expected: &self.expected_fields,
                }
            }
        }
    };
}
pub(super) use endpoint;

/// The keys that endpoints of every type have.
pub(crate) struct Shared<'e> {
    pub(super) description: &'e str,
    /// What the parameters are called.
    pub(super) key: &'static str,
    pub(super) parameters: &'e [Parameter],
    pub(super) mapping: &'e dyn Mapping,
    pub(super) output: Option<&'e dyn Output>,
    pub(super) locale: Option<&'e LocaleTag>,
    pub(super) currency: Option<&'e CurrencyCode>,
    pub(super) expected: &'e [FieldName],
}

/// A type of endpoint.
pub(crate) trait Ends {
    /// The keys that endpoints of every type have.
    fn shared(&self) -> Shared<'_>;

    /// The parameters that calls have, when they are not the declared ones.
    fn parameters(&self, declared: Vec<model::Parameter>) -> Vec<model::Parameter> {
        declared
    }

    /// Whether a parameter that a call leaves out has its default.
    fn takes_defaults(&self) -> bool {
        true
    }

    /// What it does, as it is stored, and what comes back as far as the mapping says. `None` while something that it
    /// needs is broken.
    fn operation(&self, parameters: &[model::Parameter]) -> Option<(Operation, OutputSchema)>;

    /// What one part of it says about another, and about the connection.
    fn rules(
        &self,
        parameters: &[model::Parameter],
        connection: Option<&Connection>,
        rules: &mut Rules<'_>,
    );
}

/// One argument of a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    /// Its name: letters, digits and `_`, first a letter; `_cursor` is taken.
    name: ParameterName,
    /// The type of its value; `string` when left out.
    #[serde(rename = "type")]
    data_type: Option<TypeName>,
    /// One sentence.
    #[serde(default)]
    description: String,
    /// Whether a call without it is refused.
    #[serde(default)]
    required: bool,
    /// What holds when it is left out; of the type.
    default: Option<Value>,
}

impl Parameter {
    fn data_type(&self) -> DataType {
        self.data_type.as_ref().map_or(DataType::String, TypeName::data_type)
    }

    pub(super) fn model(&self) -> model::Parameter {
        model::Parameter {
            name: self.name.as_str().to_owned(),
            data_type: self.data_type(),
            description: self.description.trim().to_owned(),
            required: self.required,
            default: self.default.clone(),
        }
    }
}

/// The endpoint as it is stored.
pub(super) fn model(endpoint: &impl Ends) -> Option<Endpoint> {
    let shared = endpoint.shared();
    let parameters = endpoint.parameters(shared.declared());
    let (mut operation, inferred) = endpoint.operation(&parameters)?;
    let declared = shared.output.map(Output::schema);
    operation.declare(declared.as_ref().map_or(&[], |declared| &declared.fields));
    let output = declared.unwrap_or(inferred);
    if let (Some(slot), Some(reading)) = (operation.reading_mut(), shared.reading()) {
        *slot = reading;
    }
    let (entity_type, extraction) = shared.mapping.entities();
    Some(Endpoint {
        description: shared.description.trim().to_owned(),
        parameters,
        operation,
        entities: EntityRules { entity_type, extraction },
        output,
        expected_fields: shared.expected.iter().map(|name| name.as_str().to_owned()).collect(),
    })
}

/// Why the values of a field do not become what is declared; `None` when they do.
fn untyped(operation: &Operation, given: &OutputSchema, field: &Field) -> Option<String> {
    let (name, declared) = (&field.name, &field.data_type);
    let given = given.fields.iter().find(|one| one.name == *name).map(|one| &one.data_type);
    let is_read =
        !matches!(operation, Operation::ReadFeeds(_)) && ValueType::of(declared).is_some();
    match given {
        _ if *declared == DataType::Any => None,
        None if is_open(declared) => None,
        None => Some(format!("without `fields` in the mapping, `{name}` is as it is in the file")),
        Some(given) if given == declared || is_open(given) && is_read => None,
        // The value is passed on as the file has it.
        Some(DataType::Any) => None,
        Some(given) => Some(format!("`{name}` is read as {given}, as the mapping says")),
    }
}

/// Whether the mapping says nothing of the type, but that of texts.
fn is_open(data_type: &DataType) -> bool {
    match data_type {
        DataType::Any | DataType::String => true,
        DataType::Array(item) => is_open(item),
        _ => false,
    }
}

/// Reports what one part of an endpoint says about another.
pub(super) fn check(
    name: &str,
    endpoint: &impl Ends,
    connection: Option<&Connection>,
    rules: &mut Rules<'_>,
) {
    let shared = endpoint.shared();
    if shared.description.trim().is_empty() && rules.is_sound("/description") {
        let message =
            format!("endpoint `{name}` has no description: models cannot tell when to use it");
        rules.warning("description", "", message);
    }
    let takes_defaults = endpoint.takes_defaults();
    rules.within(shared.key, |rules| shared.check_parameters(takes_defaults, rules));
    let declared = shared.declared();
    endpoint.rules(&declared, connection, rules);
    if let Some(output) = shared.output {
        rules.within("output_schema", |rules| output.rules(rules));
    }
    let parameters = endpoint.parameters(declared);
    let Some((operation, inferred)) = endpoint.operation(&parameters) else { return };
    shared.check_output(&inferred, rules);
    shared.check_types(&operation, &inferred, rules);
    shared.check_expected(&operation, &inferred, rules);
    shared.check_reading(name, operation, &inferred, rules);
}

impl Shared<'_> {
    fn declared(&self) -> Vec<model::Parameter> {
        self.parameters.iter().map(Parameter::model).collect()
    }

    fn reading(&self) -> Option<Reading> {
        let (locale, currency) = (self.locale?.as_str(), self.currency.map(CurrencyCode::as_str));
        Reading::new(Some(locale), currency).ok()
    }

    fn check_parameters(&self, takes_defaults: bool, rules: &mut Rules<'_>) {
        for (n, parameter) in self.parameters.iter().enumerate() {
            let name = parameter.name.as_str();
            if self.parameters[..n].iter().any(|other| other.name == parameter.name) {
                let message = format!("the parameter `{name}` is declared twice");
                rules.error("duplicate", &format!("/{n}/name"), message);
            }
            let data_type = parameter.data_type();
            let fits = parameter.default.as_ref().is_none_or(|value| fits(value, &data_type));
            if !fits && rules.is_sound(&format!("/{n}/type")) {
                let message = format!("the default of `{name}` is not of type {data_type}");
                let hint = (data_type == DataType::Date).then(|| {
                    "write a day as 2026-01-31, or a time in UTC as 2026-01-31T12:00:00Z".to_owned()
                });
                rules.hinted("default", &format!("/{n}/default"), message, hint);
            }
            if takes_defaults && parameter.required && parameter.default.is_some() {
                let message =
                    format!("`required` has no effect: without `{name}`, its default holds");
                rules.warning("required", &format!("/{n}/required"), message);
            }
        }
    }

    /// A declared schema may only promise what the mapping gives, and entities are named in fields that there are.
    fn check_output(&self, inferred: &OutputSchema, rules: &mut Rules<'_>) {
        let known = inferred.fields.iter().map(|field| field.name.as_str());
        let known: Vec<&str> = known.collect();
        let declared = self.output.map(Output::fields).unwrap_or_default();
        let is_sound = rules.is_sound("/response_mapping/fields") && rules.is_sound("/fields");
        for (n, field) in declared.iter().enumerate() {
            let name = field.name();
            let is_named = rules.is_sound(&format!("/output_schema/fields/{n}/name"));
            if !known.is_empty() && !known.contains(&name) && is_sound && is_named {
                let near = nearest(name, known.iter().copied());
                let hint = near.map_or("add it to the mapping".to_owned(), did_you_mean);
                let message = format!("nothing is mapped to the field `{name}`");
                rules.hinted("output_schema", &format!("/output_schema/fields/{n}"), message, hint);
            }
        }
        let given: Vec<&str> = if self.output.is_some() {
            declared.iter().map(OutputField::name).collect()
        } else {
            known
        };
        let (_, extraction) = self.mapping.entities();
        for (n, rule) in extraction.iter().enumerate() {
            if !given.is_empty() && !given.contains(&rule.field.as_str()) {
                let near = nearest(&rule.field, given.iter().copied());
                let hint =
                    near.map_or("name one of the endpoint's fields".to_owned(), did_you_mean);
                let pointer = format!("/response_mapping/entity_extraction/{n}/field");
                let message = format!("the records have no field `{}`", rule.field);
                rules.hinted("entity_extraction", &pointer, message, hint);
            }
        }
    }

    /// Types of files, pages and feeds that nothing is read as.
    fn check_types(&self, operation: &Operation, inferred: &OutputSchema, rules: &mut Rules<'_>) {
        let declared = self.output.filter(|_| operation.is_typed_by_mapping()).map(Output::schema);
        for (n, field) in declared.iter().flat_map(|declared| &declared.fields).enumerate() {
            if let Some(why) = untyped(operation, inferred, field) {
                let message = format!("`type` has no effect: {why}");
                rules.warning("output_schema", &format!("/output_schema/fields/{n}/type"), message);
            }
        }
    }

    /// What is expected is a field of the records, named once.
    fn check_expected(
        &self,
        operation: &Operation,
        inferred: &OutputSchema,
        rules: &mut Rules<'_>,
    ) {
        let passes = matches!(operation, Operation::Tool(tool) if tool.passthrough);
        if passes && !self.expected.is_empty() {
            let message = "what passes through is not mapped, and has no fields to expect";
            rules.error("expected_fields", "/expected_fields", message);
            return;
        }
        let output = self.output.map(Output::schema);
        let fields = &output.as_ref().unwrap_or(inferred).fields;
        for (n, expected) in self.expected.iter().enumerate() {
            let (name, at) = (expected.as_str(), format!("/expected_fields/{n}"));
            if self.expected[..n].contains(expected) {
                rules.error("duplicate", &at, format!("the field `{name}` is expected twice"));
            } else if !fields.is_empty() && fields.iter().all(|field| field.name != name) {
                let near = nearest(name, fields.iter().map(|field| field.name.as_str()));
                let hint =
                    near.map_or("name one of the endpoint's fields".to_owned(), did_you_mean);
                let message = format!("the records have no field `{name}`");
                rules.hinted("expected_fields", &at, message, hint);
            }
        }
    }

    /// A locale is for an operation that reads numbers or dates from strings.
    fn check_reading(
        &self,
        endpoint: &str,
        mut operation: Operation,
        inferred: &OutputSchema,
        rules: &mut Rules<'_>,
    ) {
        if self.locale.is_none() {
            if self.currency.is_some() && rules.is_sound("/locale") {
                let hint = "such as `locale: en-US`".to_owned();
                rules.hinted(
                    "currency",
                    "/currency",
                    "`currency` needs a `locale` beside it",
                    hint,
                );
            }
            return;
        }
        let output = self.output.map(|output| (output.schema().fields, output.metadata()));
        let (fields, metadata): (Vec<Field>, Vec<model::MetadataField>) =
            output.unwrap_or_default();
        let metadata = metadata.iter().map(|item| &item.field);
        let mut all = inferred.fields.iter().chain(&fields).chain(metadata);
        let reads = operation.reading_mut().is_some();
        if !reads || !all.any(|field| is_read(&field.data_type)) {
            let message = format!("endpoint `{endpoint}` has no field that a locale is needed for");
            let hint = "declare the type of a field as number, decimal, integer or date, or leave out `locale`";
            rules.hinted("locale", "/locale", message, hint.to_owned());
        }
    }
}

fn is_read(data_type: &DataType) -> bool {
    match data_type {
        DataType::Number | DataType::Decimal | DataType::Integer | DataType::Date => true,
        DataType::Array(item) => is_read(item),
        _ => false,
    }
}

fn fits(value: &Value, data_type: &DataType) -> bool {
    match data_type {
        DataType::String => value.is_string(),
        // It is sent as it is written: it has to be what a call with it would send.
        DataType::Date => {
            coerce(value.clone(), data_type, &Reading::default()) == (value.clone(), None)
        }
        DataType::Number => value.is_number(),
        DataType::Decimal => value.as_str().is_some_and(|text| Decimal::canonical(text).is_some()),
        DataType::Integer => value.is_i64() || value.is_u64(),
        DataType::Boolean => value.is_boolean(),
        DataType::Object | DataType::Record(_) => value.is_object(),
        DataType::Array(item) => {
            value.as_array().is_some_and(|items| items.iter().all(|value| fits(value, item)))
        }
        DataType::Any => true,
    }
}
