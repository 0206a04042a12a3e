//! How a child ends without an answer, as an error of what it read.

use countersign_confined::End;
use countersign_formats::FormatError;
use countersign_pages::PageError;

pub(crate) const DAMAGED: &str = "it is damaged, or made in a way that is not understood";

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Ended {
    /// Nobody waits any more.
    Time,
    /// It was given more than it may take.
    Memory,
    /// It computed longer than it may.
    Computing,
    /// It panicked.
    Damaged,
    /// It says more than it may.
    Output(u64),
    /// The document broke off.
    Source(String),
    /// Anything else.
    Failed(String),
}

impl From<End> for Ended {
    fn from(end: End) -> Self {
        match end {
            End::Memory => Self::Memory,
            End::Computing => Self::Computing,
            End::Panicked => Self::Damaged,
            End::Other(status) => Self::Failed(format!("its reader gave no answer ({status})")),
        }
    }
}

impl From<Ended> for FormatError {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Time => Self::Time,
            Ended::Memory => Self::TooComplex { what: "memory".into() },
            Ended::Computing => Self::TooComplex { what: "computing time".into() },
            Ended::Damaged => Self::Malformed {
                format: "file".into(),
                place: "the document".to_owned(),
                problem: DAMAGED.to_owned(),
            },
            Ended::Output(limit) => Self::Limit {
                place: "its records".to_owned(),
                what: "bytes of values".into(),
                limit,
            },
            Ended::Source(reason) => Self::Source(reason),
            Ended::Failed(reason) => Self::Reader(reason),
        }
    }
}

impl From<Ended> for PageError {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Time | Ended::Computing => Self::Time,
            Ended::Memory => Self::Limit("more in it than there is memory to read it".into()),
            Ended::Damaged => Self::Damaged,
            Ended::Output(_) => Self::Limit("more in it than is handed on of a page".into()),
            Ended::Source(reason) | Ended::Failed(reason) => Self::Reader(reason),
        }
    }
}
