//! Why a model did not answer.

use countersign_connector::SourceError;
use countersign_failure::Failure;
use countersign_http_out::HttpError;
use countersign_zones::to_the_second;
use jiff::Timestamp;

/// When a provider may be asked again, as the end of a sentence; nothing where it does not say that.
fn from_when(again_at: &Option<Timestamp>) -> String {
    let sentence = |at| format!("; it may be asked again at {}", to_the_second(at));
    again_at.map_or_else(String::new, sentence)
}

/// Why a model did not answer. No variant holds a key, a prompt or an answer.
#[derive(Debug, thiserror::Error, Failure)]
pub enum ModelError {
    /// The request did not get through.
    #[error("{0}")]
    #[failure(forward)]
    Http(#[from] HttpError),
    /// The request cannot be signed.
    #[error("the request to the model provider is not signed: {0}")]
    #[failure(
        code = "MODEL_UNSIGNED",
        status = 502,
        help = "see whether the deployment's functions have a role and a region"
    )]
    Unsigned(String),
    /// The provider does not let the deployment use the model.
    #[error("the deployment may not use the model (HTTP {status})")]
    #[failure(
        code = "MODEL_NOT_PERMITTED",
        status = 502,
        help = "see whether `ModelProvider` is `bedrock` and the account has access to the model in this region; the log of `tool-model` has the reason"
    )]
    NotPermitted {
        /// The status.
        status: u16,
    },
    /// The key cannot be read.
    #[error("{0}")]
    #[failure(forward)]
    Key(SourceError),
    /// The provider rejects the key, or there is none.
    #[error("the model provider rejects the key of this deployment (HTTP {status})")]
    #[failure(
        code = "MODEL_KEY_REJECTED",
        status = 502,
        help = "store the provider's key as the secret that docs/models.md names"
    )]
    KeyRejected {
        /// The status.
        status: u16,
    },
    /// Too many requests, after the tries that are allowed.
    #[error("the model provider answers that there are too many requests{}", from_when(.again_at))]
    #[failure(code = "MODEL_THROTTLED", retryable, status = 503)]
    Throttled {
        /// When it may be asked again, if the provider says that.
        again_at: Option<Timestamp>,
    },
    /// The provider fails.
    #[error("the model provider does not answer (HTTP {status}){}", from_when(.again_at))]
    #[failure(code = "MODEL_UNAVAILABLE", retryable, status = 503)]
    Unavailable {
        /// The status.
        status: u16,
        /// When it may be asked again, if the provider says that.
        again_at: Option<Timestamp>,
    },
    /// The provider does not accept the request.
    #[error("the model provider rejects the request (HTTP {status}): {message}")]
    #[failure(
        code = "MODEL_REJECTED",
        status = 502,
        help = "check the model's name and how much its context holds"
    )]
    Rejected {
        /// The status.
        status: u16,
        /// What the provider says, cut.
        message: String,
    },
    /// The answer has another form than the provider documents.
    #[error("the answer of the model provider cannot be read: {0}")]
    #[failure(code = "MODEL_ANSWER", status = 502)]
    Unreadable(String),
    /// The provider broke off in the middle of an answer.
    #[error("the model provider broke off in the middle of its answer: {0}")]
    #[failure(code = "MODEL_BROKE_OFF", retryable, status = 503)]
    BrokeOff(String),
    /// The answer ended before it was complete.
    #[error("the model's answer was longer than {max_tokens} tokens and was cut")]
    #[failure(
        code = "MODEL_ANSWER_CUT",
        status = 502,
        help = "ask for less: fewer fields, fewer records, a shorter text"
    )]
    Cut {
        /// The limit.
        max_tokens: u32,
    },
    /// Nobody waits for the answer any more: the run was cancelled while it was written.
    #[error("the run was cancelled while the model was writing its answer")]
    #[failure(code = "RUN_STOPPED", status = 409)]
    Stopped,
    /// The model, or the provider's filter, declined.
    #[error("the model declined to answer")]
    #[failure(code = "MODEL_DECLINED", status = 502)]
    Declined,
}
