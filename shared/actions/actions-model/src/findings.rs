//! What other steps found, as a model is shown it: so much of each result.

use serde_json::{Map, Value, json};

use crate::talk::cut;

/// The most that is shown of what one step found, bytes of JSON.
const MAX_FINDING: usize = 16 * 1024;

/// Findings as a model is shown them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Findings {
    pub(crate) shown: Value,
    /// What is left out, a sentence each.
    pub(crate) left_out: Vec<String>,
}

impl Findings {
    /// Of results by name each; of anything else the whole.
    pub(crate) fn of(found: &Value) -> Self {
        let mut left_out = Vec::new();
        let shown = match found {
            Value::Object(all) => {
                let each = all.iter();
                let each = each.map(|(name, one)| (name.clone(), shown(name, one, &mut left_out)));
                Value::Object(each.collect::<Map<_, _>>())
            }
            whole => shown("findings", whole, &mut left_out),
        };
        Self { shown, left_out }
    }

    /// Of what somebody is to find out: its `results` are what others found.
    pub(crate) fn in_assignment(assigned: &Value) -> Self {
        let Some(results) = assigned.get("results") else {
            return Self { shown: assigned.clone(), left_out: Vec::new() };
        };
        let found = Self::of(results);
        let mut shown = assigned.clone();
        shown["results"] = found.shown;
        Self { shown, ..found }
    }
}

fn shown(name: &str, found: &Value, left_out: &mut Vec<String>) -> Value {
    let text = found.to_string();
    let Some(end) = cut(&text, MAX_FINDING) else { return found.clone() };
    let bytes = text.len();
    left_out.push(format!("the model was shown {end} of the {bytes} bytes of `{name}`"));
    json!({ "_cut": true, "_reason": format!("only {end} of {bytes} bytes are shown"), "beginning": &text[..end] })
}

/// The output of a model, with what it was not shown, or what is left out of its answer, after what is warned of already.
pub(crate) fn warned(mut output: Value, left_out: Vec<String>) -> Value {
    if let Some(fields) = output.as_object_mut().filter(|_| !left_out.is_empty()) {
        let known = fields.entry("warnings").or_insert_with(|| json!([]));
        if let Value::Array(known) = known {
            known.extend(left_out.into_iter().map(Value::from));
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_037_of_what_others_found_so_much_is_shown_and_the_rest_is_told() {
        let short = json!({ "task": "Look.", "answer": "It filed.", "sources": ["a"] });
        let long = json!({ "answer": "é".repeat(MAX_FINDING) });
        let found = Findings::of(&json!({ "press_1": short, "register_1": long }));
        assert_eq!(found.shown["press_1"], short);
        let cut = &found.shown["register_1"];
        let beginning = cut["beginning"].as_str().unwrap();
        assert!(beginning.starts_with("{\"answer\":\"éé") && beginning.len() <= MAX_FINDING);
        assert_eq!(cut["_cut"], true);
        let expect = "the model was shown 16383 of the 32781 bytes of `register_1`";
        assert_eq!(found.left_out, [expect]);
        let output = warned(json!({ "answer": "It filed." }), found.left_out);
        assert_eq!(output, json!({ "answer": "It filed.", "warnings": [expect] }));
        let output = warned(output, vec!["more".to_owned()]);
        assert_eq!(output["warnings"], json!([expect, "more"]));
    }

    #[test]
    fn r_037_what_is_not_too_long_is_shown_as_it_is() {
        for found in [json!(null), json!("text"), json!([1]), json!({ "a": 1 })] {
            let expect = Findings { shown: found.clone(), left_out: Vec::new() };
            assert_eq!(Findings::of(&found), expect);
            let assigned = json!({ "task": "Look.", "results": found });
            let expect = Findings { shown: assigned.clone(), left_out: Vec::new() };
            assert_eq!(Findings::in_assignment(&assigned), expect);
        }
        assert_eq!(warned(json!({ "a": 1 }), Vec::new()), json!({ "a": 1 }));
        let long = json!({ "task": "Look.", "results": "x".repeat(MAX_FINDING) });
        let found = Findings::in_assignment(&long);
        assert_eq!((&found.shown["task"], found.left_out.len()), (&json!("Look."), 1));
    }
}
