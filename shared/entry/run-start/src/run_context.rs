//! The context of a run that a person starts: no declaration loosens another (K-11).

use countersign_playbook::ValidPlaybook;
use countersign_profile::Profile;
use countersign_run::RunContext;
use countersign_web::{FieldError, Problem};

/// The strictest of the agent's default, the playbook's and the request's, at most `background`.
///
/// # Errors
/// A [`Problem`] when a clock's context is asked for.
pub fn by_hand(
    profile: &Profile,
    playbook: &ValidPlaybook,
    asked: Option<RunContext>,
) -> Result<RunContext, Problem> {
    strictest(profile.spec.default_run_context, playbook.run_context, asked)
}

/// What the answer says when the run is stricter than was asked for.
pub(crate) fn raised(asked: Option<RunContext>, context: RunContext) -> Option<FieldError> {
    let asked = asked.filter(|asked| *asked != context)?;
    let message = format!(
        "`{}` was asked for and the agent or the playbook is stricter: the run is `{}`",
        asked.as_str(),
        context.as_str()
    );
    let hint = "requesters may only sign interactive runs";
    Some(FieldError::new("run_context", message).with_hint(hint))
}

fn strictest(
    profile: RunContext,
    playbook: RunContext,
    asked: Option<RunContext>,
) -> Result<RunContext, Problem> {
    if let Some(clock @ (RunContext::Scheduled | RunContext::Monitor)) = asked {
        let message = format!(
            "must be `interactive` or `background`; only a clock starts a `{}` run",
            clock.as_str()
        );
        return Err(Problem::field("run_context", message));
    }
    Ok(RunContext::by_hand([profile, playbook].into_iter().chain(asked)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use RunContext::{Background, Interactive, Monitor, Scheduled};

    fn check(
        profile: RunContext,
        playbook: RunContext,
        asked: Option<RunContext>,
        expect: RunContext,
    ) {
        assert_eq!(strictest(profile, playbook, asked).unwrap(), expect);
    }

    #[test]
    fn k_11_a_request_cannot_loosen_agent_or_playbook() {
        check(Background, Interactive, Some(Interactive), Background);
        check(Interactive, Background, Some(Interactive), Background);
        check(Interactive, Interactive, Some(Background), Background);
        check(Interactive, Scheduled, None, Background);
        check(Monitor, Interactive, Some(Interactive), Background);
        check(Interactive, Interactive, None, Interactive);
    }

    #[test]
    fn what_is_raised_is_said() {
        assert_eq!(raised(Some(Interactive), Background).unwrap().path, "run_context");
        assert_eq!(raised(Some(Background), Background), None);
        assert_eq!(raised(None, Background), None);
    }

    #[test]
    fn k_11_a_request_is_no_clock() {
        for clock in [Scheduled, Monitor] {
            let problem = strictest(Interactive, Interactive, Some(clock)).unwrap_err();
            assert_eq!((problem.status, problem.errors[0].path.as_str()), (422, "run_context"));
        }
    }
}
