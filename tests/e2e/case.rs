//! People, agents, playbooks and runs of one test.

use std::future::Future;
use std::time::{Duration, Instant};

use countersign_cli::CliError;
use countersign_cli::approver::Approver;
use countersign_cli::door::Door;
use countersign_cli::token::{login, operator};
use countersign_identity::{Scopes, UserId};
use serde_json::{Value, json};

use crate::documented;
use crate::world::{World, world};

/// The prefix of most paths.
pub(crate) const FACTORY: &str = "/api/agent-factory";

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// How long is waited between two looks at first, and at last. To look at a run takes an eighth of a second of the processors
/// that all tests share, so what takes long is not looked at so often that it takes longer.
const SHORTEST_PAUSE: Duration = Duration::from_millis(300);
const LONGEST_PAUSE: Duration = Duration::from_millis(2_500);

/// Somebody with an account.
pub(crate) struct Person {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) email: String,
    pub(crate) door: Door,
}

/// The door of the operator, who enters people.
pub(crate) fn admin(world: &World) -> Door {
    let door = Door::with(&world.stack.url(), operator(&world.stack).unwrap()).unwrap();
    door.inspected_by(documented::check)
}

/// Enters somebody new with these grants; only scopes have a colon.
pub(crate) async fn person(name: &str, grants: &[&str]) -> Person {
    person_in(world(), name, grants).await
}

pub(crate) async fn person_in(world: &World, name: &str, grants: &[&str]) -> Person {
    let username = format!("{name}-{}", &uuid::Uuid::now_v7().simple().to_string()[20..]);
    let email = format!("{username}@example.org");
    let admin = admin(world);
    let body = json!({ "username": username, "email": email, "email_verified": true, "display_name": name });
    let added = admin.post("/api/admin/users", &body).await.unwrap();
    for grant in grants {
        give(&admin, &username, grant).await;
    }
    let id = UserId::parse(added["id"].as_str().unwrap()).unwrap();
    let scopes = Scopes::parse(grants.iter().copied().filter(|grant| grant.contains(':')));
    let token = login(&world.stack, &id, scopes).unwrap();
    let door = Door::with(&world.stack.url(), token).unwrap().inspected_by(documented::check);
    Person { id, username, email, door }
}

async fn give(admin: &Door, username: &str, grant: &str) {
    let (shelf, body) = if grant.contains(':') {
        ("grants", json!({ "scope": grant }))
    } else {
        ("capabilities", json!({ "capability": grant }))
    };
    admin.post(&format!("/api/admin/users/{username}/{shelf}"), &body).await.unwrap();
}

/// Gives a grant back, or another one.
pub(crate) async fn grant(person: &Person, grant: &str) {
    give(&admin(world()), &person.username, grant).await;
}

/// Takes a grant away.
pub(crate) async fn revoke(person: &Person, grant: &str) {
    let shelf = if grant.contains(':') { "grants" } else { "capabilities" };
    admin(world())
        .delete(&format!("/api/admin/users/{}/{shelf}/{grant}", person.id))
        .await
        .unwrap();
}

impl Person {
    /// Reads.
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.door.get(&format!("{FACTORY}{path}")).await.unwrap()
    }

    /// Creates or starts.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        self.door.post(&format!("{FACTORY}{path}"), body).await.unwrap()
    }

    /// The refusal of a request that must be refused: status and code.
    pub(crate) async fn refused(&self, path: &str, body: Option<&Value>) -> (u16, String) {
        let path = format!("{FACTORY}{path}");
        let said = match body {
            Some(body) => self.door.post(&path, body).await,
            None => self.door.get(&path).await,
        };
        match said {
            Err(CliError::Refused { status, code, .. }) => (status, code.unwrap_or_default()),
            other => panic!("{path} was not refused: {other:?}"),
        }
    }

    /// A new agent whose gates the given people sign.
    pub(crate) async fn agent(&self, signers: &[&Person]) -> String {
        let approvers: Vec<&str> = signers.iter().map(|signer| signer.username.as_str()).collect();
        let handle = format!("agent-{}", uuid::Uuid::now_v7().simple());
        let body = json!({ "name": "Test agent", "handle": handle, "approvers": approvers });
        self.post("/profiles", &body).await["id"].as_str().unwrap().to_owned()
    }

    /// Binds a connector to an agent.
    pub(crate) async fn bind(&self, agent: &str, connector: &str) {
        self.post(
            &format!("/profiles/{agent}/data-sources"),
            &json!({ "connector_id": connector }),
        )
        .await;
    }

    /// Stores a playbook.
    pub(crate) async fn playbook(&self, yaml: &str) {
        self.post("/playbooks", &json!({ "yaml": yaml })).await;
    }

    /// Starts a run of one's own playbook.
    pub(crate) async fn start(&self, agent: &str, playbook: &str, inputs: Value) -> String {
        let body = json!({ "profile": agent, "playbook": playbook, "inputs": inputs, "run_context": "background" });
        self.post("/executions", &body).await["id"].as_str().unwrap().to_owned()
    }

    /// A run as it stands.
    pub(crate) async fn run(&self, run: &str) -> Value {
        self.get(&format!("/executions/{run}")).await
    }

    /// Waits until a run has this state.
    pub(crate) async fn reaches(&self, run: &str, state: &str) -> Value {
        let ended = ["complete", "partial", "rejected", "error", "timeout", "cancelled"];
        let deadline = Instant::now() + PATIENCE;
        let mut now = self.run(run).await;
        loop {
            let at = now["state"].as_str().unwrap_or_default();
            if at == state {
                return now;
            }
            assert!(!ended.contains(&at), "the run ended as `{at}`: {now:#}");
            assert!(Instant::now() < deadline, "gave up waiting: `{run}` is `{at}`: {now:#}");
            let version = now["version"].as_str().unwrap();
            now = self.get(&format!("/executions/{run}?after={version}&wait=20")).await;
        }
    }

    /// Somebody's open request for this run.
    pub(crate) async fn request(&self, run: &str) -> Value {
        until(&format!("a request of `{run}`"), || async {
            let page = self.get("/approvals?status=pending").await;
            page["items"].as_array().unwrap().iter().find(|request| request["run"] == run).cloned()
        })
        .await
    }

    /// The mailed link of the newest request, once the mail is there.
    pub(crate) async fn link(&self) -> String {
        self.approver().link(0, PATIENCE).await.unwrap()
    }

    /// The person as somebody who reads their mail and opens links.
    pub(crate) fn approver(&self) -> Approver {
        Approver::new(world().mailbox(), &self.email).unwrap()
    }
}

/// A request that was refused.
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: String,
    /// The fields that are wrong.
    pub(crate) places: Vec<String>,
    /// All that was said.
    pub(crate) said: String,
}

/// The refusal of a request that must be refused.
pub(crate) fn refusal(said: Result<Value, CliError>) -> Refusal {
    let Err(CliError::Refused { status, code, title, fields, .. }) = said else {
        panic!("not refused: {said:?}")
    };
    Refusal { status, code: code.unwrap_or_default(), places: fields, said: title }
}

/// The status of a step of a run.
pub(crate) fn step<'a>(run: &'a Value, name: &str) -> &'a Value {
    let steps = run["steps"].as_array().unwrap();
    steps
        .iter()
        .find(|step| step["name"] == name)
        .unwrap_or_else(|| panic!("no step `{name}` in {run:#}"))
}

/// Polls until there is something, with a deadline.
pub(crate) async fn until<T, F: Future<Output = Option<T>>>(what: &str, look: impl Fn() -> F) -> T {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = SHORTEST_PAUSE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "gave up waiting: {what}");
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

/// A playbook that computes two rows, asks, and keeps them.
pub(crate) fn gated(id: &str, gate: &str) -> String {
    format!(
        r#"
id: {id}
name: Gated rows
description: Computes rows, asks, keeps them.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: rows, type: list, required: true}}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {{data: "{{rows}}"}}
    operations:
      - {{type: filter, field: amount, operator: gte, value: 10}}
  - name: sign_off
    step_type: approval
    preview_from: large.data
    prompt: "Keep {{large.count}} rows?"
{gate}
  - name: keep
    step_type: tool
    action: save_to_workspace
    inputs: {{data: "{{large.data}}"}}
    params: {{table_name: kept_rows, create_if_missing: true}}
"#
    )
}

/// Rows of which two are large.
pub(crate) fn rows() -> Value {
    json!({ "rows": [{ "name": "a", "amount": 5 }, { "name": "b", "amount": 15 }, { "name": "c", "amount": 25 }] })
}
