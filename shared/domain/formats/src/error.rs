//! What can be wrong with a file.

use std::borrow::Cow;
use std::io;

use countersign_connector::xml::XmlError;
use countersign_failure::{Class, Failure};
use serde::{Deserialize, Serialize};

/// Why a file could not be read. Terminal unless the source, the reader or the time failed: the same bytes fail the same way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum FormatError {
    /// Of an XML file.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// No bytes, or nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// More bytes than allowed.
    #[error("the file is larger than {max_bytes} bytes")]
    TooLarge {
        /// The bound.
        max_bytes: u64,
    },
    /// The bytes are not of the encoding the file shows or the connector names.
    #[error("the file should be {encoding}, but byte {offset} does not fit that encoding")]
    Encoding {
        /// The encoding's name.
        encoding: String,
        /// The offset of the first byte that does not fit.
        offset: u64,
    },
    /// The file ends too early.
    #[error("the file is cut off at {place}: {open}")]
    Truncated {
        /// Where it ends.
        place: String,
        /// What is still open.
        open: String,
    },
    /// The file is not of its format.
    #[error("the {format} is malformed at {place}: {problem}")]
    Malformed {
        /// The format.
        format: Cow<'static, str>,
        /// Where.
        place: String,
        /// What the reader says.
        problem: String,
    },
    /// The file is of another format.
    #[error("the file is no {format}: {problem}")]
    NotOfFormat {
        /// The format.
        format: Cow<'static, str>,
        /// What it is, or what is missing.
        problem: String,
    },
    /// A bound of count or size.
    #[error("the file has more than {limit} {what} at {place}")]
    Limit {
        /// Where.
        place: String,
        /// What there is too much of.
        what: Cow<'static, str>,
        /// The bound.
        limit: u64,
    },
    /// What the endpoint reads is not in the file.
    #[error("{0}")]
    WrongKind(String),
    /// Nobody waits any more.
    #[error("the step's time ended before the file was read")]
    Time,
    /// Reading it takes more than one file is given.
    #[error("reading the file takes more {what} than one file is given")]
    TooComplex {
        /// Memory, or computing time.
        what: Cow<'static, str>,
    },
    /// The process that reads files could not be started, or gave no answer.
    #[error("the file was not read: {0}")]
    Reader(String),
    /// The source of the bytes failed.
    #[error("reading the file stopped: {0}")]
    Source(String),
}

impl FormatError {
    /// The error inside an error of reading, where one was put there.
    pub(crate) fn of_io(error: &io::Error) -> Self {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>());
        inner.cloned().unwrap_or_else(|| Self::Source(error.to_string()))
    }
}

impl Failure for FormatError {
    fn code(&self) -> &'static str {
        match self {
            Self::Xml(error) => error.code(),
            Self::Empty => "FILE_EMPTY",
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::Encoding { .. } => "FILE_ENCODING",
            Self::Truncated { .. } => "FILE_TRUNCATED",
            Self::Malformed { .. } | Self::NotOfFormat { .. } => "FILE_MALFORMED",
            Self::Limit { .. } => "FILE_LIMIT",
            Self::WrongKind(_) => "FILE_WRONG_KIND",
            Self::Time => "FILE_TIME",
            Self::TooComplex { .. } => "FILE_TOO_COMPLEX",
            Self::Reader(_) => "READER_FAILED",
            Self::Source(_) => "FILE_SOURCE",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Xml(error) => error.class(),
            Self::Time | Self::Reader(_) | Self::Source(_) => Class::Retryable,
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Xml(error) => error.http_status(),
            Self::TooLarge { .. } => 413,
            Self::Reader(_) | Self::Source(_) => 503,
            _ => 422,
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::Xml(error) => return error.help(),
            Self::TooLarge { .. } => "raise `max_file_size_mb` of the connector, or split the file",
            Self::Encoding { .. } => {
                "save the file as UTF-8, or name its `encoding` in the connector"
            }
            Self::Truncated { .. } => "fetch the file again: its end is missing",
            Self::Limit { .. } => "split the file",
            Self::TooComplex { .. } => "split the file, or save it again in a simpler way",
            Self::Reader(_) => "run the step again; if that fails too, look at the function's log",
            Self::WrongKind(_) => "choose the connector made for this kind of file",
            _ => return None,
        };
        Some(text.to_owned())
    }
}
