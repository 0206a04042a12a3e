use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_identity::{Capability, Scopes, TokenUse};
use jsonwebtoken::{EncodingKey, Header, encode};
use p256::elliptic_curve::sec1::ToSec1Point as _;
use p256::pkcs8::{EncodePrivateKey as _, LineEnding};
use serde_json::{Value, json};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

mod forged;
mod pool;

const SECRET: &str = "a secret of the tests, long enough to be one";
const USER: &str = "user_01010101010101010101010101010101";

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

fn claims() -> Value {
    json!({
        "iss": "countersign", "aud": "api", "sub": USER, "exp": now() + 600, "iat": now() - 5, "jti": "t-1",
        "scopes": ["macro:analyst", "not a scope"], "capabilities": ["decide", "fly"], "token_use": "login",
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

fn sign(claims: &Value, secret: &str, algorithm: Algorithm) -> String {
    encode(&Header::new(algorithm), claims, &EncodingKey::from_secret(secret.as_bytes())).unwrap()
}

fn raw(header: &Value, claims: &Value, signature: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.{signature}", part(header), part(claims))
}

fn local() -> Verifier {
    Verifier::new(Some(SECRET), None, "countersign", "api", false).unwrap()
}

async fn check(token: &str, expect: Result<&str, TokenError>) {
    let found = local().verify(token).await.map(|presented| presented.token_id);
    assert_eq!(found, expect.map(str::to_owned), "{token}");
}

async fn check_claims(claims: &Value, expect: Result<&str, TokenError>) {
    check(&sign(claims, SECRET, Algorithm::HS256), expect).await;
}

#[tokio::test]
async fn a_005_a_valid_token_presents_what_it_claims() {
    let presented = local().verify(&sign(&claims(), SECRET, Algorithm::HS256)).await.unwrap();
    assert_eq!(presented.user.as_str(), USER);
    assert_eq!(presented.scopes, Scopes::parse(["macro:analyst"]));
    assert_eq!(presented.capabilities, [Capability::Decide].into());
    assert_eq!(presented.token_use, TokenUse::Login);
}

#[tokio::test]
async fn every_flaw_has_its_name() {
    check_claims(&with("aud", json!("mcp")), Err(TokenError::Audience)).await;
    check_claims(&with("aud", json!(["mcp", "api"])), Ok("t-1")).await;
    check_claims(&with("iss", json!("elsewhere")), Err(TokenError::Issuer)).await;
    check_claims(&with("exp", json!(now() - 31)), Err(TokenError::Expired)).await;
    check_claims(&with("nbf", json!(now() + 300)), Err(TokenError::NotYetValid)).await;
    check_claims(&with("iat", json!(now() + 300)), Err(TokenError::NotYetValid)).await;
    check(
        &sign(&claims(), "another secret that is long enough too", Algorithm::HS256),
        Err(TokenError::Signature),
    )
    .await;
}

#[tokio::test]
async fn clocks_may_differ_a_little() {
    check_claims(&with("exp", json!(now() - 10)), Ok("t-1")).await;
    check_claims(&with("iat", json!(now() + 10)), Ok("t-1")).await;
}

#[tokio::test]
async fn the_algorithm_is_ours_to_choose() {
    check(&sign(&claims(), SECRET, Algorithm::HS384), Err(TokenError::Algorithm)).await;
    check(&raw(&json!({"alg": "none", "typ": "JWT"}), &claims(), ""), Err(TokenError::Algorithm))
        .await;
    check(&raw(&json!({"alg": "None"}), &claims(), ""), Err(TokenError::Algorithm)).await;
    check(&raw(&json!({"alg": "RS256"}), &claims(), "AAAA"), Err(TokenError::Algorithm)).await;
}

#[tokio::test]
async fn a_token_without_a_claim_is_none() {
    for name in ["iss", "aud", "sub", "exp", "iat", "jti", "token_use"] {
        check_claims(&without(name), Err(TokenError::Malformed)).await;
    }
    for unreadable in [json!(5), json!({"api": 1}), json!(["api", 1]), json!(null)] {
        check_claims(&with("aud", unreadable), Err(TokenError::Malformed)).await;
    }
    check_claims(&with("aud", json!([])), Err(TokenError::Audience)).await;
    check_claims(&with("sub", json!("ada")), Err(TokenError::Malformed)).await;
    check_claims(&with("jti", json!("a#b")), Err(TokenError::Malformed)).await;
    check_claims(&with("token_use", json!("god")), Err(TokenError::Malformed)).await;
}

#[tokio::test]
async fn garbage_is_no_token() {
    for token in ["", "a", "a.b", "a.b.c", "....", "🙂.🙂.🙂", &"x".repeat(MAX_TOKEN_BYTES + 1)]
    {
        check(token, Err(TokenError::Malformed)).await;
    }
}

#[tokio::test]
async fn issuers_that_own_the_subject_name_the_user_apart() {
    let mut claims = with("sub", json!("0f1e-cognito"));
    claims["user_id"] = json!(USER);
    check_claims(&claims, Ok("t-1")).await;
}

#[tokio::test]
async fn claims_of_a_user_pool_mean_nothing_in_other_tokens() {
    let mut claims = claims();
    (claims["auth_time"], claims["origin_jti"]) = (json!(1.5), json!(7));
    (claims["client_id"], claims["username"]) = (json!(["another"]), json!({"first": "Ada"}));
    let presented = local().verify(&sign(&claims, SECRET, Algorithm::HS256)).await.unwrap();
    assert_eq!((presented.session, presented.account), (None, None));
    assert_eq!(Some(presented.issued_at), claims["iat"].as_i64());
}

fn check_new(secret: Option<&str>, jwks: Option<&str>, expect: Option<&InvalidKeys>) {
    let found = Verifier::new(secret, jwks, "i", "a", false).err();
    assert_eq!(found.as_ref(), expect, "{secret:?} {jwks:?}");
}

#[test]
fn there_is_exactly_one_source_of_keys() {
    check_new(Some(SECRET), None, None);
    check_new(None, Some("https://issuer.example/keys"), None);
    check_new(Some(SECRET), Some("https://issuer.example/keys"), Some(&InvalidKeys::NotExactlyOne));
    check_new(None, None, Some(&InvalidKeys::NotExactlyOne));
    check_new(Some("short"), None, Some(&InvalidKeys::ShortSecret));
    check_new(None, Some("http://issuer.example/keys"), Some(&InvalidKeys::Address));
    check_new(None, Some("http://127.0.0.1/keys"), Some(&InvalidKeys::Address));
    assert_eq!(Verifier::new(Some(SECRET), None, "", "a", false).err(), Some(InvalidKeys::Unbound));
}

/// An issuer with one P-256 key.
struct Issuer {
    server: MockServer,
    signing: EncodingKey,
}

impl Issuer {
    async fn start(kid: &str, more: &Value) -> Self {
        let secret = p256::SecretKey::from_slice(&[7; 32]).unwrap();
        let point = secret.public_key().to_sec1_point(false);
        let coordinate = |bytes: Option<&[u8]>| URL_SAFE_NO_PAD.encode(bytes.unwrap());
        let mut jwk = json!({
            "kty": "EC", "crv": "P-256", "kid": kid,
            "x": coordinate(point.x().map(AsRef::as_ref)), "y": coordinate(point.y().map(AsRef::as_ref)),
        });
        for (name, value) in more.as_object().unwrap() {
            jwk[name] = value.clone();
        }
        let odd = json!({"kty": "moon", "kid": "odd"});
        let shared = json!({"kty": "oct", "kid": "shared", "k": URL_SAFE_NO_PAD.encode(SECRET)});
        let server = MockServer::builder().start().await;
        let answer = ResponseTemplate::new(200).set_body_json(json!({"keys": [odd, shared, jwk]}));
        Mock::given(method("GET")).respond_with(answer).mount(&server).await;
        let pem = secret.to_pkcs8_pem(LineEnding::LF).unwrap();
        Self { server, signing: EncodingKey::from_ec_pem(pem.as_bytes()).unwrap() }
    }

    fn verifier(&self) -> Verifier {
        Verifier::new(None, Some(&self.server.uri()), "countersign", "api", true).unwrap()
    }

    fn token(&self, kid: Option<&str>, claims: &Value) -> String {
        let header = Header { kid: kid.map(str::to_owned), ..Header::new(Algorithm::ES256) };
        encode(&header, claims, &self.signing).unwrap()
    }

    async fn fetched(&self) -> usize {
        self.server.received_requests().await.unwrap().len()
    }
}

#[tokio::test]
async fn published_keys_are_fetched_once_and_kept() {
    let issuer = Issuer::start("k1", &json!({"use": "sig", "alg": "ES256"})).await;
    let verifier = issuer.verifier();
    for _ in 0..3 {
        assert!(verifier.verify(&issuer.token(Some("k1"), &claims())).await.is_ok());
    }
    assert_eq!(issuer.fetched().await, 1);
}

#[tokio::test]
async fn unknown_key_ids_do_not_make_us_hammer_the_issuer() {
    let issuer = Issuer::start("k1", &json!({})).await;
    let verifier = issuer.verifier();
    for n in 0..5 {
        let token = issuer.token(Some(&format!("forged-{n}")), &claims());
        assert_eq!(verifier.verify(&token).await, Err(TokenError::UnknownKey));
    }
    assert_eq!(issuer.fetched().await, 1);
    assert_eq!(verifier.verify(&issuer.token(None, &claims())).await, Err(TokenError::UnknownKey));
}

#[tokio::test]
async fn a_published_key_cannot_be_used_as_a_shared_secret() {
    let issuer = Issuer::start("k1", &json!({})).await;
    for kid in ["k1", "shared"] {
        let header = Header { kid: Some(kid.to_owned()), ..Header::new(Algorithm::HS256) };
        let token =
            encode(&header, &claims(), &EncodingKey::from_secret(SECRET.as_bytes())).unwrap();
        let expect = if kid == "k1" { TokenError::Algorithm } else { TokenError::UnknownKey };
        assert_eq!(issuer.verifier().verify(&token).await, Err(expect), "{kid}");
    }
}

#[tokio::test]
async fn keys_for_encryption_or_of_another_algorithm_sign_nothing() {
    for more in [json!({"use": "enc"}), json!({"alg": "ES384"}), json!({"alg": "RS256"})] {
        let issuer = Issuer::start("k1", &more).await;
        let token = issuer.token(Some("k1"), &claims());
        assert_eq!(issuer.verifier().verify(&token).await, Err(TokenError::UnknownKey), "{more}");
    }
}

#[tokio::test]
async fn an_issuer_that_is_down_is_no_fault_of_the_token() {
    let server = MockServer::builder().start().await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    let verifier = Verifier::new(None, Some(&server.uri()), "countersign", "api", true).unwrap();
    let issuer = Issuer::start("k1", &json!({})).await;
    assert_eq!(
        verifier.verify(&issuer.token(Some("k1"), &claims())).await,
        Err(TokenError::KeysUnavailable)
    );
}

#[tokio::test]
async fn nobody_outside_the_deployment_mints_its_operator() {
    let issuer = Issuer::start("k1", &json!({})).await;
    let token = issuer.token(Some("k1"), &with("token_use", json!("service")));
    assert_eq!(issuer.verifier().verify(&token).await.map(|p| p.token_use), Ok(TokenUse::Api));
    let token = sign(&with("token_use", json!("service")), SECRET, Algorithm::HS256);
    assert_eq!(local().verify(&token).await.map(|p| p.token_use), Ok(TokenUse::Service));
}
