//! The skill that comes with the system: `research` (F-030, F-174).

use countersign_document::{Rules, Whole};
use countersign_registry::actions::research_with_tools::endpoint_of;
use serde_json::Value;

use crate::spec::{Fields, ProfileSpec, Skill, SkillType};

/// The name of the skill.
const RESEARCH: &str = "research";
/// Its parameter: whether it looks on the web.
const WEB: &str = "web";
/// Its parameter: the endpoints with an effect whose calls it may draft.
const PROPOSES: &str = "proposes";
/// So many endpoints at most: each is described to the model with every question, and has two steps of its own.
const MAX_PROPOSES: usize = 8;
/// The longest additional instructions, in characters, with each brace counted twice: braces are doubled in the playbook that is
/// made for a question, and the task of its model has at most 10,000.
const MAX_ADDITIONS: usize = 9_000;

/// How an agent looks for an answer that none of its playbooks gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Research<'a> {
    /// Whether it looks on the web. Then it is not given what the agent remembers.
    pub is_on_web: bool,
    /// Connectors and their endpoints with an effect whose calls it may draft, for people to sign.
    pub proposes: Vec<(&'a str, &'a str)>,
    /// In so many rounds it may ask for tools.
    pub rounds: u32,
    /// Additional instructions, from `system_prompt_additions`.
    pub additions: Option<&'a str>,
}

impl ProfileSpec {
    /// How the agent researches; none when it does not have that skill, or has it switched off.
    #[must_use]
    pub fn research(&self) -> Option<Research<'_>> {
        let skill = self.skills.iter().find(|skill| skill.enabled && is_research(skill))?;
        let additions = self.system_prompt_additions.as_ref().map(|text| text.trim());
        Some(Research {
            is_on_web: skill.parameters.get(WEB) == Some(&Value::Bool(true)),
            proposes: proposed(skill.parameters.get(PROPOSES)).collect(),
            rounds: self.max_research_rounds.to(),
            additions: additions.filter(|text| !text.is_empty()),
        })
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
    for (name, value) in &skill.parameters {
        let place = format!("/parameters/{}", countersign_document::escaped(name));
        check_parameter((name, value), &place, rules);
    }
    if skill.priority != Whole::default() {
        let message =
            "`priority` has no effect: what a playbook or a call answers is never researched";
        rules.hinted("unavailable", "/priority", message, "leave it out".to_owned());
    }
}

fn check_parameter((name, value): (&str, &Value), place: &str, rules: &mut Rules<'_>) {
    match name {
        WEB if !value.is_boolean() => {
            let hint = "write `true` or `false`".to_owned();
            rules.hinted("parameter", place, "must be true or false", hint);
        }
        WEB => {}
        PROPOSES => check_proposes(value, place, rules),
        _ => {
            let message = format!("`{RESEARCH}` has no parameter `{name}`");
            rules.hinted("parameter", place, message, format!("it has `{WEB}` and `{PROPOSES}`"));
        }
    }
}

/// Which endpoints there are is known where the connectors are, when a question is asked.
fn check_proposes(value: &Value, place: &str, rules: &mut Rules<'_>) {
    let written = value.as_array().map_or(&[][..], Vec::as_slice);
    let is_new = |(n, one): (usize, &Value)| !written[..n].contains(one);
    let is_sound = (1..=MAX_PROPOSES).contains(&written.len())
        && proposed(Some(value)).count() == written.len()
        && written.iter().enumerate().all(is_new);
    if !is_sound {
        let message = format!(
            "must be a list of 1 to {MAX_PROPOSES} different endpoints, each as `connector/endpoint`"
        );
        rules.hinted("parameter", place, message, "write `[slack/post_message]`".to_owned());
    }
}

/// The endpoints that a list names.
fn proposed(list: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    let named = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    named.filter_map(endpoint_of)
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
        let plain = Research { is_on_web: false, proposes: vec![], rounds: 3, additions: None };
        check(json!({ "name": "A" }), None);
        check(agent(&skill(&json!({}), true), &json!({})), Some(plain));
        check(agent(&skill(&json!({}), false), &json!({ "max_research_rounds": 4 })), None);
        let rest = json!({ "max_research_rounds": 5, "system_prompt_additions": " Be brief. " });
        let proposes = vec![("bank", "pay")];
        let more = Research { is_on_web: true, proposes, rounds: 5, additions: Some("Be brief.") };
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
        for wrong in [json!("bank/pay"), json!([]), json!(["bank"]), twice, json!([1]), json!(nine)]
        {
            check(skill(&json!({ "proposes": wrong }), true), &["/skills/0/parameters/proposes"]);
        }
    }
}
