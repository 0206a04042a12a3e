//! Requests that no client of ours makes: each gets an answer that says what is wrong, and changes nothing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_cli::CliError;
use countersign_cli::door::Door;
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use crate::case::{FACTORY, admin, gated, person, rows};
use crate::world::world;

fn refusal(said: Result<Value, CliError>) -> (u16, String) {
    match said {
        Err(CliError::Refused { status, code, .. }) => (status, code.unwrap_or_default()),
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn f_375_a_range_that_ends_before_it_begins_is_invalid() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    for range in [
        "from=2026-11-22&to=2026-11-21",
        "from=2026-11-22T09:00:01Z&to=2026-11-22T09:00:00Z",
        "from=9999-12-01&to=0001-01-01",
    ] {
        let said = ana.refused(&format!("/profiles/{agent}/journal?{range}"), None).await;
        assert_eq!(said, (422, "INVALID_INPUT".to_owned()), "{range}");
    }
    ana.get(&format!("/profiles/{agent}/journal?from=2026-11-22&to=2026-11-22")).await;
    let (later, earlier) = ("2026-11-22T09:00:01Z", "2026-11-22T09:00:00Z");
    for list in ["/executions", "/statistics", "/journal"] {
        let said = ana.refused(&format!("{list}?from={later}&to={earlier}"), None).await;
        assert_eq!(said, (422, "INVALID_INPUT".to_owned()), "{list}");
        ana.get(&format!("{list}?from={earlier}&to={earlier}")).await;
    }
}

/// A cursor with another place in the list, everything else as it was given.
pub(crate) fn forged(cursor: &str, place: &str) -> String {
    let sealed = URL_SAFE_NO_PAD.decode(cursor).unwrap();
    let mut sealed: Value = serde_json::from_slice(&sealed).unwrap();
    sealed["k"] = json!(place);
    URL_SAFE_NO_PAD.encode(sealed.to_string())
}

#[tokio::test]
async fn a_forged_cursor_is_refused_and_never_reaches_the_store() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-forged", "")).await;
    for _ in 0..2 {
        ana.start(&agent, "gated-forged", rows()).await;
    }
    let mut tried = 0;
    for list in ["/executions", "/profiles", "/playbooks", "/connectors"] {
        let page = ana.get(&format!("{list}?limit=1")).await;
        let next = page["next"].as_str().unwrap_or_else(|| panic!("{list} has one page: {page}"));
        for place in ["", "own:x", "system:{}", "{\"S\":1}", "zz", "\u{0}", "own:\u{ffff}", "[]"] {
            let path = format!("{list}?limit=1&cursor={}", forged(next, place));
            let said = ana.refused(&path, None).await;
            assert_eq!(said, (400, "CURSOR_INVALID".to_owned()), "{list} {place:?}");
            tried += 1;
        }
        ana.get(&format!("{list}?limit=1&cursor={next}")).await;
    }
    let users = admin(world());
    let page = users.get("/api/admin/users?limit=1").await.unwrap();
    let next = forged(page["next"].as_str().unwrap(), "nonsense");
    let said = refusal(users.get(&format!("/api/admin/users?limit=1&cursor={next}")).await);
    assert_eq!((said, tried), ((400, "CURSOR_INVALID".to_owned()), 32));
}

#[tokio::test]
async fn a_token_whose_head_names_something_critical_opens_nothing() {
    let ana = person("ana", &["global:analyst"]).await;
    let now = jiff::Timestamp::now().as_second();
    let claims = json!({
        "iss": "countersign", "aud": "countersign", "sub": ana.id.as_str(), "exp": now + 600, "iat": now, "jti": "t-1",
        "scopes": ["global:analyst"], "capabilities": [], "token_use": "login",
    });
    let key = EncodingKey::from_secret(world().stack.jwt_secret.as_bytes());
    let get = async |crit: Option<Vec<String>>| {
        let head = Header { crit, ..Header::default() };
        let token = jsonwebtoken::encode(&head, &claims, &key).unwrap();
        let door = Door::with(&world().stack.url(), token).unwrap();
        door.get(&format!("{FACTORY}/executions")).await
    };
    get(None).await.unwrap();
    for crit in [vec![], vec!["exp"], vec!["b64"], vec!["https://example.org/policy"]] {
        let crit = crit.into_iter().map(str::to_owned).collect();
        let (status, _) = refusal(get(Some(crit)).await);
        assert!([401, 403].contains(&status), "{status}");
    }
}

#[tokio::test]
async fn a_username_is_nobodys_id() {
    let ana = person("ana", &["global:analyst"]).await;
    let entered = async |username: &str| {
        let email = format!("{}@example.org", uuid::Uuid::now_v7().simple());
        let body = json!({ "username": username, "email": email, "email_verified": true, "display_name": "Eve" });
        admin(world()).post("/api/admin/users", &body).await
    };
    let nobody = format!("user_{}", "0f".repeat(16));
    for id in [ana.id.as_str(), &nobody] {
        assert_eq!(refusal(entered(id).await), (422, "INVALID_INPUT".to_owned()), "{id}");
    }
    let found = admin(world()).get(&format!("/api/admin/users/{}", ana.id)).await.unwrap();
    assert_eq!(found["username"], ana.username);
}

#[tokio::test]
async fn a_form_without_an_origin_of_ours_decides_nothing() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-origin", "")).await;
    let run = ana.start(&agent, "gated-origin", rows()).await;
    let link = maria.link().await;
    let page = maria.approver().open(&link).await.unwrap();
    let form = [("nonce", page.field("nonce").unwrap()), ("decision", "approve".to_owned())];
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let send = async |headers: &[(&str, &str)]| {
        let mut request = client.post(&link).form(&form);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap().status().as_u16()
    };
    for headers in [
        &[("origin", "null")][..],
        &[("origin", "null"), ("sec-fetch-site", "same-origin")],
        &[("origin", "null"), ("sec-fetch-site", "none")],
        &[("origin", "https://elsewhere.example")],
        &[("sec-fetch-site", "cross-site")],
    ] {
        assert_eq!(send(headers).await, 403, "{headers:?}");
    }
    assert_eq!(ana.run(&run).await["state"], "awaiting_approval");
    let ours = world().stack.endpoint();
    assert_eq!(send(&[("origin", &ours), ("sec-fetch-site", "same-origin")]).await, 200);
}
