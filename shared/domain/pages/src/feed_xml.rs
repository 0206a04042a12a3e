//! The XML of a feed, cleaned before it is read: within bounds, in UTF-8, and without what can make its reader panic.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, Writer};

use crate::error::PageError;

/// Elements inside each other.
const DEEPEST: usize = 128;
/// Elements, texts and whatever else there is.
const MAX_EVENTS: usize = 1_000_000;

/// Copies a feed without its document type and without playing times: the reader of feeds takes numbers in those for
/// granted that a hostile feed does not have, and nobody asks for them.
pub(crate) fn cleaned(text: &str) -> Result<Vec<u8>, PageError> {
    let mut reader = Reader::from_str(text);
    let mut writer = Writer::new(Vec::with_capacity(text.len()));
    let (mut depth, mut events) = (0_usize, 0_usize);
    let mut skipped: Option<usize> = None;
    loop {
        events += 1;
        if events > MAX_EVENTS {
            return Err(PageError::Feed(
                "it has more than 1,000,000 elements and texts".to_owned(),
            ));
        }
        let event = reader.read_event().map_err(|_| malformed(&reader))?;
        match event {
            Event::Eof if depth > 0 => {
                return Err(PageError::Feed("it ends in the middle of an element".to_owned()));
            }
            Event::Eof => return Ok(writer.into_inner()),
            Event::Decl(_) | Event::DocType(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Start(tag) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(PageError::Feed("its elements are nested too deep".to_owned()));
                }
                if skipped.is_none() && is_playing_time(&tag) {
                    skipped = Some(depth);
                }
                copy(&mut writer, skipped, Event::Start(without_times(tag)?))?;
            }
            Event::End(tag) => {
                copy(&mut writer, skipped, Event::End(tag))?;
                if skipped == Some(depth) {
                    skipped = None;
                }
                depth = depth.saturating_sub(1);
            }
            Event::Empty(tag) if is_playing_time(&tag) => {}
            Event::Empty(tag) => copy(&mut writer, skipped, Event::Empty(without_times(tag)?))?,
            other => copy(&mut writer, skipped, other)?,
        }
    }
}

fn malformed(reader: &Reader<&[u8]>) -> PageError {
    PageError::Feed(format!("its XML cannot be read at byte {}", reader.error_position()))
}

fn copy(
    writer: &mut Writer<Vec<u8>>,
    skipped: Option<usize>,
    event: Event<'_>,
) -> Result<(), PageError> {
    if skipped.is_some() {
        return Ok(());
    }
    writer.write_event(event).map_err(|_| PageError::Feed("its XML cannot be read".to_owned()))
}

fn is_playing_time(tag: &BytesStart<'_>) -> bool {
    tag.local_name().as_ref().eq_ignore_ascii_case("duration")
}

fn without_times(tag: BytesStart<'_>) -> Result<BytesStart<'_>, PageError> {
    let is_time = |name: &str| matches!(name, "time" | "start" | "end" | "duration");
    let mut kept = Vec::new();
    let mut all = 0;
    for attribute in tag.attributes().with_checks(false) {
        let attribute =
            attribute.map_err(|_| PageError::Feed("an attribute cannot be read".to_owned()))?;
        all += 1;
        if !is_time(attribute.key.local_name().as_ref()) {
            kept.push(attribute);
        }
    }
    if kept.len() == all {
        return Ok(tag);
    }
    let mut clean = BytesStart::new(tag.name().as_ref().to_owned());
    clean.extend_attributes(kept);
    Ok(clean.into_owned())
}
