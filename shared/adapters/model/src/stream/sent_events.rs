//! Server-sent events, as far as providers use them: lines of `data`, and an empty line after each event.

use std::collections::VecDeque;

use countersign_http_out::Streaming;
use futures::Stream;
use futures::stream::try_unfold;

use super::MAX_EVENT;
use crate::error::ModelError;

/// How such an answer is marked.
pub(super) const KIND: &str = "text/event-stream";

/// Text may begin with a mark that says nothing.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The data of each event.
pub(super) fn events(open: Streaming) -> impl Stream<Item = Result<String, ModelError>> {
    try_unfold((open, Events::default()), |(mut open, mut events)| async move {
        loop {
            if let Some(data) = events.complete.pop_front() {
                return Ok(Some((data, (open, events))));
            }
            match open.chunk().await? {
                Some(chunk) => events.add(&chunk)?,
                None => return Ok(None),
            }
        }
    })
}

/// What has been read and not been taken.
#[derive(Debug, Default)]
struct Events {
    /// The line that is not complete, and the length of its part without an end.
    line: Vec<u8>,
    /// The lines of data of the event that is not complete.
    data: Option<String>,
    complete: VecDeque<String>,
    is_begun: bool,
}

impl Events {
    fn add(&mut self, chunk: &[u8]) -> Result<(), ModelError> {
        let mut parts = chunk.split(|byte| *byte == b'\n');
        // The last part has no end yet.
        let rest = parts.next_back().unwrap_or_default();
        for part in parts {
            self.line.extend_from_slice(part);
            let line = std::mem::take(&mut self.line);
            self.end_line(&line)?;
        }
        self.line.extend_from_slice(rest);
        let waiting = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if waiting > MAX_EVENT { Err(unreadable()) } else { Ok(()) }
    }

    fn end_line(&mut self, line: &[u8]) -> Result<(), ModelError> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let line = line.strip_prefix(MARK).filter(|_| is_first).unwrap_or(line);
        if line.is_empty() {
            self.complete.extend(self.data.take());
            return Ok(());
        }
        let Some(value) = line.strip_prefix(b"data:") else { return Ok(()) };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let value = std::str::from_utf8(value).map_err(|_| unreadable())?;
        match &mut self.data {
            Some(data) => data.extend(["\n", value]),
            none => *none = Some(value.to_owned()),
        }
        Ok(())
    }
}

fn unreadable() -> ModelError {
    ModelError::Unreadable("it is not a stream of events".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        chunks.iter().for_each(|chunk| events.add(chunk).unwrap());
        events.complete.into()
    }

    #[test]
    fn r_101_events_are_read_as_they_are_documented() {
        let text = "\u{feff}: hello\ndata: one\r\n\r\nevent: x\nid: 7\ndata:two\ndata: three\n\n\ndata: é\n\ndata: rest";
        let expect = ["one", "two\nthree", "é"];
        assert_eq!(read(&[text.as_bytes()]), expect);
        // However it is cut.
        for at in 0..text.len() {
            let (before, after) = text.as_bytes().split_at(at);
            assert_eq!(read(&[before, after]), expect, "cut at {at}");
        }
    }

    #[test]
    fn r_101_an_event_that_is_too_long_or_no_text_is_refused() {
        let long = vec![b'x'; MAX_EVENT + 1];
        assert!(Events::default().add(&long).is_err());
        let mut many = Events::default();
        let line = [b"data: ".as_slice(), &vec![b'x'; MAX_EVENT / 2], b"\n"].concat();
        assert!(many.add(&line).is_ok());
        assert!(many.add(&line).is_err());
        assert!(Events::default().add(b"data: \xff\n\n").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn r_101_no_bytes_are_too_strange(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..10)) {
            let mut events = Events::default();
            for chunk in chunks {
                if events.add(&chunk).is_err() {
                    break;
                }
            }
        }
    }
}
