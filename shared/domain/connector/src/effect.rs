//! What a call with an effect sends, complete but for the credential, and the request made from it.
//!
//! [`describe`] is the one place where such a request is composed: the gate shows what it returns, the step compares it
//! with what was signed, and [`outgoing`] turns it into bytes. Nothing is added on the way out but the secrets.

use countersign_effect::{
    Body, CredentialUse, Effect, HttpEffect, Part, SECRET_PLACE, Shape, Version, Via,
};
use serde_json::{Map, Value};
use url::Url;

use crate::binding::Binding;
use crate::header::{COMPOSED, is_header, is_sendable};
use crate::lookup::Bound;
use crate::model::{Auth, BodyFormat, Connection, Method, Operation, TokenServer};
use crate::request::{
    Request, RequestError, SecretPlace, arguments, filled, filled_in_path, path_secret,
    secret_slot, set_query,
};
use crate::secret::Credential;
use crate::{graphql, request};

/// Sent where neither connector nor binding names another. Without a version, so that an update voids no signature.
pub const USER_AGENT: &str = "Countersign";

/// The request a call makes.
///
/// `key` is its idempotency key. Arguments are the endpoint's declared parameters, with their defaults.
///
/// # Errors
/// [`RequestError`] when an argument is missing or cannot stand where it must, or a credential is needed and none is bound.
pub fn describe(
    bound: &Bound,
    inputs: &Map<String, Value>,
    params: &Map<String, Value>,
    key: &str,
) -> Result<Effect, RequestError> {
    let given = arguments(&bound.endpoint, inputs, params)?;
    let (request, auth, shape) = match (&bound.definition.connection, &bound.endpoint.operation) {
        (Connection::RestApi(rest), Operation::Request(rules)) => {
            (request::unsigned(rest, rules, &given)?, &rest.auth, None)
        }
        (Connection::Graphql(connection), Operation::Graphql(rules)) => {
            let request = graphql::unsigned(connection, rules, &given, None)?;
            (request, &connection.auth, Some(Shape::Graphql))
        }
        _ => return Err(RequestError::NoEffect),
    };
    let credential = credential(auth, &bound.binding)?;
    let via =
        Via { connector: bound.definition.id.to_string(), endpoint: bound.endpoint_name.clone() };
    let key = (bound.definition.connection.key_header(), key);
    let mut effect = of_request(request, auth, credential, via, key, shape)?;
    if let (Auth::PathToken { prefix }, Connection::RestApi(rest)) =
        (auth, &bound.definition.connection)
    {
        effect.url = with_place(&effect.url, &rest.base_url, prefix)?;
        effect.path_secret = Some(path_secret());
    }
    Ok(Effect::Http(effect))
}

fn of_request(
    request: Request,
    auth: &Auth,
    credential: Option<CredentialUse>,
    via: Via,
    (key_header, key): (&str, &str),
    shape: Option<Shape>,
) -> Result<HttpEffect, RequestError> {
    let written = request.written_body()?;
    let mut headers = request.headers;
    free(&headers, key_header)?;
    let sets_media = headers.iter().any(|(name, _)| name == "content-type");
    if request.body_format == BodyFormat::Mail && sets_media {
        let why = "a mail has a media type of its own: no header may set `content-type`";
        return Err(RequestError::Mail(why.to_owned()));
    }
    headers.push((key_header.to_owned(), key.to_owned()));
    if headers.iter().all(|(name, _)| name != "user-agent") {
        headers.push(("user-agent".to_owned(), USER_AGENT.to_owned()));
    }
    let body = match written {
        Some((media, bytes)) => Some(body(&mut headers, &media, bytes)?),
        None => None,
    };
    if let Some((name, _)) = headers.iter().find(|(_, value)| !is_sendable(value)) {
        return Err(RequestError::HeaderText(name.clone()));
    }
    let text = |(name, value)| (name, Part::Text(value));
    let mut headers: Vec<(String, Part)> = headers.into_iter().map(text).collect();
    let mut query: Vec<(String, Part)> = request.url.query_pairs().into_owned().map(text).collect();
    if let Some(slot) = secret_slot(auth) {
        let (list, name) = match slot.place {
            SecretPlace::Query(name) => (&mut query, name.to_owned()),
            SecretPlace::Header(name) => (&mut headers, name.to_ascii_lowercase()),
        };
        // Dropping what stands there would send something else than was written.
        if list.iter().any(|(known, _)| *known == name) || is_media(&slot.place) {
            return Err(RequestError::Taken(name));
        }
        list.push((name, Part::Secret(slot.secret)));
    }
    headers.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(HttpEffect {
        v: Version,
        method: request.method.as_str().to_owned(),
        url: without_query(request.url),
        query,
        headers,
        body,
        credential,
        via,
        shape,
        path_secret: None,
    })
}

/// The address with the place of the credential behind the connector's own: `/bot{token}` in `/bot{token}/sendMessage`.
fn with_place(url: &str, base: &str, prefix: &str) -> Result<String, RequestError> {
    let base = Url::parse(base)?;
    let base = base.as_str().trim_end_matches('/');
    let path = url.strip_prefix(base).filter(|path| path.starts_with('/'));
    let path = path.ok_or_else(|| {
        RequestError::Address("the path does not stand behind the address".to_owned())
    })?;
    Ok(format!("{base}/{prefix}{SECRET_PLACE}{path}"))
}

/// The body; its media type is the header's where the connector sets one.
fn body(
    headers: &mut Vec<(String, String)>,
    media: &str,
    bytes: Vec<u8>,
) -> Result<Body, RequestError> {
    let at = headers.iter().position(|(name, _)| name == "content-type");
    let media = at.map_or_else(|| media.to_owned(), |at| headers.remove(at).1);
    if !is_sendable(&media) {
        return Err(RequestError::HeaderText("content-type".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| RequestError::NoEffect)?;
    Ok(Body { media, text })
}

/// The key stands in a header of its own.
fn free(headers: &[(String, String)], name: &str) -> Result<(), RequestError> {
    let is_set = headers.iter().any(|(known, _)| known == name);
    if is_set || COMPOSED.contains(&name) {
        return Err(RequestError::Taken(name.to_owned()));
    }
    Ok(())
}

/// The media type stands with the body, and not among the headers.
fn is_media(place: &SecretPlace<'_>) -> bool {
    matches!(place, SecretPlace::Header(name) if is_header(name, "content-type"))
}

fn without_query(mut url: Url) -> String {
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// Which credential a call uses, and how.
pub(crate) fn credential(
    auth: &Auth,
    binding: &Binding,
) -> Result<Option<CredentialUse>, RequestError> {
    if auth.credential_fields().is_empty() {
        return Ok(None);
    }
    let id = binding.credential.as_ref().ok_or(RequestError::CredentialMissing)?;
    let plain = CredentialUse {
        id: id.to_string(),
        auth: auth.name().to_owned(),
        token_url: None,
        scope: None,
        client_auth: None,
    };
    let Some(TokenServer { token_url, scope, client_auth }) = auth.token_server() else {
        return Ok(Some(plain));
    };
    let place: &str = client_auth.into();
    Ok(Some(CredentialUse {
        token_url: Some(token_url.clone()),
        scope: scope.clone(),
        client_auth: Some(place.to_owned()),
        ..plain
    }))
}

/// A request as it goes out, credentials filled in.
pub struct Outgoing {
    /// The method.
    pub method: String,
    /// The whole address.
    pub url: Url,
    /// The headers, `content-type` among them where there is a body.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<Vec<u8>>,
}

/// Makes the request that an effect describes. The only thing added is the credential, in the places the effect names.
///
/// # Errors
/// [`RequestError`] when the credential lacks a part, or the address is not one.
pub fn outgoing(
    effect: &HttpEffect,
    credential: Option<&Credential>,
) -> Result<Outgoing, RequestError> {
    let mut url = address(effect, credential)?;
    set_query(&mut url, &sent(&effect.query, credential)?);
    let mut headers = sent(&effect.headers, credential)?;
    let body = effect.body.as_ref().map(|body| {
        headers.push(("content-type".to_owned(), body.media.clone()));
        body.text.clone().into_bytes()
    });
    Ok(Outgoing { method: effect.method.clone(), url, headers, body })
}

/// The address, with the credential in its path where it belongs there.
fn address(effect: &HttpEffect, credential: Option<&Credential>) -> Result<Url, RequestError> {
    // What a parser says of an address that holds a secret is not repeated.
    let wrong = |_| RequestError::Address("it is not a URL".to_owned());
    let Some(secret) = &effect.path_secret else { return Url::parse(&effect.url).map_err(wrong) };
    let credential = credential.ok_or(RequestError::CredentialMissing)?;
    let Some((before, after)) = effect.url.split_once(SECRET_PLACE) else {
        return Err(RequestError::Address("it has no place for the credential".to_owned()));
    };
    let token = filled_in_path(secret, credential)?;
    Url::parse(&format!("{before}{token}{after}")).map_err(wrong)
}

/// A request to read an effect's answer by: address and method, nothing secret.
///
/// # Errors
/// [`RequestError`] when the address is not one.
pub fn request_of(effect: &HttpEffect) -> Result<Request, RequestError> {
    let url = Url::parse(&effect.url)?;
    let method = Method::parse(&effect.method).ok_or(RequestError::NoEffect)?;
    Ok(Request {
        method,
        url,
        headers: Vec::new(),
        body: None,
        body_format: BodyFormat::Json,
        key_param: None,
    })
}

/// How a signed credential is used: of tokens that are bought, where and for what; of others nothing has to be known,
/// because the effect holds their places.
#[must_use]
pub fn signed_auth(used: &CredentialUse) -> Auth {
    let Some(token_url) = &used.token_url else { return Auth::None };
    let place = used.client_auth.as_deref();
    let client_auth = place.and_then(|place| place.parse().ok()).unwrap_or_default();
    let server =
        TokenServer { token_url: token_url.clone(), scope: used.scope.clone(), client_auth };
    match used.auth.as_str() {
        "oauth2_refresh_token" => Auth::Oauth2RefreshToken(server),
        _ => Auth::Oauth2ClientCredentials(server),
    }
}

fn sent(
    parts: &[(String, Part)],
    credential: Option<&Credential>,
) -> Result<Vec<(String, String)>, RequestError> {
    let value = |part: &Part| match part {
        Part::Text(text) => Ok(text.clone()),
        Part::Secret(secret) => filled(secret, credential.ok_or(RequestError::CredentialMissing)?),
    };
    parts.iter().map(|(name, part)| Ok((name.clone(), value(part)?))).collect()
}
