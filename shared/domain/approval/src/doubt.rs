//! Rows that ask for a look.

use serde_json::Value;

/// Below this, a likeness or confidence is doubtful.
const SURE: f64 = 0.9;
/// Fields that say how sure a row is, as a share of one.
const SCORES: [&str; 3] = ["confidence", "match_score", "score"];
/// Fields that say that something is wrong with a row.
const MARKS: [&str; 3] = ["needs_review", "warnings", "warning"];

/// Whether a row carries a mark of doubt: a flag, a warning, or a score below 0.9.
#[must_use]
pub fn is_doubtful(row: &Value) -> bool {
    let score = |name: &&str| row.get(name).and_then(Value::as_f64);
    SCORES.iter().filter_map(score).any(|score| (0.0..SURE).contains(&score))
        || MARKS.iter().any(|name| row.get(name).is_some_and(says_so))
}

fn says_so(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_doubtful;
    use serde_json::{Value, json};

    fn check(row: &Value, expect: bool) {
        assert_eq!(is_doubtful(row), expect, "{row}");
    }

    #[test]
    fn f_200_doubt_is_a_flag_a_low_score_or_a_warning() {
        check(&json!({"needs_review": true}), true);
        check(&json!({"needs_review": false}), false);
        check(&json!({"match_score": 0.89}), true);
        check(&json!({"match_score": 0.9}), false);
        check(&json!({"confidence": 0}), true);
        check(&json!({"score": 86}), false);
        check(&json!({"warnings": ["twice"]}), true);
        check(&json!({"warnings": []}), false);
        check(&json!("confidence"), false);
    }
}
