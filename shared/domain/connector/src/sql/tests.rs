use countersign_registry::{DataType, Field};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ReadStatement, Server, fit, numbered};
use crate::model::{Connection, DatabaseConnection, SslMode};
use crate::reading::Reading;
use crate::request::RequestError;
use crate::secret::Credential;

fn place(text: &str) -> Option<(u64, u64)> {
    ReadStatement::parse(text).err().map(|error| (error.line, error.column))
}

#[test]
fn k_40_statements_that_read_are_read() {
    for text in [
        "select 1",
        "SELECT 1;",
        "  select 1 ; -- the end; of it\n",
        "select 1;;",
        "with a as (select 1) select * from a",
        "(select 1) union all (select 2) order by 1",
        "values (1), (2)",
        "table donors",
        "select 'insert; into', \"update\", $$delete; drop$$, $x$merge$x$ from t -- update\n/* insert /* into */ ; */",
        "select E'it''s; \\' into' from t",
        "select substring(a from 1 for 3) from t",
        "select a::int, b[1 : 2], c ->> 'k', d @> '{}' from t where e ~ '^x' for 1",
        "select * from t where \"into\" = 1",
    ] {
        assert_eq!(ReadStatement::parse(text).map(|_| ()), Ok(()), "{text}");
    }
}

#[test]
fn k_40_anything_else_is_refused_with_its_place() {
    for (text, at) in [
        ("", (1, 1)),
        (" -- only a comment", (1, 1)),
        ("insert into t values (1)", (1, 1)),
        ("\n  update t set a = 1", (2, 3)),
        ("delete from t", (1, 1)),
        ("merge into t using s on true when matched then delete", (1, 1)),
        ("select 1; drop table t", (1, 9)),
        ("select 1;; select 2", (1, 10)),
        ("select 1 /* ; */ ; select 2", (1, 18)),
        ("with gone as (delete from t returning *) select * from gone", (1, 15)),
        ("with a as (select 1) insert into t select * from a", (1, 22)),
        ("select * into copy from t", (1, 10)),
        ("select * from t\nfor update", (2, 1)),
        ("select * from t for no key update", (1, 17)),
        ("select * from t for share of t", (1, 17)),
        ("copy t to '/tmp/x'", (1, 1)),
        ("copy (select 1) to program 'id'", (1, 1)),
        ("set transaction read write", (1, 1)),
        ("commit", (1, 1)),
        ("do $$ begin end $$", (1, 1)),
        ("call p()", (1, 1)),
        ("explain analyze select 1", (1, 1)),
        ("truncate t", (1, 1)),
        ("lock t", (1, 1)),
        ("notify x", (1, 1)),
        ("; select 1", (1, 1)),
        ("((((", (1, 1)),
    ] {
        assert_eq!(place(text), Some(at), "{text}");
    }
    for open in ["select 'a", "select \"a", "select $x$ a", "select /* a"] {
        assert!(place(open).is_some(), "{open}");
    }
    assert!(place(&format!("select '{}'", "x".repeat(40_000))).is_some(), "too long");
}

#[test]
fn what_is_stored_is_checked_again() {
    let stored = json!("select 1; drop table t");
    assert!(serde_json::from_value::<ReadStatement>(stored).is_err());
}

#[track_caller]
fn check(text: &str, declared: &[&str], expect: Result<(&str, &[&str]), &str>) {
    let found = numbered(text, declared);
    match (found, expect) {
        (Ok(found), Ok((sql, binds))) => {
            assert_eq!(
                (found.sql.as_str(), found.binds),
                (sql, binds.iter().map(ToString::to_string).collect())
            );
        }
        (Err(error), Err(expect)) => assert!(error.message.contains(expect), "{error}"),
        (found, expect) => panic!("{text}: {found:?} instead of {expect:?}"),
    }
}

#[test]
fn f_100_named_parameters_become_numbers_where_they_are_parameters() {
    check("select :a, :b, :a", &["a", "b"], Ok(("select $1, $2, $1", &["a", "b"])));
    check(
        "select :b::text, ':a', \":a\", $$:a$$ /* :a */ -- :a\n, x = :a",
        &["a", "b"],
        Ok(("select $1::text, ':a', \":a\", $$:a$$ /* :a */ -- :a\n, x = $2", &["b", "a"])),
    );
    check("select 'é😀', :a,\n\t:b", &["a", "b"], Ok(("select 'é😀', $1,\n\t$2", &["a", "b"])));
    check("select f(x := 1), :a", &["a"], Ok(("select f(x := 1), $1", &["a"])));
    check("select $2, $1", &["a", "b"], Ok(("select $2, $1", &["a", "b"])));
    check("select 1", &[], Ok(("select 1", &[])));
    check("select :c", &["a"], Err("`:c` is not a parameter"));
    check("select :a, $1", &["a"], Err("not both"));
    check("select :a", &["a", "b"], Err("`b` is declared and not used"));
    check("select $1", &["a", "b"], Err("`b` is declared and not used"));
    check("select $3, $1, $2", &["a", "b"], Err("`$3` is not a parameter"));
    check("select b[1:n], b[n:a], :a", &["a"], Ok(("select b[1:n], b[n:a], $1", &["a"])));
    check("select b[1 :a]", &["b"], Err("put a space after the colon"));
}

fn connection(yaml: &str) -> DatabaseConnection {
    let text = format!(
        "id: d\nname: D\ntype: database\nversion: 1.0.0\nconnection:\n  driver: postgresql\n{yaml}endpoints:\n  one: {{ description: one, sql: select 1 }}\n"
    );
    let parsed = crate::parse(&text);
    let Some(Connection::Database(database)) = parsed.definition.map(|found| found.connection)
    else {
        panic!("{:#?}", parsed.diagnostics)
    };
    database
}

fn server(parts: &[(&str, &str)]) -> Result<Server, RequestError> {
    let parts = parts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Server::of(&connection(""), Some(&parts.collect::<Credential>()))
}

fn string(text: &str) -> Result<Server, RequestError> {
    server(&[("connection_string", text)])
}

#[test]
fn k_37_the_credential_says_where_the_database_is() {
    let found =
        string("postgres://an%40a:p%2Fw%3A@db.example.com:6432/books?sslmode=require").unwrap();
    assert_eq!(
        (found.host.as_str(), found.port, found.database.as_str()),
        ("db.example.com", 6432, "books")
    );
    assert_eq!((found.user.as_str(), found.password.expose()), ("an@a", "p/w:"));
    assert_eq!((found.sslmode, found.binds_channel), (SslMode::VerifyFull, false));
    assert_eq!(format!("{found:?}"), "Server(redacted)");
    let v6 = string("postgresql://u:p@[2001:4860::1]/d?channel_binding=require").unwrap();
    assert_eq!((v6.host.as_str(), v6.port, v6.binds_channel), ("[2001:4860::1]", 5432, true));
    let parts = [("host", "h.example.com"), ("database", "d"), ("user", "u"), ("password", "p")];
    assert_eq!(server(&parts).unwrap().port, 5432);
    assert_eq!(server(&parts[1..]), Err(RequestError::CredentialPart("host".to_owned())));
    assert_eq!(Server::of(&connection(""), None), Err(RequestError::CredentialMissing));
    let plain = Server::of(
        &connection("  sslmode: disable\n"),
        Some(
            &[("connection_string".to_owned(), "postgres://u:p@localhost/d".to_owned())]
                .into_iter()
                .collect(),
        ),
    );
    assert_eq!(plain.unwrap().sslmode, SslMode::Disable);
}

#[test]
fn k_37_a_connection_string_that_cannot_be_used_is_not_quoted() {
    for text in [
        "host=db user=u",
        "mysql://u:hunter22@db.example.com/d",
        "postgres://db.example.com/d",
        "postgres://u@db.example.com/d",
        "postgres://u:hunter22@/d",
        "postgres://u:hunter22@a,b/d",
        "postgres://u:hunter22@db.example.com",
        "postgres://u:hunter22@db.example.com/d?sslmode=prefer",
        "postgres://u:hunter22@db.example.com/d?options=-c%20x",
        "postgres://u:%ff@db.example.com/d",
    ] {
        let error = string(text).unwrap_err();
        assert!(matches!(error, RequestError::ConnectionString(_)), "{text}: {error}");
        assert!(
            !error.to_string().contains("hunter22") && !error.to_string().contains("example"),
            "{error}"
        );
    }
}

#[test]
fn f_091_declared_columns_get_their_types() {
    let field = |name: &str, data_type| Field::new(name, data_type);
    let fields = [
        field("text", DataType::String),
        field("number", DataType::Number),
        field("whole", DataType::Integer),
        field("list", DataType::array(DataType::String)),
        field("none", DataType::Number),
        field("wrong", DataType::Integer),
        field("gone", DataType::Any),
    ];
    let Value::Object(mut record) = json!({
        "text": 1.5, "number": "12345678901234567890.5", "whole": 3.0, "list": [1, "a", null], "none": null, "wrong": 2.5,
    }) else {
        panic!("an object")
    };
    let complaints = fit(&mut record, &fields, &Reading::default());
    assert_eq!(complaints.len(), 3, "{complaints:?}");
    assert!(complaints[0].contains("`number`") && complaints[1].contains("`wrong`"));
    assert!(complaints[2].contains("no column `gone`"));
    let expect = json!({
        "text": "1.5", "number": null, "whole": 3, "list": ["1", "a", null], "none": null, "wrong": null,
    });
    assert_eq!(Value::Object(record), expect, "what does not fit is null, as everywhere");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_the_check_panic(text in "[ -~\né$:;'\"/*]{0,200}") {
        let read = ReadStatement::parse(&text);
        if let Ok(read) = read {
            let _ = read.doubt();
        }
        let _ = numbered(&text, &["a", "b"]);
    }

    #[test]
    fn k_40_text_in_a_string_never_changes_what_is_allowed(text in "[ -~é]{0,60}") {
        let quoted = text.replace('\'', "''");
        let read = ReadStatement::parse(&format!("select '{quoted}'"));
        prop_assert!(read.is_ok());
        let sql = format!("select '{quoted}', :a");
        prop_assert_eq!(numbered(&sql, &["a"]).unwrap().sql, format!("select '{quoted}', $1"));
    }

}

#[test]
fn long_chains_and_deep_nesting_are_harmless() {
    for depth in [10, 100, 140, 290, 5_000] {
        for text in [
            format!("select {}1{}", "(".repeat(depth), ")".repeat(depth)),
            format!("select 1{}", "+1".repeat(depth)),
            format!("select 1{}", " union select 1".repeat(depth.min(2_000))),
        ] {
            let _ = ReadStatement::parse(&text).unwrap().doubt();
        }
    }
}

#[test]
fn what_looks_wrong_is_told_in_plain_words() {
    let doubt = |sql: &str| ReadStatement::parse(sql).unwrap().doubt();
    for sql in ["select a from b where", "select (a from b", "select a, from b where c ="] {
        let told = doubt(sql).unwrap_or_else(|| panic!("{sql}: nothing is said"));
        for word in ["EOF", "parser error", "Expected:", "found:"] {
            assert!(!told.contains(word), "{sql}: {told}");
        }
    }
    let told = doubt("select a from b where").unwrap();
    assert!(told.contains("but the statement ends"), "{told}");
}
