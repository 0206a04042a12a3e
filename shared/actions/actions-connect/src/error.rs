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
use countersign_zones::to_the_second;
use jiff::Timestamp;

use crate::mode::Mode;

/// Why a call of a connector failed. No variant holds a credential, a query or a header.
#[derive(Debug, thiserror::Error, Failure)]
pub enum ConnectError {
    /// A param or argument is missing or of the wrong type.
    #[error("{0}")]
    #[failure(
        code = "CONNECTOR_ARGUMENT",
        status = 422,
        help = "correct the argument; the connector's schema lists what the endpoint takes"
    )]
    Argument(String),
    /// What the call names is not there, or not for this profile.
    #[error(transparent)]
    #[failure(forward)]
    Lookup(#[from] LookupError),
    /// The run was ended, or a right was taken away, while the call waited to be sent.
    #[error(transparent)]
    #[failure(forward)]
    NotAllowedAnyMore(ActionError),
    /// A call with an effect came without a signed effect.
    #[error("the call of `{0}` has an effect and came without what was signed")]
    #[failure(
        code = "CONNECTOR_UNSIGNED",
        status = 403,
        help = "call it from a playbook: what has an effect waits for a signature"
    )]
    Unsigned(String),
    /// The other function's endpoint.
    #[error("`{endpoint}` of `{connector}` {problem}")]
    #[failure(
        code = "CONNECTOR_WRONG_FUNCTION",
        status = 422,
        help = "call it from a playbook: what has an effect waits for a signature"
    )]
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
    #[failure(forward)]
    Source(SourceError),
    /// The request could not be built.
    #[error("{0}")]
    #[failure(forward)]
    Request(#[from] RequestError),
    /// There is no answer.
    #[error("{0}")]
    #[failure(forward)]
    Http(#[from] HttpError),
    /// A database gave no rows.
    #[error("{0}")]
    #[failure(forward)]
    Database(#[from] DatabaseError),
    /// The statement may not be run.
    #[error("{0}")]
    #[failure(forward, help = "correct the statement")]
    Sql(#[from] SqlError),
    /// The source refused the credential (F-306).
    #[error("`{connector}` denied access (HTTP {status}): {message}")]
    #[failure(
        code = "CONNECTOR_AUTH_FAILED",
        status = 502,
        help = "enter the connector's credential again; a source without one may want a contact in the User-Agent"
    )]
    AuthFailed {
        /// The connector.
        connector: String,
        /// The status.
        status: u16,
        /// The beginning of its answer, without the credential.
        message: String,
    },
    /// Too many calls, after all retries (F-307).
    #[error("`{connector}` asks to be called later: its limit is reached")]
    #[failure(
        code = "CONNECTOR_THROTTLED",
        retryable,
        status = 503,
        help = "wait, or lower the connector's `rate_limit` to what the source allows"
    )]
    Throttled {
        /// The connector.
        connector: String,
    },
    /// The source is down (F-308).
    #[error("`{connector}` is unavailable (HTTP {status})")]
    #[failure(
        code = "CONNECTOR_UNAVAILABLE",
        retryable,
        status = 503,
        help = "try again later; the connector's health says when it is asked again"
    )]
    Unavailable {
        /// The connector.
        connector: String,
        /// The status.
        status: u16,
    },
    /// It failed so often that it is left alone for a while (F-315).
    #[error(
        "`{connector}` is unavailable: it failed several times in a row and is tried again at {}",
        to_the_second(*.until)
    )]
    #[failure(
        code = "CONNECTOR_UNAVAILABLE",
        retryable,
        status = 503,
        help = "try again later; the connector's health says when it is asked again"
    )]
    Resting {
        /// The connector.
        connector: String,
        /// When.
        until: Timestamp,
    },
    /// Its rate is used up (F-105).
    #[error(
        "the rate of `{connector}`, {limit} per {window}, is used up; the next call can be made at {}",
        to_the_second(*.resets_at)
    )]
    #[failure(
        code = "CONNECTOR_BUDGET_SPENT",
        class = spent(window),
        status = 429,
        help = "wait, or raise the rate if the source allows it"
    )]
    BudgetSpent {
        /// The connector.
        connector: String,
        /// How often.
        limit: u32,
        /// In which time.
        window: &'static str,
        /// When the next call can be made.
        resets_at: Timestamp,
    },
    /// The step's time ended first, which says nothing about the source.
    #[error("the step's time ended before {waited_for}")]
    #[failure(
        code = "STEP_TIMEOUT",
        status = 504,
        help = "give the step more time with `timeout_seconds`"
    )]
    OutOfTime {
        /// What was waited for.
        waited_for: String,
    },
    /// The source refused the request.
    #[error("`{connector}` rejected the request (HTTP {status}): {message}")]
    #[failure(
        code = "CONNECTOR_REFUSED",
        status = 502,
        help = "compare the request with what the source's documentation asks for"
    )]
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
    #[failure(
        code = "CONNECTOR_IN_DOUBT",
        status = 502,
        help = "look at the source before you run the step again"
    )]
    InDoubt {
        /// The connector.
        connector: String,
        /// What happened.
        cause: String,
    },
    /// The token server's answer is not a token.
    #[error("`{connector}` gave no token: {cause}")]
    #[failure(
        forward = cause,
        status = 502,
        help = "check the connector's `token_url` and `client_auth`"
    )]
    Token {
        /// The connector.
        connector: String,
        /// Why.
        cause: TokenError,
    },
    /// A GraphQL answer of errors only.
    #[error("`{connector}` did not answer the document: {message}")]
    #[failure(
        code = "CONNECTOR_GRAPHQL",
        status = 502,
        help = "correct the endpoint's document or the call's variables"
    )]
    Graphql {
        /// The connector.
        connector: String,
        /// The first errors, without the credential.
        message: String,
    },
    /// An action that this function does not reach.
    #[error("the tool `{0}` is not available here")]
    #[failure(
        code = "CONNECTOR_TOOL_UNAVAILABLE",
        status = 503,
        help = "ask who runs the deployment to set the tool up"
    )]
    ToolUnavailable(&'static str),
    /// A name that is not of a file or folder.
    #[error("`{0}` is not a file's id, a folder or an address this connector reads")]
    #[failure(
        code = "CONNECTOR_SOURCE",
        status = 422,
        help = "upload the file and use the `source` it got, or name a folder"
    )]
    NotASource(String),
    /// A file that is not there.
    #[error("`{named}` {why}")]
    #[failure(
        code = "CONNECTOR_SOURCE",
        status = 422,
        help = "upload the file and use the `source` it got, or name a folder"
    )]
    NotUploaded {
        /// What was named.
        named: String,
        /// What is with it.
        why: &'static str,
    },
    /// The site does not want the page read (K-76).
    #[error("{0}")]
    #[failure(forward)]
    Robots(#[from] RobotsError),
    /// A page cannot be read.
    #[error("{0}")]
    #[failure(forward)]
    Page(#[from] PageError),
    /// A file cannot be read.
    #[error("{0}")]
    #[failure(forward)]
    Format(#[from] FormatError),
    /// A file is not read by this call.
    #[error("{message}")]
    #[failure(code = code, status = 422, help = Some((*help).to_owned()))]
    File {
        /// The code.
        code: &'static str,
        /// Why.
        message: String,
        /// What the reader can do.
        help: &'static str,
    },
    /// No feed could be read.
    #[error("none of {count} feeds could be read; the first: {first}")]
    #[failure(forward = first, status = 502)]
    NoFeed {
        /// How many were tried.
        count: usize,
        /// The first feed's error.
        first: Box<Self>,
    },
    /// No file could be read.
    #[error("{}: {named}", none_of(*.count))]
    #[failure(forward = first, status = 422)]
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

/// A day is longer than anything that tries again by itself.
fn spent(window: &str) -> Class {
    match window {
        "second" | "minute" => Class::Retryable,
        _ => Class::Terminal,
    }
}

impl ConnectError {
    /// Whether the call had every try its failure allows, so that the engine adds none of its own (F-307…F-310).
    fn is_settled(&self) -> bool {
        match self {
            Self::Source(_) | Self::Lookup(_) | Self::Robots(_) | Self::Format(_) => false,
            // A reader that could not be started is not an answer of the source.
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
