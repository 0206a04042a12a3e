//! Signed webhooks, as Standard Webhooks has them: `webhook-id`, `webhook-timestamp`, and in `webhook-signature` the
//! HMAC-SHA256 of both and the body.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::{SignedDuration, Timestamp};
use sha2::Sha256;

/// A message may be so old, or so far ahead.
pub const WINDOW: SignedDuration = SignedDuration::from_mins(5);

/// So many signatures one message may have: senders that change their key sign with both.
const MAX_SIGNATURES: usize = 10;

/// So many keys a trigger may have at once.
pub const MAX_KEYS: usize = 5;

/// So many messages a trigger takes in a minute, whether they are new or come again.
pub const MAX_PER_MINUTE: u64 = 60;

const PREFIX: &str = "whsec_";

/// The key of a sender. Its debug form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// The key of these bytes, which were drawn at random.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads `whsec_…`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// `whsec_…`, as its sender is given it, once.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    /// The signature of a message, as a sender writes it.
    #[must_use]
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mac = self.mac(id, &timestamp.to_string(), body).finalize();
        format!("v1,{}", STANDARD.encode(mac.into_bytes()))
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        // HMAC fills a short key with zeros up to its block.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        mac
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

/// What is wrong with the headers of a message, whoever it is for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookError {
    /// A header is not there, is there twice, or has another form.
    #[error("`{header}` {problem}")]
    Header {
        /// Which.
        header: &'static str,
        /// What is wrong.
        problem: &'static str,
    },
    /// The message is too old, or from the future.
    #[error(
        "the message was sent more than five minutes ago, or will be in more than five minutes"
    )]
    Window,
}

/// The headers of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The sender's id of it: the same however often it is sent.
    pub id: String,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// The same as it was written.
    timestamp: String,
    signatures: Vec<Vec<u8>>,
}

impl Message {
    /// Reads the values of the three headers, of which each must be there once.
    ///
    /// # Errors
    /// [`HookError`]. It follows from the message alone.
    pub fn read(
        id: &[&str],
        timestamp: &[&str],
        signature: &[&str],
        now: Timestamp,
    ) -> Result<Self, HookError> {
        let id = once("webhook-id", id)?;
        // A dot would let a message be read as another one with the same signature.
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':');
        if !(1..=128).contains(&id.len()) || !id.bytes().all(is_plain) {
            let problem = "must be 1 to 128 letters, digits, `_`, `-` and `:`";
            return Err(HookError::Header { header: "webhook-id", problem });
        }
        let written = once("webhook-timestamp", timestamp)?;
        let is_number =
            (1..=12).contains(&written.len()) && written.bytes().all(|b| b.is_ascii_digit());
        let seconds = written.parse().ok().filter(|_| is_number);
        let sent_at = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        let problem = "must be the seconds since 1970";
        let sent_at = sent_at.ok_or(HookError::Header { header: "webhook-timestamp", problem })?;
        if now.duration_since(sent_at).abs() > WINDOW {
            return Err(HookError::Window);
        }
        let signatures = signatures(once("webhook-signature", signature)?)?;
        Ok(Self { id: id.to_owned(), sent_at, timestamp: written.to_owned(), signatures })
    }

    /// Whether one of its signatures was made with one of these keys.
    #[must_use]
    pub fn is_signed_by(&self, keys: &[Secret], body: &[u8]) -> bool {
        self.signer(keys, body).is_some()
    }

    /// The first of these keys with which one of its signatures was made: its place. Every key is tried, whichever fits.
    #[must_use]
    pub fn signer<'a>(
        &self,
        keys: impl IntoIterator<Item = &'a Secret>,
        body: &[u8],
    ) -> Option<usize> {
        keys.into_iter().enumerate().fold(None, |found, (place, key)| {
            let mac = key.mac(&self.id, &self.timestamp, body);
            let fits = |own: &Vec<u8>| mac.clone().verify_slice(own).is_ok();
            let is_own = self.signatures.iter().fold(false, |found, own| fits(own) | found);
            found.or_else(|| is_own.then_some(place))
        })
    }
}

fn once<'a>(header: &'static str, values: &[&'a str]) -> Result<&'a str, HookError> {
    match values {
        [one] => Ok(one),
        [] => Err(HookError::Header { header, problem: "is missing" }),
        _ => Err(HookError::Header { header, problem: "must be there once" }),
    }
}

/// The signatures of version 1; those of other versions are another sender's business.
fn signatures(text: &str) -> Result<Vec<Vec<u8>>, HookError> {
    let wrong = |problem| HookError::Header { header: "webhook-signature", problem };
    let all: Vec<&str> = text.split(' ').filter(|one| !one.is_empty()).collect();
    if all.len() > MAX_SIGNATURES {
        return Err(wrong("has more than ten signatures"));
    }
    let of_one = all.iter().filter_map(|one| one.strip_prefix("v1,"));
    let read: Option<Vec<Vec<u8>>> = of_one.map(|one| STANDARD.decode(one).ok()).collect();
    // What is not base64 is not passed over: a header that was there twice looks like that.
    let read = read.filter(|read| !read.is_empty());
    read.ok_or_else(|| wrong("must have signatures `v1,…` in base64, with a space between"))
}
