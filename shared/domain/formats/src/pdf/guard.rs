//! What is looked at before the library is let at a PDF.

use std::cell::Cell;
use std::collections::HashMap;

use memchr::memmem;
use pdf_extract::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};

use super::packed::{self, MAX_LAYERS, Named};
use super::{FORMAT, malformed};
use crate::error::{DAMAGED, FormatError, PROTECTED};
use crate::limits::{Limits, Stop};
use crate::whole;

/// Numbers by which the library takes memory before it looks at the data they are about; those of objects are the most
/// that the format knows.
const NUMBERS: [(&[u8], u64, &str); 6] = [
    (b"Columns", 100_000, "columns in packed data"),
    (b"Colors", 32, "colours in packed data"),
    (b"BitsPerComponent", 32, "bits in a colour"),
    (b"W", 1_000_000, "as a width"),
    (b"Index", 8_388_607, "objects"),
    (b"Size", 8_388_607, "objects"),
];
/// How often one page may draw forms, with the forms they draw.
const MAX_DRAWN: u64 = 100_000;
/// Forms inside each other.
const MAX_NESTED: usize = 32;
/// Nodes between a page and the root of the page tree.
const MAX_ANCESTORS: usize = 256;

/// Refuses what is not a PDF, is cut off or protected, or is too large unpacked.
pub(super) fn look_at(bytes: &[u8], limits: &Limits, stop: &Stop) -> Result<(), FormatError> {
    if memmem::find(&bytes[..bytes.len().min(1024)], b"%PDF-").is_none() {
        let problem = whole::beginning(bytes);
        return Err(FormatError::NotOfFormat { format: FORMAT.into(), problem });
    }
    if memmem::rfind(bytes, b"%%EOF").is_none() {
        let open = "the end of the document is missing".to_owned();
        return Err(FormatError::Truncated { place: format!("byte {}", bytes.len()), open });
    }
    if memmem::find(bytes, b"/Encrypt").is_some() {
        let problem = "it is protected; save it without protection".to_owned();
        return Err(FormatError::NotOfFormat { format: FORMAT.into(), problem });
    }
    numbers(bytes)?;
    unpacked(bytes, limits, stop)
}

/// Refuses numbers that ask for too much memory.
fn numbers(bytes: &[u8]) -> Result<(), FormatError> {
    for (name, start, end) in packed::names(bytes) {
        let known = NUMBERS.iter().find(|(known, ..)| *known == name);
        let Some((_, limit, what)) = known.copied() else { continue };
        if numbers_at(&bytes[end..]).any(|number| number > limit) {
            return Err(FormatError::Limit {
                place: format!("byte {start}"),
                what: what.into(),
                limit,
            });
        }
    }
    Ok(())
}

/// The numbers that follow a name, alone or in a list.
fn numbers_at(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let mut rest = &bytes[packed::after_space(bytes)..];
    rest = rest.strip_prefix(b"[").unwrap_or(rest);
    std::iter::from_fn(move || {
        rest = &rest[packed::after_space(rest)..];
        rest = rest.strip_prefix(b"+").unwrap_or(rest);
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, after) = rest.split_at(length);
        rest = after;
        let add = |number: u64, digit: &u8| {
            number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        };
        (length > 0).then(|| digits.iter().fold(0, add))
    })
}

/// Unpacks every stream to nowhere.
fn unpacked(bytes: &[u8], limits: &Limits, stop: &Stop) -> Result<(), FormatError> {
    let named = Named::of(bytes);
    let (layers, what) = (named.layers() as u64, "packings around each other");
    FormatError::bound(layers, MAX_LAYERS as u64, what, || "one of its streams".to_owned())?;
    let mut left = limits.max_unpacked_bytes;
    for at in memmem::find_iter(bytes, b"stream") {
        let Some(data) = data_after(&bytes[at + b"stream".len()..]) else { continue };
        if bytes[..at].ends_with(b"end") {
            continue;
        }
        stop.check()?;
        named.count(data, &mut left).map_err(|_| too_large(format!("byte {at}"), limits))?;
    }
    Ok(())
}

fn too_large(place: String, limits: &Limits) -> FormatError {
    let (what, limit) = ("bytes when it is unpacked", limits.max_unpacked_bytes);
    FormatError::Limit { place, what: what.into(), limit }
}

/// What follows the line that the word `stream` ends.
fn data_after(bytes: &[u8]) -> Option<&[u8]> {
    let blank = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = &bytes[blank..];
    let line = [&b"\r\n"[..], b"\n", b"\r"];
    line.iter().find_map(|end| rest.strip_prefix(*end))
}

thread_local! {
    /// What may still be held of the document that this thread opens; the library lets nothing be handed to the function
    /// that looks at its objects.
    static ROOM: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Opens a document. What was counted once may stand in its table a thousand times, so all of it is counted again as it
/// is taken.
pub(super) fn open(bytes: &[u8], limits: &Limits) -> Result<Document, FormatError> {
    ROOM.set(Some(limits.max_bytes.saturating_add(limits.max_unpacked_bytes)));
    let options = LoadOptions::with_filter(bounded);
    let loaded = Document::load_mem_with_options(bytes, options);
    if ROOM.take().is_none() {
        return Err(too_large("the table of its objects".to_owned(), limits));
    }
    loaded.map_err(|error| {
        let said = error.to_string().to_lowercase();
        let is_locked = said.contains("password") || said.contains("encrypt");
        malformed("the document", if is_locked { PROTECTED } else { DAMAGED })
    })
}

/// Leaves every further object out once there is no more room.
fn bounded(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let room = ROOM.get()?;
    let Ok(stream) = object.as_stream() else { return Some((id, object.clone())) };
    let inside = if stream.dict.has_type(b"ObjStm") { packed::unpacked(stream, room) } else { 0 };
    ROOM.set(room.checked_sub(inside.saturating_add(stream.content.len() as u64)));
    // Of a stream only the answer is looked at, not what is given back.
    ROOM.get().map(|_| (id, Object::Null))
}

/// How many pages there are, when all of them can be read in bounded time.
pub(super) fn pages(document: &Document, limits: &Limits) -> Result<u32, FormatError> {
    let pages = document.get_pages();
    let (count, limit) = (pages.len() as u64, limits.max_pages as u64);
    FormatError::bound(count, limit, "pages", || "its page tree".to_owned())?;
    let dearest = Forms::of(document).dearest()?;
    let mut contents = Contents { document, limits, sizes: HashMap::new() };
    for (number, id) in &pages {
        let place = || format!("page {number}");
        if ancestors(document, *id) > MAX_ANCESTORS {
            return Err(malformed(place(), "the page tree goes round in a circle"));
        }
        contents.fit(*id, place)?;
        let content = document.get_page_content(*id).unwrap_or_default();
        if draws(&content).saturating_mul(dearest) > MAX_DRAWN {
            return Err(too_much(&place()));
        }
    }
    u32::try_from(pages.len()).map_err(|_| malformed("the document", DAMAGED))
}

fn too_much(place: &str) -> FormatError {
    FormatError::Limit { place: place.to_owned(), what: "forms drawn".into(), limit: MAX_DRAWN }
}

fn ancestors(document: &Document, page: ObjectId) -> usize {
    let mut count = 0;
    let mut node = document.get_dictionary(page).ok();
    while let Some(parent) = node.and_then(|node| node.get(b"Parent").ok()) {
        count += 1;
        if count > MAX_ANCESTORS {
            break;
        }
        node = parent.as_reference().ok().and_then(|id| document.get_dictionary(id).ok());
    }
    count
}

/// The sizes of what pages are made of, unpacked: a page may name the same content a thousand times.
struct Contents<'d> {
    document: &'d Document,
    limits: &'d Limits,
    sizes: HashMap<ObjectId, u64>,
}

impl Contents<'_> {
    fn fit(&mut self, page: ObjectId, place: impl Fn() -> String) -> Result<(), FormatError> {
        let limit = self.limits.max_unpacked_bytes;
        let mut all = 0_u64;
        for id in self.document.get_page_contents(page) {
            let stream = || self.document.get_object(id).and_then(Object::as_stream).ok();
            let size = *self
                .sizes
                .entry(id)
                .or_insert_with(|| stream().map_or(0, |stream| packed::unpacked(stream, limit)));
            all = all.saturating_add(size);
            if all > limit {
                return Err(too_large(place(), self.limits));
            }
        }
        Ok(())
    }
}

/// The forms of a document, and what drawing each of them costs: itself, and for each time it draws something the
/// dearest form that it could draw.
struct Forms<'d> {
    document: &'d Document,
    all: HashMap<ObjectId, &'d Stream>,
    costs: HashMap<ObjectId, Cost>,
}

#[derive(Clone, Copy)]
enum Cost {
    /// Still being counted: who meets it here draws itself.
    Open,
    Known(u64),
}

impl<'d> Forms<'d> {
    fn of(document: &'d Document) -> Self {
        let streams = document.objects.iter();
        let all = streams
            .filter_map(|(id, object)| Some((*id, object.as_stream().ok()?)))
            .filter(|(_, stream)| is_form(&stream.dict))
            .collect();
        Self { document, all, costs: HashMap::new() }
    }

    /// The cost of the dearest form.
    fn dearest(mut self) -> Result<u64, FormatError> {
        let mut dearest = 1;
        for id in self.all.keys().copied().collect::<Vec<_>>() {
            dearest = dearest.max(self.cost(id, 0)?);
        }
        Ok(dearest)
    }

    fn cost(&mut self, id: ObjectId, depth: usize) -> Result<u64, FormatError> {
        let place = || format!("object {}", id.0);
        match self.costs.get(&id) {
            Some(Cost::Known(cost)) => return Ok(*cost),
            Some(Cost::Open) => return Err(malformed(place(), "a form draws itself")),
            None => {}
        }
        let Some(stream) = self.all.get(&id).copied() else { return Ok(1) };
        if depth > MAX_NESTED {
            return Err(malformed(place(), "too many forms draw each other"));
        }
        let drawn =
            draws(&stream.decompressed_content().unwrap_or_else(|_| stream.content.clone()));
        let mut cost = 1;
        if drawn > 0 {
            self.costs.insert(id, Cost::Open);
            let Some(named) = named_by(self.document, &stream.dict) else {
                // It draws what its page names, which may be itself.
                return Err(malformed(place(), "a form draws others that it does not name"));
            };
            let mut dearest = 1;
            for other in named {
                dearest = dearest.max(self.cost(other, depth + 1)?);
            }
            cost = drawn.saturating_mul(dearest).saturating_add(1);
        }
        if cost > MAX_DRAWN {
            return Err(too_much(&place()));
        }
        self.costs.insert(id, Cost::Known(cost));
        Ok(cost)
    }
}

fn is_form(dict: &Dictionary) -> bool {
    dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Form")
}

/// What a form's resources let it draw; `None` when it has no resources.
fn named_by(document: &Document, dict: &Dictionary) -> Option<Vec<ObjectId>> {
    let inner = |dict: &'_ Dictionary, key: &[u8]| -> Option<Dictionary> {
        let (_, object) = document.dereference(dict.get(key).ok()?).ok()?;
        object.as_dict().ok().cloned()
    };
    let resources = inner(dict, b"Resources")?;
    let drawn = inner(&resources, b"XObject").unwrap_or_default();
    Some(drawn.iter().filter_map(|(_, object)| object.as_reference().ok()).collect())
}

/// How often a content draws something.
fn draws(content: &[u8]) -> u64 {
    memmem::find_iter(content, b"Do").count() as u64
}
