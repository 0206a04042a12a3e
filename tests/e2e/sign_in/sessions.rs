//! Where somebody is signed in.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::accounts::{Account, Session, door, root};
use crate::case::{FACTORY, until};

/// What a path lists.
async fn listed(token: &str, path: &str) -> Vec<Value> {
    door(token).await.get(path).await.unwrap()["items"].as_array().unwrap().clone()
}

/// The line of a session.
fn line<'l>(lines: &'l [Value], session: &Session) -> &'l Value {
    let id = &session.claims()["origin_jti"];
    let mut own = lines.iter().filter(|line| line["session_id"] == *id);
    let found = own.next().unwrap_or_else(|| panic!("{id} is not in {lines:#?}"));
    assert!(own.next().is_none(), "it is listed twice: {lines:#?}");
    found
}

#[tokio::test]
async fn r_104_a_person_and_administrators_see_their_sessions_with_when_they_began() {
    let ana = Account::new("ana").await;
    let (one, two) = (ana.sign_in().await.unwrap(), ana.sign_in().await.unwrap());
    let own = format!("{FACTORY}/me/sessions");
    let first = listed(&one.access, &own).await;
    assert_eq!(first.len(), 1, "the other one was not used yet: {first:#?}");
    let (claims, began) = (one.claims(), line(&first, &one)["started_at"].as_str().unwrap());
    let began = began.parse::<Timestamp>().unwrap().as_second();
    assert_eq!(
        Some(began),
        claims["auth_time"].as_i64().map(|at| at.min(claims["iat"].as_i64().unwrap()))
    );
    assert_eq!(first[0]["user_id"], claims["user_id"]);

    // A later token is of the same session.
    let again = one.refreshed().await.unwrap();
    listed(&again.access, &own).await;
    let both = listed(&two.access, &own).await;
    assert_eq!(both.len(), 2, "{both:#?}");
    let state = |lines: &[Value], session: &Session| {
        let line = line(lines, session);
        (line["is_active"].as_bool().unwrap(), line["is_current"].as_bool().unwrap())
    };
    assert_eq!([&one, &two].map(|of| state(&both, of)), [(true, false), (true, true)]);

    let (admin, person) = (root().await, format!("/api/admin/users/{}", ana.email));
    let seen = admin.get(&format!("{person}/sessions")).await.unwrap();
    let seen = seen["items"].as_array().unwrap().clone();
    assert_eq!([&one, &two].map(|of| state(&seen, of)), [(true, false), (true, false)]);
    let ends = json!({ "token_id": line(&seen, &one)["session_id"] });
    admin.post(&format!("{person}/revoke-tokens"), &ends).await.unwrap();
    let left = listed(&two.access, &own).await;
    assert_eq!([&one, &two].map(|of| state(&left, of)), [(false, false), (true, true)]);

    admin.post(&format!("{person}/revoke-tokens"), &json!({})).await.unwrap();
    until("no session is active", || async {
        let seen = admin.get(&format!("{person}/sessions")).await.ok()?;
        seen["items"].as_array()?.iter().all(|one| one["is_active"] == false).then_some(())
    })
    .await;
}
