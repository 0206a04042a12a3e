//! What can be wrong with a file.

use std::borrow::Cow;
use std::io;

use countersign_connector::undecoded::Unreadable;
use countersign_connector::xml::XmlError;
use countersign_failure::Failure;
use serde::{Deserialize, Serialize};

/// What is said of a file that only its password opens.
pub(crate) const PROTECTED: &str = "it is protected by a password";

/// What is said of a file that a library cannot read: its own words would be no help.
pub(crate) const DAMAGED: &str = "it is damaged, or made in a way that is not understood";

/// Why a file could not be read. Terminal unless the source, the reader or the time failed: the same bytes fail the same way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure, Serialize, Deserialize)]
#[failure(status = 422)]
pub enum FormatError {
    /// Of an XML file.
    #[error(transparent)]
    #[failure(forward)]
    Xml(#[from] XmlError),
    /// No bytes, or nothing but white space.
    #[error("the file is empty")]
    #[failure(code = "FILE_EMPTY")]
    Empty,
    /// More bytes than allowed.
    #[error("the file is larger than {max_bytes} bytes")]
    #[failure(
        code = "FILE_TOO_LARGE",
        status = 413,
        help = "raise `max_file_size_mb` of the connector, or split the file"
    )]
    TooLarge {
        /// The bound.
        max_bytes: u64,
    },
    /// The bytes are not of the encoding the file shows or the connector names.
    #[error("the file should be {encoding}, but byte {offset} does not fit that encoding")]
    #[failure(
        code = "FILE_ENCODING",
        help = "save the file as UTF-8, or name its `encoding` in the connector"
    )]
    Encoding {
        /// The encoding's name.
        encoding: String,
        /// The offset of the first byte that does not fit.
        offset: u64,
    },
    /// The file ends too early.
    #[error("the file is cut off at {place}: {open}")]
    #[failure(code = "FILE_TRUNCATED", help = "fetch the file again: its end is missing")]
    Truncated {
        /// Where it ends.
        place: String,
        /// What is still open.
        open: String,
    },
    /// The file is not of its format.
    #[error("the {format} is malformed at {place}: {problem}")]
    #[failure(code = "FILE_MALFORMED")]
    Malformed {
        /// The format.
        format: Cow<'static, str>,
        /// Where.
        place: String,
        /// What the reader says.
        problem: String,
    },
    /// The file is of another format.
    #[error("the file is not a valid {format}: {problem}")]
    #[failure(code = "FILE_MALFORMED")]
    NotOfFormat {
        /// The format.
        format: Cow<'static, str>,
        /// What it is, or what is missing.
        problem: String,
    },
    /// A bound of count or size.
    #[error("the file has more than {limit} {what} at {place}")]
    #[failure(code = "FILE_LIMIT", help = "split the file")]
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
    #[failure(code = "FILE_WRONG_KIND", help = "choose the connector made for this kind of file")]
    WrongKind(String),
    /// More than one character may be the delimiter of separated values.
    #[error("the delimiter of the file is not clear: {0}")]
    #[failure(code = "FILE_WRONG_KIND", help = "set `delimiter` of the endpoint")]
    Delimiter(String),
    /// Nobody waits any more.
    #[error("the step's time ended before the file was read")]
    #[failure(code = "FILE_TIME", retryable)]
    Time,
    /// Reading it takes more than one file is given.
    #[error("reading the file takes more {what} than one file is given")]
    #[failure(
        code = "FILE_TOO_COMPLEX",
        help = "split the file, or save it again in a simpler way"
    )]
    TooComplex {
        /// Memory, or computing time.
        what: Cow<'static, str>,
    },
    /// The process that reads files could not be started, or gave no answer.
    #[error("the file was not read: {0}")]
    #[failure(
        code = "READER_FAILED",
        retryable,
        status = 503,
        help = "run the step again; if that fails too, look at the function's log"
    )]
    Reader(String),
    /// The source of the bytes failed.
    #[error("reading the file stopped: {0}")]
    #[failure(code = "FILE_SOURCE", retryable, status = 503)]
    Source(String),
}

impl From<Unreadable> for FormatError {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Source(error) => Self::of_io(&error),
            Unreadable::TooLarge { max_bytes } => Self::TooLarge { max_bytes },
        }
    }
}

impl FormatError {
    /// A file of this format that is not as the format has it.
    pub(crate) fn malformed(
        format: &'static str,
        place: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        Self::Malformed { format: format.into(), place: place.into(), problem: problem.into() }
    }

    /// An error when there is more of something than is read; `place` says where that shows.
    pub(crate) fn bound(
        value: u64,
        limit: u64,
        what: &'static str,
        place: impl Fn() -> String,
    ) -> Result<(), Self> {
        if value > limit {
            return Err(Self::Limit { place: place(), what: what.into(), limit });
        }
        Ok(())
    }

    /// Our own error, where an I/O error wraps one. Running out of memory is not a failure of the source: trying again does not help.
    pub(crate) fn of_io(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::OutOfMemory {
            return Self::TooComplex { what: "memory".into() };
        }
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>());
        inner.cloned().unwrap_or_else(|| Self::Source(error.to_string()))
    }
}
