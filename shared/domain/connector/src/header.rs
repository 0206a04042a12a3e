//! Headers that a connector or a binding may set.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Those that frame, route or authenticate a request are not a connector's business.
pub(crate) const RESERVED: [&str; 15] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-authorization",
    "cookie",
    "authorization",
    "content-encoding",
    // Servers that honour these take a GET for another method: a call that reads could write without a signature.
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
];

/// Those that every request has a value of its own for; a connector may set them, and nothing else may stand in them.
pub(crate) const COMPOSED: [&str; 3] = ["accept", "content-type", "user-agent"];

/// Whether two names are the same header's.
pub(crate) fn is_header(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Whether a value arrives as it is written: spaces at its edges would be lost on the way.
pub(crate) fn is_sendable(value: &str) -> bool {
    value.bytes().all(|b| (32..127).contains(&b)) && value.trim() == value
}

/// Whether a value can be a part of a path's segment as it is: unreserved characters and colons, not dots alone.
pub(crate) fn is_segment(value: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-._~:".contains(&b);
    value.bytes().all(fits) && value.bytes().any(|b| b.is_ascii_alphanumeric())
}

/// The name in lower case, when it is one of a header that may be set.
pub(crate) fn settable(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let token = (1..=64).contains(&name.len()) && name.bytes().all(fits);
    // Many servers take `_` for `-`.
    (token && !RESERVED.contains(&lower.replace('_', "-").as_str())).then_some(lower)
}

/// Why headers cannot be overridden.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHeader {
    /// A name.
    #[error("`{0}` is not a header that a binding may set")]
    Name(String),
    /// A value.
    #[error(
        "the value of header `{0}` must be 1 to 500 printable ASCII characters, without spaces at its edges"
    )]
    Value(String),
    /// Two names of one header, such as `X-A` and `x-a`.
    #[error("the header `{0}` is set twice")]
    Twice(String),
    /// Too many.
    #[error("a binding sets at most 10 headers")]
    TooMany,
}

/// Headers a binding sets in place of the connector's, such as a User-Agent with a contact. Not for secrets: they are
/// shown, and signed, with the binding.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct HeaderOverrides(BTreeMap<String, String>);

impl HeaderOverrides {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The headers, names in lower case.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }
}

impl TryFrom<BTreeMap<String, String>> for HeaderOverrides {
    type Error = InvalidHeader;
    fn try_from(given: BTreeMap<String, String>) -> Result<Self, Self::Error> {
        if given.len() > 10 {
            return Err(InvalidHeader::TooMany);
        }
        let mut headers = BTreeMap::new();
        for (name, value) in given {
            let shown = || name.chars().take(64).collect();
            let name = settable(&name).ok_or_else(|| InvalidHeader::Name(shown()))?;
            if !(1..=500).contains(&value.len()) || !is_sendable(&value) {
                return Err(InvalidHeader::Value(name));
            }
            if headers.insert(name.clone(), value).is_some() {
                return Err(InvalidHeader::Twice(name));
            }
        }
        Ok(Self(headers))
    }
}

impl From<HeaderOverrides> for BTreeMap<String, String> {
    fn from(headers: HeaderOverrides) -> Self {
        headers.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::ConfigOverrides;

    #[test]
    fn f_104_a_binding_sets_headers_that_frame_nothing() {
        let read = |headers: serde_json::Value| {
            serde_json::from_value::<ConfigOverrides>(json!({ "headers": headers }))
        };
        let overrides = read(json!({ "User-Agent": "Example desk@example.org" })).unwrap();
        let kept: Vec<_> = overrides.headers.iter().collect();
        assert_eq!(kept, [(&"user-agent".to_owned(), &"Example desk@example.org".to_owned())]);
        for wrong in [
            json!({ "Authorization": "Bearer x" }),
            json!({ "host": "a.example" }),
            json!({ "X-HTTP-Method-Override": "DELETE" }),
            json!({ "x_http_method": "DELETE" }),
            json!({ "x y": "1" }),
            json!({ "x": "a\r\nhost: b" }),
            json!({ "x": "" }),
            json!({ "x": " a" }),
            json!({ "X-A": "1", "x-a": "2" }),
            json!({ "x": "a".repeat(501) }),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
        assert_eq!(serde_json::to_value(ConfigOverrides::default()).unwrap(), json!({}));
    }
}
