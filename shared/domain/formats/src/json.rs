//! JSON: the document is walked to the list of records, and each record is mapped and dropped.

use std::io::Read;

use countersign_connector::{JsonRules, JsonStep};
use countersign_failure::json_problem;
use memchr::memchr_iter;
use serde::de::IgnoredAny;

use crate::Extraction;
use crate::error::FormatError;
use crate::limits::{Limits, Stop};
use crate::pick::{Mapper, problem};
use crate::text::Text;
use crate::window::Window;

pub(crate) fn read(
    rules: &JsonRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let text = Text::new(source, None, limits.max_bytes);
    let mut walk = Walk {
        window: Window::new(text),
        mapper: Mapper::new(rules),
        limits,
        stop,
        depth: 0,
        found: false,
        kept_bytes: 0,
        out: Extraction::default(),
    };
    if walk.window.token()?.is_none() {
        return Err(FormatError::Empty);
    }
    walk.out.records = walk.mapper.records();
    // Where records stand is one place: alternatives are refused when the connector is read.
    let steps = rules.results_path.as_ref().and_then(|path| path.alternatives().next());
    walk.value(steps.unwrap_or_default())?;
    if walk.window.token()?.is_some() {
        return Err(walk.malformed("there is text after the end of the document"));
    }
    match (&rules.results_path, walk.found) {
        (Some(path), false) => {
            Err(FormatError::WrongKind(format!("the document has nothing at `{path}`")))
        }
        _ => Ok(walk.out),
    }
}

/// Whether a complaint may be about the end of what was held: some of them are not named so.
fn is_cut(error: &serde_json::Error, held: &str) -> bool {
    let on_last_line = memchr_iter(b'\n', held.as_bytes()).count() + 1 == error.line();
    let last_line = held.rsplit('\n').next().unwrap_or_default().len();
    error.is_eof() || (on_last_line && error.column() + 8 > last_line)
}

struct Walk<'r, R> {
    window: Window<R>,
    mapper: Mapper<'r>,
    limits: &'r Limits,
    stop: &'r Stop,
    depth: usize,
    found: bool,
    kept_bytes: u64,
    out: Extraction,
}

impl<R: Read> Walk<'_, R> {
    fn place(&self) -> String {
        format!("line {}", self.window.line())
    }

    fn malformed(&self, problem: impl Into<String>) -> FormatError {
        FormatError::malformed("JSON", self.place(), problem)
    }

    fn limit(&self, what: &'static str, limit: u64) -> FormatError {
        FormatError::Limit { place: self.place(), what: what.into(), limit }
    }

    /// The next mark; the end of the text is a fault here.
    fn token(&mut self) -> Result<u8, FormatError> {
        self.window.token()?.ok_or_else(|| FormatError::Truncated {
            place: self.place(),
            open: format!("{} lists and objects are not closed", self.depth.max(1)),
        })
    }

    /// The value that starts here, with the steps that are left to the records.
    fn value(&mut self, steps: &[JsonStep]) -> Result<(), FormatError> {
        let Some((step, rest)) = steps.split_first() else {
            self.found = true;
            return self.results();
        };
        match (step, self.token()?) {
            (JsonStep::Key(wanted), b'{') => {
                self.object(|walk, key| if key == *wanted { walk.value(rest) } else { walk.skip() })
            }
            (JsonStep::Index(wanted), b'[') => self
                .array(|walk, index| if index == *wanted { walk.value(rest) } else { walk.skip() }),
            (JsonStep::Every, b'[') => {
                // A list that is there and empty holds no records, which is not the same as no list.
                self.found = true;
                self.array(|walk, _| walk.value(rest))
            }
            _ => self.skip(),
        }
    }

    /// A list of records, or a single one; `null` is none.
    fn results(&mut self) -> Result<(), FormatError> {
        match self.token()? {
            b'[' => self.array(|walk, _| walk.record()),
            b'n' => self.skip(),
            _ => self.record(),
        }
    }

    /// One record. It is read from what the window holds; when that is cut, from twice as much.
    fn record(&mut self) -> Result<(), FormatError> {
        self.token()?;
        let nth = self.out.records.len() + 1;
        let (length, size) = loop {
            let window = &self.window;
            let rest = window.rest();
            let place = || format!("record {nth}, line {}", window.line());
            let (said, more) = (self.out.warnings.len(), self.out.more_warnings.clone());
            match self.mapper.record(rest, place, &mut self.out) {
                // A number at the end of the window may go on after it.
                Ok((length, size)) if length < rest.len() || window.has_ended() => {
                    break (length, size);
                }
                Ok((_, size)) if rest.ends_with(['}', ']', '"']) => break (rest.len(), size),
                Ok(_) => {
                    self.out.records.pop();
                    self.out.warnings.truncate(said);
                    self.out.more_warnings = more;
                }
                Err(error) if !is_cut(&error, rest) || window.has_ended() => {
                    return Err(self.unreadable(nth, &error));
                }
                Err(_) => {}
            }
            self.widen()?;
        };
        self.window.advance(length);
        self.kept_bytes += size;
        if self.out.records.len() > self.limits.max_records {
            return Err(self.limit("records", self.limits.max_records as u64));
        }
        if self.kept_bytes > self.limits.max_kept_bytes {
            return Err(self.limit("bytes of values", self.limits.max_kept_bytes));
        }
        self.stop.check()
    }

    /// Makes the window twice as wide, so that a long record is not read again for each piece of it.
    fn widen(&mut self) -> Result<(), FormatError> {
        let held = self.window.rest().len();
        if held > self.limits.max_record_bytes {
            return Err(self.limit("bytes in one record", self.limits.max_record_bytes as u64));
        }
        while self.window.rest().len() <= held * 2 && self.window.more()? {}
        Ok(())
    }

    fn unreadable(&self, nth: usize, error: &serde_json::Error) -> FormatError {
        let line = self.window.line() + (error.line() as u64).saturating_sub(1);
        let place = format!("record {nth}, line {line}");
        // The library has a bound of its own, and says so only in words. A value that is read by itself has them translated already.
        if problem(error) == json_problem("recursion limit exceeded") {
            let (what, limit) = ("values inside each other", self.limits.max_depth as u64);
            return FormatError::Limit { place, what: what.into(), limit };
        }
        if error.is_eof() {
            return FormatError::Truncated { place, open: problem(error) };
        }
        FormatError::malformed("JSON", place, problem(error))
    }

    /// Passes a value that holds no records; it must be JSON all the same.
    fn skip(&mut self) -> Result<(), FormatError> {
        match self.token()? {
            b'{' => self.object(|walk, _| walk.skip()),
            b'[' => self.array(|walk, _| walk.skip()),
            _ => {
                let length = self.window.value(self.limits)?;
                serde_json::from_str::<IgnoredAny>(self.window.peek(length))
                    .map_err(|error| self.malformed(problem(&error)))?;
                self.window.advance(length);
                Ok(())
            }
        }
    }

    fn object(
        &mut self,
        mut entry: impl FnMut(&mut Self, &str) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        self.items(b'}', |walk| {
            if walk.token()? != b'"' {
                return Err(walk.malformed("a key should start here"));
            }
            let length = walk.window.value(walk.limits)?;
            let key: String = serde_json::from_str(walk.window.peek(length))
                .map_err(|error| walk.malformed(problem(&error)))?;
            walk.window.advance(length);
            if walk.token()? != b':' {
                return Err(walk.malformed("a colon should stand here"));
            }
            walk.window.advance(1);
            entry(walk, &key)
        })
    }

    fn array(
        &mut self,
        mut item: impl FnMut(&mut Self, usize) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let mut index = 0;
        self.items(b']', |walk| {
            index += 1;
            item(walk, index - 1)
        })
    }

    /// What stands between an opening mark and `close`, separated by commas.
    fn items(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        self.window.advance(1);
        self.depth += 1;
        if self.depth > self.limits.max_depth {
            return Err(self.limit("values inside each other", self.limits.max_depth as u64));
        }
        if self.token()? != close {
            loop {
                item(self)?;
                match self.token()? {
                    b',' => self.window.advance(1),
                    mark if mark == close => break,
                    _ => {
                        return Err(
                            self.malformed("a comma or the end of the list should stand here")
                        );
                    }
                }
            }
        }
        self.window.advance(1);
        self.depth -= 1;
        Ok(())
    }
}
