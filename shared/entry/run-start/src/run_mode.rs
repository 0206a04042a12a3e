//! How much a model takes part in a run that a person or a monitor starts (F-132, F-168).

use countersign_playbook::{StepKind, ValidPlaybook};
use countersign_profile::Profile;
use countersign_run::ExecutionMode;
use countersign_web::Problem;

/// What is asked for, else what the playbook says, else the agent's default.
///
/// # Errors
/// A [`Problem`] when the run cannot have that mode.
pub fn of(
    profile: Option<&Profile>,
    playbook: &ValidPlaybook,
    asked: Option<ExecutionMode>,
) -> Result<ExecutionMode, Problem> {
    let default = profile.map(|profile| profile.spec.default_execution_mode);
    let mode = first(asked, playbook.execution_mode, default);
    allowed(mode, calls_model(playbook)).map(|()| mode)
}

/// The mode that an earlier run had, for one that repeats it.
///
/// # Errors
/// A [`Problem`] when a run of the playbook as it is now cannot have that mode.
pub(crate) fn again(
    playbook: &ValidPlaybook,
    mode: ExecutionMode,
) -> Result<ExecutionMode, Problem> {
    allowed(mode, calls_model(playbook)).map(|()| mode)
}

/// The first step that calls a model.
fn calls_model(playbook: &ValidPlaybook) -> Option<&str> {
    let mut steps = playbook.all_steps();
    let step = steps.find(|step| matches!(step.kind, StepKind::Action { llm: true, .. }))?;
    Some(step.name.as_str())
}

fn first(
    asked: Option<ExecutionMode>,
    playbook: Option<ExecutionMode>,
    profile: Option<ExecutionMode>,
) -> ExecutionMode {
    asked.or(playbook).or(profile).unwrap_or_default()
}

/// A run is never started in a mode it cannot have.
fn allowed(mode: ExecutionMode, calls_model: Option<&str>) -> Result<(), Problem> {
    match calls_model {
        Some(step) if mode == ExecutionMode::Deterministic => Err(Problem::field(
            "execution_mode",
            format!("the run would be `deterministic`, and its step `{step}` calls a model"),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ExecutionMode::{Deterministic, Hybrid, LlmAugmented};

    #[test]
    fn f_132_f_168_the_request_comes_before_the_playbook_and_that_before_the_agent() {
        assert_eq!(first(Some(Hybrid), Some(Deterministic), Some(LlmAugmented)), Hybrid);
        assert_eq!(first(None, Some(Deterministic), Some(Hybrid)), Deterministic);
        assert_eq!(first(None, None, Some(Deterministic)), Deterministic);
        assert_eq!(first(None, None, None), Hybrid);
    }

    #[test]
    fn f_183_a_mode_that_the_run_cannot_have_is_refused() {
        let check = |mode, model, fits| {
            let found = allowed(mode, model);
            assert_eq!(found.is_ok(), fits, "{found:?}");
        };
        check(Deterministic, Some("write"), false);
        check(Deterministic, None, true);
        check(Hybrid, Some("write"), true);
    }

    #[test]
    fn f_184_a_request_may_ask_for_the_mode_that_playbooks_may_write() {
        assert!(
            allowed(first(Some(LlmAugmented), Some(Deterministic), None), Some("write")).is_ok()
        );
        assert!(allowed(first(None, Some(LlmAugmented), None), Some("write")).is_ok());
    }
}
