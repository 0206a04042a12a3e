//! Whoever carries mail: SES.

use aws_sdk_sesv2::Client;
use aws_sdk_sesv2::error::{BuildError, SdkError};
use aws_sdk_sesv2::operation::send_email::SendEmailError;
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message, MessageHeader};
use countersign_aws::{AwsConfig, is_transient};
use countersign_failure::Failure;
use countersign_outbox::Mail;
use futures::future::BoxFuture;

/// Carries mail.
pub trait MailSender: Send + Sync {
    /// Hands one mail over.
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), SendError>>;
}

/// Why a mail was not handed over.
#[derive(Debug, thiserror::Error, Failure)]
pub enum SendError {
    /// SES answered that it does not take the mail.
    #[error("SES rejected the mail: {0}")]
    #[failure(code = "MAIL_REFUSED")]
    Refused(String),
    /// SES asked us to slow down.
    #[error("SES is busy: {0}")]
    #[failure(code = "MAIL_UNAVAILABLE", retryable)]
    Busy(String),
    /// There was no answer: the mail may be out or not.
    #[error("SES did not answer")]
    #[failure(code = "MAIL_UNAVAILABLE", retryable)]
    Unknown,
    /// The mail could not be written as a request.
    #[error("building the request to SES")]
    #[failure(code = "MAIL_INVALID")]
    Build(#[from] BuildError),
}

impl SendError {
    /// Whether it is certain that nobody got the mail.
    #[must_use]
    pub fn surely_unsent(&self) -> bool {
        !matches!(self, Self::Unknown)
    }

    fn from_sdk<R>(error: &SdkError<SendEmailError, R>) -> Self {
        let SdkError::ServiceError(service) = error else { return Self::Unknown };
        let code = service.err().meta().code().unwrap_or("unknown").to_owned();
        if is_transient(&code) { Self::Busy(code) } else { Self::Refused(code) }
    }
}

/// SES, with the verified sender of this deployment.
#[derive(Debug, Clone)]
pub struct Ses {
    client: Client,
    from: String,
}

impl Ses {
    /// SES as reached with this configuration.
    #[must_use]
    pub fn new(aws: &AwsConfig, from: &str) -> Self {
        Self { client: Client::new(aws), from: from.to_owned() }
    }
}

impl MailSender for Ses {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let to = Destination::builder().set_to_addresses(Some(mail.to().to_vec())).build();
            let content = EmailContent::builder().simple(message(mail)?).build();
            let request = self
                .client
                .send_email()
                .from_email_address(&self.from)
                .destination(to)
                .content(content);
            request.send().await.map(drop).map_err(|error| SendError::from_sdk(&error))
        })
    }
}

fn message(mail: &Mail) -> Result<Message, BuildError> {
    let mut body = Body::builder().text(utf8(mail.text())?);
    if let Some(html) = mail.html() {
        body = body.html(utf8(html)?);
    }
    let mut message = Message::builder().subject(utf8(mail.subject())?).body(body.build());
    for (name, value) in mail.headers() {
        message = message.headers(MessageHeader::builder().name(name).value(value).build()?);
    }
    Ok(message.build())
}

fn utf8(text: &str) -> Result<Content, BuildError> {
    Content::builder().data(text).charset("UTF-8").build()
}

#[cfg(test)]
mod tests {
    use super::message;
    use countersign_outbox::{Mail, MailId};

    #[test]
    fn both_bodies_and_the_headers_are_sent() {
        let to = vec!["ada@example.org".to_owned()];
        let mail = Mail::new(
            MailId::of(&["a"]),
            to,
            "Grüße".to_owned(),
            "text".to_owned(),
            Some("<p>".to_owned()),
        );
        let message = message(&mail.unwrap().with_header("X-Run", "run_1").unwrap()).unwrap();
        let body = message.body().unwrap();
        assert_eq!(body.text().unwrap().data(), "text");
        assert_eq!(body.html().unwrap().data(), "<p>");
        assert_eq!(message.subject().unwrap().data(), "Grüße");
        assert_eq!(message.headers()[0].name(), "X-Run");
    }
}
