//! What a token says.

use std::collections::BTreeSet;

use countersign_identity::{Capability, Presented, Scopes, TokenUse, UserId};
use serde::{Deserialize, Serialize};

use super::TokenError;

/// The claims of a token of this deployment. Issuer, audience and expiry are checked before these are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Who made it.
    pub iss: String,
    /// Whom it is for; one audience or several.
    pub aud: serde_json::Value,
    /// The directory's id of the person, unless `user_id` says it.
    pub sub: String,
    /// The directory's id, for issuers that own `sub`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// When it expires, epoch seconds.
    pub exp: i64,
    /// When it was issued, epoch seconds.
    pub iat: i64,
    /// Its own id, so that it can be revoked.
    pub jti: String,
    /// The most it may do. Without scopes it can do nothing that asks for a role.
    #[serde(default)]
    pub scopes: Scopes,
    /// `decide`, `publish`, `administer`. Unknown names are ignored.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// How it came to be.
    pub token_use: TokenUse,
}

impl Claims {
    pub(crate) fn presented(self) -> Result<Presented, TokenError> {
        let user = UserId::parse(self.user_id.as_deref().unwrap_or(&self.sub))
            .map_err(|_| TokenError::Malformed)?;
        let fits = |b: u8| b.is_ascii_graphic() && b != b'#';
        if self.jti.is_empty() || self.jti.len() > 128 || !self.jti.bytes().all(fits) {
            return Err(TokenError::Malformed);
        }
        Ok(Presented {
            user,
            token_id: self.jti,
            issued_at: self.iat,
            token_use: self.token_use,
            scopes: self.scopes,
            capabilities: self
                .capabilities
                .iter()
                .filter_map(|name| capability(name))
                .collect::<BTreeSet<_>>(),
        })
    }
}

fn capability(name: &str) -> Option<Capability> {
    match name {
        "decide" => Some(Capability::Decide),
        "publish" => Some(Capability::Publish),
        "administer" => Some(Capability::Administer),
        _ => None,
    }
}
