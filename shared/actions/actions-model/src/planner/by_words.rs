//! The plan of the built-in model: the question goes, word for word, to those whose description shares words with it, and to everybody
//! where nobody's does.

use countersign_extractive::{ModelRequired, words};
use countersign_question::{is_opening, names_in};
use countersign_registry::actions::plan_tasks::{Params, Specialist};
use serde_json::{Value, json};

/// The field of the data that holds the question.
const QUESTION: &str = "question";

/// Words that every description may have, whatever it is about.
const JOINING: [&str; 28] = [
    "and", "but", "for", "from", "into", "its", "not", "off", "one", "our", "out", "over", "such",
    "than", "that", "the", "their", "them", "then", "they", "this", "those", "under", "upon",
    "when", "while", "you", "your",
];

pub(crate) fn plan(params: &Params, data: &Value) -> Result<Value, ModelRequired> {
    let question = data.get(QUESTION).unwrap_or(data).as_str().map(str::trim);
    let question = question.filter(|question| !question.is_empty()).ok_or_else(|| {
        ModelRequired(format!("the data have no text `{QUESTION}` that could be handed on"))
    })?;
    let mut asked = words(question);
    asked.retain(|word| !is_opening(word) && !JOINING.contains(&word.as_str()));
    let is_for = |one: &&Specialist| !asked.is_disjoint(&words(&one.description));
    let mut chosen: Vec<&Specialist> = params.specialists.iter().filter(is_for).collect();
    if chosen.is_empty() {
        chosen = params.specialists.iter().collect();
    }
    let task = |one: &Specialist| {
        let id = format!("{}-1", one.name);
        json!({ "agent_id": id, "agent_name": one.name, "task": question, "depends_on": [] })
    };
    Ok(json!({
        "analysis": { "intent": question, "entities": { "names": names_in(question) } },
        "execution_plan": chosen.into_iter().map(task).collect::<Vec<_>>(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &Value, expect: &[&str]) {
        let one = |name: &str, description: &str| Specialist {
            name: name.to_owned(),
            description: description.to_owned(),
            sees: None,
        };
        let specialists = vec![
            one("filings", "Reads what charities filed."),
            one("press", "Reads newspapers, and the like."),
        ];
        let said = plan(&Params { specialists, stages: 1 }, &json!({ "question": question }));
        let Ok(said) = said else { return assert_eq!(expect, [""; 0]) };
        let tasks = said["execution_plan"].as_array().unwrap();
        let names: Vec<&str> =
            tasks.iter().filter_map(|task| task["agent_name"].as_str()).collect();
        assert_eq!(names, expect);
        assert!(tasks.iter().all(|task| task["task"] == *question));
        let named = names_in(question.as_str().unwrap());
        assert_eq!(said["analysis"]["entities"]["names"], json!(named));
    }

    #[test]
    fn r_006_the_built_in_model_hands_the_question_on() {
        check(&json!("Which charities pay their officers?"), &["filings"]);
        check(&json!("What do newspapers say of charities?"), &["filings", "press"]);
        check(&json!("What is Owl Fund, and the others?"), &["filings", "press"]);
        check(&json!(7), &[]);
    }
}
