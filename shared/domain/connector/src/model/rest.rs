//! What is particular to a `rest_api`: connection, requests, pages.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::idempotency::Idempotency;
use super::mapping::JsonMapping;
use super::pages::{PageBounds, Pagination};
use super::success_rule::SuccessRule;

/// The connection of a `rest_api`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestConnection {
    /// Prefix of every path; HTTPS, or HTTP to loopback where the deployment allows it.
    pub base_url: String,
    /// How calls are authenticated.
    pub auth: Auth,
    /// How often it may be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Seconds one request may take; default 30.
    pub timeout_seconds: u32,
    /// Headers sent with every request.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// How the source tells a repeated call from a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<Idempotency>,
}

/// How often a connector may be called. At least one bound is set. What is stored was written from this type: another
/// key comes from a request only, and is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Calls in a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_second: Option<u32>,
    /// Calls in a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// Calls in an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_hour: Option<u32>,
    /// Calls in a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_day: Option<u32>,
    /// Calls in a month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_month: Option<u32>,
}

/// How a request proves who sends it (F-103, K-42).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Auth {
    /// Not at all.
    None,
    /// A key in a query parameter.
    ApiKeyQuery {
        /// The parameter's name.
        key_param: String,
    },
    /// A key in a header.
    ApiKeyHeader {
        /// The header's name.
        header: String,
    },
    /// `Authorization: Bearer …`.
    BearerToken,
    /// `Authorization: {scheme} …`, for sources with a scheme of their own.
    TokenScheme {
        /// The word before the token, such as `Token`.
        scheme: String,
    },
    /// `Authorization: Basic …`.
    Basic,
    /// A token that the client's id and secret buy at another address (RFC 6749, section 4.4).
    Oauth2ClientCredentials(TokenServer),
    /// A token that is bought with the consent which a person gave to the client: with its refresh token (RFC 6749, section 6).
    Oauth2RefreshToken(TokenServer),
    /// A token in the path, behind the connector's address: `/{prefix}{token}`. Only for what is signed: the effect has a
    /// place in its stead, and the address with the token exists in the sender alone.
    PathToken {
        /// What stands before it in the same segment, such as `bot`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        prefix: String,
    },
    /// A database's: one text, or [`DATABASE_PARTS`].
    ConnectionString,
}

/// Where tokens are bought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenServer {
    /// The address; HTTPS.
    pub token_url: String,
    /// What a token is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Where the client's id and secret stand in the request.
    #[serde(default)]
    pub client_auth: ClientAuth,
}

/// The part of a credential that a call with a bought token is sent with; never stored.
pub(crate) const ACCESS_TOKEN: &str = "access_token";

/// The parts that stand in for a credential's `connection_string`.
pub const DATABASE_PARTS: [&str; 5] = ["host", "port", "database", "user", "password"];

/// Where a token request carries the client's id and secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "auth"))]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum ClientAuth {
    /// `Authorization: Basic …`, which every server of the standard understands.
    #[default]
    Header,
    /// In the form.
    Body,
}

impl Auth {
    /// The word a connector writes for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The parts a credential must have.
    #[must_use]
    pub fn credential_fields(&self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::ApiKeyQuery { .. } | Self::ApiKeyHeader { .. } => &["api_key"],
            Self::BearerToken | Self::TokenScheme { .. } | Self::PathToken { .. } => &["token"],
            Self::Basic => &["username", "password"],
            Self::Oauth2ClientCredentials(_) => &["client_id", "client_secret"],
            Self::Oauth2RefreshToken(_) => &["client_id", "client_secret", "refresh_token"],
            Self::ConnectionString => &["connection_string"],
        }
    }
}

impl Auth {
    /// Where its tokens are bought, if it needs any.
    pub(crate) fn token_server(&self) -> Option<&TokenServer> {
        match self {
            Self::Oauth2ClientCredentials(server) | Self::Oauth2RefreshToken(server) => {
                Some(server)
            }
            _ => None,
        }
    }

    /// The header that carries the credential, if one does.
    pub(crate) fn header(&self) -> Option<&str> {
        match self {
            Self::ApiKeyHeader { header } => Some(header),
            Self::BearerToken
            | Self::TokenScheme { .. }
            | Self::Basic
            | Self::Oauth2ClientCredentials(_)
            | Self::Oauth2RefreshToken(_) => Some("authorization"),
            Self::None
            | Self::ApiKeyQuery { .. }
            | Self::PathToken { .. }
            | Self::ConnectionString => None,
        }
    }

    /// Whether a credential may have a part of this name.
    pub(crate) fn takes(&self, part: &str) -> bool {
        self.credential_fields().contains(&part)
            || self.has_choices() && DATABASE_PARTS.contains(&part)
    }

    /// Whether other parts may stand in for [`Self::credential_fields`].
    pub(crate) fn has_choices(&self) -> bool {
        *self == Self::ConnectionString
    }
}

/// One field of the credentials form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CredentialField")]
pub struct AuthField {
    /// The credential's part it fills.
    pub name: String,
    /// What the form says.
    pub label: String,
    /// `text | password`.
    #[serde(rename = "type")]
    pub field_type: String,
    /// The environment name the deployment may fill it from: system templates only (K-37).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_var: Option<String>,
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(extend("x-code" = "method"))]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    /// Reads.
    #[default]
    Get,
    /// Reads the headers.
    Head,
    /// Creates, or searches when the endpoint says `safe: true`.
    Post,
    /// Replaces.
    Put,
    /// Changes.
    Patch,
    /// Removes.
    Delete,
}

impl Method {
    /// As on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The method of this name, as on the wire.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Whether it only reads by its definition.
    #[must_use]
    pub fn reads(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

/// How an endpoint calls HTTP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestRules {
    /// The method.
    pub method: Method,
    /// Whether a POST only searches, as the connector's author vouches.
    #[serde(default)]
    pub safe: bool,
    /// Appended to the base URL; `{name}` is replaced by a parameter, percent-encoded.
    pub path: String,
    /// Fixed query parameters; a value that is wholly `{name}` takes the parameter's.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub query: IndexMap<String, String>,
    /// Headers of this endpoint.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// A body with `{name}` placeholders as whole values; without it a POST sends its parameters as an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// How the body is written.
    #[serde(default, skip_serializing_if = "BodyFormat::is_json")]
    pub body_format: BodyFormat,
    /// How pages follow each other.
    #[serde(default)]
    pub pagination: Pagination,
    /// How records are read from the answer.
    #[serde(flatten)]
    pub mapping: JsonMapping,
    /// Where the answer itself says whether the call succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<SuccessRule>,
    /// How each record is read, where the answer only lists them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<DetailRules>,
}

/// The request for one record of an answer that only lists them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetailRules {
    /// As the path of a request; `{name}` is replaced by a value of the record as the answer lists it.
    pub path: String,
    /// Query parameters.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub query: IndexMap<String, String>,
}

impl RequestRules {
    /// How much one call may fetch. Where each record is a request, at most [`MAX_DETAILS`].
    #[must_use]
    pub fn bounds(&self) -> PageBounds {
        let bounds = self.pagination.bounds();
        let most = if self.details.is_some() { MAX_DETAILS } else { bounds.max_records };
        PageBounds { max_records: bounds.max_records.min(most), ..bounds }
    }
}

/// The most records of one call where each is a request of its own.
pub const MAX_DETAILS: u32 = 50;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "body_format"))]
pub enum BodyFormat {
    /// As JSON.
    #[default]
    Json,
    /// As a web form: `a=1&b=2`; lists become repeated names.
    Form,
    /// As a mail of plain text: `message` has its parts, `metadata` JSON that is sent before it.
    Mail,
}

impl BodyFormat {
    pub(crate) fn is_json(&self) -> bool {
        *self == Self::Json
    }
}
