//! JSON as it arrives: a window over the text, and where each value in it ends.

use std::io::Read;

use memchr::{memchr_iter, memchr2};

use crate::error::FormatError;
use crate::limits::Limits;
use crate::text::Text;

/// The part of the text that is being looked at; what was looked at is dropped.
pub(crate) struct Window<R> {
    text: Text<R>,
    buffer: String,
    at: usize,
    lines_before: u64,
    ended: bool,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(text: Text<R>) -> Self {
        Self { text, buffer: String::new(), at: 0, lines_before: 0, ended: false }
    }

    /// Reads more text; `false` when there is none.
    pub(crate) fn more(&mut self) -> Result<bool, FormatError> {
        if self.ended {
            return Ok(false);
        }
        if self.at > 0 {
            self.lines_before += newlines(&self.buffer[..self.at]);
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        let more = self.text.append(&mut self.buffer)?;
        self.ended = !more;
        Ok(more)
    }

    /// The line of the place looked at, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.lines_before + newlines(&self.buffer[..self.at]) + 1
    }

    /// All that is held.
    pub(crate) fn rest(&self) -> &str {
        &self.buffer[self.at..]
    }

    /// Whether nothing follows what is held.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The next `length` bytes, which were measured before.
    pub(crate) fn peek(&self, length: usize) -> &str {
        &self.buffer[self.at..self.at + length]
    }

    pub(crate) fn advance(&mut self, length: usize) {
        self.at += length;
    }

    /// The first byte that is not a white space; it is not passed.
    pub(crate) fn token(&mut self) -> Result<Option<u8>, FormatError> {
        loop {
            let rest = &self.buffer.as_bytes()[self.at..];
            let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
            match rest.iter().position(|byte| !blank(byte)) {
                Some(skipped) => {
                    self.at += skipped;
                    return Ok(Some(self.buffer.as_bytes()[self.at]));
                }
                None => {
                    self.at = self.buffer.len();
                    if !self.more()? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// The length of the value that starts here, without a look at what is inside it.
    pub(crate) fn value(&mut self, limits: &Limits) -> Result<usize, FormatError> {
        let mut scan = Scan::default();
        loop {
            if let Some(length) = scan.run(&self.buffer.as_bytes()[self.at..]) {
                return Ok(length);
            }
            let place = || format!("line {}", self.line());
            let (bytes, depth) = (limits.max_record_bytes as u64, limits.max_depth as u64);
            FormatError::bound(scan.seen as u64, bytes, "bytes in one record", place)?;
            FormatError::bound(scan.depth as u64, depth, "values inside each other", place)?;
            if !self.more()? {
                return if scan.state == State::Bare {
                    Ok(scan.seen)
                } else {
                    let open = "a value is not closed".to_owned();
                    Err(FormatError::Truncated {
                        place: format!("line {}", self.last_line()),
                        open,
                    })
                };
            }
        }
    }

    /// The length of the line that starts here, with its end; `None` at the end of the text. A line longer than
    /// `max` gives its beginning.
    pub(crate) fn line_length(&mut self, max: usize) -> Result<Option<usize>, FormatError> {
        let mut seen = 0;
        loop {
            let rest = &self.buffer.as_bytes()[self.at..];
            if let Some(end) = memchr::memchr(b'\n', &rest[seen..]) {
                return Ok(Some(seen + end + 1));
            }
            seen = rest.len();
            if seen > max {
                return Ok(Some(seen));
            }
            if !self.more()? {
                return Ok((seen > 0).then_some(seen));
            }
        }
    }

    /// The line at which the text ends.
    pub(crate) fn last_line(&self) -> u64 {
        self.lines_before + newlines(&self.buffer) + 1
    }
}

fn newlines(text: &str) -> u64 {
    memchr_iter(b'\n', text.as_bytes()).count() as u64
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Between,
    Inside,
    Escaped,
    /// A number or a word, which ends before the next mark.
    Bare,
}

/// Looks for the end of a value; goes on where it stopped when there is more text.
#[derive(Default)]
struct Scan {
    state: State,
    depth: usize,
    seen: usize,
}

impl Scan {
    fn run(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = self.seen;
        while let Some(byte) = bytes.get(at) {
            match self.state {
                State::Between => {
                    at += 1;
                    match byte {
                        b'"' => self.state = State::Inside,
                        b'{' | b'[' => self.depth += 1,
                        b'}' | b']' => {
                            self.depth = self.depth.saturating_sub(1);
                            if self.depth == 0 {
                                return Some(at);
                            }
                        }
                        _ if self.depth == 0 => self.state = State::Bare,
                        _ => {}
                    }
                }
                State::Inside => {
                    let Some(end) = memchr2(b'"', b'\\', &bytes[at..]) else {
                        at = bytes.len();
                        break;
                    };
                    at += end + 1;
                    if bytes[at - 1] == b'\\' {
                        self.state = State::Escaped;
                    } else {
                        self.state = State::Between;
                        if self.depth == 0 {
                            return Some(at);
                        }
                    }
                }
                State::Escaped => {
                    at += 1;
                    self.state = State::Inside;
                }
                State::Bare => {
                    if matches!(byte, b',' | b']' | b'}' | b':' | b' ' | b'\n' | b'\r' | b'\t') {
                        return Some(at);
                    }
                    at += 1;
                }
            }
        }
        self.seen = at;
        None
    }
}
