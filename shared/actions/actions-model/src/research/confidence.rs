//! How sure a model says it is of what it found for a task that somebody assigned.

use countersign_registry::OutputSchema;
use countersign_registry::actions::research_with_tools::{CONFIDENCE, Inputs, says_confidence};
use serde_json::Value;

use crate::conversation::Turns;
use crate::findings::warned;

/// Whether it is asked that.
pub(super) fn is_asked(inputs: &Inputs, schema: &OutputSchema) -> bool {
    let is_assigned = inputs.assignment.as_ref().is_some_and(|assigned| !assigned.is_null());
    is_assigned && says_confidence(schema)
}

/// The answer, or what is wrong with what it says of that. Nothing is decided by it, so what was found is not lost for it: an answer
/// that no turn is left to repair does not say how sure the model is, and the step warns of it.
pub(super) fn checked(mut output: Value, turns: Turns) -> Result<Value, String> {
    let Some(why) = wrong(output.get(CONFIDENCE)) else { return Ok(output) };
    if turns == Turns::Left {
        return Err(format!("`{CONFIDENCE}` must be a number from 0 to 1, or null"));
    }
    output[CONFIDENCE] = Value::Null;
    Ok(warned(output, vec![format!("`{CONFIDENCE}` is left out: {why}")]))
}

/// What is wrong with what it says; none for a score, and where it says that it does not know. Only a number is quoted: anything else
/// may be any text.
fn wrong(said: Option<&Value>) -> Option<String> {
    match said {
        Some(Value::Null) => None,
        Some(Value::Number(number)) => {
            let is_score = number.as_f64().is_some_and(|said| (0.0..=1.0).contains(&said));
            (!is_score).then(|| format!("{number} is no number from 0 to 1"))
        }
        Some(_) => Some("what the model says is no number".to_owned()),
        None => Some("the model does not say it".to_owned()),
    }
}

/// What is left to answer for the built-in model: it quotes, and says of nothing how sure it is.
pub(super) fn quotable(schema: &OutputSchema) -> OutputSchema {
    let mut quotable = schema.clone();
    quotable.fields.retain(|field| field.name != CONFIDENCE);
    quotable
}

#[cfg(test)]
mod tests {
    use countersign_registry::{DataType, Field, Shape};
    use serde_json::json;

    use super::*;

    fn schema(data_type: DataType) -> OutputSchema {
        let fields =
            vec![Field::new("answer", DataType::String), Field::new(CONFIDENCE, data_type)];
        OutputSchema { shape: Shape::Object, fields }
    }

    #[test]
    fn r_029_how_sure_a_model_is_is_a_number_from_0_to_1_or_nothing() {
        for good in [json!(0), json!(0.7), json!(1), Value::Null] {
            let answer = json!({ "answer": "It filed.", "confidence_score": good });
            for turns in [Turns::Left, Turns::Over] {
                assert_eq!(checked(answer.clone(), turns), Ok(answer.clone()));
            }
        }
        for wrong in [json!(-0.1), json!(1.1), json!(70)] {
            let answer = json!({ "answer": "It filed.", "confidence_score": wrong });
            left_out(answer, &format!("{wrong} is no number from 0 to 1"));
        }
        let high = json!({ "answer": "It filed.", "confidence_score": "high" });
        left_out(high, "what the model says is no number");
        left_out(json!({ "answer": "It filed." }), "the model does not say it");
    }

    /// It is asked for once more, and is then left out with a warning.
    fn left_out(answer: Value, why: &str) {
        let said = checked(answer.clone(), Turns::Left).unwrap_err();
        assert_eq!(said, "`confidence_score` must be a number from 0 to 1, or null");
        let warning = format!("`confidence_score` is left out: {why}");
        let expect =
            json!({ "answer": "It filed.", "confidence_score": null, "warnings": [warning] });
        assert_eq!(checked(answer, Turns::Over), Ok(expect));
    }

    #[test]
    fn r_029_only_who_was_assigned_a_task_is_asked_how_sure_it_is() {
        let check = |assignment: Value, data_type: DataType, expect: bool| {
            let inputs = Inputs {
                data: Value::Null,
                conversation: None,
                assignment: (!assignment.is_null()).then_some(assignment),
            };
            assert_eq!(is_asked(&inputs, &schema(data_type)), expect);
        };
        let assigned = json!({ "task": "Look." });
        check(assigned.clone(), DataType::Number, true);
        check(Value::Null, DataType::Number, false);
        check(assigned, DataType::String, false);
        let left = quotable(&schema(DataType::Number)).fields;
        assert_eq!(left, [Field::new("answer", DataType::String)]);
    }
}
