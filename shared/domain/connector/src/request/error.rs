//! Why a request could not be built.

use countersign_failure::{Failure, address_problem};

/// Why a request could not be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum RequestError {
    /// A placeholder of the path without a value.
    #[error("the argument `{0}` is missing")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    MissingArgument(String),
    /// A required parameter without a value.
    #[error("the input `{0}` is missing")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    MissingInput(String),
    /// A value for a parameter that the endpoint does not have.
    #[error("the endpoint has no parameter `{name}`{near}")]
    #[failure(
        code = "CONNECTOR_ARGUMENT",
        help = "look at the connector's schema for the endpoint's parameters"
    )]
    Undeclared {
        /// What was given.
        name: String,
        /// `; did you mean …?`, or nothing.
        near: String,
    },
    /// A value that is not of its parameter's type.
    #[error("the argument `{name}` does not fit: {problem}")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    WrongType {
        /// The parameter.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// What no mail can be made of.
    #[error("{0}")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    Mail(String),
    /// A header's value that cannot be sent.
    #[error("the header `{0}` holds characters that cannot be sent")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    HeaderText(String),
    /// A header or query parameter that two would write.
    #[error("`{0}` is written twice: by the connector or a call, and by the credential or the key")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    Taken(String),
    /// A value that cannot stand in a path or query.
    #[error("the argument `{name}` must be a text, a number or a boolean to stand in the {place}")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    Argument {
        /// The parameter.
        name: String,
        /// `path`, `query` or `form`.
        place: &'static str,
    },
    /// A value inside a longer text, such as a query in another language, that could change it.
    #[error(
        "the argument `{0}` stands inside a query and may hold only letters, digits, `_` and `-`"
    )]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    Embedded(String),
    /// A path value that would leave its place.
    #[error("the argument `{0}` must not be empty, `.` or `..` in the path")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    PathValue(String),
    /// A cursor that no earlier call gave.
    #[error("`_cursor` is not one that this endpoint gave")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    Cursor,
    /// A cursor that would give a POST a parameter its endpoint does not declare.
    #[error("`_cursor` has `{0}`, which the endpoint's `query` does not declare")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    CursorName(String),
    /// The address of the connector and path do not make a URL.
    #[error("the connector's address is not valid: {0}")]
    #[failure(code = "CONNECTOR_ADDRESS")]
    Address(String),
    /// An endpoint that only reads, or is not a request.
    #[error("the endpoint makes no request with an effect")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    NoEffect,
    /// The credential lacks a part.
    #[error("the credential has no `{0}`")]
    #[failure(
        code = "CONNECTOR_CREDENTIAL",
        help = "enter the connector's credential again in the profile's binding"
    )]
    CredentialPart(String),
    /// The connector needs a credential and the binding has none.
    #[error("the connector needs a credential, and its binding has none")]
    #[failure(
        code = "CONNECTOR_CREDENTIAL",
        help = "enter the connector's credential again in the profile's binding"
    )]
    CredentialMissing,
    /// The connection string of a database cannot be used. Never holds a part of it.
    #[error("the credential's connection string {0}")]
    #[failure(
        code = "CONNECTOR_CREDENTIAL",
        help = "enter the connector's credential again in the profile's binding"
    )]
    ConnectionString(&'static str),
    /// A call that only reads, of a connector whose credential stands in the path.
    #[error("a credential in the path is only for endpoints that have an effect")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    PathCredential,
    /// The credential cannot stand in a path.
    #[error("the credential holds characters that cannot stand in a path")]
    #[failure(
        code = "CONNECTOR_CREDENTIAL",
        help = "enter the connector's credential again in the profile's binding"
    )]
    PathText,
    /// The credential cannot stand in a header.
    #[error("the credential holds characters that cannot stand in a header")]
    #[failure(
        code = "CONNECTOR_CREDENTIAL",
        help = "enter the connector's credential again in the profile's binding"
    )]
    CredentialText,
}

impl From<url::ParseError> for RequestError {
    fn from(error: url::ParseError) -> Self {
        Self::Address(address_problem(&error.to_string()).to_owned())
    }
}
