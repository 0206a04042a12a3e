//! Requests of a `rest_api`, built without sending them (F-096, K-42).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_failure::Failure;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use url::Url;

use crate::model::{Auth, Method, Pagination, RequestRules, RestConnection};
use crate::secret::Credential;

/// Everything but unreserved characters: a value can never become a path separator, a query or another host.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Why a request could not be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A placeholder of the path without a value.
    #[error("the argument `{0}` is missing")]
    MissingArgument(String),
    /// A value that cannot stand in a path or query.
    #[error("the argument `{name}` must be a text, a number or a boolean to stand in the {place}")]
    Argument {
        /// The parameter.
        name: String,
        /// `path` or `query`.
        place: &'static str,
    },
    /// A path value that would leave its place.
    #[error("the argument `{0}` must not be empty, `.` or `..` in the path")]
    PathValue(String),
    /// The address of the connector and path do not make a URL.
    #[error("the connector's address is not valid: {0}")]
    Address(String),
    /// The credential lacks a part.
    #[error("the credential has no `{0}`")]
    CredentialPart(&'static str),
    /// The connector needs a credential and the binding has none.
    #[error("the connector needs a credential, and its binding has none")]
    CredentialMissing,
    /// The connection string of a database cannot be used. Never holds a part of it.
    #[error("the credential's connection string {0}")]
    ConnectionString(&'static str),
    /// The credential cannot stand in a header.
    #[error("the credential holds characters that cannot stand in a header")]
    CredentialText,
}

impl Failure for RequestError {
    fn code(&self) -> &'static str {
        match self {
            Self::MissingArgument(_) | Self::Argument { .. } | Self::PathValue(_) => {
                "CONNECTOR_ARGUMENT"
            }
            Self::Address(_) => "CONNECTOR_ADDRESS",
            Self::CredentialPart(_)
            | Self::CredentialMissing
            | Self::ConnectionString(_)
            | Self::CredentialText => "CONNECTOR_CREDENTIAL",
        }
    }

    fn http_status(&self) -> u16 {
        422
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::CredentialPart(_)
            | Self::CredentialMissing
            | Self::ConnectionString(_)
            | Self::CredentialText => {
                Some("enter the connector's credential again in the profile's binding".to_owned())
            }
            _ => None,
        }
    }
}

/// A request ready to be sent. Its debug form shows no header value, query or body.
#[derive(Clone, PartialEq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The whole address.
    pub url: Url,
    /// Headers, lower-case names.
    pub headers: Vec<(String, String)>,
    /// A JSON body.
    pub body: Option<Value>,
}

impl Request {
    /// The address without its query, which may hold a key.
    #[must_use]
    pub fn public_address(&self) -> String {
        public_address(&self.url)
    }
}

/// An address without query, fragment and user: what may stand in records, logs and errors.
#[must_use]
pub fn public_address(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // These only fail for addresses that cannot have a user.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.to_string()
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({} {})", self.method.as_str(), self.public_address())
    }
}

/// The names in `{…}`, or `None` when a brace is not closed or empty.
#[must_use]
pub fn placeholders(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['{', '}']) {
        let after = rest[open..].strip_prefix('{')?;
        let close = after.find(['{', '}'])?;
        let name = &after[..close];
        if name.is_empty() || !after[close..].starts_with('}') {
            return None;
        }
        names.push(name);
        rest = &after[close + 1..];
    }
    Some(names)
}

/// The first request of a call.
///
/// # Errors
/// [`RequestError`] when an argument or a part of the credential is missing or cannot stand where it must.
pub fn build(
    connection: &RestConnection,
    rules: &RequestRules,
    arguments: &Map<String, Value>,
    credential: Option<&Credential>,
) -> Result<Request, RequestError> {
    let in_path = placeholders(&rules.path).unwrap_or_default();
    let path = fill_path(&rules.path, &in_path, arguments)?;
    let mut url = Url::parse(&format!("{}{path}", connection.base_url.trim_end_matches('/')))
        .map_err(|error| RequestError::Address(error.to_string()))?;
    let mut used: Vec<&str> = in_path;
    let mut pairs = fixed_query(rules, arguments, &mut used)?;
    let mut body = rules.body.as_ref().map(|template| fill_body(template, arguments, &mut used));
    let rest =
        arguments.iter().filter(|(name, value)| !used.contains(&name.as_str()) && !value.is_null());
    if !rules.method.reads() && body.is_none() {
        body =
            Some(Value::Object(rest.map(|(name, value)| (name.clone(), value.clone())).collect()));
    } else {
        for (name, value) in rest {
            push_query(&mut pairs, name, name, value)?;
        }
    }
    first_page(&rules.pagination, &mut pairs);
    let mut headers: Vec<(String, String)> =
        vec![("accept".to_owned(), "application/json".to_owned())];
    for (name, value) in connection.headers.iter().chain(&rules.headers) {
        set_header(&mut headers, name, value.clone());
    }
    authenticate(&connection.auth, credential, &mut pairs, &mut headers)?;
    set_query(&mut url, &pairs);
    Ok(Request { method: rules.method, url, headers, body })
}

fn fill_path(
    path: &str,
    names: &[&str],
    arguments: &Map<String, Value>,
) -> Result<String, RequestError> {
    let mut filled = String::with_capacity(path.len());
    let mut rest = path;
    for name in names {
        let marker = format!("{{{name}}}");
        let Some((before, after)) = rest.split_once(&marker) else { break };
        let value = arguments.get(*name).filter(|value| !value.is_null());
        let value = value.ok_or_else(|| RequestError::MissingArgument((*name).to_owned()))?;
        let text = scalar(value)
            .ok_or_else(|| RequestError::Argument { name: (*name).to_owned(), place: "path" })?;
        if matches!(text.as_str(), "" | "." | "..") {
            return Err(RequestError::PathValue((*name).to_owned()));
        }
        filled.push_str(before);
        filled.extend(utf8_percent_encode(&text, SEGMENT));
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn fixed_query<'a>(
    rules: &'a RequestRules,
    arguments: &Map<String, Value>,
    used: &mut Vec<&'a str>,
) -> Result<Vec<(String, String)>, RequestError> {
    let mut pairs = Vec::new();
    for (key, template) in &rules.query {
        match template.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            None => pairs.push((key.clone(), template.clone())),
            Some(name) => {
                used.push(name);
                match arguments.get(name) {
                    Some(value) if !value.is_null() => push_query(&mut pairs, key, name, value)?,
                    _ => {}
                }
            }
        }
    }
    Ok(pairs)
}

/// Lists become repeated parameters.
fn push_query(
    pairs: &mut Vec<(String, String)>,
    key: &str,
    name: &str,
    value: &Value,
) -> Result<(), RequestError> {
    let wrong = || RequestError::Argument { name: name.to_owned(), place: "query" };
    match value {
        Value::Array(items) => {
            for item in items {
                pairs.push((key.to_owned(), scalar(item).ok_or_else(wrong)?));
            }
        }
        value => pairs.push((key.to_owned(), scalar(value).ok_or_else(wrong)?)),
    }
    Ok(())
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whole-value placeholders keep their type; one without an argument leaves its key out.
fn fill_body<'a>(
    template: &'a Value,
    arguments: &Map<String, Value>,
    used: &mut Vec<&'a str>,
) -> Value {
    match template {
        Value::String(text) => match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))
        {
            Some(name) => {
                used.push(name);
                arguments.get(name).cloned().unwrap_or(Value::Null)
            }
            None => template.clone(),
        },
        Value::Array(items) => items.iter().map(|item| fill_body(item, arguments, used)).collect(),
        Value::Object(entries) => {
            let mut filled = Map::new();
            for (key, item) in entries {
                let value = fill_body(item, arguments, used);
                if !value.is_null() || item.is_null() {
                    filled.insert(key.clone(), value);
                }
            }
            Value::Object(filled)
        }
        other => other.clone(),
    }
}

fn first_page(pagination: &Pagination, pairs: &mut Vec<(String, String)>) {
    let mut default = |key: &str, value: u32| {
        if !pairs.iter().any(|(name, _)| name == key) {
            pairs.push((key.to_owned(), value.to_string()));
        }
    };
    match pagination {
        Pagination::None | Pagination::Cursor { .. } | Pagination::LinkHeader { .. } => {}
        Pagination::Page { page_param, size_param, page_size, first_page, .. } => {
            default(page_param, *first_page);
            if let Some(size_param) = size_param {
                default(size_param, *page_size);
            }
        }
        Pagination::Offset { offset_param, limit_param, page_size, .. } => {
            default(offset_param, 0);
            default(limit_param, *page_size);
        }
    }
}

/// Adds what proves who sends the request.
fn authenticate(
    auth: &Auth,
    credential: Option<&Credential>,
    pairs: &mut Vec<(String, String)>,
    headers: &mut Vec<(String, String)>,
) -> Result<(), RequestError> {
    if *auth == Auth::None {
        return Ok(());
    }
    let credential = credential.ok_or(RequestError::CredentialMissing)?;
    let part = |name: &'static str| credential.part(name).ok_or(RequestError::CredentialPart(name));
    let (name, value) = match auth {
        Auth::None => return Ok(()),
        Auth::ApiKeyQuery { key_param } => {
            pairs.retain(|(name, _)| name != key_param);
            pairs.push((key_param.clone(), part("api_key")?.expose().to_owned()));
            return Ok(());
        }
        Auth::ApiKeyHeader { header } => (header.as_str(), part("api_key")?.expose().to_owned()),
        Auth::BearerToken => ("authorization", format!("Bearer {}", part("token")?.expose())),
        Auth::Basic => {
            let plain = format!("{}:{}", part("username")?.expose(), part("password")?.expose());
            ("authorization", format!("Basic {}", STANDARD.encode(plain)))
        }
    };
    if !value.bytes().all(|b| (32..127).contains(&b)) {
        return Err(RequestError::CredentialText);
    }
    set_header(headers, name, value);
    Ok(())
}

fn set_header(headers: &mut Vec<(String, String)>, name: &str, value: String) {
    let name = name.to_ascii_lowercase();
    headers.retain(|(known, _)| *known != name);
    headers.push((name, value));
}

/// Replaces one parameter of an address.
pub(crate) fn replace_query(url: &mut Url, key: &str, value: &str) {
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| name != key)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let mut pairs = kept;
    pairs.push((key.to_owned(), value.to_owned()));
    set_query(url, &pairs);
}

fn set_query(url: &mut Url, pairs: &[(String, String)]) {
    if pairs.is_empty() {
        url.set_query(None);
    } else {
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
}

#[cfg(test)]
mod tests;
