//! The throwaway people that requests are sent by, and what is theirs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use countersign_identity::{Scopes, UserId};
use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::sample::words;
use crate::commands::{self, FACTORY, operator, text};
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Stack;
use crate::token::{self, Claims};

/// How long the setup waits for a request for approval.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who asks, and what there is.
pub(super) struct TestUsers {
    /// The token of somebody who makes and runs agents.
    pub(super) token: String,
    operator: String,
    /// Tokens that open nothing.
    bad: Vec<String>,
    /// What a segment of a path may name, by the segment before it.
    names: BTreeMap<&'static str, String>,
    /// The same for what is deleted.
    spare: BTreeMap<&'static str, String>,
}

impl TestUsers {
    /// Enters the people and gives the first of them an agent, a playbook, a connector and a run.
    pub(super) async fn enter(stack: &Stack) -> Result<Self, CliError> {
        let admin = operator(stack)?;
        let (asker, target) = (person(&admin).await?, person(&admin).await?);
        grant(&admin, &asker, "grants", json!({"scope": "global:analyst"})).await?;
        grant(&admin, &target, "grants", json!({"scope": "global:analyst"})).await?;
        grant(&admin, &target, "capabilities", json!({"capability": "decide"})).await?;
        let token = token::login(stack, &asker.id, Scopes::parse(["global:analyst"]))?;
        let door = Door::with(&stack.url(), token.clone())?;
        let mut cast = Self {
            bad: bad_tokens(stack, &asker.id, &token)?,
            operator: token::operator(stack)?,
            token,
            names: BTreeMap::from(fixed().map(|(place, name)| (place, name.to_owned()))),
            spare: BTreeMap::new(),
        };
        cast.names.insert("users", target.username.clone());
        cast.spare.insert("users", target.username.clone());
        cast.furnish(&door, &target).await?;
        Ok(cast)
    }

    async fn furnish(&mut self, door: &Door, signer: &Somebody) -> Result<(), CliError> {
        let approvers = json!([signer.username]);
        for names in [&mut self.names, &mut self.spare] {
            let fields =
                json!({"name": "Requests", "handle": unique("agent"), "approvers": approvers});
            let profile = made(door, "/profiles", &fields).await?;
            let connector =
                made(door, "/connectors", &json!({"yaml": connector(&unique("conn"))})).await?;
            let bound = format!("/profiles/{profile}/data-sources");
            let binding = made(door, &bound, &json!({"connector_id": connector})).await?;
            let playbook =
                made(door, "/playbooks", &json!({"yaml": playbook(&unique("book"))})).await?;
            let fields = json!({"name": "Requests", "profile_id": profile, "cron_expression": "0 6 * * *", "query_template": "What is new?"});
            let schedule = made(door, "/schedules", &fields).await?;
            let watch = made(door, "/playbooks", &json!({"yaml": watch(&unique("watch"))})).await?;
            let fields = json!({"name": "Requests", "profile_id": profile, "playbook_id": watch, "interval": "24h"});
            let monitor = made(door, "/monitors", &fields).await?;
            let fields = json!({"name": "Requests", "profile_id": profile, "playbook_id": playbook, "on": {"type": "webhook"}, "inputs": {"rows": "{body.rows}"}});
            let trigger = made(door, "/triggers", &fields).await?;
            let of = [
                ("schedules", schedule),
                ("monitors", monitor),
                ("hooks", trigger.clone()),
                ("triggers", trigger),
                ("watches", watch),
                ("profiles", profile),
                ("connectors", connector),
                ("data-sources", binding),
                ("playbooks", playbook),
            ];
            names.extend(of);
        }
        let start = json!({"profile": self.names["profiles"], "playbook": self.names["playbooks"], "inputs": {"rows": [{"amount": 15}]}});
        let run = made(door, "/executions", &start).await?;
        self.names.insert("executions", run);
        if let Some(approval) = waits(door).await? {
            self.names.insert("approvals", approval);
        }
        Ok(())
    }

    /// The operator's token.
    pub(super) fn operator(&self) -> &str {
        &self.operator
    }

    /// A header that opens nothing, or none.
    pub(super) fn bad_token(&self, random: &mut StdRng) -> Option<String> {
        let at = random.random_range(0..=self.bad.len());
        self.bad.get(at).cloned()
    }

    /// What stands behind `/{before}/`; `is_last` when it will be gone afterwards.
    pub(super) fn name(&self, before: &str, part: &str, is_last: bool) -> Option<&str> {
        if ["{n}", "{number}"].contains(&part) {
            return Some("1");
        }
        let names = if is_last { &self.spare } else { &self.names };
        names.get(before).or_else(|| self.names.get(before)).map(String::as_str)
    }

    /// A right value for a field of this name.
    pub(super) fn value(&self, field: &str, random: &mut StdRng) -> Option<Value> {
        let known = |place: &str| self.names.get(place).map(|name| json!(name));
        let unique =
            |what: &str, random: &mut StdRng| format!("{what}-{:016x}", random.random::<u64>());
        match field {
            "profile" | "profile_id" => known("profiles"),
            "playbook" => known("playbooks"),
            "connector_id" => known("connectors"),
            "playbook_id" => known("watches"),
            "interval" => Some(json!("24h")),
            "inputs" => Some(json!({"rows": [{"amount": 15}]})),
            "run_context" => Some(json!("background")),
            "yaml" => Some(if random.random_bool(0.5) {
                json!(playbook(&unique("book", random)))
            } else {
                json!(connector(&unique("conn", random)))
            }),
            "username" | "handle" => Some(json!(unique("req", random))),
            "email" => Some(json!(format!("{}@example.org", unique("req", random)))),
            "scope" => Some(json!("macro:reader")),
            "capability" => Some(json!("publish")),
            "folder" => Some(json!("requests")),
            "files" => Some(json!([{"name": "rows.csv", "size": random.random_range(1..2_000)}])),
            "cron_expression" => Some(json!("0 6 * * MON-FRI")),
            "timezone" => Some(json!("Europe/Berlin")),
            "digest" => Some(json!(format!("{:064x}", random.random::<u128>()))),
            // Of the options whose values are words of their own, what is left out is right.
            "default_execution_mode"
            | "default_run_context"
            | "default_approval_policy"
            | "skills"
            | "tool_packs"
            | "approvers"
            | "knowledge_config"
            | "output_config"
            | "journal_config"
            | "max_research_rounds"
            | "model_preference"
            | "model_temperature"
            | "system_prompt_additions" => None,
            "name" | "display_name" => Some(json!(words(random))),
            _ => None,
        }
    }

    #[cfg(test)]
    pub(super) fn for_tests() -> Self {
        Self {
            token: "good".to_owned(),
            operator: "operator".to_owned(),
            bad: vec!["Basic x".to_owned()],
            names: BTreeMap::from([
                ("profiles", "prof_1".to_owned()),
                ("connectors", "ours".to_owned()),
            ]),
            spare: BTreeMap::new(),
        }
    }
}

struct Somebody {
    id: UserId,
    username: String,
}

fn unique(what: &str) -> String {
    format!("{what}-{}", &uuid::Uuid::now_v7().simple().to_string()[16..])
}

async fn person(admin: &Door) -> Result<Somebody, CliError> {
    let username = unique("requests");
    let email = format!("{username}@example.org");
    let body = json!({"username": username, "email": email, "email_verified": true, "display_name": "Requests"});
    let entered = admin.post("/api/admin/users", &body).await?;
    let id = UserId::parse(&text(&entered, "id").unwrap_or_default())
        .map_err(|error| CliError::Found(format!("a person was entered without an id: {error}")))?;
    Ok(Somebody { id, username })
}

async fn grant(admin: &Door, to: &Somebody, shelf: &str, body: Value) -> Result<(), CliError> {
    admin.post(&format!("/api/admin/users/{}/{shelf}", to.username), &body).await.map(drop)
}

async fn made(door: &Door, path: &str, body: &Value) -> Result<String, CliError> {
    commands::made(door, path, body, &format!("`{path}` made something")).await
}

/// The request that the run waits for, once it is open; a stack that is too slow goes without.
async fn waits(door: &Door) -> Result<Option<String>, CliError> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let page = door.get(&format!("{FACTORY}/approvals?role=owner")).await?;
        if let Some(found) = page.pointer("/items/0/approval").and_then(Value::as_str) {
            return Ok(Some(found.to_owned()));
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Ok(None)
}

/// What is there without being made.
fn fixed() -> [(&'static str, &'static str); 9] {
    [
        ("actions", "transform_data"),
        ("outputs", "large"),
        ("calls", "large"),
        ("effects", "keep"),
        ("workspaces", "default"),
        ("tables", "kept_rows"),
        ("grants", "macro:reader"),
        ("capabilities", "publish"),
        ("library", "profiles"),
    ]
}

/// Headers of tokens that are forged, late, for somebody else or none at all.
fn bad_tokens(stack: &Stack, asker: &UserId, good: &str) -> Result<Vec<String>, CliError> {
    let claims = |seconds| Claims {
        sub: asker.clone(),
        scopes: Scopes::parse(["global:analyst"]),
        capabilities: Vec::new(),
        token_use: countersign_identity::TokenUse::Login,
        seconds,
    };
    let late = token::sign(stack, &claims(-3_600))?;
    let foreign =
        Stack { jwt_secret: "another secret of another deployment".to_owned(), ..stack.clone() };
    let forged = token::sign(&foreign, &claims(600))?;
    let nobody = Claims { sub: UserId::from_bytes([7; 16]), ..claims(600) };
    let nobody = token::sign(stack, &nobody)?;
    let poor = token::sign(stack, &Claims { scopes: Scopes::parse([]), ..claims(600) })?;
    let cut = good.rsplit_once('.').map_or(good, |(head, _)| head).to_owned();
    let tokens = [late, forged, nobody, poor, cut, "x.y.z".to_owned(), "x".repeat(2_000)];
    let mut headers: Vec<String> = tokens.map(|token| format!("Bearer {token}")).to_vec();
    headers.extend(["Bearer".to_owned(), format!("Basic {good}"), good.to_owned()]);
    Ok(headers)
}

/// A playbook that computes, asks, and keeps rows of its owner.
fn playbook(id: &str) -> String {
    format!(
        r#"id: {id}
name: Requests
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
  - name: keep
    step_type: tool
    action: save_to_workspace
    inputs: {{data: "{{large.data}}"}}
    params: {{table_name: kept_rows, create_if_missing: true}}
"#
    )
}

/// A connector that no playbook here calls, with an address that nobody has.
/// A playbook whose first step looks into an empty folder.
fn watch(id: &str) -> String {
    format!(
        "id: {id}\nname: Requests\ndescription: Looks into a folder.\nversion: 1.0.0\nexecution_mode: deterministic\ninputs:\n  - {{name: rows, type: list, required: false}}\nsteps:\n  - {{name: look, step_type: tool, action: detect_new_files, inputs: {{folder_id: empty}}}}\n"
    )
}

fn connector(id: &str) -> String {
    format!(
        r"id: {id}
name: Requests
description: Nothing calls it.
type: rest_api
version: 1.0.0
connection: {{ base_url: 'https://requests.invalid' }}
endpoints:
  list: {{ description: lists, path: / }}
"
    )
}

#[cfg(test)]
mod tests {
    use super::{connector, playbook, watch};

    #[test]
    fn the_playbook_and_the_connector_can_be_saved() {
        let registry = countersign_registry::Registry::builtin();
        let world = countersign_playbook::CompileContext::of(&registry);
        let yaml = watch("watch-1");
        let source = countersign_playbook::PlaybookSource::new("watch.yaml", &yaml);
        assert!(countersign_playbook::compile(&source, &world).is_valid());
        let yaml = playbook("book-1");
        let source = countersign_playbook::PlaybookSource::new("x.yaml", &yaml);
        let compiled = countersign_playbook::compile(&source, &world);
        assert!(compiled.playbook.is_some(), "{:?}", compiled.diagnostics);
        let parsed = countersign_connector::parse(&connector("conn-1"));
        assert!(parsed.definition.is_some(), "{:?}", parsed.diagnostics);
    }
}
