//! What is wrong with a document, and where.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};

use crate::span::Span;

/// How bad a problem is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RelatedPlace")]
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

/// A problem as the REST API sends it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DocumentProblem")]
struct Sent<'p> {
    /// How bad it is.
    severity: Severity,
    /// A stable name, such as `unknown_key`.
    code: &'p str,
    /// The same as `code`.
    rule: &'p str,
    /// What is wrong.
    message: &'p str,
    /// The key or value it concerns, as a JSON pointer.
    pointer: &'p str,
    /// Where that is in the text, when there is one.
    #[serde(flatten)]
    span: Option<Span>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'p str>,
    /// Other places that explain it.
    #[serde(skip_serializing_if = "<[Related]>::is_empty")]
    related: &'p [Related],
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { code, severity, pointer, span, message, hint, related } = self;
        let (severity, span, hint) = (*severity, *span, hint.as_deref());
        Sent { severity, code, rule: code, message, pointer, span, hint, related }
            .serialize(serializer)
    }
}

impl JsonSchema for Problem {
    fn schema_name() -> Cow<'static, str> {
        Sent::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Sent::json_schema(generator)
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
