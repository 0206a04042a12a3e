//! The REST door as a whole.

use reqwest::Client;
use serde_json::{Value, json};

use crate::case::{FACTORY, gated, person, rows};
use crate::world::world;

#[tokio::test]
async fn the_door_describes_itself() {
    let client = Client::builder().no_proxy().build().unwrap();
    let url = world().stack.url();
    let described: Value =
        client.get(format!("{url}/openapi.json")).send().await.unwrap().json().await.unwrap();
    let paths = described["paths"].as_object().unwrap();
    for path in
        ["/executions", "/approvals/{id}/approve", "/playbooks/validate", "/profiles/{id}/journal"]
    {
        assert!(paths.keys().any(|known| known.ends_with(path)), "{path} is not described");
    }
}

#[tokio::test]
async fn the_same_idempotency_key_starts_the_same_run() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-once", "")).await;
    let token = countersign_cli::token::login(
        &world().stack,
        &ana.id,
        countersign_identity::Scopes::parse(["global:analyst"]),
    )
    .unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let url = format!("{}{FACTORY}/executions", world().stack.url());
    let post = |inputs: Value| {
        let body = json!({ "profile": agent, "playbook": "gated-once", "inputs": inputs });
        client
            .post(&url)
            .bearer_auth(&token)
            .header("idempotency-key", "one-and-the-same")
            .json(&body)
            .send()
    };
    let (first, second) = (post(rows()).await.unwrap(), post(rows()).await.unwrap());
    assert_eq!(
        (first.status(), second.status()),
        (reqwest::StatusCode::ACCEPTED, reqwest::StatusCode::ACCEPTED)
    );
    let (first, second): (Value, Value) =
        (first.json().await.unwrap(), second.json().await.unwrap());
    assert_eq!(first["id"], second["id"]);
    assert_eq!(post(json!({ "rows": [] })).await.unwrap().status(), reqwest::StatusCode::CONFLICT);
}

#[tokio::test]
async fn lists_come_in_pages() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-paged", "")).await;
    for _ in 0..3 {
        ana.start(&agent, "gated-paged", rows()).await;
    }
    let first = ana.get("/executions?limit=2").await;
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    let next = first["next"].as_str().expect("there is a next page");
    let second = ana.get(&format!("/executions?limit=2&cursor={next}")).await;
    assert_eq!(second["items"].as_array().unwrap().len(), 1);
    assert_eq!(
        maria.refused(&format!("/executions?limit=2&cursor={next}"), None).await.0,
        400,
        "a cursor is its owner's"
    );
}
