//! Reading a PostgreSQL database that somebody else runs, so that it can only be read (F-100, K-40).
//!
//! One call is one connection: the vetted address is dialled, the server proves its name over TLS, the role is looked at, and
//! one statement runs in a transaction that cannot write and is rolled back. Rows, bytes and time are bounded, and no error
//! says where the database is or who asks.

mod argument;
mod bounded;
mod error;
mod read;
mod session;
mod tls;
mod value;

use std::time::Duration;

use countersign_connector::sql::{ReadStatement, Server};
use countersign_http_out::Egress;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

pub use error::DatabaseError;

/// One question to a database.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// Where it is.
    pub server: &'a Server,
    /// What is trusted to vouch for it, as PEM; the public authorities when absent.
    pub ca_certificate: Option<&'a str>,
    /// Schemas in which names are looked up; the role's own when empty.
    pub search_path: &'a [String],
    /// The statement.
    pub statement: &'a ReadStatement,
    /// The values of `$1`, `$2`, …
    pub arguments: &'a [Value],
    /// How long the statement may take. Connecting has ten seconds of its own.
    pub timeout: Duration,
    /// No more rows come back.
    pub max_rows: usize,
    /// Columns whose `numeric` comes back as text with every digit, `1250.00`.
    pub as_written: &'a [&'a str],
}

/// What it answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// A record per row, in the order of the columns.
    pub rows: Vec<Map<String, Value>>,
    /// Whether there are more rows than came back.
    pub has_more: bool,
    /// What about the rows is not as it was asked for.
    pub warnings: Vec<String>,
}

/// Asks a database, once. Whether to try again is the caller's decision.
pub fn ask<'a>(
    egress: &'a Egress,
    ask: &'a Ask<'a>,
) -> BoxFuture<'a, Result<Table, DatabaseError>> {
    Box::pin(session::ask(egress, ask))
}
