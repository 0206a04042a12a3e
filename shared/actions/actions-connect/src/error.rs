//! Why a call of a connector failed.

use countersign_connector::oauth::TokenError;
use countersign_connector::request::RequestError;
use countersign_connector::sql::SqlError;
use countersign_connector::{LookupError, SourceError};
use countersign_failure::{Class, Failure};
use countersign_formats::FormatError;
use countersign_http_out::HttpError;
use countersign_pages::PageError;
use countersign_postgres_out::DatabaseError;
use countersign_registry::action::ActionError;
use countersign_robots::RobotsError;

use crate::handler::Mode;

/// Why a call of a connector failed. No variant holds a credential, a query or a header.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// A param or argument is missing or of the wrong type.
    #[error("{0}")]
    Argument(String),
    /// What the call names is not there, or not for this profile.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// A call with an effect came without a signed effect.
    #[error("the call of `{0}` has an effect and came without what was signed")]
    Unsigned(String),
    /// The other function's endpoint.
    #[error("`{endpoint}` of `{connector}` {problem}")]
    WrongMode {
        /// The connector.
        connector: String,
        /// The endpoint.
        endpoint: String,
        /// Why it is not called here.
        problem: &'static str,
    },
    /// Catalogue, vault or bucket.
    #[error("{0}")]
    Source(SourceError),
    /// The request could not be built.
    #[error("{0}")]
    Request(#[from] RequestError),
    /// There is no answer.
    #[error("{0}")]
    Http(#[from] HttpError),
    /// A database gave no rows.
    #[error("{0}")]
    Database(#[from] DatabaseError),
    /// The statement may not be run.
    #[error("{0}")]
    Sql(#[from] SqlError),
    /// The source refused the credential (F-306).
    #[error("`{connector}` refused access (HTTP {status}): {message}")]
    AuthFailed {
        /// The connector.
        connector: String,
        /// The status.
        status: u16,
        /// The beginning of its answer, without the credential.
        message: String,
    },
    /// Too many calls, after all retries (F-307).
    #[error("`{connector}` asks to call it later (HTTP 429)")]
    Throttled {
        /// The connector.
        connector: String,
    },
    /// The source is down (F-308).
    #[error("`{connector}` is unavailable (HTTP {status})")]
    Unavailable {
        /// The connector.
        connector: String,
        /// The status.
        status: u16,
    },
    /// It failed so often that it is left alone for a while (F-315).
    #[error(
        "`{connector}` is unavailable: it failed several times in a row and is tried again at {until}"
    )]
    Resting {
        /// The connector.
        connector: String,
        /// When.
        until: String,
    },
    /// Its rate is used up (F-105).
    #[error(
        "the rate of `{connector}`, {limit} per {window}, is used up; the next call can be made at {resets_at}"
    )]
    BudgetSpent {
        /// The connector.
        connector: String,
        /// How often.
        limit: u32,
        /// In which time.
        window: &'static str,
        /// When the next call can be made.
        resets_at: String,
    },
    /// The step's time ended first, which says nothing about the source.
    #[error("the step's time ended before {waited_for}")]
    OutOfTime {
        /// What was waited for.
        waited_for: String,
    },
    /// The source refused the request.
    #[error("`{connector}` refused the request (HTTP {status}): {message}")]
    Refused {
        /// The connector.
        connector: String,
        /// The status.
        status: u16,
        /// The beginning of its answer, without the credential.
        message: String,
    },
    /// A request with an effect whose outcome is unknown.
    #[error("it is not known whether `{connector}` did what it was asked: {cause}")]
    InDoubt {
        /// The connector.
        connector: String,
        /// What happened.
        cause: String,
    },
    /// The token server's answer is no token.
    #[error("`{connector}` gave no token: {cause}")]
    Token {
        /// The connector.
        connector: String,
        /// Why.
        cause: TokenError,
    },
    /// A GraphQL answer of errors only.
    #[error("`{connector}` did not answer the document: {message}")]
    Graphql {
        /// The connector.
        connector: String,
        /// The first errors, without the credential.
        message: String,
    },
    /// An action that this function does not reach.
    #[error("the tool `{0}` is not available here")]
    ToolUnavailable(&'static str),
    /// A name that is not of a file or folder.
    #[error("`{0}` is not a file's id, a folder or an address this connector reads")]
    NotASource(String),
    /// A file that is not there.
    #[error("`{named}` {why}")]
    NotUploaded {
        /// What was named.
        named: String,
        /// What is with it.
        why: &'static str,
    },
    /// The site does not want the page read (K-76).
    #[error("{0}")]
    Robots(#[from] RobotsError),
    /// A page cannot be read.
    #[error("{0}")]
    Page(#[from] PageError),
    /// A file cannot be read.
    #[error("{0}")]
    Format(#[from] FormatError),
    /// A file is not read by this call.
    #[error("{message}")]
    File {
        /// The code.
        code: &'static str,
        /// Why.
        message: String,
        /// Whether trying again can help.
        class: Class,
    },
    /// No feed could be read.
    #[error("none of {count} feeds could be read; the first: {first}")]
    NoFeed {
        /// How many were tried.
        count: usize,
        /// The first feed's error.
        first: Box<Self>,
    },
    /// No file could be read.
    #[error("{}: {named}", none_of(*.count))]
    NothingRead {
        /// How many were tried.
        count: usize,
        /// The files with their reasons.
        named: String,
        /// The error that decides what is done next.
        first: Box<Self>,
    },
}

/// How a message about a call without a single file begins.
fn none_of(count: usize) -> String {
    if count == 1 {
        "the file could not be read".to_owned()
    } else {
        format!("none of {count} files could be read")
    }
}

impl Failure for ConnectError {
    fn code(&self) -> &'static str {
        match self {
            Self::Argument(_) => "CONNECTOR_ARGUMENT",
            Self::Lookup(error) => error.code(),
            Self::Unsigned(_) => "CONNECTOR_UNSIGNED",
            Self::WrongMode { .. } => "CONNECTOR_WRONG_FUNCTION",
            Self::Source(error) => error.code(),
            Self::Request(error) => error.code(),
            Self::Http(error) => error.code(),
            Self::AuthFailed { .. } => "CONNECTOR_AUTH_FAILED",
            Self::Throttled { .. } => "CONNECTOR_THROTTLED",
            Self::Unavailable { .. } | Self::Resting { .. } => "CONNECTOR_UNAVAILABLE",
            Self::BudgetSpent { .. } => "CONNECTOR_BUDGET_SPENT",
            Self::OutOfTime { .. } => "STEP_TIMEOUT",
            Self::Refused { .. } => "CONNECTOR_REFUSED",
            Self::InDoubt { .. } => "CONNECTOR_IN_DOUBT",
            Self::Token { cause, .. } => cause.code(),
            Self::Graphql { .. } => "CONNECTOR_GRAPHQL",
            Self::ToolUnavailable(_) => "CONNECTOR_TOOL_UNAVAILABLE",
            Self::NotASource(_) | Self::NotUploaded { .. } => "CONNECTOR_SOURCE",
            Self::Robots(error) => error.code(),
            Self::Database(error) => error.code(),
            Self::Sql(error) => error.code(),
            Self::Page(error) => error.code(),
            Self::Format(error) => error.code(),
            Self::File { code, .. } => code,
            Self::NothingRead { first, .. } | Self::NoFeed { first, .. } => first.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Source(error) => error.class(),
            Self::Lookup(error) => error.class(),
            Self::Http(error) => error.class(),
            Self::Throttled { .. } | Self::Unavailable { .. } | Self::Resting { .. } => {
                Class::Retryable
            }
            // A day is longer than anything that tries again by itself.
            Self::BudgetSpent { window: "second" | "minute", .. } => Class::Retryable,
            Self::Robots(error) => error.class(),
            Self::Database(error) => error.class(),
            Self::Page(error) => error.class(),
            Self::Format(error) => error.class(),
            Self::File { class, .. } => *class,
            Self::NothingRead { first, .. } | Self::NoFeed { first, .. } => first.class(),
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Lookup(error) => error.http_status(),
            Self::Unsigned(_) => 403,
            Self::Argument(_)
            | Self::WrongMode { .. }
            | Self::NotASource(_)
            | Self::NotUploaded { .. }
            | Self::File { .. }
            | Self::NothingRead { .. } => 422,
            Self::Format(error) => error.http_status(),
            Self::Robots(error) => error.http_status(),
            Self::Database(error) => error.http_status(),
            Self::Sql(error) => error.http_status(),
            Self::Page(error) => error.http_status(),
            Self::Source(error) => error.http_status(),
            Self::Request(error) => error.http_status(),
            Self::Http(error) => error.http_status(),
            Self::BudgetSpent { .. } => 429,
            Self::OutOfTime { .. } => 504,
            Self::Throttled { .. }
            | Self::Unavailable { .. }
            | Self::Resting { .. }
            | Self::ToolUnavailable(_) => 503,
            Self::AuthFailed { .. }
            | Self::Refused { .. }
            | Self::InDoubt { .. }
            | Self::Token { .. }
            | Self::NoFeed { .. }
            | Self::Graphql { .. } => 502,
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::Lookup(error) => return error.help(),
            Self::Unsigned(_) => {
                "call it from a playbook: what has an effect waits for a signature"
            }
            Self::AuthFailed { .. } => {
                "enter the connector's credential again; a source without one may want a contact in the User-Agent"
            }
            Self::BudgetSpent { .. } => "wait, or raise the rate if the source allows it",
            Self::OutOfTime { .. } => "give the step more time with `timeout_seconds`",
            Self::InDoubt { .. } => "look at the source before you run the step again",
            Self::Token { .. } => "check the connector's `token_url` and `client_auth`",
            Self::Graphql { .. } => "correct the endpoint's document or the call's variables",
            Self::ToolUnavailable(_) => "ask who runs the deployment to set the tool up",
            Self::Source(error) => return error.help(),
            Self::Request(error) => return error.help(),
            Self::Http(error) => return error.help(),
            Self::Robots(error) => return error.help(),
            Self::Database(error) => return error.help(),
            Self::Page(error) => return error.help(),
            Self::Format(error) => return error.help(),
            Self::NothingRead { first, .. } | Self::NoFeed { first, .. } => return first.help(),
            Self::Argument(_) => {
                "correct the argument; the connector's schema lists what the endpoint takes"
            }
            Self::WrongMode { .. } => {
                "call it from a playbook: what has an effect waits for a signature"
            }
            Self::Throttled { .. } => {
                "wait, or lower the connector's `rate_limit` to what the source allows"
            }
            Self::Unavailable { .. } | Self::Resting { .. } => {
                "try again later; the connector's health says when it is asked again"
            }
            Self::Refused { .. } => {
                "compare the request with what the source's documentation asks for"
            }
            Self::Sql(_) => "correct the statement",
            Self::NotASource(_) | Self::NotUploaded { .. } => {
                "upload the file and use the `source` it got, or name a folder"
            }
            Self::File { .. } => "look at the file the message names",
        };
        Some(text.to_owned())
    }
}

impl ConnectError {
    /// Whether the call had every try its failure allows, so that the engine adds none of its own (F-307…F-310).
    fn is_settled(&self) -> bool {
        match self {
            Self::Source(_) | Self::Lookup(_) | Self::Robots(_) | Self::Format(_) => false,
            // A reader that could not be started is no answer of the source.
            Self::Page(PageError::Reader(_)) => false,
            Self::NothingRead { first, .. } | Self::NoFeed { first, .. } => first.is_settled(),
            _ => true,
        }
    }

    /// The error as the engine sees it. Whoever changes something says with a code of its own when it is in doubt; any
    /// other error of a write means that nothing was done.
    pub(crate) fn into_action(self, mode: Mode) -> ActionError {
        let class = match mode {
            Mode::Read if !self.is_settled() => self.class(),
            Mode::Read | Mode::Write => Class::Terminal,
        };
        // The messages above already hold their cause's.
        ActionError { code: self.code(), message: self.to_string(), class, help: self.help() }
    }
}
