//! Why a look cannot say what is new.

use countersign_failure::Failure;

/// Why a look cannot say what is new. Nothing is processed then and no position moves, so that the next look may find it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum LookError {
    /// Something may be missing that would be new.
    #[error(
        "the source has more than came back, and what is missing may be new: the records are not dated, not the newest first, \
         or do not go back by the overlap"
    )]
    #[failure(
        code = "DETECT_INCOMPLETE",
        help = "let the endpoint read more (`max_pages`, `max_records`, `max_items_per_poll`) or sort the newest first, or shorten `overlap_minutes`"
    )]
    Incomplete,
    /// A part of the source did not answer.
    #[error("a part of the source could not be read, and what is missing may be new")]
    #[failure(code = "DETECT_INCOMPLETE", help = "the next look asks again")]
    Unread,
    /// New items are at the end, and the end did not come back.
    #[error("the source has more records than came back, and new ones are at its end")]
    #[failure(
        code = "DETECT_INCOMPLETE",
        help = "let the endpoint read more (`max_pages`, `max_records`)"
    )]
    EndMissing,
    /// A list to whose end new items are added has lost some.
    #[error("the source has {count} records, but {known} are known: it was replaced or cut")]
    #[failure(
        code = "DETECT_REPLACED",
        help = "reset the watermark of the step: then everything that is there now is new"
    )]
    Replaced {
        /// How many are known.
        known: usize,
        /// How many are there.
        count: usize,
    },
    /// The same items would be new again, or others never.
    #[error("more items are known within the overlap than a watermark remembers ({memory})")]
    #[failure(
        code = "DETECT_TOO_MANY",
        help = "shorten `overlap_minutes`, or let the step look at a part of the source"
    )]
    TooMany {
        /// How many it remembers.
        memory: usize,
    },
}
