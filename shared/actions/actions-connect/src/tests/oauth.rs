//! Tokens for a client's id and secret.

use countersign_failure::Class;
use wiremock::matchers::{body_string, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const LOCAL: Policy = Policy { allow_loopback: true };

fn yaml(server: &MockServer, more: &str) -> String {
    format!(
        "
id: api
name: API
type: rest_api
version: 1.0.0
connection:
  base_url: {uri}
  auth: {{ type: oauth2_client_credentials, token_url: '{uri}/token', scope: read{more} }}
endpoints:
  get:
    description: gets
    path: /item
  create:
    description: creates
    method: POST
    path: /item
",
        uri = server.uri()
    )
}

fn world(server: &MockServer, more: &str) -> Arc<World> {
    let parts = vec![("client_id", "client-7"), ("client_secret", "s3cr3t-client")];
    Arc::new(World { parts, ..World::new(&yaml(server, more)) })
}

fn token(text: &str, seconds: u64) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(
        json!({ "access_token": text, "token_type": "bearer", "expires_in": seconds }),
    )
}

async fn item(server: &MockServer, token: &str, status: u16) {
    Mock::given(path("/item"))
        .and(header("authorization", format!("Bearer {token}").as_str()))
        .respond_with(ResponseTemplate::new(status).set_body_json(json!({ "id": 1 })))
        .mount(server)
        .await;
}

async fn get(world: &Arc<World>) -> Result<Value, ActionError> {
    run_with(world, Mode::Read, LOCAL, &call_of("api", "get", json!({}))).await
}

#[tokio::test]
async fn f_103_a_token_is_bought_once_and_kept() {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST"))
        .and(path("/token"))
        .and(header("authorization", "Basic Y2xpZW50LTc6czNjcjN0LWNsaWVudA=="))
        .and(header("content-type", "application/x-www-form-urlencoded"))
        .and(body_string("grant_type=client_credentials&scope=read"))
        .respond_with(token("t0ken-one", 3600))
        .expect(1)
        .mount(&server)
        .await;
    item(&server, "t0ken-one", 200).await;
    let world = world(&server, "");
    for _ in 0..3 {
        assert_eq!(get(&world).await.unwrap()["count"], 1);
    }
}

#[tokio::test]
async fn f_103_id_and_secret_may_stand_in_the_form() {
    let server = MockServer::builder().start().await;
    let body =
        "grant_type=client_credentials&scope=read&client_id=client-7&client_secret=s3cr3t-client";
    Mock::given(path("/token"))
        .and(body_string(body))
        .respond_with(token("t0ken-one", 60))
        .mount(&server)
        .await;
    item(&server, "t0ken-one", 200).await;
    assert_eq!(get(&world(&server, ", client_auth: body")).await.unwrap()["count"], 1);
}

#[tokio::test]
async fn f_103_a_token_without_a_life_is_good_for_one_call() {
    let server = MockServer::builder().start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!({ "access_token": "t0ken-one" }));
    Mock::given(path("/token")).respond_with(answer).expect(2).mount(&server).await;
    item(&server, "t0ken-one", 200).await;
    let world = world(&server, "");
    get(&world).await.unwrap();
    get(&world).await.unwrap();
}

#[tokio::test]
async fn f_103_a_kept_token_that_was_ended_early_is_renewed_once() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/token"))
        .respond_with(token("t0ken-old", 3600))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(path("/token"))
        .respond_with(token("t0ken-new", 3600))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(path("/item"))
        .and(header("authorization", "Bearer t0ken-old"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({})))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    item(&server, "t0ken-old", 401).await;
    item(&server, "t0ken-new", 200).await;
    let world = world(&server, "");
    get(&world).await.unwrap();
    assert_eq!(
        get(&world).await.unwrap()["count"],
        1,
        "the old one was refused, a new one was not"
    );
    assert_eq!(get(&world).await.unwrap()["count"], 1, "and is kept");
}

#[tokio::test]
async fn f_306_a_fresh_token_that_is_refused_is_a_refused_credential() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/token"))
        .respond_with(token("t0ken-one", 3600))
        .expect(2)
        .mount(&server)
        .await;
    Mock::given(path("/item"))
        .respond_with(ResponseTemplate::new(401))
        .expect(2)
        .mount(&server)
        .await;
    let world = world(&server, "");
    for _ in 0..2 {
        // Refused tokens are not kept.
        assert_eq!(get(&world).await.unwrap_err().code, "CONNECTOR_AUTH_FAILED");
    }
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed, Health::AuthFailed]);
}

#[tokio::test]
async fn f_306_a_refused_client_is_a_refused_credential() {
    for (status, error, code) in [
        (400, "invalid_client", "CONNECTOR_AUTH_FAILED"),
        (401, "whatever", "CONNECTOR_AUTH_FAILED"),
        (400, "invalid_scope", "CONNECTOR_REFUSED"),
        (503, "down", "CONNECTOR_UNAVAILABLE"),
    ] {
        let server = MockServer::builder().start().await;
        let answer = ResponseTemplate::new(status)
            .set_body_json(json!({ "error": error, "error_description": "s3cr3t-client" }));
        Mock::given(path("/token")).respond_with(answer).mount(&server).await;
        let failure = get(&world(&server, "")).await.unwrap_err();
        assert_eq!(failure.code, code, "{failure}");
        assert!(!failure.message.contains("s3cr3t"), "{failure}");
        let asked = server.received_requests().await.unwrap();
        assert!(asked.iter().all(|request| request.url.path() == "/token"));
    }
}

#[tokio::test]
async fn f_103_what_is_no_token_is_named_and_not_shown() {
    for body in
        ["<html>s3cr3t</html>", "{\"token\": \"s3cr3t\"}", "{\"access_token\": \"s3cr3t\\n\"}"]
    {
        let server = MockServer::builder().start().await;
        Mock::given(path("/token"))
            .respond_with(ResponseTemplate::new(200).set_body_string(body))
            .mount(&server)
            .await;
        let failure = get(&world(&server, "")).await.unwrap_err();
        assert_eq!(
            (failure.code, failure.class),
            ("CONNECTOR_TOKEN", Class::Terminal),
            "{failure}"
        );
        assert!(!failure.message.contains("s3cr3t"), "{failure}");
    }
}

#[tokio::test]
async fn k_42_a_token_quoted_back_is_not_shown() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/token")).respond_with(token("t0ken-one", 3600)).mount(&server).await;
    Mock::given(path("/item"))
        .respond_with(
            ResponseTemplate::new(400).set_body_string("no: Bearer t0ken-one, s3cr3t-client"),
        )
        .mount(&server)
        .await;
    let failure = get(&world(&server, "")).await.unwrap_err();
    assert!(failure.message.ends_with("no: Bearer [redacted], [redacted]"), "{failure}");
}

#[tokio::test]
async fn k_38_a_token_server_is_held_to_the_rules_of_the_way_out() {
    let server = MockServer::builder().start().await;
    let text = yaml(&server, "").replace(
        &format!("token_url: '{}/token'", server.uri()),
        "token_url: 'https://169.254.169.254/token'",
    );
    let parts = vec![("client_id", "client-7"), ("client_secret", "s3cr3t-client")];
    let world = Arc::new(World { parts, ..World::new(&text) });
    assert_eq!(get(&world).await.unwrap_err().code, "EGRESS_REFUSED");
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn k_49_a_token_is_renewed_before_an_effect_and_not_after_it() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/token"))
        .respond_with(token("t0ken-one", 3600))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .and(path("/item"))
        .respond_with(ResponseTemplate::new(502))
        .expect(1)
        .mount(&server)
        .await;
    let create = call_of("api", "create", json!({}));
    let failure = run_with(&world(&server, ""), Mode::Write, LOCAL, &create).await.unwrap_err();
    assert_eq!(failure.code, "CONNECTOR_IN_DOUBT");
}
