//! What an approver does with a mailed link: read the page, send its form, enter the mailed code when asked for one.

use std::time::Duration;

use reqwest::{Client, redirect};

use crate::door::unanswered;
use crate::error::CliError;
use crate::mailbox::Mailbox;

const CODE_WITHIN: Duration = Duration::from_secs(60);

/// One person with a mail address and a browser without scripts.
#[derive(Debug)]
pub struct Approver {
    client: Client,
    mailbox: Mailbox,
    address: String,
}

/// What a door of pages has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// The HTML.
    pub html: String,
}

impl Page {
    /// The value of a hidden field of the page's form.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        let rest = self.html.split_once(&format!("name=\"{name}\" value=\""))?.1;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    }

    /// Whether the form asks for a one-time code.
    #[must_use]
    pub fn asks_for_code(&self) -> bool {
        self.html.contains("name=\"code\"")
    }
}

impl Approver {
    /// Somebody who reads the mail to this address.
    ///
    /// # Errors
    /// [`CliError::Found`] when no client can be made.
    pub fn new(mailbox: Mailbox, address: &str) -> Result<Self, CliError> {
        let client = Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .timeout(Duration::from_secs(30))
            .build();
        let client =
            client.map_err(|error| CliError::Found(format!("no client could be made: {error}")))?;
        Ok(Self { client, mailbox, address: address.to_owned() })
    }

    /// Waits for the link of a request in the mail beyond the first `seen` mails.
    ///
    /// # Errors
    /// [`CliError::Found`] when none comes within `patience`.
    pub async fn link(&self, seen: usize, patience: Duration) -> Result<String, CliError> {
        self.mailbox
            .wait(&self.address, seen, patience, |mail| mail.link().map(str::to_owned))
            .await
    }

    /// Opens a link, as a click does.
    ///
    /// # Errors
    /// [`CliError::Door`] when the door cannot be reached.
    pub async fn open(&self, link: &str) -> Result<Page, CliError> {
        read(link, self.client.get(link)).await
    }

    /// Sends the form of a page that was opened: `approve` or `deny`, with the code from the mail where one is asked for.
    ///
    /// # Errors
    /// [`CliError::Found`] when the page has no form or the code does not come, [`CliError::Door`] when the door cannot be reached.
    pub async fn decide(
        &self,
        link: &str,
        page: &Page,
        decision: &str,
        note: &str,
    ) -> Result<Page, CliError> {
        self.send_form(link, page, &[("decision", decision), ("note", note)]).await
    }

    /// Sends these fields with the form of a page that was opened, and the code from the mail where one is asked for.
    ///
    /// # Errors
    /// As [`Approver::decide`].
    pub async fn send_form(
        &self,
        link: &str,
        page: &Page,
        fields: &[(&str, &str)],
    ) -> Result<Page, CliError> {
        let seen = self.mailbox.to(&self.address).await?.len();
        let answer = self.post(link, page, fields).await?;
        if !answer.asks_for_code() {
            return Ok(answer);
        }
        let code =
            self.mailbox.wait(&self.address, seen, CODE_WITHIN, super::mailbox::Mail::code).await?;
        let mut fields = fields.to_vec();
        fields.push(("code", &code));
        self.post(link, &answer, &fields).await
    }

    /// Sends these fields with the nonce of the page they stand on, and nothing more.
    ///
    /// # Errors
    /// [`CliError::Found`] when the page has no form, [`CliError::Door`] when the door cannot be reached.
    pub async fn post(
        &self,
        link: &str,
        page: &Page,
        fields: &[(&str, &str)],
    ) -> Result<Page, CliError> {
        let no_form =
            || CliError::Found(format!("the page of status {} has no form to send", page.status));
        let nonce = page.field("nonce").ok_or_else(no_form)?;
        let form: Vec<(&str, &str)> =
            [("nonce", nonce.as_str())].into_iter().chain(fields.iter().copied()).collect();
        read(link, self.client.post(link).form(&form)).await
    }
}

async fn read(link: &str, request: reqwest::RequestBuilder) -> Result<Page, CliError> {
    // The link itself is a secret: a failure names the door, not the token.
    let door = link.rsplit_once('/').map_or(link, |(door, _)| door);
    let failed = |error| unanswered(door, &error);
    let answer = request.send().await.map_err(failed)?;
    let status = answer.status().as_u16();
    Ok(Page { status, html: answer.text().await.map_err(failed)? })
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn hidden_fields_and_the_code_are_found_in_a_page() {
        let html = r#"<form><input type="hidden" name="nonce" value="n-1"><input id="code" name="code"></form>"#.to_owned();
        let page = Page { status: 200, html };
        assert_eq!(page.field("nonce").as_deref(), Some("n-1"));
        assert_eq!(page.field("decision"), None);
        assert!(page.asks_for_code());
    }
}
