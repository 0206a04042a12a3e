//! Everything that is not a decision, and the page that says so.

use countersign_approval::ports::PortError;
use countersign_approval::{DecideError, LinkError, MacError, Verdict, Vote};
use countersign_failure::{Class, Failure, chain};
use countersign_gatekeeper::GateError;
use countersign_letter::LetterError;
use countersign_letter::page::MessagePage;

use crate::form::FormError;
use crate::http::Reply;

/// Why the door does not do what it was asked.
#[derive(Debug, thiserror::Error, Failure)]
pub(crate) enum Refusal {
    /// The link opens nothing.
    #[error(transparent)]
    #[failure(forward)]
    Link(#[from] LinkError),
    /// No such path, no such request.
    #[error("there is nothing here")]
    #[failure(code = "NOT_FOUND", status = 404)]
    NotFound,
    /// A method the door does not know.
    #[error("the method is not allowed")]
    #[failure(code = "METHOD_NOT_ALLOWED", status = 405)]
    Method,
    /// A form of another site.
    #[error("the form was sent from another site")]
    #[failure(code = "ORIGIN_FOREIGN", status = 403)]
    ForeignOrigin,
    /// A form that is none, or not whole.
    #[error(transparent)]
    #[failure(code = "FORM_INVALID", status = _0.http_status())]
    Form(#[from] FormError),
    /// The nonce was not made for this page.
    #[error("the form was not made by this page")]
    #[failure(code = "NONCE_INVALID", status = 422)]
    Nonce,
    /// The code was tried too often, or is too old.
    #[error("this code can no longer be used")]
    #[failure(code = "CODE_SPENT", status = 403)]
    CodeSpent,
    /// Too many codes were asked for.
    #[error("too many codes were asked for")]
    #[failure(code = "CODES_TOO_MANY", status = 429)]
    TooManyCodes,
    /// The same person decided otherwise before.
    #[error("you decided otherwise before")]
    #[failure(code = "ALREADY_VOTED", status = 409)]
    DecidedOtherwise(Box<Vote>),
    /// The gatekeeper refused.
    #[error(transparent)]
    #[failure(forward)]
    Gate(#[from] GateError),
    /// A neighbour failed.
    #[error(transparent)]
    #[failure(forward)]
    Port(#[from] PortError),
    /// The link key failed.
    #[error(transparent)]
    #[failure(forward)]
    Key(#[from] MacError),
    /// A page could not be written.
    #[error(transparent)]
    #[failure(forward)]
    Letter(#[from] LetterError),
}

impl Refusal {
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
        let (status, code) = (self.http_status(), self.code());
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
        self.class() == Class::Retryable || self.http_status() >= 500
    }
}

fn decide_page(error: &DecideError) -> MessagePage {
    match error {
        DecideError::DigestMissing
        | DecideError::DigestMalformed
        | DecideError::NoteTooLong(_)
        | DecideError::Answers(_)
        | DecideError::AnswersNotAsked
        | DecideError::AnswersDenied
        | DecideError::Revise(_) => MessagePage::unreadable(&error.to_string()),
        DecideError::AssuranceTooLow { .. } => MessagePage::sign_in(),
        _ => MessagePage::not_allowed(&error.to_string()),
    }
}
