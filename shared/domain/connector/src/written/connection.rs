//! `connection`, by type of connector.

use countersign_document::{Rules, Whole};
use schemars::JsonSchema;
use serde::Deserialize;

use super::auth::Auth;
use super::egress::check_public;
use super::headers::{Headers, check_free, headers};
use super::names;
use super::text::{Address, Ending, HeaderName};
use crate::bounds::{
    IdempotencyHours, MaxFileSizeMb, PerDay, PerHour, PerMinute, PerMonth, PerSecond,
    TimeoutSeconds,
};
use crate::header::{COMPOSED, is_header};
use crate::model::{self, Connection, FileSource, KEY_HEADER};

/// How a type of connector reaches its source.
pub(crate) trait Connects {
    /// As it is stored; `None` while something that it needs is broken.
    fn model(&self) -> Option<Connection>;

    /// What one part of it says about another.
    fn rules(&self, _: &mut Rules<'_>) {}
}

/// How often the source may be called, counted across all instances.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Rates")]
pub(crate) struct RateLimit(#[schemars(with = "Rates")] pub(super) model::RateLimit);

/// The rates, of which at least one must be given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "x-code" = "rate_limit", "x-hint" = "set at least one limit, such as `requests_per_minute: 60`"))]
struct Rates {
    /// Calls in a second.
    requests_per_second: Option<PerSecond>,
    /// Calls in a minute.
    requests_per_minute: Option<PerMinute>,
    /// Calls in an hour.
    requests_per_hour: Option<PerHour>,
    /// Calls in a day.
    requests_per_day: Option<PerDay>,
    /// Calls in a month.
    requests_per_month: Option<PerMonth>,
}

impl TryFrom<Rates> for RateLimit {
    type Error = &'static str;
    fn try_from(rates: Rates) -> Result<Self, Self::Error> {
        let limit = model::RateLimit {
            requests_per_second: rates.requests_per_second.map(Whole::to),
            requests_per_minute: rates.requests_per_minute.map(Whole::to),
            requests_per_hour: rates.requests_per_hour.map(Whole::to),
            requests_per_day: rates.requests_per_day.map(Whole::to),
            requests_per_month: rates.requests_per_month.map(Whole::to),
        };
        if limit == model::RateLimit::default() { Err("sets no limit") } else { Ok(Self(limit)) }
    }
}

/// How the source tells a repeated call from a new one: every call with an effect carries a key.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Idempotency {
    /// The header that carries the key; `idempotency-key` when left out.
    header: Option<HeaderName>,
    /// How long the source remembers a key; 0 when it does not look at keys.
    hours: Option<IdempotencyHours>,
}

impl Idempotency {
    fn model(&self) -> model::Idempotency {
        let header = self.header.as_ref().map_or(KEY_HEADER, HeaderName::as_str);
        let hours = self.hours.map(Whole::to);
        model::Idempotency { header: header.to_ascii_lowercase(), hours }
    }

    fn rules(&self, auth: &Auth, rules: &mut Rules<'_>) {
        if self.header.is_none() && self.hours.is_none() && rules.is_sound("") {
            let hint = "name its `header`, its `hours`, or leave it out".to_owned();
            rules.hinted("idempotency", "", "`idempotency` is empty", hint);
        }
        let Some(header) = self.header.as_ref().map(HeaderName::as_str) else { return };
        let holder = if COMPOSED.contains(&header.to_ascii_lowercase().as_str()) {
            "is set to something else in every request"
        } else if auth.model().header().is_some_and(|own| is_header(own, header)) {
            "carries the credential"
        } else {
            return;
        };
        let message =
            format!("the header `{header}` {holder} and cannot carry the idempotency key");
        let hint = "name the header that the source reads a key from".to_owned();
        rules.hinted("idempotency", "/header", message, hint);
    }
}

/// An HTTP API that answers JSON.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestConnection {
    /// Prefix of every path; HTTPS, without query, fragment, user and password.
    #[schemars(extend("x-code" = "base_url"))]
    base_url: Address,
    /// How requests prove who sends them.
    #[serde(default)]
    auth: Auth,
    /// How often the source may be called.
    rate_limit: Option<RateLimit>,
    /// Seconds one request may take.
    #[serde(default)]
    timeout_seconds: TimeoutSeconds,
    /// Headers sent with every request.
    #[serde(default)]
    headers: Headers,
    /// How the source tells a repeated call from a new one.
    idempotency: Option<Idempotency>,
}

impl Connects for RestConnection {
    fn model(&self) -> Option<Connection> {
        Some(Connection::RestApi(model::RestConnection {
            base_url: base(&self.base_url),
            auth: self.auth.model(),
            rate_limit: self.rate_limit.as_ref().map(|limit| limit.0),
            timeout_seconds: self.timeout_seconds.to(),
            headers: headers(&self.headers),
            idempotency: self.idempotency.as_ref().map(Idempotency::model),
        }))
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        check_public("base_url", self.base_url.as_str(), rules);
        http(&self.auth, &self.headers, self.idempotency.as_ref(), rules);
    }
}

/// A GraphQL API.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphqlConnection {
    /// The API's address; HTTPS, without query, fragment, user and password.
    #[schemars(extend("x-code" = "endpoint"))]
    endpoint: Address,
    /// How requests prove who sends them.
    #[serde(default)]
    auth: Auth,
    /// How often the source may be called.
    rate_limit: Option<RateLimit>,
    /// Seconds one request may take.
    #[serde(default)]
    timeout_seconds: TimeoutSeconds,
    /// Headers sent with every request.
    #[serde(default)]
    headers: Headers,
    /// How the source tells a repeated call from a new one.
    idempotency: Option<Idempotency>,
}

/// A credential in the path would be told by what calls that read leave behind.
fn no_path_token(auth: &Auth, rules: &mut Rules<'_>) {
    if matches!(auth, Auth::PathToken { .. }) {
        let message = "`path_token` is for a `rest_api` whose endpoints have an effect";
        rules.error("auth", "/auth", message);
    }
}

impl Connects for GraphqlConnection {
    fn model(&self) -> Option<Connection> {
        Some(Connection::Graphql(model::GraphqlConnection {
            endpoint: base(&self.endpoint),
            auth: self.auth.model(),
            rate_limit: self.rate_limit.as_ref().map(|limit| limit.0),
            timeout_seconds: self.timeout_seconds.to(),
            headers: headers(&self.headers),
            idempotency: self.idempotency.as_ref().map(Idempotency::model),
        }))
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        check_public("endpoint", self.endpoint.as_str(), rules);
        no_path_token(&self.auth, rules);
        http(&self.auth, &self.headers, self.idempotency.as_ref(), rules);
    }
}

pub(super) fn base(address: &Address) -> String {
    address.as_str().trim_end_matches('/').to_owned()
}

fn http(auth: &Auth, headers: &Headers, idempotency: Option<&Idempotency>, rules: &mut Rules<'_>) {
    rules.within("auth", |rules| auth.rules(rules));
    if let Some(idempotency) = idempotency {
        rules.within("idempotency", |rules| idempotency.rules(auth, rules));
    }
    let key = idempotency.map_or_else(|| KEY_HEADER.to_owned(), |one| one.model().header);
    rules.within("headers", |rules| check_free(headers, Some(&auth.model()), Some(&key), rules));
}

/// Files to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileConnection {
    /// Where files come from: uploaded by the owner, an HTTPS address, or a folder of uploads.
    source: FileSource,
    /// Endings of the files it takes; those its endpoints read when left out.
    #[serde(default)]
    accepted_formats: Vec<Ending>,
    /// No larger file is read, in megabytes.
    #[serde(default)]
    max_file_size_mb: MaxFileSizeMb,
    /// Seconds one request may take, its body included; for `source: url`.
    #[serde(default)]
    timeout_seconds: TimeoutSeconds,
    /// How often the source may be called; for `source: url`.
    rate_limit: Option<RateLimit>,
}

impl Connects for FileConnection {
    fn model(&self) -> Option<Connection> {
        Some(Connection::FileParser(model::FileConnection {
            source: self.source,
            accepted_formats: self
                .accepted_formats
                .iter()
                .map(|one| names::ending(one.as_str()))
                .collect(),
            max_file_size_mb: self.max_file_size_mb.to(),
            timeout_seconds: self.timeout_seconds.to(),
            rate_limit: self.rate_limit.as_ref().map(|limit| limit.0),
        }))
    }

    /// Uploads are not requested, so that these keys would say nothing.
    fn rules(&self, rules: &mut Rules<'_>) {
        if self.source == FileSource::Url || !rules.is_sound("/source") {
            return;
        }
        for key in ["timeout_seconds", "rate_limit"] {
            let pointer = format!("/{key}");
            if rules.is_written(&pointer) {
                let message = format!("`{key}` is for files from addresses, not for uploaded ones");
                let hint = "leave it out, or use `source: url`".to_owned();
                rules.hinted(key, &pointer, message, hint);
            }
        }
    }
}
