//! The door to databases against a real PostgreSQL.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot start its server shall say where"
)]

mod elsewhere;
mod server;

use std::time::Duration;

use countersign_connector::Credential;
use countersign_connector::sql::{ReadStatement, Server as Where};
use countersign_failure::Failure as _;
use countersign_http_out::{Egress, Policy};
use countersign_postgres_out::{Ask, DatabaseError, Table, ask};
use serde_json::{Value, json};

use tokio_postgres::{Client, NoTls};

use self::server::{Server, other_authority};

const LOCAL: Policy = Policy { allow_loopback: true };

fn at(url: &str) -> Where {
    let yaml = "{ id: d, name: D, type: database, version: 1.0.0, connection: { driver: postgresql }, endpoints: { e: { sql: select 1 } } }";
    let definition = countersign_connector::parse(yaml).definition.unwrap();
    let countersign_connector::Connection::Database(connection) = definition.connection else {
        panic!("a database")
    };
    let credential: Credential =
        [("connection_string".to_owned(), url.to_owned())].into_iter().collect();
    Where::of(&connection, Some(&credential)).unwrap()
}

/// A question, ready to be changed.
struct Question<'q> {
    url: String,
    authority: Option<String>,
    policy: Policy,
    sql: &'q str,
    arguments: Vec<Value>,
    search_path: Vec<String>,
    timeout: Duration,
    max_rows: usize,
}

impl<'q> Question<'q> {
    fn new(server: &Server, sql: &'q str) -> Self {
        Self {
            url: server.reader(),
            authority: Some(server.authority.clone()),
            policy: LOCAL,
            sql,
            arguments: Vec::new(),
            search_path: Vec::new(),
            timeout: Duration::from_secs(30),
            max_rows: 1_000,
        }
    }

    async fn ask(&self) -> Result<Table, DatabaseError> {
        let egress = Egress::new(self.policy);
        let statement = ReadStatement::parse(self.sql).unwrap();
        let question = Ask {
            server: &at(&self.url),
            ca_certificate: self.authority.as_deref(),
            search_path: &self.search_path,
            statement: &statement,
            arguments: &self.arguments,
            timeout: self.timeout,
            max_rows: self.max_rows,
            as_written: &["as_written"],
        };
        ask(&egress, &question).await
    }

    async fn fails(&self) -> (&'static str, String) {
        let error = self.ask().await.unwrap_err();
        let text = error.to_string();
        for secret in ["reader", "127.0.0.1", "books", "-pw-1"] {
            assert!(!text.contains(secret), "{text}");
        }
        (error.code(), text)
    }
}

/// A connection that sees everything, to look from the other side.
async fn admin(server: &Server) -> Client {
    let url = server.url("admin", "admin-pw-1") + "?sslmode=disable";
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn rows(server: &Server, sql: &str, arguments: Vec<Value>) -> Value {
    let table = Question { arguments, ..Question::new(server, sql) }.ask().await.unwrap();
    table.rows.into_iter().map(Value::Object).collect()
}

/// The one column of the one row.
async fn one(server: &Server, expression: &str) -> Value {
    let sql = format!("select {expression} as x");
    rows(server, &sql, Vec::new()).await[0]["x"].clone()
}

macro_rules! external {
    ($(async fn $name:ident($server:ident) $body:block)*) => {$(
        #[tokio::test]
        #[ignore = "needs PostgreSQL: `.ci/run external`"]
        async fn $name() {
            let $server = Server::shared().await;
            let $server = $server.as_ref();
            $body
        }
    )*};
}

external! {
    async fn f_100_types_are_kept(server) {
        for (expression, expect) in [
            ("true", json!(true)),
            ("null::int", json!(null)),
            ("1::smallint", json!(1)),
            ("9223372036854775807::bigint", json!(i64::MAX)),
            ("0.1::real", json!(0.1)),
            ("1.5::float8", json!(1.5)),
            ("'NaN'::float8", json!("NaN")),
            ("'-Infinity'::float4", json!("-Infinity")),
            ("0::numeric", json!(0)),
            ("12345678::numeric", json!(12_345_678)),
            ("-10.50::numeric(12,2)", json!(-10.5)),
            ("0.00012::numeric", json!(0.00012)),
            ("10000.0001::numeric", json!(10_000.000_1)),
            ("100000000::numeric", json!(100_000_000)),
            ("123456789012345678901234567890.123456789::numeric", json!("123456789012345678901234567890.123456789")),
            ("-0.1234567890123456789::numeric", json!("-0.1234567890123456789")),
            ("1e-30::numeric", json!(1e-30)),
            ("'NaN'::numeric", json!("NaN")),
            ("'é😀'::text", json!("é😀")),
            ("'a'::char(3)", json!("a  ")),
            ("date '2024-02-29'", json!("2024-02-29")),
            ("date '1999-12-31'", json!("1999-12-31")),
            ("date 'infinity'", json!("infinity")),
            ("time '13:14:15.5'", json!("13:14:15.5")),
            ("time '24:00'", json!("24:00:00")),
            ("timestamp '2024-02-29 13:14:15.123456'", json!("2024-02-29T13:14:15.123456")),
            ("timestamptz '2024-02-29 13:14:15+02'", json!("2024-02-29T11:14:15Z")),
            ("timestamptz '-infinity'", json!("-infinity")),
            ("'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid", json!("6ba7b810-9dad-11d1-80b4-00c04fd430c8")),
            ("'{\"b\": [1, null], \"a\": {}}'::json", json!({"b": [1, null], "a": {}})),
            ("'{\"a\": 1.5}'::jsonb", json!({"a": 1.5})),
            ("'1e400'::json", json!("1e400")),
            ("'{\"a\": 1234567890123456.78}'::jsonb", json!({"a": "1234567890123456.78"})),
            ("array[1, null, 3]", json!([1, null, 3])),
            ("array['a', 'b,c']::text[]", json!(["a", "b,c"])),
            ("'{}'::date[]", json!([])),
            ("'odd'::mood", json!("odd")),
            ("array['odd']::mood[]", json!(["odd"])),
            ("7::cents", json!(7)),
        ] {
            assert_eq!(one(server, expression).await, expect, "{expression}");
        }
    }

    async fn f_100_decimals_keep_their_digits_where_they_are_asked_for(server) {
        for (expression, expect) in [
            ("1250.00::numeric", json!("1250.00")),
            ("-0.10::numeric(12,2)", json!("-0.10")),
            ("7::numeric", json!("7")),
            ("null::numeric", json!(null)),
            ("7.5::float8", json!(7.5)),
            ("'a'::text", json!("a")),
        ] {
            let sql = format!("select {expression} as as_written");
            assert_eq!(rows(server, &sql, Vec::new()).await[0]["as_written"], expect, "{expression}");
        }
    }

    async fn f_100_what_no_record_holds_is_refused_by_name(server) {
        for (sql, expect) in [
            ("select '\\x00'::bytea as picture", "`picture` is of type `bytea`"),
            ("select interval '1 day' as span", "`span` is of type `interval`"),
            ("select row(1, 2) as both", "`both` is of type `record`"),
            ("select array[[1], [2]] as grid", "`grid` holds a list"),
            ("select date '20000-01-01' as far", "`far` holds a time outside"),
            ("select 1 as a, 2 as a", "`a` comes twice"),
            ("select 1 as _source", "`_source` has a name that begins with `_`"),
        ] {
            let (code, text) = Question::new(server, sql).fails().await;
            assert_eq!(code, "DATABASE_COLUMN", "{text}");
            assert!(text.contains(expect), "{text}");
        }
    }

    async fn k_40_values_stay_values(server) {
        let sql = "select id from donors where name = $1";
        assert_eq!(rows(server, sql, vec![json!("Bo's; drop")]).await, json!([{"id": 2}]));
        let hostile = vec![json!("' or '1'='1'; drop table donors; --")];
        assert_eq!(rows(server, sql, hostile).await, json!([]));
        let sql = "select $1::int + 1 as a, $2::text[] as b, $3::jsonb as c, $4::date as d, $5::bool as e, $6::text as f, $7::int[] as g";
        let given = vec![json!(1), json!(["x\"y", null, "{}"]), json!({"k": [1]}), json!("2024-02-29"), json!(false), json!(null), json!([[1, 2], [3, 4]])];
        let question = Question { arguments: given.clone(), ..Question::new(server, sql) };
        assert_eq!(question.fails().await.0, "DATABASE_COLUMN", "a list of lists");
        let found = rows(server, &sql.replace("$7::int[]", "cardinality($7::int[])"), given).await;
        assert_eq!(found, json!([{"a": 2, "b": ["x\"y", null, "{}"], "c": {"k": [1]}, "d": "2024-02-29", "e": false, "f": null, "g": 4}]));
        for (sql, arguments, expect) in [
            ("select $1::int as a", json!([]), "CONNECTOR_ARGUMENT"),
            ("select $1::int as a", json!([1, 2]), "CONNECTOR_ARGUMENT"),
            ("select $1::int as a", json!(["x"]), "DATABASE_STATEMENT"),
            ("select $1::int as a", json!([{"a": 1}]), "DATABASE_STATEMENT"),
            ("select $1::text as a", json!(["a\u{0}b"]), "DATABASE_STATEMENT"),
        ] {
            let arguments = arguments.as_array().unwrap().clone();
            let question = Question { arguments, ..Question::new(server, sql) };
            assert_eq!(question.fails().await.0, expect, "{sql}");
        }
    }

    async fn k_40_nothing_is_written(server) {
        for sql in [
            "select nextval('counter') as x",
            "select sneaky() as x",
            "select set_config('transaction_read_only', 'off', false) as x, sneaky() as y",
        ] {
            let (code, text) = Question::new(server, sql).fails().await;
            assert!(["DATABASE_REFUSED", "DATABASE_STATEMENT"].contains(&code), "{sql}: {text}");
        }
        assert_eq!(Question::new(server, "select * from secrets").fails().await.0, "DATABASE_REFUSED");
        // Older versions let this one pass in a transaction that only reads; that it is rolled back undoes it.
        let _ = Question::new(server, "select lo_create(0) as x").ask().await;
        let made = "select count(*) from pg_largeobject_metadata";
        let made = admin(server).await.query_one(made, &[]).await.unwrap();
        assert_eq!(made.get::<_, i64>(0), 0);
        let count = admin(server).await.query_one("select count(*) from donors", &[]).await.unwrap();
        assert_eq!(count.get::<_, i64>(0), 3);
        let used = admin(server).await.query_one("select is_called from counter", &[]).await.unwrap();
        assert!(!used.get::<_, bool>(0));
    }

    async fn k_40_the_protocol_takes_one_statement(server) {
        // As if the check of the words had missed it.
        let client = admin(server).await;
        assert!(client.prepare("select 1; drop table donors").await.is_err());
        let (code, text) = Question::new(server, "select 1\nfrom nowhere").fails().await;
        assert_eq!(code, "DATABASE_STATEMENT");
        assert!(text.contains("at line 2, column 6 (42P01)"), "{text}");
    }

    async fn k_40_rows_are_capped(server) {
        let sql = "select n from generate_series(1, 10000) n";
        for (max_rows, expect, has_more) in [(1, 1, true), (50, 50, true), (51, 51, true), (1_000, 1_000, true)] {
            let table = Question { max_rows, ..Question::new(server, sql) }.ask().await.unwrap();
            assert_eq!((table.rows.len(), table.has_more), (expect, has_more), "{max_rows}");
            assert_eq!(table.rows.last().unwrap()["n"], json!(expect));
        }
        for count in [0, 1, 49, 50, 51, 100] {
            let sql = format!("select n from generate_series(1, {count}) n");
            let table = Question { max_rows: 100, ..Question::new(server, &sql) }.ask().await.unwrap();
            assert_eq!((table.rows.len(), table.has_more), (count, false));
        }
    }

    async fn k_40_bytes_are_capped(server) {
        let wide = "select n, repeat('x', 100000) as x from generate_series(1, 900) n";
        let table = Question::new(server, wide).ask().await.unwrap();
        assert_eq!((table.rows.len(), table.has_more), (104, true));
        assert!(table.warnings[0].contains("only the first 104 rows"), "{:?}", table.warnings);
        let (code, _) = Question::new(server, "select repeat('x', 30000000) as x").fails().await;
        assert_eq!(code, "DATABASE_TOO_LARGE");
    }

    async fn k_40_a_statement_that_takes_too_long_is_ended(server) {
        let sleep = "select pg_sleep(600) as x";
        let question = Question { timeout: Duration::from_millis(100), ..Question::new(server, sleep) };
        assert_eq!(question.fails().await.0, "DATABASE_TIMEOUT");
        // This one switches the database's own timeout off, between two batches.
        let stubborn = "select set_config('statement_timeout', '0', true) as s, \
                        case when n > 60 then pg_sleep(600)::text end as x from generate_series(1, 200) n";
        let question = Question { timeout: Duration::from_millis(200), ..Question::new(server, stubborn) };
        assert_eq!(question.fails().await.0, "DATABASE_TIMEOUT");
        let admin = admin(server).await;
        let busy = "select count(*), pg_sleep(0.05)::text from pg_stat_activity where state = 'active' and query like 'select set_config%'";
        let mut left = 1;
        for _ in 0..200 {
            left = admin.query_one(busy, &[]).await.unwrap().get::<_, i64>(0);
            if left == 0 {
                break;
            }
        }
        assert_eq!(left, 0, "the statement still runs");
    }

    async fn k_40_roles_that_may_do_too_much_are_refused(server) {
        let admin = Question { url: server.url("admin", "admin-pw-1"), ..Question::new(server, "select 1 as x") };
        let (code, text) = admin.fails().await;
        assert_eq!((code, text.as_str()), ("DATABASE_ROLE", "the role is a superuser"));
        let keeper = Question { url: server.url("keeper", "keeper-pw-1"), ..Question::new(server, "select 1 as x") };
        assert_eq!(keeper.fails().await.0, "DATABASE_ROLE");
    }

    async fn f_306_a_refused_credential_is_told_apart(server) {
        for (user, password) in [("reader", "wrong-pw-1"), ("nobody", "reader-pw-1")] {
            let question = Question { url: server.url(user, password), ..Question::new(server, "select 1 as x") };
            assert_eq!(question.fails().await.0, "DATABASE_AUTH");
        }
        let url = server.reader().replace("/books", "/nowhere");
        let question = Question { url, ..Question::new(server, "select 1 as x") };
        assert_eq!(question.fails().await.0, "DATABASE_REFUSED");
    }

    async fn k_40_the_server_proves_its_name(server) {
        let sql = "select ssl, version from pg_stat_ssl where pid = pg_backend_pid()";
        let found = rows(server, sql, Vec::new()).await;
        assert_eq!(found, json!([{"ssl": true, "version": "TLSv1.3"}]));
        let by_name = Question { url: server.reader().replace("127.0.0.1", "localhost"), ..Question::new(server, sql) };
        assert!(by_name.ask().await.is_ok(), "the certificate is for this name too");
        let bound = Question { url: server.reader() + "?channel_binding=require", ..Question::new(server, sql) };
        assert!(bound.ask().await.is_ok());
        for (url, authority) in [
            (server.reader(), Some(other_authority())),
            (server.reader(), None),
            (server.reader().replace("127.0.0.1", "a.localhost"), Some(server.authority.clone())),
            (server.reader(), Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned())),
        ] {
            let question = Question { url, authority, ..Question::new(server, "select 1 as x") };
            let (code, text) = question.fails().await;
            assert_eq!(code, "DATABASE_TLS", "{text}");
        }
    }

    async fn k_40_without_tls_only_on_this_machine(server) {
        let url = server.reader() + "?sslmode=disable";
        let sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
        let question = Question { url: url.clone(), ..Question::new(server, sql) };
        assert_eq!(question.ask().await.unwrap().rows[0]["ssl"], json!(false));
        let closed = Question { policy: Policy::default(), ..Question::new(server, sql) };
        assert_eq!(closed.fails().await.0, "EGRESS_REFUSED");
        let elsewhere = Question { url: url.replace("127.0.0.1", "93.184.216.34"), ..Question::new(server, sql) };
        assert_eq!(elsewhere.fails().await.0, "DATABASE_TLS");
    }

    async fn f_100_schemas_are_looked_through(server) {
        let sql = "select title from papers";
        assert_eq!(Question::new(server, sql).fails().await.0, "DATABASE_STATEMENT");
        let question = Question { search_path: vec!["archive".to_owned()], ..Question::new(server, sql) };
        assert_eq!(question.ask().await.unwrap().rows[0]["title"], json!("old"));
    }
}

external! {
    async fn the_role_that_the_documents_make_reads_and_cannot_write(server) {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/connectors.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, block) = page.split_once("```sql\n").expect("a block of SQL");
        let (block, _) = block.split_once("```").unwrap();
        let admin = admin(server).await;
        admin.batch_execute(&block.replace('…', "countersign-pw-1")).await.unwrap();
        let url = server.url("countersign", "countersign-pw-1");
        let own = |sql| Question { url: url.clone(), ..Question::new(server, sql) };
        let table = own("select count(*) as n from donors").ask().await.unwrap();
        assert!(table.rows[0]["n"].as_u64().is_some_and(|n| n > 0), "{:?}", table.rows);
        let (client, connection) =
            tokio_postgres::connect(&format!("{url}?sslmode=disable"), NoTls).await.unwrap();
        tokio::spawn(connection);
        for write in ["delete from donors", "insert into donors values (9, 'x', 1)"] {
            let error = client.batch_execute(write).await.unwrap_err();
            assert!(format!("{error:?}").contains("42501"), "{write}: {error:?}");
        }
    }
}
