//! Answers whose status says nothing: the body tells whether the call succeeded.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json_path::JsonPath;

/// Where an answer of a good status says whether the call succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuccessRule {
    /// `true` there means that it did, `false` that it did not.
    pub path: JsonPath,
    /// Where it says why not.
    pub reason: JsonPath,
    /// Reasons by which the credential is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// Reasons by which it asks to be called later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttled: Vec<String>,
    /// Reasons after which it may have been done all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_doubt: Vec<String>,
}

/// What an answer says of its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// It succeeded.
    Done,
    /// It was refused, with the reason.
    Refused(String),
    /// Its credential was refused.
    Denied(String),
    /// It came too soon.
    Throttled,
    /// It may have succeeded.
    InDoubt(String),
    /// Nothing of that.
    Nothing,
}

impl SuccessRule {
    /// What an answer says.
    #[must_use]
    pub fn of(&self, answer: &Value) -> Said {
        match self.path.find(answer) {
            Some(Value::Bool(true)) => Said::Done,
            Some(Value::Bool(false)) => self.why(answer),
            _ => Said::Nothing,
        }
    }

    fn why(&self, answer: &Value) -> Said {
        let found = self.reason.find(answer).unwrap_or_default();
        let reason = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
        let is_in = |list: &[String]| list.contains(&reason);
        if is_in(&self.in_doubt) {
            Said::InDoubt(reason)
        } else if is_in(&self.denied) {
            Said::Denied(reason)
        } else if is_in(&self.throttled) {
            Said::Throttled
        } else {
            Said::Refused(reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Said, SuccessRule};
    use crate::json_path::JsonPath;

    fn check(answer: &Value, expect: &Said) {
        let list = |name: &str| vec![name.to_owned()];
        let verdict = SuccessRule {
            path: JsonPath::parse("ok").unwrap(),
            reason: JsonPath::parse("error").unwrap(),
            denied: list("invalid_auth"),
            throttled: list("ratelimited"),
            in_doubt: list("fatal_error"),
        };
        assert_eq!(verdict.of(answer), *expect, "{answer}");
    }

    #[test]
    fn f_073_an_answer_of_a_good_status_may_be_a_refusal() {
        check(&json!({ "ok": true, "error": "x" }), &Said::Done);
        check(&json!({ "ok": false, "error": "no_text" }), &Said::Refused("no_text".to_owned()));
        check(&json!({ "ok": false }), &Said::Refused("null".to_owned()));
        check(
            &json!({ "ok": false, "error": "invalid_auth" }),
            &Said::Denied("invalid_auth".to_owned()),
        );
        check(&json!({ "ok": false, "error": "ratelimited" }), &Said::Throttled);
        let doubt = Said::InDoubt("fatal_error".to_owned());
        check(&json!({ "ok": false, "error": "fatal_error" }), &doubt);
        for answer in [json!({}), json!({ "ok": "true" }), json!([]), json!({ "ok": 1 })] {
            check(&answer, &Said::Nothing);
        }
    }
}
