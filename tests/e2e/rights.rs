//! Who may write what, and that nothing of a request is ignored.

use countersign_cli::CliError;
use countersign_cli::door::Door;
use countersign_cli::token::{Claims, sign};
use countersign_identity::{Scopes, TokenUse};
use serde_json::{Value, json};

use crate::case::{FACTORY, Refusal, admin, gated, person, refusal};
use crate::world::world;

const DATABASE: &str = "id: ledger\nname: Ledger\ntype: database\nversion: 1.0.0\nconnection:\n  driver: postgresql\n  auth: { type: connection_string }\nendpoints:\n  all: { description: all, sql: select 1 as one }\n";
const REST: &str = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example', auth: { type: bearer_token } }\nendpoints:\n  list: { description: all, path: / }\n";

#[tokio::test]
async fn k_34_readers_write_profiles_and_playbooks_and_reach_nothing_with_them() {
    let rita = person("rita", &["global:reader"]).await;
    let agent = rita.agent(&[]).await;
    rita.playbook(&gated("written-by-a-reader", "")).await;
    let path = format!("{FACTORY}/profiles/{agent}");
    rita.door.patch(&path, &json!({ "name": "Mine" })).await.unwrap();
    // Whom a run asks is not theirs to change.
    let others = json!({ "approvers": [rita.username] });
    assert_eq!(refusal(rita.door.patch(&path, &others).await).status, 403);
    let written = format!("{FACTORY}/playbooks/written-by-a-reader");
    let changed = json!({ "yaml": gated("written-by-a-reader", "    quorum: 1") });
    assert_eq!(refusal(rita.door.put(&written, &changed).await).status, 403);
    assert!(matches!(rita.door.delete(&written).await, Err(CliError::Refused { status: 403, .. })));
    let hiding = json!({ "yaml": gated("officer-cross-reference", "") });
    assert_eq!(rita.refused("/playbooks", Some(&hiding)).await.0, 403);
    let start = json!({ "profile": agent, "playbook": "written-by-a-reader" });
    let denied = (403, "PERMISSION_DENIED".to_owned());
    assert_eq!(rita.refused("/executions", Some(&start)).await, denied);
    assert_eq!(rita.refused("/connectors", Some(&json!({ "yaml": REST }))).await, denied);
    let bind = json!({ "connector_id": "irs-990-xml" });
    let sources = format!("/profiles/{agent}/data-sources");
    assert_eq!(rita.refused(&sources, Some(&bind)).await, denied);
    // What goes with an agent is more than a reader writes: credentials, schedules, journal.
    assert!(matches!(rita.door.delete(&path).await, Err(CliError::Refused { status: 403, .. })));
    let nobody = person("nobody", &[]).await;
    assert_eq!(nobody.refused("/profiles", Some(&json!({ "name": "A" }))).await, denied);
}

#[tokio::test]
async fn k_34_connectors_that_reach_databases_and_the_deployment_take_an_administrator() {
    let ana = person("ana", &["global:analyst"]).await;
    let denied = (403, "PERMISSION_DENIED".to_owned());
    let database = json!({ "yaml": DATABASE });
    assert_eq!(ana.refused("/connectors", Some(&database)).await, denied);
    for template in ["external-postgres", "bastion-web-search"] {
        let copy = format!("/connectors/from-template/{template}");
        assert_eq!(ana.refused(&copy, Some(&json!({}))).await, denied, "{template}");
    }
    ana.post("/connectors", &json!({ "yaml": REST })).await;
    let replaced = json!({ "yaml": DATABASE.replace("id: ledger", "id: shelf") });
    let said = ana.door.put(&format!("{FACTORY}/connectors/shelf"), &replaced).await;
    assert_eq!(refusal(said).status, 403, "nor does one become it");

    let ada = person("ada", &["global:analyst", "administer"]).await;
    let claims = Claims {
        sub: ada.id.clone(),
        scopes: Scopes::parse(["global:analyst"]),
        capabilities: vec!["administer".to_owned()],
        token_use: TokenUse::Login,
        seconds: 600,
    };
    let door = Door::with(&world().stack.url(), sign(&world().stack, &claims).unwrap()).unwrap();
    let made = door.post(&format!("{FACTORY}/connectors"), &database).await.unwrap();
    assert_eq!(made["type"], "database", "{made:#}");
}

#[tokio::test]
async fn k_70_a_playbook_cannot_have_the_name_of_an_address() {
    let ana = person("ana", &["global:analyst"]).await;
    let body = json!({ "yaml": gated("validate", "") });
    let Refusal { status, code, said, .. } =
        refusal(ana.door.post(&format!("{FACTORY}/playbooks"), &body).await);
    assert_eq!((status, code.as_str()), (422, "PLAYBOOK_INVALID"));
    assert!(said.contains("such as `validate-of-mine`"), "{said}");
}

#[tokio::test]
async fn no_route_ignores_a_query_parameter() {
    let ana = person("ana", &["global:analyst"]).await;
    let said = refusal(ana.door.get(&format!("{FACTORY}/executions?limt=2")).await);
    assert_eq!((said.status, &said.places[..]), (422, &["limt".to_owned()][..]));
    assert!(said.said.contains("did you mean `limit`?"), "{}", said.said);
    let check = |path: &str, said: Refusal| {
        assert_eq!((said.status, &said.places[..]), (422, &["x".to_owned()][..]), "{path}");
        assert!(said.said.contains("this operation has no query parameters"), "{path}");
    };
    for path in ["/me?x=1", "/actions?x=1", "/profiles/prof_1?x=1", "/playbooks/a?x=1"] {
        check(path, refusal(ana.door.get(&format!("{FACTORY}{path}")).await));
    }
    for path in ["/connectors/irs-990-xml/test?x=1", "/profiles?x=1", "/schedules?x=1"] {
        check(path, refusal(ana.door.post(&format!("{FACTORY}{path}"), &json!({})).await));
    }
}

#[tokio::test]
async fn a_033_the_list_of_actions_is_what_the_caller_may_run() {
    let ana = person("ana", &["global:analyst"]).await;
    let rita = person("rita", &["global:reader"]).await;
    let names = |actions: Value| -> Vec<String> {
        let actions = actions.as_array().unwrap().clone();
        actions.iter().map(|action| action["name"].as_str().unwrap().to_owned()).collect()
    };
    let (hers, ritas) = (names(ana.get("/actions").await), names(rita.get("/actions").await));
    let only_hers: Vec<&String> = hers.iter().filter(|name| !ritas.contains(name)).collect();
    let expect = [
        "copy_file",
        "delete_file",
        "move_file",
        "patch_file",
        "restore_file",
        "route_output",
        "save_to_workspace",
        "search_web",
        "send_channel_message",
    ];
    assert_eq!(only_hers, expect);
    assert!(ritas.iter().all(|name| hers.contains(name)), "{ritas:?}");
    ana.get("/actions/save_to_workspace").await;
    assert_eq!(ana.get("/actions/search_web").await["requirement"]["required_role"], "analyst");
    for hidden in ["save_to_workspace", "search_web"] {
        assert_eq!(rita.refused(&format!("/actions/{hidden}"), None).await.0, 404, "{hidden}");
    }
    rita.get("/actions/transform_data").await;
}

#[tokio::test]
async fn a_006_the_caller_is_told_who_they_are() {
    let ana = person("ana", &["global:analyst"]).await;
    let me = ana.get("/me").await;
    assert_eq!(
        (&me["username"], &me["name"], &me["email"], &me["email_verified"], &me["role"]),
        (&json!(ana.username), &json!("ana"), &json!(ana.email), &json!(true), &json!("analyst"))
    );
    let operator = admin(world()).get(&format!("{FACTORY}/me")).await.unwrap();
    assert_eq!((&operator["name"], &operator["email"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_request_is_said_at_once() {
    let body = json!({ "username": "A", "email": "x" });
    let said = refusal(admin(world()).post("/api/admin/users", &body).await);
    assert_eq!(said.places, ["username", "email"]);
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("all-at-once", "")).await;
    let body = json!({
        "profile": agent, "playbook": "all-at-once", "inputs": { "row": [] }, "run_context": "monitor",
    });
    let said = refusal(ana.door.post(&format!("{FACTORY}/executions"), &body).await);
    assert_eq!(said.places, ["inputs.row", "inputs.rows", "run_context"]);
    let check = async |path: &str, body: Value, expect: &[&str]| {
        let said = refusal(ana.door.post(&format!("{FACTORY}{path}"), &body).await);
        assert_eq!(said.status, 422, "{}", said.said);
        for place in expect {
            assert!(said.said.contains(place), "`{place}` is not in\n{}", said.said);
        }
    };
    let connection = "base_url: 'ftp://a.example', headers: { Host: x, 'a b': y }";
    let yaml = REST.replace("base_url: 'https://a.example'", connection);
    check(
        "/connectors",
        json!({ "yaml": yaml }),
        &["`base_url` must", "`Host` is not", "`a b` is not"],
    )
    .await;
    let schedule = json!({
        "name": "", "profile_id": agent, "cron_expression": "61 * * * *", "timezone": "Europe/Atlantis",
        "query_template": "?", "max_retries": 99,
    });
    let places = ["`name`", "`cron_expression`", "`timezone`", "`max_retries`"];
    check("/schedules", schedule, &places).await;
    let monitor = json!({ "name": "", "profile_id": agent, "playbook_id": "all-at-once", "interval": "soon" });
    check("/monitors", monitor, &["`name`", "`interval`"]).await;
    let trigger = json!({
        "name": "", "profile_id": agent, "playbook_id": "all-at-once", "on": { "type": "webhook", "x": 1 },
    });
    check("/triggers", trigger, &["`name`", "`on.x`"]).await;
}

#[tokio::test]
async fn moments_of_the_directory_are_texts() {
    let ana = person("ana", &["global:analyst"]).await;
    let door = admin(world());
    let path = format!("/api/admin/users/{}", ana.id);
    door.post(&format!("{path}/revoke-tokens"), &json!({})).await.unwrap();
    let shown = door.get(&path).await.unwrap();
    for moment in [&shown["not_before"], &shown["standing"]["not_before"]] {
        let text = moment.as_str().unwrap_or_default();
        assert!(text.parse::<jiff::Timestamp>().is_ok(), "{shown:#}");
    }
}

#[tokio::test]
async fn f_009_a_credential_that_no_call_could_carry_is_refused_when_it_is_written() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.post("/connectors", &json!({ "yaml": REST })).await;
    let sources = format!("{FACTORY}/profiles/{agent}/data-sources");
    let body = json!({ "connector_id": "shelf", "credentials": { "token": "s3cr\u{e9}t" } });
    let said = refusal(ana.door.post(&sources, &body).await);
    assert_eq!((said.status, &said.places[..]), (422, &["credentials.token".to_owned()][..]));
    assert!(!said.said.contains("s3cr"), "{}", said.said);
}
