//! Moments are RFC 3339 everywhere in the API.

use jiff::Timestamp;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

/// A record of the directory, which keeps the seconds of a moment.
#[derive(Debug)]
pub(crate) struct Dated<T>(pub(super) T);

impl<T: Serialize> Serialize for Dated<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut record = serde_json::to_value(&self.0).map_err(S::Error::custom)?;
        let seconds = record["not_before"].as_i64();
        if let Some(at) = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()) {
            record["not_before"] = at.to_string().into();
        }
        record.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Dated;

    fn check(record: &Value, expect: &Value) {
        assert_eq!(serde_json::to_value(Dated(record)).unwrap(), *expect);
    }

    #[test]
    fn moments_are_texts() {
        check(&json!({"not_before": 7}), &json!({"not_before": "1970-01-01T00:00:07Z"}));
        check(&json!({"username": "ada"}), &json!({"username": "ada"}));
        check(&json!({"not_before": null}), &json!({"not_before": null}));
    }
}
