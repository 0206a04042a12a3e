//! JSON Lines: a record per line; a bad line is said and left out, and the rest is kept.

use std::io::Read;

use countersign_connector::JsonRules;

use crate::error::FormatError;
use crate::limits::{Limits, Stop};
use crate::pick::{Mapper, problem};
use crate::text::Text;
use crate::warnings::note;
use crate::window::Window;
use crate::{Extraction, Warning};

pub(crate) fn read(
    rules: &JsonRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let mut window = Window::new(Text::new(source, None, limits.max_bytes));
    let mut mapper = Mapper::new(rules);
    let mut out = Extraction { records: mapper.records(), ..Extraction::default() };
    let mut kept_bytes = 0;
    let mut first_bad = None;
    let (mut left_out, mut said) = (0_u64, 0_u64);
    let mut number = 0;
    while let Some(length) = window.line_length(limits.max_record_bytes)? {
        stop.check()?;
        number += 1;
        let place = || format!("line {number}");
        let bad = if length > limits.max_record_bytes {
            pass_line(&mut window, length, limits)?;
            Some(format!("it is longer than {} bytes", limits.max_record_bytes))
        } else {
            let line = window.peek(length).trim();
            let read =
                if line.is_empty() { Ok(0) } else { one(&mut mapper, line, place, &mut out) };
            window.advance(length);
            read.map(|size| kept_bytes += size).err()
        };
        if let Some(problem) = bad {
            left_out += 1;
            said += u64::from(note(&mut out, format!("{} is left out: {problem}", place())));
            first_bad.get_or_insert((place(), problem));
        }
        let records = out.records.len() as u64;
        FormatError::bound(records, limits.max_records as u64, "records", place)?;
        FormatError::bound(kept_bytes, limits.max_kept_bytes, "bytes of values", place)?;
    }
    if left_out > said {
        let message = format!("{left_out} lines in all are left out");
        out.warnings.insert(0, Warning { record: None, field: String::new(), message });
    }
    match first_bad {
        Some((place, problem)) if out.records.is_empty() => {
            Err(FormatError::malformed("JSON Lines file", place, problem))
        }
        None if out.records.is_empty() => Err(FormatError::Empty),
        _ => Ok(out),
    }
}

/// Adds the record of one line, which must hold nothing else.
fn one(
    mapper: &mut Mapper<'_>,
    line: &str,
    place: impl Fn() -> String,
    out: &mut Extraction,
) -> Result<u64, String> {
    let (known, more) = (out.warnings.len(), out.more_warnings.clone());
    let (length, size) = mapper.record(line, place, out).map_err(|error| problem(&error))?;
    if line[length..].trim().is_empty() {
        return Ok(size);
    }
    out.records.pop();
    out.warnings.truncate(known);
    out.more_warnings = more;
    Err("there is text after its record".to_owned())
}

/// Passes the rest of a line whose beginning was too long already.
fn pass_line<R: Read>(
    window: &mut Window<R>,
    first: usize,
    limits: &Limits,
) -> Result<(), FormatError> {
    let mut length = first;
    loop {
        let ends = window.peek(length).ends_with('\n');
        window.advance(length);
        if ends {
            return Ok(());
        }
        match window.line_length(limits.max_record_bytes)? {
            Some(next) => length = next,
            None => return Ok(()),
        }
    }
}
