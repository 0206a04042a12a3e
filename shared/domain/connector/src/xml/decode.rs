//! Bytes of any supported encoding become UTF-8 while they are read, with their place counted.

use std::io::{self, BufRead, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::error::{Place, XmlError};
use crate::json_path::unquoted;
use crate::undecoded::Undecoded;

const CHUNK: usize = 32 * 1024;
const SNIFF: usize = 1024;

/// A reader of UTF-8 over bytes in UTF-8, UTF-16 or a declared single-byte encoding.
///
/// Memory is one chunk of each side. It refuses more than `max_bytes` in all and more than `max_token` between two
/// calls of [`Transcoder::next_token`], so that no single tag or text can fill the memory.
pub(super) struct Transcoder<R> {
    source: Undecoded<R>,
    decoder: Option<Decoder>,
    text: Vec<u8>,
    taken: usize,
    token: u64,
    max_token: u64,
    /// Where the decoded chunk starts.
    place: Place,
}

impl<R: Read> Transcoder<R> {
    pub(super) fn new(inner: R, max_bytes: u64, max_token: u64) -> Self {
        Self {
            source: Undecoded::new(inner, CHUNK, max_bytes),
            decoder: None,
            text: Vec::new(),
            taken: 0,
            token: 0,
            max_token,
            place: Place { line: 1, column: 1 },
        }
    }

    /// The place up to which the parser has read.
    pub(super) fn place(&self) -> Place {
        self.place.after(&self.text[..self.taken])
    }

    /// Bytes read from the source.
    pub(super) fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// Starts a new token: its size counts from zero.
    pub(super) fn next_token(&mut self) {
        self.token = 0;
    }

    /// Decodes the next chunk into `text`.
    fn refill(&mut self) -> Result<(), XmlError> {
        // Lines are counted for a chunk at a time: most places are never asked for.
        self.place = self.place.after(&self.text[..self.taken]);
        self.text.clear();
        self.taken = 0;
        let want = if self.decoder.is_none() { SNIFF } else { CHUNK };
        self.source.fill(want)?;
        let decoder = match self.decoder.take() {
            Some(decoder) => decoder,
            None => sniff(self.source.held())?.new_decoder_with_bom_removal(),
        };
        let decoder = self.decoder.insert(decoder);
        let held = self.source.held();
        let room = decoder.max_utf8_buffer_length_without_replacement(held.len());
        self.text.resize(room.unwrap_or(CHUNK * 4), 0);
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(
            held,
            &mut self.text,
            self.source.has_ended(),
        );
        self.text.truncate(written);
        if let DecoderResult::Malformed(bad, after) = result {
            return Err(XmlError::Encoding {
                encoding: decoder.encoding().name().to_owned(),
                offset: self.source.offset_of_malformed(read, bad, after),
            });
        }
        self.source.advance(read);
        Ok(())
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(into.len());
        into[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Transcoder<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.token > self.max_token {
            let what = "bytes in one tag or text";
            return Err(io::Error::other(XmlError::Limit {
                place: self.place(),
                what: what.into(),
                limit: self.max_token,
            }));
        }
        while self.taken == self.text.len() && !(self.source.is_spent() && self.decoder.is_some()) {
            self.refill().map_err(io::Error::other)?;
            if self.source.is_spent() {
                break;
            }
        }
        Ok(&self.text[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        let end = (self.taken + count).min(self.text.len());
        self.token += (end - self.taken) as u64;
        self.taken = end;
    }
}

/// The encoding by byte order mark, by the look of the first bytes, or by the XML declaration.
fn sniff(head: &[u8]) -> Result<&'static Encoding, XmlError> {
    if head.starts_with(&[0xFF, 0xFE, 0, 0]) || head.starts_with(&[0, 0, 0xFE, 0xFF]) {
        return Err(XmlError::Declaration {
            declared: "UTF-32".to_owned(),
            problem: "not supported".into(),
        });
    }
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return Ok(encoding);
    }
    match head {
        [b'<', 0, ..] => return Ok(UTF_16LE),
        [0, b'<', ..] => return Ok(UTF_16BE),
        _ => {}
    }
    let Some(declared) = declared_encoding(head) else { return Ok(UTF_8) };
    let problem = |problem: &'static str| XmlError::Declaration {
        declared: declared.clone(),
        problem: problem.into(),
    };
    match Encoding::for_label_no_replacement(declared.as_bytes()) {
        None => Err(problem("not known")),
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => {
            Err(problem("contradicted by the bytes, which are of one byte per character"))
        }
        Some(encoding) if !encoding.is_ascii_compatible() => Err(problem("not supported")),
        Some(encoding) => Ok(encoding),
    }
}

/// The `encoding` of an XML declaration in ASCII-compatible bytes.
fn declared_encoding(head: &[u8]) -> Option<String> {
    let head = head.strip_prefix(b"<?xml")?;
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(&head[..end]).ok()?;
    let (_, after) = declaration.split_once("encoding")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let (name, _) = unquoted(value)?;
    Some(name.trim().chars().take(40).collect())
}
