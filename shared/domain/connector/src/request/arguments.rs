//! The arguments of a call: what the endpoint declares, of the declared types, and nothing else (F-039).

use countersign_registry::{DataType, nearest};
use serde_json::{Map, Value};

use super::RequestError;
use crate::coerce::coerce;
use crate::contract::{CURSOR_ARGUMENT, has_pages};
use crate::model::{Endpoint, Operation, Parameter};
use crate::reading::Reading;

/// What says which endpoint is called.
const NAMES_THE_CALL: [&str; 2] = ["connector", "endpoint"];

/// The files of a call, for endpoints that read files: a text, an object, or a list of them.
pub(crate) const SOURCE: &str = "source";

/// The declared parameters of an endpoint with their defaults. An input wins over a param.
///
/// # Errors
/// [`RequestError`] when something is given that the endpoint does not declare, a value is not of its parameter's type, or a
/// required parameter has no value.
pub fn arguments(
    endpoint: &Endpoint,
    inputs: &Map<String, Value>,
    params: &Map<String, Value>,
) -> Result<Map<String, Value>, RequestError> {
    let params_given = params.keys().filter(|name| !NAMES_THE_CALL.contains(&name.as_str()));
    for name in inputs.keys().chain(params_given) {
        declared(endpoint, name)?;
    }
    let mut arguments = Map::new();
    for parameter in &endpoint.parameters {
        let given = inputs.get(&parameter.name).or_else(|| params.get(&parameter.name));
        let given = given.map(|value| typed(endpoint, parameter, value)).transpose()?;
        let value = given.filter(|value| !value.is_null()).or_else(|| parameter.default.clone());
        match value {
            Some(value) => {
                arguments.insert(parameter.name.clone(), value);
            }
            None if parameter.required => {
                return Err(RequestError::MissingInput(parameter.name.clone()));
            }
            None => {}
        }
    }
    Ok(arguments)
}

fn declared(endpoint: &Endpoint, name: &str) -> Result<(), RequestError> {
    let names = || endpoint.parameters.iter().map(|parameter| parameter.name.as_str());
    let is_cursor = name == CURSOR_ARGUMENT && has_pages(endpoint);
    let is_own = is_cursor || (name == SOURCE && reads_files(endpoint));
    if is_own || names().any(|known| known == name) {
        return Ok(());
    }
    let near = nearest(name, names());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(RequestError::Undeclared { name: name.to_owned(), near })
}

/// The value as one of the parameter's type: `"40"` is an integer too.
fn typed(endpoint: &Endpoint, parameter: &Parameter, value: &Value) -> Result<Value, RequestError> {
    let name = &parameter.name;
    if name == SOURCE && reads_files(endpoint) || parameter.data_type == DataType::Any {
        return Ok(value.clone());
    }
    match coerce(value.clone(), &parameter.data_type, &Reading::default()) {
        (value, None) => Ok(value),
        (_, Some(problem)) => Err(RequestError::WrongType { name: name.clone(), problem }),
    }
}

fn reads_files(endpoint: &Endpoint) -> bool {
    matches!(endpoint.operation, Operation::ParseXml(_) | Operation::Parse(_))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::arguments;

    const YAML: &str = "
id: api
name: API
type: rest_api
version: 1.0.0
connection: { base_url: 'https://a.example' }
endpoints:
  search:
    description: Searches.
    path: /search
    parameters:
      - { name: q, type: string, required: true }
      - { name: most, type: integer, default: 10 }
      - { name: since, type: date }
      - { name: tags, type: 'string[]' }
      - { name: open, type: boolean }
      - { name: anything, type: any }
";

    fn made(inputs: &Value, params: &Value) -> Result<Value, String> {
        let definition = crate::parse(YAML).definition.unwrap();
        let endpoint = &definition.endpoints["search"];
        let (inputs, params) = (inputs.as_object().unwrap(), params.as_object().unwrap());
        let found = arguments(endpoint, inputs, params);
        found.map(Value::Object).map_err(|error| error.to_string())
    }

    fn check(inputs: &Value, expect: &Value) {
        assert_eq!(made(inputs, &json!({})).unwrap(), *expect, "{inputs}");
    }

    fn refused(inputs: &Value, message: &str) {
        assert_eq!(made(inputs, &json!({})).unwrap_err(), message, "{inputs}");
    }

    #[test]
    fn f_039_arguments_are_of_the_types_that_the_endpoint_declares() {
        check(&json!({ "q": "x" }), &json!({ "q": "x", "most": 10 }));
        check(&json!({ "q": "x", "most": "40" }), &json!({ "q": "x", "most": 40 }));
        check(&json!({ "q": 7, "most": 4.0 }), &json!({ "q": "7", "most": 4 }));
        check(&json!({ "q": "x", "most": null }), &json!({ "q": "x", "most": 10 }));
        check(
            &json!({ "q": "x", "most": 1, "since": "2026-01-02", "tags": "a", "open": "true", "anything": { "b": [1] } }),
            &json!({ "q": "x", "most": 1, "since": "2026-01-02", "tags": ["a"], "open": true, "anything": { "b": [1] } }),
        );
    }

    #[test]
    fn f_039_a_value_of_another_type_is_refused_before_the_call() {
        refused(
            &json!({ "q": "x", "most": "many" }),
            "the argument `most` does not fit: `many` is not of type integer",
        );
        refused(
            &json!({ "q": { "a": 1 } }),
            "the argument `q` does not fit: an object is not of type string",
        );
        refused(
            &json!({ "q": "x", "tags": [{}] }),
            "the argument `tags` does not fit: an object is not of type string",
        );
        assert!(made(&json!({ "q": "x", "since": "soon" }), &json!({})).is_err());
        refused(&json!({ "most": 1 }), "the input `q` is missing");
    }

    #[test]
    fn f_039_what_the_endpoint_does_not_declare_is_refused_by_name() {
        refused(
            &json!({ "q": "x", "mots": 1 }),
            "the endpoint has no parameter `mots`; did you mean `most`?",
        );
        refused(&json!({ "q": "x", "source": "a.xml" }), "the endpoint has no parameter `source`");
        let params = json!({ "connector": "api", "endpoint": "search", "most": 3 });
        assert_eq!(made(&json!({ "q": "x" }), &params).unwrap(), json!({ "q": "x", "most": 3 }));
        let params = json!({ "connector": "api", "endpoint": "search", "timeout": 3 });
        assert!(made(&json!({ "q": "x" }), &params).unwrap_err().contains("`timeout`"));
    }

    /// Where a call goes on is said to an endpoint with pages only, and not to one with an effect, which is sent once.
    #[test]
    fn k_76_a_cursor_is_an_argument_where_there_are_pages() {
        let paged = YAML
            .replace("    path: /search\n", "    path: /search\n    pagination: { type: page }\n");
        let sends = YAML.replace("    path: /search\n", "    path: /search\n    method: POST\n");
        let given = json!({ "q": "x", "_cursor": "2" });
        let taken = |yaml: &str| {
            let definition = crate::parse(yaml).definition.unwrap();
            let given = given.as_object().unwrap();
            let made = arguments(&definition.endpoints["search"], given, &Map::new());
            made.map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(taken(&paged), Ok(()));
        let refused = Err("the endpoint has no parameter `_cursor`".to_owned());
        assert_eq!(taken(YAML), refused);
        assert_eq!(taken(&sends), refused);
    }
}
