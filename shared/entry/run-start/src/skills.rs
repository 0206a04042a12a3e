//! The skills of an agent: which playbooks it can follow, which one first, and what it gives them (F-174).

use countersign_playbook::ValidPlaybook;
use countersign_profile::{Profile, ProfileSpec, Skill, SkillType};
use countersign_web::Problem;
use serde_json::{Map, Value};

use crate::start::check_inputs;

/// The playbook that an agent follows when none is named: that of the highest priority.
pub(crate) fn first(profile: &Profile) -> Result<&str, Problem> {
    let highest = enabled(&profile.spec).map(|skill| skill.priority).max();
    let first = enabled(&profile.spec).filter(|skill| Some(skill.priority) == highest);
    let names: Vec<&str> = first.map(|skill| skill.reference.as_str()).collect();
    match names.as_slice() {
        [one] => Ok(one),
        [] => Err(Problem::field("playbook", "must be named: this agent has none of its own")),
        many => Err(Problem::field(
            "playbook",
            format!(
                "must be named: these of this agent have the same priority: {}",
                many.join(", ")
            ),
        )),
    }
}

/// A playbook that is switched off for the agent is not followed, also when it is named.
pub(crate) fn allowed(profile: &Profile, playbook: &str) -> Result<(), Problem> {
    match profile.spec.skill_for(playbook) {
        Some(skill) if !skill.enabled => {
            let message = format!("`{playbook}` is switched off for this agent");
            Err(Problem::field("playbook", message).with_hint("set `enabled` of the skill"))
        }
        _ => Ok(()),
    }
}

/// The inputs of a run: what the request gives, else what the agent's skill does. All of them fit the playbook.
pub(crate) fn checked_inputs(
    profile: &Profile,
    playbook: &ValidPlaybook,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Problem> {
    let skill = profile.spec.skill_for(&playbook.id);
    let mut all = skill.map_or_else(Map::new, |it| it.parameters.clone());
    let own: Vec<String> = all.keys().cloned().collect();
    let is_given = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    for (name, value) in given.iter().filter(|(name, _)| is_given(name) || !own.contains(name)) {
        all.insert(name.clone(), value.clone());
    }
    check_inputs(playbook, &all).map_err(|mut problem| {
        for error in &mut problem.errors {
            let name = error.path.trim_start_matches("inputs.");
            if !is_given(name) && own.iter().any(|own| own == name) {
                error.hint =
                    Some("the skill of the agent gives it: change its `parameters`".to_owned());
            }
        }
        problem
    })?;
    Ok(all)
}

/// What a skill gives for the inputs of its playbook; none where the agent has no such skill.
#[must_use]
pub fn given<'s>(spec: &'s ProfileSpec, playbook: &str) -> Option<&'s Map<String, Value>> {
    spec.skill_for(playbook).map(|skill| &skill.parameters)
}

/// The playbooks that the agent may follow.
pub(crate) fn enabled(spec: &ProfileSpec) -> impl Iterator<Item = &Skill> {
    let own = spec.skills.iter().filter(|skill| skill.skill_type == SkillType::Playbook);
    own.filter(|skill| skill.enabled)
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use countersign_playbook::{CompileContext, PlaybookSource, compile};
    use countersign_profile::ProfileId;
    use countersign_registry::Registry;
    use serde_json::json;

    use super::*;

    const PLAYBOOK: &str = "
id: p
name: P
execution_mode: deterministic
inputs:
  - {name: folder, type: string, required: true}
  - {name: most, type: number, required: false}
steps:
  - {name: one, step_type: tool, action: transform_data, inputs: {data: []}, params: {operations: []}}
";

    fn agent(skills: &Value) -> Profile {
        let spec = ProfileSpec::from_json(&json!({"name": "A", "skills": skills})).unwrap();
        let owner = UserId::from_bytes([1; 16]);
        Profile::new(ProfileId::from_bytes([2; 16]), owner, spec, jiff::Timestamp::UNIX_EPOCH)
    }

    fn playbook() -> ValidPlaybook {
        let registry = Registry::builtin();
        let compiled =
            compile(&PlaybookSource::new("p.yaml", PLAYBOOK), &CompileContext::of(&registry));
        compiled.playbook.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
    }

    fn skill(reference: &str, priority: i64, enabled: bool) -> Value {
        json!({"skill_type": "playbook", "reference": reference, "priority": priority, "enabled": enabled})
    }

    fn check_first(skills: &[Value], expect: Result<&str, &str>) {
        let profile = agent(&json!(skills));
        let found = first(&profile).map_err(|problem| problem.errors[0].message.clone());
        assert_eq!(found.as_deref(), expect.map_err(str::to_owned).as_deref(), "{skills:?}");
    }

    #[test]
    fn f_174_the_highest_priority_is_followed_first() {
        let low = || skill("low", 1, true);
        check_first(&[low()], Ok("low"));
        check_first(&[low(), skill("high", 2, true)], Ok("high"));
        check_first(&[low(), skill("high", 2, false)], Ok("low"));
        check_first(&[skill("below", -1, true), skill("usual", 0, true)], Ok("usual"));
        check_first(&[], Err("must be named: this agent has none of its own"));
        let tie = "must be named: these of this agent have the same priority: low, too";
        check_first(&[low(), skill("too", 1, true)], Err(tie));
    }

    #[test]
    fn f_174_a_skill_that_is_switched_off_is_not_followed() {
        let profile = agent(&json!([skill("off", 0, false), skill("on", 0, true)]));
        let status = |id| allowed(&profile, id).err().map(|problem| problem.status);
        assert_eq!([status("off"), status("on"), status("other")], [Some(422), None, None]);
    }

    fn check_inputs_of(parameters: &Value, given: &Value, expect: Result<&Value, &[&str]>) {
        let skill = json!({"skill_type": "playbook", "reference": "p", "parameters": parameters});
        let given = given.as_object().unwrap();
        let found = checked_inputs(&agent(&json!([skill])), &playbook(), given);
        let found = found.map(Value::Object).map_err(|problem| {
            problem.errors.iter().map(|error| error.path.clone()).collect::<Vec<_>>()
        });
        let expect = expect.cloned();
        let expect = expect.map_err(|paths| paths.iter().map(|&it| it.to_owned()).collect());
        assert_eq!(found, expect, "{parameters} {given:?}");
    }

    #[test]
    fn f_174_parameters_fill_what_a_request_leaves_out() {
        let own = json!({"folder": "a", "most": 3});
        check_inputs_of(&own, &json!({}), Ok(&own));
        check_inputs_of(&own, &json!({"most": 4}), Ok(&json!({"folder": "a", "most": 4})));
        check_inputs_of(&own, &json!({"folder": null}), Ok(&own));
        check_inputs_of(&json!({}), &json!({}), Err(&["inputs.folder"]));
        check_inputs_of(&json!({"folder": "a", "year": 1}), &json!({}), Err(&["inputs.year"]));
    }
}
