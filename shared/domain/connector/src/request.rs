//! Requests, built without sending them (F-096, K-42).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_effect::{Body, Mail};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

use crate::embed;
use crate::model::{
    Auth, BodyFormat, DetailRules, Method, Pagination, RequestRules, RestConnection,
};
use crate::secret::Credential;

mod arguments;
mod error;
mod paging;
mod path;
mod secrets;

pub(crate) use arguments::SOURCE;
pub use arguments::arguments;
pub use error::RequestError;
pub use paging::continue_at;
use paging::first_page;
pub(crate) use paging::{keep_key, param, public_query, replace_query, set_param};
use path::fill_path;
pub(crate) use path::is_dots;
pub use path::placeholders;
pub(crate) use secrets::{SecretPlace, filled, filled_in_path, path_secret, secret_slot};

/// A request ready to be sent. Its debug form shows no header value, query or body.
#[derive(Clone, PartialEq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The whole address.
    pub url: Url,
    /// Headers, lower-case names.
    pub headers: Vec<(String, String)>,
    /// A body; of a form, an object of texts, numbers, booleans and lists of them.
    pub body: Option<Value>,
    /// How the body is written.
    pub body_format: BodyFormat,
    /// The query parameter that holds the credential's key.
    pub key_param: Option<String>,
}

impl Request {
    /// The body as it is sent, and its content type.
    ///
    /// # Errors
    /// [`RequestError::Mail`] when no mail can be made of it.
    pub fn written_body(&self) -> Result<Option<(String, Vec<u8>)>, RequestError> {
        let Some(body) = &self.body else { return Ok(None) };
        let (media, text) = match self.body_format {
            BodyFormat::Json => ("application/json".to_owned(), body.to_string()),
            BodyFormat::Form => {
                let pairs = form_pairs(body).unwrap_or_default();
                let text =
                    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
                ("application/x-www-form-urlencoded".to_owned(), text)
            }
            BodyFormat::Mail => {
                let Body { media, text } = mail(body)?;
                (media, text)
            }
        };
        Ok(Some((media, text.into_bytes())))
    }

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
    let mut request = unsigned(connection, rules, arguments)?;
    authenticate(&connection.auth, credential, &mut request)?;
    Ok(request)
}

/// The longest value of a listed record in an address, bytes.
const MAX_LISTED: usize = 1_000;

/// The request for one record that an answer lists, with the credential.
///
/// # Errors
/// [`RequestError`] when the record has no value for the path, or the credential lacks a part.
pub fn detail(
    connection: &RestConnection,
    rules: &RequestRules,
    details: &DetailRules,
    listed: &Map<String, Value>,
    credential: Option<&Credential>,
) -> Result<Request, RequestError> {
    let one = RequestRules {
        method: Method::Get,
        path: details.path.clone(),
        query: details.query.clone(),
        body: None,
        pagination: Pagination::None,
        ..rules.clone()
    };
    let names = placeholders(&details.path).unwrap_or_default();
    // An id is short; anything longer is not sent back to where it came from.
    let is_short = |value: &&Value| value.as_str().is_none_or(|text| text.len() <= MAX_LISTED);
    let value = |name: &&str| {
        let value = listed.get(*name).filter(is_short)?;
        Some(((*name).to_owned(), value.clone()))
    };
    let named = names.iter().filter_map(value);
    let mut request = unsigned(connection, &one, &named.collect())?;
    authenticate(&connection.auth, credential, &mut request)?;
    Ok(request)
}

/// The first request of a call, without anything that proves who sends it.
///
/// # Errors
/// [`RequestError`] when an argument is missing or cannot stand where it must.
pub fn unsigned(
    connection: &RestConnection,
    rules: &RequestRules,
    arguments: &Map<String, Value>,
) -> Result<Request, RequestError> {
    let in_path = placeholders(&rules.path).unwrap_or_default();
    let path = fill_path(&rules.path, &in_path, arguments)?;
    let url = Url::parse(&format!("{}{path}", connection.base_url.trim_end_matches('/')))?;
    if url.query().is_some() || url.fragment().is_some() {
        let message = "it must not have a query or fragment";
        return Err(RequestError::Address(message.to_owned()));
    }
    let mut used: Vec<&str> = in_path;
    let mut pairs = fixed_query(rules, arguments, &mut used)?;
    let mut body = rules.body.as_ref().map(|template| fill_body(template, arguments, &mut used));
    let rest =
        arguments.iter().filter(|(name, value)| !used.contains(&name.as_str()) && !value.is_null());
    if !rules.method.reads() && body.is_none() {
        let given: Map<String, Value> =
            rest.map(|(name, value)| (name.clone(), value.clone())).collect();
        // Servers refuse a DELETE with a body that says nothing.
        let is_bare = rules.method == Method::Delete && given.is_empty();
        body = (!is_bare).then_some(Value::Object(given));
    } else {
        for (name, value) in rest {
            push_pairs(&mut pairs, name, name, value, "query")?;
        }
    }
    match (rules.body_format, &body) {
        (BodyFormat::Form, Some(body)) => form_pairs(body).map(drop)?,
        (BodyFormat::Mail, Some(body)) => mail(body).map(drop)?,
        _ => {}
    }
    let mut request = Request {
        method: rules.method,
        url,
        headers: headers([&connection.headers, &rules.headers]),
        body,
        body_format: rules.body_format,
        key_param: None,
    };
    set_query(&mut request.url, &pairs);
    first_page(&rules.pagination, &mut request);
    Ok(request)
}

/// What every call accepts, then the connector's headers and the endpoint's.
pub(crate) fn headers<const N: usize>(
    given: [&IndexMap<String, String>; N],
) -> Vec<(String, String)> {
    let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
    for (name, value) in given.into_iter().flatten() {
        set_header(&mut headers, name, value.clone());
    }
    headers
}

/// The mail that a body describes, with what is said about it.
fn mail(body: &Value) -> Result<Body, RequestError> {
    let parts = body.get("message").and_then(Value::as_object).cloned().unwrap_or_default();
    let mail = Mail::of(&parts).map_err(|error| RequestError::Mail(error.to_string()))?;
    Ok(mail.body(body.get("metadata")))
}

/// A form's names and values.
fn form_pairs(body: &Value) -> Result<Vec<(String, String)>, RequestError> {
    let mut pairs = Vec::new();
    for (name, value) in
        body.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null())
    {
        push_pairs(&mut pairs, name, name, value, "form")?;
    }
    Ok(pairs)
}

fn fixed_query<'a>(
    rules: &'a RequestRules,
    arguments: &Map<String, Value>,
    used: &mut Vec<&'a str>,
) -> Result<Vec<(String, String)>, RequestError> {
    let mut pairs = Vec::new();
    for (key, template) in &rules.query {
        match whole(template) {
            None => {
                used.extend(embed::names(template));
                pairs.push((key.clone(), embed::fill(template, arguments)?));
            }
            Some(name) => {
                used.push(name);
                match arguments.get(name) {
                    Some(value) if !value.is_null() => {
                        push_pairs(&mut pairs, key, name, value, "query")?;
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(pairs)
}

/// The name when a text is nothing but `{name}`.
pub(crate) fn whole(template: &str) -> Option<&str> {
    let name = template.strip_prefix('{')?.strip_suffix('}')?;
    crate::written::names::is_name(name).then_some(name)
}

/// Lists become repeated parameters.
fn push_pairs(
    pairs: &mut Vec<(String, String)>,
    key: &str,
    name: &str,
    value: &Value,
    place: &'static str,
) -> Result<(), RequestError> {
    let wrong = || RequestError::Argument { name: name.to_owned(), place };
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

/// Adds what proves who sends the request, in place of what did so before.
///
/// # Errors
/// [`RequestError`] when the credential lacks a part or cannot stand in a header.
pub fn authenticate(
    auth: &Auth,
    credential: Option<&Credential>,
    request: &mut Request,
) -> Result<(), RequestError> {
    // What would tell it in records and messages: only what is signed has its credential in the path.
    if matches!(auth, Auth::PathToken { .. }) {
        return Err(RequestError::PathCredential);
    }
    let Some(slot) = secret_slot(auth) else { return Ok(()) };
    let credential = credential.ok_or(RequestError::CredentialMissing)?;
    let value = filled(&slot.secret, credential)?;
    match slot.place {
        SecretPlace::Query(name) => {
            replace_query(&mut request.url, name, &value);
            request.key_param = Some(name.to_owned());
        }
        SecretPlace::Header(name) => set_header(&mut request.headers, name, value),
    }
    Ok(())
}

pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

pub(crate) fn set_header(headers: &mut Vec<(String, String)>, name: &str, value: String) {
    let name = name.to_ascii_lowercase();
    headers.retain(|(known, _)| *known != name);
    headers.push((name, value));
}

pub(crate) fn set_query(url: &mut Url, pairs: &[(String, String)]) {
    if pairs.is_empty() {
        url.set_query(None);
    } else {
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
}

#[cfg(test)]
mod tests;
