//! What is looked at before the library is let at a PDF.

use std::collections::HashMap;
use std::io::Read;

use flate2::read::ZlibDecoder;
use memchr::memmem;
use pdf_extract::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};

use super::{DAMAGED, FORMAT, malformed};
use crate::error::FormatError;
use crate::limits::Limits;
use crate::whole;

/// Streams packed the old way are not counted but bounded: they grow up to 2,600 times.
const MAX_LZW: usize = 128 * 1024;
/// Packings around each other that are looked through.
const MAX_LAYERS: usize = 3;
/// How often one page may draw forms, with the forms they draw.
const MAX_DRAWN: u64 = 100_000;
/// Forms inside each other.
const MAX_NESTED: usize = 32;
/// Nodes between a page and the root of the page tree.
const MAX_ANCESTORS: usize = 256;

/// Refuses what is no PDF, is cut off or protected, or is too large unpacked.
pub(super) fn look_at(bytes: &[u8], limits: &Limits) -> Result<(), FormatError> {
    if memmem::find(&bytes[..bytes.len().min(1024)], b"%PDF-").is_none() {
        let problem = whole::beginning(bytes);
        return Err(FormatError::NotOfFormat { format: FORMAT, problem });
    }
    if memmem::rfind(bytes, b"%%EOF").is_none() {
        let open = "the end of the document is missing".to_owned();
        return Err(FormatError::Truncated { place: format!("byte {}", bytes.len()), open });
    }
    if memmem::find(bytes, b"/Encrypt").is_some() {
        let problem = "it is protected; save it without protection".to_owned();
        return Err(FormatError::NotOfFormat { format: FORMAT, problem });
    }
    unpacked(bytes, limits)
}

/// Unpacks every stream to nowhere.
fn unpacked(bytes: &[u8], limits: &Limits) -> Result<(), FormatError> {
    let mut left = limits.max_unpacked_bytes;
    for at in memmem::find_iter(bytes, b"stream") {
        let after = &bytes[at + b"stream".len()..];
        let data = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n"));
        let Some(data) = data.filter(|_| !bytes[..at].ends_with(b"end")) else { continue };
        let bomb = || FormatError::Limit {
            place: format!("byte {at}"),
            what: "bytes when it is unpacked",
            limit: limits.max_unpacked_bytes,
        };
        for layers in 1..=MAX_LAYERS + 1 {
            let (size, packed) = inflate(data, layers, left);
            left = left.checked_sub(size).ok_or_else(bomb)?;
            if !packed {
                break;
            }
            if layers > MAX_LAYERS {
                return Err(bomb());
            }
        }
    }
    Ok(())
}

/// The size of data after so many unpackings, and whether it looks packed once more. What is not packed has none.
fn inflate(data: &[u8], layers: usize, left: u64) -> (u64, bool) {
    if !looks_packed(data) {
        return (0, false);
    }
    let mut reader: Box<dyn Read + '_> = Box::new(data);
    for _ in 0..layers {
        reader = Box::new(ZlibDecoder::new(reader));
    }
    let mut head = [0; 2];
    let read = reader.read_exact(&mut head);
    if read.is_err() {
        return (0, false);
    }
    let mut size = head.len() as u64;
    // Damage ends the count: what came before it has been unpacked.
    let mut piece = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = reader.read(&mut piece) {
        size += count as u64;
        if size > left {
            break;
        }
    }
    (size, looks_packed(&head))
}

/// Whether bytes start as packed ones do.
fn looks_packed(head: &[u8]) -> bool {
    match head {
        [first, second, ..] => {
            first & 0x0F == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31)
        }
        _ => false,
    }
}

/// Opens a document, without object streams that cannot be counted.
pub(super) fn open(bytes: &[u8]) -> Result<Document, FormatError> {
    let options = LoadOptions::with_filter(bounded);
    let loaded = Document::load_mem_with_options(bytes, options);
    loaded.map_err(|error| malformed("the document", error.to_string()))
}

fn bounded(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let unbounded = object.as_stream().is_ok_and(is_unbounded);
    // Of a stream only the answer is looked at, not what is given back.
    let kept = || if object.as_stream().is_ok() { Object::Null } else { object.clone() };
    (!unbounded).then(|| (id, kept()))
}

fn is_unbounded(stream: &Stream) -> bool {
    let is_lzw = |filters: Vec<&[u8]>| filters.iter().any(|name| name.starts_with(b"LZW"));
    stream.content.len() > MAX_LZW && stream.filters().is_ok_and(is_lzw)
}

/// How many pages there are, when all of them can be read in bounded time.
pub(super) fn pages(document: &Document, limits: &Limits) -> Result<u32, FormatError> {
    let pages = document.get_pages();
    if pages.len() > limits.max_pages {
        let (what, limit) = ("pages", limits.max_pages as u64);
        return Err(FormatError::Limit { place: "its page tree".to_owned(), what, limit });
    }
    let dearest = Forms::of(document).dearest()?;
    for (number, id) in &pages {
        let place = || format!("page {number}");
        if ancestors(document, *id) > MAX_ANCESTORS {
            return Err(malformed(place(), "the page tree goes round in a circle"));
        }
        let content = document.get_page_content(*id).unwrap_or_default();
        if draws(&content).saturating_mul(dearest) > MAX_DRAWN {
            return Err(too_much(&place()));
        }
    }
    u32::try_from(pages.len()).map_err(|_| malformed("the document", DAMAGED))
}

fn too_much(place: &str) -> FormatError {
    FormatError::Limit { place: place.to_owned(), what: "forms drawn", limit: MAX_DRAWN }
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
