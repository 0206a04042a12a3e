//! Tokens for `oauth2_client_credentials` and `oauth2_refresh_token` (F-103; RFC 6749, sections 4.4 and 6): the request, its
//! answer, and the name under which a token is kept.

use std::time::Duration;

use countersign_failure::Failure;
use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

use crate::model::{ACCESS_TOKEN, Auth, BodyFormat, ClientAuth, Method, TokenServer};
use crate::request::{Request, RequestError, basic, set_header};
use crate::secret::{Credential, Secret};

/// The longest a token is kept, whatever the server says.
const MAX_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
/// How long before its end a token is no longer used.
const MARGIN: Duration = Duration::from_secs(60);

/// Why a token server's answer is not a token. No variant holds the answer, which may be one after all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(code = "CONNECTOR_TOKEN", status = 502)]
pub enum TokenError {
    /// It is not JSON.
    #[error("its answer is not JSON")]
    NotJson,
    /// There is none in it.
    #[error("its answer has no `access_token`")]
    Missing,
    /// It is of a kind that cannot be sent.
    #[error("it gives a token of type `{0}`, not a bearer token")]
    Type(String),
    /// It cannot stand in a header.
    #[error("its token holds characters that cannot stand in a header")]
    Text,
}

/// A token, and how long it may be used; `None` when the server did not say, and it is good for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The token itself.
    pub secret: Secret,
    /// From now on.
    pub good_for: Option<Duration>,
}

/// The request for a token, or `None` when the connector needs none.
///
/// # Errors
/// [`RequestError`] when the credential lacks a part or the address is not one.
pub fn token_request(
    auth: &Auth,
    credential: Option<&Credential>,
) -> Result<Option<Request>, RequestError> {
    let Some(TokenServer { token_url, scope, client_auth }) = auth.token_server() else {
        return Ok(None);
    };
    let credential = credential.ok_or(RequestError::CredentialMissing)?;
    let part = |name: &str| {
        credential.part(name).ok_or_else(|| RequestError::CredentialPart(name.to_owned()))
    };
    let (id, secret) = (part("client_id")?.expose(), part("client_secret")?.expose());
    let url = Url::parse(token_url)?;
    let mut form = Map::new();
    if matches!(auth, Auth::Oauth2RefreshToken(_)) {
        form.insert("grant_type".to_owned(), "refresh_token".into());
        form.insert("refresh_token".to_owned(), part("refresh_token")?.expose().into());
    } else {
        form.insert("grant_type".to_owned(), "client_credentials".into());
    }
    if let Some(scope) = scope {
        form.insert("scope".to_owned(), scope.as_str().into());
    }
    let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
    match client_auth {
        ClientAuth::Header => {
            set_header(&mut headers, "authorization", basic(&form_text(id), &form_text(secret)));
        }
        ClientAuth::Body => {
            form.insert("client_id".to_owned(), id.into());
            form.insert("client_secret".to_owned(), secret.into());
        }
    }
    Ok(Some(Request {
        method: Method::Post,
        url,
        headers,
        body: Some(Value::Object(form)),
        body_format: BodyFormat::Form,
        key_param: None,
    }))
}

/// The standard has id and secret form-encoded before they are joined.
fn form_text(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Reads a token server's answer.
///
/// # Errors
/// [`TokenError`] when there is no bearer token in it.
pub fn read_token(body: &[u8]) -> Result<Token, TokenError> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| TokenError::NotJson)?;
    let text = answer.get(ACCESS_TOKEN).and_then(Value::as_str).filter(|text| !text.is_empty());
    let text = text.ok_or(TokenError::Missing)?;
    if let Some(kind) = answer.get("token_type").and_then(Value::as_str)
        && !kind.eq_ignore_ascii_case("bearer")
    {
        return Err(TokenError::Type(kind.chars().take(40).collect()));
    }
    if !text.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(TokenError::Text);
    }
    let seconds = match answer.get("expires_in") {
        Some(Value::String(text)) => text.trim().parse::<u64>().ok(),
        other => other.and_then(Value::as_u64),
    };
    let good_for = seconds.map(Duration::from_secs).map(|life| {
        let life = life.min(MAX_DURATION);
        life.saturating_sub(MARGIN.min(life / 10))
    });
    Ok(Token { secret: Secret::new(text.to_owned()), good_for })
}

/// The error a token server names in its answer, such as `invalid_client`; only the standard's.
#[must_use]
pub fn named_error(body: &[u8]) -> Option<&'static str> {
    const NAMES: [&str; 6] = [
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
    ];
    let answer: Value = serde_json::from_slice(body).ok()?;
    let name = answer.get("error")?.as_str()?;
    NAMES.into_iter().find(|known| *known == name)
}

/// The name under which a token is kept: the same for the same client, consent, server and scope of one owner, and without
/// any of them in it.
#[must_use]
pub fn token_key(owner: &str, auth: &Auth, credential: &Credential) -> Option<String> {
    let TokenServer { token_url, scope, .. } = auth.token_server()?;
    let parts = [
        Some(owner),
        Some(token_url),
        scope.as_deref(),
        credential.part("client_id").map(Secret::expose),
        credential.part("client_secret").map(Secret::expose),
        credential.part("refresh_token").map(Secret::expose),
    ];
    Some(hex::encode(countersign_ids::digest("", &parts.map(Option::unwrap_or_default))))
}

/// The credential a call is sent with.
#[must_use]
pub fn with_token(credential: Credential, token: Secret) -> Credential {
    credential.with(ACCESS_TOKEN, token)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use countersign_effect::CredentialUse;
    use proptest::prelude::{ProptestConfig, proptest};

    use super::{TokenError, named_error, read_token, token_key, token_request};
    use crate::model::{Auth, ClientAuth, TokenServer};
    use crate::request::RequestError;
    use crate::secret::{Credential, Secret};

    fn server(client_auth: ClientAuth) -> TokenServer {
        TokenServer {
            token_url: "https://login.example/token".to_owned(),
            scope: Some("read all".to_owned()),
            client_auth,
        }
    }

    fn auth(client_auth: ClientAuth) -> Auth {
        Auth::Oauth2ClientCredentials(server(client_auth))
    }

    fn client(secret: &str) -> Credential {
        [("client_id", "me"), ("client_secret", secret)]
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect()
    }

    #[test]
    fn f_103_a_token_request_carries_the_client_in_header_or_form() {
        let request =
            token_request(&auth(ClientAuth::Header), Some(&client("a:b"))).unwrap().unwrap();
        let (kind, body) = request.written_body().unwrap().unwrap();
        assert_eq!(kind, "application/x-www-form-urlencoded");
        assert_eq!(body, b"grant_type=client_credentials&scope=read+all");
        let header = request.headers.iter().find(|(name, _)| name == "authorization");
        assert_eq!(header.unwrap().1, "Basic bWU6YSUzQWI=", "me:a%3Ab");
        let request =
            token_request(&auth(ClientAuth::Body), Some(&client("a:b"))).unwrap().unwrap();
        let body = request.written_body().unwrap().unwrap().1;
        assert_eq!(
            body,
            b"grant_type=client_credentials&scope=read+all&client_id=me&client_secret=a%3Ab"
        );
        assert!(request.headers.iter().all(|(name, _)| name != "authorization"));
        assert!(!format!("{request:?}").contains("a:b"));
    }

    #[test]
    fn f_103_a_token_request_needs_both_parts() {
        let only: Credential = [("client_id".to_owned(), "me".to_owned())].into_iter().collect();
        let error = token_request(&auth(ClientAuth::Header), Some(&only)).unwrap_err();
        assert_eq!(error, RequestError::CredentialPart("client_secret".to_owned()));
        let error = token_request(&auth(ClientAuth::Header), None).unwrap_err();
        assert_eq!(error, RequestError::CredentialMissing);
        assert_eq!(token_request(&Auth::BearerToken, None), Ok(None));
    }

    #[test]
    fn r_010_a_token_is_bought_with_a_refresh_token() {
        let auth = Auth::Oauth2RefreshToken(server(ClientAuth::Body));
        let given = client("s3cr3t");
        let missing = token_request(&auth, Some(&given)).unwrap_err();
        assert_eq!(missing, RequestError::CredentialPart("refresh_token".to_owned()));
        let with =
            |consent: &str| given.clone().with("refresh_token", Secret::new(consent.to_owned()));
        let request = token_request(&auth, Some(&with("c0nsent"))).unwrap().unwrap();
        let (_, body) = request.written_body().unwrap().unwrap();
        assert_eq!(
            String::from_utf8(body).unwrap(),
            "grant_type=refresh_token&refresh_token=c0nsent&scope=read+all&client_id=me&client_secret=s3cr3t"
        );
        let key = |consent: &str| token_key("user_1", &auth, &with(consent));
        assert_ne!(key("c0nsent"), key("another"), "a token is kept for each consent");
        let signed = crate::effect::signed_auth(&CredentialUse {
            id: "cred_1".to_owned(),
            auth: auth.name().to_owned(),
            token_url: Some("https://login.example/token".to_owned()),
            scope: Some("read all".to_owned()),
            client_auth: Some("body".to_owned()),
        });
        assert_eq!(signed, auth, "a signed call is sent as it was signed");
    }

    fn check(body: &str, expect: Result<(&str, Option<u64>), TokenError>) {
        let found = read_token(body.as_bytes());
        let found = found.map(|token| (token.secret.expose().to_owned(), token.good_for));
        let expect =
            expect.map(|(text, seconds)| (text.to_owned(), seconds.map(Duration::from_secs)));
        assert_eq!(found, expect, "{body}");
    }

    #[test]
    fn f_103_a_token_is_kept_until_shortly_before_its_end() {
        check(
            r#"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#,
            Ok(("t", Some(3540))),
        );
        check(r#"{"access_token":"t","expires_in":"100"}"#, Ok(("t", Some(90))));
        check(r#"{"access_token":"t","expires_in":9999999999}"#, Ok(("t", Some(86_340))));
        check(r#"{"access_token":"t"}"#, Ok(("t", None)));
        check(r#"{"access_token":"t","expires_in":-5}"#, Ok(("t", None)));
    }

    #[test]
    fn f_103_what_is_not_a_bearer_token_is_named() {
        check("<html>", Err(TokenError::NotJson));
        check("{}", Err(TokenError::Missing));
        check(r#"{"access_token":""}"#, Err(TokenError::Missing));
        check(
            r#"{"access_token":"t","token_type":"mac"}"#,
            Err(TokenError::Type("mac".to_owned())),
        );
        check("{\"access_token\":\"a\\r\\nx: 1\"}", Err(TokenError::Text));
        assert_eq!(named_error(br#"{"error":"invalid_scope"}"#), Some("invalid_scope"));
        assert_eq!(named_error(br#"{"error":"s3cr3t"}"#), None);
    }

    #[test]
    fn k_42_tokens_are_kept_apart_under_names_that_tell_nothing() {
        let key = |owner: &str, secret: &str| {
            token_key(owner, &auth(ClientAuth::Header), &client(secret)).unwrap()
        };
        let one = key("user_1", "s3cr3t");
        assert_eq!(one.len(), 64);
        assert!(!one.contains("s3cr3t"));
        assert_eq!(one, key("user_1", "s3cr3t"));
        assert_ne!(one, key("user_2", "s3cr3t"));
        assert_ne!(one, key("user_1", "changed"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_answer_of_a_token_server_panics(body in proptest::collection::vec(proptest::num::u8::ANY, 0..80)) {
            let _ = (read_token(&body), named_error(&body));
        }
    }
}
