//! Why a tick came to nothing: for the owner in words, for the log by its code alone.

use countersign_failure::{Class, Failure as _, at_path};
use countersign_registry::action::ActionError;
use countersign_web::Problem;

use crate::error::TickError;

/// Why a monitor cannot look, or the run of its batch cannot start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Why {
    /// The stable code.
    pub(crate) code: String,
    /// The code and what happened. It may name people: it is shown to the owner and not logged.
    pub(crate) said: String,
    /// Whether it does not pass by itself.
    pub(crate) is_lasting: bool,
}

impl Why {
    pub(crate) fn new(code: &str, message: &str) -> Self {
        Self { code: code.to_owned(), said: format!("{code}: {message}"), is_lasting: true }
    }

    /// Neither the monitor nor what it names lets it look.
    pub(crate) fn cannot_look(message: &str) -> Self {
        Self::new("MONITOR_CANNOT_LOOK", message)
    }

    /// A detection step that failed.
    pub(crate) fn of_step(step: &str, error: &ActionError) -> Self {
        let help = error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        let is_lasting = error.class == Class::Terminal;
        let why = Self::new(error.code, &format!("{}{help}", error.message));
        Self { is_lasting, ..why }.in_step(step)
    }

    pub(crate) fn in_step(self, step: &str) -> Self {
        let said = format!("the step `{step}`: {}", self.said);
        Self { said, ..self }
    }

    pub(crate) fn of_problem(problem: &Problem) -> Self {
        let errors = problem.errors.iter().map(|error| at_path(&error.path, &error.message));
        let all: Vec<String> = std::iter::once(problem.detail.clone()).chain(errors).collect();
        // What is used up today is not tomorrow.
        let is_lasting = problem.status != 429;
        Self { is_lasting, ..Self::new(&problem.code, &all.join("; ")) }
    }

    /// What may pass by itself.
    pub(crate) fn of_error(error: &TickError) -> Self {
        Self { is_lasting: false, ..Self::new(error.code(), &error.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use countersign_web::FieldError;

    use super::*;

    #[test]
    fn p_003_the_owner_reads_all_and_the_log_has_the_code() {
        let approver = FieldError::new("approvers", "maria@example.org cannot sign");
        let why = Why::of_problem(&Problem::invalid(vec![approver]));
        assert!(why.said.contains("maria@example.org"), "{why:?}");
        assert_eq!(why.code, "INVALID_INPUT");
        let step = ActionError::terminal("EGRESS_REFUSED", "no address").with_help("look there");
        let why = Why::of_step("look", &step);
        assert_eq!(why.said, "the step `look`: EGRESS_REFUSED: no address; look there");
        assert_eq!((why.code.as_str(), why.is_lasting), ("EGRESS_REFUSED", true));
        let off = ActionError::retryable("HTTP_STATUS", "off");
        assert!(!Why::of_step("look", &off).is_lasting);
    }
}
