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

/// Problems being gathered, and the text they are in.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    found: Vec<Diagnostic>,
    lines: Vec<String>,
}

impl Diagnostics {
    /// Problems of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self { found: Vec::new(), lines: text.lines().map(str::to_owned).collect() }
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// The place of a byte of a value that stands at `at` over several lines. It is `at` itself when the value does not
    /// stand in the text line for line, as a folded one does not.
    pub(crate) fn inside(&self, at: Position, value: &str, offset: usize) -> Position {
        let before = value.get(..offset).unwrap_or(value);
        let lines: Vec<&str> = value.trim_end().lines().collect();
        let wanted = before.matches('\n').count().min(lines.len().saturating_sub(1));
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let first = usize::try_from(at.line).unwrap_or(1);
        // On the line of the key, or on the line below `|`.
        for start in [first.saturating_sub(1), first] {
            if let Some(indent) =
                self.indents(start, &lines).and_then(|all| all.get(wanted).copied())
            {
                let shown = lines.get(wanted).map_or(0, |line| line.chars().count());
                return Position {
                    line: (start + wanted + 1) as u64,
                    column: (indent + column.min(shown) + 1) as u64,
                };
            }
        }
        at
    }

    /// How far each line of a value stands from the left, when the text has all of them from line `start`.
    fn indents(&self, start: usize, lines: &[&str]) -> Option<Vec<usize>> {
        let mut indents = Vec::with_capacity(lines.len());
        for (number, line) in lines.iter().enumerate() {
            let source = self.lines.get(start + number)?;
            let byte = source.find(line)?;
            indents.push(source[..byte].chars().count());
        }
        (!lines.is_empty()).then_some(indents)
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
        self.found.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// In the order of the text.
    pub(crate) fn sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|diagnostic| diagnostic.at);
        self.found
    }
}
