//! From the tasks that a model wrote to stages: every task behind those that it waits for (R-038…R-040), and a specialist with one
//! task in each stage.

use std::collections::{BTreeMap, BTreeSet};

use countersign_registry::actions::plan_tasks::{Analysis, Entities, Output, Params, PlannedTask};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The longest name of a task, characters.
const MAX_ID: usize = 40;
/// The longest task, characters.
const MAX_TASK: usize = 4_000;
/// How many problems are told.
const TOLD: usize = 10;

/// The answer of the model. Null stands for what it did not say.
#[derive(Debug, Deserialize)]
struct Written {
    analysis: Option<WrittenAnalysis>,
    execution_plan: Option<Vec<WrittenTask>>,
}

#[derive(Debug, Default, Deserialize)]
struct WrittenAnalysis {
    intent: Option<String>,
    entities: Option<WrittenEntities>,
}

/// A list as a model writes it.
type Texts = Option<Vec<Option<String>>>;

#[derive(Debug, Default, Deserialize)]
struct WrittenEntities {
    dates: Texts,
    amounts: Texts,
    names: Texts,
    documents: Texts,
}

#[derive(Debug, Deserialize)]
struct WrittenTask {
    agent_id: Option<String>,
    agent_name: Option<String>,
    task: Option<String>,
    depends_on: Texts,
}

/// The output that an answer in the declared form is, or everything that is wrong with it as a plan.
pub(crate) fn output(answer: Value, params: &Params) -> Result<Value, String> {
    let written: Written = serde_json::from_value(answer).map_err(|error| error.to_string())?;
    let tasks = tasks(written.execution_plan.unwrap_or_default());
    let problems = problems(&tasks, params);
    if !problems.is_empty() {
        return Err(told(problems));
    }
    let execution_plan = arranged(tasks, params.stages)?;
    let WrittenAnalysis { intent, entities } = written.analysis.unwrap_or_default();
    let analysis = Analysis {
        intent: intent.unwrap_or_default(),
        entities: named(entities.unwrap_or_default()),
    };
    let stages = stages(&execution_plan, params.stages);
    let output = Output { analysis, execution_plan, stages };
    serde_json::to_value(output).map_err(|error| error.to_string())
}

fn named(written: WrittenEntities) -> Entities {
    let texts = |texts: Texts| texts.into_iter().flatten().flatten().collect();
    let [dates, amounts, names, documents] =
        [written.dates, written.amounts, written.names, written.documents].map(texts);
    Entities { dates, amounts, names, documents }
}

fn tasks(written: Vec<WrittenTask>) -> Vec<PlannedTask> {
    let text = |text: Option<String>| text.unwrap_or_default().trim().to_owned();
    let task = |of: WrittenTask| PlannedTask {
        agent_id: text(of.agent_id),
        agent_name: text(of.agent_name),
        task: text(of.task),
        depends_on: of.depends_on.into_iter().flatten().map(text).collect(),
        stage: 0,
    };
    written.into_iter().map(task).collect()
}

fn told(mut problems: Vec<String>) -> String {
    let more = problems.len().saturating_sub(TOLD);
    problems.truncate(TOLD);
    problems.extend((more > 0).then(|| format!("and {more} more")));
    problems.join("; ")
}

/// What is wrong with single tasks, each at its place. Nothing of the answer is quoted but names that there are.
fn problems(tasks: &[PlannedTask], params: &Params) -> Vec<String> {
    if tasks.is_empty() {
        return vec!["`execution_plan` is empty: at least one task is needed".to_owned()];
    }
    let owners: BTreeMap<&str, &str> =
        tasks.iter().map(|task| (task.agent_id.as_str(), task.agent_name.as_str())).collect();
    let is_known = |name: &str| params.specialists.iter().any(|one| one.name == name);
    let mut ids = BTreeSet::new();
    let mut found = Vec::new();
    for (n, task) in tasks.iter().enumerate() {
        let at = |field: &str| format!("`execution_plan[{n}].{field}`");
        if task.agent_id.is_empty() || task.agent_id.chars().count() > MAX_ID {
            found.push(format!("{} must have 1 to {MAX_ID} characters", at("agent_id")));
        } else if !ids.insert(task.agent_id.as_str()) {
            found.push(format!("{} is the name of an earlier task", at("agent_id")));
        }
        if task.task.is_empty() || task.task.chars().count() > MAX_TASK {
            found.push(format!("{} must have 1 to {MAX_TASK} characters", at("task")));
        }
        let Some(who) = params.specialists.iter().find(|one| one.name == task.agent_name) else {
            let names: Vec<&str> = params.specialists.iter().map(|one| one.name.as_str()).collect();
            found.push(format!("{} must be one of {}", at("agent_name"), names.join(", ")));
            continue;
        };
        for (m, other) in task.depends_on.iter().enumerate() {
            let place = at(&format!("depends_on[{m}]"));
            match owners.get(other.as_str()) {
                None => found.push(format!("{place} is the `agent_id` of no task")),
                Some(owner) if is_known(owner) && !who.sees(owner) => {
                    found
                        .push(format!("{place}: `{}` is not shown what `{owner}` finds", who.name));
                }
                Some(_) => {}
            }
        }
    }
    found
}

/// The same tasks with their stages, in this order. Each is in the first stage behind those that it waits for in which its
/// specialist has nothing else to do.
fn arranged(mut left: Vec<PlannedTask>, stages: usize) -> Result<Vec<PlannedTask>, String> {
    let mut done: Vec<PlannedTask> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let stage_of = |id: &String| done.iter().find(|task| task.agent_id == *id).map(|t| t.stage);
        let is_ready = |task: &PlannedTask| task.depends_on.iter().all(|id| stage_of(id).is_some());
        let Some(at) = left.iter().position(is_ready) else {
            return Err("the tasks wait for each other in a circle (`depends_on`)".to_owned());
        };
        let task = left.remove(at);
        let after = task.depends_on.iter().filter_map(stage_of).max().unwrap_or_default();
        let is_free = |stage: &usize| {
            !done.iter().any(|one| one.agent_name == task.agent_name && one.stage == *stage)
        };
        let stage = (after + 1..=stages).find(is_free).ok_or_else(|| {
            format!(
                "the tasks need more than {stages} stages: give fewer, let fewer depend on each other, or put those of `{}` together",
                task.agent_name
            )
        })?;
        done.push(PlannedTask { stage, ..task });
    }
    done.sort_by_key(|task| task.stage);
    Ok(done)
}

fn stages(tasks: &[PlannedTask], stages: usize) -> Vec<Map<String, Value>> {
    let of = |stage: usize| {
        let tasks = tasks.iter().filter(|task| task.stage == stage);
        tasks.map(|task| (task.agent_name.clone(), task.task.clone().into())).collect()
    };
    (1..=stages).map(of).collect()
}

#[cfg(test)]
mod tests {
    use countersign_registry::actions::plan_tasks::Specialist;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn params(stages: usize) -> Params {
        let one = |name: &str, sees: Option<&str>| Specialist {
            name: name.to_owned(),
            description: "Looks.".to_owned(),
            sees: sees.map(|name| vec![name.to_owned()]),
        };
        Params { specialists: vec![one("files", None), one("web", Some("web"))], stages }
    }

    fn task(id: &str, who: &str, after: &[&str]) -> Value {
        json!({ "agent_id": id, "agent_name": who, "task": format!("Do {id}."), "depends_on": after })
    }

    fn planned(tasks: &Value, stages: usize) -> Result<Value, String> {
        let entities = json!({ "dates": null, "amounts": [], "names": ["Owl Fund", null], "documents": ["filing"] });
        let analysis = json!({ "intent": null, "entities": entities });
        output(json!({ "analysis": analysis, "execution_plan": tasks }), &params(stages))
    }

    #[track_caller]
    fn refused(tasks: &Value, expect: &[&str]) {
        let said = planned(tasks, 2).unwrap_err();
        for part in expect {
            assert!(said.contains(part), "`{part}` is not in {said}");
        }
    }

    #[test]
    fn r_020_r_038_r_040_tasks_stand_behind_those_that_they_wait_for() {
        let diamond = json!([
            task("last", "files", &["a", "b"]),
            task("a", "files", &["first"]),
            task("b", "web", &["first"]),
            task("first", "web", &[]),
        ]);
        let output = planned(&diamond, 3).unwrap();
        let stages = json!([
            { "web": "Do first." },
            { "files": "Do a.", "web": "Do b." },
            { "files": "Do last." },
        ]);
        assert_eq!(output["stages"], stages);
        let entities =
            json!({ "dates": [], "amounts": [], "names": ["Owl Fund"], "documents": ["filing"] });
        assert_eq!(output["analysis"], json!({ "intent": "", "entities": entities }));
        assert_eq!(output["execution_plan"][0]["agent_id"], "first");
    }

    #[test]
    fn r_038_a_specialist_has_one_task_at_a_time() {
        let two = json!([task("a", "web", &[]), task("b", "web", &[])]);
        let output = planned(&two, 2).unwrap();
        assert_eq!(output["stages"], json!([{ "web": "Do a." }, { "web": "Do b." }]));
    }

    #[test]
    fn r_039_a_plan_that_cannot_be_carried_out_is_refused_with_its_places() {
        refused(&json!([]), &["at least one task"]);
        let circle = json!([task("a", "files", &["b"]), task("b", "files", &["a"])]);
        refused(&circle, &["in a circle"]);
        refused(&json!([task("a", "files", &["a"])]), &["in a circle"]);
        let chain =
            json!([task("a", "web", &[]), task("b", "web", &["a"]), task("c", "web", &["b"])]);
        refused(&chain, &["more than 2 stages"]);
        let wrong = json!([
            task("a", "pay", &[]),
            task("a", "files", &["x"]),
            task("", "files", &[]),
            { "agent_id": "d", "agent_name": "web", "task": null, "depends_on": ["a"] },
        ]);
        refused(
            &wrong,
            &[
                "`execution_plan[0].agent_name` must be one of files, web",
                "`execution_plan[1].agent_id` is the name of an earlier task",
                "`execution_plan[1].depends_on[0]` is the `agent_id` of no task",
                "`execution_plan[2].agent_id` must have 1 to 40 characters",
                "`execution_plan[3].task` must have 1 to 4000 characters",
            ],
        );
    }

    #[test]
    fn k_44_who_looks_on_the_web_waits_for_nobody_who_reads_what_is_the_owners() {
        let tasks = json!([task("a", "files", &[]), task("b", "web", &["a"])]);
        refused(
            &tasks,
            &["`execution_plan[1].depends_on[0]`: `web` is not shown what `files` finds"],
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Of any tasks that wait for earlier ones: either none is placed, or each once, behind what it waits for, alone in its stage.
        #[test]
        fn r_039_r_041_stages_hold_what_was_asked_for(
            written in prop::collection::vec((0_usize..2, prop::collection::vec(0_usize..6, 0..3)), 1..6), stages in 1_usize..5,
        ) {
            let id = |n: usize| format!("t{n}");
            let tasks: Vec<PlannedTask> = written.iter().enumerate().map(|(n, (who, after))| PlannedTask {
                agent_id: id(n), agent_name: ["files", "web"][*who].to_owned(), task: id(n), stage: 0,
                depends_on: after.iter().filter(|m| **m < n).map(|m| id(*m)).collect(),
            }).collect();
            let Ok(arranged) = arranged(tasks.clone(), stages) else {
                let alone = |who: &str| tasks.iter().filter(|task| task.agent_name == who).count();
                prop_assert!(stages < tasks.len() || alone("files").max(alone("web")) > stages);
                return Ok(());
            };
            prop_assert_eq!(arranged.len(), tasks.len());
            let stage = |id: &str| arranged.iter().find(|task| task.agent_id == id).unwrap().stage;
            let places: BTreeSet<(&str, usize)> = arranged.iter().map(|task| (task.agent_name.as_str(), task.stage)).collect();
            prop_assert_eq!(places.len(), tasks.len());
            for task in &arranged {
                prop_assert!((1..=stages).contains(&task.stage));
                prop_assert!(task.depends_on.iter().all(|other| stage(other) < task.stage));
            }
        }
    }
}
