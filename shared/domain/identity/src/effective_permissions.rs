//! What a token presents, what the directory says of its holder, and what remains of both.

use std::collections::BTreeSet;

use countersign_failure::Failure;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::{Caller, Capability, UserId};
use crate::scope::Scopes;

/// How a token came to be; it bounds the capabilities the token can carry (K-08).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TokenUse {
    /// A person signed in: the only kind that may decide and publish.
    Login,
    /// A long-lived key of a person, for programs: no capabilities.
    Api,
    /// The deployment's own operator, minted with its secret: may administer, and is not a person.
    Service,
}

impl TokenUse {
    /// Whether a token of this kind can carry the capability at all.
    #[must_use]
    pub fn may_carry(self, capability: Capability) -> bool {
        match self {
            Self::Login => true,
            Self::Api => false,
            Self::Service => capability == Capability::Administer,
        }
    }
}

/// What a verified token claims. Stored with a run, so that every step can ask the directory again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presented {
    /// Who the token speaks for.
    pub user: UserId,
    /// The token's own id.
    pub token_id: String,
    /// The session it belongs to, where the issuer keeps sessions: every token made from one sign-in names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The account of a user pool it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<PoolAccount>,
    /// When it was issued, or when its holder signed in where the issuer says so; epoch seconds.
    pub issued_at: i64,
    /// When it expires, epoch seconds; not known of tokens that were stored by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// How it came to be.
    pub token_use: TokenUse,
    /// The scopes it claims.
    pub scopes: Scopes,
    /// The capabilities it claims.
    pub capabilities: BTreeSet<Capability>,
    /// Whether its issuer says that the holder signed in with a second factor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub second_factor: bool,
}

/// An account: the pool that keeps it and what that pool calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoolAccount {
    /// The id of the pool, the last part of its issuer's address.
    pub pool: String,
    /// The account's `sub`.
    pub subject: String,
}

/// Which accounts of user pools may speak for a person. Of a pool the directory knows nothing of, the issuer decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AllowedAccounts")]
pub enum Accounts {
    /// Any.
    #[default]
    Any,
    /// Of its pool only this one.
    Only(PoolAccount),
    /// None of this pool any more.
    NoneOf(String),
}

impl Accounts {
    fn admit(&self, account: &PoolAccount) -> bool {
        match self {
            Self::Any => true,
            Self::Only(own) => own.pool != account.pool || own == account,
            Self::NoneOf(pool) => *pool != account.pool,
        }
    }
}

/// What the directory says of one person at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectoryEntry {
    /// Who.
    pub user: UserId,
    /// Display name.
    pub name: String,
    /// Mail address.
    pub email: String,
    /// Whether somebody proved that the address is theirs.
    pub email_verified: bool,
    /// Inactive people can do nothing.
    pub active: bool,
    /// Which accounts may speak for them.
    #[serde(default)]
    pub accounts: Accounts,
    /// Granted scopes.
    pub scopes: Scopes,
    /// Granted capabilities.
    pub capabilities: BTreeSet<Capability>,
    /// Tokens issued before this time (epoch seconds) are void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<i64>,
    /// Ids of tokens and of sessions that are void.
    #[serde(default)]
    pub revoked: BTreeSet<String>,
}

/// Why a verified token opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 401)]
pub enum Refused {
    /// The directory does not know the person.
    #[error("the token speaks for somebody the directory does not know")]
    #[failure(code = "USER_UNKNOWN", help = "ask an administrator")]
    UnknownUser,
    /// The person was deactivated.
    #[error("this account is not active")]
    #[failure(code = "USER_INACTIVE", help = "ask an administrator")]
    Inactive,
    /// The token, or every token of its age, was revoked.
    #[error("this token was revoked")]
    #[failure(code = "TOKEN_REVOKED", help = "sign in again")]
    TokenRevoked,
}

impl DirectoryEntry {
    /// What remains of the token: token ∩ directory, in scopes and in capabilities.
    ///
    /// # Errors
    /// [`Refused`] when the person is inactive or another, or the token is void.
    pub fn effective(&self, token: &Presented) -> Result<Caller, Refused> {
        if self.user != token.user {
            return Err(Refused::UnknownUser);
        }
        if !self.active {
            return Err(Refused::Inactive);
        }
        if self.voids(token) {
            return Err(Refused::TokenRevoked);
        }
        let carried = token.capabilities.iter().filter(|cap| token.token_use.may_carry(**cap));
        Ok(Caller {
            user: self.user.clone(),
            scopes: self.scopes.intersect(&token.scopes),
            capabilities: carried.filter(|cap| self.capabilities.contains(cap)).copied().collect(),
            token_id: token.token_id.clone(),
        })
    }

    /// What the person may do by the directory alone, without a token: over a link that was mailed to them.
    ///
    /// # Errors
    /// [`Refused`] when the person is inactive.
    pub fn by_link(&self) -> Result<Caller, Refused> {
        if !self.active {
            return Err(Refused::Inactive);
        }
        Ok(Caller {
            user: self.user.clone(),
            scopes: self.scopes.clone(),
            capabilities: self.capabilities.clone(),
            token_id: "link".to_owned(),
        })
    }

    fn voids(&self, token: &Presented) -> bool {
        let too_old = self.not_before.is_some_and(|bound| token.issued_at < bound);
        let session_ended = token.session.as_ref().is_some_and(|id| self.revoked.contains(id));
        let foreign = token.account.as_ref().is_some_and(|own| !self.accounts.admit(own));
        too_old || session_ended || foreign || self.revoked.contains(&token.token_id)
    }
}

/// The read side of the directory. Read again before every effect and every decision: nothing here is cached.
pub trait Rights: Send + Sync {
    /// What the directory says of `user` now; none when it does not know them.
    fn entry<'a>(
        &'a self,
        user: &'a UserId,
    ) -> BoxFuture<'a, Result<Option<DirectoryEntry>, Box<dyn Failure>>>;

    /// Whether `user` is now a member of this team, `team_…`, and the team works.
    fn is_member<'a>(
        &'a self,
        user: &'a UserId,
        team: &'a str,
    ) -> BoxFuture<'a, Result<bool, Box<dyn Failure>>>;

    /// What a token is worth now.
    ///
    /// The outer error is the directory not answering; the inner one the directory's answer.
    fn effective<'a>(
        &'a self,
        token: &'a Presented,
    ) -> BoxFuture<'a, Result<Result<Caller, Refused>, Box<dyn Failure>>> {
        Box::pin(async move {
            let entry = self.entry(&token.user).await?;
            Ok(entry.ok_or(Refused::UnknownUser).and_then(|entry| entry.effective(token)))
        })
    }
}

#[cfg(test)]
mod tests;
