//! Connectors of type `database`.

use super::check;
use crate::contract::endpoint_contract;
use crate::model::{Connection, Operation, SslMode, StatementSource};
use crate::{parse, parse_template};

const LIBRARY: &str = include_str!("../../../../../../library/connectors/external-postgres.yaml");

const FIXED: &str = "\
id: donors
name: Donors
type: database
version: 1.0.0
connection:
  driver: postgresql
  auth: { type: connection_string }
endpoints:
  by_name:
    type: sql
    description: Donors of a name
    parameters: [{ name: name, type: string, required: true }, { name: least, type: number, default: 0 }]
    sql: select name, amount from donors where name = :name and amount >= :least
    max_rows: 50
    output_schema: { fields: [{ name: name, type: string }, { name: amount, type: number }] }
";

#[test]
fn f_100_a_fixed_statement_with_bound_parameters() {
    let parsed = parse(FIXED);
    assert_eq!(parsed.diagnostics, []);
    let definition = parsed.definition.unwrap();
    assert_eq!(
        (definition.kind(), definition.credential_fields()),
        ("database", vec!["connection_string"])
    );
    let Connection::Database(database) = &definition.connection else { panic!("a database") };
    assert_eq!(
        (database.pool_size, database.timeout_seconds, database.sslmode),
        (3, 30, SslMode::VerifyFull)
    );
    assert!(!database.allow_free_sql);
    let Operation::Query(rules) = &definition.endpoints["by_name"].operation else {
        panic!("a query")
    };
    let StatementSource::Fixed { sql, binds } = &rules.statement else { panic!("fixed") };
    assert_eq!(sql.as_str(), "select name, amount from donors where name = $1 and amount >= $2");
    assert_eq!((binds.join(","), rules.max_rows), ("name,least".to_owned(), 50));
    let contract = endpoint_contract(&definition, "by_name").unwrap();
    assert!(!contract.irreversible, "K-40: a database is only read");
    assert_eq!(contract.inputs.len(), 2);
    let stored = serde_json::to_string(&definition).unwrap();
    assert_eq!(serde_json::from_str::<crate::ConnectorDefinition>(&stored).unwrap(), definition);
}

#[test]
fn f_125_the_library_asks_with_the_statement_of_the_call() {
    let parsed = parse_template(LIBRARY);
    assert_eq!(parsed.diagnostics, []);
    let definition = parsed.definition.unwrap();
    assert_eq!(definition.auth_fields[0].env_var.as_deref(), Some("EXTERNAL_DB_URL"));
    let contract = endpoint_contract(&definition, "query").unwrap();
    let inputs: Vec<_> =
        contract.inputs.iter().map(|slot| (slot.name.as_str(), slot.required)).collect();
    assert_eq!(inputs, [("sql", true), ("params", false), ("max_rows", false)]);
    assert!(!contract.irreversible);
}

#[test]
fn k_40_free_statements_must_be_allowed() {
    check(&LIBRARY.replace("  allow_free_sql: true\n", ""), &["21:5 sql"]);
    check(
        &LIBRARY.replace("name: params, type: array", "name: params, type: string"),
        &["22:5 parameters"],
    );
}

#[test]
fn k_40_every_problem_of_a_connection_has_its_place() {
    let text = FIXED.replace(
        "  driver: postgresql\n  auth: { type: connection_string }\n",
        "  driver: mysql\n  auth: { type: basic }\n  read_only: false\n  pool_size: 20\n  timeout_seconds: 301\n  sslmode: prefer\n  schema: Public\n  ca_certificate: none\n  host: db\n",
    );
    let expect = [
        "6:11 driver",
        "7:17 auth",
        "8:14 read_only",
        "9:14 type",
        "10:20 type",
        "11:12 sslmode",
        "12:11 schema",
        "13:19 ca_certificate",
        "14:3 unknown_key",
    ];
    check(&text, &expect);
}

#[test]
fn k_40_a_statement_that_writes_is_located() {
    for (sql, message) in [
        ("delete from donors where name = :name and amount > :least", "`delete` does not read"),
        (
            "select :name, :least; drop table donors",
            "line 1, column 21 of the statement: only one statement",
        ),
        ("select :name, :least, :other", "`:other` is not a parameter"),
        ("select :name", "`least` is declared and not used"),
    ] {
        let text = FIXED.replace(
            "select name, amount from donors where name = :name and amount >= :least",
            sql,
        );
        check(&text, &["13:10 sql"]);
        let parsed = parse(&text);
        assert!(parsed.diagnostics[0].message.contains(message), "{}", parsed.diagnostics[0]);
    }
}

#[test]
fn a_doubtful_statement_is_a_warning() {
    let text = FIXED.replace(
        "select name, amount from donors where name = :name",
        "select name,, amount from donors where :name",
    );
    let parsed = parse(&text);
    assert!(parsed.definition.is_some());
    assert_eq!(parsed.diagnostics[0].code, "sql", "{:#?}", parsed.diagnostics);
}

#[test]
fn f_103_a_form_with_a_host_asks_for_the_parts() {
    let text = FIXED.replace("connection:\n", "auth_fields: [{ name: host }, { name: port }, { name: database }, { name: user }, { name: password }]\nconnection:\n");
    let fields = parse(&text).definition.unwrap().credential_fields();
    assert_eq!(fields, ["host", "database", "user", "password"]);
}

#[test]
fn k_37_env_vars_of_a_database_are_ignored_and_said() {
    let text = FIXED.replace(
        "type: connection_string }",
        "type: connection_string, env_var: EXTERNAL_DB_URL }",
    );
    let parsed = parse(&text);
    assert!(parsed.definition.is_some());
    assert_eq!(parsed.diagnostics[0].code, "env_var");
}

#[test]
fn k_40_what_is_said_of_a_free_statements_parameters_holds() {
    let text = "\
id: books
name: Books
type: database
version: 1.0.0
connection: { driver: postgresql, auth: { type: connection_string }, allow_free_sql: true }
endpoints:
  any:
    description: reads what a call asks for
    parameters: [{ name: max_rows, type: integer, default: 50, description: keep it small }]
";
    let parsed = parse(text);
    let definition = parsed.definition.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let parameters = &definition.endpoints["any"].parameters;
    let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["sql", "params", "max_rows"]);
    let rows = &parameters[2];
    assert_eq!((&rows.default, rows.description.as_str()), (&Some(50.into()), "keep it small"));
}
