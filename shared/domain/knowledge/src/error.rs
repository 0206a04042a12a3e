//! Why the pure parts of knowledge work refuse an input.

use countersign_failure::Failure;

/// A refusal that names what was wrong with the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KnowledgeError {
    /// More was given than one call may handle.
    #[error("{what} holds {count} items; one call handles at most {limit}")]
    TooMany {
        /// The input's name.
        what: &'static str,
        /// How many came.
        count: usize,
        /// How many may.
        limit: usize,
    },
    /// A strategy that is planned but not built.
    #[error("the strategy `{0}` is not available in this deployment")]
    StrategyUnavailable(String),
    /// A strategy nobody knows.
    #[error("`{given}` is not a strategy; the known ones are {known}")]
    UnknownStrategy {
        /// What came.
        given: String,
        /// What may come.
        known: &'static str,
    },
    /// A number outside its range.
    #[error("`{name}` is {given}; it must lie between {low} and {high}")]
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
    BadParam {
        /// The param's name.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Failure for KnowledgeError {
    fn code(&self) -> &'static str {
        match self {
            Self::TooMany { .. } => "TOO_MANY_RECORDS",
            Self::StrategyUnavailable(_) => "STRATEGY_UNAVAILABLE",
            Self::UnknownStrategy { .. } => "UNKNOWN_STRATEGY",
            Self::OutOfRange { .. } => "PARAM_OUT_OF_RANGE",
            Self::BadItem { .. } => "BAD_RECORD",
            Self::BadParam { .. } => "BAD_PARAM",
        }
    }

    fn http_status(&self) -> u16 {
        422
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::StrategyUnavailable(_) => Some("use `exact` or `fuzzy`".to_owned()),
            Self::TooMany { limit, .. } => {
                Some(format!("filter or limit the records to {limit} with transform_data first"))
            }
            _ => None,
        }
    }
}
