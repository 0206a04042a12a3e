//! The inputs of a run: those that are given, and those that the question says (F-135).

use countersign_playbook::ValidPlaybook;
use countersign_profile::Profile;
use countersign_question::{Doubt, read};
use countersign_run::UnderstoodInput;
use countersign_web::{FieldError, Problem};
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::skills;

/// What a run starts with.
pub struct Inputs {
    /// All inputs.
    pub all: Map<String, Value>,
    /// Those that the question said.
    pub understood: Vec<UnderstoodInput>,
    /// What the question may say in more than one way, of inputs that the run does without.
    pub doubts: Vec<FieldError>,
}

/// The given inputs, those that the question says, and what the agent's skill gives for the rest, checked. What is given is
/// never read from the question, and `today` is what its words are relative to; `is_member` says
/// that the agent is somebody else's.
///
/// # Errors
/// A [`Problem`] with every input that does not fit.
pub fn inputs(
    profile: &Profile,
    playbook: &ValidPlaybook,
    question: &str,
    given: &Map<String, Value>,
    (today, is_member): (Date, bool),
) -> Result<Inputs, Problem> {
    // What the skill of somebody else's agent gives is not read from a member's question either.
    let mut known = given.clone();
    if is_member {
        known.extend(skills::given(&profile.spec, &playbook.id).cloned().unwrap_or_default());
    }
    let reading = read(question, &playbook.inputs, &known, today);
    let mut said = given.clone();
    for one in &reading.understood {
        said.insert(one.input.clone(), one.value.clone());
    }
    let checked = skills::checked_inputs(profile, playbook, &said);
    let all = checked.map_err(|problem| explained(problem, playbook, &reading.doubts))?;
    let understood = reading.understood.into_iter().map(|one| UnderstoodInput {
        input: one.input,
        value: one.value,
        words: one.words,
    });
    let doubts =
        reading.doubts.into_iter().map(|doubt| FieldError::new(path(&doubt), doubt.message));
    Ok(Inputs { all, understood: understood.collect(), doubts: doubts.collect() })
}

fn path(doubt: &Doubt) -> String {
    format!("inputs.{}", doubt.input)
}

/// The problem, with what the question says of each input that is missing.
fn explained(mut problem: Problem, playbook: &ValidPlaybook, doubts: &[Doubt]) -> Problem {
    for error in &mut problem.errors {
        let doubt = doubts.iter().find(|doubt| path(doubt) == error.path);
        let is_read = playbook.inputs.iter().any(|input| {
            input.extract_from.is_some() && error.path == format!("inputs.{}", input.name)
        });
        if let Some(doubt) = doubt {
            error.hint = Some(doubt.message.clone());
        } else if is_read && error.hint.is_none() {
            error.hint = Some("the question does not say it".to_owned());
        }
    }
    problem
}
