//! State machines use only what behaves the same in AWS and in the local stack, and carry ids instead of data.

use serde_json::{Map, Value};

use crate::project::Project;

const TASKS: [&str; 2] =
    ["arn:aws:states:::lambda:invoke", "arn:aws:states:::lambda:invoke.waitForTaskToken"];

/// Everything in a machine that would break in one of the two homes.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    for (file, machine) in &project.machines {
        if machine.get("TimeoutSeconds").is_some() {
            broken.push(format!("`{file}`: no timeout of the whole machine; deadlines are ours"));
        }
        if machine.get("QueryLanguage").and_then(Value::as_str) != Some("JSONata") {
            broken.push(format!("`{file}` is not written in JSONata"));
        }
        states(machine, true, &mut |name, state, outermost| {
            broken.extend(of_state(file, name, state, outermost));
        });
    }
    broken
}

/// What looks at a state: its name, its fields, and whether it stands outside of every Map.
type Look<'a> = dyn FnMut(&str, &Map<String, Value>, bool) + 'a;

fn states(machine: &Value, outermost: bool, see: &mut Look<'_>) {
    for (name, state) in machine.get("States").and_then(Value::as_object).into_iter().flatten() {
        let Some(fields) = state.as_object() else { continue };
        see(name, fields, outermost);
        if let Some(inner) = fields.get("ItemProcessor") {
            states(inner, false, see);
        }
    }
}

fn of_state(file: &str, name: &str, state: &Map<String, Value>, outermost: bool) -> Vec<String> {
    let mut broken = Vec::new();
    let mut refuse = |what: &str| broken.push(format!("`{file}`, state `{name}`: {what}"));
    let kind = state.get("Type").and_then(Value::as_str).unwrap_or_default();
    if kind == "Parallel" {
        refuse("use an inline Map instead of Parallel");
    }
    if state.contains_key("HeartbeatSeconds") {
        refuse("no HeartbeatSeconds");
    }
    if state.get("TimeoutSeconds").is_some_and(Value::is_string) {
        refuse("TimeoutSeconds must be a number");
    }
    if kind == "Task" {
        let resource = state.get("Resource").and_then(Value::as_str).unwrap_or_default();
        if !TASKS.contains(&resource) {
            refuse(&format!("`{resource}` is not one of the integrations both homes know"));
        }
        // Tasks outside of every Map, the begin and the finish, may fail: the execution then ends as failed, and
        // `run-recover` starts the next attempt.
        for needed in ["Retry", "Catch"] {
            if !(state.contains_key(needed) || outermost && needed == "Catch") {
                refuse(&format!("a task needs {needed}: nothing in a machine fails on purpose"));
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::project::Project;
    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    #[track_caller]
    fn check(state: &Value, expect: &[&str]) {
        let inner = json!({ "States": { "S": state } });
        let machine = json!({ "QueryLanguage": "JSONata", "States": { "M": { "Type": "Map", "ItemProcessor": inner } } });
        let project = Project {
            machines: BTreeMap::from([("run".to_owned(), machine)]),
            ..Project::default()
        };
        assert_eq!(broken(&project), expect);
    }

    #[test]
    fn a_task_that_retries_and_catches_passes_wherever_it_stands() {
        check(
            &json!({ "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Retry": [], "Catch": [] }),
            &[],
        );
    }

    #[test]
    fn only_tasks_outside_of_every_map_may_fail() {
        let last = json!({ "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Retry": [], "End": true });
        let machine = json!({ "QueryLanguage": "JSONata", "States": { "Finish": last } });
        let machines = BTreeMap::from([("run".to_owned(), machine)]);
        assert!(broken(&Project { machines, ..Project::default() }).is_empty());
        check(
            &last,
            &["`run`, state `S`: a task needs Catch: nothing in a machine fails on purpose"],
        );
    }

    #[test]
    fn what_differs_between_the_homes_is_refused() {
        check(
            &json!({ "Type": "Parallel" }),
            &["`run`, state `S`: use an inline Map instead of Parallel"],
        );
        check(
            &json!({ "Type": "Wait", "TimeoutSeconds": "{% 1 %}" }),
            &["`run`, state `S`: TimeoutSeconds must be a number"],
        );
        let sdk = json!({ "Type": "Task", "Resource": "arn:aws:states:::aws-sdk:s3:putObject", "Retry": [], "Catch": [] });
        check(
            &sdk,
            &[
                "`run`, state `S`: `arn:aws:states:::aws-sdk:s3:putObject` is not one of the integrations both homes know",
            ],
        );
        let bare =
            json!({ "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Retry": [] });
        check(
            &bare,
            &["`run`, state `S`: a task needs Catch: nothing in a machine fails on purpose"],
        );
    }
}
