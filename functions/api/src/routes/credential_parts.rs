//! The parts of a credential in a request: read so that no error ever quotes them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

/// The longest part.
const MAX_LENGTH: usize = 8 * 1024;

/// Parts by name, such as `api_key`.
#[derive(Clone, Default, Deserialize, ToSchema)]
#[serde(try_from = "Value")]
#[schema(value_type = BTreeMap<String, String>)]
pub(crate) struct CredentialParts(pub(crate) BTreeMap<String, String>);

impl fmt::Debug for CredentialParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The names only: what is kept of a request, to tell it from another one with the same `Idempotency-Key`, must not let
/// anybody try out secrets.
impl Serialize for CredentialParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.keys())
    }
}

impl TryFrom<Value> for CredentialParts {
    type Error = String;

    /// Says which part is wrong, and nothing of what it holds.
    fn try_from(given: Value) -> Result<Self, String> {
        let Value::Object(given) = given else {
            return Err("a credential is an object of named parts, each a text".to_owned());
        };
        let part = |(name, value): (String, Value)| match value {
            Value::String(text)
                if text.len() <= MAX_LENGTH && !text.contains(['\n', '\r', '\0']) =>
            {
                Ok((name, text))
            }
            Value::String(_) => {
                Err(format!("the part `{name}` must be one line of at most {MAX_LENGTH} bytes"))
            }
            _ => Err(format!("the part `{name}` must be a text: put it in quotes")),
        };
        given.into_iter().map(part).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::CredentialParts;

    #[test]
    fn k_37_no_error_quotes_a_credential() {
        for given in [
            json!("s3cr3t"),
            json!(8_151_623),
            json!(["s3cr3t"]),
            json!({ "api_key": 8_151_623 }),
            json!({ "api_key": ["s3cr3t"] }),
            json!({ "api_key": "s3cr3t\nx: y" }),
            json!({ "api_key": "s3cr3t".repeat(2_000) }),
        ] {
            let text = given.to_string();
            let error = serde_json::from_str::<CredentialParts>(&text).unwrap_err().to_string();
            assert!(!error.contains("s3cr3t") && !error.contains("8151623"), "{error}");
        }
        let good: CredentialParts = serde_json::from_value(json!({ "token": "a b" })).unwrap();
        assert_eq!(format!("{good:?}"), "{\"token\"}");
        assert_eq!(serde_json::to_value(&good).unwrap(), json!(["token"]));
    }
}
