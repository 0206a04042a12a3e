//! What is particular to a `database`: connection and statements (F-100).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RateLimit;
use crate::reading::Reading;
use crate::sql::ReadStatement;

/// The connection of a `database`. Where it leads stands in the owner's credential, not here (K-37).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseConnection {
    /// What kind of database it is.
    pub driver: Driver,
    /// How the server proves who it is.
    pub sslmode: SslMode,
    /// Certificates, as PEM, that are trusted instead of the public ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_certificate: Option<String>,
    /// Schemas in which names without one are looked up; empty leaves the role's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search_path: Vec<String>,
    /// At most so many connections at once; a call uses one, so it binds nothing today.
    pub pool_size: u32,
    /// Seconds one statement may take; default 30.
    pub timeout_seconds: u32,
    /// Whether endpoints may take their statement from the call.
    #[serde(default)]
    pub allow_free_sql: bool,
    /// How often it may be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
}

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// PostgreSQL.
    Postgresql,
}

/// How the server proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(extend("x-code" = "sslmode", "x-hint" = "use `verify-full`, or `disable` for a database on the same machine"))]
pub enum SslMode {
    /// By a certificate for its name, from somebody who is trusted.
    #[default]
    VerifyFull,
    /// Not at all: only for this machine.
    Disable,
}

/// What an endpoint asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryRules {
    /// The statement.
    pub statement: StatementSource,
    /// Rows in one call; default and most 1,000.
    pub max_rows: u32,
    /// How texts are read as numbers and dates.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}

/// Where a statement comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementSource {
    /// The connector's author wrote it.
    Fixed {
        /// With `$1`, `$2`, … where values stand.
        sql: ReadStatement,
        /// The parameter that stands at `$1`, `$2`, …
        binds: Vec<String>,
    },
    /// The call brings it, in `sql`, and its values in `params`.
    Free,
}
