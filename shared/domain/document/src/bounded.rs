//! Strings within bounds.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::text::{Form, Refused};

/// A string of at most `MAX` characters that is not blank.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize>(String);

/// A string of at most `MAX` characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct MaybeBlank<const MAX: usize>(String);

/// The form of a string that is not blank.
const FILLED: Form = Form {
    format: "filled",
    code: "empty",
    sample: "a",
    pattern: Some(r"\S"),
    check: |text| if is_blank(text) { Err(Refused::of_key("is empty")) } else { Ok(()) },
};

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn is_long(text: &str, max: usize) -> bool {
    // A character has at most four bytes.
    text.len() > max && text.chars().count() > max
}

macro_rules! bounded {
    ($name:ident, $refuses_blank:literal, $schema:expr) => {
        impl<const MAX: usize> $name<MAX> {
            /// The string.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<const MAX: usize> Deref for $name<MAX> {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<const MAX: usize> fmt::Display for $name<MAX> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<const MAX: usize> From<$name<MAX>> for String {
            fn from(text: $name<MAX>) -> Self {
                text.0
            }
        }

        impl<'de, const MAX: usize> Deserialize<'de> for $name<MAX> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                if is_long(&text, MAX) {
                    return Err(D::Error::custom(format!("is longer than {MAX} characters")));
                }
                if $refuses_blank && is_blank(&text) {
                    return Err(D::Error::custom("is empty"));
                }
                Ok(Self(text))
            }
        }

        impl<const MAX: usize> JsonSchema for $name<MAX> {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema: Schema = $schema;
                schema.insert("maxLength".to_owned(), MAX.into());
                schema
            }
        }
    };
}

bounded!(Text, true, FILLED.schema());
bounded!(MaybeBlank, false, schemars::json_schema!({ "type": "string" }));

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MaybeBlank, Text};
    use crate::{Document, read_value};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its form matters here")]
    struct Note {
        title: Text<3>,
        #[serde(default)]
        body: MaybeBlank<3>,
    }

    impl Document for Note {
        const KIND: &'static str = "note";
    }

    fn check(title: &str, body: &str, expect: &[(&str, &str)]) {
        let reading = read_value::<Note>(json!({ "title": title, "body": body }));
        let told: Vec<(String, &str)> =
            reading.problems.iter().map(|found| (found.path(), found.message.as_str())).collect();
        let told: Vec<(&str, &str)> =
            told.iter().map(|(path, message)| (path.as_str(), *message)).collect();
        assert_eq!(told, expect);
        assert_eq!(reading.value.is_some(), expect.is_empty());
    }

    #[test]
    fn strings_have_bounds_in_characters() {
        check("äöü", " ", &[]);
        check("a", "", &[]);
        check(" ", "", &[("title", "`title` is empty")]);
        check("", "", &[("title", "`title` is empty")]);
        check("abcd", "", &[("title", "`title` is longer than 3 characters")]);
        check("a", "äöüß", &[("body", "`body` is longer than 3 characters")]);
    }
}
