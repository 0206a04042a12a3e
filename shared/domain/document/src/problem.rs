//! What is wrong with a document, and where.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::span::Span;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// The document cannot be used.
    Error,
    /// It can, but probably not as meant.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    /// As in messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Another position that explains a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Related {
    /// Where.
    #[serde(flatten)]
    pub span: Span,
    /// What is there.
    pub label: String,
}

/// One problem. Its `Serialize` is the form of the REST API: `code` is also given as `rule`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A stable name, such as `unknown_key`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// The key or value it concerns, as a JSON pointer.
    pub pointer: String,
    /// Where that is in the text; `None` when there is no text.
    pub span: Option<Span>,
    /// What is wrong, input in backticks.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Other positions that explain it.
    pub related: Vec<Related>,
}

impl Problem {
    /// An error without a position.
    #[must_use]
    pub fn error(
        code: impl Into<String>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: code.into(),
            severity: Severity::Error,
            pointer: pointer.into(),
            span: None,
            message: message.into(),
            hint: None,
            related: Vec::new(),
        }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Option<String>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, span: impl Into<Option<Span>>) -> Self {
        self.span = span.into();
        self
    }

    /// Whether the document cannot be used because of it.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Where it is for a machine: `yaml:3:12`, or the path of keys, such as `skills[0].reference`, when there is no text.
    #[must_use]
    pub fn path(&self) -> String {
        match &self.span {
            Some(span) => format!("yaml:{}:{}", span.line, span.column),
            None => dotted(&self.pointer),
        }
    }

    /// Line and column, both from 1; zeroes when there is no text.
    #[must_use]
    pub fn place(&self) -> (u32, u32) {
        self.span.map_or((0, 0), |span| (span.line, span.column))
    }
}

/// `skills[0].reference` of `/skills/0/reference`.
fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for key in pointer.split('/').skip(1) {
        if key.bytes().all(|b| b.is_ascii_digit()) && !key.is_empty() {
            path.extend(["[", key, "]"]);
        } else {
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(&key.replace("~1", "/").replace("~0", "~"));
        }
    }
    path
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("severity", &self.severity)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("rule", &self.code)?;
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("pointer", &self.pointer)?;
        if let Some(span) = &self.span {
            map.serialize_entry("line", &span.line)?;
            map.serialize_entry("column", &span.column)?;
            map.serialize_entry("length", &span.length)?;
        }
        if let Some(hint) = &self.hint {
            map.serialize_entry("hint", hint)?;
        }
        if !self.related.is_empty() {
            map.serialize_entry("related", &self.related)?;
        }
        map.end()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.span {
            Some(span) => write!(f, "{}:{}: ", span.line, span.column)?,
            None if self.pointer.is_empty() => {}
            None => write!(f, "{}: ", dotted(&self.pointer))?,
        }
        write!(f, "{}[{}]: {}", self.severity.as_str(), self.code, self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, " ({hint})"))
    }
}
