//! A PostgreSQL database, read through the API (F-100, F-125). The server is a real one.

use serde_json::{Value, json};

use super::{output, own};
use crate::case::{FACTORY, Person, admin, person, step};
use crate::world::world;

#[path = "../../../shared/adapters/postgres-out/tests/server/mod.rs"]
#[expect(dead_code, reason = "what only the adapter's own tests ask of it")]
mod server;

use self::server::Server;

/// `database` connectors are written by administrators: they read with somebody's role.
async fn bound(server: &Server) -> (Person, String, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let yaml =
        std::fs::read_to_string(world().project.join("library/connectors/external-postgres.yaml"));
    // The server's certificate is its own; everything else is as shipped, under another id.
    let pem: String = server.authority.lines().map(|line| format!("    {line}\n")).collect();
    let yaml = yaml
        .unwrap()
        .replace("id: external-postgres", "id: books-postgres")
        .replace("timeout_seconds: 30", "timeout_seconds: 2");
    let yaml = yaml.replace(
        "  driver: postgresql\n",
        &format!("  driver: postgresql\n  ca_certificate: |\n{pem}"),
    );
    let path = "/api/admin/library/connectors/books-postgres";
    admin(world()).put(path, &json!({ "yaml": yaml })).await.unwrap();
    let credentials = json!({ "connection_string": server.reader() });
    let body = json!({ "connector_id": "books-postgres", "credentials": credentials });
    let bound = ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
    (ana, agent, bound["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `.ci/run external`"]
async fn f_087_f_100_f_125_k_40_a_database_is_read_with_bound_values_and_never_written() {
    let server = Server::shared().await;
    let (ana, agent, binding) = bound(&server).await;
    let call =
        "step_type: tool, action: call_connector, connector: books-postgres, endpoint: query";
    let asked =
        |name: &str, inputs: &Value| format!("  - {{name: {name}, {call}, inputs: {inputs}}}\n");
    let typed = "select id, name, amount, now() > 'epoch' as late, array['a', 'b'] as tags from donors where name = $1 and id <= $2";
    let steps = [
        asked("read", &json!({ "sql": typed, "params": ["Ana", 5] })),
        asked(
            "hostile",
            &json!({ "sql": "select id from donors where name = $1", "params": ["' or true --"] }),
        ),
        asked("cut", &json!({ "sql": "select id from donors order by id", "max_rows": 2 })),
        asked("writes", &json!({ "sql": "delete from donors" })),
        asked("sneaks", &json!({ "sql": "select sneaky() as n" })),
        asked("two", &json!({ "sql": "select 1 as n; select 2 as n" })),
        asked("many", &json!({ "sql": "select generate_series(1, 1200) as n" })),
        asked("sleeps", &json!({ "sql": "select pg_sleep(60) as n" })),
    ];
    ana.playbook(&format!(
        "id: read-books\nname: Read\ndescription: Reads.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n{}",
        steps.concat()
    ))
    .await;
    let run = ana.start(&agent, "read-books", json!({})).await;
    let mut ended = ana.reaches(&run, "partial").await;
    // In the local stack it is an address of this machine too.
    ended.as_object_mut().unwrap().remove("events_url");
    let read = output(&ana, &run, "read").await;
    let row = own("books-postgres", "query", &read["results"][0]);
    let expect =
        json!({ "id": 1, "name": "Ana", "amount": 10.5, "late": true, "tags": ["a", "b"] });
    assert_eq!((&row, &read["count"]), (&expect, &json!(1)));
    assert_eq!(read["results"][0]["_source_ref"], "postgresql:books-postgres");
    assert_eq!(output(&ana, &run, "hostile").await["count"], 0);
    let cut = output(&ana, &run, "cut").await;
    assert_eq!(
        (&cut["count"], &cut["has_more"], &cut["warning_count"]),
        (&json!(2), &json!(true), &json!(1))
    );
    assert_eq!(step(&ended, "writes")["code"], "DATABASE_STATEMENT", "{ended:#}");
    assert_eq!(step(&ended, "sneaks")["code"], "DATABASE_REFUSED", "{ended:#}");
    assert_eq!(step(&ended, "two")["code"], "DATABASE_STATEMENT", "{ended:#}");
    let many = output(&ana, &run, "many").await;
    assert_eq!((&many["count"], &many["has_more"]), (&json!(1_000), &json!(true)));
    assert_eq!(step(&ended, "sleeps")["code"], "DATABASE_TIMEOUT", "{ended:#}");
    let mighty = json!({ "connection_string": server.url("admin", "admin-pw-1") });
    let path = format!("{FACTORY}/profiles/{agent}/data-sources/{binding}/credentials");
    ana.door.put(&path, &mighty).await.unwrap();
    let asked =
        json!({ "endpoint": "query", "inputs": { "sql": "select 1 as n" }, "profile": agent });
    let said = ana.post("/connectors/books-postgres/test", &asked).await;
    assert_eq!(said["error"]["code"], "DATABASE_ROLE", "{said:#}");
    for hidden in ["reader-pw-1", "127.0.0.1"] {
        assert!(!ended.to_string().contains(hidden) && !read.to_string().contains(hidden));
    }
}
