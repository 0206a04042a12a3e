//! Whether what is asked for is there: the endpoint, and arguments it takes.

use countersign_connector::{ConnectorDefinition, Endpoint, endpoint_contract};
use countersign_registry::{Slot, nearest};
use countersign_web::{FieldError, Problem};
use countersign_wiring::coerce;
use serde_json::{Map, Value};

use crate::test_run::TestRun;

/// Problems told; more help nobody.
const MAX_TOLD: usize = 50;

/// The endpoint of this name.
pub(crate) fn endpoint(definition: &ConnectorDefinition, name: &str) -> Result<Endpoint, Problem> {
    let endpoint = definition.endpoints.get(name).cloned();
    endpoint.ok_or_else(|| {
        let near = nearest(name, definition.endpoints.keys().map(String::as_str));
        Problem::invalid(vec![unknown("endpoint", "is not an endpoint of this connector", near)])
    })
}

/// The arguments with the types of the endpoint's parameters, as a playbook would give them.
pub(crate) fn arguments(
    definition: &ConnectorDefinition,
    test_run: &TestRun,
) -> Result<Map<String, Value>, Problem> {
    let contract = endpoint_contract(definition, &test_run.endpoint);
    let slots = contract.map(|contract| contract.inputs).unwrap_or_default();
    let given = |slot: &Slot| test_run.inputs.get(&slot.name).is_some_and(|value| !value.is_null());
    let missing =
        slots.iter().filter(|slot| slot.required && slot.default.is_none() && !given(slot));
    let mut errors: Vec<FieldError> = missing.map(|slot| field(&slot.name, "is missing")).collect();
    let mut arguments = Map::new();
    for (name, value) in &test_run.inputs {
        if errors.len() >= MAX_TOLD {
            break;
        }
        match slots.iter().find(|slot| slot.name == *name) {
            Some(_) if value.is_null() => {}
            Some(slot) => match coerce(value.clone(), &slot.data_type) {
                Ok(value) => drop(arguments.insert(name.clone(), value)),
                Err(error) => errors.push(field(name, &error.to_string())),
            },
            None => {
                let near = nearest(name, slots.iter().map(|slot| slot.name.as_str()));
                let path = format!("inputs.{name}");
                errors.push(unknown(&path, "is not a parameter of this endpoint", near));
            }
        }
    }
    if errors.is_empty() { Ok(arguments) } else { Err(Problem::invalid(errors)) }
}

fn field(name: &str, message: &str) -> FieldError {
    FieldError::new(format!("inputs.{name}"), message)
}

fn unknown(path: &str, message: &str, near: Option<&str>) -> FieldError {
    let hint = near.map(|near| format!("did you mean `{near}`?"));
    FieldError { path: path.to_owned(), message: message.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
      - { name: most, type: integer }
";

    fn check(inputs: &Value, expect: Result<Value, &[(&str, bool)]>) {
        let definition = countersign_connector::parse(YAML).definition.unwrap();
        let body = json!({ "endpoint": "search", "inputs": inputs });
        let found = arguments(&definition, &serde_json::from_value(body).unwrap());
        let found = found.map(Value::Object).map_err(|problem| problem.errors.clone());
        match expect {
            Ok(expect) => assert_eq!(found.unwrap(), expect, "{inputs}"),
            Err(expect) => {
                let errors = found.unwrap_err();
                let told: Vec<(&str, bool)> = errors
                    .iter()
                    .map(|error| (error.path.as_str(), error.hint.is_some()))
                    .collect();
                assert_eq!(told, expect, "{inputs}");
            }
        }
    }

    #[test]
    fn f_331_arguments_are_typed_as_in_a_playbook() {
        check(&json!({ "q": "mill", "most": "3" }), Ok(json!({ "q": "mill", "most": 3 })));
        check(&json!({ "q": 5, "most": null }), Ok(json!({ "q": "5" })));
    }

    #[test]
    fn f_331_every_argument_that_does_not_fit_is_named() {
        check(&json!({}), Err(&[("inputs.q", false)]));
        check(
            &json!({ "mots": 1, "most": "many" }),
            Err(&[("inputs.q", false), ("inputs.mots", true), ("inputs.most", false)]),
        );
        let definition = countersign_connector::parse(YAML).definition.unwrap();
        let problem = endpoint(&definition, "serach").unwrap_err();
        assert_eq!(problem.errors[0].hint.as_deref(), Some("did you mean `search`?"));
    }
}
