//! `countersign triggers`.

use countersign_trigger::hook::Secret;
use serde_json::{Value, json};

use super::{Sender, comes_to, compute, run_of};
use crate::case::person;
use crate::schedules::command::{command, document, said};

/// The JSON document that a command on triggers prints.
async fn shown(ana: &crate::case::Person, arguments: &[&str]) -> Value {
    document(&said(ana, &[&["triggers"], arguments, &["--json"]].concat()).await)
}

#[tokio::test]
async fn issue_14_the_command_line_makes_shows_and_pauses_triggers_and_their_keys() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute("rows-by-command")).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let yaml = format!(
        "name: Rows that come\nprofile_id: {agent}\nplaybook_id: rows-by-command\non: {{type: webhook}}\ninputs: {{rows: \"{{body.rows}}\"}}\n"
    );
    std::fs::write(file.path(), yaml.replace("webhook", "pigeon")).unwrap();
    let (is_well, refused) = command(&ana, &["triggers", "create", path]).await;
    assert!(!is_well && refused.contains("pigeon"), "{refused}");
    std::fs::write(file.path(), &yaml).unwrap();
    let made = shown(&ana, &["create", path]).await;
    let id = made["id"].as_str().unwrap();
    let all = said(&ana, &["triggers"]).await;
    assert!(all.contains(id) && all.contains("Rows that come"), "{all}");
    let hook = said(&ana, &["triggers", "show", id]).await;
    assert!(hook.contains("hook_path") && hook.contains(id), "{hook}");

    let key = shown(&ana, &["new-key", id]).await;
    let secret = Secret::parse(key["secret"].as_str().unwrap()).unwrap();
    let key = key["id"].as_str().unwrap().to_owned();
    let keys = said(&ana, &["triggers", "keys", id]).await;
    assert!(keys.contains(&key) && !keys.contains("whsec"), "{keys}");
    let sender = Sender { trigger: id.to_owned(), key: key.clone(), secret };
    let rows = json!({ "rows": [{ "name": "a", "amount": 1 }] });
    assert_eq!(sender.send("msg_1", &rows).await.status, 202);
    let run = run_of(&comes_to(&ana, id, "finished").await);
    let occurrences = said(&ana, &["triggers", "occurrences", id]).await;
    assert!(occurrences.contains("finished") && occurrences.contains(&run), "{occurrences}");

    assert_eq!(shown(&ana, &["pause", id]).await["is_active"], false);
    let listed =
        async |filters: &[&str]| said(&ana, &[&["triggers"], filters].concat()).await.contains(id);
    assert!(listed(&["--active", "false", "--profile", &agent]).await);
    assert!(!listed(&["--active", "true"]).await);
    assert_ne!(sender.send("msg_2", &rows).await.status, 202, "nothing fires it");
    assert_eq!(shown(&ana, &["resume", id]).await["is_active"], true);
    assert_eq!(sender.send("msg_3", &rows).await.status, 202);
    said(&ana, &["triggers", "remove-key", id, &key]).await;
    assert_eq!(sender.send("msg_4", &rows).await.code(), (401, "WEBHOOK_UNVERIFIED"));
    assert!(said(&ana, &["triggers", "remove", id]).await.contains(id));
    assert!(!said(&ana, &["triggers"]).await.contains(id));
    let (is_well, refused) = command(&ana, &["triggers", "show", id]).await;
    assert!(!is_well && refused.contains("NOT_FOUND"), "{refused}");
}
