//! The idempotency key of a call.

use countersign_canonical::canonical;
use serde_json::{Value, json};

use crate::digest::hash_parts;
use crate::error::EffectError;

/// What a key is made of: every call that should happen once has one value of this.
#[derive(Debug, Clone, Copy)]
pub struct KeyOf<'a> {
    /// The deployment.
    pub tenant: &'a str,
    /// The run that first meant to make the call; a repetition of it uses the same.
    pub origin_run: &'a str,
    /// The step.
    pub step: &'a str,
    /// Which item of the step's list; empty for a step that makes one call.
    pub item: &'a str,
    /// The resolved arguments.
    pub arguments: &'a Value,
}

/// The key: the first 16 bytes of `SHA-256("countersign/v2/key\0" + canonical JSON)`, as 32 hex digits. The same for every
/// attempt of the same call.
///
/// # Errors
/// As [`canonical`].
pub fn idempotency_key(of: &KeyOf<'_>) -> Result<String, EffectError> {
    let KeyOf { tenant, origin_run, step, item, arguments } = *of;
    let text = canonical(&json!([tenant, origin_run, step, item, arguments]))?;
    let digest = hash_parts(&[b"countersign/v2/key\0", text.as_bytes()]);
    Ok(hex::encode(digest.head()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{KeyOf, idempotency_key};

    fn key(step: &str, item: &str, arguments: &Value) -> String {
        idempotency_key(&KeyOf { tenant: "t", origin_run: "run_1", step, item, arguments }).unwrap()
    }

    #[test]
    fn k_49_each_call_has_a_key_of_its_own() {
        let one = key("pay", "", &json!({"amount": "10"}));
        assert_eq!(one.len(), 32);
        assert_eq!(one, key("pay", "", &json!({"amount": "10"})));
        assert_ne!(one, key("pay", "", &json!({"amount": "11"})));
        assert_ne!(one, key("pay", "2", &json!({"amount": "10"})));
        assert_ne!(one, key("pay2", "", &json!({"amount": "10"})));
        assert_ne!(
            key("pay", "", &json!(9_007_199_254_740_992_u64)),
            key("pay", "", &json!(9_007_199_254_740_993_u64))
        );
    }
}
