//! What a verification finds.

use std::fmt;

use serde::Serialize;

/// Something that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "finding")]
pub enum Finding {
    /// The content of an entry or of its receipt is not what was hashed.
    Altered {
        /// The entry.
        sequence: u64,
    },
    /// An entry does not follow from the one before it.
    Broken {
        /// The entry.
        sequence: u64,
    },
    /// Entries are missing inside the chain.
    Removed {
        /// The first of them.
        from: u64,
        /// The last of them.
        to: u64,
    },
    /// A sequence or a receipt stands there more than once.
    Inserted {
        /// The entry that is too much.
        sequence: u64,
    },
    /// Entries do not stand in order.
    Reordered {
        /// The entry that stands too late.
        sequence: u64,
    },
    /// The chain is shorter than a checkpoint says it was.
    Truncated {
        /// How long it is.
        length: u64,
        /// How long it was.
        was: u64,
    },
    /// The chain is consistent in itself and contradicts a checkpoint: it was computed anew.
    Recomputed {
        /// The checkpoint's sequence.
        checkpoint: u64,
    },
    /// A checkpoint is not signed by the key, or belongs to another deployment.
    NotGenuine {
        /// The checkpoint's sequence.
        checkpoint: u64,
    },
    /// A receipt belongs to another deployment.
    Foreign {
        /// The entry.
        sequence: u64,
    },
    /// A file of the export is not, to the byte, what the ledger writes.
    Unreadable {
        /// Folder and name.
        file: String,
        /// Why.
        reason: String,
    },
    /// A file of the export is not called what its content says.
    Misnamed {
        /// Folder and name.
        file: String,
        /// What it should be called.
        expected: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered { sequence } => write!(f, "entry {sequence} was altered"),
            Self::Broken { sequence } => {
                write!(f, "entry {sequence} does not follow from the one before it")
            }
            Self::Removed { from, to } if from == to => write!(f, "entry {from} is missing"),
            Self::Removed { from, to } => write!(f, "entries {from} to {to} are missing"),
            Self::Inserted { sequence } => write!(f, "entry {sequence} was inserted"),
            Self::Reordered { sequence } => write!(f, "entry {sequence} is in the wrong place"),
            Self::Truncated { length, was } => {
                write!(f, "the ledger was cut to {length} of {was} entries")
            }
            Self::Recomputed { checkpoint } => {
                write!(
                    f,
                    "the ledger was computed anew: it contradicts the checkpoint at {checkpoint}"
                )
            }
            Self::NotGenuine { checkpoint } => {
                write!(f, "the checkpoint at {checkpoint} is not genuine")
            }
            Self::Foreign { sequence } => {
                write!(f, "entry {sequence} belongs to another deployment")
            }
            Self::Unreadable { file, reason } => {
                write!(f, "`{}` is not what the ledger writes: {}", plain(file), plain(reason))
            }
            Self::Misnamed { file, expected } => {
                write!(f, "`{}` should be called `{expected}`", plain(file))
            }
        }
    }
}

/// A text out of an export, fit for a terminal: control sequences in it could paint a verdict of their own.
fn plain(text: &str) -> String {
    let is_plain = |letter: char| letter == ' ' || letter.is_ascii_graphic();
    let shown = |letter: char| {
        if is_plain(letter) { letter.to_string() } else { letter.escape_default().to_string() }
    };
    text.chars().take(200).map(shown).collect()
}
