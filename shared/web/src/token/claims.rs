//! What a token says.
//!
//! Two dialects are read. Tokens of this deployment, or of an issuer that speaks its language, name `login`, `api` or
//! `service` as their use and carry an audience. Access tokens of a Cognito user pool name `access`, carry `client_id`
//! where others carry `aud`, and say in `auth_time` and `origin_jti` which sign-in they come from; `user_id`, `scopes`
//! and `capabilities` are added by the pool's trigger (`on-sign-in`), because the pool owns `sub`.
//! Source: Cognito developer guide, "Understanding the access token".

use std::collections::BTreeSet;

use countersign_identity::{Capability, Presented, Scopes, TokenUse, UserId};
use serde::Deserialize;

use super::TokenError;

/// The claims that are read after signature, issuer, expiry and, where the token has one, audience were checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Claims {
    /// Whom it is for. Checked before; here only whether there is one.
    #[serde(default)]
    pub aud: Option<serde_json::Value>,
    /// The application a user pool made it for: its audience.
    #[serde(default)]
    pub client_id: Option<String>,
    /// The directory's id of the person, unless `user_id` says it.
    pub sub: String,
    /// The directory's id, for issuers that own `sub`.
    #[serde(default)]
    pub user_id: Option<String>,
    /// The name a person has signed in with at a user pool. Programs have none.
    #[serde(default)]
    pub username: Option<String>,
    /// When it was issued, epoch seconds.
    pub iat: i64,
    /// When the person signed in, epoch seconds; stays when a session makes new tokens.
    #[serde(default)]
    pub auth_time: Option<i64>,
    /// Its own id, so that it can be revoked.
    pub jti: String,
    /// The id of the session at a user pool.
    #[serde(default)]
    pub origin_jti: Option<String>,
    /// The most it may do. Without scopes it can do nothing that asks for a role.
    #[serde(default)]
    pub scopes: Scopes,
    /// `decide`, `publish`, `administer`. Unknown names are ignored.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// How it came to be.
    pub token_use: Use,
}

/// How a token came to be, in its issuer's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// A person signed in.
    Login,
    /// A key of a person, for programs.
    Api,
    /// The deployment's own operator.
    Service,
    /// A user pool's token for an API.
    Access,
    /// A user pool's token for the application itself.
    Id,
}

impl Claims {
    /// What the token presents. `audience` is what it must name, and `published` whether its key is a published one: only
    /// then can it come from a user pool.
    pub(crate) fn presented(
        self,
        audience: &str,
        published: bool,
    ) -> Result<Presented, TokenError> {
        let token_use = self.use_of(published)?;
        self.is_for(audience, published)?;
        let user = UserId::parse(self.user_id.as_deref().unwrap_or(&self.sub))
            .map_err(|_| TokenError::Malformed)?;
        if !is_id(&self.jti) || self.origin_jti.as_deref().is_some_and(|id| !is_id(id)) {
            return Err(TokenError::Malformed);
        }
        Ok(Presented {
            user,
            issued_at: self.auth_time.map_or(self.iat, |signed_in| signed_in.min(self.iat)),
            token_id: self.jti,
            session: self.origin_jti,
            token_use,
            scopes: self.scopes,
            capabilities: self
                .capabilities
                .iter()
                .filter_map(|name| capability(name))
                .collect::<BTreeSet<_>>(),
        })
    }

    /// An access token with a name in it was made for a person who has signed in; one without was made for a program.
    fn use_of(&self, published: bool) -> Result<TokenUse, TokenError> {
        match (self.token_use, published) {
            (Use::Login, _) => Ok(TokenUse::Login),
            (Use::Service, false) => Ok(TokenUse::Service),
            // Nobody outside the deployment can mint its operator.
            (Use::Api, _) | (Use::Service, true) => Ok(TokenUse::Api),
            (Use::Access, true) if self.username.is_some() => Ok(TokenUse::Login),
            (Use::Access, true) => Ok(TokenUse::Api),
            (Use::Id, true) => Err(TokenError::Use),
            (Use::Access | Use::Id, false) => Err(TokenError::Malformed),
        }
    }

    /// Only access tokens of a user pool go without `aud`; their application stands for it.
    fn is_for(&self, audience: &str, published: bool) -> Result<(), TokenError> {
        match (&self.aud, &self.client_id, self.token_use) {
            (_, Some(client), Use::Access) if client != audience => Err(TokenError::Audience),
            (Some(_), _, _) => Ok(()),
            (None, Some(_), Use::Access) if published => Ok(()),
            (None, _, _) => Err(TokenError::Malformed),
        }
    }
}

fn is_id(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic() && b != b'#')
}

fn capability(name: &str) -> Option<Capability> {
    match name {
        "decide" => Some(Capability::Decide),
        "publish" => Some(Capability::Publish),
        "administer" => Some(Capability::Administer),
        _ => None,
    }
}
