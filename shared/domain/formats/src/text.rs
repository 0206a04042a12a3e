//! Bytes of any supported encoding become UTF-8 while they are read.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::FormatError;

const CHUNK: usize = 64 * 1024;
const SNIFF: usize = 1024;

/// UTF-8 over bytes in the encoding of their mark, of their look, or the one given. Memory is one chunk of each side.
pub(crate) struct Text<R> {
    inner: R,
    encoding: &'static Encoding,
    decoder: Option<Decoder>,
    raw: Vec<u8>,
    held: usize,
    ready: String,
    taken: usize,
    bytes: u64,
    max_bytes: u64,
    ended: bool,
}

impl<R: Read> Text<R> {
    /// `encoding` is the one of bytes without a mark; UTF-8 when there is none.
    pub(crate) fn new(inner: R, encoding: Option<&str>, max_bytes: u64) -> Self {
        let encoding = encoding.and_then(|name| Encoding::for_label(name.as_bytes()));
        Self {
            inner,
            encoding: encoding.unwrap_or(UTF_8),
            decoder: None,
            raw: vec![0; CHUNK],
            held: 0,
            ready: String::new(),
            taken: 0,
            bytes: 0,
            max_bytes,
            ended: false,
        }
    }

    /// Appends the next piece of text; `false` at the end.
    pub(crate) fn append(&mut self, into: &mut String) -> Result<bool, FormatError> {
        let before = into.len();
        while into.len() == before {
            if self.ended && self.held == 0 && self.decoder.is_some() {
                return Ok(false);
            }
            self.decode(into)?;
            if self.ended && self.held == 0 {
                return Ok(into.len() > before);
            }
        }
        Ok(true)
    }

    fn read_raw(&mut self, want: usize) -> Result<(), FormatError> {
        while self.held < want && !self.ended {
            let read = match self.inner.read(&mut self.raw[self.held..want]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(FormatError::of_io(&error)),
            };
            self.held += read;
            self.ended = read == 0;
            self.bytes += read as u64;
            if self.bytes > self.max_bytes {
                return Err(FormatError::TooLarge { max_bytes: self.max_bytes });
            }
        }
        Ok(())
    }

    fn decode(&mut self, into: &mut String) -> Result<(), FormatError> {
        self.read_raw(if self.decoder.is_none() { SNIFF } else { CHUNK })?;
        let mut decoder = match self.decoder.take() {
            Some(decoder) => decoder,
            None => look(&self.raw[..self.held], self.encoding).new_decoder_with_bom_removal(),
        };
        let room = decoder.max_utf8_buffer_length_without_replacement(self.held);
        into.reserve(room.unwrap_or(CHUNK * 4));
        let (result, read) =
            decoder.decode_to_string_without_replacement(&self.raw[..self.held], into, self.ended);
        let encoding = decoder.encoding().name();
        self.decoder = Some(decoder);
        if let DecoderResult::Malformed(bad, after) = result {
            let before = self.bytes - self.held as u64;
            let offset = (before + read as u64).saturating_sub(u64::from(bad) + u64::from(after));
            return Err(FormatError::Encoding { encoding: encoding.to_owned(), offset });
        }
        self.raw.copy_within(read..self.held, 0);
        self.held -= read;
        Ok(())
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            let mut ready = std::mem::take(&mut self.ready);
            ready.clear();
            self.taken = 0;
            let outcome = self.append(&mut ready);
            self.ready = ready;
            outcome.map_err(io::Error::other)?;
        }
        let available = &self.ready.as_bytes()[self.taken..];
        let count = available.len().min(into.len());
        into[..count].copy_from_slice(&available[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// The encoding by mark, by zero bytes where text has none, or the one expected.
pub(crate) fn look(head: &[u8], expected: &'static Encoding) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    match head {
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => UTF_16LE,
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => UTF_16BE,
        _ => expected,
    }
}
