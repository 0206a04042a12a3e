//! Prefixed, validated identifiers.
//!
//! An id reads `run_0197c3…`: a prefix that names its kind, an underscore and 32 lower-case hex digits. The macro
//! [`prefixed_id!`] makes one newtype per kind; each lives with the domain it identifies.

mod derived;

use std::fmt::Write as _;

pub use derived::{derived, digest};

/// Why a text is not an id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id of the form {prefix}_<32 hex digits>")]
pub struct InvalidId {
    /// The prefix that was expected.
    pub prefix: &'static str,
    /// The text as it came in, cut to 80 characters.
    pub text: String,
}

/// Checks `text` against `{prefix}_<32 lower-case hex digits>`.
///
/// # Errors
/// [`InvalidId`] when the prefix, the length or a digit is wrong.
pub fn validate(prefix: &'static str, text: &str) -> Result<(), InvalidId> {
    let digits = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_'));
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    match digits {
        Some(digits) if digits.len() == 32 && digits.bytes().all(is_hex) => Ok(()),
        _ => Err(InvalidId { prefix, text: text.chars().take(80).collect() }),
    }
}

/// Writes sixteen bytes as an id of the given kind.
#[must_use]
pub fn render(prefix: &str, bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(prefix.len() + 33);
    text.push_str(prefix);
    text.push('_');
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[doc(hidden)]
pub use {schemars, serde};

/// The JSON schema of an id of a kind.
#[doc(hidden)]
#[must_use]
pub fn schema(prefix: &str) -> schemars::Schema {
    let pattern = format!("^{prefix}_[0-9a-f]{{32}}$");
    schemars::json_schema!({"type": "string", "pattern": pattern})
}

/// Declares an id: `prefixed_id! { /// A run. pub struct RunId("run"); }`.
///
/// The type can be parsed, made from sixteen bytes (a UUID v7, or the head of a SHA-256 for derived ids), printed,
/// compared and (de)serialised; deserialising validates.
#[macro_export]
macro_rules! prefixed_id {
    ($(#[$meta:meta])* pub struct $name:ident($prefix:literal);) => {
        $crate::prefixed_id! { $(#[$meta])* pub struct $name($prefix), described elsewhere; }

        impl $crate::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::stringify!($name).into()
            }

            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::schema($prefix)
            }
        }
    };
    // Of a kind whose JSON schema says more.
    ($(#[$meta:meta])* pub struct $name:ident($prefix:literal), described elsewhere;) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// What every id of this kind starts with, before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Reads an id, refusing anything that is not of this kind.
            ///
            /// # Errors
            /// [`InvalidId`]($crate::InvalidId) when the text is not `prefix_<32 hex digits>`.
            pub fn parse(text: &str) -> Result<Self, $crate::InvalidId> {
                $crate::validate($prefix, text)?;
                Ok(Self(text.to_owned()))
            }

            /// Makes an id of sixteen bytes: those of a UUID v7, or the first of a digest.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self($crate::render($prefix, bytes))
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::InvalidId;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <::std::string::String as $crate::serde::Deserialize>::deserialize(deserializer)?;
                Self::parse(&text).map_err(<D::Error as $crate::serde::de::Error>::custom)
            }
        }
    };
}

#[cfg(test)]
#[expect(
    unreachable_pub,
    reason = "the macro makes public types, and these are only for the tests"
)]
mod tests {
    prefixed_id! {
        /// An id for the tests.
        pub struct PearId("pear");
    }

    fn check(text: &str, valid: bool) {
        assert_eq!(PearId::parse(text).is_ok(), valid, "{text}");
    }

    #[test]
    fn only_the_exact_form_is_an_id() {
        check("pear_00112233445566778899aabbccddeeff", true);
        check("plum_00112233445566778899aabbccddeeff", false);
        check("pear_00112233445566778899AABBCCDDEEFF", false);
        check("pear_0011", false);
        check("pear00112233445566778899aabbccddeeff", false);
        check("", false);
    }

    #[test]
    fn bytes_become_lower_case_hex() {
        let expect = format!("{}_{}", PearId::PREFIX, "ab".repeat(16));
        assert_eq!(PearId::from_bytes([0xab; 16]).as_str(), expect);
    }
}
