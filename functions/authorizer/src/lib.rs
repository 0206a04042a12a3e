//! Verifies tokens in front of the doors.
//!
//! A REQUEST authorizer of the HTTP API (payload 2.0, simple response). The answer depends on the token
//! alone, never on the route, so that the gateway may keep it for up to a minute. What the caller may do is asked of the
//! directory by the door behind it, for every request.
//!
//! A gateway refuses without words. Whoever holds a token of ours that is no longer good, or meant for another door, is
//! owed the reason: such a token passes here, unnamed, and `api`, which verifies it again, refuses it with a problem
//! document. Forged and unreadable tokens end here. Connections to which something is pushed are opened with tickets of `api`,
//! and do not come here.

use std::sync::Arc;

use countersign_web::bearer;
use countersign_web::token::{TokenError, Verifier};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// The part of the gateway's event this function reads.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// Header names in any case.
    #[serde(default)]
    headers: Option<serde_json::Map<String, serde_json::Value>>,
}

/// What the gateway is told.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// Whether the request may go on.
    #[serde(rename = "isAuthorized")]
    pub is_authorized: bool,
    /// Handed to the door behind; strings only.
    pub context: Context,
}

/// What the door is told. It verifies the token itself and trusts none of this.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Context {
    /// Who the token speaks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The token's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_id: Option<String>,
    /// `login`, `api` or `service`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_use: Option<&'static str>,
    /// Why not, when not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
}

/// Answers one request of the gateway.
#[must_use]
pub fn handle(request: Request, verifier: Arc<Verifier>) -> BoxFuture<'static, Answer> {
    Box::pin(async move {
        let verified = match token(&request) {
            Ok(token) => verifier.verify(token).await,
            Err(error) => Err(error),
        };
        match verified {
            Ok(presented) => Answer {
                is_authorized: true,
                context: Context {
                    user_id: Some(presented.user.to_string()),
                    token_id: Some(presented.token_id),
                    token_use: Some(presented.token_use.into()),
                    code: None,
                },
            },
            Err(error) => {
                let code = countersign_failure::Failure::code(&error);
                tracing::info!(code, "refused");
                Answer {
                    is_authorized: is_ours(&error),
                    context: Context { code: Some(code), ..Context::default() },
                }
            }
        }
    })
}

/// Whether the token carries our signature, so that only its claims are at fault.
fn is_ours(error: &TokenError) -> bool {
    matches!(
        error,
        TokenError::Expired
            | TokenError::NotYetValid
            | TokenError::Audience
            | TokenError::Issuer
            | TokenError::Use
    )
}

fn token(request: &Request) -> Result<&str, TokenError> {
    let headers = request.headers.iter().flatten();
    let header = headers.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    bearer(header.and_then(|(_, value)| value.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const SECRET: &str = "a secret of the tests, long enough to be one";

    fn signed(audience: &str) -> String {
        let now = jiff::Timestamp::now().as_second();
        let claims = json!({
            "iss": "countersign", "aud": audience, "sub": format!("user_{}", "01".repeat(16)), "exp": now + 60, "iat": now,
            "jti": "t-1", "scopes": [], "capabilities": [], "token_use": "login",
        });
        let key = jsonwebtoken::EncodingKey::from_secret(SECRET.as_bytes());
        jsonwebtoken::encode(&jsonwebtoken::Header::default(), &claims, &key).unwrap()
    }

    async fn check(event: Value, expect: Result<&str, &str>) {
        let verifier = Verifier::new(Some(SECRET), None, "countersign", "api", false).unwrap();
        let answer = handle(serde_json::from_value(event).unwrap(), Arc::new(verifier)).await;
        assert_eq!(answer.is_authorized, expect.is_ok());
        let told = if answer.is_authorized {
            answer.context.token_id.as_deref()
        } else {
            answer.context.code
        };
        assert_eq!(told, Some(expect.unwrap_or_else(|code| code)));
    }

    fn sample(name: &str) -> Value {
        let path = format!("{}/../../events/authorizer/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn with_header(mut event: Value, value: &str) -> Value {
        event["headers"]["authorization"] = json!(value);
        event
    }

    #[tokio::test]
    async fn the_token_alone_decides() {
        check(with_header(sample("http"), &format!("Bearer {}", signed("api"))), Ok("t-1")).await;
        check(with_header(sample("http"), "Bearer abc"), Err("TOKEN_MALFORMED")).await;
        check(with_header(sample("http"), "Basic abc"), Err("TOKEN_MISSING")).await;
        check(json!({}), Err("TOKEN_MISSING")).await;
        let mut other_route = with_header(sample("http"), &format!("Bearer {}", signed("api")));
        other_route["routeKey"] = json!("DELETE /everything");
        check(other_route, Ok("t-1")).await;
    }

    #[tokio::test]
    async fn a_token_of_ours_for_another_door_is_refused_by_the_door_with_words() {
        let other = signed("mcp");
        let verifier = Verifier::new(Some(SECRET), None, "countersign", "api", false).unwrap();
        let verifier = Arc::new(verifier);
        let http = with_header(sample("http"), &format!("Bearer {other}"));
        let answer = handle(serde_json::from_value(http).unwrap(), Arc::clone(&verifier)).await;
        let nobody = Context { code: Some("TOKEN_AUDIENCE"), ..Context::default() };
        assert_eq!(answer, Answer { is_authorized: true, context: nobody });
        let forged = format!("{}x", &signed("mcp"));
        check(with_header(sample("http"), &format!("Bearer {forged}")), Err("TOKEN_SIGNATURE"))
            .await;
    }

    #[test]
    fn the_answer_is_the_simple_form() {
        let answer = Answer {
            is_authorized: false,
            context: Context { code: Some("X"), ..Context::default() },
        };
        assert_eq!(
            serde_json::to_value(answer).unwrap(),
            json!({"isAuthorized": false, "context": {"code": "X"}})
        );
    }
}
