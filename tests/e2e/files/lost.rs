//! Functions die at their writes while a file is changed: it is changed once.

use std::collections::BTreeSet;

use countersign_cli::console::Console;
use countersign_cli::stack::down;
use serde_json::{Value, json};

use super::one_step;
use crate::case::{FACTORY, Person, person_in, until};
use crate::crash::{recorded, sabotaged};
use crate::saboteur::{Saboteur, Side, Whom};

struct Scene {
    saboteur: Saboteur,
    ana: Person,
    maria: Person,
    agent: String,
}

#[tokio::test]
async fn f_083_a_function_that_dies_while_it_changes_a_file_changes_it_once() {
    let state = tempfile::tempdir().unwrap();
    let (world, saboteur) = sabotaged("countersign-files", state.path()).await;
    let ana = person_in(&world, "ana", &["global:analyst"]).await;
    let maria = person_in(&world, "maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let adds = r#"inputs: {document_id: log/all.md, edits: [{operation: append, content: "{file}\n"}]}, params: {create_if_missing: true}"#;
    // Without a limit its lease would be that of the function: longer than this hurried machine waits.
    let adds = format!("timeout_seconds: 5, {adds}");
    ana.playbook(&one_step("adds", "patch_file", &adds)).await;
    let scene = Scene { saboteur, ana, maria, agent };
    let mut died = BTreeSet::new();
    for side in [Side::Before, Side::After] {
        for nth in 1.. {
            let dead = scene.play(nth, side).await;
            if dead.is_empty() {
                break;
            }
            died.extend(dead.into_iter().map(|name| format!("{name} {side:?} {nth}")));
        }
    }
    // The intent is its first write, the change itself its second.
    for which in ["Before 1", "After 1", "Before 2", "After 2"] {
        let one = format!("countersign-files-tool-files-write {which}");
        assert!(died.contains(&one), "never died: {one}; {died:?}");
    }
    down(state.path(), &Console::new()).await.unwrap();
}

impl Scene {
    /// One run in which every function dies at its `nth` write; gives the functions that did.
    async fn play(&self, nth: usize, side: Side) -> BTreeSet<String> {
        let line = format!("{nth}-{side:?}");
        self.saboteur.order(Whom::Others, nth, side);
        let run = self.ana.start(&self.agent, "adds", json!({ "file": line })).await;
        let done = until(&format!("`{run}` ends"), || self.goes_on(&run)).await;
        let dead = self.saboteur.relent();
        let what = format!("write {nth}, {side:?}, died {dead:?}: {done:#}");
        assert_eq!(done["state"], "complete", "{what}");
        let text = self.text().await;
        let count = text.lines().filter(|one| *one == line).count();
        assert_eq!(count, 1, "{text}; {what}");
        dead
    }

    /// Signs what is asked until the run ends; of a change whose answer was lost, that it is to be made again.
    async fn goes_on(&self, run: &str) -> Option<Value> {
        let now = recorded(self.ana.door.get(&format!("{FACTORY}/executions/{run}")).await)?;
        match now["state"].as_str().unwrap() {
            "running" => None,
            "awaiting_approval" => {
                self.answer(run).await;
                None
            }
            _ => Some(now),
        }
    }

    async fn answer(&self, run: &str) -> Option<()> {
        let page =
            recorded(self.maria.door.get(&format!("{FACTORY}/approvals?status=pending")).await)?;
        let request = page["items"].as_array().unwrap().iter().find(|item| item["run"] == run)?;
        let path = format!("{FACTORY}/approvals/{}", request["approval"].as_str().unwrap());
        let seen = recorded(self.maria.door.get(&path).await)?;
        let mut decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        if seen["kind"] == "outcome" {
            decision["answers"] = json!([{ "choice": "again" }]);
        }
        recorded(self.maria.door.post(&format!("{path}/approve"), &decision).await).map(|_| ())
    }

    async fn text(&self) -> String {
        let all = self.ana.get("/documents?folder=log").await;
        let all = all["items"].as_array().unwrap().clone();
        assert_eq!(all.len(), 1, "the file was made other than once: {all:#?}");
        let one = self.ana.get(&format!("/documents/{}", all[0]["id"].as_str().unwrap())).await;
        one["body"].as_str().unwrap().to_owned()
    }
}
