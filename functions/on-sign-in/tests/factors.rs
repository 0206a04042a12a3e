//! The call to the user pool, against a server of the test's own.
#![expect(clippy::unwrap_used, reason = "constants of the tests")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use on_sign_in::{Factors as _, UserPools};

/// Answers one request and returns what it was.
fn pool(status: &'static str, answer: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = String::new();
        let mut part = [0; 4096];
        while !seen.ends_with('}') {
            let read = stream.read(&mut part).unwrap();
            seen.push_str(std::str::from_utf8(&part[..read]).unwrap());
        }
        let length = answer.len();
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(format!("{head}{answer}").as_bytes()).unwrap();
        seen
    });
    (address, served)
}

fn aws(endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new("AKID", "the secret", Some("session".into()), None, "test");
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("eu-central-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(endpoint)
        .build()
}

async fn check(status: &'static str, answer: &'static str, expect: Result<&[&str], &str>) {
    let (address, served) = pool(status, answer);
    let said = UserPools::new(&aws(&address).into()).of("eu-central-1_AAA", "ada").await;
    let said = said.map_err(|error| error.to_string());
    match expect {
        Ok(factors) => assert_eq!(said.unwrap(), factors),
        Err(words) => assert!(said.as_ref().is_err_and(|said| said.contains(words)), "{said:?}"),
    }
    let seen = served.join().unwrap().to_ascii_lowercase();
    assert!(seen.starts_with("post / http/1.1\r\n"), "{seen}");
    let target = "x-amz-target: awscognitoidentityproviderservice.admingetuser\r\n";
    assert!(seen.contains(target), "{seen}");
    assert!(seen.contains("/eu-central-1/cognito-idp/aws4_request"), "{seen}");
    assert!(seen.contains("x-amz-security-token: session\r\n"), "{seen}");
    assert!(!seen.contains("the secret"), "{seen}");
    assert!(seen.ends_with(r#"{"userpoolid":"eu-central-1_aaa","username":"ada"}"#), "{seen}");
}

#[tokio::test]
async fn the_pool_is_asked_for_the_factors_of_an_account() {
    let one = r#"{"Username":"ada","UserMFASettingList":["SOFTWARE_TOKEN_MFA"]}"#;
    check("200 OK", one, Ok(&["SOFTWARE_TOKEN_MFA"])).await;
    check("200 OK", r#"{"Username":"ada"}"#, Ok(&[])).await;
    check("200 OK", r#"{"UserMFASettingList":null}"#, Ok(&[])).await;
}

#[tokio::test]
async fn a_pool_that_does_not_say_is_no_factor() {
    let refused = r#"{"__type":"AccessDeniedException","message":"ada may not"}"#;
    check("400 Bad Request", refused, Err("status 400")).await;
    check("200 OK", "[", Err("EOF")).await;
}
