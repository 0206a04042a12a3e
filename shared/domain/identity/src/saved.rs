//! What a document that runs by itself was saved with: its runs never do more, and none once that token is void.

use crate::effective_permissions::{DirectoryEntry, Presented, Refused};
use crate::scope::Scopes;

/// The scopes and the token of whoever saved a document last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Saved<'a> {
    /// The scopes that were effective then.
    pub scopes: Option<&'a Scopes>,
    /// The token; none of a document that an earlier release saved.
    pub token: Option<&'a Presented>,
}

impl Saved<'_> {
    /// Whether what it was saved with is void now.
    #[must_use]
    pub fn is_revoked(&self, entry: &DirectoryEntry) -> bool {
        matches!(self.remains(entry), Err(Refused::TokenRevoked))
    }

    /// What remains of it: the directory's scopes and those it was saved with. That the token has expired since does not matter;
    /// that it was revoked does.
    ///
    /// # Errors
    /// [`Refused`] when the person is inactive, or the token is void.
    pub fn remains(&self, entry: &DirectoryEntry) -> Result<Scopes, Refused> {
        if !entry.active {
            return Err(Refused::Inactive);
        }
        self.token.map_or(Ok(()), |token| entry.effective(token).map(drop))?;
        Ok(self.scopes.map_or_else(Scopes::default, |saved| entry.scopes.intersect(saved)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{Accounts, TokenUse, UserId};

    fn entry(not_before: Option<i64>, revoked: &[&str]) -> DirectoryEntry {
        DirectoryEntry {
            user: UserId::from_bytes([1; 16]),
            name: "Ana".to_owned(),
            email: "ana@example.org".to_owned(),
            email_verified: true,
            active: true,
            accounts: Accounts::Any,
            scopes: Scopes::parse(["global:analyst"]),
            capabilities: BTreeSet::new(),
            not_before,
            revoked: revoked.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    fn token(issued_at: i64) -> Presented {
        Presented {
            user: UserId::from_bytes([1; 16]),
            token_id: "t-1".to_owned(),
            session: Some("s-1".to_owned()),
            account: None,
            issued_at,
            expires_at: None,
            token_use: TokenUse::Login,
            scopes: Scopes::parse(["global:analyst"]),
            capabilities: BTreeSet::new(),
            second_factor: false,
        }
    }

    fn check(entry: &DirectoryEntry, token: Option<&Presented>, expect: Result<&str, Refused>) {
        let scopes = Scopes::parse(["global:analyst"]);
        let got = Saved { scopes: Some(&scopes), token }.remains(entry);
        assert_eq!(got, expect.map(|scope| Scopes::parse([scope])));
    }

    #[test]
    fn r_003_what_was_saved_with_a_token_that_is_void_is_worth_nothing() {
        let own = token(100);
        check(&entry(None, &[]), Some(&own), Ok("global:analyst"));
        check(&entry(Some(100), &[]), Some(&own), Ok("global:analyst"));
        check(&entry(Some(101), &[]), Some(&own), Err(Refused::TokenRevoked));
        check(&entry(None, &["t-1"]), Some(&own), Err(Refused::TokenRevoked));
        check(&entry(None, &["s-1"]), Some(&own), Err(Refused::TokenRevoked));
        check(&entry(None, &["t-2", "s-2"]), Some(&own), Ok("global:analyst"));
        let inactive = DirectoryEntry { active: false, ..entry(None, &[]) };
        check(&inactive, Some(&own), Err(Refused::Inactive));
        check(&inactive, None, Err(Refused::Inactive));
        // What an earlier release saved has no token: the directory alone decides.
        check(&entry(Some(101), &["t-1"]), None, Ok("global:analyst"));
    }

    proptest! {
        #[test]
        fn r_003_age_alone_never_voids_what_was_saved(issued_at in 0_i64..4_000_000_000) {
            let (own, scopes) = (token(issued_at), Scopes::parse(["global:analyst"]));
            let saved = Saved { scopes: Some(&scopes), token: Some(&own) };
            prop_assert!(saved.remains(&entry(None, &[])).is_ok());
            prop_assert!(saved.remains(&entry(Some(issued_at + 1), &[])).is_err());
        }
    }
}
