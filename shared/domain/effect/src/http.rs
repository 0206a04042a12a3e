//! One outgoing HTTP request.
//!
//! What is left out, because transport alone decides it: `Host`, `Content-Length`, `Accept-Encoding`, `Connection`,
//! `Date`, tracing headers, the values of secrets, timeouts, rates, and how the answer is read.

use countersign_canonical::canonical;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::digest::Digest;
use crate::error::EffectError;
use crate::file::FileEffect;
use crate::leaf::leaf;

/// The largest canonical text of one effect, in bytes.
pub const MAX_EFFECT_BYTES: usize = 256 * 1024;

/// What an irreversible step does: a request to a connector's source, or a change of a file (ADRs 15 and 33).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "snake_case")]
pub enum Effect {
    /// An HTTP request.
    Http(HttpEffect),
    /// A change of a file.
    File(FileEffect),
}

/// The version of the shape; exactly 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Version;

/// A request, complete but for the values of its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpEffect {
    /// 1.
    pub v: Version,
    /// `POST`, `PUT`, …
    pub method: String,
    /// Scheme, host, port and path; no query. With [`HttpEffect::path_secret`], [`SECRET_PLACE`] stands in the path
    /// where the secret goes; no other path has these characters, because data in a path is percent-encoded.
    pub url: String,
    /// The query's names and values, in order, before they are encoded.
    pub query: Vec<(String, Part)>,
    /// The headers: names in lower case, unique, sorted.
    pub headers: Vec<(String, Part)>,
    /// The body, when one is sent.
    pub body: Option<Body>,
    /// The credential that the secrets are filled in from.
    pub credential: Option<CredentialUse>,
    /// The endpoint that the request is made by.
    pub via: Via,
    /// What the body means, beyond its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// The secret that stands in the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_secret: Option<SecretPart>,
}

/// What a path has in the place of its secret.
pub const SECRET_PLACE: &str = "{token}";

/// A value in a query or a header: text, or the place of a secret. A secret is an object, so no text can imitate one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// Sent as it is.
    Text(String),
    /// Filled in last.
    Secret(SecretPart),
}

/// The place of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretPart {
    /// The part of the credential: `token`, `api_key`, `access_token`, or `username:password`.
    pub secret: String,
    /// What is put around it.
    #[serde(rename = "as")]
    pub form: SecretForm,
    /// The word before it, for [`SecretForm::Scheme`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
}

/// How a secret is written where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretForm {
    /// By itself.
    Plain,
    /// `Bearer …`.
    Bearer,
    /// `Basic …`, base64.
    Basic,
    /// The scheme's own word and the secret.
    Scheme,
}

/// A body: exactly the text that is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The `Content-Type` header.
    pub media: String,
    /// The text.
    pub text: String,
}

/// Which credential is used, and how; never a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialUse {
    /// Its id; a new secret gets a new one.
    pub id: String,
    /// How it proves who sends the request, as the connector says: `bearer_token`, `oauth2_client_credentials`, …
    pub auth: String,
    /// Where a token is bought with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// What the token is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Where the token request carries the client's id and secret: `header` or `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_auth: Option<String>,
}

/// The endpoint that a request is made by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Via {
    /// The connector's id.
    pub connector: String,
    /// The endpoint's name.
    pub endpoint: String,
}

/// What a body means beyond its media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A GraphQL document with its variables.
    Graphql,
}

impl Effect {
    /// The canonical text (RFC 8785): what is stored with a request, hashed, and read again by whoever verifies.
    ///
    /// # Errors
    /// [`EffectError::TooLarge`] above [`MAX_EFFECT_BYTES`].
    pub fn text(&self) -> Result<String, EffectError> {
        let text = canonical(&json!(self))?;
        if text.len() > MAX_EFFECT_BYTES {
            return Err(EffectError::TooLarge { bytes: text.len(), limit: MAX_EFFECT_BYTES });
        }
        Ok(text)
    }

    /// Reads a canonical text. Members it does not know are rejected: nothing that is hashed may go unseen.
    ///
    /// # Errors
    /// [`EffectError::Unreadable`] when it is not the canonical text of an effect of this version.
    pub fn parse(text: &str) -> Result<Self, EffectError> {
        let unreadable = |reason: String| EffectError::Unreadable(reason);
        let effect: Self =
            serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        if effect.text()? == text {
            Ok(effect)
        } else {
            Err(unreadable("it is not in canonical form".to_owned()))
        }
    }

    /// Where it goes: method, host and path, without the query. What a person needs to look there, and no secret.
    #[must_use]
    pub fn target(&self) -> String {
        let http = match self {
            Self::Http(http) => http,
            Self::File(file) => return format!("{} documents/{}", file.action.method(), file.path),
        };
        let address = http.url.split_once("://").map_or(http.url.as_str(), |(_, rest)| rest);
        let address = address.split(['?', '#']).next().unwrap_or_default();
        format!("{} {address}", http.method)
    }

    /// The hash of the effect, as a leaf of [`crate::tree`].
    ///
    /// # Errors
    /// As [`Effect::text`].
    pub fn leaf(&self) -> Result<Digest, EffectError> {
        Ok(leaf("effect", &self.text()?))
    }
}

impl TryFrom<u64> for Version {
    type Error = &'static str;

    fn try_from(version: u64) -> Result<Self, Self::Error> {
        if version == 1 { Ok(Self) } else { Err("this version of effects is not known") }
    }
}

impl From<Version> for u64 {
    fn from(_: Version) -> u64 {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::Effect;
    use crate::view::samples::payment;

    #[test]
    fn an_effect_has_one_text() {
        let effect = payment();
        let text = effect.text().unwrap();
        assert!(
            text.starts_with(r#"{"body":{"media":"application/json","text":"{\"amount\""#),
            "{text}"
        );
        assert_eq!(Effect::parse(&text).unwrap(), effect);
    }

    #[test]
    fn what_is_not_known_is_rejected() {
        let text = payment().text().unwrap();
        for (from, to) in [
            ("\"v\":1", "\"v\":2"),
            ("\"method\"", "\"extra\":1,\"method\""),
            ("\"via\":{", "\"via\":{\"extra\":1,"),
            ("\"family\":\"http\"", "\"family\":\"fax\""),
            (",\"v\":1", ", \"v\":1"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(Effect::parse(&changed).is_err(), "{changed}");
        }
    }
}
