//! Tokens that somebody made, or made of one of ours, without the secret.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;

/// So many are tried; `docs/assurance.md` says so.
const HELD: usize = 137;

/// Head, claims and signature of a token of ours.
fn parts() -> [String; 3] {
    let token = sign(&claims(), SECRET, Algorithm::HS256);
    let mut parts = token.split('.').map(str::to_owned);
    std::array::from_fn(|_| parts.next().unwrap())
}

/// Another character at every place of the signature.
fn other_signatures([head, body, signature]: &[String; 3]) -> Vec<String> {
    let at = |place: usize| {
        let mut bytes = signature.clone().into_bytes();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        format!("{head}.{body}.{}", String::from_utf8(bytes).unwrap())
    };
    (0..signature.len()).map(at).collect()
}

/// Other claims under a signature of ours.
fn other_claims([head, _, signature]: &[String; 3]) -> Vec<String> {
    let altered = [
        ("sub", json!(format!("user_{}", "02".repeat(16)))),
        ("user_id", json!(format!("user_{}", "03".repeat(16)))),
        ("aud", json!(["api", "mcp"])),
        ("exp", json!(now() + 86_400)),
        ("exp", json!(i64::MAX)),
        ("iat", json!(0)),
        ("nbf", json!(0)),
        ("jti", json!("t-2")),
        ("scopes", json!(["global:admin"])),
        ("capabilities", json!(["administer"])),
        ("token_use", json!("service")),
        ("remark", json!("nothing")),
    ];
    let of = |(name, value): (&str, Value)| {
        format!("{head}.{}.{signature}", URL_SAFE_NO_PAD.encode(with(name, value).to_string()))
    };
    altered.into_iter().map(of).collect()
}

/// Signed with what is not the secret.
fn other_secrets() -> Vec<String> {
    let reversed: String = SECRET.chars().rev().collect();
    let mut secrets = vec![
        String::new(),
        "secret".to_owned(),
        "countersign".to_owned(),
        format!("{SECRET} "),
        format!("{SECRET}\n"),
        format!(" {SECRET}"),
        format!("{SECRET}\0x"),
        SECRET.to_uppercase(),
        SECRET.repeat(2),
        reversed,
        hex::encode(SECRET),
        URL_SAFE_NO_PAD.encode(SECRET),
    ];
    secrets.extend([1, 8, 16, 32, SECRET.len() - 1].map(|length| SECRET[..length].to_owned()));
    secrets.iter().map(|secret| sign(&claims(), secret, Algorithm::HS256)).collect()
}

/// Heads that choose another algorithm, or bring a key along.
fn other_heads([_, body, signature]: &[String; 3]) -> Vec<String> {
    const ALGORITHMS: [&str; 18] = [
        "none", "None", "NONE", "nOnE", "", "hs256", "HS256 ", "HS384", "HS512", "RS256", "RS512",
        "PS256", "PS512", "ES256", "ES384", "EdDSA", "HS1", "A128KW",
    ];
    let key = URL_SAFE_NO_PAD.encode("a key of the caller's own choosing");
    let mut heads: Vec<Value> = ALGORITHMS.map(|alg| json!({"alg": alg, "typ": "JWT"})).to_vec();
    heads.extend([
        json!({"alg": "HS256", "jwk": {"kty": "oct", "k": key}}),
        json!({"alg": "HS256", "jku": "https://evil.example/keys"}),
        json!({"alg": "HS256", "x5u": "https://evil.example/x5u"}),
        json!({"alg": "HS256", "kid": "../../../dev/null"}),
        json!({"alg": "HS256", "kid": "' OR '1'='1"}),
        json!({"typ": "JWT"}),
        json!({"alg": ["HS256"]}),
    ]);
    let heads = heads.iter().map(|head| URL_SAFE_NO_PAD.encode(head.to_string()));
    heads
        .flat_map(|head| [format!("{head}.{body}."), format!("{head}.{body}.{signature}")])
        .collect()
}

/// Signed with the secret, so that only the extension is wrong that the head calls critical.
fn critical() -> Vec<String> {
    let signed = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let head = Header { crit: Some(names), ..Header::new(Algorithm::HS256) };
        encode(&head, &claims(), &EncodingKey::from_secret(SECRET.as_bytes())).unwrap()
    };
    vec![signed(&["exp"]), signed(&["b64", "http://example.org/x"])]
}

/// The parts of a token of ours in other shapes.
fn other_shapes([head, body, signature]: &[String; 3]) -> Vec<String> {
    vec![
        format!("{head}.{body}"),
        format!("{head}.{body}."),
        format!("{body}.{head}.{signature}"),
        format!("{head}..{signature}"),
        format!(".{body}.{signature}"),
        format!("{head}.{body}.{signature}."),
        format!("{head}.{body}.{signature}="),
        format!("{head}.{body}.{signature}{signature}"),
        format!("{head}.{body}.{}", &signature[..signature.len() - 1]),
        format!(" {head}.{body}.{signature}"),
        format!("{head} .{body}.{signature}"),
        format!("{head}.{body}.{signature}\n"),
        format!("{head}.{body}.{head}.{body}.{signature}"),
    ]
}

#[tokio::test]
async fn a_005_no_forged_token_opens_anything() {
    let parts = parts();
    check(&parts.join("."), Ok("t-1")).await;
    let forged: BTreeSet<String> = [
        other_signatures(&parts),
        other_claims(&parts),
        other_secrets(),
        other_heads(&parts),
        other_shapes(&parts),
        critical(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let verifier = local();
    for token in &forged {
        assert!(verifier.verify(token).await.is_err(), "{token}");
    }
    assert_eq!(forged.len(), HELD);
    for token in critical() {
        check(&token, Err(TokenError::Critical)).await;
    }
}
