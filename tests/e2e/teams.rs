//! Teams: members write to one another, see the agents that are shared with them, and agents read what they wrote while their
//! owner is a member (F-007, F-010, F-061, F-405, F-409).

mod agents;
mod members_run;
mod posts;

use countersign_cli::CliError;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, admin, person};
use crate::world::world;

/// A team with these members.
pub(crate) async fn team(members: &[&Person]) -> String {
    let made = admin(world()).post("/api/admin/teams", &json!({ "name": "Grants desk" })).await;
    let team = made.unwrap()["id"].as_str().unwrap().to_owned();
    for member in members {
        join(&team, member).await;
    }
    team
}

async fn join(team: &str, person: &Person) {
    let path = format!("/api/admin/teams/{team}/members/{}", person.username);
    admin(world()).put(&path, &json!({})).await.unwrap();
}

async fn leave(team: &str, person: &Person) {
    admin(world()).delete(&format!("/api/admin/teams/{team}/members/{}", person.id)).await.unwrap();
}

/// Switches a team on or off.
async fn switch(team: &str, on: bool) {
    let patch = json!({ "is_active": on });
    admin(world()).patch(&format!("/api/admin/teams/{team}"), &patch).await.unwrap();
}

fn status(said: Result<impl Sized, CliError>) -> u16 {
    match said {
        Err(CliError::Refused { status, .. }) => status,
        Err(other) => panic!("{other}"),
        Ok(_) => 200,
    }
}

#[tokio::test]
async fn f_409_an_administrator_says_who_is_in_a_team_and_others_do_not_see_it() {
    let ana = person("ana", &["global:reader"]).await;
    let bea = person("bea", &["global:reader"]).await;
    let team = team(&[&ana]).await;
    join(&team, &ana).await;
    let listed = ana.get("/teams").await;
    assert_eq!(listed["items"][0]["id"], json!(team), "{listed:#}");
    assert_eq!(ana.get("/me").await["teams"], json!([{ "id": team, "name": "Grants desk" }]));
    let members = ana.get(&format!("/teams/{team}/members")).await;
    assert_eq!(members["items"].as_array().unwrap().len(), 1, "twice is once: {members:#}");
    assert_eq!(members["items"][0]["username"], json!(ana.username));

    assert_eq!(bea.get("/teams").await["items"], json!([]));
    for path in ["", "/members", "/posts", "/agents"] {
        assert_eq!(bea.refused(&format!("/teams/{team}{path}"), None).await.0, 404, "{path}");
    }
    for (path, body) in [("/api/admin/teams", json!({ "name": "Mine" }))] {
        assert_eq!(status(ana.door.post(path, &body).await), 403);
    }
    let own = format!("/api/admin/teams/{team}/members/{}", bea.id);
    assert_eq!(status(ana.door.put(&own, &json!({})).await), 403, "no member adds another");

    switch(&team, false).await;
    assert_eq!(ana.get("/teams").await["items"], json!([]));
    assert_eq!(ana.refused(&format!("/teams/{team}"), None).await.0, 404);
    switch(&team, true).await;
    leave(&team, &ana).await;
    assert_eq!(ana.refused(&format!("/teams/{team}"), None).await.0, 404);
    let changed = admin(world()).get(&format!("/api/admin/teams/{team}")).await.unwrap();
    assert_eq!((&changed["is_active"], &changed["version"]), (&json!(true), &json!(3)));
    let nobody = format!("/api/admin/teams/{team}/members/nobody-x");
    assert_eq!(status(admin(world()).put(&nobody, &Value::Null).await), 404);
    let blank = json!({ "name": " ", "colour": "red" });
    assert_eq!(status(admin(world()).post("/api/admin/teams", &blank).await), 422);
}

/// Writes a post.
pub(crate) async fn write(author: &Person, team: &str, content: &str) -> Value {
    author.post(&format!("/teams/{team}/posts"), &json!({ "content": content })).await
}

pub(crate) async fn share(owner: &Person, agent: &str, team: &str, terms: &Value) -> Value {
    let mut body = terms.clone();
    body["team_id"] = json!(team);
    owner.post(&format!("/profiles/{agent}/share"), &body).await
}

async fn delete(person: &Person, path: &str) -> u16 {
    status(person.door.delete(&format!("{FACTORY}{path}")).await)
}
