//! `countersign schedules`, `monitors` and `occurrences`, and what the library ships for the clock.

use serde_json::{Value, json};

use super::{comes_to, run_of};
use crate::case::{FACTORY, PATIENCE, Person, person};
use crate::filings::GOOD;
use crate::world::world;

/// What the command says, when it succeeds.
pub(crate) async fn said(ana: &Person, arguments: &[&str]) -> String {
    let (is_well, said) = command(ana, arguments).await;
    assert!(is_well, "{arguments:?}: {said}");
    said
}

/// A command of ana's: whether it succeeds, and what it says.
pub(crate) async fn command(ana: &Person, arguments: &[&str]) -> (bool, String) {
    let (name, rest) = arguments.split_first().unwrap();
    world().command(&[&[*name, "--as", &ana.username], rest].concat()).await
}

/// The JSON document that a command prints.
pub(crate) fn document(said: &str) -> Value {
    let begin = said.find('{').unwrap_or_else(|| panic!("no document: {said}"));
    let mut read = serde_json::Deserializer::from_str(&said[begin..]).into_iter::<Value>();
    read.next().unwrap().unwrap()
}

/// A copy of the shipped agent whose runs maria signs.
async fn investigator(ana: &Person, maria: &Person) -> String {
    let shipped = ana.get("/profiles?limit=100").await;
    let all = shipped["items"].as_array().unwrap();
    let shipped = all.iter().find(|one| one["handle"] == "nonprofit-investigator").unwrap();
    let path = format!("/profiles/{}/duplicate", shipped["id"].as_str().unwrap());
    let copy = json!({ "handle": format!("{}-agent", ana.username) });
    let agent = ana.post(&path, &copy).await["id"].as_str().unwrap().to_owned();
    let signs = json!({ "approvers": [maria.username] });
    ana.door.patch(&format!("{FACTORY}/profiles/{agent}"), &signs).await.unwrap();
    agent
}

async fn put_into(ana: &Person, folder: &str, content: &str) {
    let file = json!({ "name": "filing.xml", "size": content.len() });
    let places = ana.post("/uploads", &json!({ "folder": folder, "files": [file] })).await;
    let places = places["items"].as_array().or_else(|| places.as_array()).unwrap().clone();
    ana.door.send(&places[0], content.as_bytes().to_vec()).await.unwrap();
}

#[tokio::test]
async fn f_179_the_shipped_weekly_cross_reference_runs_when_its_clock_says() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    put_into(&ana, "nonprofits", GOOD).await;
    put_into(&ana, "nonprofits", &GOOD.replace("RIVER", "LAKES").replace("001234567", "001234568"))
        .await;
    let file = world().project.join("library/schedules/weekly-cross-reference.yaml");
    let file = file.to_str().unwrap();
    let as_shipped = document(&said(&ana, &["schedules", "create", file, "--json"]).await);
    let shipped = as_shipped["profile_id"].as_str().unwrap();
    let profile = ana.get(&format!("/profiles/{shipped}")).await;
    assert_eq!(profile["handle"], "nonprofit-investigator", "it names the shipped agent");

    let agent = investigator(&ana, &maria).await;
    let create = ["schedules", "create", file, "--profile", &agent, "--json"];
    let made = said(&ana, &create).await;
    let schedule = document(&made)["id"].as_str().unwrap().to_owned();
    let path = format!("{FACTORY}/schedules/{schedule}");
    // Nothing but its hour is another one.
    ana.door.patch(&path, &json!({ "cron_expression": "* * * * *" })).await.unwrap();
    let on = document(&said(&ana, &["schedules", "enable", &schedule, "--json"]).await);
    assert_eq!(on["is_enabled"], true, "{on:#}");
    let started = comes_to(&ana, &schedule, "started").await;
    said(&ana, &["schedules", "disable", &schedule]).await;
    let run = run_of(&started);
    ana.reaches(&run, "awaiting_approval").await;
    let approver = maria.approver();
    let link = approver.link(0, PATIENCE).await.unwrap();
    let page = approver.open(&link).await.unwrap();
    assert_eq!(approver.decide(&link, &page, "approve", "seen").await.unwrap().status, 200);
    let done = ana.reaches(&run, "complete").await;
    assert_eq!(done["playbook_id"], "officer-cross-reference", "{done:#}");
}

#[tokio::test]
async fn f_365_the_command_line_makes_shows_and_starts_schedules_and_says_what_ran() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let yaml = format!(
        "name: Mornings\nprofile_id: {agent}\ncron_expression: 0 6 * * MON-FRI\ntimezone: Europe/Berlin\nquery_template: What is new?\n"
    );
    std::fs::write(file.path(), &yaml).unwrap();
    let path = file.path().to_str().unwrap();
    let made = document(&said(&ana, &["schedules", "create", path, "--json"]).await);
    let id = made["id"].as_str().unwrap();
    let all = said(&ana, &["schedules"]).await;
    assert!(all.contains(id) && all.contains("Europe/Berlin"), "{all}");
    let on = said(&ana, &["schedules", "enable", id]).await;
    assert!(on.contains("is_enabled: true") && !on.contains('{'), "text without `--json`: {on}");
    let shown = document(&said(&ana, &["schedules", "show", id, "--json"]).await);
    assert_eq!(shown["next_runs"].as_array().unwrap().len(), 5, "{shown:#}");
    let listed = ana.get(&format!("/schedules?kind={agent}")).await;
    assert_eq!(listed["items"][0]["next_run_at"], shown["next_run_at"], "{listed:#}");
    let next = shown["next_run_at"].as_str().unwrap();
    assert!(said(&ana, &["schedules"]).await.contains(next), "{next}");
    let (is_well, refused) = command(&ana, &["schedules", "run-now", id]).await;
    assert!(!is_well && refused.contains("SCHEDULE_NOT_RUN"), "it has no playbook: {refused}");
    let lines =
        said(&ana, &["occurrences", id, "--in-state", "skipped", "--source", "schedule"]).await;
    assert!(lines.contains("Mornings") && lines.contains("skipped"), "{lines}");
    let none = said(&ana, &["occurrences", "--source", "monitor"]).await;
    assert!(!none.contains("Mornings"), "{none}");
    let (is_well, refused) = command(&ana, &["occurrences", "--since", "yesterday"]).await;
    assert!(!is_well && refused.contains("since"), "{refused}");
    said(&ana, &["schedules", "remove", id]).await;
    assert!(!said(&ana, &["schedules"]).await.contains(id));

    std::fs::write(file.path(), yaml.replace("0 6 * * MON-FRI", "0 0 30 2 *")).unwrap();
    let (is_well, refused) = command(&ana, &["schedules", "create", path]).await;
    assert!(!is_well && refused.contains("cron_expression"), "it is never due: {refused}");
}

#[tokio::test]
async fn f_366_the_command_line_makes_pauses_and_shows_monitors() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "irs-990-xml").await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let yaml = format!(
        "name: New filings\nprofile_id: {agent}\nplaybook_id: filings-folder-watch\ninputs: {{folder: incoming}}\n"
    );
    std::fs::write(file.path(), yaml).unwrap();
    let path = file.path().to_str().unwrap();
    let made = document(&said(&ana, &["monitors", "create", path, "--json"]).await);
    let id = made["id"].as_str().unwrap();
    assert!(said(&ana, &["monitors"]).await.contains(id));
    assert!(said(&ana, &["monitors", "pause", id]).await.contains("is_active: false"));
    assert!(said(&ana, &["monitors", "resume", id]).await.contains("is_active: true"));
    assert!(said(&ana, &["monitors", "show", id]).await.contains("New filings"));
    assert!(said(&ana, &["monitors", "run-now", id]).await.contains("asked"));
    crate::case::until("its first look", || async {
        said(&ana, &["monitors"]).await.contains("baseline").then_some(())
    })
    .await;
    for what in ["watermarks", "batches", "parked"] {
        said(&ana, &["monitors", what, id]).await;
    }
    let (is_well, refused) = command(&ana, &["monitors", "reset", id, "--step", "nothing"]).await;
    assert!(!is_well && refused.contains("nothing"), "{refused}");
    said(&ana, &["monitors", "reset", id]).await;
    said(&ana, &["monitors", "batches", id, "--in-state", "open"]).await;
    said(&ana, &["monitors", "remove", id]).await;
    assert!(!said(&ana, &["monitors"]).await.contains(id));
}
