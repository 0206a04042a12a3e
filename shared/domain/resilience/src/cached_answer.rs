//! The last good answer, which stands in for one that failed (K-75).

use std::io::{self, Write};
use std::time::Duration;

use countersign_zones::to_the_second;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest an answer stands in.
pub const KEEP_FOR: Duration = Duration::from_secs(7 * 86_400);
/// The largest answer that is kept, as JSON.
pub const KEEP_BYTES: usize = 1024 * 1024;

/// An answer that was good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedAnswer {
    /// What the endpoint gave.
    pub output: Map<String, Value>,
    /// When.
    pub at: Timestamp,
}

impl CachedAnswer {
    /// Its JSON, or `None` when it is too large to be kept.
    ///
    /// # Errors
    /// The serialiser's message.
    pub fn text(&self) -> Result<Option<String>, serde_json::Error> {
        let mut text = Bounded(Vec::new());
        match serde_json::to_writer(&mut text, self) {
            Ok(()) => Ok(String::from_utf8(text.0).ok()),
            Err(error) if error.is_io() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// When it ceases to stand in.
    #[must_use]
    pub fn until(&self) -> Timestamp {
        let time = SignedDuration::try_from(KEEP_FOR).unwrap_or(SignedDuration::MAX);
        self.at.checked_add(time).unwrap_or(Timestamp::MAX)
    }

    /// What stands in for the answer of a call that failed at `now` because of `cause`: the old one, which says that it is
    /// and how old. `None` when it is too old.
    #[must_use]
    pub fn stale(self, now: Timestamp, cause: &str) -> Option<Value> {
        if now >= self.until() {
            return None;
        }
        let age = now.duration_since(self.at).as_secs().max(0);
        let mut output = self.output;
        output.insert("_stale".to_owned(), true.into());
        output.insert("_stale_age_seconds".to_owned(), age.into());
        let (of, old) = (to_the_second(self.at), spoken(age));
        let note = format!("{cause}; this is the answer of {of}, {old} old");
        if let Some(count) = output.get("warning_count").and_then(Value::as_u64) {
            output.insert("warning_count".to_owned(), (count + 1).into());
        }
        // First, because only the first of many are written out to whoever signs.
        match output.get_mut("warnings") {
            Some(Value::Array(warnings)) => warnings.insert(0, note.into()),
            _ => {
                output.insert("warnings".to_owned(), Value::from(vec![note]));
            }
        }
        Some(Value::Object(output))
    }
}

/// An age as people say it: its largest unit.
fn spoken(seconds: i64) -> String {
    let (count, unit) = match seconds {
        0..=119 => (seconds, "second"),
        120..=7_199 => (seconds / 60, "minute"),
        7_200..=172_799 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

/// Takes no more than is kept, so that a large answer is not written out to learn that it is too large.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > KEEP_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
