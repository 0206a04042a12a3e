//! An endpoint of a `graphql` connector (F-097).

use countersign_document::{Rules, did_you_mean, nearest};
use countersign_registry::DataType;
use schemars::JsonSchema;
use serde::Deserialize;

use super::endpoint::{Ends, Shared, endpoint};
use super::graphql_document::{self as document, Document, Selected, Variable};
use super::mapping::{AnswerMapping, AnswerOutput, Paths, inferred, joined};
use super::pages::bounds;
use crate::bounds::{MaxPages, MaxRecords};
use crate::json_path::JsonPath;
use crate::model::{
    Connection, GraphqlEffect, GraphqlRules, JsonMapping, Operation, OutputSchema, Parameter,
    RelayPages,
};

endpoint! {
    /// A GraphQL document.
    GraphqlEndpoint, parameters: "variables", mapping: AnswerMapping, output: AnswerOutput,
    {
        /// A document with one query or mutation and its fragments. A mutation needs a signature.
        query: String,
        /// Pages by cursor; a mutation has none.
        pagination: Option<Relay>,
        /// Where the records are, here or in `response_mapping`; the whole answer when left out.
        results_path: Option<Paths>,
    }
}

/// Pages as Relay's connections number them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Relay {
    /// The only kind.
    #[serde(default, rename = "type")]
    #[expect(dead_code, reason = "there is one")]
    kind: RelayKind,
    /// The variable that takes the cursor; `after` when left out.
    cursor_variable: Option<String>,
    /// Where `pageInfo` is in the answer; `data` may be left out.
    page_info_path: JsonPath,
    /// Pages in one call.
    #[serde(default)]
    max_pages: MaxPages,
    /// Records in one call.
    #[serde(default)]
    max_records: MaxRecords,
    /// Only the beginning of the list is wanted: that the source has more is in `has_more`, and not a warning.
    #[serde(default)]
    first_only: bool,
}

/// The only kind of pages of GraphQL.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "pagination"))]
enum RelayKind {
    #[default]
    Relay,
}

impl Relay {
    fn cursor(&self) -> &str {
        self.cursor_variable.as_deref().unwrap_or("after")
    }

    fn model(&self) -> RelayPages {
        RelayPages {
            cursor_variable: self.cursor().to_owned(),
            page_info_path: self.page_info_path.clone().below("data"),
            bounds: bounds(self.max_pages, self.max_records, self.first_only),
        }
    }
}

impl Ends for GraphqlEndpoint {
    fn shared(&self) -> Shared<'_> {
        self.shared_keys()
    }

    fn operation(&self, _: &[Parameter]) -> Option<(Operation, OutputSchema)> {
        let document = document::read(&self.query).ok()?;
        let mapping = self.mapping();
        let output = inferred(&mapping.fields);
        let rules = GraphqlRules {
            query: self.query.clone(),
            effect: document.effect,
            pagination: self.pagination.as_ref().map(Relay::model),
            mapping,
        };
        Some((Operation::Graphql(Box::new(rules)), output))
    }

    fn rules(&self, parameters: &[Parameter], _: Option<&Connection>, rules: &mut Rules<'_>) {
        rules.within("response_mapping", |rules| self.response_mapping.rules(rules));
        let document = match document::read(&self.query) {
            Ok(document) => document,
            Err(fault) => {
                return rules.inside("graphql", ("/query", fault.offset), fault.message, None);
            }
        };
        if rules.is_sound("/pagination") && rules.is_sound("/variables") {
            self.check_variables(&document, parameters, rules);
        }
        self.check_paths(&document, rules);
        if document.effect == GraphqlEffect::Mutation && self.pagination.is_some() {
            rules.error("pagination", "", "a mutation has no pages");
        }
    }
}

impl GraphqlEndpoint {
    /// How records are read: every path begins with `data`.
    fn mapping(&self) -> JsonMapping {
        let mut json = self.response_mapping.json(self.output_schema.as_ref());
        let own = self.results_path.as_ref().and_then(joined);
        json.results_path = own.or(json.results_path).map(|path| path.below("data"));
        for item in &mut json.metadata {
            item.path = item.path.clone().below("data");
        }
        json
    }

    fn check_paths(&self, document: &Document, rules: &mut Rules<'_>) {
        if self.results_path.is_some() && self.response_mapping.results_path.is_some() {
            let message = "`results_path` is both here and in `response_mapping`";
            rules.hinted("duplicate", "/results_path", message, "keep one of them".to_owned());
        }
        let at = if self.results_path.is_some() {
            "/results_path"
        } else {
            "/response_mapping/results_path"
        };
        if let Some(path) = self.mapping().results_path.filter(|_| rules.is_sound(at)) {
            check_path(&path, &document.data, at, rules);
        }
        if let Some(pages) = self.pagination.as_ref().map(Relay::model) {
            let at = "/pagination/page_info_path";
            check_path(&pages.page_info_path, &document.data, at, rules);
        }
    }

    /// Variables and parameters are the same, by name and type.
    fn check_variables(
        &self,
        document: &Document,
        parameters: &[Parameter],
        rules: &mut Rules<'_>,
    ) {
        let cursor = self.pagination.as_ref().map(Relay::cursor);
        for variable in &document.variables {
            let declared = parameters.iter().find(|parameter| parameter.name == variable.name);
            if cursor == Some(&variable.name) {
                check_cursor(variable, rules);
            } else if let Some(parameter) = declared {
                check_variable(variable, parameter, rules);
            } else if variable.required {
                let message = format!(
                    "`${}` is required, and the endpoint has no variable of that name",
                    variable.name
                );
                let hint = "declare it under `variables`".to_owned();
                rules.inside("variable", ("/query", variable.offset), message, hint);
            }
        }
        let names = || document.variables.iter().map(|variable| variable.name.as_str());
        for parameter in parameters.iter().filter(|one| !names().any(|name| name == one.name)) {
            let near = nearest(&parameter.name, names());
            let hint = near.map_or("declare it in the document".to_owned(), did_you_mean);
            let message = format!("the document takes no variable `${}`", parameter.name);
            rules.hinted("variable", "", message, hint);
        }
        let Some(cursor) = cursor else { return };
        let at = "/pagination/page_info_path";
        if !names().any(|name| name == cursor) {
            let message = format!("the document takes no variable `${cursor}` for the cursor");
            rules.hinted("pagination", at, message, "name it with `cursor_variable`".to_owned());
        }
        if parameters.iter().any(|parameter| parameter.name == cursor) {
            let message = format!("`{cursor}` takes the cursor and is not a variable of the call");
            rules.error("pagination", at, message);
        }
    }
}

fn check_cursor(variable: &Variable, rules: &mut Rules<'_>) {
    if variable.required {
        let name = &variable.name;
        let message =
            format!("`${name}` takes the cursor and must not be required: the first page has none");
        rules.inside("variable", ("/query", variable.offset), message, None);
    }
}

fn check_variable(variable: &Variable, parameter: &Parameter, rules: &mut Rules<'_>) {
    let name = &variable.name;
    let at = ("/query", variable.offset);
    if variable.required && !parameter.required && parameter.default.is_none() {
        let message = format!(
            "`${name}` is required in the document, so the variable must be required or have a default"
        );
        rules.inside("variable", at, message, None);
    }
    let fits = match (variable.scalar.as_deref(), &parameter.data_type) {
        (_, DataType::Any) => true,
        (Some("String"), given) => matches!(given, DataType::String | DataType::Date),
        (Some("ID"), given) => matches!(given, DataType::String | DataType::Integer),
        (Some("Int"), given) => *given == DataType::Integer,
        (Some("Float"), given) => matches!(given, DataType::Number | DataType::Integer),
        (Some("Boolean"), given) => *given == DataType::Boolean,
        // A single value stands for a list of one in GraphQL, and other types are the source's own.
        (Some(_) | None, _) => true,
    };
    if !fits {
        let message = format!(
            "`${name}` is of type {} in the document and {} under `variables`",
            variable.written, parameter.data_type
        );
        rules.inside("variable", at, message, None);
    }
}

/// The path leads along fields the document asks for.
fn check_path(path: &JsonPath, data: &Selected, at: &str, rules: &mut Rules<'_>) {
    for keys in path.leading_keys() {
        let mut selected = data;
        // The first key is `data` itself.
        for key in keys.into_iter().skip(1) {
            let Some(next) = selected.0.get(key) else {
                let near = nearest(key, selected.0.keys().map(String::as_str));
                let hint = near.map_or("add it to the document".to_owned(), did_you_mean);
                let message = format!("the document does not ask for `{key}` in `{path}`");
                rules.hinted("path", at, message, hint);
                break;
            };
            selected = next;
        }
    }
}
