//! The skill that comes with the system: `research` (F-030, F-174).

use countersign_document::{Document, List, Problem, Rules, Text, Whole, read_value};
use countersign_model_list::ModelName;
use countersign_registry::actions::plan_tasks::{MAX_SPECIALISTS, MAX_STAGES};
use countersign_registry::actions::research_with_tools::endpoint_of;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::spec::{Fields, ProfileSpec, Skill, SkillType};
use crate::specialist::{Specialist, check_backoff, check_tools};

/// The name of the skill.
const RESEARCH: &str = "research";
/// So many endpoints at most: each is described to the model with every question, and has two steps of its own.
const MAX_PROPOSES: usize = 8;
/// So many steps of specialists at most: one for each specialist in each stage.
const MAX_STEPS: usize = 12;
/// The longest additional instructions, in characters, with each brace counted twice: braces are doubled in the playbook that is
/// made for a question, and the task of its model has at most 10,000.
const MAX_ADDITIONS: usize = 9_000;

/// The parameters of the skill.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Parameters {
    /// Whether the model looks on the web. Then it is not given what the agent remembers.
    web: bool,
    /// Endpoints with an effect whose calls it may draft, each as `connector/endpoint`, for people to sign.
    proposes: Option<List<Text<200>, 1, MAX_PROPOSES>>,
    /// Models between which a question is divided, each with tools of its own.
    specialists: Option<List<Specialist, 2, MAX_SPECIALISTS>>,
    /// In so many stages they work, one after the other; 2 unless said otherwise.
    stages: Option<Whole<1, 4>>,
}

impl Document for Parameters {
    const KIND: &'static str = "research";

    fn rules(&self, rules: &mut Rules<'_>) {
        self.check_proposes(rules);
        self.check_specialists(rules);
    }
}

impl Parameters {
    /// Which endpoints there are is known where the connectors are, when a question is asked.
    fn check_proposes(&self, rules: &mut Rules<'_>) {
        let written = self.proposes.as_deref().unwrap_or_default();
        for (n, one) in written.iter().enumerate() {
            let place = format!("/proposes/{n}");
            if endpoint_of(one).is_none() {
                let hint = "write `slack/post_message`".to_owned();
                rules.hinted("parameter", &place, "must be `connector/endpoint`", hint);
            }
            if written[..n].contains(one) {
                rules.error("duplicate", &place, format!("`{one}` is in the list already"));
            }
        }
    }

    fn check_specialists(&self, rules: &mut Rules<'_>) {
        let Some(specialists) = self.specialists.as_deref() else {
            if rules.has_key("/stages") {
                let hint = "name `specialists`, or leave it out".to_owned();
                rules.hinted(
                    "unavailable",
                    "/stages",
                    "`stages` has no effect: one model answers alone",
                    hint,
                );
            }
            return;
        };
        if self.web {
            let hint = "give `search_web` and `crawl_url` to one of them".to_owned();
            let message = "`web` has no effect: each specialist has tools of its own";
            rules.hinted("unavailable", "/web", message, hint);
        }
        let steps = specialists.len() * self.stages();
        if steps > MAX_STEPS {
            let message = format!(
                "{} specialists in {} stages are {steps} steps; at most {MAX_STEPS} fit",
                specialists.len(),
                self.stages()
            );
            rules.hinted("out_of_range", "/specialists", message, "use fewer stages".to_owned());
        }
        rules.within("specialists", |rules| {
            for (n, one) in specialists.iter().enumerate() {
                let mut before = specialists[..n].iter().enumerate();
                let is_first = !before.any(|(m, other)| {
                    other.name == one.name && rules.is_sound(&format!("/{m}/name"))
                });
                rules.within(n, |rules| {
                    if !is_first {
                        let message = format!("there is a specialist `{}` already", one.name);
                        rules.error("duplicate", "/name", message);
                    }
                    check_tools(&one.tools, rules);
                    if one.temperature.is_some() && one.model.is_none() && rules.is_sound("/model")
                    {
                        let hint = "name the model, or leave it out".to_owned();
                        let message = "`temperature` has no effect without `model`";
                        rules.hinted("unavailable", "/temperature", message, hint);
                    }
                    check_backoff(one, rules);
                });
            }
        });
    }

    fn stages(&self) -> usize {
        self.stages.map_or(2, Whole::to).clamp(1, MAX_STAGES)
    }
}

/// How an agent looks for an answer that none of its playbooks gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Research<'a> {
    /// Whether it looks on the web. Then it is not given what the agent remembers.
    pub is_on_web: bool,
    /// Endpoints with an effect whose calls it may draft, each as `connector/endpoint`, for people to sign.
    pub proposes: Vec<String>,
    /// Models between which a question is divided; none when one model answers alone.
    pub specialists: Vec<Specialist>,
    /// In so many stages they work.
    pub stages: usize,
    /// In so many rounds a model may ask for tools.
    pub rounds: u32,
    /// Additional instructions, from `system_prompt_additions`.
    pub additions: Option<&'a str>,
}

impl ProfileSpec {
    /// How the agent researches; none when it does not have that skill, or has it switched off.
    #[must_use]
    pub fn research(&self) -> Option<Research<'_>> {
        let skill = self.skills.iter().find(|skill| skill.enabled && is_research(skill))?;
        let parameters = Parameters::deserialize(Value::Object(skill.parameters.clone())).ok()?;
        let additions = self.system_prompt_additions.as_ref().map(|text| text.trim());
        Some(Research {
            is_on_web: parameters.web,
            stages: parameters.stages(),
            proposes: parameters.proposes.into_iter().flatten().map(String::from).collect(),
            specialists: parameters.specialists.into_iter().flatten().collect(),
            rounds: self.max_research_rounds.to(),
            additions: additions.filter(|text| !text.is_empty()),
        })
    }
}

impl ProfileSpec {
    /// Every model that the agent chooses, with the place where it does (F-176).
    #[must_use]
    pub fn models(&self) -> Vec<(String, ModelName)> {
        let own = self
            .model_preference
            .iter()
            .map(|model| ("/model_preference".to_owned(), model.clone()));
        let of_skill = |(at, skill): (usize, &Skill)| {
            let parameters = Parameters::deserialize(Value::Object(skill.parameters.clone()));
            let all =
                parameters.ok().and_then(|of| of.specialists).into_iter().flatten().enumerate();
            let chosen = all.filter_map(move |(n, one)| {
                let place = format!("/skills/{at}/parameters/specialists/{n}/model");
                one.model.map(|model| (place, model))
            });
            chosen.collect::<Vec<_>>()
        };
        let skills = self.skills.iter().enumerate().filter(|(_, skill)| is_research(skill));
        own.chain(skills.flat_map(of_skill)).collect()
    }
}

impl<H, D> Fields<H, D> {
    /// Whether the agent has the skill, switched on or off.
    pub(crate) fn can_research(&self) -> bool {
        self.skills.iter().any(is_research)
    }
}

fn is_research(skill: &Skill) -> bool {
    skill.skill_type == SkillType::BuiltIn && skill.reference.as_str() == RESEARCH
}

/// What is wrong with a built-in skill.
pub(crate) fn check(skill: &Skill, rules: &mut Rules<'_>) {
    let name = skill.reference.as_str();
    if !is_research(skill) {
        let message = format!("there is no built-in skill `{name}`");
        rules.hinted("reference", "/reference", message, format!("there is `{RESEARCH}`"));
        return;
    }
    let read = read_value::<Parameters>(Value::Object(skill.parameters.clone()));
    for problem in read.problems {
        let pointer = format!("/parameters{}", problem.pointer);
        rules.report(Problem { pointer, ..problem });
    }
    if skill.priority != Whole::default() {
        let message =
            "`priority` has no effect: what a playbook or a call answers is never researched";
        rules.hinted("unavailable", "/priority", message, "leave it out".to_owned());
    }
}

/// Reports additional instructions that are too long.
pub(crate) fn check_additions(text: &str, rules: &mut Rules<'_>) {
    let counted = text.chars().count() + text.matches(['{', '}']).count();
    if counted > MAX_ADDITIONS {
        let message = format!(
            "has {counted} characters, with each brace counted twice; at most {MAX_ADDITIONS} fit"
        );
        rules.hinted("out_of_range", "/system_prompt_additions", message, "shorten it".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn agent(skill: &Value, rest: &Value) -> Value {
        let mut agent = json!({ "name": "A", "skills": [skill] });
        agent.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        agent
    }

    fn skill(parameters: &Value, enabled: bool) -> Value {
        json!({ "skill_type": "built_in", "reference": "research", "parameters": parameters, "enabled": enabled })
    }

    #[test]
    fn f_030_f_168_an_agent_says_how_it_researches() {
        let check = |agent: Value, expect: Option<Research<'_>>| {
            let spec = ProfileSpec::from_json(&agent).unwrap();
            assert_eq!(spec.research(), expect, "{agent}");
            let shown = serde_json::to_value(&spec).unwrap();
            assert_eq!(ProfileSpec::from_json(&shown).unwrap(), spec);
        };
        let plain = Research {
            is_on_web: false,
            proposes: vec![],
            specialists: vec![],
            stages: 2,
            rounds: 3,
            additions: None,
        };
        check(json!({ "name": "A" }), None);
        check(agent(&skill(&json!({}), true), &json!({})), Some(plain.clone()));
        check(agent(&skill(&json!({}), false), &json!({ "max_research_rounds": 4 })), None);
        let rest = json!({ "max_research_rounds": 5, "system_prompt_additions": " Be brief. " });
        let proposes = vec!["bank/pay".to_owned()];
        let additions = Some("Be brief.");
        let more = Research { is_on_web: true, proposes, rounds: 5, additions, ..plain };
        let given = json!({ "web": true, "proposes": ["bank/pay"] });
        check(agent(&skill(&given, true), &rest), Some(more));
    }

    fn places(agent: &Value) -> Vec<String> {
        let refused = ProfileSpec::from_json(agent).err();
        let Some(crate::ProfileError::Invalid(problems)) = refused else { return Vec::new() };
        problems.into_iter().map(|one| one.pointer).collect()
    }

    #[test]
    fn f_168_what_is_told_in_addition_fits_into_the_task_of_every_question() {
        let told = |text: String| {
            places(&agent(&skill(&json!({}), true), &json!({ "system_prompt_additions": text })))
        };
        assert_eq!(told("a".repeat(8_000)), [""; 0]);
        assert_eq!(told("{".repeat(4_500)), [""; 0]);
        assert_eq!(told("{".repeat(4_501)), ["/system_prompt_additions"]);
    }

    #[test]
    fn f_174_a_built_in_skill_that_there_is_not_is_refused_with_its_parameters() {
        let check = |skill: Value, expect: &[&str]| {
            assert_eq!(places(&agent(&skill, &json!({}))), expect, "{skill}");
        };
        let builder = json!({ "skill_type": "built_in", "reference": "knowledge_builder" });
        check(builder, &["/skills/0/reference"]);
        check(skill(&json!({ "web": "yes" }), true), &["/skills/0/parameters/web"]);
        let first = json!({ "skill_type": "built_in", "reference": "research", "priority": 1 });
        check(first, &["/skills/0/priority"]);
        check(skill(&json!({ "a/b": 1 }), true), &["/skills/0/parameters/a~1b"]);
        let nine: Vec<String> = (0..9).map(|n| format!("bank/pay_{n}")).collect();
        let twice = json!(["a/b", "a/b"]);
        for (wrong, entry) in [
            (json!("bank/pay"), ""),
            (json!([]), ""),
            (json!(["bank"]), "/0"),
            (twice, "/1"),
            (json!([1]), "/0"),
            (json!(nine), ""),
        ] {
            let place = format!("/skills/0/parameters/proposes{entry}");
            check(skill(&json!({ "proposes": wrong }), true), &[&place]);
        }
    }

    fn specialist(name: &str, tools: &[&str]) -> Value {
        json!({ "name": name, "description": "Looks.", "tools": tools })
    }

    #[test]
    fn r_005_r_034_specialists_have_names_and_tools_of_their_own() {
        let check = |parameters: &Value, expect: &[&str]| {
            let found = places(&agent(&skill(parameters, true), &json!({})));
            let expect: Vec<String> =
                expect.iter().map(|place| format!("/skills/0/parameters{place}")).collect();
            assert_eq!(found, expect, "{parameters}");
        };
        let files = || specialist("files", &["read_file", "bank/due", "transform_data"]);
        let web = || specialist("web", &["search_web", "crawl_url", "bank/due"]);
        check(&json!({ "specialists": [files(), web()], "stages": 4 }), &[]);
        check(&json!({ "specialists": [files()] }), &["/specialists"]);
        check(&json!({ "specialists": [web(), web()] }), &["/specialists/1/name"]);
        check(&json!({ "stages": 2 }), &["/stages"]);
        let mut warm = files();
        warm["temperature"] = json!(0.5);
        let places = ["/specialists/0/temperature"];
        check(&json!({ "specialists": [warm.clone(), web()] }), &places);
        warm["model"] = json!("openai/a");
        check(&json!({ "specialists": [warm, web()] }), &[]);
        let mut slow = files();
        slow["retry_count"] = json!(6);
        slow["timeout_seconds"] = json!(297);
        let places = ["/specialists/0/retry_count", "/specialists/0/timeout_seconds"];
        check(&json!({ "specialists": [slow.clone(), web()] }), &places);
        slow["retry_count"] = json!(5);
        slow["timeout_seconds"] = json!(296);
        check(&json!({ "specialists": [slow.clone(), web()] }), &[]);
        let paused = |retries: u32, multiplier: Value| {
            let (mut one, retry_count) = (slow.clone(), json!(retries));
            one["retry_count"] = retry_count;
            one["backoff_multiplier"] = multiplier;
            json!({ "specialists": [one, web()] })
        };
        let place = ["/specialists/0/backoff_multiplier"];
        check(&paused(3, json!(10)), &[]);
        check(&paused(5, json!(3)), &[]);
        check(&paused(4, json!(10)), &["/specialists/0/retry_count"]);
        check(&paused(5, json!(4)), &["/specialists/0/retry_count"]);
        for (retries, multiplier) in [(1, json!(3)), (2, json!(0)), (2, json!(11)), (2, json!(1.5))]
        {
            check(&paused(retries, multiplier), &place);
        }
        check(&json!({ "web": true, "specialists": [files(), web()] }), &["/web"]);
        let many: Vec<Value> =
            (0..5).map(|n| specialist(&format!("a{n}"), &["read_file"])).collect();
        check(&json!({ "specialists": many, "stages": 3 }), &["/specialists"]);
        let wrong = [
            specialist("Press", &["search_web"]),
            specialist("a", &["search_web", "match_entities"]),
            specialist("b", &["send_notification", "read_fil", "a/b/c"]),
        ];
        check(
            &json!({ "specialists": wrong }),
            &[
                "/specialists/0/name",
                "/specialists/1/tools/1",
                "/specialists/2/tools/0",
                "/specialists/2/tools/1",
                "/specialists/2/tools/2",
            ],
        );
    }
}
