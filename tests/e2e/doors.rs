//! The REST door as a whole.

use std::collections::BTreeSet;

use countersign_cli::CliError;
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
    let operations = paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().values().map(move |operation| (path, operation))
    });
    let (mut ids, mut closed) = (BTreeSet::new(), 0);
    for (path, operation) in
        operations.filter(|(_, operation)| operation["operationId"].is_string())
    {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "two operations are called {id}");
        // These take no token that could be rejected.
        let open = ["/health", "/openapi.json", "/errors/{code}", "/hooks/{id}"];
        if open.contains(&path.as_str()) {
            continue;
        }
        closed += 1;
        // The gateway rejects a bad token by itself, and says so in its own form.
        for status in ["401", "403"] {
            let content = &operation["responses"][status]["content"];
            for media in ["application/problem+json", "application/json"] {
                assert!(content[media].is_object(), "{id}: {status} {media}");
            }
        }
    }
    assert!(ids.len() > 100 && closed > 100, "{} operations, {closed} closed", ids.len());
    let shown = client.get(format!("{url}/docs")).send().await.unwrap();
    assert_eq!(shown.headers()["content-type"], "text/html; charset=utf-8");
    let page = shown.text().await.unwrap();
    for (path, item) in paths {
        for method in item.as_object().unwrap().keys() {
            let operation = format!("<code>{} {path}</code>", method.to_uppercase());
            assert!(page.contains(&operation), "{operation} is not on the page");
        }
    }
}

#[tokio::test]
async fn every_problem_links_to_a_page_that_anybody_may_read() {
    let client = Client::builder().no_proxy().build().unwrap();
    let url = world().stack.url();
    let page = async |path: String, accept: &str| {
        let answer = client.get(format!("{url}{path}")).header("accept", accept).send().await;
        let answer = answer.unwrap();
        let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
        (answer.status().as_u16(), kind, answer.text().await.unwrap())
    };
    let (status, _, text) = page("/errors/NO_SUCH_CODE".to_owned(), "*/*").await;
    let problem: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &problem["code"]), (404, &json!("NOT_FOUND")), "{text}");
    let kind = problem["type"].as_str().unwrap().to_owned();
    let (status, media, text) = page(kind.clone(), "text/html,*/*;q=0.8").await;
    assert_eq!((status, media.as_str()), (200, "text/html; charset=utf-8"), "{text}");
    assert!(text.contains("<h1>NOT_FOUND</h1>"), "{text}");
    let (status, media, text) = page(kind, "*/*").await;
    assert_eq!((status, media.as_str()), (200, "text/markdown; charset=utf-8"), "{text}");
    assert!(text.starts_with("# NOT_FOUND\n"), "{text}");
}

#[tokio::test]
async fn a_wrong_id_is_named_as_what_it_should_be() {
    let ana = person("ana", &["global:analyst"]).await;
    for (path, thing) in [
        ("/executions/exec_nowhere", "execution `exec_nowhere`"),
        ("/profiles/nobody/data-sources/none", "data source `none` of the profile `nobody`"),
    ] {
        let said = ana.door.get(&format!("{FACTORY}{path}")).await;
        let Err(CliError::Refused { status, title, help, .. }) = said else {
            panic!("{path}: {said:?}")
        };
        assert_eq!((status, title), (404, format!("there is no {thing} that you may see")));
        assert!(help.is_some_and(|help| help.starts_with("check the id")), "{path}");
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

#[tokio::test]
async fn a_body_that_is_not_required_may_be_left_out() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("gated-bodiless", "")).await;
    let claims = countersign_identity::Scopes::parse(["global:analyst"]);
    let token = countersign_cli::token::login(&world().stack, &ana.id, claims).unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let post = async |path: &str| {
        let url = format!("{}{FACTORY}{path}", world().stack.url());
        let answer = client.post(url).bearer_auth(&token).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (status, copy) = post(&format!("/profiles/{agent}/duplicate")).await;
    assert_eq!(status, 201, "{copy:#}");
    let (status, judged) = post("/playbooks/gated-bodiless/validate").await;
    assert_eq!((status, &judged["is_valid"]), (200, &json!(true)), "{judged:#}");
    let (status, refused) = post("/playbooks").await;
    assert_eq!((status, &refused["code"]), (415, &json!("NOT_JSON")), "what is required stays so");

    let openapi = format!("{}/openapi.json", world().stack.url());
    let described: Value = client.get(openapi).send().await.unwrap().json().await.unwrap();
    let is_required = |path: &str| {
        described["paths"][format!("{FACTORY}{path}")]["post"]["requestBody"]["required"] == true
    };
    assert!(is_required("/playbooks") && !is_required("/profiles/{id}/duplicate"));
}

#[tokio::test]
async fn a_change_counts_for_the_version_that_it_names() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let scopes = countersign_identity::Scopes::parse(["global:analyst"]);
    let token = countersign_cli::token::login(&world().stack, &ana.id, scopes).unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let url = format!("{}{FACTORY}/profiles/{agent}", world().stack.url());
    let patch = async |tag: &str, icon: &str| {
        let request = client.patch(&url).bearer_auth(&token).header("if-match", tag);
        let answer = request.json(&json!({ "icon": icon })).send().await.unwrap();
        let tag = answer.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        let status = answer.status().as_u16();
        (status, tag, answer.json::<Value>().await.unwrap())
    };
    let seen = client.get(&url).bearer_auth(&token).send().await.unwrap();
    let first = seen.headers()["etag"].to_str().unwrap().to_owned();
    let (status, tag, refused) = patch("\"999\"", "a").await;
    assert_eq!((status, tag, &refused["code"]), (412, None, &json!("PRECONDITION_FAILED")));
    let (status, next, changed) = patch(&first, "b").await;
    assert_eq!((status, &changed["icon"]), (200, &json!("b")), "{changed:#}");
    assert_eq!(next, Some(format!("\"{}\"", changed["version"])));
    assert_eq!(patch(&first, "c").await.0, 412, "it has another version by now");
    let gone = client.delete(&url).bearer_auth(&token).header("if-match", &first);
    assert_eq!(gone.send().await.unwrap().status().as_u16(), 412);
    assert_eq!(ana.get(&format!("/profiles/{agent}")).await["icon"], "b");
}

#[tokio::test]
async fn a_body_that_could_be_read_in_two_ways_is_refused() {
    let ana = person("ana", &["global:analyst"]).await;
    let scopes = countersign_identity::Scopes::parse(["global:analyst"]);
    let token = countersign_cli::token::login(&world().stack, &ana.id, scopes).unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let url = format!("{}{FACTORY}/profiles", world().stack.url());
    let post = async |body: &'static [u8]| {
        let request = client.post(&url).bearer_auth(&token);
        let request = request.header("content-type", "application/json").body(body);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (status, twice) = post(br#"{"name": "A", "handle": "dup-a", "handle": "dup-b"}"#).await;
    let error = json!({ "path": "handle", "message": "is given twice" });
    assert_eq!((status, &twice["errors"][0]), (422, &error), "{twice:#}");
    let (status, latin) = post(b"{\"name\": \"Caf\xe9 x\"}").await;
    assert_eq!((status, &latin["code"]), (400, &json!("BODY_UNREADABLE")), "{latin:#}");
}

#[tokio::test]
async fn an_address_is_answered_by_its_methods_and_says_which_they_are() {
    let client = Client::builder().no_proxy().build().unwrap();
    for path in ["/health", "/openapi.json", "/docs", "/errors/NOT_FOUND"] {
        let url = format!("{}{path}", world().stack.url());
        let head = client.head(&url).send().await.unwrap();
        assert_eq!(head.status().as_u16(), 200, "{path}");
        let put = client.put(&url).send().await.unwrap();
        assert_eq!(put.status().as_u16(), 405, "{path}");
        assert_eq!(put.headers()["allow"], "GET,HEAD", "{path}");
    }
}
