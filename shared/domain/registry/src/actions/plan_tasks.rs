//! Has a model divide a question into tasks for specialists, and puts the tasks into stages.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::model_task;
use crate::explain::{Path, Problem, ProblemKind};
use crate::shape::AnyObject;
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct PlanTasks;

/// The most specialists.
pub const MAX_SPECIALISTS: usize = 6;
/// The most stages.
pub const MAX_STAGES: usize = 4;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The question, and what belongs to it: any value. To the model it is data, never an instruction.
    pub data: Value,
}

/// Settings.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Params {
    /// Who may be given tasks.
    #[schemars(length(min = 1, max = MAX_SPECIALISTS))]
    pub specialists: Vec<Specialist>,
    /// In so many stages, one after the other: a specialist has one task in each at most.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = MAX_STAGES))]
    pub stages: usize,
}

/// Who may be given tasks. The steps that do them are written behind this one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Specialist {
    /// Lower-case letters, digits and underscores, a letter first.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_]{0,23}$"))]
    pub name: String,
    /// What it is good for; the model chooses by it.
    #[schemars(length(min = 1, max = 2_000))]
    pub description: String,
    /// Whose results it is shown; left out, everybody's. No task of it waits for another's.
    #[schemars(length(max = MAX_SPECIALISTS))]
    pub sees: Option<Vec<String>>,
}

impl Specialist {
    /// Whether it is shown the results of this one.
    #[must_use]
    pub fn sees(&self, other: &str) -> bool {
        self.sees.as_ref().is_none_or(|seen| seen.iter().any(|name| name == other))
    }
}

fn two() -> usize {
    2
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    /// What the model takes the question for.
    pub analysis: Analysis,
    /// The tasks, in the order of their stages.
    pub execution_plan: Vec<PlannedTask>,
    /// Of each stage the tasks, each as a text under the name of its specialist.
    #[schemars(with = "Vec<AnyObject>")]
    pub stages: Vec<Map<String, Value>>,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Analysis {
    /// What is wanted, in one sentence.
    pub intent: String,
    /// What it names.
    pub entities: Entities,
}

/// What a question names, by its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Entities {
    /// Days, years and spans of time.
    pub dates: Vec<String>,
    /// Amounts, numbers and measures.
    pub amounts: Vec<String>,
    /// People, organisations and places.
    pub names: Vec<String>,
    /// Kinds of documents, such as a filing.
    pub documents: Vec<String>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlannedTask {
    /// Its own name.
    pub agent_id: String,
    /// Which specialist has it.
    pub agent_name: String,
    /// What is to be done.
    pub task: String,
    /// The tasks that it waits for.
    pub depends_on: Vec<String>,
    /// In which stage it is done, from 1.
    pub stage: usize,
}

impl Action for PlanTasks {
    const NAME: &'static str = "plan_tasks";
    const FUNCTION: &'static str = "tool-model";
    const DESCRIPTION: &'static str =
        "Has a model divide a question into tasks for specialists, and puts them into stages.";
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        model_task::contract(contract)
    }

    fn rules(params: &Params) -> Vec<Problem> {
        let list = Path::of("specialists");
        let names: Vec<&str> = params.specialists.iter().map(|one| one.name.as_str()).collect();
        let mut first = BTreeSet::new();
        let mut problems = Vec::new();
        for (n, one) in params.specialists.iter().enumerate() {
            if !first.insert(one.name.as_str()) {
                let message = format!("`{}` is in the list twice", one.name);
                let place = list.entry(n).key("name");
                problems.push(Problem::new(place, ProblemKind::NotAChoice, message));
            }
            let seen = one.sees.iter().flatten().enumerate();
            problems.extend(seen.filter(|(_, seen)| !names.contains(&seen.as_str())).map(
                |(at, seen)| {
                    let message = format!("there is no specialist `{seen}`");
                    let place = list.entry(n).key("sees").entry(at);
                    Problem::new(place, ProblemKind::NotAChoice, message)
                },
            ));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Registry;

    #[track_caller]
    fn check(specialists: &Value, expect: &[&str]) {
        let params = json!({ "specialists": specialists, "stages": 2 });
        let Value::Object(params) = params else { panic!() };
        let found = Registry::builtin().rules("plan_tasks", params, &[]);
        let said: Vec<String> =
            found.iter().map(|one| format!("{}: {}", one.path, one.message)).collect();
        assert_eq!(said, expect, "{specialists}");
    }

    #[test]
    fn r_006_specialists_have_names_of_their_own_and_see_each_other_by_name() {
        let one = |name: &str, sees: Value| json!({ "name": name, "description": "Looks.", "sees": sees });
        check(&json!([one("web", json!(["web"])), one("files", Value::Null)]), &[]);
        check(
            &json!([one("web", json!(["press"])), one("web", json!([]))]),
            &[
                "specialists[0].sees[0]: there is no specialist `press`",
                "specialists[1].name: `web` is in the list twice",
            ],
        );
    }
}
