//! Tokens of the local stack: HS256, signed with the stack's own secret.

use countersign_identity::{Scopes, TokenUse, UserId};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::Serialize;

use crate::error::CliError;
use crate::stack::Stack;

/// Who makes the tokens of the local stack, and whom they are for; the defaults of `template.yaml`.
const PARTY: &str = "countersign";
/// What the operator's tokens name as their subject: nobody's id, because an operator is not a person.
const OPERATOR: [u8; 16] = [0; 16];
const TEN_MINUTES: i64 = 600;

/// What a token claims; the doors read it in `countersign-web` (`token::Claims`).
#[derive(Debug, Clone, Serialize)]
pub struct Claims {
    /// The directory's id of the person.
    pub sub: UserId,
    /// The most it may do.
    pub scopes: Scopes,
    /// `decide`, `publish`, `administer`.
    pub capabilities: Vec<String>,
    /// How it came to be: only a login may decide.
    pub token_use: TokenUse,
    /// How long it is good, in seconds.
    #[serde(skip)]
    pub seconds: i64,
}

#[derive(Serialize)]
struct Signed<'a> {
    iss: &'a str,
    aud: &'a str,
    exp: i64,
    iat: i64,
    jti: String,
    #[serde(flatten)]
    claims: &'a Claims,
}

/// Signs a token that is good from now on.
///
/// # Errors
/// [`CliError::Argument`] when the claims cannot be signed.
pub fn sign(stack: &Stack, claims: &Claims) -> Result<String, CliError> {
    let now = jiff::Timestamp::now().as_second();
    let jti = uuid::Uuid::now_v7().to_string();
    let signed =
        Signed { iss: PARTY, aud: PARTY, exp: now + claims.seconds, iat: now, jti, claims };
    let key = EncodingKey::from_secret(stack.jwt_secret.as_bytes());
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), &signed, &key)
        .map_err(|error| CliError::Argument(format!("the token cannot be signed: {error}")))
}

/// A token of the stack's operator: administers for ten minutes, and can neither run nor decide anything.
///
/// # Errors
/// As [`sign`].
pub fn operator(stack: &Stack) -> Result<String, CliError> {
    let claims = Claims {
        sub: UserId::from_bytes(OPERATOR),
        scopes: Scopes::parse(["global:admin"]),
        capabilities: vec!["administer".to_owned()],
        token_use: TokenUse::Service,
        seconds: TEN_MINUTES,
    };
    sign(stack, &claims)
}

/// A token of a person who has signed in at this machine: all the directory grants, for an hour.
///
/// # Errors
/// As [`sign`].
pub fn login(stack: &Stack, user: &UserId, scopes: Scopes) -> Result<String, CliError> {
    let capabilities = ["decide", "publish", "administer"].map(str::to_owned).to_vec();
    sign(
        stack,
        &Claims {
            sub: user.clone(),
            scopes,
            capabilities,
            token_use: TokenUse::Login,
            seconds: 3600,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{login, operator};
    use crate::stack::Stack;
    use countersign_identity::{Scopes, UserId};
    use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
    use serde_json::{Value, json};

    fn claims(stack: &Stack, token: &str) -> Value {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&["countersign"]);
        validation.set_issuer(&["countersign"]);
        decode(token, &DecodingKey::from_secret(stack.jwt_secret.as_bytes()), &validation)
            .unwrap()
            .claims
    }

    #[test]
    fn k_08_the_operator_is_no_person_and_cannot_decide() {
        let stack = Stack::new("one", 1);
        let said = claims(&stack, &operator(&stack).unwrap());
        assert_eq!(said["token_use"], "service");
        assert_eq!(said["capabilities"], json!(["administer"]));
    }

    #[test]
    fn a_login_names_its_person_and_may_decide() {
        let stack = Stack::new("one", 1);
        let user = UserId::from_bytes([7; 16]);
        let said = claims(&stack, &login(&stack, &user, Scopes::parse(["macro:analyst"])).unwrap());
        assert_eq!(said["sub"], user.as_str());
        assert_eq!(said["scopes"], json!(["macro:analyst"]));
        assert!(said["capabilities"].as_array().unwrap().contains(&json!("decide")));
    }
}
