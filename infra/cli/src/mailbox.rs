//! The mail the local stack has sent: captured by the emulator, read by the demo and the tests.

use std::time::Duration;

use countersign_document::inside;
use serde_json::Value;

use crate::door::Door;
use crate::error::CliError;
use crate::stack::Stack;
use crate::waiting::answered;

/// One captured mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Whom it was sent to.
    pub to: Vec<String>,
    /// Its subject.
    pub subject: String,
    /// Its text part.
    pub text: String,
    /// Its HTML part.
    pub html: String,
}

impl Mail {
    /// The signed link in it, if there is one: the line that is nothing but an address below `/a/`.
    #[must_use]
    pub fn link(&self) -> Option<&str> {
        self.text
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("http") && line.contains("/a/") && !line.contains(' '))
    }

    /// The one-time code in it, if there is one, without the blanks between its groups.
    #[must_use]
    pub fn code(&self) -> Option<String> {
        let mut lines =
            self.text.lines().map(str::trim).skip_while(|line| !line.ends_with("code:"));
        let code: String = lines
            .nth(1)
            .into_iter()
            .chain(lines)
            .find(|line| !line.is_empty())?
            .split_whitespace()
            .collect();
        code.bytes().all(|byte| byte.is_ascii_digit()).then_some(code)
    }
}

/// The captured mail of one stack. It is lost when the emulator stops.
#[derive(Debug, Clone)]
pub struct Mailbox {
    emulator: Door,
}

impl Mailbox {
    /// The mailbox of a running stack.
    ///
    /// # Errors
    /// [`CliError::Door`] when no client can be made.
    pub fn of(stack: &Stack) -> Result<Self, CliError> {
        Ok(Self { emulator: Door::open(&stack.endpoint())? })
    }

    /// Every mail to an address, oldest first.
    ///
    /// # Errors
    /// [`CliError::Door`] when the emulator does not answer.
    pub async fn to(&self, address: &str) -> Result<Vec<Mail>, CliError> {
        let said = self.emulator.get("/_ministack/ses/messages").await?;
        let mut mails = Vec::new();
        collect(&said, &mut mails);
        mails.retain(|mail| mail.to.iter().any(|to| to.contains(address)));
        Ok(mails)
    }

    /// Waits for a mail to an address beyond the first `seen`, for which `find` finds something.
    ///
    /// # Errors
    /// [`CliError::Found`] when none has come in time.
    pub async fn wait<T>(
        &self,
        address: &str,
        seen: usize,
        patience: Duration,
        find: impl Fn(&Mail) -> Option<T>,
    ) -> Result<T, CliError> {
        let seconds = patience.as_secs();
        let late = format!("no such mail reached `{address}` within {seconds} seconds");
        answered(patience, Duration::from_millis(200), &late, async || {
            Ok(self.to(address).await?.iter().skip(seen).find_map(&find))
        })
        .await
    }
}

/// Every mail in the emulator's answer, which nests them by account.
fn collect(said: &Value, mails: &mut Vec<Mail>) {
    if said.get("BodyText").is_none() {
        return inside(said).for_each(|value| collect(value, mails));
    }
    let text = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let to = said.get("To").and_then(Value::as_array).into_iter().flatten();
    let to = to.filter_map(|address| Some(address.as_str()?.to_owned())).collect();
    let (subject, html) = (text("Subject"), text("BodyHtml"));
    mails.push(Mail { to, subject, text: text("BodyText"), html });
}

#[cfg(test)]
mod tests {
    use super::{Mail, collect};
    use serde_json::json;

    fn mail(text: &str) -> Mail {
        Mail { to: vec![], subject: String::new(), text: text.to_owned(), html: String::new() }
    }

    #[test]
    fn mails_are_found_wherever_the_emulator_nests_them() {
        let said = json!({ "messages": { "000000000000": [{ "To": ["a@example.org"], "Subject": "s", "BodyText": "t", "BodyHtml": "h" }] } });
        let mut mails = Vec::new();
        collect(&said, &mut mails);
        assert_eq!(
            mails,
            [Mail {
                to: vec!["a@example.org".to_owned()],
                subject: "s".to_owned(),
                text: "t".to_owned(),
                html: "h".to_owned()
            }]
        );
    }

    #[test]
    fn the_link_is_the_line_of_its_own() {
        let text = "Read it and decide here:\n\nhttp://127.0.0.1:1/x/a/tok-en_1\n\nsee http://example.org/a/b too";
        assert_eq!(mail(text).link(), Some("http://127.0.0.1:1/x/a/tok-en_1"));
        assert_eq!(mail("nothing here").link(), None);
    }

    #[test]
    fn the_code_is_read_without_its_blanks() {
        assert_eq!(
            mail("Your one-time code:\n\n  1234 5678\n\nIt lets you approve").code().as_deref(),
            Some("12345678")
        );
        assert_eq!(mail("Your one-time code:\n\n  none\n").code(), None);
    }
}
