//! Why a database gave no rows.

use countersign_failure::{Failure, network_problem, one_line};
use countersign_http_out::HttpError;
use rustls::{CertificateError, Error as TlsError};
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, ErrorPosition, SqlState};

/// Why a database gave no rows. No variant holds the host, the database, the role or its password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum DatabaseError {
    /// Its address may not be called (K-38).
    #[error("the database may not be called: {0}")]
    #[failure(code = "EGRESS_REFUSED", help = "only databases with a public address can be called")]
    Address(String),
    /// No connection, or one that broke.
    #[error("the database cannot be reached: {0}")]
    #[failure(code = "DATABASE_UNREACHABLE", retryable, status = 502)]
    Unreachable(String),
    /// It is there and takes no more connections, starts or stops.
    #[error("the database is unavailable: {0}")]
    #[failure(code = "DATABASE_UNAVAILABLE", retryable, status = 503)]
    Unavailable(String),
    /// It did not prove who it is.
    #[error("no secure connection to the database: {0}")]
    #[failure(
        code = "DATABASE_TLS",
        status = 502,
        help = "give the database a certificate for its name, and its authority as `ca_certificate`"
    )]
    Tls(String),
    /// It refuses the role or its password (F-306).
    #[error("the database rejected the credential")]
    #[failure(
        code = "DATABASE_AUTH",
        status = 502,
        help = "enter the connector's credential again"
    )]
    Auth,
    /// The role may do more than reading needs (K-40).
    #[error("the role {0}")]
    #[failure(
        code = "DATABASE_ROLE",
        help = "connect as a role that can only read: see docs/connectors.md"
    )]
    Role(&'static str),
    /// The statement was not finished in time.
    #[error("the database did not answer in time")]
    #[failure(
        code = "DATABASE_TIMEOUT",
        retryable,
        status = 504,
        help = "narrow the statement, or raise `timeout_seconds`"
    )]
    Timeout,
    /// It refuses what the statement wants: a right that the role lacks, or to write.
    #[error("the database rejected the statement: {0}")]
    #[failure(code = "DATABASE_REFUSED")]
    Refused(String),
    /// The statement cannot be run.
    #[error("the statement failed{at} ({state}): {message}")]
    #[failure(code = "DATABASE_STATEMENT")]
    Statement {
        /// The SQLSTATE.
        state: String,
        /// What the database says.
        message: String,
        /// Where, as ` at line 1, column 2`; empty when it does not say.
        at: String,
    },
    /// More or fewer values than the statement has places for.
    #[error("the statement has {expected} parameters, and {given} values were given")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    Arguments {
        /// Places.
        expected: usize,
        /// Values.
        given: usize,
    },
    /// A column that cannot become the field of a record.
    #[error("the column `{column}` {problem}")]
    #[failure(
        code = "DATABASE_COLUMN",
        help = "name columns with AS, and cast their types: `x::text`"
    )]
    Column {
        /// Its name.
        column: String,
        /// What is wrong with it.
        problem: String,
    },
    /// One row, or one piece of the answer, is larger than what is read at all.
    #[error("the database's answer is larger than {max_bytes} bytes")]
    #[failure(code = "DATABASE_TOO_LARGE", help = "ask for fewer columns or rows")]
    TooLarge {
        /// The bound.
        max_bytes: usize,
    },
}

/// Without the host, which is part of the credential.
impl From<HttpError> for DatabaseError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Refused { reason, .. } => Self::Address(reason.to_owned()),
            HttpError::Request(_) => {
                Self::Address("its host is not a name or an address".to_owned())
            }
            _ => Self::Unreachable("its name is not known".to_owned()),
        }
    }
}

impl DatabaseError {
    /// What went wrong before there was a session.
    pub(crate) fn connecting(error: &Error) -> Self {
        if let Some(refusal) = error.as_db_error() {
            return match refusal.code().code().get(..2) {
                Some("28") => Self::Auth,
                Some("3D") => Self::Refused("there is no such database".to_owned()),
                Some("42") => Self::Refused("the role may not connect".to_owned()),
                _ => Self::Unavailable(told(refusal.message())),
            };
        }
        // The library tells these kinds apart by their text only; the tests hold it to that.
        let text = error.to_string();
        if text.starts_with("error performing TLS handshake") {
            return Self::Tls(distrust(error).unwrap_or_else(|| unreachable(error)));
        }
        if text.starts_with("authentication error") {
            return Self::Auth;
        }
        Self::Unreachable(unreachable(error))
    }

    /// What went wrong while `statement` was run.
    pub(crate) fn running(error: &Error, statement: &str) -> Self {
        match error.as_db_error() {
            Some(refusal) => Self::refused(refusal, statement),
            None if error.to_string().starts_with("error serializing parameter") => {
                Self::Statement {
                    state: "22023".to_owned(),
                    message: cause(error),
                    at: String::new(),
                }
            }
            None => Self::Unreachable(unreachable(error)),
        }
    }

    fn refused(refusal: &DbError, statement: &str) -> Self {
        let message = told(refusal.message());
        let state = refusal.code();
        let timeouts = [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE];
        let rights = [SqlState::INSUFFICIENT_PRIVILEGE, SqlState::READ_ONLY_SQL_TRANSACTION];
        if timeouts.contains(state) {
            return Self::Timeout;
        }
        if rights.contains(state) {
            return Self::Refused(message);
        }
        match state.code().get(..2) {
            // Out of something, or stopping.
            Some("53" | "57" | "58") => Self::Unavailable(message),
            _ => {
                let at = match refusal.position() {
                    Some(ErrorPosition::Original(position)) => place(statement, *position),
                    _ => String::new(),
                };
                Self::Statement { state: state.code().to_owned(), message, at }
            }
        }
    }
}

/// What is wrong with the server's certificate. The library's own words name the host.
fn distrust(error: &Error) -> Option<String> {
    let mut source = std::error::Error::source(error);
    while let Some(found) = source {
        // What an I/O error wraps is not its source.
        let wrapped = found.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if let Some(error) = wrapped.and_then(|wrapped| wrapped.downcast_ref::<TlsError>()) {
            return Some(said(error));
        }
        source = found.source();
    }
    None
}

fn said(error: &TlsError) -> String {
    let TlsError::InvalidCertificate(problem) = error else {
        return network_problem(&error.to_string()).to_owned();
    };
    let text = match problem {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name"
        }
        CertificateError::UnknownIssuer => "its certificate is not trusted",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired"
        }
        _ => "its certificate is not valid",
    };
    text.to_owned()
}

/// The innermost cause, in one line. Those of the connection name no host.
fn cause(error: &Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    told(&deepest.to_string())
}

/// Why the connection failed, in plain words; the log has the library's.
fn unreachable(error: &Error) -> String {
    let cause = cause(error);
    tracing::info!(cause, "a database was not reached");
    network_problem(&cause).to_owned()
}

fn told(text: &str) -> String {
    one_line(text).chars().take(300).collect()
}

/// Positions count characters, from 1.
fn place(statement: &str, position: u32) -> String {
    let before: String = statement.chars().take((position as usize).saturating_sub(1)).collect();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!(" at line {line}, column {column}")
}
