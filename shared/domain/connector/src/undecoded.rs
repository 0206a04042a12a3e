//! Bytes of a file that are not decoded yet: read piece by piece, counted, and never more than allowed.

use std::io::{self, Read};

/// Bytes on their way to a decoder, a piece at a time.
#[derive(Debug)]
pub struct Undecoded<R> {
    inner: R,
    raw: Vec<u8>,
    held: usize,
    bytes: u64,
    max_bytes: u64,
    has_ended: bool,
}

/// Why bytes cannot be had.
#[derive(Debug)]
pub enum Unreadable {
    /// Their source failed.
    Source(io::Error),
    /// There are more than allowed.
    TooLarge {
        /// How many are allowed.
        max_bytes: u64,
    },
}

impl<R: Read> Undecoded<R> {
    /// Of a source that may give `max_bytes`, at most `piece` of them at once.
    pub fn new(inner: R, piece: usize, max_bytes: u64) -> Self {
        Self { inner, raw: vec![0; piece], held: 0, bytes: 0, max_bytes, has_ended: false }
    }

    /// Reads on until `want` bytes are held, or the source has ended. `want` is at most one piece.
    ///
    /// # Errors
    /// [`Unreadable`] when the source fails or gives more than allowed.
    pub fn fill(&mut self, want: usize) -> Result<(), Unreadable> {
        while self.held < want && !self.has_ended {
            let read = match self.inner.read(&mut self.raw[self.held..want]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Unreadable::Source(error)),
            };
            self.held += read;
            self.has_ended = read == 0;
            self.bytes += read as u64;
            if self.bytes > self.max_bytes {
                return Err(Unreadable::TooLarge { max_bytes: self.max_bytes });
            }
        }
        Ok(())
    }

    /// What was read and is not decoded.
    #[must_use]
    pub fn held(&self) -> &[u8] {
        &self.raw[..self.held]
    }

    /// The first `count` bytes are decoded.
    pub fn advance(&mut self, count: usize) {
        self.raw.copy_within(count..self.held, 0);
        self.held -= count;
    }

    /// How many bytes the source has given.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }

    /// Whether the source has no more.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether the source has no more, and all of it is decoded.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.has_ended && self.held == 0
    }

    /// Where in the source a malformed sequence starts, of which a decoder says after `read` of the held bytes that it has `bad` bytes,
    /// followed by `after` others.
    #[must_use]
    pub fn offset_of_malformed(&self, read: usize, bad: u8, after: u8) -> u64 {
        let before = self.bytes - self.held as u64;
        (before + read as u64).saturating_sub(u64::from(bad) + u64::from(after))
    }
}
