//! The quotes of separated values, watched before they are read.

use std::collections::VecDeque;
use std::io::{self, Read};

use countersign_connector::TableRules;
use memchr::memchr3;

use super::MAX_SAID;
use crate::error::FormatError;
use crate::limits::Limits;
use crate::table::Table;

/// Rows that are left out because text follows the closing quote of a cell.
pub(super) struct Broken {
    first: u32,
    has_header: bool,
    count: u64,
    /// How many of them have a warning of their own.
    said: u64,
}

impl Broken {
    pub(super) fn new(rules: &TableRules) -> Self {
        let first = rules.header_row.unwrap_or(1);
        Self { first, has_header: rules.header_row.is_some(), count: 0, said: 0 }
    }

    /// Leaves out a malformed row with a warning. A header cannot be left out, and what stands above it is not read.
    pub(super) fn leave_out(
        &mut self,
        table: &mut Table<'_>,
        number: u64,
        line: u64,
    ) -> Result<(), FormatError> {
        table.skip(number);
        if number < u64::from(self.first) {
            return Ok(());
        }
        if self.has_header && number == u64::from(self.first) {
            return Err(malformed(format!("line {line}"), STRAY.to_owned()));
        }
        self.count += 1;
        if self.count <= MAX_SAID {
            self.said += u64::from(table.warn(format!("line {line} is not read: {STRAY}")));
        }
        Ok(())
    }

    /// What is said at the end of all of them, when not each has a warning.
    pub(super) fn total(&self) -> Option<String> {
        let count = self.count;
        (count > self.said).then(|| format!("{count} rows in all are not read: {STRAY}"))
    }
}

/// Bytes that are read at once.
const BUFFER: usize = 64 * 1024;
/// What is wrong with a malformed row.
const STRAY: &str = "text follows the closing quote of a cell";

fn malformed(place: String, problem: String) -> FormatError {
    FormatError::malformed("CSV", place, problem)
}

/// Watches quotes go by: a cell or a row that is too long is refused before it is held, a cell that is still open at the end
/// of the file shows that the end is missing, and text after a closing quote shows that a quote is one too many. Blanks before an
/// opening quote are taken out, so that it opens a cell. The csv crate does none of it.
pub(super) struct Quotes<R> {
    inner: R,
    input: Vec<u8>,
    /// What was watched and not yet asked for, from this place on.
    ready: Vec<u8>,
    given: usize,
    /// The blanks a cell begins with, until it is clear whether a quote follows.
    blanks: Vec<u8>,
    /// Whether the quoted cell has blanks before its quote.
    is_indented: bool,
    delimiter: u8,
    state: State,
    line: u64,
    /// Lines of the rows that were passed and not yet asked for. The csv crate counts the empty lines before a row in.
    rows: VecDeque<Passed>,
    in_row: bool,
    /// Whether a malformed row was passed before this one.
    after_broken: bool,
    opened: u64,
    /// Whether the quoted cell has a line break in it.
    has_lines: bool,
    length: usize,
    row_length: usize,
    max: usize,
    max_row: usize,
}

/// A row that was passed.
#[derive(Clone, Copy, Default)]
pub(super) struct Passed {
    pub(super) line: u64,
    pub(super) is_broken: bool,
    /// Whether a quote behind blanks opens a cell of several lines: if the quote is not meant as one, rows are lost in it.
    pub(super) is_doubtful: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// In blanks at the start of a cell.
    Indent,
    Plain,
    Quoted,
    /// After a quote in a quoted cell: the end of it, or the first half of a quote that is meant.
    Half,
    /// In white space after a quoted cell.
    Closed,
}

impl<R: Read> Quotes<R> {
    pub(super) fn new(inner: R, delimiter: char, limits: &Limits) -> Self {
        let delimiter = delimiter as u8;
        Self {
            inner,
            input: vec![0; BUFFER],
            ready: Vec::with_capacity(BUFFER),
            given: 0,
            blanks: Vec::new(),
            is_indented: false,
            delimiter,
            state: State::Start,
            line: 1,
            rows: VecDeque::new(),
            in_row: false,
            after_broken: false,
            opened: 1,
            has_lines: false,
            length: 0,
            row_length: 0,
            max: limits.max_value_bytes,
            max_row: limits.max_record_bytes,
        }
    }

    /// The line at which the cell starts that is still open.
    pub(super) fn open_since(&self) -> Option<u64> {
        (self.state == State::Quoted).then_some(self.opened)
    }

    fn bound(&self, length: usize, max: usize, what: &'static str) -> io::Result<()> {
        let place = || format!("line {}", self.line);
        FormatError::bound(length as u64, max as u64, what, place).map_err(io::Error::other)
    }

    /// What was seen of the next row.
    pub(super) fn next_row(&mut self) -> Passed {
        self.rows.pop_front().unwrap_or(Passed { line: self.line, ..Passed::default() })
    }

    /// How many bytes come next that end neither the cell nor its quotes.
    fn inside(&self, bytes: &[u8]) -> usize {
        match self.state {
            State::Plain if self.is_broken() || self.after_broken => 0,
            State::Plain => memchr3(self.delimiter, b'\n', b'\r', bytes).unwrap_or(bytes.len()),
            State::Quoted => memchr3(b'"', b'\n', b'\r', bytes).unwrap_or(bytes.len()),
            State::Start | State::Indent | State::Half | State::Closed => 0,
        }
    }

    /// Whether the row that is passed is malformed.
    fn is_broken(&self) -> bool {
        self.in_row && self.rows.back().is_some_and(|row| row.is_broken)
    }

    fn pass(&mut self, byte: u8) -> io::Result<()> {
        let is_end = matches!(byte, b'\n' | b'\r');
        let ends = is_end && self.state != State::Quoted;
        if is_end && self.is_broken() {
            if !ends {
                return Err(self.lost());
            }
            self.after_broken = true;
        }
        if ends || !self.in_row {
            self.in_row = !ends;
            if self.in_row {
                self.rows.push_back(Passed { line: self.line, ..Passed::default() });
            }
        }
        let next = self.next_state(byte);
        if is_end && self.state == State::Quoted {
            self.has_lines = true;
            if let Some(row) = self.rows.back_mut() {
                row.is_doubtful |= self.is_indented;
            }
        }
        let is_closed = matches!(self.state, State::Half | State::Closed);
        if is_closed && next == State::Plain {
            self.stray()?;
        }
        // The end of a cell that began in a malformed row: what was taken for rows is part of it.
        if self.state == State::Plain && byte == b'"' && self.after_broken && !self.is_broken() {
            return Err(self.lost());
        }
        self.line += u64::from(byte == b'\n');
        self.length = if next == State::Start { 0 } else { self.length + 1 };
        self.row_length = if ends { 0 } else { self.row_length + 1 };
        self.hand_on(byte, next);
        self.state = next;
        Ok(())
    }

    /// Hands a byte on, with the blanks before it unless it is the quote that they stand before.
    fn hand_on(&mut self, byte: u8, next: State) {
        if next == State::Indent {
            self.blanks.push(byte);
            return;
        }
        if self.state == State::Indent && next == State::Quoted {
            self.blanks.clear();
        }
        self.ready.append(&mut self.blanks);
        self.ready.push(byte);
    }

    fn next_state(&mut self, byte: u8) -> State {
        match (self.state, byte) {
            (State::Quoted, b'"') => State::Half,
            (State::Quoted, _) | (State::Half, b'"') => State::Quoted,
            (State::Start | State::Indent, b'"') => {
                self.opened = self.line;
                self.has_lines = false;
                self.is_indented = self.state == State::Indent;
                State::Quoted
            }
            (_, byte) if byte == self.delimiter || byte == b'\n' || byte == b'\r' => State::Start,
            (State::Start | State::Indent, b' ' | b'\t') => State::Indent,
            (State::Half | State::Closed, b' ' | b'\t') => State::Closed,
            _ => State::Plain,
        }
    }

    /// Marks the row as malformed. A cell that began on an earlier line may have taken in the rows between.
    fn stray(&mut self) -> io::Result<()> {
        if self.has_lines {
            return Err(self.lost());
        }
        if let Some(row) = self.rows.back_mut() {
            row.is_broken = true;
        }
        Ok(())
    }

    /// The error of a file whose rows cannot be told apart.
    fn lost(&self) -> io::Error {
        let place = if self.opened == self.line {
            format!("line {}", self.line)
        } else {
            format!("lines {} to {}", self.opened, self.line)
        };
        let problem = "a quote is missing, or one is too many: where rows end is not clear";
        io::Error::other(malformed(place, problem.to_owned()))
    }
}

impl<R: Read> Quotes<R> {
    /// Watches the next bytes; without any what is ready stays empty.
    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        let mut input = std::mem::take(&mut self.input);
        while self.ready.is_empty() {
            let count = self.inner.read(&mut input)?;
            if count == 0 {
                self.ready.append(&mut self.blanks);
                break;
            }
            self.watch(&input[..count])?;
        }
        self.input = input;
        Ok(())
    }

    fn watch(&mut self, mut rest: &[u8]) -> io::Result<()> {
        while let Some((first, others)) = rest.split_first() {
            let inside = self.inside(rest);
            if inside == 0 {
                self.pass(*first)?;
                rest = others;
            } else {
                self.length += inside;
                self.row_length += inside;
                self.ready.extend_from_slice(&rest[..inside]);
                rest = &rest[inside..];
            }
            self.bound(self.length, self.max, "bytes in one cell")?;
            self.bound(self.row_length, self.max_row, "bytes in one row")?;
        }
        Ok(())
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.fill()?;
        }
        let count = into.len().min(self.ready.len() - self.given);
        into[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}
