//! A mail that is ready to be sent.

use serde::{Deserialize, Serialize};

use crate::error::OutboxError;

/// The most bytes of one message: what SQS takes (256 KiB) with room for its attributes.
pub const MAX_MESSAGE: usize = 250 * 1024;

/// The most addresses of one mail.
const MAX_ADDRESS: usize = 20;
/// The longest subject, in characters.
const MAX_SUBJECT: usize = 200;

countersign_ids::prefixed_id! {
    /// One mail. Deliveries are counted by it, so the same id is never mailed twice.
    pub struct MailId("mail");
}

impl MailId {
    /// The id of the mail for one occasion: the same parts give the same id.
    #[must_use]
    pub fn of(parts: &[&str]) -> Self {
        Self::from_bytes(countersign_ids::derived("countersign/v1/mail", parts))
    }
}

/// A mail: who gets it, and both bodies. Checked when made and again when read from the queue.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire")]
pub struct Mail {
    id: MailId,
    to: Vec<String>,
    subject: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Wire {
    id: MailId,
    to: Vec<String>,
    subject: String,
    text: String,
    #[serde(default)]
    html: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

impl TryFrom<Wire> for Mail {
    type Error = OutboxError;

    fn try_from(wire: Wire) -> Result<Self, OutboxError> {
        let mail = Mail::new(wire.id, wire.to, wire.subject, wire.text, wire.html)?;
        wire.headers
            .into_iter()
            .try_fold(mail, |mail, (name, value)| mail.with_header(&name, &value))
    }
}

// By hand: bodies hold signed links and one-time codes, addresses are personal data.
impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mail {{ id: {:?}, .. }}", self.id)
    }
}

impl Mail {
    /// A mail to addresses that the directory has verified.
    ///
    /// # Errors
    /// [`OutboxError::InvalidMail`] when there is no address, too many, one that is none, or a subject of several lines;
    /// [`OutboxError::TooLarge`] when the bodies exceed what the queue takes.
    pub fn new(
        id: MailId,
        to: Vec<String>,
        subject: String,
        text: String,
        html: Option<String>,
    ) -> Result<Self, OutboxError> {
        if to.is_empty() || to.len() > MAX_ADDRESS {
            return Err(OutboxError::InvalidMail("it needs 1 to 20 addresses"));
        }
        if !to.iter().all(|address| is_address(address)) {
            return Err(OutboxError::InvalidMail("an address is not of the form name@domain"));
        }
        if subject.is_empty()
            || subject.chars().count() > MAX_SUBJECT
            || subject.chars().any(char::is_control)
        {
            return Err(OutboxError::InvalidMail(
                "the subject must be one line of at most 200 characters",
            ));
        }
        let mail = Self { id, to, subject, text, html, headers: Vec::new() };
        mail.encoded().map(|_| mail)
    }

    /// The same mail with one more header, such as `List-Unsubscribe`; only names that start with `X-`, or
    /// `Auto-Submitted`, `In-Reply-To`, `References` and `List-Unsubscribe` are taken.
    ///
    /// # Errors
    /// [`OutboxError::InvalidMail`] for any other name, and for values that are not one line of ASCII.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, OutboxError> {
        let known = ["auto-submitted", "in-reply-to", "references", "list-unsubscribe"];
        let lower = name.to_ascii_lowercase();
        let named = known.contains(&lower.as_str()) || lower.starts_with("x-");
        if !named
            || !lower.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            || self.headers.len() >= 10
        {
            return Err(OutboxError::InvalidMail("a header is not one of those a mail may carry"));
        }
        if value.len() > 800 || !value.bytes().all(|b| (32..127).contains(&b)) {
            return Err(OutboxError::InvalidMail(
                "the value of a header must be one line of ASCII",
            ));
        }
        self.headers.push((name.to_owned(), value.to_owned()));
        Ok(self)
    }

    /// What deliveries are counted by.
    #[must_use]
    pub fn id(&self) -> &MailId {
        &self.id
    }

    /// Who gets it.
    #[must_use]
    pub fn to(&self) -> &[String] {
        &self.to
    }

    /// One line.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The plain body.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The HTML body.
    #[must_use]
    pub fn html(&self) -> Option<&str> {
        self.html.as_deref()
    }

    /// Further headers.
    #[must_use]
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The mail as the body of a queue's message.
    pub(crate) fn encoded(&self) -> Result<String, OutboxError> {
        let place = "mail queue";
        let json =
            serde_json::to_string(self).map_err(|source| OutboxError::Encode { place, source })?;
        bounded(place, json)
    }
}

/// `body`, when a queue or bus takes it.
pub(crate) fn bounded(place: &'static str, body: String) -> Result<String, OutboxError> {
    if body.len() > MAX_MESSAGE {
        return Err(OutboxError::TooLarge { place, bytes: body.len(), limit: MAX_MESSAGE });
    }
    Ok(body)
}

/// Enough of RFC 5321 to keep headers and lists of addresses intact; that it arrives is what verification is for.
fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| !c.is_control() && !c.is_whitespace() && !"<>()[],;:\\\"@".contains(c))
    };
    text.len() <= 254 && plain(local) && plain(domain)
}

#[cfg(test)]
mod tests {
    use super::{MAX_MESSAGE, Mail, MailId};
    use crate::error::OutboxError;
    use proptest::prelude::*;

    fn mail(to: &[&str], subject: &str, text: &str) -> Result<Mail, OutboxError> {
        let to = to.iter().map(|&address| address.to_owned()).collect();
        Mail::new(MailId::of(&["a"]), to, subject.to_owned(), text.to_owned(), None)
    }

    fn check(to: &[&str], subject: &str, valid: bool) {
        assert_eq!(mail(to, subject, "x").is_ok(), valid, "{to:?} {subject:?}");
    }

    #[test]
    fn only_whole_addresses_and_one_line_subjects() {
        check(&["ada@example.org"], "Hello", true);
        check(&["ada@example.org", "bo@example.org"], "Hello", true);
        check(&[], "Hello", false);
        check(&["ada"], "Hello", false);
        check(&["ada@example.org, eve@example.org"], "Hello", false);
        check(&["ada@example.org\r\nBcc: eve@example.org"], "Hello", false);
        check(&["<ada@example.org>"], "Hello", false);
        check(&["ada@example.org"], "Hello\r\nBcc: eve@example.org", false);
        check(&["ada@example.org"], "", false);
    }

    #[test]
    fn a_mail_larger_than_a_message_is_refused() {
        let error = mail(&["a@b.c"], "Hello", &"x".repeat(MAX_MESSAGE)).unwrap_err();
        assert!(matches!(error, OutboxError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn headers_cannot_smuggle_others() {
        let mail = mail(&["a@b.c"], "Hello", "x").unwrap();
        assert!(mail.clone().with_header("Auto-Submitted", "auto-generated").is_ok());
        assert!(mail.clone().with_header("X-Run", "a\r\nBcc: e@e.e").is_err());
        assert!(mail.clone().with_header("Bcc", "e@e.e").is_err());
        assert!(mail.with_header("X-A: b", "c").is_err());
    }

    #[test]
    fn ids_depend_on_every_part_and_their_borders() {
        assert_eq!(MailId::of(&["a", "b"]), MailId::of(&["a", "b"]));
        assert_ne!(MailId::of(&["a", "b"]), MailId::of(&["ab"]));
    }

    #[test]
    fn what_is_printed_tells_nothing() {
        let mail = mail(&["ada@example.org"], "Subject", "https://secret").unwrap();
        let printed = format!("{mail:?}");
        assert!(!printed.contains("ada") && !printed.contains("secret"), "{printed}");
    }

    #[test]
    fn a_message_from_elsewhere_is_checked_when_read() {
        let id = MailId::of(&["a"]);
        let bad = format!(r#"{{"id":"{id}","to":["a b"],"subject":"s","text":"t"}}"#);
        assert!(serde_json::from_str::<Mail>(&bad).is_err());
    }

    proptest! {
        #[test]
        fn a_mail_survives_the_queue(subject in "[^\\p{C}]{1,80}", text in ".{0,400}", html in proptest::option::of(".{0,200}")) {
            let mail = Mail::new(MailId::of(&["x"]), vec!["a@b.c".to_owned()], subject, text, html).unwrap();
            let read: Mail = serde_json::from_str(&mail.encoded().unwrap()).unwrap();
            prop_assert_eq!(read, mail);
        }
    }
}
