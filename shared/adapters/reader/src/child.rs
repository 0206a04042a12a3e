//! The child: confines itself, reads the job and the document, says what it found.

use std::io::{self, BufRead, BufWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use countersign_confined::confined;
use countersign_formats::{FormatError, Stop};
use countersign_pages::{PageError, read_feed, read_page, read_records};
use serde::Serialize;

use crate::ended::DAMAGED;
use crate::job::{Job, MAX_LENGTH};
use crate::wire::{ERROR, Lines};

/// The word that makes a function the child that reads a file.
pub(crate) const WORD: &str = "read-file";

/// Reads a file when this process was started for that; `None` when it was not. The first line of a function's `main`.
#[must_use]
pub fn child() -> Option<ExitCode> {
    let is_confined = confined(WORD)?;
    let done = is_confined && read(io::stdin().lock(), io::stdout().lock()).is_ok();
    Some(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads a job with its document, and answers.
pub(crate) fn read(mut input: impl BufRead, output: impl Write) -> io::Result<()> {
    let mut head = Vec::new();
    input.by_ref().take(MAX_LENGTH).read_until(b'\n', &mut head)?;
    let job: Job = serde_json::from_slice(&head)?;
    let mut lines = Lines(BufWriter::with_capacity(64 * 1024, output));
    match job {
        Job::File { reader, limits } => {
            let read = || reader.read(input, &limits, &Stop::default());
            let damaged = || FormatError::Malformed {
                format: "file".into(),
                place: "the document".to_owned(),
                problem: DAMAGED.to_owned(),
            };
            say(read, damaged, &mut lines, |found, lines| lines.extraction(&found))
        }
        Job::Records { rules, most, of } => {
            let bytes = whole(input)?;
            let read = || read_records(&rules, &of.body(&bytes), most, &|| true);
            say(read, || PageError::Damaged, &mut lines, |found, lines| lines.records(found))
        }
        Job::Page { mode, longest, of } => {
            let bytes = whole(input)?;
            let read = || read_page(&of.body(&bytes), mode, longest, &|| true);
            say(read, || PageError::Damaged, &mut lines, |page, lines| lines.page(page))
        }
        Job::Feed { of } => {
            let bytes = whole(input)?;
            let damaged = || PageError::Feed(DAMAGED.to_owned());
            say(
                || read_feed(&of.body(&bytes)),
                damaged,
                &mut lines,
                |items, lines| lines.items(&items),
            )
        }
    }
}

fn whole(mut input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads, and says what came of it. A reader that panics has met something that it did not expect of a good document.
fn say<T, E: Serialize, W: Write>(
    read: impl FnOnce() -> Result<T, E>,
    damaged: impl FnOnce() -> E,
    lines: &mut Lines<W>,
    found: impl FnOnce(T, &mut Lines<W>) -> io::Result<()>,
) -> io::Result<()> {
    match catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged())) {
        Ok(read) => found(read, lines)?,
        Err(error) => lines.line(ERROR, &error)?,
    }
    lines.done()
}

#[cfg(test)]
mod tests {
    use countersign_formats::FormatError;

    use super::say;
    use crate::wire::Lines;

    fn said(read: impl FnOnce() -> Result<u8, FormatError>) -> String {
        let mut lines = Lines(Vec::new());
        say(read, || FormatError::Empty, &mut lines, |found, lines| lines.line(b'r', &found))
            .unwrap();
        String::from_utf8(lines.0).unwrap()
    }

    #[test]
    fn f_099_a_reader_that_panics_is_a_damaged_file() {
        assert_eq!(said(|| Ok(7)), "r7\nd\n");
        assert_eq!(said(|| Err(FormatError::Time)), "e\"Time\"\nd\n");
        assert_eq!(said(|| panic!("damaged")), "e\"Empty\"\nd\n");
    }
}
