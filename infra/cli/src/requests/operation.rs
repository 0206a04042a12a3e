//! The operations of an OpenAPI document, as far as requests and answers need them.

use std::collections::BTreeMap;

use serde_json::Value;

const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

/// One method of one path.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) method: String,
    /// With placeholders: `/profiles/{id}`.
    pub(super) path: String,
    /// The names of its parameters in the query, and in headers.
    pub(super) query: Vec<String>,
    pub(super) headers: Vec<String>,
    /// The schema of its body, without references.
    pub(super) body: Option<Value>,
    /// Documented answers: status to content type to schema.
    pub(super) answers: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Operation {
    /// `post /api/agent-factory/profiles`.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Whether it changes something for everybody, so that only refusals of it may be tried.
    pub(super) fn is_everybodys(&self) -> bool {
        self.method != "get" && self.is_administration() && !self.path.contains("/users")
    }

    pub(super) fn is_administration(&self) -> bool {
        self.path.starts_with("/api/admin/")
    }

    /// Whether it calls the address of a connector.
    pub(super) fn calls_outside(&self) -> bool {
        self.path.contains("/connectors/") && self.path.ends_with("/test")
    }
}

/// Every operation of a document, in its order.
pub(super) fn all(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let of_path = |(path, item): (&String, &Value)| {
        METHODS
            .iter()
            .filter_map(|method| Some(one(document, method, path, item.get(method)?)))
            .collect::<Vec<_>>()
    };
    paths.flat_map(of_path).collect()
}

fn one(document: &Value, method: &str, path: &str, operation: &Value) -> Operation {
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let placed = |place: &str| {
        let of_place = parameters.iter().filter(|parameter| parameter["in"] == place);
        of_place.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
    };
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    Operation {
        method: method.to_owned(),
        path: path.to_owned(),
        query: placed("query"),
        headers: placed("header"),
        body: body.map(|schema| resolved(document, schema, 0)),
        answers: answers(operation),
    }
}

fn answers(operation: &Value) -> BTreeMap<String, BTreeMap<String, Value>> {
    let answers = operation["responses"].as_object().into_iter().flatten();
    let kinds = |answer: &Value| {
        let content = answer["content"].as_object().into_iter().flatten();
        content.map(|(kind, of)| (kind.clone(), of["schema"].clone())).collect()
    };
    answers.map(|(status, answer)| (status.clone(), kinds(answer))).collect()
}

/// A schema with its references followed, to a depth that ends.
fn resolved(document: &Value, schema: &Value, depth: usize) -> Value {
    if depth > 12 {
        return Value::Bool(true);
    }
    if let Some(place) = schema["$ref"].as_str().and_then(|place| place.strip_prefix('#')) {
        let target = document.pointer(place).unwrap_or(&Value::Bool(true));
        return resolved(document, target, depth + 1);
    }
    match schema {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), resolved(document, value, depth + 1)))
            .collect(),
        Value::Array(items) => {
            items.iter().map(|item| resolved(document, item, depth + 1)).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::all;
    use serde_json::json;

    #[test]
    fn operations_have_their_parameters_body_and_answers() {
        let document = json!({
            "paths": {"/a/{id}": {
                "put": {
                    "parameters": [{"in": "path", "name": "id"}, {"in": "query", "name": "limit"}, {"in": "header", "name": "Idempotency-Key"}],
                    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}},
                    "responses": {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}, "204": {}},
                },
            }},
            "components": {"schemas": {"A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}}, "B": {"type": "string"}}},
        });
        let found = all(&document);
        assert_eq!(found.len(), 1);
        let put = &found[0];
        assert_eq!(
            (put.name().as_str(), put.query.len(), put.headers.len()),
            ("put /a/{id}", 1, 1)
        );
        assert_eq!(put.body, Some(json!({"properties": {"b": {"type": "string"}}})));
        assert_eq!(put.answers.keys().collect::<Vec<_>>(), ["200", "204"]);
        assert!(put.answers["204"].is_empty());
    }
}
