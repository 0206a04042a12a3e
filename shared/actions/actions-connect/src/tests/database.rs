//! Databases: the whole action, against a real PostgreSQL where there is one.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

#[path = "../../../../adapters/postgres-out/tests/server/mod.rs"]
mod server;

use server::Server;

const LOCAL: Policy = Policy { allow_loopback: true };

fn yaml(authority: &str) -> String {
    let pem: String = authority.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "
id: donors
name: Donors
type: database
version: 1.0.0
connection:
  driver: postgresql
  auth: {{ type: connection_string }}
  ca_certificate: |
{pem}  timeout_seconds: 20
  allow_free_sql: true
endpoints:
  by_name:
    type: sql
    description: donors of a name
    parameters: [{{ name: name, type: string, required: true }}, {{ name: least, type: number }}]
    sql: |
      select id, name, amount from donors
      where name = :name and amount >= coalesce(:least::numeric, 0) -- :other
    response_mapping:
      entity_type: donor
      entity_extraction: [{{ field: name, entity_type: PERSON }}]
    output_schema:
      fields: [{{ name: id, type: string }}, {{ name: name, type: string }}, {{ name: amount, type: number }}]
  query:
    type: sql
    description: any statement that reads
    max_rows: 3
"
    )
}

fn world(authority: &str, url: &str) -> Arc<World> {
    let mut world = World::new(&yaml(authority));
    // The world's secrets are written into the tests; this one is only known when the server runs.
    world.parts = vec![("connection_string", url.to_owned().leak())];
    Arc::new(world)
}

/// Any certificate, for connections that do not come so far.
fn nobody() -> String {
    server::other_authority()
}

async fn get(world: &Arc<World>, endpoint: &str, inputs: Value) -> Result<Value, ActionError> {
    run_with(world, Mode::Read, LOCAL, &call_of("donors", endpoint, inputs)).await
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `.ci/run external`"]
async fn f_100_records_come_with_their_types_and_where_they_are_from() {
    let server = Server::shared().await;
    let world = world(&server.authority, &server.reader());
    let output = get(&world, "by_name", json!({ "name": "Ana" })).await.unwrap();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(1), &json!(false)));
    let record = &output["results"][0];
    assert_eq!(
        Value::Object(own_fields(record)),
        json!({"id": "1", "name": "Ana", "amount": 10.5})
    );
    assert_eq!(record["_source"], "donors");
    assert_eq!(record["_source_ref"], "postgresql:donors");
    assert_eq!(record["_entity_type"], "donor");
    assert_eq!(record["_entity_rules"][0]["field"], "name");
    assert_eq!(*world.health.lock().unwrap(), [], "its health did not change");
    for hidden in ["reader", "127.0.0.1", "books"] {
        assert!(!output.to_string().contains(hidden), "K-37: {output}");
    }
    let hostile = json!({ "name": "' or true --", "least": 0 });
    assert_eq!(get(&world, "by_name", hostile).await.unwrap()["count"], 0);
    let more = get(&world, "by_name", json!({ "name": "Ana", "least": 10.51 })).await.unwrap();
    assert_eq!(more["count"], 0);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `.ci/run external`"]
async fn f_125_a_call_may_bring_its_statement() {
    let server = Server::shared().await;
    let world = world(&server.authority, &server.reader());
    let sql = "select id from donors where id > $1 order by id";
    let asked = json!({ "sql": sql, "params": [1], "max_rows": 1 });
    let output = get(&world, "query", asked).await.unwrap();
    assert_eq!((&output["results"][0]["id"], &output["has_more"]), (&json!(2), &json!(true)));
    let limit = "row limit reached (`max_rows` is 1): 1 record read, the source may have more; raise the limit";
    assert_eq!(output["warnings"], json!([limit]));
    let many = json!({ "sql": "select generate_series(1, 100) as n", "max_rows": 1000 });
    assert_eq!(get(&world, "query", many).await.unwrap()["count"], 3, "K-40: the endpoint's bound");
    for (inputs, code) in [
        (json!({ "sql": "delete from donors" }), "DATABASE_STATEMENT"),
        (json!({ "sql": "select 1; select 2" }), "DATABASE_STATEMENT"),
        (json!({ "sql": "select nextval('counter') as n" }), "DATABASE_REFUSED"),
        (json!({ "sql": "select 1 as n", "params": {} }), "CONNECTOR_ARGUMENT"),
        (json!({ "sql": "select 1 as n", "params": [1] }), "CONNECTOR_ARGUMENT"),
        (json!({ "sql": "select 1 as n", "max_rows": 0 }), "CONNECTOR_ARGUMENT"),
        (json!({ "sql": 1 }), "DATABASE_STATEMENT"),
        (json!({}), "CONNECTOR_ARGUMENT"),
    ] {
        let error = get(&world, "query", inputs.clone()).await.unwrap_err();
        assert_eq!(error.code, code, "{inputs}: {error}");
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `.ci/run external`"]
async fn f_306_a_wrong_password_marks_the_binding_and_tells_its_owner() {
    let server = Server::shared().await;
    let world = world(&server.authority, &server.url("reader", "wrong-pw-1"));
    let error = get(&world, "by_name", json!({ "name": "Ana" })).await.unwrap_err();
    assert_eq!((error.code, error.class), ("DATABASE_AUTH", Class::Terminal));
    assert!(!error.message.contains("wrong-pw-1") && !error.message.contains("reader"));
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
    assert_eq!(world.shared.announced.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn k_37_without_a_usable_credential_nothing_is_dialled() {
    let world = world(&nobody(), "mysql://u:s3cr3t@h/d");
    let error = get(&world, "by_name", json!({ "name": "Ana" })).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_CREDENTIAL");
    assert!(!error.message.contains("s3cr3t"), "{error}");
    let unbound = World::new(&yaml(&nobody())).bind(|binding| binding.credential = None);
    let error = get(&Arc::new(unbound), "by_name", json!({ "name": "Ana" })).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_CREDENTIAL");
}

#[tokio::test]
async fn k_40_databases_are_read_by_the_function_that_reads() {
    let world = world(&nobody(), "postgres://u:p@db.example.com/d");
    let call = call_of("donors", "by_name", json!({ "name": "Ana" }));
    let error = run_with(&world, Mode::Write, LOCAL, &call).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_WRONG_FUNCTION");
    let world = self::world(&nobody(), "postgres://u:p@10.0.0.5/d");
    let error = run_with(&world, Mode::Read, LOCAL, &call).await.unwrap_err();
    assert_eq!(error.code, "EGRESS_REFUSED");
    assert!(!error.message.contains("10.0.0.5"), "{error}");
}

#[tokio::test]
async fn f_310_a_database_that_breaks_off_is_asked_once_more_and_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://u:p@{}/d", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(0));
    let counter = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            *counter.lock().unwrap() += 1;
            let _ = stream.read_exact(&mut [0; 8]).await;
            let _ = stream.shutdown().await;
        }
    });
    let world = world(&nobody(), &url);
    let error = get(&world, "by_name", json!({ "name": "Ana" })).await.unwrap_err();
    assert_eq!((error.code, error.class), ("DATABASE_UNREACHABLE", Class::Terminal));
    assert_eq!(*asked.lock().unwrap(), 2);
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable]);
}
