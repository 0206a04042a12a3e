//! From wiring to arguments: resolved, typed, with a hash. Shared with `gate-open`, so preview and effect cannot differ.

use countersign_canonical::canonical_of;
use countersign_plan::PlanStep;
use countersign_registry::{CALL_CONNECTOR, Contract, ModelChoice, OutputSchema};
use countersign_wiring::{Scope, SlotError, Undefined, bind, bind_open};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// The arguments of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// Resolved inputs.
    pub inputs: Map<String, Value>,
    /// Resolved params.
    pub params: Map<String, Value>,
    /// SHA-256, hex, of action, inputs, params and, of a step of a model, which one its agent chose and what it must
    /// answer, in their canonical form.
    pub hash: String,
}

impl Prepared {
    /// What is signed for an irreversible step, beside the action's name.
    #[must_use]
    pub fn arguments(&self) -> Value {
        json!({ "inputs": self.inputs, "params": self.params })
    }
}

/// Resolves and checks the arguments of a step (F-039).
///
/// The slots of a connector's endpoint are known to the connector alone; its action checks them.
///
/// # Errors
/// Every slot that could not be filled, in one sentence each.
pub fn prepare(
    step: &PlanStep,
    contract: &Contract,
    scope: &Scope,
) -> Result<Prepared, Vec<String>> {
    let undefined = if step.allows_gaps { Undefined::Null } else { Undefined::Fails };
    let (inputs, params) = if contract.name == CALL_CONNECTOR {
        (open(&step.inputs, scope), open(&step.params, scope))
    } else {
        let bound = |given, slots| bind(given, slots, scope, undefined).map_err(sentences);
        (bound(&step.inputs, &contract.inputs), bound(&step.params, &contract.params))
    };
    let (inputs, params) = match (inputs, params) {
        (Ok(inputs), Ok(params)) => (inputs, params),
        (inputs, params) => {
            return Err(inputs.err().into_iter().chain(params.err()).flatten().collect());
        }
    };
    let hashed = Hashed {
        action: &step.action,
        inputs: &inputs,
        params: &params,
        output_schema: step.output_schema.as_ref(),
        model: step.model.as_ref(),
    };
    let hash = hash(&hashed).map_err(|problem| vec![problem])?;
    Ok(Prepared { inputs, params, hash })
}

fn open(given: &Map<String, Value>, scope: &Scope) -> Result<Map<String, Value>, Vec<String>> {
    bind_open(given, scope).map_err(sentences)
}

fn sentences(errors: Vec<SlotError>) -> Vec<String> {
    errors.into_iter().map(|error| error.to_string()).collect()
}

/// What the hash of a step's arguments covers.
#[derive(Serialize)]
struct Hashed<'a> {
    action: &'a str,
    inputs: &'a Map<String, Value>,
    params: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a OutputSchema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a ModelChoice>,
}

fn hash(value: &Hashed<'_>) -> Result<String, String> {
    let canonical = canonical_of(value).map_err(|error| error.to_string())?;
    Ok(hex::encode(Sha256::digest(canonical)))
}

#[cfg(test)]
mod tests {
    use countersign_registry::Registry;
    use countersign_wiring::Scope;
    use serde_json::json;

    use super::{PlanStep, prepare};
    use sha2::{Digest as _, Sha256};

    #[test]
    fn the_hash_covers_action_inputs_and_params_in_their_canonical_form() {
        let step: PlanStep = serde_json::from_value(json!({
            "name": "read", "kind": "tool", "on_error": "stop", "on_warning": "continue", "after": [],
            "action": "crawl_url", "inputs": { "url": "{page}" },
        }))
        .unwrap();
        let page = json!("https://example.org/");
        let mut scope = Scope::new();
        scope.lend("page", &page);
        let prepared =
            prepare(&step, Registry::builtin().get("crawl_url").unwrap(), &scope).unwrap();
        let canonical = r#"{"action":"crawl_url","inputs":{"url":"https://example.org/"},"params":{"extract_mode":"text"}}"#;
        assert_eq!(prepared.hash, hex::encode(Sha256::digest(canonical)));
    }

    #[test]
    fn f_145_r_035_the_hash_covers_what_a_model_must_answer_and_which_one_was_chosen() {
        let hash = |field: &str, model: &serde_json::Value| {
            let step: PlanStep = serde_json::from_value(json!({
                "name": "judge", "kind": "tool", "on_error": "stop", "after": [], "action": "llm_analyze",
                "inputs": { "data": [] }, "params": { "instructions": "Judge." },
                "output_schema": { "type": "object", "fields": [{ "name": field, "type": "string" }] }, "model": model,
            }))
            .unwrap();
            let contract = Registry::builtin();
            let contract = contract.get("llm_analyze").unwrap();
            prepare(&step, contract, &Scope::new()).unwrap().hash
        };
        let (none, warm) = (json!(null), json!({ "model": "openai/a", "temperature": 0.2 }));
        assert_eq!(hash("verdict", &none), hash("verdict", &none));
        assert_eq!(hash("verdict", &warm), hash("verdict", &warm));
        let others = [
            ("risk", none.clone()),
            ("verdict", warm),
            ("verdict", json!({ "model": "openai/a" })),
        ];
        for (field, model) in others {
            assert_ne!(hash("verdict", &none), hash(field, &model));
        }
    }
}
