//! Bytes of any supported encoding become UTF-8 while they are read.

use std::io::{self, Read};

use countersign_connector::undecoded::Undecoded;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::FormatError;

const CHUNK: usize = 64 * 1024;
const SNIFF: usize = 1024;

/// UTF-8 over bytes in the encoding of their mark, in UTF-16 when they look like it, in UTF-8 when they do and the encoding given
/// is one of single bytes, else in the one given. Memory is one chunk of each side.
pub(crate) struct Text<R> {
    source: Undecoded<R>,
    encoding: &'static Encoding,
    decoder: Option<Decoder>,
    ready: String,
    taken: usize,
    /// Whether nothing of it has been given out.
    is_new: bool,
}

impl<R: Read> Text<R> {
    /// `encoding` is the one of bytes without a mark that look like no other; UTF-8 when there is none.
    pub(crate) fn new(inner: R, encoding: Option<&str>, max_bytes: u64) -> Self {
        let encoding = encoding.and_then(|name| Encoding::for_label(name.as_bytes()));
        Self {
            source: Undecoded::new(inner, CHUNK, max_bytes),
            encoding: encoding.unwrap_or(UTF_8),
            decoder: None,
            ready: String::new(),
            taken: 0,
            is_new: true,
        }
    }

    /// Appends the next piece of text; `false` at the end.
    pub(crate) fn append(&mut self, into: &mut String) -> Result<bool, FormatError> {
        let before = into.len();
        while into.len() == before {
            if self.source.is_spent() && self.decoder.is_some() {
                return Ok(false);
            }
            self.decode(into)?;
            if self.source.is_spent() {
                return Ok(into.len() > before);
            }
        }
        Ok(true)
    }

    fn decode(&mut self, into: &mut String) -> Result<(), FormatError> {
        let taken = self.decoder.take();
        self.source.fill(if taken.is_none() && self.is_new { SNIFF } else { CHUNK })?;
        let Some(mut decoder) = taken.or_else(|| self.chosen(into)) else { return Ok(()) };
        let (held, has_ended) = (self.source.held(), self.source.has_ended());
        let room = decoder.max_utf8_buffer_length_without_replacement(held.len());
        into.reserve(room.unwrap_or(CHUNK * 4));
        let (result, read) = decoder.decode_to_string_without_replacement(held, into, has_ended);
        let encoding = decoder.encoding().name();
        self.decoder = Some(decoder);
        if let DecoderResult::Malformed(bad, after) = result {
            let offset = self.source.offset_of_malformed(read, bad, after);
            return Err(FormatError::Encoding { encoding: encoding.to_owned(), offset });
        }
        self.source.advance(read);
        Ok(())
    }

    /// The decoder for what is held. None while that is text which reads the same in UTF-8 and in the encoding given: it is
    /// appended, and what comes first that does not read the same shows which of the two it is.
    fn chosen(&mut self, into: &mut String) -> Option<Decoder> {
        let head = self.source.held();
        let shown = if self.is_new { shown(head) } else { None };
        if let Some(encoding) = shown {
            return Some(encoding.new_decoder_with_bom_removal());
        }
        // Of an encoding with characters of several bytes, a piece may well be UTF-8 by chance.
        if self.encoding == UTF_8 || !self.encoding.is_single_byte() {
            return Some(self.encoding.new_decoder_with_bom_removal());
        }
        self.is_new = false;
        let alike = Encoding::ascii_valid_up_to(head);
        if alike == 0 {
            let encoding =
                if is_utf8(head, self.source.has_ended()) { UTF_8 } else { self.encoding };
            return Some(encoding.new_decoder_without_bom_handling());
        }
        into.extend(head[..alike].iter().map(|byte| char::from(*byte)));
        self.source.advance(alike);
        None
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

/// The encoding by mark, or by zero bytes where text has none.
fn shown(head: &[u8]) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return Some(encoding);
    }
    match head {
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some(UTF_16LE),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether a piece of a file is UTF-8. Its last character may be cut, unless the file ends there.
fn is_utf8(piece: &[u8], ended: bool) -> bool {
    std::str::from_utf8(piece).map_or_else(|error| error.error_len().is_none() && !ended, |_| true)
}
