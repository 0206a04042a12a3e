//! `auth`, by kind (F-103), and the fields of the credentials form.

use super::Origin;
use super::connection::{address, header_name};
use crate::diagnostic::{Diagnostics, Position};
use crate::header::{COMPOSED, is_header};
use crate::model::{Auth, AuthField, ClientAuth};
use crate::yaml::Mapping;

/// Parts of one credential.
pub(crate) const MOST_PARTS: usize = 20;
/// The ways to authenticate over HTTP.
const KINDS: &str = "use `none`, `api_key`, `bearer_token`, `basic` or `oauth2_client_credentials`";

/// `auth` of a connection, none when it is left out.
pub(super) fn auth_or_none(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<Auth> {
    map.mapping("auth", out).map_or(Some(Auth::None), |auth| self::auth(auth, out))
}

fn auth(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<Auth> {
    let kind = map.required_text("type", out);
    if let Some((_, at)) = map.text("env_var", out) {
        let message = "`env_var` is ignored here: credentials come from the owner's vault only";
        out.warning("env_var", at, message);
    }
    let auth = match kind {
        None => None,
        Some(("none", _)) => Some(Auth::None),
        Some(("bearer_token", _)) => bearer(&mut map, out),
        Some(("basic", _)) => Some(Auth::Basic),
        Some(("api_key", _)) => api_key(&mut map, out),
        Some(("oauth2_client_credentials", _)) => oauth2(&mut map, out),
        Some((other, at)) => {
            out.hinted("auth", at, format!("`{other}` is not a way to authenticate"), KINDS);
            None
        }
    };
    map.finish(out);
    auth
}

/// `Bearer`, or the word that the source has in its place.
fn bearer(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<Auth> {
    let Some((scheme, at)) = map.text("scheme", out) else { return Some(Auth::BearerToken) };
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    if !(1..=32).contains(&scheme.len()) || !scheme.bytes().all(fits) {
        out.error("auth", at, format!("`{scheme}` is not the name of a scheme"));
        return None;
    }
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(Auth::BearerToken);
    }
    Some(Auth::TokenScheme { scheme: scheme.to_owned() })
}

fn api_key(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<Auth> {
    match (map.text("key_param", out), map.text("header", out)) {
        (Some((param, _)), None) => Some(Auth::ApiKeyQuery { key_param: param.to_owned() }),
        (None, Some((header, at))) => {
            if COMPOSED.iter().any(|name| is_header(name, header)) {
                let message = format!("`{header}` says something else in every request");
                out.error("header", at, message);
            }
            header_name(header, at, out).map(|header| Auth::ApiKeyHeader { header })
        }
        _ => {
            out.error("auth", map.at, "`api_key` needs exactly one of `key_param` and `header`");
            None
        }
    }
}

fn oauth2(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<Auth> {
    let token_url = map
        .required_text("token_url", out)
        .and_then(|(text, at)| address("token_url", text, at, out));
    let scope = map.text("scope", out).map(|(text, _)| text.trim().to_owned());
    let client_auth = match map.text("client_auth", out) {
        None | Some(("header", _)) => Some(ClientAuth::Header),
        Some(("body", _)) => Some(ClientAuth::Body),
        Some((other, at)) => {
            let message = format!("`{other}` is not a place for the client's id and secret");
            out.hinted("auth", at, message, "use `header` or `body`");
            None
        }
    };
    Some(Auth::Oauth2ClientCredentials {
        token_url: token_url?,
        scope: scope.filter(|scope| !scope.is_empty()),
        client_auth: client_auth?,
    })
}

/// The fields of the credentials form.
pub(super) fn auth_fields(
    map: &mut Mapping<'_>,
    origin: Origin,
    out: &mut Diagnostics,
) -> Vec<(AuthField, Position)> {
    let mut fields: Vec<(AuthField, Position)> = Vec::new();
    for node in map.list("auth_fields", out) {
        let Some(mut entry) = Mapping::of(node, "an auth field", out) else { continue };
        let name = entry.required_text("name", out);
        let label = entry.text("label", out).map(|(text, _)| text.to_owned());
        let field_type = match entry.text("type", out) {
            None | Some(("password", _)) => "password",
            Some(("text", _)) => "text",
            Some((other, at)) => {
                out.hinted(
                    "type",
                    at,
                    format!("`{other}` is not a type of form field"),
                    "use text or password",
                );
                "password"
            }
        };
        let env_var =
            entry.text("env_var", out).and_then(|(text, at)| env_var(text, at, origin, out));
        entry.finish(out);
        let Some((name, at)) = name else { continue };
        if fields.iter().any(|(other, _)| other.name == name) {
            out.error("duplicate", at, format!("the auth field `{name}` is declared twice"));
        }
        let label = label.unwrap_or_else(|| name.to_owned());
        let field =
            AuthField { name: name.to_owned(), label, field_type: field_type.to_owned(), env_var };
        fields.push((field, at));
    }
    if fields.len() > MOST_PARTS {
        out.error("auth_fields", map.at, format!("a credential has at most {MOST_PARTS} parts"));
    }
    fields
}

/// K-37: a connector that anybody can write must not name the platform's secrets.
fn env_var(text: &str, at: Position, origin: Origin, out: &mut Diagnostics) -> Option<String> {
    if origin == Origin::User {
        let message = "`env_var` is ignored: credentials come from the owner's vault only";
        out.warning("env_var", at, message);
        return None;
    }
    let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let starts = text.starts_with(|c: char| c.is_ascii_uppercase());
    if starts && text.len() <= 64 && text.bytes().all(fits) {
        return Some(text.to_owned());
    }
    let message =
        format!("`{text}` is not an environment name: capitals, digits and `_`, first a letter");
    out.error("env_var", at, message);
    None
}
