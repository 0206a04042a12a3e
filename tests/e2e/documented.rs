//! Every answer of success is as `openapi.json` documents it, and has no field that the document does not name.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Map, Value, json};

/// What the name of a schema ends with where other schemas stand beside it, which know the other fields.
const PART: &str = "+part";

static API: LazyLock<Api> = LazyLock::new(|| Api::of(&api::openapi()));

/// Every documented answer of success.
struct Api {
    schemas: Map<String, Value>,
    operations: Vec<Operation>,
}

/// One method of one path.
struct Operation {
    method: String,
    /// The parts of its path, with placeholders.
    path: Vec<String>,
    answers: BTreeMap<String, Answer>,
}

/// An answer with what validates it, which the first such answer makes.
struct Answer {
    schema: Value,
    validator: OnceLock<Validator>,
}

/// Fails the test when an answer is not as its operation documents it.
pub(crate) fn check(method: &Method, path: &str, status: u16, body: &Value) {
    if let Err(violation) = API.check(method, path, status, body) {
        panic!("{method} {path} answered {status} not as it is documented: {violation}\n{body:#}");
    }
}

impl Api {
    fn of(document: &Value) -> Self {
        let all = document["components"]["schemas"].as_object().into_iter().flatten();
        let mut schemas = Map::new();
        for (name, schema) in all {
            schemas.insert(name.clone(), closed(schema, false));
            schemas.insert(format!("{name}{PART}"), closed(schema, true));
        }
        let paths = document["paths"].as_object().into_iter().flatten();
        let methods = paths.flat_map(|(path, item)| {
            item.as_object().into_iter().flatten().map(move |one| (path, one))
        });
        let operations = methods.map(|(path, (method, of))| Operation::of(path, method, of));
        let mut operations: Vec<Operation> = operations.collect();
        // Words before placeholders: `/documents/removed` is not `/documents/{id}`.
        operations.sort_by_key(|one| one.path.iter().filter(|part| is_open(part)).count());
        Self { schemas, operations }
    }

    fn check(&self, method: &Method, path: &str, status: u16, body: &Value) -> Result<(), String> {
        let found = self.operations.iter().find(|one| one.is_at(method, path));
        // Pages behind links in mails are not documented.
        let Some(operation) = found else { return Ok(()) };
        let answer = operation.answers.get(&status.to_string());
        let answer = answer.ok_or("the document has no such status with JSON")?;
        let validator = answer.validator.get_or_init(|| self.validator(&answer.schema));
        let wrong = validator.iter_errors(body).next();
        wrong.map_or(Ok(()), |error| Err(format!("`{}`: {error}", error.instance_path())))
    }

    fn validator(&self, schema: &Value) -> Validator {
        let mut needed = Map::new();
        self.add_needed(schema, &mut needed);
        let whole = json!({"allOf": [schema], "components": {"schemas": needed}});
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        options.build(&whole).expect("a documented schema is one")
    }

    /// Adds the schemas that a schema refers to, and those that they refer to.
    fn add_needed(&self, schema: &Value, needed: &mut Map<String, Value>) {
        match schema {
            Value::Array(items) => items.iter().for_each(|item| self.add_needed(item, needed)),
            Value::Object(members) => {
                members.values().for_each(|member| self.add_needed(member, needed));
                let name = members.get("$ref").and_then(Value::as_str).and_then(name_of);
                let Some(name) = name.filter(|name| !needed.contains_key(*name)) else { return };
                let of_name = &self.schemas[name];
                needed.insert(name.to_owned(), of_name.clone());
                self.add_needed(of_name, needed);
            }
            _ => {}
        }
    }
}

impl Operation {
    fn of(path: &str, method: &str, described: &Value) -> Self {
        let responses = described["responses"].as_object().into_iter().flatten();
        let answer = |(status, response): (&String, &Value)| {
            let schema = response.pointer("/content/application~1json/schema")?;
            let answer = Answer { schema: closed(schema, false), validator: OnceLock::new() };
            status.starts_with('2').then(|| (status.clone(), answer))
        };
        Self {
            method: method.to_uppercase(),
            path: path.split('/').map(str::to_owned).collect(),
            answers: responses.filter_map(answer).collect(),
        }
    }

    fn is_at(&self, method: &Method, path: &str) -> bool {
        let path: Vec<&str> = path.split('?').next().unwrap_or_default().split('/').collect();
        let fits = |(own, part): (&String, &&str)| own == part || is_open(own) && !part.is_empty();
        self.method == method.as_str()
            && self.path.len() == path.len()
            && self.path.iter().zip(&path).all(fits)
    }
}

fn is_open(part: &str) -> bool {
    part.starts_with('{')
}

fn name_of(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/components/schemas/")
}

/// The schema, which takes no field that it does not name. A part of another one leaves that to the whole.
fn closed(schema: &Value, is_part: bool) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let names_fields = members.contains_key("properties") || members.contains_key("allOf");
    let mut closed_members: Map<String, Value> = members
        .iter()
        .map(|(key, value)| (key.clone(), closed_member(key, value, is_part, names_fields)))
        .collect();
    if names_fields && !is_part && !members.contains_key("additionalProperties") {
        closed_members.insert("unevaluatedProperties".to_owned(), false.into());
    }
    closed_members.into()
}

fn closed_member(key: &str, value: &Value, is_part: bool, names_fields: bool) -> Value {
    let each = |is_part: bool| -> Value {
        value.as_array().into_iter().flatten().map(move |one| closed(one, is_part)).collect()
    };
    match key {
        "properties" => {
            let fields = value.as_object().into_iter().flatten();
            fields.map(|(name, field)| (name.clone(), closed(field, false))).collect()
        }
        "items" | "additionalProperties" => closed(value, false),
        "prefixItems" => each(false),
        "allOf" => each(true),
        "oneOf" | "anyOf" => each(is_part || names_fields),
        "$ref" if is_part => format!("{}{PART}", value.as_str().unwrap_or_default()).into(),
        _ => value.clone(),
    }
}

#[test]
fn an_answer_with_another_field_or_without_one_is_found() {
    let of_list = json!({"type": "object", "required": ["items"], "properties": {
        "items": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
    }});
    let document = json!({
        "paths": {
            "/things": {"get": {"responses": {"200": {"content": {"application/json": {"schema": of_list}}}}}},
            "/things/{id}": {"get": {"responses": {"404": {}}}},
        },
        "components": {"schemas": {
            "Thing": {"allOf": [
                {"$ref": "#/components/schemas/Named"},
                {"type": "object", "properties": {"size": {"type": ["integer", "null"]}}},
            ]},
            "Named": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        }},
    });
    let api = Api::of(&document);
    let found = |path: &str, body: Value| api.check(&Method::GET, path, 200, &body).is_err();
    assert!(!found("/things?limit=1", json!({"items": [{"name": "a", "size": null}]})));
    assert!(found("/things", json!({"items": [{"size": 1}]})), "a field is missing");
    assert!(found("/things", json!({"items": [{"name": "a", "colour": "red"}]})));
    assert!(found("/things", json!({"items": [], "count": 0})));
    assert!(found("/things/1", json!({})), "there is no such answer");
    assert!(!found("/pages/1", json!({})), "what is not documented at all is left alone");
}
