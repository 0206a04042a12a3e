//! Strings with a form of their own: one declaration gives the type, its reader, its schema, its message and its sample.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::words::Wording;

/// Why a string does not have a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    message: String,
    hint: Option<String>,
    follows_key: bool,
}

impl Refused {
    /// A whole message, such as "`x y` is not a tag".
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, follows_key: false }
    }

    /// A message that follows the key it concerns, such as "must start with https://".
    #[must_use]
    pub fn of_key(message: impl Into<String>) -> Self {
        Self { follows_key: true, ..Self::new(message) }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Option<String>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The words about a key, which is given as messages name it.
    #[must_use]
    pub fn about(self, key: &str) -> Wording {
        let message =
            if self.follows_key { format!("{key} {}", self.message) } else { self.message };
        Wording { message, hint: self.hint }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The form of a string.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// Its name in schemas, as their `format`.
    pub format: &'static str,
    /// The code of the problem that a string of another form is.
    pub code: &'static str,
    /// A string of the form. It replaces one that has another form, so that the rest can be checked.
    pub sample: &'static str,
    /// A regular expression for editors. It may accept more than `check`.
    pub pattern: Option<&'static str>,
    /// Whether a string has the form.
    pub check: fn(&str) -> Result<(), Refused>,
}

static FORMS: Mutex<BTreeMap<&'static str, Form>> = Mutex::new(BTreeMap::new());

/// Makes a form known by its name. Schemas name forms, so whatever makes a schema knows the forms in it.
pub fn register(form: Form) {
    FORMS.lock().unwrap_or_else(PoisonError::into_inner).insert(form.format, form);
}

/// The form of this name, when a schema that has it was made.
#[must_use]
pub fn form(format: &str) -> Option<Form> {
    FORMS.lock().unwrap_or_else(PoisonError::into_inner).get(format).copied()
}

/// Every form that is known.
pub(crate) fn forms() -> Vec<Form> {
    FORMS.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
}

/// Declares a string with a form: a newtype with a reader for serde, `Display`, `FromStr`, `AsRef<str>` and a schema.
///
/// ```ignore
/// text_type! {
///     /// One word to find a connector by.
///     pub struct Word { format: "word", code: "word", sample: "a", check: word }
/// }
/// ```
#[macro_export]
macro_rules! text_type {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident {
        format: $format:literal, code: $code:literal, sample: $sample:literal,
        $(pattern: $pattern:expr,)? check: $check:path $(,)?
    })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, $crate::private::serde::Serialize, $crate::private::serde::Deserialize)]
        #[serde(crate = "::countersign_document::private::serde", try_from = "String", into = "String")]
        $vis struct $name(String);

        impl $name {
            /// The string.
            #[must_use]
            $vis fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::Refused;
            fn try_from(text: String) -> Result<Self, $crate::Refused> {
                $check(&text).map(|()| Self(text))
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::Refused;
            fn from_str(text: &str) -> Result<Self, $crate::Refused> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        $crate::text_schema! {
            $name { format: $format, code: $code, sample: $sample, $(pattern: $pattern,)? check: $check }
        }
    )* };
}

/// Gives a type that is read from a string, and that has a reader of its own, the schema of its form.
#[macro_export]
macro_rules! text_schema {
    ($($name:ty {
        format: $format:literal, code: $code:literal, sample: $sample:literal,
        $(pattern: $pattern:expr,)? check: $check:expr $(,)?
    })*) => { $(
        impl $crate::private::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut $crate::private::schemars::SchemaGenerator) -> $crate::private::schemars::Schema {
                let patterns: &[&'static str] = &[$($pattern)?];
                let pattern = patterns.first().copied();
                let form = $crate::Form {
                    format: $format, code: $code, sample: $sample, pattern, check: $check,
                };
                form.schema()
            }
        }
    )* };
}

impl Form {
    /// Its schema. The form is known afterwards.
    #[must_use]
    pub fn schema(self) -> schemars::Schema {
        register(self);
        let mut schema = schemars::json_schema!({ "type": "string", "format": self.format });
        if let Some(pattern) = self.pattern {
            schema.insert("pattern".to_owned(), pattern.into());
        }
        schema
    }
}
