//! Mail scanners, tampered links and other strangers at the mail door.

use countersign_cli::mailbox::Mail;
use reqwest::{Client, Method, StatusCode};
use serde_json::json;

use crate::case::{gated, person, rows};
use crate::world::world;

fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// Every address in a mail, in either part.
fn addresses(mail: &Mail) -> Vec<String> {
    let text = format!("{}\n{}", mail.text, mail.html.replace("&amp;", "&"));
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>');
    text.match_indices("http")
        .map(|(at, _)| text[at..].split(ends).next().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn k_06_a_mail_scanner_that_opens_every_link_changes_nothing() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-scanned", "")).await;
    let run = ana.start(&agent, "gated-scanned", rows()).await;
    maria.link().await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let before = maria.get(&path).await;
    for mail in world().mailbox().to(&maria.email).await.unwrap() {
        for address in addresses(&mail) {
            for method in [Method::HEAD, Method::GET, Method::GET] {
                let request = client()
                    .request(method, &address)
                    .header("purpose", "prefetch")
                    .header("sec-purpose", "prefetch;prerender");
                let answer = request.send().await.unwrap();
                assert!(answer.status().is_success(), "{}", answer.status());
            }
        }
    }
    assert_eq!(maria.get(&path).await, before, "opening links changed the request");
    assert_eq!(ana.run(&run).await["state"], "awaiting_approval");
}

#[tokio::test]
async fn a_page_keeps_to_itself() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-headers", "")).await;
    ana.start(&agent, "gated-headers", rows()).await;
    let answer = client().get(maria.link().await).send().await.unwrap();
    let header = |name: &str| {
        answer
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
            .unwrap_or_default()
    };
    assert!(header("cache-control").contains("no-store"));
    assert_eq!(header("referrer-policy"), "same-origin");
    assert_eq!(header("x-content-type-options"), "nosniff");
    let policy = header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert!(!answer.text().await.unwrap().contains("<script"));
}

#[tokio::test]
async fn a_tampered_link_opens_nothing() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-tampered", "")).await;
    let run = ana.start(&agent, "gated-tampered", rows()).await;
    let link = maria.link().await;
    let at = link.rfind('/').unwrap() + 1;
    for place in [at + 1, at + (link.len() - at) / 2, link.len() - 1] {
        let mut bytes = link.clone().into_bytes();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        let tampered = String::from_utf8(bytes).unwrap();
        let answer = client().get(&tampered).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
        let posted = client()
            .post(&tampered)
            .form(&[("nonce", "x"), ("decision", "approve")])
            .send()
            .await
            .unwrap();
        assert!(posted.status().is_client_error());
    }
    let foreign = client()
        .post(&link)
        .header("origin", "https://elsewhere.example")
        .form(&[("nonce", "x"), ("decision", "approve")]);
    assert!(foreign.send().await.unwrap().status().is_client_error());
    let malformed = client().post(&link).form(&[("decision", "yes please")]).send().await.unwrap();
    assert!(malformed.status().is_client_error());
    assert_eq!(ana.run(&run).await["state"], json!("awaiting_approval"));
}
