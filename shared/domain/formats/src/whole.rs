//! Files that can only be read whole.

use std::io::Read;

use crate::error::FormatError;

/// All bytes of a source, at most `max_bytes`.
pub(crate) fn bytes(source: impl Read, max_bytes: u64) -> Result<Vec<u8>, FormatError> {
    let mut all = Vec::new();
    let mut source = source.take(max_bytes + 1);
    source.read_to_end(&mut all).map_err(|error| FormatError::of_io(&error))?;
    if all.len() as u64 > max_bytes {
        return Err(FormatError::TooLarge { max_bytes });
    }
    if all.is_empty() { Err(FormatError::Empty) } else { Ok(all) }
}

/// The size of what a reader gives, read to its end or to the bound; `seen` is given each piece.
pub(crate) fn count(
    mut source: impl Read,
    max_bytes: u64,
    mut seen: impl FnMut(&[u8]),
) -> std::io::Result<u64> {
    let mut piece = vec![0; 64 * 1024];
    let mut all = 0;
    loop {
        let read = source.read(&mut piece)?;
        all += read as u64;
        seen(&piece[..read]);
        if read == 0 || all > max_bytes {
            return Ok(all);
        }
    }
}

/// The first bytes of a file, as a person would recognise them.
pub(crate) fn beginning(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(16)];
    let shown: String = String::from_utf8_lossy(head)
        .chars()
        .map(|c| if c.is_control() || c == char::REPLACEMENT_CHARACTER { '.' } else { c })
        .collect();
    format!("it starts with `{shown}`")
}

/// Runs a foreign reader that may panic on damaged files; `None` when it did. Nothing of it is used afterwards.
pub(crate) fn guarded<T>(read: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).ok()
}
