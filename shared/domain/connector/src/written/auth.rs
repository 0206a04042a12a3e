//! `auth`, by kind (F-103), and the fields of the credentials form.

use countersign_document::Rules;
use schemars::JsonSchema;
use serde::Deserialize;

use super::egress::check_public;
use super::origin::Origin;
use super::text::{Address, HeaderName, PathPrefix, Scheme};
use crate::header::{COMPOSED, is_header};
use crate::model::{self, ClientAuth, TokenServer};

/// How requests prove who sends them. The secrets are in the owner's vault, never here.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(extend("x-code" = "auth"))]
pub(super) enum Auth {
    /// Not at all.
    None {
        /// Ignored with a warning: credentials come from the owner's vault only.
        env_var: Option<String>,
    },
    /// A key in a query parameter or in a header.
    ApiKey {
        /// The query parameter that carries the key.
        key_param: Option<String>,
        /// The header that carries the key.
        header: Option<HeaderName>,
        /// Ignored with a warning: credentials come from the owner's vault only.
        env_var: Option<String>,
    },
    /// `Authorization: Bearer …`.
    BearerToken {
        /// The word in front of the token; `Bearer` when left out.
        scheme: Option<Scheme>,
        /// Ignored with a warning: credentials come from the owner's vault only.
        env_var: Option<String>,
    },
    /// A token in the path, behind the base URL: `/bot{token}`. Only in a `rest_api` whose endpoints have an effect.
    PathToken {
        /// What stands before the token in the same segment.
        prefix: Option<PathPrefix>,
        /// Ignored with a warning: credentials come from the owner's vault only.
        env_var: Option<String>,
    },
    /// `Authorization: Basic …`.
    Basic {
        /// Ignored with a warning: credentials come from the owner's vault only.
        env_var: Option<String>,
    },
    /// A token that the client's id and secret buy at another address.
    Oauth2ClientCredentials {
        /// Where a token is bought; HTTPS.
        #[schemars(extend("x-code" = "token_url"))]
        token_url: Address,
        /// What the token is for.
        scope: Option<String>,
        /// Where the token request carries the client's id and secret.
        #[serde(default)]
        client_auth: ClientAuth,
        /// Ignored with a warning: credentials come from the owner's vault only.
        env_var: Option<String>,
    },
    /// A token that is bought with the refresh token of a person who let the client act for them.
    Oauth2RefreshToken {
        /// Where a token is bought; HTTPS.
        #[schemars(extend("x-code" = "token_url"))]
        token_url: Address,
        /// What the token is for; what the person has agreed to when left out.
        scope: Option<String>,
        /// Where the token request carries the client's id and secret.
        #[serde(default)]
        client_auth: ClientAuth,
        /// Ignored with a warning: credentials come from the owner's vault only.
        env_var: Option<String>,
    },
}

impl Default for Auth {
    fn default() -> Self {
        Self::None { env_var: None }
    }
}

impl Auth {
    pub(super) fn model(&self) -> model::Auth {
        match self {
            Self::None { .. } => model::Auth::None,
            Self::ApiKey { key_param: Some(key_param), .. } => {
                model::Auth::ApiKeyQuery { key_param: key_param.clone() }
            }
            Self::ApiKey { header, .. } => model::Auth::ApiKeyHeader {
                header: header.as_ref().map_or("", HeaderName::as_str).to_ascii_lowercase(),
            },
            Self::BearerToken { scheme, .. } => match scheme.as_ref().map(Scheme::as_str) {
                Some(scheme) if !scheme.eq_ignore_ascii_case("bearer") => {
                    model::Auth::TokenScheme { scheme: scheme.to_owned() }
                }
                _ => model::Auth::BearerToken,
            },
            Self::PathToken { prefix, .. } => model::Auth::PathToken {
                prefix: prefix.as_ref().map_or("", PathPrefix::as_str).to_owned(),
            },
            Self::Basic { .. } => model::Auth::Basic,
            Self::Oauth2ClientCredentials { token_url, scope, client_auth, .. } => {
                model::Auth::Oauth2ClientCredentials(server(token_url, scope, *client_auth))
            }
            Self::Oauth2RefreshToken { token_url, scope, client_auth, .. } => {
                model::Auth::Oauth2RefreshToken(server(token_url, scope, *client_auth))
            }
        }
    }

    fn env_var(&self) -> Option<&String> {
        match self {
            Self::None { env_var }
            | Self::ApiKey { env_var, .. }
            | Self::BearerToken { env_var, .. }
            | Self::PathToken { env_var, .. }
            | Self::Basic { env_var }
            | Self::Oauth2ClientCredentials { env_var, .. }
            | Self::Oauth2RefreshToken { env_var, .. } => env_var.as_ref(),
        }
    }

    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        if self.env_var().is_some() {
            ignored("/env_var", rules);
        }
        if let Self::Oauth2ClientCredentials { token_url, .. }
        | Self::Oauth2RefreshToken { token_url, .. } = self
        {
            check_public("token_url", token_url.as_str(), rules);
        }
        let Self::ApiKey { key_param, header, .. } = self else { return };
        let is_sound = rules.is_sound("/key_param") && rules.is_sound("/header");
        if key_param.is_some() == header.is_some() && is_sound {
            rules.error("auth", "", "`api_key` needs exactly one of `key_param` and `header`");
        }
        let header = header.as_ref().map(HeaderName::as_str);
        if let Some(header) = header.filter(|own| COMPOSED.iter().any(|name| is_header(name, own)))
        {
            let message = format!("`{header}` is set to something else in every request");
            rules.error("header", "/header", message);
        }
    }
}

fn server(token_url: &Address, scope: &Option<String>, client_auth: ClientAuth) -> TokenServer {
    let scope = scope.as_deref().map(str::trim).filter(|scope| !scope.is_empty());
    TokenServer {
        token_url: token_url.as_str().trim_end_matches('/').to_owned(),
        scope: scope.map(str::to_owned),
        client_auth,
    }
}

pub(super) fn ignored(pointer: &str, rules: &mut Rules<'_>) {
    let message = "`env_var` is ignored: credentials come from the owner's vault only";
    rules.warning("env_var", pointer, message);
}

/// One field of the credentials form.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuthField {
    /// The part of the credential it fills, such as `api_key`; `auth` says which are needed.
    pub(super) name: String,
    /// What the form says; the name when left out.
    label: Option<String>,
    /// Whether the form hides what is typed.
    #[serde(default, rename = "type")]
    kind: FormField,
    /// The deployment's environment name it may be filled from. Kept in system templates only; ignored with a warning
    /// everywhere else.
    env_var: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(extend("x-code" = "type"))]
enum FormField {
    #[default]
    Password,
    Text,
}

impl AuthField {
    pub(super) fn model(&self, origin: Origin) -> model::AuthField {
        let field_type: &str = self.kind.into();
        model::AuthField {
            name: self.name.clone(),
            label: self.label.clone().unwrap_or_else(|| self.name.clone()),
            field_type: field_type.to_owned(),
            env_var: self.env_var.clone().filter(|_| origin == Origin::System),
        }
    }

    /// K-37: a connector that anybody can write must not name the platform's secrets.
    pub(super) fn rules(&self, origin: Origin, rules: &mut Rules<'_>) {
        let Some(name) = &self.env_var else { return };
        if origin == Origin::User {
            return ignored("/env_var", rules);
        }
        let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        let starts = name.starts_with(|c: char| c.is_ascii_uppercase());
        if !starts || name.len() > 64 || !name.bytes().all(fits) {
            let message = format!(
                "`{name}` is not an environment name: capitals, digits and `_`, first a letter"
            );
            rules.error("env_var", "/env_var", message);
        }
    }
}

/// The form asks for the parts the calls need, and every one of them.
pub(super) fn form(fields: &[AuthField], auth: Option<&model::Auth>, rules: &mut Rules<'_>) {
    for (n, field) in fields.iter().enumerate() {
        if fields[..n].iter().any(|other| other.name == field.name) {
            let message = format!("the auth field `{}` is declared twice", field.name);
            rules.error("duplicate", &format!("/{n}/name"), message);
        }
    }
    let Some(needed) = auth.map(model::Auth::credential_fields) else { return };
    for (n, field) in fields.iter().enumerate() {
        if !auth.is_some_and(|auth| auth.takes(&field.name)) {
            let message = format!("calls of this connector do not use `{}`", field.name);
            let hint = match needed {
                [] => "its `auth` needs no credential".to_owned(),
                needed => format!("they use {}", needed.join(" and ")),
            };
            rules.hinted("auth_fields", &format!("/{n}/name"), message, hint);
        }
    }
    for name in needed.iter().filter(|_| !auth.is_some_and(model::Auth::has_choices)) {
        if !fields.is_empty() && !fields.iter().any(|field| field.name == **name) {
            rules.error("auth_fields", "/0/name", format!("the form does not ask for `{name}`"));
        }
    }
}
