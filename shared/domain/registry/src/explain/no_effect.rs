//! Params that do nothing beside others.

use super::{Path, Problem, ProblemKind};

impl Problem {
    /// A param that does nothing beside others.
    #[must_use]
    pub fn without_effect(param: &str, message: impl Into<String>) -> Self {
        let hint = Some("leave it out".to_owned());
        Self { hint, ..Self::new(Path::of(param), ProblemKind::NoEffect, message) }
    }
}
