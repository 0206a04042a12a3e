//! Tokens, owners, and the boundaries between tables.

use countersign_cli::CliError;
use countersign_cli::door::Door;
use serde_json::{Value, json};

use crate::case::{FACTORY, admin, gated, person, rows, until};
use crate::world::world;

fn code(said: Result<Value, CliError>) -> u16 {
    match said {
        Err(CliError::Refused { status, .. }) => status,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn f_005_what_belongs_to_somebody_else_is_not_there() {
    let (ana, bob) =
        (person("ana", &["global:analyst"]).await, person("bob", &["global:analyst"]).await);
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("gated-owned", "")).await;
    let run = ana.start(&agent, "gated-owned", rows()).await;
    let request = maria.request(&run).await["approval"].as_str().unwrap().to_owned();
    let about = json!({ "preferences": { "tone": "formal" } });
    ana.door.put(&format!("{FACTORY}/me/memory"), &about).await.unwrap();
    for path in [
        format!("/executions/{run}"),
        format!("/executions/{run}/events"),
        format!("/profiles/{agent}"),
        "/playbooks/gated-owned".to_owned(),
        format!("/approvals/{request}"),
        format!("/executions/run_{}", "0".repeat(32)),
        "/me/memory".to_owned(),
    ] {
        assert_eq!(bob.refused(&path, None).await.0, 404, "{path}");
    }
    let digest = json!({ "digest": "0".repeat(64), "version": 1 });
    assert_eq!(bob.refused(&format!("/approvals/{request}/approve"), Some(&digest)).await.0, 404);
}

#[tokio::test]
async fn a_011_whom_the_command_line_acts_as_has_their_grants() {
    let ana = person("ana", &["global:analyst"]).await;
    let (is_done, said) = world().command(&["runs", "--as", &ana.username]).await;
    assert!(is_done, "{said}");
    let nobody = person("nobody", &[]).await;
    let (is_done, said) = world().command(&["runs", "--as", &nobody.username]).await;
    assert!(!is_done && said.contains("PERMISSION_DENIED"), "{said}");
}

#[tokio::test]
async fn a_token_of_another_kind_opens_no_door() {
    let url = world().stack.url();
    let path = format!("{FACTORY}/executions");
    let none = Door::open(&url).unwrap().get(&path).await;
    assert!([401, 403].contains(&code(none)));
    for token in ["nonsense", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyXzAifQ."] {
        assert!(
            [401, 403]
                .contains(&code(Door::with(&url, token.to_owned()).unwrap().get(&path).await))
        );
    }
    let mut other = world().stack.clone();
    other.jwt_secret = "another secret that this stack does not know".to_owned();
    let ana = person("ana", &["global:analyst"]).await;
    let forged = countersign_cli::token::login(
        &other,
        &ana.id,
        countersign_identity::Scopes::parse(["global:admin"]),
    )
    .unwrap();
    assert!([401, 403].contains(&code(Door::with(&url, forged).unwrap().get(&path).await)));
}

/// A token of the stack's own key with these claims changed.
fn ours(user: &str, changed: &Value) -> String {
    let now = jiff::Timestamp::now().as_second();
    let mut claims = json!({
        "iss": "countersign", "aud": "countersign", "sub": user, "exp": now + 600, "iat": now - 7200, "jti": "t-1",
        "scopes": [], "capabilities": [], "token_use": "login",
    });
    for (name, value) in changed.as_object().unwrap() {
        claims[name] = value.clone();
    }
    let key = jsonwebtoken::EncodingKey::from_secret(world().stack.jwt_secret.as_bytes());
    jsonwebtoken::encode(&jsonwebtoken::Header::default(), &claims, &key).unwrap()
}

#[tokio::test]
async fn a_token_that_is_ours_and_not_good_is_told_why() {
    let ana = person("ana", &["global:analyst"]).await;
    let now = jiff::Timestamp::now().as_second();
    for (changed, code) in [
        (json!({ "aud": "mcp" }), "TOKEN_AUDIENCE"),
        (json!({ "exp": now - 3600 }), "TOKEN_EXPIRED"),
        (json!({ "nbf": now + 3600 }), "TOKEN_NOT_YET_VALID"),
        (json!({ "iss": "somebody" }), "TOKEN_ISSUER"),
    ] {
        let door = Door::with(&world().stack.url(), ours(ana.id.as_str(), &changed)).unwrap();
        match door.get(&format!("{FACTORY}/executions")).await {
            Err(CliError::Refused { status: 401, code: Some(told), .. }) => assert_eq!(told, code),
            other => panic!("{code}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_token_grants_nothing_the_directory_does_not() {
    let reader = person("rita", &["global:reader"]).await;
    let claims = countersign_identity::Scopes::parse(["global:admin"]);
    let token = countersign_cli::token::login(&world().stack, &reader.id, claims).unwrap();
    let door = Door::with(&world().stack.url(), token).unwrap();
    let body = json!({ "profile": "@too-much" });
    assert_eq!(code(door.post(&format!("{FACTORY}/executions"), &body).await), 403);
}

#[tokio::test]
async fn r_003_a_run_that_was_started_with_a_token_that_is_void_acts_no_more() {
    is_refused_once_its_token_is_void("gated-void", &gated("gated-void", "")).await;
}

/// The last step changes nothing, and the function that carries it out may know the plan from the first step.
#[tokio::test]
async fn r_003_a_step_that_changes_nothing_is_refused_too_once_the_token_is_void() {
    let keeps = gated("gated-void-computes", "");
    let (before, _) = keeps.split_once("    action: save_to_workspace").expect("the last step");
    let computes = "    action: transform_data\n    inputs: {data: \"{large.data}\"}\n    operations: [{type: limit, value: 1}]\n";
    is_refused_once_its_token_is_void("gated-void-computes", &format!("{before}{computes}")).await;
}

async fn is_refused_once_its_token_is_void(id: &str, playbook: &str) {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(playbook).await;
    let run = ana.start(&agent, id, rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let voids = format!("/api/admin/users/{}/revoke-tokens", ana.id);
    admin(world()).post(&voids, &json!({})).await.unwrap();
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    // Ana's next token is good again, but not for what the old one has started.
    let claims = countersign_identity::Scopes::parse(["global:analyst"]);
    let done = until("the run has ended", || async {
        let token = countersign_cli::token::login(&world().stack, &ana.id, claims.clone()).unwrap();
        let door = Door::with(&world().stack.url(), token).unwrap();
        let now = door.get(&format!("{FACTORY}/executions/{run}")).await.ok()?;
        (now["state"] == "error" || now["state"] == "partial").then_some(now)
    })
    .await;
    let keep = crate::case::step(&done, "keep");
    assert_eq!(
        (keep["status"].as_str(), keep["code"].as_str()),
        (Some("failed"), Some("PERMISSION_DENIED"))
    );
}

/// Every table is a trust boundary: the role of a function that has no business there is refused.
#[tokio::test]
async fn p_004_a_role_reaches_only_its_tables() {
    let world = world();
    let foreign = [
        ("tool-data", "approvals"),
        ("tool-data", "vault"),
        ("tool-data", "content"),
        ("tool-data", "knowledge"),
        ("tool-data", "catalog"),
        ("tool-data", "egress"),
        ("tool-output", "approvals"),
        ("approvals", "vault"),
        ("run-begin", "directory"),
    ];
    for (function, table) in foreign {
        let said = as_function(world, function, table).await;
        assert!(denied(&said), "{function} reached {table}: {said:?}");
    }
    let own = as_function(world, "tool-data", "runs").await;
    assert!(own.is_ok(), "tool-data cannot reach its own table: {own:?}");
}

/// Who holds a task token can move a run past its gate: only functions that open gates or complete waits reach one.
#[tokio::test]
async fn p_004_task_tokens_are_reached_only_by_what_wakes_a_run() {
    let world = world();
    for function in ["run-finish", "on-receipt", "tool-connect-write", "tool-data", "run-begin"] {
        let said = as_function(world, function, "tokens").await;
        assert!(denied(&said), "{function} reached the task tokens: {said:?}");
    }
    for function in ["gate-open", "api", "approvals", "gate-deadline", "cron-sweep"] {
        let said = as_function(world, function, "tokens").await;
        assert!(said.is_ok(), "{function} cannot wake what waits: {said:?}");
    }
    // The deciders take a token and remove it; they never put one in its place.
    let (credentials, table) = role(world, "api", "TABLE_TOKENS").await;
    let item = r#"{"PK":{"S":"APPR#x"},"SK":{"S":"TOKEN"},"token":{"S":"forged"}}"#;
    let put = ["dynamodb", "put-item", "--table-name", &table, "--item", item];
    let said = world.aws_as(&credentials, &put).await;
    assert!(denied(&said), "api put a task token: {said:?}");
}

/// The door of the API calls no tool by itself and neither reads nor writes the exported ledger.
#[tokio::test]
async fn the_api_invokes_no_function_and_reaches_no_ledger() {
    let world = world();
    let (api, bucket) = role(world, "api", "BUCKET_LEDGER").await;
    let name = format!("{}-tool-data", world.stack.name);
    let invoke = ["lambda", "invoke", "--function-name", &name, "/dev/null"];
    let said = world.aws_as(&api, &invoke).await;
    assert!(denied(&said), "api invoked a tool: {said:?}");
    let key = "ledger/entries/000000000001.json";
    let get = ["s3api", "get-object", "--bucket", &bucket, "--key", key, "/dev/null"];
    let said = world.aws_as(&api, &get).await;
    assert!(denied(&said), "api read the ledger: {said:?}");
    let put = ["s3api", "put-object", "--bucket", &bucket, "--key", key];
    for function in ["api", "approvals", "tool-output"] {
        let (credentials, _) = role(world, function, "BUCKET_LEDGER").await;
        let said = world.aws_as(&credentials, &put).await;
        assert!(denied(&said), "{function} wrote the ledger: {said:?}");
    }
    let (sealer, _) = role(world, "on-receipt", "BUCKET_LEDGER").await;
    let probe = ["s3api", "put-object", "--bucket", &bucket, "--key", "ledger/probe"];
    let said = world.aws_as(&sealer, &probe).await;
    assert!(said.is_ok(), "the sealer cannot write the ledger: {said:?}");
}

fn denied(said: &Result<Value, String>) -> bool {
    said.as_ref().is_err_and(|error| error.contains("AccessDenied"))
}

/// Reads a table with the credentials of a function's role.
async fn as_function(
    world: &crate::world::World,
    function: &str,
    table: &str,
) -> Result<Value, String> {
    let variable = format!("TABLE_{}", table.to_uppercase());
    let (credentials, table) = role(world, function, &variable).await;
    let key = r#"{"PK":{"S":"x"},"SK":{"S":"y"}}"#;
    let get = ["dynamodb", "get-item", "--table-name", &table, "--key", key];
    world.aws_as(&credentials, &get).await
}

/// The credentials of a function's role, and one variable of its environment.
async fn role(world: &crate::world::World, function: &str, variable: &str) -> (Value, String) {
    let name = format!("{}-{function}", world.stack.name);
    let get = ["lambda", "get-function-configuration", "--function-name", &name];
    let settings = world.aws(&get).await.expect("the function's settings");
    let value = settings["Environment"]["Variables"][variable].as_str().unwrap_or_default();
    assert!(!value.is_empty(), "`{function}` has no {variable}");
    let role = settings["Role"].as_str().unwrap_or_default();
    let assume = ["sts", "assume-role", "--role-arn", role, "--role-session-name", "boundary"];
    let session = world.aws(&assume).await.expect("the role");
    (session["Credentials"].clone(), value.to_owned())
}
