//! Everything that is no decision, and the page that says so.

use countersign_approval::ports::PortError;
use countersign_approval::{DecideError, LinkError, MacError, Verdict, Vote};
use countersign_failure::{Class, Failure, chain};
use countersign_gatekeeper::GateError;
use countersign_letter::LetterError;
use countersign_letter::page::MessagePage;

use crate::form::FormError;
use crate::http::Reply;

/// Why the door does not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The link opens nothing.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// No such path, no such request.
    #[error("there is nothing here")]
    NotFound,
    /// A method the door does not know.
    #[error("the method is not allowed")]
    Method,
    /// A form of another site.
    #[error("the form was sent from another site")]
    ForeignOrigin,
    /// A form that is none, or not whole.
    #[error(transparent)]
    Form(#[from] FormError),
    /// The nonce was not made for this page.
    #[error("the form was not made by this page")]
    Nonce,
    /// The code was tried too often, or is too old.
    #[error("this code can no longer be used")]
    CodeSpent,
    /// Too many codes were asked for.
    #[error("too many codes were asked for")]
    TooManyCodes,
    /// The same person decided otherwise before.
    #[error("you decided otherwise before")]
    DecidedOtherwise(Box<Vote>),
    /// The gatekeeper refused.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// A neighbour failed.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The link key failed.
    #[error(transparent)]
    Key(#[from] MacError),
    /// A page could not be written.
    #[error(transparent)]
    Letter(#[from] LetterError),
}

impl Refusal {
    fn failure(&self) -> Option<&dyn Failure> {
        match self {
            Self::Link(error) => Some(error),
            Self::Gate(error) => Some(error),
            Self::Port(error) => Some(error),
            Self::Key(error) => Some(error),
            Self::Letter(error) => Some(error),
            _ => None,
        }
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::Method => 405,
            Self::ForeignOrigin => 403,
            Self::Form(FormError::TooLarge) => 413,
            Self::Form(_) | Self::Nonce => 422,
            Self::CodeSpent => 403,
            Self::TooManyCodes => 429,
            Self::DecidedOtherwise(_) => 409,
            Self::Link(_) | Self::Gate(_) | Self::Port(_) | Self::Key(_) | Self::Letter(_) => {
                self.failure().map_or(500, Failure::http_status)
            }
        }
    }

    /// A stable code for the logs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::Method => "METHOD_NOT_ALLOWED",
            Self::ForeignOrigin => "ORIGIN_FOREIGN",
            Self::Form(_) => "FORM_INVALID",
            Self::Nonce => "NONCE_INVALID",
            Self::CodeSpent => "CODE_SPENT",
            Self::TooManyCodes => "CODES_TOO_MANY",
            Self::DecidedOtherwise(_) => "ALREADY_VOTED",
            _ => self.failure().map_or("APPROVAL_FAILED", Failure::code),
        }
    }

    /// The page. `reference` finds our own failures in the logs.
    pub(crate) fn page(&self, reference: &str) -> MessagePage {
        match self {
            Self::Link(LinkError::Expired(_)) => MessagePage::expired_link(),
            Self::Link(LinkError::Superseded) => MessagePage::replaced_link(),
            Self::Link(LinkError::StalePage) => MessagePage::stale_page(),
            Self::Gate(GateError::Decide(DecideError::PreviewChanged { .. })) => {
                MessagePage::changed()
            }
            Self::Link(LinkError::Malformed | LinkError::Forged)
            | Self::NotFound
            | Self::Gate(GateError::NotFound) => MessagePage::invalid_link(),
            Self::Method | Self::ForeignOrigin | Self::Form(_) | Self::Nonce => {
                MessagePage::unreadable(&self.to_string())
            }
            Self::CodeSpent => MessagePage::code_spent(),
            Self::TooManyCodes => MessagePage::too_many_codes(),
            Self::DecidedOtherwise(vote) => {
                MessagePage::decided_otherwise(vote.verdict == Verdict::Approve, vote.at)
            }
            Self::Gate(GateError::Decide(error)) => decide_page(error),
            Self::Gate(GateError::Strike(error)) => {
                MessagePage::not_struck(&error.to_string(), error.help().as_deref())
            }
            Self::Link(_) | Self::Gate(_) | Self::Port(_) | Self::Key(_) | Self::Letter(_) => {
                MessagePage::error(reference)
            }
        }
    }

    /// The answer; our own failures and refusals are logged, without path, token or text.
    pub(crate) fn reply(&self, reference: &str) -> Reply {
        let (status, code) = (self.status(), self.code());
        if self.is_ours() {
            tracing::error!(status, code, reference, error = chain(self), "the door failed");
        } else {
            tracing::info!(status, code, reference, "refused");
        }
        // A page that cannot be written is an answer without words.
        let html = self.page(reference).html().unwrap_or_default();
        Reply { allow: matches!(self, Self::Method), ..Reply::new(status, html) }
    }

    fn is_ours(&self) -> bool {
        self.failure().is_some_and(|failure| {
            failure.class() == Class::Retryable || failure.http_status() >= 500
        })
    }
}

fn decide_page(error: &DecideError) -> MessagePage {
    match error {
        DecideError::DigestMissing
        | DecideError::DigestMalformed
        | DecideError::NoteTooLong(_)
        | DecideError::Answers(_)
        | DecideError::AnswersNotAsked
        | DecideError::AnswersDenied => MessagePage::unreadable(&error.to_string()),
        DecideError::AssuranceTooLow { .. } => MessagePage::sign_in(),
        _ => MessagePage::not_allowed(&error.to_string()),
    }
}
