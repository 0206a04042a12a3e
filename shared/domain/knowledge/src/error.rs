//! Why the pure parts of knowledge work refuse an input.

use countersign_failure::Failure;

/// A refusal that names what was wrong with the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum KnowledgeError {
    /// More was given than one call may handle.
    #[error("{what} holds {count} items; one call handles at most {limit}")]
    #[failure(
        code = "TOO_MANY_RECORDS",
        help = Some(format!("filter or limit the records to {limit} with transform_data first"))
    )]
    TooMany {
        /// The input's name.
        what: &'static str,
        /// How many came.
        count: usize,
        /// How many may.
        limit: usize,
    },
    /// More pairs of names are alike than one call may handle.
    #[error("more than {limit} pairs of the names are alike, which is more than one call handles")]
    #[failure(code = "TOO_MANY_RECORDS", help = "resolve fewer names at a time")]
    TooAlike {
        /// How many pairs may be.
        limit: usize,
    },
    /// A strategy nobody knows.
    #[error("`{given}` is not a strategy; the known ones are {known}")]
    #[failure(code = "UNKNOWN_STRATEGY")]
    UnknownStrategy {
        /// What came.
        given: String,
        /// What may come.
        known: &'static str,
    },
    /// A number outside its range.
    #[error("`{name}` is {given}; it must lie between {low} and {high}")]
    #[failure(code = "PARAM_OUT_OF_RANGE")]
    OutOfRange {
        /// The param's name.
        name: &'static str,
        /// What came, as text.
        given: String,
        /// The lowest value.
        low: &'static str,
        /// The highest value.
        high: &'static str,
    },
    /// An item of an input is not what it should be.
    #[error("{what}[{index}]: {problem}")]
    #[failure(code = "BAD_RECORD")]
    BadItem {
        /// The input's name.
        what: &'static str,
        /// Which item.
        index: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A param is not what it should be.
    #[error("`{name}`: {problem}")]
    #[failure(code = "BAD_PARAM")]
    BadParam {
        /// The param's name.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// A person has decided the review already.
    #[error("the review was decided as `{status}` already")]
    #[failure(
        code = "REVIEW_CLOSED",
        status = 409,
        help = "a merge is undone by reversing its row of the resolution log"
    )]
    ReviewClosed {
        /// How.
        status: &'static str,
    },
    /// Two entities cannot be made one.
    #[error("the entities cannot be merged: {problem}")]
    #[failure(code = "MERGE_IMPOSSIBLE", status = 409)]
    MergeImpossible {
        /// Why.
        problem: String,
    },
    /// Spellings cannot be taken from an entity.
    #[error("the entity cannot be split: {problem}")]
    #[failure(code = "SPLIT_IMPOSSIBLE", status = 409)]
    SplitImpossible {
        /// Why.
        problem: String,
    },
    /// A row of the resolution log cannot be undone.
    #[error("this cannot be reversed: {problem}")]
    #[failure(code = "NOT_REVERSIBLE", status = 409)]
    NotReversible {
        /// Why.
        problem: String,
    },
}

impl KnowledgeError {
    /// Nothing as long as there are no more than `limit`.
    pub(crate) fn at_most(what: &'static str, count: usize, limit: usize) -> Result<(), Self> {
        if count > limit { Err(Self::TooMany { what, count, limit }) } else { Ok(()) }
    }
}
