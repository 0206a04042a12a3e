//! What a token says.
//!
//! Two dialects are read. Tokens of this deployment, or of an issuer that speaks its language, name `login`, `api` or
//! `service` as their use and carry an audience. Access tokens of a Cognito user pool name `access`, carry `client_id`
//! where others carry `aud`, and say in `auth_time` and `origin_jti` which sign-in they come from; `user_id`, `scopes`
//! and `capabilities` are added by the pool's trigger (`on-sign-in`), because the pool owns `sub`.
//! Source: Cognito developer guide, "Understanding the access token".

use std::collections::BTreeSet;

use countersign_identity::{PoolAccount, Presented, Scopes, TokenUse, UserId};
use serde::Deserialize;
use serde_json::Value;

use super::TokenError;

/// The claims that are read after signature, issuer and expiry were checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Claims {
    /// Who made it. Checked before.
    pub iss: String,
    /// Whom it is for: one audience or several.
    #[serde(default)]
    pub aud: Option<Audience>,
    /// The application a user pool made it for: its audience.
    #[serde(default)]
    pub client_id: Option<Value>,
    /// The directory's id of the person, unless `user_id` says it.
    pub sub: String,
    /// The directory's id, for issuers that own `sub`.
    #[serde(default)]
    pub user_id: Option<String>,
    /// The name a person has signed in with at a user pool. Programs have none.
    #[serde(default)]
    pub username: Option<Value>,
    /// When it was issued, epoch seconds.
    pub iat: i64,
    /// When it expires, epoch seconds, perhaps with a fraction. Checked before.
    #[serde(default)]
    pub exp: Option<Value>,
    /// When the person signed in at a user pool, epoch seconds; stays when a session makes new tokens.
    #[serde(default)]
    pub auth_time: Option<Value>,
    /// Its own id, so that it can be revoked.
    pub jti: String,
    /// The id of the session at a user pool.
    #[serde(default)]
    pub origin_jti: Option<Value>,
    /// The most it may do. Without scopes it can do nothing that asks for a role.
    #[serde(default)]
    pub scopes: Scopes,
    /// `decide`, `publish`, `administer`. Unknown names are ignored.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The second factors of the account at a user pool, in the pool's words; its trigger adds them at a sign-in.
    #[serde(default)]
    pub mfa_factors: Option<Value>,
    /// How the holder proved who they are (RFC 8176), for issuers that say it.
    #[serde(default)]
    pub amr: Option<Value>,
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

/// One audience or several. Anything else is not an audience, and the token is not read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Audience {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Audience {
    fn is(&self, audience: &str) -> bool {
        match self {
            Self::One(named) => named == audience,
            Self::Many(named) => named.iter().any(|named| named == audience),
        }
    }
}

/// A sign-in at a user pool.
struct Session {
    id: String,
    /// Epoch seconds.
    began: i64,
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
        let session = self.session()?;
        let pool = self.iss.rsplit('/').next().unwrap_or_default().to_owned();
        if !is_id(&self.jti) {
            return Err(TokenError::Malformed);
        }
        Ok(Presented {
            second_factor: self.second_factor(),
            user,
            issued_at: session.as_ref().map_or(self.iat, |session| session.began.min(self.iat)),
            expires_at: self.exp.as_ref().and_then(whole_seconds),
            token_id: self.jti,
            account: session.as_ref().map(|_| PoolAccount { pool, subject: self.sub }),
            session: session.map(|session| session.id),
            token_use,
            scopes: self.scopes,
            capabilities: self
                .capabilities
                .iter()
                .filter_map(|name| name.parse().ok())
                .collect::<BTreeSet<_>>(),
        })
    }

    /// Whether a person has signed in for it at a user pool. In other tokens such claims are their issuer's own.
    fn is_of_a_sign_in(&self) -> bool {
        self.token_use == Use::Access && self.username.as_ref().is_some_and(Value::is_string)
    }

    /// Whether the issuer says that the holder signed in with a second factor. What has another form says nothing.
    fn second_factor(&self) -> bool {
        let listed = |claim: &Option<Value>, is: fn(&str) -> bool| {
            let names = claim.as_ref().and_then(Value::as_array).into_iter().flatten();
            names.filter_map(Value::as_str).any(is)
        };
        match self.token_use {
            Use::Access => {
                self.is_of_a_sign_in() && listed(&self.mfa_factors, |name| !name.is_empty())
            }
            Use::Login => listed(&self.amr, |name| name == "mfa"),
            Use::Api | Use::Service | Use::Id => false,
        }
    }

    /// The sign-in that an access token comes from; programs have none.
    fn session(&self) -> Result<Option<Session>, TokenError> {
        if !self.is_of_a_sign_in() {
            return Ok(None);
        }
        let id = self.origin_jti.as_ref().and_then(|id| id.as_str()).filter(|id| is_id(id));
        let began = self.auth_time.as_ref().and_then(Value::as_i64);
        let (id, began) = id.zip(began).ok_or(TokenError::Malformed)?;
        Ok(Some(Session { id: id.to_owned(), began }))
    }

    /// An access token with a name in it was made for a person who has signed in; one without was made for a program.
    fn use_of(&self, published: bool) -> Result<TokenUse, TokenError> {
        match (self.token_use, published) {
            (Use::Login, _) => Ok(TokenUse::Login),
            (Use::Service, false) => Ok(TokenUse::Service),
            // Nobody outside the deployment can mint its operator.
            (Use::Api, _) | (Use::Service, true) => Ok(TokenUse::Api),
            (Use::Access, true) if self.is_of_a_sign_in() => Ok(TokenUse::Login),
            (Use::Access, true) => Ok(TokenUse::Api),
            (Use::Id, true) => Err(TokenError::Use),
            (Use::Access | Use::Id, false) => Err(TokenError::Malformed),
        }
    }

    /// Only access tokens of a user pool go without `aud`; their application stands for it.
    fn is_for(&self, audience: &str, published: bool) -> Result<(), TokenError> {
        let of_pool = self.token_use == Use::Access && published;
        match (&self.aud, self.client_id.as_ref().and_then(Value::as_str)) {
            (_, Some(client)) if of_pool && client != audience => Err(TokenError::Audience),
            (Some(named), _) if named.is(audience) => Ok(()),
            (Some(_), _) => Err(TokenError::Audience),
            (None, Some(_)) if of_pool => Ok(()),
            (None, _) => Err(TokenError::Malformed),
        }
    }
}

/// A time without its fraction.
fn whole_seconds(time: &Value) -> Option<i64> {
    let time = time.to_string();
    time.split('.').next()?.parse().ok()
}

fn is_id(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic() && b != b'#')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Claims;

    #[track_caller]
    fn check(more: &Value, published: bool, expect: bool) {
        let mut claims = json!({
            "iss": "https://pools.example/p-1", "aud": "us", "sub": "a-1", "iat": 1, "jti": "t-1",
            "user_id": "user_aaaaaaaabbbb4ccc8dddeeeeeeeeeeee", "token_use": "access",
            "username": "ada", "auth_time": 1, "origin_jti": "s-1",
        });
        let more = more.as_object().unwrap().clone();
        claims.as_object_mut().unwrap().extend(more);
        let claims: Claims = serde_json::from_value(claims.clone()).unwrap();
        let said = claims.presented("us", published).unwrap();
        assert_eq!(said.second_factor, expect, "{said:?}");
    }

    #[test]
    fn when_a_token_expires_is_read_without_a_fraction() {
        for (said, read) in [
            (json!(1_700_000_000), Some(1_700_000_000)),
            (json!(1_700_000_000.5), Some(1_700_000_000)),
            (json!("soon"), None),
        ] {
            assert_eq!(super::whole_seconds(&said), read, "{said}");
        }
    }

    #[test]
    fn a_second_factor_is_what_the_issuer_says_and_nothing_else() {
        check(&json!({ "mfa_factors": ["SOFTWARE_TOKEN_MFA"] }), true, true);
        check(&json!({}), true, false);
        check(&json!({ "mfa_factors": [] }), true, false);
        check(&json!({ "mfa_factors": "SOFTWARE_TOKEN_MFA" }), true, false);
        check(&json!({ "mfa_factors": [""] }), true, false);
        check(&json!({ "amr": ["mfa"] }), true, false);
        // Programs sign in with none.
        let program = json!({ "mfa_factors": ["SMS_MFA"], "username": null });
        check(&program, true, false);
        check(&json!({ "token_use": "api", "amr": ["mfa"] }), true, false);
        // Other issuers say it in the words of RFC 8176.
        check(&json!({ "token_use": "login", "amr": ["pwd", "mfa"] }), true, true);
        check(&json!({ "token_use": "login", "amr": ["pwd", "mfa"] }), false, true);
        check(&json!({ "token_use": "login", "amr": ["pwd"] }), true, false);
        check(&json!({ "token_use": "login", "mfa_factors": ["x"] }), true, false);
    }
}
