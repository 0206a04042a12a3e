//! Problems in a connector's YAML, each with its place.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place in the YAML; both count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The character in the line.
    pub column: u64,
}

/// Whether the connector can be used all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can, but probably not as meant.
    Warning,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Whether the connector can be used all the same.
    pub severity: Severity,
    /// A stable name of the rule, such as `unknown_key`.
    pub rule: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub at: Position,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Diagnostic {
    pub(crate) fn error(rule: &str, at: Position, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            rule: rule.to_owned(),
            message: message.into(),
            at,
            hint: None,
        }
    }

    pub(crate) fn with(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}:{}: {word}[{}]: {}", self.at.line, self.at.column, self.rule, self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

/// Problems being gathered.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    pub(crate) fn error(&mut self, rule: &str, at: Position, message: impl Into<String>) {
        self.push(Diagnostic::error(rule, at, message));
    }

    pub(crate) fn hinted(
        &mut self,
        rule: &str,
        at: Position,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.push(Diagnostic::error(rule, at, message).with(Some(hint.into())));
    }

    pub(crate) fn warning(&mut self, rule: &str, at: Position, message: impl Into<String>) {
        self.push(Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(rule, at, message)
        });
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// In the order of the text.
    pub(crate) fn sorted(mut self) -> Vec<Diagnostic> {
        self.0.sort_by_key(|diagnostic| diagnostic.at);
        self.0
    }
}
