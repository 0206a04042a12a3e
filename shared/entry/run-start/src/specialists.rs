//! A question that is divided between specialists: a model plans, each specialist looks for its part with tools of its
//! own, and a model answers from what they found. All of it are steps of one sealed plan: the model that plans chooses which of them
//! are done, with which task, and can add none.

use countersign_playbook::Bindings;
use countersign_profile::{Research, Specialist};
use countersign_registry::actions::model_task::FINDINGS;
use countersign_registry::actions::research_with_tools::{
    ASSIGNMENT, CONFIDENCE, CONVERSATION, endpoint_of,
};
use countersign_registry::{Contract, Reach, Registry};
use countersign_web::Problem;
use countersign_wiring::{literal, literal_text};
use serde_json::{Value, json};

/// The step that divides the question.
const PLAN: &str = "plan";
/// The step that holds the question, and what was asked and answered before: it is written once, and many steps are shown it.
const QUESTION: &str = "question";

/// What every specialist is told.
const TASK: &str = "Several of you look for parts of the answer to a question; it is in the data. Do the `task` of what you are to find out, and only \
                    that, with the tools that you are given; `results` are what others found before, or why they found nothing (`_reason`). In `sources`, name where each statement \
                    comes from: an address, or a tool and the record it gave. What you did not find, say so.";

/// What the model is told that answers.
const ANSWER: &str = "Answer the question in the data from what specialists found for their tasks, which was found before. Put the number of its source \
                      in brackets behind each statement, such as [1]; `sources` has the sources in the order of these numbers, as the \
                      specialists name them. What has no task was not needed; a task without an answer found nothing, and one whose answer is `_missing` \
                      failed, for its `_reason`: say what is therefore not known, and why. `confidence_score` is how sure a specialist says it is, \
                      from 0 to 1; say of what is doubtful that it is. Use nothing else.";

/// A specialist, and where it looks.
struct Member<'a> {
    specialist: &'a Specialist,
    is_on_web: bool,
}

/// The specialists of an agent.
pub(crate) struct Team<'a> {
    members: Vec<Member<'a>>,
    stages: usize,
    rounds: u32,
    additions: Option<&'a str>,
}

impl<'a> Team<'a> {
    /// The specialists of the skill; none when one model answers alone.
    ///
    /// # Errors
    /// A [`Problem`] for a tool that the agent does not have, that no model may ask for, or that does not go with the others.
    pub(crate) fn of(
        research: &'a Research<'a>,
        endpoints: &Bindings,
    ) -> Result<Option<Self>, Problem> {
        if research.specialists.is_empty() {
            return Ok(None);
        }
        let member = |specialist| Member::of(specialist, endpoints);
        Ok(Some(Self {
            members: research.specialists.iter().map(member).collect::<Result<_, _>>()?,
            stages: research.stages,
            rounds: research.rounds,
            additions: research.additions,
        }))
    }

    /// Whether one of them looks on the web: what the model is shown that plans can get there with its tasks.
    pub(crate) fn reaches_web(&self) -> bool {
        self.members.iter().any(|member| member.is_on_web)
    }

    /// Whether all of them look on the web, so that nothing in the answer is from elsewhere.
    pub(crate) fn is_on_web(&self) -> bool {
        self.members.iter().all(|member| member.is_on_web)
    }

    /// The step that divides the question, and those of the specialists, stage by stage.
    pub(crate) fn steps(&self, asked: &Asked) -> Vec<Value> {
        let stages = (1..=self.stages).map(|stage| self.stage(stage, asked));
        [asked.step(self.is_mixed()), self.plan(asked)].into_iter().chain(stages).collect()
    }

    fn plan(&self, asked: &Asked) -> Value {
        let specialists = self.members.iter().map(|member| {
            let name = member.specialist.name.as_str();
            let seen = self.members.iter().filter(|other| member.is_shown(other));
            let seen: Vec<&str> = seen.map(|other| other.specialist.name.as_str()).collect();
            let description = literal_text(&member.specialist.description);
            json!({ "name": name, "description": description, "sees": seen })
        });
        let specialists: Vec<Value> = specialists.collect();
        json!({
            "name": PLAN, "step_type": "tool", "action": "plan_tasks", "on_error": "stop",
            "inputs": { "data": Asked::data(asked.about_for_plan.as_ref(), self.said_for_plan(asked)) },
            "params": { "specialists": specialists, "stages": self.stages },
        })
    }

    /// What the planner is shown of the conversation: where its tasks can get to the web, what a model there would be shown.
    fn said_for_plan(&self, asked: &Asked) -> Option<Value> {
        let field = if self.is_mixed() { "said_on_web" } else { "said" };
        (!asked.said.is_empty()).then(|| of_asked(field))
    }

    /// Whether some look on the web and others do not.
    pub(crate) fn is_mixed(&self) -> bool {
        self.reaches_web() && !self.is_on_web()
    }

    fn stage(&self, stage: usize, asked: &Asked) -> Value {
        let steps = self.members.iter().map(|member| self.look(member, stage, asked));
        let steps: Vec<Value> = steps.collect();
        json!({ "name": format!("stage_{stage}"), "step_type": "tool", "action": "parallel", "parallel_steps": steps })
    }

    /// Without its result the others go on.
    fn look(&self, member: &Member<'_>, stage: usize, asked: &Asked) -> Value {
        let Specialist { name, description, tools, instructions, .. } = member.specialist;
        let name = name.as_str();
        let task = task(name, stage);
        let of = format!("You are `{name}`: {}", description.trim());
        let own = instructions.as_ref().map(|text| text.trim());
        let told = [Some(TASK), Some(&of), own].into_iter().flatten().collect::<Vec<_>>();
        let assigned = json!({
            "task": format!("{{{task}}}"), "entities": format!("{{{PLAN}.analysis.entities}}"),
            "results": self.results(stage, member),
        });
        let data = json!({ "question": of_asked("question"), "today": "{today}" });
        let mut inputs = json!({ "data": data, ASSIGNMENT: assigned });
        let may_know = !member.is_on_web || self.is_on_web();
        if let Some(said) = asked.said().filter(|_| may_know) {
            inputs[CONVERSATION] = said;
        }
        let mut look = json!({
            "name": step(name, stage), "step_type": "llm_task", "action": "research_with_tools",
            "on_error": "skip", "allow_missing": true, "condition": format!("{{{task}}} is defined"),
            "inputs": inputs,
            "params": { "tools": tools, "system_prompt": literal_text(&told.join("\n\n")), "max_rounds": self.rounds },
            "output_schema": { "type": "object", "fields": [
                { "name": "answer", "type": "string", "description": "What was found, in plain text." },
                { "name": "sources", "type": "string[]", "description": "Where its statements come from." },
                { "name": CONFIDENCE, "type": "number", "description": "How sure you are of `answer`, from 0 (not at all) to 1; null where you cannot say." },
            ] },
        });
        for (key, value) in own_settings(member.specialist) {
            look[key] = value;
        }
        look
    }

    /// What a member is shown of the stages before.
    fn results(&self, stage: usize, member: &Member<'_>) -> Value {
        let seen = |other: &&Member<'_>| member.is_shown(other);
        (1..stage)
            .flat_map(|before| {
                self.members.iter().filter(seen).map(move |other| result(other, before))
            })
            .collect()
    }

    /// The step that answers, in these fields.
    pub(crate) fn answer(&self, name: &str, asked: &Asked, fields: &[Value]) -> Value {
        let told = [Some(ANSWER), asked.told, self.additions].into_iter().flatten();
        let told = told.collect::<Vec<_>>().join("\n\n");
        let all = (1..=self.stages)
            .flat_map(|stage| self.members.iter().map(move |one| result(one, stage)));
        let data = Asked::data(asked.about.as_ref(), asked.said());
        json!({
            "name": name, "step_type": "llm_task", "action": "llm_analyze", "on_error": "stop", "allow_missing": true,
            "inputs": { "data": data, FINDINGS: Value::Object(all.collect()) }, "params": { "instructions": literal_text(&told) },
            "output_schema": { "type": "object", "fields": fields },
        })
    }
}

/// What is asked, as it is written in a playbook: nothing in it is a reference.
#[derive(Default)]
pub(crate) struct Asked {
    question: String,
    /// What was asked and answered before.
    said: Vec<Value>,
    /// The same as a model on the web is shown it.
    said_on_web: Vec<Value>,
    /// What whoever asks says of themselves, for the model that answers.
    about: Option<Value>,
    /// The same for the model that plans, whose tasks may get to the web.
    about_for_plan: Option<Value>,
    /// What the model is told of it that answers.
    told: Option<&'static str>,
}

impl Asked {
    pub(crate) fn new(question: &str) -> Self {
        Self { question: literal_text(question), ..Self::default() }
    }

    /// With what was asked and answered before, and the same as a model on the web is shown it.
    pub(crate) fn after(self, said: Vec<Value>, said_on_web: Vec<Value>) -> Self {
        let [said, said_on_web] =
            [said, said_on_web].map(|all| all.into_iter().map(literal).collect());
        Self { said, said_on_web, ..self }
    }

    /// With what whoever asks says of themselves, for the model that answers and for the one that plans, and what is told of it.
    pub(crate) fn by(
        self,
        [about, about_for_plan]: [Option<Value>; 2],
        told: &'static str,
    ) -> Self {
        let told = about.is_some().then_some(told);
        let (about, about_for_plan) = (about.map(literal), about_for_plan.map(literal));
        Self { about, about_for_plan, told, ..self }
    }

    fn step(&self, is_mixed: bool) -> Value {
        let mut asked = json!({ "question": self.question, "said": self.said });
        if is_mixed {
            asked["said_on_web"] = self.said_on_web.clone().into();
        }
        json!({
            "name": QUESTION, "step_type": "tool", "action": "transform_data", "on_error": "stop",
            "inputs": { "data": [asked] }, "params": { "operations": [] },
        })
    }

    fn said(&self) -> Option<Value> {
        (!self.said.is_empty()).then(|| of_asked("said"))
    }

    fn data(about: Option<&Value>, said: Option<Value>) -> Value {
        let mut data = json!({ "question": of_asked("question"), "today": "{today}" });
        if let Some(about) = about {
            data["about_user"] = about.clone();
        }
        if let Some(said) = said {
            data[CONVERSATION] = said;
        }
        data
    }
}

/// What the step holds that says what was asked.
fn of_asked(field: &str) -> Value {
    format!("{{{QUESTION}.data[0].{field}}}").into()
}

impl<'a> Member<'a> {
    fn of(specialist: &'a Specialist, endpoints: &Bindings) -> Result<Self, Problem> {
        let registry = Registry::builtin();
        let mut reads = Vec::new();
        for tool in specialist.tools.iter() {
            let reach = match endpoint_of(tool) {
                Some((connector, endpoint)) => {
                    let contract = endpoints.endpoint(connector, endpoint);
                    let contract = contract.ok_or_else(|| {
                        let hint =
                            "bind the connector to the agent, or change `tools` of the specialist";
                        refused(specialist, tool, "the agent has no such endpoint", hint)
                    })?;
                    if let Some(why) = contract.not_a_tool() {
                        return Err(refused(specialist, tool, why, "leave it out of `tools`"));
                    }
                    Some(contract.reach)
                }
                None => registry.get(tool).and_then(Contract::reach),
            };
            reads.push((tool, reach));
        }
        let with = |wanted: Reach| reads.iter().find(|(_, reach)| *reach == Some(wanted));
        let on_web = with(Reach::Web);
        if let (Some((web, _)), Some((own, _))) = (on_web, with(Reach::Files)) {
            let why = format!(
                "`{web}`, which looks on the web, does not go with what reads what is yours"
            );
            return Err(refused(specialist, own, &why, "give them to two specialists"));
        }
        Ok(Self { specialist, is_on_web: on_web.is_some() })
    }

    /// Whether it is shown what another one finds: from what is not of the web, nothing gets to a model that looks there.
    fn is_shown(&self, other: &Member<'_>) -> bool {
        !self.is_on_web || other.is_on_web
    }
}

/// What a specialist says of its steps: what is left out is as in any step of the agent.
fn own_settings(specialist: &Specialist) -> impl Iterator<Item = (&'static str, Value)> {
    let Specialist { model, temperature, retry_count, backoff_multiplier, timeout_seconds, .. } =
        specialist;
    let settings = [
        ("model", json!(model)),
        ("temperature", json!(temperature)),
        ("retry_count", json!(retry_count)),
        ("backoff_multiplier", json!(backoff_multiplier)),
        ("timeout_seconds", json!(timeout_seconds)),
    ];
    settings.into_iter().filter(|(_, value)| !value.is_null())
}

fn refused(specialist: &Specialist, tool: &str, why: &str, hint: &str) -> Problem {
    let name = &specialist.name;
    let message =
        format!("cannot be researched: the specialist `{name}` has the tool `{tool}`, and {why}");
    Problem::field("query", message).with_hint(hint)
}

/// The step of a specialist in a stage.
fn step(name: &str, stage: usize) -> String {
    format!("ask_{name}_{stage}")
}

/// The task of a specialist in a stage, as a reference without braces.
fn task(name: &str, stage: usize) -> String {
    format!("{PLAN}.stages[{}].{name}", stage - 1)
}

/// What came of it, by its name and stage; null for what it was not asked, and why there is nothing where it failed.
fn result(member: &Member<'_>, stage: usize) -> (String, Value) {
    let name = member.specialist.name.as_str();
    let [answer, sources, confidence] =
        ["answer", "sources", CONFIDENCE].map(|field| format!("{{{}.{field}}}", step(name, stage)));
    let task = format!("{{{}}}", task(name, stage));
    let result =
        json!({ "task": task, "answer": answer, "sources": sources, CONFIDENCE: confidence });
    (format!("{name}_{stage}"), result)
}
