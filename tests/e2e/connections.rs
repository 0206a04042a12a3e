//! Connections to which what happens is pushed (A-155, K-31).

use std::time::Duration;

use countersign_cli::CliError;
use countersign_cli::connection::Connection;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::case::{PATIENCE, Person, admin, gated, person, rows};
use crate::world::world;

/// The next message of this type; others are passed over.
async fn next(connection: &mut Connection, of: &str) -> Value {
    let found = timeout(PATIENCE, async {
        loop {
            let message = connection.next().await.unwrap().expect("the connection is open");
            if message["type"] == of {
                return message;
            }
        }
    });
    found.await.unwrap_or_else(|_| panic!("no `{of}` came"))
}

/// The next messages of two types, in whatever order they come.
async fn both(connection: &mut Connection, of: [&str; 2]) -> [Value; 2] {
    let mut found = of.map(|_| None);
    let read = timeout(PATIENCE, async {
        while found.iter().any(Option::is_none) {
            let message = connection.next().await.unwrap().expect("the connection is open");
            if let Some(at) = of.iter().position(|of| message["type"] == *of) {
                found[at] = Some(message);
            }
        }
    });
    read.await.unwrap_or_else(|_| panic!("of {of:?} not both came"));
    found.map(Option::unwrap)
}

/// A playbook that asks before it keeps rows, and an agent whose gates Maria signs.
async fn agent(owner: &Person, maria: &Person) -> String {
    owner.playbook(&gated("pushed-rows", "")).await;
    owner.agent(&[maria]).await
}

async fn approver(name: &str) -> Person {
    person(name, &["global:analyst", "decide"]).await
}

#[tokio::test]
async fn a_155_every_connection_of_a_person_is_sent_what_concerns_them() {
    let (ana, maria, cara) =
        (approver("ana").await, approver("maria").await, approver("cara").await);
    let agent = agent(&ana, &maria).await;
    let open = async |person: &Person| Connection::open(&person.door).await.unwrap();
    let (mut first, mut second) = (open(&ana).await, open(&ana).await);
    let (mut signer, mut other) = (open(&maria).await, open(&cara).await);
    let run = ana.start(&agent, "pushed-rows", rows()).await;

    let asked = next(&mut signer, "approval.opened").await;
    assert_eq!((&asked["run"], &asked["status"]), (&json!(run), &json!("pending")));
    assert_eq!((asked.get("owner"), asked.get("people")), (None, None), "ids alone: {asked:#}");
    let id = asked["approval"].as_str().unwrap();
    let shown = maria.get(&format!("/approvals/{id}")).await;
    let seen = json!({ "digest": shown["digest"], "version": shown["version"] });
    maria.post(&format!("/approvals/{id}/approve"), &seen).await;

    // They come in any order.
    let [ended, told] = both(&mut first, ["run.finished", "notification.written"]).await;
    let again = next(&mut second, "run.finished").await;
    for ended in [&ended, &again] {
        assert_eq!((&ended["run"], &ended["status"]), (&json!(run), &json!("complete")));
    }
    let notes = ana.get("/notifications").await;
    assert_eq!(notes["items"][0]["id"], told["notification"], "{notes:#}");

    // Whom nothing concerns hears of nothing but their own.
    let own = cara.agent(&[&maria]).await;
    cara.playbook(&gated("cara-rows", "")).await;
    let mine = cara.start(&own, "cara-rows", rows()).await;
    let heard = timeout(PATIENCE, other.next()).await.unwrap().unwrap().unwrap();
    assert_eq!(heard["run"], json!(mine), "{heard:#}");
}

fn is_refused(opened: &Result<Connection, CliError>) -> bool {
    matches!(opened, Err(CliError::Door { .. }))
}

async fn address(person: &Person) -> String {
    let opening = person.post("/connections", &json!({})).await;
    opening["url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn k_31_a_ticket_opens_one_connection_of_the_person_of_its_token() {
    let (ana, bob) = (approver("ana").await, approver("bob").await);
    let url = address(&ana).await;
    let as_bob = format!("{url}&user={}&user_id={}", bob.id, bob.id);
    let mut open = Connection::at(&as_bob).await.unwrap();
    assert!(is_refused(&Connection::at(&url).await), "a ticket opens one connection");
    let base = url.split('?').next().unwrap().to_owned();
    for none in
        [base.clone(), format!("{base}?ticket="), format!("{base}?ticket={}", "0".repeat(64))]
    {
        assert!(is_refused(&Connection::at(&none).await), "{none}");
    }
    let agent = agent(&ana, &bob).await;
    let run = ana.start(&agent, "pushed-rows", rows()).await;
    let asked = next(&mut open, "approval.opened").await;
    assert_eq!(asked["run"], json!(run), "it is Ana's, whatever the address says");

    let gone = approver("gone").await;
    let late = address(&gone).await;
    let off = json!({ "active": false });
    admin(world()).patch(&format!("/api/admin/users/{}", gone.id), &off).await.unwrap();
    assert!(is_refused(&Connection::at(&late).await), "the token is void by now");
}

#[tokio::test]
async fn k_31_a_connection_ends_with_its_token() {
    let (ana, maria) = (approver("ana").await, approver("maria").await);
    let agent = agent(&ana, &maria).await;
    let mut open = Connection::open(&ana.door).await.unwrap();
    let run = ana.start(&agent, "pushed-rows", rows()).await;
    next(&mut open, "approval.opened").await;
    let path = format!("/api/admin/users/{}/revoke-tokens", ana.id);
    admin(world()).post(&path, &json!({})).await.unwrap();
    let id = maria.request(&run).await["approval"].as_str().unwrap().to_owned();
    let shown = maria.get(&format!("/approvals/{id}")).await;
    let note =
        json!({ "digest": shown["digest"], "version": shown["version"], "note": "Not these." });
    maria.post(&format!("/approvals/{id}/reject"), &note).await;
    let ended = timeout(PATIENCE, open.next()).await.expect("the connection ends").unwrap();
    assert_eq!(ended, None, "nothing is sent to a token that is void");
}

#[tokio::test]
async fn a_155_the_oldest_of_too_many_connections_makes_room() {
    let ana = approver("ana").await;
    let mut first = Connection::open(&ana.door).await.unwrap();
    let mut others = Vec::new();
    for _ in 0..10 {
        others.push(Connection::open(&ana.door).await.unwrap());
    }
    let ended = timeout(Duration::from_secs(30), first.next()).await;
    assert_eq!(ended.expect("it ends").unwrap(), None);
}

#[tokio::test]
async fn a_155_the_command_line_shows_what_happens() {
    let (ana, maria) = (approver("ana").await, approver("maria").await);
    let agent = agent(&ana, &maria).await;
    let mut watch = world().program(&["watch", "--as", &ana.username]);
    watch.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut watching = watch.kill_on_drop(true).spawn().unwrap();
    let mut said = lines(watching.stderr.take().unwrap());
    let connected = timeout(PATIENCE, said.next_line()).await.unwrap().unwrap();
    assert!(connected.is_some_and(|line| line.starts_with("connected")));
    let run = ana.start(&agent, "pushed-rows", rows()).await;
    let mut shown = lines(watching.stdout.take().unwrap());
    let line = timeout(PATIENCE, shown.next_line()).await.unwrap().unwrap().unwrap();
    assert!(line.contains("approval.opened") && line.contains(&run), "{line}");
}

fn lines<R: tokio::io::AsyncRead>(from: R) -> tokio::io::Lines<tokio::io::BufReader<R>> {
    use tokio::io::AsyncBufReadExt as _;
    tokio::io::BufReader::new(from).lines()
}
