//! What stands in the place of a result that does not exist, for what may go on without it.

use serde_json::{Value, json};

/// Says that there is no value.
const MISSING: &str = "_missing";
/// Says why.
const REASON: &str = "_reason";

/// The most of a reason that is said, characters.
const MAX_REASON: usize = 500;

/// The value that says that a result does not exist, and why.
#[must_use]
pub fn gap(reason: Option<&str>) -> Value {
    let reason = reason.map(|reason| reason.chars().take(MAX_REASON).collect::<String>());
    json!({ MISSING: true, REASON: reason })
}

/// Whether a value is one that [`gap`] makes. No field of such a result exists either, for the same reason.
#[must_use]
pub fn is_gap(value: &Value) -> bool {
    let fields = value.as_object().filter(|fields| fields.len() == 2);
    fields.is_some_and(|fields| {
        fields.get(MISSING) == Some(&Value::Bool(true)) && fields.contains_key(REASON)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_027_a_gap_says_why_up_to_a_length() {
        let check = |reason: Option<&str>, expect: &Value| {
            let made = gap(reason);
            assert!(is_gap(&made));
            assert_eq!(&made[REASON], expect);
        };
        check(None, &Value::Null);
        check(Some("no answer within 3 s"), &json!("no answer within 3 s"));
        check(Some(&"é".repeat(MAX_REASON + 1)), &json!("é".repeat(MAX_REASON)));
        for other in [json!({ "_missing": true }), json!({ "_skipped": true, "_reason": null })] {
            assert!(!is_gap(&other), "{other}");
        }
    }
}
