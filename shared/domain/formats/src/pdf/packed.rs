//! How large packed data is once it is unpacked, found out without holding it.
//!
//! Counted is what the library would unpack: it takes packings around each other, does without a zlib header that is
//! damaged, and reads a packing's name however it is written.

use std::io::{self, BufReader, Read};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use memchr::memchr_iter;
use pdf_extract::{Dictionary, Object, Stream};
use weezl::decode::Decoder;
use weezl::{BitOrder, LzwStatus};

/// Packings around each other that are looked through.
pub(super) const MAX_LAYERS: usize = 3;
/// No name that matters is longer.
const MAX_NAME: usize = 32;
const FLATE: &[u8] = b"FlateDecode";
const LZW: &[u8] = b"LZWDecode";
const ASCII85: &[u8] = b"ASCII85Decode";

/// One way of packing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Flate,
    /// With a header that says nothing, which the library does without.
    Headless,
    /// `early`: codes grow one code early, as nearly everybody writes them.
    Lzw {
        early: bool,
    },
    Ascii85,
}

/// More than may be unpacked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

/// The packings that a document names anywhere, and how many of them stand around each other at most.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    packings: Vec<Packing>,
    layers: usize,
}

impl Named {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut named = Self::default();
        let mut last = None;
        for (name, start, end) in names(bytes) {
            let found: &[Packing] = match &name[..] {
                FLATE => &[Packing::Flate],
                LZW => &[Packing::Lzw { early: true }, Packing::Lzw { early: false }],
                ASCII85 => &[Packing::Ascii85],
                _ => continue,
            };
            if !named.packings.contains(&found[0]) {
                named.packings.extend(found);
            }
            let chain = match last {
                Some((end, chain)) if is_space(&bytes[end..start]) => chain + 1,
                _ => 1,
            };
            named.layers = named.layers.max(chain);
            last = Some((end, chain));
        }
        named
    }

    pub(super) fn layers(&self) -> usize {
        self.layers
    }

    /// Takes from `left` what data could be unpacked to, by any of the packings in any order.
    pub(super) fn count(&self, data: &[u8], left: &mut u64) -> Result<(), TooMuch> {
        self.inside(data, &mut Vec::new(), left)
    }

    fn inside(
        &self,
        data: &[u8],
        around: &mut Vec<Packing>,
        left: &mut u64,
    ) -> Result<(), TooMuch> {
        if around.len() == self.layers {
            return Ok(());
        }
        for packing in &self.packings {
            let size = push(data, around, *packing, *left);
            *left = left.checked_sub(size).ok_or(TooMuch)?;
            if size > 0 {
                self.inside(data, around, left)?;
            }
            around.pop();
        }
        Ok(())
    }
}

/// The size of a stream once it is unpacked as it says itself; at most a little more than `left`.
pub(super) fn unpacked(stream: &Stream, left: u64) -> u64 {
    let early = |params: &Dictionary| params.get(b"EarlyChange").and_then(Object::as_i64).ok();
    let params = stream.dict.get(b"DecodeParms").and_then(Object::as_dict).ok();
    let early = params.and_then(early) != Some(0);
    let mut around = Vec::new();
    let mut most = stream.content.len() as u64;
    for name in stream.filters().unwrap_or_default() {
        let packing = match name {
            FLATE => Packing::Flate,
            LZW => Packing::Lzw { early },
            ASCII85 => Packing::Ascii85,
            _ => break,
        };
        if around.len() == MAX_LAYERS {
            return u64::MAX;
        }
        most = most.max(push(&stream.content, &mut around, packing, left));
    }
    most
}

/// Adds a packing inside others, and gives the size of what is in it, counted until it is more than `left`.
fn push(data: &[u8], around: &mut Vec<Packing>, packing: Packing, left: u64) -> u64 {
    around.push(packing);
    let size = count(reader(data, around), left);
    if size > 0 || packing != Packing::Flate {
        return size;
    }
    around.pop();
    around.push(Packing::Headless);
    count(reader(data, around), left)
}

fn reader<'d>(data: &'d [u8], around: &[Packing]) -> Box<dyn Read + 'd> {
    let mut reader: Box<dyn Read + 'd> = Box::new(data);
    for packing in around {
        reader = match packing {
            Packing::Flate => Box::new(ZlibDecoder::new(reader)),
            Packing::Headless => {
                Box::new(DeflateDecoder::new(Headless { inner: reader, skipped: false }))
            }
            Packing::Lzw { early } => Box::new(Lzw::new(reader, *early)),
            Packing::Ascii85 => Box::new(Ascii85::new(reader)),
        };
    }
    reader
}

/// Damage ends the count: what came before it has been unpacked.
fn count(mut reader: impl Read, left: u64) -> u64 {
    let mut piece = [0; 16 * 1024];
    let mut size = 0;
    while let Ok(count @ 1..) = reader.read(&mut piece) {
        size += count as u64;
        if size > left {
            break;
        }
    }
    size
}

/// What follows the two bytes of a header.
struct Headless<R> {
    inner: R,
    skipped: bool,
}

impl<R: Read> Read for Headless<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.skipped {
            self.inner.read_exact(&mut [0; 2])?;
            self.skipped = true;
        }
        self.inner.read(into)
    }
}

struct Lzw<R> {
    inner: R,
    decoder: Decoder,
    held: Box<[u8]>,
    start: usize,
    end: usize,
    done: bool,
}

impl<R: Read> Lzw<R> {
    fn new(inner: R, early: bool) -> Self {
        let decoder = if early {
            Decoder::with_tiff_size_switch(BitOrder::Msb, 8)
        } else {
            Decoder::new(BitOrder::Msb, 8)
        };
        let held = vec![0; 4 * 1024].into_boxed_slice();
        Self { inner, decoder, held, start: 0, end: 0, done: false }
    }
}

impl<R: Read> Read for Lzw<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.done {
            if self.start == self.end {
                self.start = 0;
                // Damage ends what is inside; what came before it counts.
                self.end = self.inner.read(&mut self.held).unwrap_or(0);
            }
            let ended = self.end == 0;
            let step = self.decoder.decode_bytes(&self.held[self.start..self.end], into);
            self.start += step.consumed_in;
            let stuck = ended && step.consumed_out == 0;
            self.done = stuck || matches!(step.status, Err(_) | Ok(LzwStatus::Done));
            if step.consumed_out > 0 {
                return Ok(step.consumed_out);
            }
        }
        Ok(0)
    }
}

struct Ascii85<R> {
    inner: BufReader<R>,
    group: u32,
    digits: usize,
    ready: [u8; 4],
    /// How many of the bytes in `ready` are not yet read; they are the last ones.
    open: usize,
    done: bool,
}

impl<R: Read> Ascii85<R> {
    fn new(inner: R) -> Self {
        let inner = BufReader::with_capacity(4 * 1024, inner);
        Self { inner, group: 0, digits: 0, ready: [0; 4], open: 0, done: false }
    }

    /// Makes the next group ready; a shorter one at the end counts as a whole one.
    fn next(&mut self) {
        while self.open == 0 && !self.done {
            let mut byte = [0];
            let read = self.inner.read(&mut byte).unwrap_or(0);
            match byte[0] {
                _ if read == 0 => self.done = true,
                b'z' if self.digits == 0 => {
                    (self.ready, self.open) = ([0; 4], 4);
                    return;
                }
                byte if byte.is_ascii_whitespace() => continue,
                byte @ b'!'..=b'u' => {
                    self.group = self.group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                    self.digits += 1;
                }
                _ => self.done = true,
            }
            if self.digits == 5 || self.done && self.digits > 0 {
                for _ in self.digits..5 {
                    self.group = self.group.wrapping_mul(85).wrapping_add(84);
                }
                (self.ready, self.open) = (self.group.to_be_bytes(), 4);
                (self.group, self.digits) = (0, 0);
            }
        }
    }
}

impl<R: Read> Read for Ascii85<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut given = 0;
        while given < into.len() {
            self.next();
            let Some(count) = Some(self.open.min(into.len() - given)).filter(|count| *count > 0)
            else {
                break;
            };
            let from = 4 - self.open;
            into[given..given + count].copy_from_slice(&self.ready[from..from + count]);
            self.open -= count;
            given += count;
        }
        Ok(given)
    }
}

/// The names in a document, with where each starts and ends. In packed data there may stand more.
pub(super) fn names(bytes: &[u8]) -> impl Iterator<Item = (Vec<u8>, usize, usize)> {
    memchr_iter(b'/', bytes).map(|start| {
        let mut name = Vec::new();
        let mut at = start + 1;
        while let Some(byte) = bytes.get(at).copied().filter(|byte| is_regular(*byte)) {
            let (byte, length) = match byte {
                b'#' => match escaped(&bytes[at + 1..]) {
                    Some(byte) => (byte, 3),
                    None => break,
                },
                byte => (byte, 1),
            };
            if name.len() > MAX_NAME {
                break;
            }
            name.push(byte);
            at += length;
        }
        (name, start, at)
    })
}

fn escaped(after: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

fn is_regular(byte: u8) -> bool {
    !b" \t\n\r\0\x0C()<>[]{}/%".contains(&byte)
}

/// Where what follows white space and comments starts.
pub(super) fn after_space(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'\0' | b'\x0C' => at += 1,
            b'%' => {
                let rest = &bytes[at..];
                at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            }
            _ => break,
        }
    }
    at
}

fn is_space(bytes: &[u8]) -> bool {
    after_space(bytes) == bytes.len()
}
