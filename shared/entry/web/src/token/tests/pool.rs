//! Tokens in the shapes a Cognito user pool documents ("Understanding the access token", "Understanding the identity (ID)
//! token" in its developer guide).

use super::*;

const CLIENT: &str = "57cbishk4j24pabc1234567890";

/// An access token as the pool makes it, with what the trigger adds.
fn access() -> Value {
    json!({
        "sub": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", "device_key": "aaaa-bbbb", "cognito:groups": ["admin"],
        "iss": "countersign", "version": 2, "client_id": CLIENT, "origin_jti": "s-1", "event_id": "e-1",
        "token_use": "access", "scope": "aws.cognito.signin.user.admin", "auth_time": now() - 900, "exp": now() + 600,
        "iat": now() - 5, "jti": "t-1", "username": "ada",
        "user_id": USER, "scopes": ["macro:analyst"], "capabilities": ["decide"],
    })
}

fn changed(changes: &[(&str, Option<Value>)]) -> Value {
    let mut claims = access();
    for (name, value) in changes {
        match value {
            Some(value) => claims[*name] = value.clone(),
            None => drop(claims.as_object_mut().unwrap().remove(*name)),
        }
    }
    claims
}

async fn verify(claims: &Value) -> Result<Presented, TokenError> {
    let issuer = Issuer::start("k1", &json!({})).await;
    let address = issuer.server.uri();
    let verifier = Verifier::new(None, Some(&address), "countersign", CLIENT, true).unwrap();
    verifier.verify(&issuer.token(Some("k1"), claims)).await
}

async fn check(changes: &[(&str, Option<Value>)], expect: Result<TokenUse, TokenError>) {
    let found = verify(&changed(changes)).await.map(|presented| presented.token_use);
    assert_eq!(found, expect, "{changes:?}");
}

#[tokio::test]
async fn r_003_an_access_token_of_a_user_pool_is_the_login_of_its_person() {
    let claims = access();
    let presented = verify(&claims).await.unwrap();
    assert_eq!(presented.user.as_str(), USER);
    assert_eq!(presented.token_use, TokenUse::Login);
    assert_eq!(presented.scopes, Scopes::parse(["macro:analyst"]));
    assert_eq!(presented.capabilities, [Capability::Decide].into());
    assert_eq!((presented.token_id.as_str(), presented.session.as_deref()), ("t-1", Some("s-1")));
    let account = presented.account.unwrap();
    assert_eq!(account.subject, "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee");
    assert_eq!(account.pool, "countersign");
    // A token that a session has made an hour later is as old as the sign-in.
    assert_eq!(Some(presented.issued_at), claims["auth_time"].as_i64());
}

#[tokio::test]
async fn an_access_token_is_for_one_application() {
    check(&[("client_id", Some(json!("another")))], Err(TokenError::Audience)).await;
    check(&[("aud", Some(json!(CLIENT)))], Ok(TokenUse::Login)).await;
    check(&[("aud", Some(json!("another")))], Err(TokenError::Audience)).await;
    check(
        &[("aud", Some(json!(CLIENT))), ("client_id", Some(json!("x")))],
        Err(TokenError::Audience),
    )
    .await;
    check(&[("client_id", None)], Err(TokenError::Malformed)).await;
    check(&[("token_use", Some(json!("login")))], Err(TokenError::Malformed)).await;
}

#[tokio::test]
async fn an_id_token_opens_nothing_and_says_so() {
    let id = [("token_use", Some(json!("id"))), ("aud", Some(json!(CLIENT))), ("client_id", None)];
    check(&id, Err(TokenError::Use)).await;
}

#[tokio::test]
async fn k_08_an_access_token_of_a_program_never_decides() {
    let program = [("username", None), ("auth_time", None), ("origin_jti", None)];
    check(&program, Ok(TokenUse::Api)).await;
    let presented = verify(&changed(&program)).await.unwrap();
    assert_eq!((presented.account, presented.session), (None, None));
    check(&[("username", Some(json!(7)))], Ok(TokenUse::Api)).await;
}

#[tokio::test]
async fn without_what_the_trigger_adds_a_token_names_nobody() {
    check(&[("user_id", None)], Err(TokenError::Malformed)).await;
    for name in ["origin_jti", "auth_time"] {
        check(&[(name, None)], Err(TokenError::Malformed)).await;
        check(&[(name, Some(json!("a#b")))], Err(TokenError::Malformed)).await;
    }
}

#[tokio::test]
async fn a_local_secret_signs_no_tokens_of_a_pool() {
    for token_use in ["access", "id"] {
        let mut claims = with("token_use", json!(token_use));
        claims["username"] = json!("ada");
        check_claims(&claims, Err(TokenError::Malformed)).await;
    }
}

#[tokio::test]
async fn the_time_of_the_sign_in_never_makes_a_token_younger() {
    let presented = verify(&changed(&[("auth_time", Some(json!(now() + 9000)))])).await.unwrap();
    assert!(presented.issued_at <= now());
}
