//! A `database`: its connection and its endpoints (F-100, K-40).

use countersign_registry::DataType;
use serde_json::Value;

use super::bounds;
use super::connection::rate_limit;
use crate::diagnostic::{Diagnostics, Position};
use crate::model::{
    Connection, DatabaseConnection, Driver, Operation, OutputSchema, OutputShape, Parameter,
    QueryRules, SslMode, StatementSource,
};
use crate::reading::Reading;
use crate::sql::{ReadStatement, numbered};
use crate::yaml::{Kind, Mapping, Node, as_text};

/// The words for the one driver there is.
pub(crate) const DRIVERS: [&str; 2] = ["postgresql", "postgres"];
/// What every PEM of certificates holds.
pub(crate) const PEM_BEGINS: &str = "-----BEGIN CERTIFICATE-----";
/// What no connector may hold.
pub(crate) const PRIVATE_KEY: &str = "PRIVATE KEY";

pub(super) fn connection(
    mut map: Mapping<'_>,
    out: &mut Diagnostics,
) -> Option<DatabaseConnection> {
    let driver = driver(&mut map, out);
    auth(&mut map, out);
    let sslmode = sslmode(&mut map, out);
    let ca_certificate = ca_certificate(&mut map, out);
    let search_path = map.get("schema").map(|node| schemas(node, out)).unwrap_or_default();
    let pool_size = bounds::POOL_SIZE.of(&mut map, out);
    let timeout_seconds = bounds::TIMEOUT_SECONDS.of(&mut map, out);
    read_only(&mut map, out);
    let allow_free_sql = map.boolean("allow_free_sql", out);
    let rate_limit = map.mapping("rate_limit", out).map(|rate| rate_limit(rate, out));
    map.finish(out);
    Some(DatabaseConnection {
        driver: driver?,
        sslmode: sslmode?,
        ca_certificate,
        search_path,
        pool_size,
        timeout_seconds,
        allow_free_sql,
        rate_limit,
    })
}

fn driver(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<Driver> {
    let (text, at) = map.required_text("driver", out)?;
    if DRIVERS.contains(&text) {
        return Some(Driver::Postgresql);
    }
    out.hinted("driver", at, format!("`{text}` is not a driver"), "use `postgresql`");
    None
}

fn auth(map: &mut Mapping<'_>, out: &mut Diagnostics) {
    let Some(mut auth) = map.mapping("auth", out) else { return };
    if let Some((text, at)) = auth.required_text("type", out)
        && text != "connection_string"
    {
        let message = format!("`{text}` is not a way to authenticate to a database");
        out.hinted("auth", at, message, "use `connection_string`");
    }
    if let Some((_, at)) = auth.text("env_var", out) {
        let message = "`env_var` is ignored: credentials come from the owner's vault only";
        out.warning("env_var", at, message);
    }
    auth.finish(out);
}

fn sslmode(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<SslMode> {
    match map.text("sslmode", out) {
        None | Some(("verify-full", _)) => Some(SslMode::VerifyFull),
        Some(("disable", _)) => Some(SslMode::Disable),
        Some((other, at)) => {
            let hint = "use `verify-full`, or `disable` for a database on the same machine";
            out.hinted("sslmode", at, format!("`{other}` is not accepted"), hint);
            None
        }
    }
}

fn ca_certificate(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<String> {
    let (text, at) = map.text("ca_certificate", out)?;
    if text.contains(PRIVATE_KEY) {
        out.error("ca_certificate", at, "`ca_certificate` holds a private key: remove it");
    } else if !text.contains(PEM_BEGINS) {
        out.error("ca_certificate", at, "`ca_certificate` must hold certificates as PEM");
    }
    Some(text.to_owned())
}

fn schemas(node: &Node, out: &mut Diagnostics) -> Vec<String> {
    let nodes = match &node.kind {
        Kind::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let mut all = Vec::new();
    for node in nodes {
        let Some(name) = as_text(node, "schema", out) else { continue };
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        if starts && name.len() <= 63 && name.bytes().all(fits) {
            all.push(name.to_owned());
        } else {
            let message =
                format!("`{name}` is not a schema's name: lower-case letters, digits and `_`");
            out.error("schema", node.at, message);
        }
    }
    all
}

fn read_only(map: &mut Mapping<'_>, out: &mut Diagnostics) {
    let Some(node) = map.get("read_only") else { return };
    match node.kind {
        Kind::Bool(true) => {}
        Kind::Bool(false) => {
            let message = "`read_only: false` is not possible: connectors of type `database` read, in a transaction that cannot write";
            out.hinted("read_only", node.at, message, "remove the line");
        }
        _ => out.error("type", node.at, "`read_only` can only be true"),
    }
}

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &mut Vec<Parameter>,
    connection: Option<&Connection>,
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    if let Some((text, at)) = map.text("type", out)
        && text != "sql"
    {
        let message = format!("an endpoint of a database is of type `sql`, not `{text}`");
        out.error("type", at, message);
    }
    let at = map.at;
    let max_rows = bounds::MAX_ROWS.of(map, out);
    let statement = match map.text("sql", out) {
        Some((text, at)) => fixed(text, at, parameters, out),
        None => free(at, parameters, connection, max_rows, out),
    };
    let output = OutputSchema { shape: OutputShape::RecordSet, fields: Vec::new(), inferred: true };
    let rules = QueryRules { statement: statement?, max_rows, reading: Reading::default() };
    Some((Operation::Query(rules), output))
}

fn fixed(
    text: &str,
    at: Position,
    parameters: &[Parameter],
    out: &mut Diagnostics,
) -> Option<StatementSource> {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    // First the whole statement: a problem there explains more than one of its parameters.
    let read = ReadStatement::parse(text).and_then(|_| numbered(text, &names));
    let read = read.and_then(|numbered| Ok((ReadStatement::parse(&numbered.sql)?, numbered.binds)));
    match read {
        Ok((sql, binds)) => {
            if let Some(doubt) = sql.doubt() {
                let message =
                    format!("the statement may not be what PostgreSQL understands: {doubt}");
                out.warning("sql", at, message);
            }
            Some(StatementSource::Fixed { sql, binds })
        }
        Err(error) => {
            out.error("sql", at, error.to_string());
            None
        }
    }
}

/// The free form: the call brings the statement (K-40).
fn free(
    at: Position,
    parameters: &mut Vec<Parameter>,
    connection: Option<&Connection>,
    max_rows: u32,
    out: &mut Diagnostics,
) -> Option<StatementSource> {
    if matches!(connection, Some(Connection::Database(database)) if !database.allow_free_sql) {
        let hint = "write the statement here, or allow statements from calls with `allow_free_sql: true` in `connection`";
        out.hinted("sql", at, "the endpoint has no `sql`", hint);
        return None;
    }
    let own = free_parameters(max_rows);
    for parameter in parameters.iter() {
        let known = own.iter().find(|own| own.name == parameter.name);
        if known.is_none_or(|own| !agrees(own, parameter)) {
            let message = format!(
                "an endpoint without `sql` takes `sql` (string), `params` (array) and `max_rows` (integer); `{}` is none of them",
                parameter.name
            );
            out.error("parameters", at, message);
        }
    }
    *parameters = own;
    Some(StatementSource::Free)
}

fn agrees(own: &Parameter, declared: &Parameter) -> bool {
    matches!(
        (&own.data_type, &declared.data_type),
        (DataType::Array(_), DataType::Array(_))
            | (DataType::String, DataType::String)
            | (DataType::Integer, DataType::Integer)
    )
}

fn free_parameters(max_rows: u32) -> Vec<Parameter> {
    let parameter = |name: &str, data_type, description: &str| Parameter {
        name: name.to_owned(),
        data_type,
        description: description.to_owned(),
        required: false,
        default: None,
    };
    let sql =
        parameter("sql", DataType::String, "one statement that reads, with $1, $2, … for values");
    let params = parameter("params", DataType::array(DataType::Any), "the values of $1, $2, …");
    let rows = parameter("max_rows", DataType::Integer, "no more rows come back");
    vec![
        Parameter { required: true, ..sql },
        params,
        Parameter { default: Some(Value::from(max_rows)), ..rows },
    ]
}
