//! Who is asking: the token says who, the directory what they may do at this moment.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_identity::{Caller, Presented, Rights, TokenUse};
use futures::future::BoxFuture;
use http::header;
use http::request::Parts;

use crate::problem::Problem;
use crate::token::{TokenError, Verifier};

/// What a router's state must offer so that its handlers can ask who is calling.
pub trait AuthContext: Send + Sync {
    /// Verifies tokens.
    fn verifier(&self) -> &Verifier;
    /// Knows what people may do.
    fn rights(&self) -> &dyn Rights;

    /// Takes note of a token that was accepted. Most doors keep nothing of it.
    fn accepted<'a>(&'a self, _: &'a Presented) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl<G: AuthContext> AuthContext for Arc<G> {
    fn verifier(&self) -> &Verifier {
        self.as_ref().verifier()
    }

    fn rights(&self) -> &dyn Rights {
        self.as_ref().rights()
    }

    fn accepted<'a>(&'a self, presented: &'a Presented) -> BoxFuture<'a, ()> {
        self.as_ref().accepted(presented)
    }
}

/// The caller of a request, with rights read from the directory for this request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// Identity and effective rights.
    pub caller: Caller,
    /// What the token claims; a run keeps it, so that every step can ask the directory again.
    pub presented: Presented,
}

impl Signed {
    /// What the caller may do now: an answer that goes on for long asks again.
    ///
    /// # Errors
    /// A [`Problem`] when the token has expired or is void, or the directory does not answer.
    pub async fn again(&self, rights: &dyn Rights) -> Result<Caller, Problem> {
        let now = jiff::Timestamp::now().as_second();
        if self.presented.expires_at.is_some_and(|until| until <= now) {
            return Err(TokenError::Expired.into());
        }
        caller(rights, &self.presented).await
    }
}

impl<G: AuthContext> FromRequestParts<G> for Signed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, gate: &G) -> Result<Self, Problem> {
        let header = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = bearer(header)?;
        let presented = gate.verifier().verify(token).await?;
        let caller = caller(gate.rights(), &presented).await?;
        gate.accepted(&presented).await;
        Ok(Signed { caller, presented })
    }
}

/// The token of an `Authorization: Bearer` header.
///
/// # Errors
/// [`TokenError::Missing`] when there is none.
pub fn bearer(header: Option<&str>) -> Result<&str, TokenError> {
    let (scheme, token) =
        header.and_then(|value| value.split_once(' ')).ok_or(TokenError::Missing)?;
    let token = token.trim();
    if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() {
        Ok(token)
    } else {
        Err(TokenError::Missing)
    }
}

async fn caller(rights: &dyn Rights, presented: &Presented) -> Result<Caller, Problem> {
    if presented.token_use == TokenUse::Service {
        return Ok(service(presented));
    }
    match rights.effective(presented).await {
        Ok(answer) => Ok(answer?),
        Err(error) => Err(Problem::of(error.as_ref())),
    }
}

/// The deployment's own operator is not a person and stands in no directory. Only a verifier with the deployment's secret
/// lets such tokens through; they can administer and nothing beyond their scopes.
fn service(presented: &Presented) -> Caller {
    let carried = presented.capabilities.iter().filter(|cap| presented.token_use.may_carry(**cap));
    Caller {
        user: presented.user.clone(),
        scopes: presented.scopes.clone(),
        capabilities: carried.copied().collect(),
        token_id: presented.token_id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_failure::Failure;
    use countersign_identity::{Capability, DirectoryEntry, Scopes, UserId};

    use super::*;

    struct Fixed(Option<DirectoryEntry>);

    impl Rights for Fixed {
        fn entry<'a>(
            &'a self,
            _: &'a UserId,
        ) -> BoxFuture<'a, Result<Option<DirectoryEntry>, Box<dyn Failure>>> {
            Box::pin(async { Ok(self.0.clone()) })
        }

        fn is_member<'a>(
            &'a self,
            _: &'a UserId,
            _: &'a str,
        ) -> BoxFuture<'a, Result<bool, Box<dyn Failure>>> {
            Box::pin(async { Ok(false) })
        }
    }

    fn presented(token_use: TokenUse) -> Presented {
        Presented {
            user: UserId::from_bytes([1; 16]),
            token_id: "t".to_owned(),
            session: None,
            account: None,
            expires_at: None,
            issued_at: 10,
            token_use,
            scopes: Scopes::parse(["macro:analyst"]),
            capabilities: [Capability::Decide, Capability::Administer].into(),
            second_factor: false,
        }
    }

    async fn check(rights: Fixed, token_use: TokenUse, expect: Result<&[Capability], &str>) {
        let found = caller(&rights, &presented(token_use)).await;
        let found = found.map(|caller| caller.capabilities).map_err(|problem| problem.code.clone());
        let expect =
            expect.map(|caps| caps.iter().copied().collect::<BTreeSet<_>>()).map_err(str::to_owned);
        assert_eq!(found, expect);
    }

    #[tokio::test]
    async fn people_must_stand_in_the_directory_and_services_can_only_administer() {
        check(Fixed(None), TokenUse::Login, Err("USER_UNKNOWN")).await;
        check(Fixed(None), TokenUse::Api, Err("USER_UNKNOWN")).await;
        check(Fixed(None), TokenUse::Service, Ok(&[Capability::Administer])).await;
    }

    #[test]
    fn only_a_bearer_header_carries_a_token() {
        assert_eq!(bearer(Some("Bearer abc")), Ok("abc"));
        assert_eq!(bearer(Some("bearer  abc")), Ok("abc"));
        for header in
            [None, Some(""), Some("Bearer"), Some("Bearer "), Some("Basic abc"), Some("abc")]
        {
            assert_eq!(bearer(header), Err(TokenError::Missing), "{header:?}");
        }
    }
}
