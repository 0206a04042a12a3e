//! A mail as it is sent (RFC 5322), and read back from what is sent.
//!
//! Whoever signs reads addresses, subject and text, and not how they are encoded: a body is shown as a mail only when
//! writing what is shown gives the same bytes again.

use email_address::{EmailAddress, Options};
use email_encoding::headers::writer::EmailWriter;
use email_encoding::headers::{quoted_string, rfc2047};
use mail_parser::{Addr, Address, HeaderValue, Message, MessageParser};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::error::EffectError;
use crate::hidden::is_hidden;
use crate::http::Body;
use crate::view::{Field, ValueKind};

/// What a mail is made of, as a connector's body writes it.
pub const MAIL_KEYS: [&str; 7] =
    ["to", "cc", "bcc", "subject", "text", "in_reply_to", "references"];
/// The most addresses of one mail.
const MAX_ADDRESSES: usize = 50;
/// The most mails that it refers to beside the one that it answers.
const MAX_REFERENCES: usize = 50;
/// The longest subject, and the longest name of an address, bytes.
const MAX_SUBJECT: usize = 500;
const MAX_NAME: usize = 100;
/// The longest address, and the longest id of a mail, bytes.
const MAX_ID: usize = 254;

/// The media type of a mail by itself.
const MAIL: &str = "message/rfc822";
/// Of a mail behind JSON that is about it.
const WITH_METADATA: &str = "multipart/related";
/// Begins every boundary.
const BOUNDARY: &str = "countersign-";

/// A mail of plain text. Sender and date are set by whoever sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    to: Vec<MailAddress>,
    cc: Vec<MailAddress>,
    bcc: Vec<MailAddress>,
    subject: String,
    text: String,
    in_reply_to: Option<String>,
    references: Vec<String>,
}

/// An address, perhaps with a name: `Maria Lopez <maria@example.org>`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MailAddress {
    name: Option<String>,
    address: String,
}

impl Mail {
    /// Reads what a mail is made of: the keys are [`MAIL_KEYS`], of which `to`, `subject` and `text` are needed.
    ///
    /// # Errors
    /// [`EffectError::Mail`] when something is missing, or cannot stand in a mail as it is.
    pub fn of(parts: &Map<String, Value>) -> Result<Self, EffectError> {
        let [to, cc, bcc] = ["to", "cc", "bcc"].map(|key| addresses(parts, key));
        let mail = Self {
            to: to?,
            cc: cc?,
            bcc: bcc?,
            subject: line("subject", &needed(parts, "subject")?, MAX_SUBJECT)?,
            text: body_text(&needed(parts, "text")?)?,
            in_reply_to: one(parts, "in_reply_to")?.map(|id| mail_id(&id)).transpose()?,
            references: references(parts)?,
        };
        let addresses = mail.to.len() + mail.cc.len() + mail.bcc.len();
        match (mail.to.is_empty(), addresses > MAX_ADDRESSES) {
            (true, _) => refused("`to` is missing"),
            (_, true) => refused(format!("it has {addresses} addresses; at most {MAX_ADDRESSES}")),
            _ => mail.referring().readable(),
        }
    }

    /// What nobody could be shown as it is meant is not asked about: an address may be read as something else than it says.
    fn readable(self) -> Result<Self, EffectError> {
        match Self::read(&self.written()) {
            Some(read) if read == self => Ok(self),
            _ => refused("mail programs would read something else in it"),
        }
    }

    /// An answer also refers to the mail that it answers (RFC 5322, section 3.6.4).
    fn referring(mut self) -> Self {
        if let Some(id) = &self.in_reply_to
            && !self.references.contains(id)
        {
            self.references.push(id.clone());
        }
        self
    }

    /// The body of a request that carries the mail: by itself, or behind JSON that is about it.
    #[must_use]
    pub fn body(&self, metadata: Option<&Value>) -> Body {
        let mail = self.written();
        let Some(metadata) = metadata else { return Body { media: MAIL.to_owned(), text: mail } };
        let json = metadata.to_string();
        // It follows from what it divides, so that the same mail is always the same bytes, and stands in none of it.
        let hash = hex::encode(Sha256::digest(format!("{json}\n{mail}")));
        let boundary = format!("{BOUNDARY}{}", &hash[..32]);
        Body {
            media: format!("{WITH_METADATA}; boundary={boundary}"),
            text: parts(&boundary, &json, &mail),
        }
    }

    /// The mail as it is sent.
    fn written(&self) -> String {
        let mut mail = String::new();
        for (name, list) in [("To", &self.to), ("Cc", &self.cc), ("Bcc", &self.bcc)] {
            header(&mut mail, name, ",\r\n ", list.iter().map(MailAddress::written));
        }
        header(&mut mail, "Subject", "", [encoded("Subject: ".len(), &self.subject)]);
        header(&mut mail, "In-Reply-To", "", self.in_reply_to.clone());
        header(&mut mail, "References", "\r\n ", self.references.iter().cloned());
        mail.push_str("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n");
        mail.push_str("Content-Transfer-Encoding: quoted-printable\r\n\r\n");
        let text = self.text.replace('\n', "\r\n");
        mail.push_str(&quoted_printable::encode_to_str(text));
        mail.push_str("\r\n");
        mail
    }

    /// The mail of a text that is exactly how [`Self::written`] writes it.
    fn read(text: &str) -> Option<Self> {
        let read = MessageParser::default().parse(text)?;
        let body = read.body_text(0)?.replace("\r\n", "\n");
        let mail = Self {
            to: listed(read.to())?,
            cc: listed(read.cc())?,
            bcc: listed(read.bcc())?,
            subject: read.subject()?.to_owned(),
            text: body.strip_suffix('\n')?.to_owned(),
            in_reply_to: ids(read.in_reply_to()).into_iter().next(),
            references: ids(read.references()),
        };
        (is_plain(&read) && mail.written() == text).then_some(mail)
    }

    fn fields(&self) -> Vec<Field> {
        let lists = [("To", &self.to), ("Cc", &self.cc), ("Bcc", &self.bcc)];
        let lists = lists
            .into_iter()
            .flat_map(|(name, list)| list.iter().map(move |address| field(name, &address.shown())));
        let mut fields: Vec<Field> = lists.collect();
        fields.extend([field("Subject", &self.subject), field("text", &self.text)]);
        fields
    }

    /// The mails that it is about, of which there may be many.
    fn references(&self) -> impl Iterator<Item = Field> {
        let answered = self.in_reply_to.iter().map(|id| field("In-Reply-To", id));
        answered.chain(self.references.iter().map(|id| field("References", id)))
    }
}

/// What is shown of a body that carries a mail.
pub(crate) struct ShownMail<'b> {
    /// Addresses, subject and text.
    pub(crate) fields: Vec<Field>,
    /// The JSON that is about it.
    pub(crate) metadata: Option<&'b str>,
    /// The mails that it refers to.
    pub(crate) references: Vec<Field>,
}

/// What is shown of a body; none when it is not how [`Mail::body`] writes it.
pub(crate) fn shown(body: &Body) -> Option<ShownMail<'_>> {
    let (mail, metadata) = if body.media == MAIL {
        (Mail::read(&body.text)?, None)
    } else {
        let boundary = body.media.strip_prefix(WITH_METADATA)?.strip_prefix("; boundary=")?;
        let (json, mail) = divided(boundary, &body.text)?;
        let mail = Mail::read(mail)?;
        let again = mail.body(Some(&serde_json::from_str(json).ok()?));
        (again == *body).then_some((mail, Some(json)))?
    };
    Some(ShownMail { fields: mail.fields(), metadata, references: mail.references().collect() })
}

/// JSON and mail as two parts (RFC 2387).
fn parts(boundary: &str, json: &str, mail: &str) -> String {
    let [begin, between, end] = marks(boundary);
    format!("{begin}{json}{between}{mail}{end}")
}

fn divided<'t>(boundary: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    let [begin, between, end] = marks(boundary);
    text.strip_prefix(&begin)?.strip_suffix(&end)?.split_once(&between)
}

/// What stands before the JSON, between it and the mail, and behind the mail.
fn marks(boundary: &str) -> [String; 3] {
    [
        format!("--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n"),
        format!("\r\n--{boundary}\r\nContent-Type: {MAIL}\r\n\r\n"),
        format!("\r\n--{boundary}--\r\n"),
    ]
}

impl MailAddress {
    fn parse(key: &str, text: &str) -> Result<Self, EffectError> {
        let wrong = || {
            let shown: String = text.chars().take(100).collect();
            EffectError::Mail(format!("`{key}`: `{shown}` is not one mail address"))
        };
        let text = text.trim();
        let text = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text);
        let options = Options::default().with_required_tld().without_domain_literal();
        let read = EmailAddress::parse_with_options(text, options).map_err(|_| wrong())?;
        let address = read.email();
        let is_plain = |c: char| c.is_ascii_graphic() && !"\"<>,;:\\()[]".contains(c);
        if address.len() > MAX_ID || !address.chars().all(is_plain) || is_encoded(&address) {
            return Err(wrong());
        }
        let name = unquoted(read.display_part()).ok_or_else(wrong)?;
        let name = line(key, &name, MAX_NAME)?;
        if name.contains(['@', '<', '>', ';', ':', '"', '(', ')', '\\']) && name != address {
            return Err(wrong());
        }
        Ok(Self { name: Some(name).filter(|name| !name.is_empty() && *name != address), address })
    }

    fn written(&self) -> String {
        let Some(name) = &self.name else { return self.address.clone() };
        let text = with_writer(1, |writer| quoted_string::encode(name, writer));
        format!("{text} <{}>", self.address)
    }

    /// As people read it: the address first, so that no name can push it out of sight.
    fn shown(&self) -> String {
        let Self { name, address } = self;
        name.as_ref().map_or_else(|| address.clone(), |name| format!("{address} ({name})"))
    }
}

/// A name as it is meant: `"Lopez, Maria"` without its quotes. None of a name with a comma and without quotes: it would be
/// several addresses.
fn unquoted(name: &str) -> Option<String> {
    let name = name.trim();
    let inner = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    match inner {
        Some(inner) => Some(inner.to_owned()),
        None => (!name.contains(',')).then(|| name.to_owned()),
    }
}

/// Whether a mail program may take a part of it for an encoded word (RFC 2047).
fn is_encoded(text: &str) -> bool {
    text.contains("=?") || text.contains("?=")
}

/// The value of a header: as it is where that is only printable ASCII, else in encoded words (RFC 2047).
fn encoded(before: usize, value: &str) -> String {
    let is_plain = value.bytes().all(|b| (32..127).contains(&b)) && !is_encoded(value);
    if is_plain {
        return value.to_owned();
    }
    with_writer(before, |writer| rfc2047::encode(value, writer))
}

/// What is written behind so many characters of a line.
fn with_writer(
    before: usize,
    write: impl FnOnce(&mut EmailWriter<'_>) -> std::fmt::Result,
) -> String {
    let mut text = String::new();
    // Nothing fails that is written to a text.
    let _ = write(&mut EmailWriter::new(&mut text, before, 0, false));
    text
}

/// Writes a header; none where there is no value.
fn header(to: &mut String, name: &str, between: &str, values: impl IntoIterator<Item = String>) {
    let values: Vec<String> = values.into_iter().collect();
    if !values.is_empty() {
        to.push_str(&format!("{name}: {}\r\n", values.join(between)));
    }
}

fn field(name: &str, value: &str) -> Field {
    Field { name: name.to_owned(), value: value.to_owned(), kind: ValueKind::Text }
}

fn refused<T>(why: impl Into<String>) -> Result<T, EffectError> {
    Err(EffectError::Mail(why.into()))
}

/// One text, or a list of them. What is null or empty is not there.
fn texts(parts: &Map<String, Value>, key: &str) -> Result<Vec<String>, EffectError> {
    let one = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        _ => refused(format!("`{key}` is not a text or a list of texts")),
    };
    let found = match parts.get(key) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items.iter().map(one).collect::<Result<_, _>>()?,
        Some(value) => vec![one(value)?],
    };
    Ok(found.into_iter().filter(|text| !text.trim().is_empty()).collect())
}

/// The one text, if there is any.
fn one(parts: &Map<String, Value>, key: &str) -> Result<Option<String>, EffectError> {
    let mut found = texts(parts, key)?.into_iter();
    match (found.next(), found.next()) {
        (found, None) => Ok(found),
        _ => refused(format!("`{key}` must be one text")),
    }
}

fn needed(parts: &Map<String, Value>, key: &str) -> Result<String, EffectError> {
    one(parts, key)?.map_or_else(|| refused(format!("`{key}` is missing")), Ok)
}

fn addresses(parts: &Map<String, Value>, key: &str) -> Result<Vec<MailAddress>, EffectError> {
    texts(parts, key)?.iter().map(|text| MailAddress::parse(key, text)).collect()
}

/// A text of one line: nothing in it ends a header, or cannot be seen.
fn line(key: &str, text: &str, most: usize) -> Result<String, EffectError> {
    let text = text.trim();
    let is_unseen = |c: char| is_hidden(c) || (c.is_whitespace() && c != ' ');
    if text.len() > most || text.chars().any(is_unseen) {
        return refused(format!(
            "`{key}` must be one line of at most {most} bytes, without invisible characters"
        ));
    }
    Ok(text.to_owned())
}

/// The text with line feeds between its lines, and none behind the last.
fn body_text(text: &str) -> Result<String, EffectError> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return refused("`text` holds control characters");
    }
    Ok(text.trim_end_matches('\n').to_owned())
}

/// The ids of the mails that it refers to: a list, or the value of such a header.
fn references(parts: &Map<String, Value>) -> Result<Vec<String>, EffectError> {
    let given = texts(parts, "references")?;
    let all = given.iter().flat_map(|text| text.split_whitespace()).map(mail_id);
    let mut all = all.collect::<Result<Vec<_>, _>>()?;
    // The first one tells the thread, and the latest are near (RFC 5322 lets the list be shortened).
    if all.len() > MAX_REFERENCES {
        all.drain(1..=all.len() - MAX_REFERENCES);
    }
    Ok(all)
}

/// The id of a mail between angle brackets.
fn mail_id(text: &str) -> Result<String, EffectError> {
    let id = text.trim().trim_start_matches('<').trim_end_matches('>');
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>()\"\\,;".contains(c);
    let fits = id.contains('@') && id.len() <= MAX_ID && id.chars().all(is_plain);
    if fits && !is_encoded(id) {
        return Ok(format!("<{id}>"));
    }
    let shown: String = text.chars().take(100).collect();
    refused(format!("`{shown}` is not the id of a mail, such as `<id@example.org>`"))
}

/// The addresses of a header, if they are plain ones.
fn listed(list: Option<&Address<'_>>) -> Option<Vec<MailAddress>> {
    let one = |address: &Addr<'_>| {
        let name = address.name.as_ref().map(ToString::to_string);
        Some(MailAddress { name, address: address.address.as_ref()?.to_string() })
    };
    match list {
        None => Some(Vec::new()),
        Some(Address::List(all)) => all.iter().map(one).collect(),
        Some(Address::Group(_)) => None,
    }
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let one = |id: &std::borrow::Cow<'_, str>| format!("<{id}>");
    match value {
        HeaderValue::Text(id) => vec![one(id)],
        HeaderValue::TextList(all) => all.iter().map(one).collect(),
        _ => Vec::new(),
    }
}

/// Whether it is one text, and nothing is attached.
fn is_plain(mail: &Message<'_>) -> bool {
    mail.parts.len() == 1 && mail.attachments.is_empty()
}

#[cfg(test)]
mod tests;
