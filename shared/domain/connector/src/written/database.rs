//! Connection and endpoint of a `database` (F-100, K-40).

use countersign_document::{OneOrMany, Rules};
use countersign_registry::DataType;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::always::Always;
use super::auth::ignored;
use super::connection::{Connects, RateLimit};
use super::endpoint::{Ends, Shared, endpoint};
use super::mapping::{RecordMapping, RecordOutput};
use super::text::{Certificates, SchemaName};
use crate::bounds::{MaxRows, PoolSize, TimeoutSeconds};
use crate::model::{
    self, Connection, Operation, OutputSchema, Parameter, QueryRules, SslMode, StatementSource,
};
use crate::reading::Reading;
use crate::sql::{ReadStatement, SqlError, numbered};

/// A PostgreSQL server that is read with one statement at a time.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatabaseConnection {
    /// The kind of server.
    #[expect(dead_code, reason = "there is one")]
    driver: Driver,
    /// The connection string is in the owner's vault, never here.
    auth: Option<DatabaseAuth>,
    /// How the server proves who it is; `disable` is for a database on the same machine.
    #[serde(default)]
    sslmode: SslMode,
    /// Certificates as PEM that vouch for the server, beside those known everywhere.
    ca_certificate: Option<Certificates>,
    /// The schema whose tables need no prefix, or several to look in, in turn.
    schema: Option<OneOrMany<SchemaName, { usize::MAX }, 0>>,
    /// Connections that one instance may keep open. It has no effect: a call opens one connection and closes it, and a function
    /// handles one call at a time.
    pool_size: Option<PoolSize>,
    /// Seconds one statement may take.
    #[serde(default)]
    timeout_seconds: TimeoutSeconds,
    /// Every statement runs in a transaction that cannot write; leave this out.
    #[schemars(extend("x-code" = "read_only", "x-hint" = "a database is always only read: remove the line"))]
    #[serde(default)]
    #[expect(dead_code, reason = "its only value changes nothing")]
    read_only: Always,
    /// Whether endpoints may take the statement from the call.
    #[serde(default)]
    allow_free_sql: bool,
    /// How often the source may be called.
    rate_limit: Option<RateLimit>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "driver"))]
enum Driver {
    Postgresql,
    Postgres,
}

/// How a database knows who asks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DatabaseAuth {
    /// The only way.
    #[serde(rename = "type")]
    #[expect(dead_code, reason = "there is one")]
    kind: DatabaseAuthKind,
    /// Ignored with a warning: credentials come from the owner's vault only.
    env_var: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "auth"))]
enum DatabaseAuthKind {
    ConnectionString,
}

impl Connects for DatabaseConnection {
    fn model(&self) -> Option<Connection> {
        let schemas = self.schema.as_ref().map(OneOrMany::as_slice).unwrap_or_default();
        Some(Connection::Database(model::DatabaseConnection {
            driver: model::Driver::Postgresql,
            sslmode: self.sslmode,
            ca_certificate: self.ca_certificate.clone().map(String::from),
            search_path: schemas.iter().map(|name| name.as_str().to_owned()).collect(),
            pool_size: self.pool_size.unwrap_or_default().to(),
            timeout_seconds: self.timeout_seconds.to(),
            allow_free_sql: self.allow_free_sql,
            rate_limit: self.rate_limit.as_ref().map(|limit| limit.0),
        }))
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        if self.auth.as_ref().is_some_and(|auth| auth.env_var.is_some()) {
            ignored("/auth/env_var", rules);
        }
        if self.pool_size.is_some() {
            let message = "`pool_size` has no effect: a call opens one connection and closes it";
            rules.warning("pool_size", "/pool_size", message);
        }
    }
}

endpoint! {
    /// One statement.
    DatabaseEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// The only kind.
        #[serde(default, rename = "type")]
        #[expect(dead_code, reason = "there is one")]
        kind: StatementKind,
        /// One statement that reads; `:name` or `$1` stands for a parameter's value. Left out, the call brings it, when
        /// `allow_free_sql` says so.
        sql: Option<String>,
        /// No more rows come back.
        #[serde(default)]
        max_rows: MaxRows,
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "type"))]
pub(super) enum StatementKind {
    #[default]
    Sql,
}

impl Ends for DatabaseEndpoint {
    fn shared(&self) -> Shared<'_> {
        self.shared_keys()
    }

    fn parameters(&self, declared: Vec<Parameter>) -> Vec<Parameter> {
        if self.sql.is_some() {
            return declared;
        }
        let mut own = free_parameters(self.max_rows.to());
        for one in &mut own {
            if let Some(said) = declared.iter().find(|said| said.name == one.name) {
                one.completed(said);
            }
        }
        own
    }

    fn operation(&self, parameters: &[Parameter]) -> Option<(Operation, OutputSchema)> {
        let statement = match &self.sql {
            None => StatementSource::Free,
            Some(text) => {
                let (sql, binds) = fixed(text, parameters).ok()?;
                StatementSource::Fixed { sql, binds }
            }
        };
        let output = OutputSchema::inferred_records(Vec::new());
        let (max_rows, reading) = (self.max_rows.to(), Reading::default());
        Some((Operation::Query(QueryRules { statement, max_rows, reading }), output))
    }

    fn rules(
        &self,
        parameters: &[Parameter],
        connection: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        match &self.sql {
            Some(text) if rules.is_sound("/parameters") => check_fixed(text, parameters, rules),
            None if rules.is_sound("/sql") => self.check_free(parameters, connection, rules),
            _ => {}
        }
    }
}

impl DatabaseEndpoint {
    /// The free form: the call brings the statement (K-40).
    fn check_free(
        &self,
        parameters: &[Parameter],
        connection: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        if matches!(connection, Some(Connection::Database(database)) if !database.allow_free_sql) {
            let hint = "write the statement here, or allow statements from calls with `allow_free_sql: true` in `connection`";
            return rules.hinted("sql", "", "the endpoint has no `sql`", hint.to_owned());
        }
        let own = free_parameters(self.max_rows.to());
        for parameter in parameters {
            let known = own.iter().find(|own| own.name == parameter.name);
            if known.is_none_or(|own| !agrees(own, parameter)) {
                let message = format!(
                    "an endpoint without `sql` takes `sql` (string), `params` (array) and `max_rows` (integer); `{}` is not one of them",
                    parameter.name
                );
                rules.error("parameters", "", message);
            }
        }
    }
}

fn check_fixed(text: &str, parameters: &[Parameter], rules: &mut Rules<'_>) {
    match fixed(text, parameters) {
        Err(error) => rules.error("sql", "/sql", error.to_string()),
        Ok((sql, _)) => {
            if let Some(doubt) = sql.doubt() {
                let message =
                    format!("the statement may not be what PostgreSQL understands: {doubt}");
                rules.warning("sql", "/sql", message);
            }
        }
    }
}

/// The statement, and the parameter at each of its places.
fn fixed(text: &str, parameters: &[Parameter]) -> Result<(ReadStatement, Vec<String>), SqlError> {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    // First the whole statement: a problem there explains more than one of its parameters.
    ReadStatement::parse(text)?;
    let numbered = numbered(text, &names)?;
    Ok((ReadStatement::parse(&numbered.sql)?, numbered.binds))
}

fn agrees(own: &Parameter, declared: &Parameter) -> bool {
    matches!(
        (&own.data_type, &declared.data_type),
        (DataType::Array(_), DataType::Array(_))
            | (DataType::String, DataType::String)
            | (DataType::Integer, DataType::Integer)
    )
}

impl Parameter {
    /// What the author says of a parameter that the endpoint has anyway.
    fn completed(&mut self, said: &Self) {
        if !said.description.is_empty() {
            self.description.clone_from(&said.description);
        }
        self.default = said.default.clone().or_else(|| self.default.take());
    }
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
