//! What can be wrong with an XML file.

use std::borrow::Cow;
use std::fmt;

use countersign_failure::Failure;
use serde::{Deserialize, Serialize};

use crate::undecoded::Unreadable;

/// A place in the decoded text; both count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The character in the line.
    pub column: u64,
}

impl Place {
    /// The place after some text.
    pub(super) fn after(self, text: &[u8]) -> Self {
        let lines = text.iter().filter(|byte| **byte == b'\n').count() as u64;
        let last = text.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let characters = last.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
        let column = if lines == 0 { self.column } else { 1 };
        Self { line: self.line + lines, column: column + characters }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file could not be read. Terminal: the same bytes fail the same way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure, Serialize, Deserialize)]
#[failure(status = 422)]
pub enum XmlError {
    /// No bytes, or nothing but white space and comments.
    #[error("the file is empty")]
    #[failure(code = "FILE_EMPTY")]
    Empty,
    /// Something else than XML.
    #[error("the file is not XML: at {place} there is `{found}` where an element should start")]
    #[failure(code = "FILE_NOT_XML")]
    NotXml {
        /// Where.
        place: Place,
        /// The first characters of it.
        found: String,
    },
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
    /// The bytes are not of the encoding the file claims, or that its first bytes show.
    #[error("the file says it is {encoding}, but byte {offset} does not fit that encoding")]
    #[failure(
        code = "FILE_ENCODING",
        help = "save the file as UTF-8, or correct its XML declaration"
    )]
    Encoding {
        /// The encoding's name.
        encoding: String,
        /// The offset of the first byte that does not fit.
        offset: u64,
    },
    /// The declaration and the bytes contradict each other, or the encoding is unknown.
    #[error("the declared encoding `{declared}` is {problem}")]
    #[failure(
        code = "FILE_ENCODING",
        help = "save the file as UTF-8, or correct its XML declaration"
    )]
    Declaration {
        /// The declared name.
        declared: String,
        /// What is wrong with it.
        problem: Cow<'static, str>,
    },
    /// The file ends inside an element, or inside markup.
    #[error("the file is cut off at {place}: {open}")]
    #[failure(code = "FILE_TRUNCATED", help = "fetch the file again: its end is missing")]
    Truncated {
        /// Where it ends.
        place: Place,
        /// What is still open.
        open: String,
    },
    /// The markup is wrong.
    #[error("the XML is malformed at {place}: {problem}")]
    #[failure(code = "FILE_MALFORMED")]
    Malformed {
        /// Where.
        place: Place,
        /// What the parser says.
        problem: String,
    },
    /// A document type declaration: the door of entity bombs and external entities.
    #[error("the file has a document type declaration at {place}, which is not accepted")]
    #[failure(
        code = "FILE_DTD_REFUSED",
        help = "remove the document type declaration and write entities out"
    )]
    Doctype {
        /// Where.
        place: Place,
    },
    /// An entity that is not one of the five predefined.
    #[error("the entity `&{name};` at {place} is not one of the five predefined ones")]
    #[failure(
        code = "FILE_DTD_REFUSED",
        help = "remove the document type declaration and write entities out"
    )]
    Entity {
        /// Where.
        place: Place,
        /// Its name.
        name: String,
    },
    /// A bound of nesting, count or size.
    #[error("the file has more than {limit} {what} at {place}")]
    #[failure(code = "FILE_LIMIT")]
    Limit {
        /// Where.
        place: Place,
        /// What there is too much of.
        what: Cow<'static, str>,
        /// The bound.
        limit: u64,
    },
    /// Another kind of document than the connector reads.
    #[error("the document element is `{found}`, not {expected}: this is another kind of file")]
    #[failure(code = "FILE_WRONG_KIND", help = "choose the connector made for this kind of file")]
    WrongDocument {
        /// What it is.
        found: String,
        /// What it may be, such as `` `Return` ``.
        expected: String,
    },
    /// The part the endpoint reads is not there.
    #[error("the document has no `{expected}`")]
    #[failure(code = "FILE_WRONG_KIND", help = "choose the connector made for this kind of file")]
    RootMissing {
        /// The root path of the endpoint.
        expected: String,
    },
    /// The source of the bytes failed.
    #[error("reading the file stopped: {0}")]
    #[failure(code = "FILE_SOURCE", retryable, status = 503)]
    Source(String),
}

impl From<Unreadable> for XmlError {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Source(error) => Self::Source(error.to_string()),
            Unreadable::TooLarge { max_bytes } => Self::TooLarge { max_bytes },
        }
    }
}
