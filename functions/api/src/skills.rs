//! What is wrong with the skills of an agent that is written (F-174).

use countersign_document::{Problem as Found, Severity};
use countersign_identity::UserId;
use countersign_plan::{InputProblem, inputs};
use countersign_playbook::{Bindings, ValidPlaybook};
use countersign_profile::{ProfileError, ProfileId, ProfileSpec, Skill, SkillType};
use countersign_run_start::unanswerable;
use countersign_web::Problem;

use crate::Context;
use crate::routes::profiles::problem;

/// What other documents say of the skills of an agent: a parameter that its playbook does not take is an error. A playbook that is
/// not there yet is a warning, and so are data sources that do not fit the skill `research`; a new agent (`known` is none) has none.
pub(crate) async fn check(
    ctx: &Context,
    owner: &UserId,
    known: Option<&ProfileId>,
    spec: &ProfileSpec,
) -> Result<Vec<Found>, Problem> {
    let mut found = Vec::new();
    let skills = spec.skills.iter().enumerate();
    for (n, skill) in skills.filter(|(_, skill)| skill.skill_type == SkillType::Playbook) {
        let reference = skill.reference.to_string();
        match ctx.catalog.playbooks().get(owner, &reference).await? {
            Some(stored) => found.extend(misfits(n, skill, &stored.playbook)),
            None => found.push(missing(n, &reference)),
        }
    }
    if let Some(n) = spec.skills.iter().position(|skill| skill.enabled && is_built_in(skill)) {
        let endpoints = match known {
            Some(id) => ctx.catalog.endpoints(owner, id.as_str()).await?,
            None => Bindings::none(),
        };
        found.extend(unanswerable(spec, &endpoints).map(|problem| unfit(n, &problem)));
    }
    let (errors, warnings): (Vec<Found>, Vec<Found>) = found.into_iter().partition(Found::is_error);
    if errors.is_empty() { Ok(warnings) } else { Err(problem(&ProfileError::Invalid(errors))) }
}

fn is_built_in(skill: &Skill) -> bool {
    skill.skill_type == SkillType::BuiltIn
}

/// Data sources may be bound later: until then questions are refused with the same words.
fn unfit(n: usize, problem: &Problem) -> Found {
    let why = problem.errors.first().map_or(problem.detail.as_str(), |error| &error.message);
    let message = format!("with the data sources as they are, a question {why}");
    let place = format!("/skills/{n}/parameters");
    let found = Found::error("data_source", place, message);
    Found { severity: Severity::Warning, hint: problem.hint.clone(), ..found }
}

fn missing(n: usize, reference: &str) -> Found {
    let message = format!("there is no playbook `{reference}`: no run can follow it yet");
    let place = format!("/skills/{n}/reference");
    Found { severity: Severity::Warning, ..Found::error("playbook", place, message) }
}

/// The parameters that the playbook refuses. What else it needs, requests give.
fn misfits(n: usize, skill: &Skill, playbook: &ValidPlaybook) -> Vec<Found> {
    let of_skill = |problem: &InputProblem| skill.parameters.contains_key(&problem.name);
    let refused = inputs(playbook, &skill.parameters).err().unwrap_or_default();
    let place =
        |name: &str| format!("/skills/{n}/parameters/{}", countersign_document::escaped(name));
    let found = refused.into_iter().filter(of_skill);
    found.map(|one| Found::error("parameter", place(&one.name), one.problem)).collect()
}

#[cfg(test)]
mod tests {
    use countersign_playbook::{CompileContext, PlaybookSource, compile};
    use countersign_profile::Profile;
    use countersign_registry::Registry;
    use serde_json::{Value, json};

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

    #[test]
    fn f_174_a_parameter_that_the_playbook_does_not_take_is_found_when_it_is_written() {
        let skill = |parameters: Value| {
            let skill =
                json!({"skill_type": "playbook", "reference": "p", "parameters": parameters});
            agent(&json!([skill])).spec.skills[0].clone()
        };
        let found = |parameters| misfits(4, &skill(parameters), &playbook());
        assert_eq!(found(json!({"most": 3})), []);
        let places: Vec<String> =
            found(json!({"most": "many", "year": 1})).iter().map(Found::path).collect();
        assert_eq!(places, ["skills[4].parameters.year", "skills[4].parameters.most"]);
    }
}
