//! Problems with their place.

use countersign_document::Problem;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A stretch of the source.
pub use countersign_document::Span as Place;
pub use countersign_document::{Related, Severity};

/// A playbook as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookSource {
    /// What to call it in messages: a path, or the playbook's id.
    pub origin: String,
    /// The YAML.
    pub text: String,
}

impl PlaybookSource {
    /// A source.
    #[must_use]
    pub fn new(origin: impl Into<String>, text: impl Into<String>) -> Self {
        Self { origin: origin.into(), text: text.into() }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal $severity:ident $kind:literal,)*) => {
        /// The kinds of problems. The codes are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The code, such as `P014`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The kind with this code.
            #[must_use]
            pub fn parse(code: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == code)
            }

            /// How bad it is.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// The `error_type` or `warning_type` of F-166; empty for what has none.
            #[must_use]
            pub fn kind(self) -> &'static str {
                match self { $(Self::$name => $kind,)* }
            }
        }
    };
}

codes! {
    /// Not YAML, or too large.
    Syntax = "P001" Error "type_mismatch",
    /// A key that means nothing here.
    UnknownKey = "P002" Error "unresolved_reference",
    /// A key that must be there.
    MissingKey = "P003" Error "missing_required",
    /// A text where a list belongs, and the like.
    WrongShape = "P004" Error "type_mismatch",
    /// Not one of the words allowed.
    NotAChoice = "P005" Error "type_mismatch",
    /// Too small, too large, too long, too many.
    OutOfRange = "P006" Error "type_mismatch",
    /// Not a name.
    InvalidName = "P007" Error "type_mismatch",
    /// The same key or name twice, or one key for every item.
    Duplicate = "P008" Error "unresolved_reference",
    /// A name that could mean two things (K-55).
    Ambiguous = "P009" Error "unresolved_reference",
    /// No such action.
    UnknownAction = "P010" Error "unresolved_reference",
    /// A connector that is not bound to the profile (rule 5).
    NotBound = "P011" Error "unresolved_reference",
    /// No such endpoint.
    UnknownEndpoint = "P012" Error "unresolved_reference",
    /// A required input without a value (rule 1).
    MissingInput = "P013" Error "missing_required",
    /// Types that do not fit (rule 2).
    TypeMismatch = "P014" Error "type_mismatch",
    /// No such step or variable, or an item outside its step (rule 3).
    UnknownStep = "P015" Error "nonexistent_step",
    /// No such field (rule 3).
    UnknownField = "P016" Error "unresolved_reference",
    /// A step that comes later, or beside (rule 3).
    NotEarlier = "P017" Error "unresolved_reference",
    /// Steps that need each other (rule 4).
    Cycle = "P018" Error "unresolved_reference",
    /// A step's result, or an item, among the settings (K-52).
    StepInParams = "P019" Error "unresolved_reference",
    /// A malformed reference.
    BadReference = "P020" Error "unresolved_reference",
    /// A malformed condition.
    BadCondition = "P021" Error "unresolved_reference",
    /// A model in deterministic mode (K-58).
    ModelForbidden = "P022" Error "type_mismatch",
    /// An `llm_task` without `output_schema` (rule 6).
    SchemaMissing = "P023" Error "missing_required",
    /// `auto_approve` where it is not allowed (K-11).
    AutoApproveForbidden = "P024" Error "type_mismatch",
    /// A pattern that is not a regular expression.
    BadPattern = "P025" Error "type_mismatch",
    /// A step, or `for_each`, where it cannot stand.
    Misplaced = "P026" Error "type_mismatch",
    /// A gate with `assurance: link` before an irreversible step (K-06).
    LinkBeforeEffect = "P030" Error "type_mismatch",
    /// A conversion that may fail or surprise.
    LooseTypeCoercion = "P101" Warning "loose_type_coercion",
    /// A result nobody uses.
    UnusedOutput = "P102" Warning "unused_output",
    /// Many steps that need each other.
    LongChain = "P103" Warning "long_chain",
    /// A failure is skipped although a later effect depends on it (K-50).
    SkipBeforeEffect = "P104" Warning "",
    /// Connectors were not checked.
    BindingsUnknown = "P105" Warning "",
    /// An irreversible step without a gate before it: it asks for its own signature.
    OwnSignature = "P106" Note "",
    /// A gate that ends before most people read their mail (K-16).
    ShortDeadline = "P107" Warning "",
    /// `auto_approve`, which opens no gate when a playbook says it.
    AutoApproveUnused = "P108" Warning "",
    /// A column of a gate that no row it shows has.
    UnknownColumn = "P109" Warning "",
    /// An approver who cannot sign.
    CannotSign = "P111" Warning "",
    /// An input that nothing uses.
    UnusedInput = "P112" Warning "",
    /// Monitors that look with the playbook do not find what came since they looked last, or cannot look any more.
    LooksAnew = "P113" Warning "",
    /// A gate with `assurance: link` whose agent's connectors make a step behind it irreversible.
    LinkRaised = "P110" Warning "",
    /// A key that does nothing where it is written.
    NoEffect = "P114" Warning "",
    /// A comparison that the types of its sides decide.
    Settled = "P115" Warning "",
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookDiagnostic")]
pub struct Diagnostic {
    /// What kind, such as `P014`.
    #[schemars(with = "String")]
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// What is wrong, lower case, input in backticks.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// The step it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The key it concerns, as a path below the step or the playbook.
    pub field: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Other places that explain it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// A problem at a place.
    #[must_use]
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            place,
            step: None,
            field: String::new(),
            hint: None,
            related: Vec::new(),
        }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says what to do, if it is known.
    #[must_use]
    pub(crate) fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// Adds a place.
    #[must_use]
    pub(crate) fn see(mut self, place: Place, label: impl Into<String>) -> Self {
        self.related.push(Related { span: place, label: label.into() });
        self
    }

    /// The same as a problem of any document.
    pub(crate) fn problem(&self) -> Problem {
        Problem {
            code: self.code.as_str().to_owned(),
            severity: self.severity,
            pointer: String::new(),
            span: Some(self.place),
            message: self.message.clone(),
            hint: self.hint.clone(),
            related: self.related.clone(),
        }
    }

    /// Whether the playbook cannot run because of it.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// What is known about one step (F-166).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookStepReport")]
pub struct StepReport {
    /// The step.
    pub step_name: String,
    /// Whether it has no errors.
    pub is_valid: bool,
    /// What must be changed.
    pub errors: Vec<StepError>,
    /// What may surprise.
    pub warnings: Vec<StepWarning>,
}

/// An error of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookStepError")]
pub struct StepError {
    /// The key.
    pub field: String,
    /// What kind.
    #[schemars(extend("enum" = ["unresolved_reference", "type_mismatch", "missing_required", "nonexistent_step"]))]
    pub error_type: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
}

/// A warning of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookStepWarning")]
pub struct StepWarning {
    /// The key.
    pub field: String,
    /// What kind.
    #[schemars(extend("enum" = ["loose_type_coercion", "unused_output", "long_chain"]))]
    pub warning_type: &'static str,
    /// What may surprise.
    pub message: String,
}

impl StepReport {
    /// The report of one step out of all diagnostics.
    pub(crate) fn of(step: &str, diagnostics: &[Diagnostic]) -> Self {
        let own =
            || diagnostics.iter().filter(|diagnostic| diagnostic.step.as_deref() == Some(step));
        let errors: Vec<StepError> = own().filter(|d| d.is_error()).map(StepError::of).collect();
        let warnings =
            own().filter(|d| d.severity == Severity::Warning && !d.code.kind().is_empty());
        Self {
            step_name: step.to_owned(),
            is_valid: errors.is_empty(),
            errors,
            warnings: warnings.map(StepWarning::of).collect(),
        }
    }
}

impl StepError {
    fn of(d: &Diagnostic) -> Self {
        Self {
            field: d.field.clone(),
            error_type: d.code.kind(),
            message: d.message.clone(),
            suggested_fix: d.hint.clone(),
        }
    }
}

impl StepWarning {
    fn of(d: &Diagnostic) -> Self {
        Self { field: d.field.clone(), warning_type: d.code.kind(), message: d.message.clone() }
    }
}
