//! A call that has failed.

use countersign_http_out::Answer;

use crate::error::ConnectError;

/// Whether a call counts against the source's rate. The token server's calls do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Yes,
    No,
}

/// A call without a good answer, and the answer it had.
pub(super) struct Failed {
    pub(super) error: ConnectError,
    pub(super) answer: Option<Answer>,
}

impl From<ConnectError> for Box<Failed> {
    fn from(error: ConnectError) -> Self {
        Box::new(Failed { error, answer: None })
    }
}
