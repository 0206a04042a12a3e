//! Everything of one person, asked for and changed by others: it is not there for them, and stays as it was.

mod results;

use std::collections::BTreeSet;

use countersign_cli::CliError;
use countersign_cli::door::Door;
use countersign_cli::token::operator;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, gated, person, rows};
use crate::teams;
use crate::world::world;

/// So many calls are tried; `docs/assurance.md` says so.
const HELD: usize = 708;

/// What is one person's, by the word before it in a path.
pub(crate) struct Belongings {
    of: Vec<(&'static str, String)>,
}

impl Belongings {
    pub(crate) async fn of(ana: &Person, maria: &Person) -> Self {
        let profile = ana.agent(&[maria]).await;
        let id = format!("foreign-{}", &uuid::Uuid::now_v7().simple().to_string()[16..]);
        ana.playbook(&gated(&id, "")).await;
        ana.post("/connectors", &json!({"yaml": connector(&id)})).await;
        let bound = format!("/profiles/{profile}/data-sources");
        let binding = ana.post(&bound, &json!({"connector_id": id})).await["id"].clone();
        let schedule = json!({
            "name": "Foreign", "profile_id": profile, "cron_expression": "0 6 * * *", "query_template": "?",
            "playbook_id": id, "inputs": rows(),
        });
        let schedule = ana.post("/schedules", &schedule).await["id"].clone();
        let now = format!("/schedules/{}/run-now", schedule.as_str().unwrap());
        let occurrence = ana.post(&now, &json!({})).await["id"].as_str().unwrap().to_owned();
        let watch = format!("{id}-watch");
        ana.playbook(&format!(
            "id: {watch}\nname: Watch\ndescription: Looks.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n  - {{name: look, step_type: tool, action: detect_new_files, inputs: {{folder_id: empty}}}}\n"
        ))
        .await;
        let monitor = json!({
            "name": "Foreign", "profile_id": profile, "playbook_id": watch, "interval": "24h",
        });
        let monitor = ana.post("/monitors", &monitor).await["id"].clone();
        let trigger = json!({
            "name": "Foreign", "profile_id": profile, "playbook_id": id, "on": {"type": "webhook"},
            "inputs": {"rows": "{body.rows}"},
        });
        let trigger = ana.post("/triggers", &trigger).await["id"].clone();
        let run = json!({
            "profile": profile, "playbook": id, "inputs": rows(), "run_context": "background",
            "query": "What is due?", "conversation": "new",
        });
        let run = ana.post("/executions", &run).await;
        let conversation = run["conversation_id"].as_str().unwrap().to_owned();
        let run = run["id"].as_str().unwrap().to_owned();
        let approval = maria.request(&run).await["approval"].as_str().unwrap().to_owned();
        ana.reaches(&run, "awaiting_approval").await;
        let binding = binding.as_str().unwrap().to_owned();
        let left = results::of(ana, &profile, &id).await;
        let mut of = vec![
            ("profiles", profile),
            ("playbooks", id.clone()),
            ("connectors", id),
            ("data-sources", binding),
            ("executions", run),
            ("approvals", approval),
            ("schedules", schedule.as_str().unwrap().to_owned()),
            ("monitors", monitor.as_str().unwrap().to_owned()),
            ("triggers", trigger.as_str().unwrap().to_owned()),
            ("occurrences", occurrence),
            ("conversations", conversation),
        ];
        of.extend(of_team(ana, &of[0].1.clone()).await);
        of.extend(left);
        Self { of }
    }

    /// A documented path with the ids of these things; none when it is about something else.
    pub(crate) fn path(&self, path: &str) -> Option<String> {
        let mut before = "";
        let mut filled = Vec::new();
        for part in path.split('/') {
            let known =
                || self.of.iter().find(|(word, _)| *word == before).map(|(_, id)| id.as_str());
            filled.push(match part {
                "{step}" => "large",
                "{n}" | "{number}" => "1",
                "{folder}" => "left",
                part if part.starts_with('{') => known()?,
                part => part,
            });
            before = part;
        }
        Some(filled.join("/"))
    }

    /// Operations whose bodies name what is somebody's.
    fn named_in_bodies(&self) -> [(String, String, Value); 2] {
        let of = |word: &str| self.path(&format!("{word}/{{id}}")).unwrap();
        let id = |word: &str| of(word).split_once('/').unwrap().1.to_owned();
        let reply = json!({ "request_id": id("approvals"), "decision": "approved", "digest": "0".repeat(64), "version": 1 });
        let query = json!({ "profile": id("profiles"), "query": "What is new?" });
        [("/api/hitl/respond", reply), ("/api/query", query)]
            .map(|(path, body)| ("post".to_owned(), path.to_owned(), body))
    }

    /// What its owner sees of all of it.
    async fn seen(&self, ana: &Person) -> Vec<Value> {
        let mut seen = Vec::new();
        for path in [
            "/profiles/{id}",
            "/schedules/{id}",
            "/monitors/{id}",
            "/triggers/{id}",
            "/playbooks/{id}",
            "/connectors/{id}",
            "/profiles/{id}/data-sources/{id}",
            "/executions/{id}",
            "/conversations/{id}",
            "/conversations/{id}/messages",
            "/approvals/{id}",
            "/documents/{id}",
            "/todos",
            "/entity-reviews/{id}",
            "/knowledge/entities/{id}",
            "/workspaces/{id}/tables/{id}/rows",
            "/uploads",
            "/profiles/{id}/shares",
            "/teams/{id}/posts/{id}",
            "/teams/{id}/agents/{id}",
        ] {
            seen.push(ana.get(&self.path(path).unwrap()).await);
        }
        seen
    }
}

/// A team with a post, and the agent shared with it.
async fn of_team(ana: &Person, profile: &str) -> Vec<(&'static str, String)> {
    let team = teams::team(&[ana]).await;
    teams::share(ana, profile, &team, &json!({})).await;
    let post = teams::write(ana, &team, "Foreign").await["id"].as_str().unwrap().to_owned();
    let agent = profile.to_owned();
    vec![("share", team.clone()), ("teams", team), ("posts", post), ("agents", agent)]
}

fn connector(id: &str) -> String {
    format!(
        "id: {id}\nname: Foreign\ndescription: Nothing calls it.\ntype: rest_api\nversion: 1.0.0\nconnection: {{ base_url: 'https://foreign.invalid' }}\nendpoints:\n  list: {{ description: lists, path: / }}\n"
    )
}

/// A body that would be right, so that nothing but whose it is stands in the way.
fn body(path: &str, belongings: &Belongings) -> Value {
    let id = belongings.of[1].1.as_str();
    let digest = "0".repeat(64);
    match path.rsplit('/').next().unwrap_or_default() {
        _ if path.contains("/entity-reviews/") => json!({}),
        "reset-watermarks" => json!({"steps": ["look"]}),
        "approve" | "reject" => json!({"digest": digest, "version": 1}),
        "revise" => {
            json!({"digest": digest, "version": 1, "mode": "enhance", "instructions": "Mine now"})
        }
        "strike" => json!({"digest": digest, "version": 1, "step": "keep", "indices": [0]}),
        "extend" => json!({"deadline": "2100-01-01T00:00:00Z"}),
        "data-sources" => json!({"connector_id": id}),
        "{binding}" => json!({"config_overrides": {}, "permissions": {}, "is_enabled": false}),
        "validate" if path.contains("/connectors/") => json!({"yaml": connector(id)}),
        "test" if path.contains("/connectors/") => json!({"endpoint": "list"}),
        "posts" => json!({"content": "Mine now"}),
        "{team_id}" => json!({
            "team_file_access": false, "team_post_access": true, "journal_visibility": "full", "is_active": true, "members_run": true,
        }),
        "share" => json!({"team_id": format!("team_{}", "0".repeat(32))}),
        "{id}" if path.contains("/profiles/") => json!({"name": "Mine now"}),
        "{id}" if path.contains("/playbooks/") => json!({"yaml": gated(id, "")}),
        "{id}" if path.contains("/conversations/") => json!({"title": "Mine now"}),
        "{id}" if path.contains("/todos/") => json!({"state": "DONE"}),
        "{id}" if path.contains("/entity-resolution/") => json!({}),
        "{id}" => json!({"yaml": connector(id)}),
        _ => json!({}),
    }
}

/// Operations on one thing of its owner. What only compiles a text that comes along is nobody's.
fn operations(document: &Value) -> Vec<(String, String)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let methods = |item: &Value| item.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let all = paths.flat_map(|(path, item)| {
        methods(item).into_iter().map(move |method| (method, path.clone()))
    });
    all.filter(|(_, path)| path.starts_with(FACTORY) && path.contains('{'))
        .filter(|(_, path)| !path.ends_with("/connectors/{id}/validate"))
        // A workspace is a name of one's own: the same name of somebody else is another, and empty.
        .filter(|(_, path)| !path.ends_with("/workspaces/{id}/tables"))
        .collect()
}

/// The status and code of a refusal; success is none.
async fn refusal(door: &Door, method: &str, path: &str, body: &Value) -> Option<(u16, String)> {
    let said = match method {
        "get" => door.get(path).await,
        "put" => door.put(path, body).await,
        "patch" => door.patch(path, body).await,
        "delete" => door.delete(path).await,
        "post" => door.post(path, body).await,
        other => panic!("no door for {other}"),
    };
    match said {
        Err(CliError::Refused { status, code, .. }) => Some((status, code.unwrap_or_default())),
        Err(error) => panic!("{method} {path}: {error}"),
        Ok(_) => None,
    }
}

#[tokio::test]
async fn no_operation_of_the_document_ignores_a_query_parameter() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let belongings = Belongings::of(&ana, &maria).await;
    let open = Door::open(&world().stack.url()).unwrap();
    let document = open.get("/openapi.json").await.unwrap();
    let operator = Door::with(&world().stack.url(), operator(&world().stack).unwrap()).unwrap();
    let mut calls = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let of_user = path.replace("/users/{id}", &format!("/users/{}", ana.id));
        let (door, filled) = if path.starts_with(FACTORY) {
            (&ana.door, belongings.path(path))
        } else {
            (
                &operator,
                Some(of_user).filter(|path| path.starts_with("/api/") && !path.contains('{')),
            )
        };
        let Some(filled) = filled else { continue };
        for method in item.as_object().unwrap().keys() {
            calls.push((
                door,
                method.clone(),
                format!("{filled}?no_such=1"),
                body(path, &belongings),
            ));
        }
    }
    assert!(calls.len() >= 90, "{} operations were tried", calls.len());
    for some in calls.chunks(8) {
        let all = some.iter().map(|(door, method, path, body)| async move {
            let said = refusal(door, method, path, body).await;
            assert_eq!(said, Some((422, "INVALID_INPUT".to_owned())), "{method} {path}");
        });
        futures::future::join_all(all).await;
    }
}

#[tokio::test]
async fn a_foreign_id_is_as_absent_as_an_unknown_one() {
    let analyst = &["global:analyst"][..];
    let (ana, maria) =
        (person("ana", analyst).await, person("maria", &["global:analyst", "decide"]).await);
    let all_rights = &["global:admin", "decide", "administer"][..];
    let others = [
        person("eve", analyst).await.door,
        person("ada", all_rights).await.door,
        person("max", &["global:analyst", "decide"]).await.door,
        person("rea", &["global:analyst", "publish"]).await.door,
        person("tom", &["macro:analyst"]).await.door,
        Door::with(&world().stack.url(), operator(&world().stack).unwrap()).unwrap(),
    ];
    let belongings = Belongings::of(&ana, &maria).await;
    let before = belongings.seen(&ana).await;
    let open = Door::open(&world().stack.url()).unwrap();
    let operations = operations(&open.get("/openapi.json").await.unwrap());
    let of_paths = operations.into_iter().filter_map(|(method, documented)| {
        let path = belongings.path(&documented)?;
        Some((method, path, body(&documented, &belongings)))
    });
    let mut tried = BTreeSet::new();
    for (method, path, body) in of_paths.chain(belongings.named_in_bodies()) {
        for (n, other) in others.iter().enumerate() {
            let said = refusal(other, &method, &path, &body).await;
            let is_absent = said
                .as_ref()
                .is_some_and(|(status, code)| *status == 404 && code.ends_with("NOT_FOUND"));
            assert!(is_absent, "{method} {path} by {n}: {said:?}");
            tried.insert((method.clone(), path.clone(), n));
        }
    }
    assert_eq!(tried.len(), HELD);
    assert_eq!(belongings.seen(&ana).await, before, "somebody else changed it");
}
