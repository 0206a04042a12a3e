//! Calling a `file_parser` (F-099): which files, each read on its own, nothing lost.

use countersign_connector::request::public_address;
use countersign_connector::{
    FileBody, FileConnection, FileSource, Operation, PARSERS, SourceError, keys,
};
use countersign_failure::Failure;
use countersign_formats::{Extraction, FormatError, Limits, Reader};
use countersign_http_out::{Call as HttpCall, HttpError, Streaming};
use countersign_reader::Readers;
use countersign_registry::action::Call;
use countersign_resilience::Tried;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::binding::Resolved;
use crate::calling::{Caller, deadline};
use crate::error::ConnectError;
use crate::gathered::Gathered;
use crate::handler::Deps;
use crate::multi_source::Places;

/// Files read by one call.
pub(crate) const MAX_FILES: usize = 500;
/// Files read at the same time: as many as there are readers, so that none is opened long before it is read.
const AT_ONCE: usize = Readers::AT_ONCE;

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// A file's id, or an address without its query.
    pub(crate) reference: String,
    /// What people call it; the reference where nothing is known of it.
    pub(crate) name: String,
    pub(crate) place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Key { key: String, bytes: u64 },
    Address(Url),
    Missing,
}

/// A file that this call does not read.
pub(crate) fn unread(
    code: &'static str,
    message: impl Into<String>,
    help: &'static str,
) -> ConnectError {
    ConnectError::File { code, message: message.into(), help }
}

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &FileConnection,
    operation: &Operation,
) -> Result<Value, ConnectError> {
    let reader = Reader::of(operation)
        .ok_or_else(|| ConnectError::Argument("the endpoint reads no file".to_owned()))?;
    let formats: Vec<&str> = connection.accepted_formats.iter().map(String::as_str).collect();
    let reading = Reading {
        deps,
        formats: Formats { accepted: &formats, reader: &reader },
        limits: Limits::for_megabytes(connection.max_file_size_mb),
        places: Places::open(deps, call, resolved, connection.timeout_seconds).await?,
        deadline: deadline(call),
    };
    let (targets, truncated) = targets(deps, call, connection).await?;
    let gathered = reading.all(&targets, resolved, call).await;
    reading.places.finish().await;
    gathered.finish(resolved, truncated)
}

/// Reads the files of one call.
struct Reading<'r> {
    deps: &'r Deps,
    formats: Formats<'r>,
    limits: Limits,
    places: Places<'r>,
    deadline: Instant,
}

impl Reading<'_> {
    async fn all(&self, targets: &[Target], resolved: &Resolved, call: &Call) -> Gathered {
        let mut gathered = Gathered::default();
        let reading: Vec<_> = targets.iter().map(|target| self.timed(target)).collect();
        let mut reading = futures::stream::iter(reading).buffered(AT_ONCE);
        for target in targets {
            let Some(outcome) = reading.next().await else { break };
            gathered.add(target, outcome, resolved, call);
        }
        gathered
    }

    /// Reads one file, or gives up when the step's time ends.
    fn timed<'t>(&'t self, target: &'t Target) -> BoxFuture<'t, Result<Extraction, ConnectError>> {
        Box::pin(async move {
            let reading = tokio::time::timeout_at(self.deadline, self.read(target));
            reading.await.unwrap_or_else(|_| Err(FormatError::Time.into()))
        })
    }

    async fn read(&self, target: &Target) -> Result<Extraction, ConnectError> {
        match &target.place {
            Place::Missing => Err(unread(
                "FILE_UNKNOWN",
                "there is no such file",
                "upload the file, and name it by the `source` of the answer",
            )),
            Place::Key { bytes, .. } if *bytes > self.limits.max_bytes => {
                Err(FormatError::TooLarge { max_bytes: self.limits.max_bytes }.into())
            }
            Place::Key { key, .. } => {
                self.formats.accept(&target.name)?;
                let mut body = self.deps.files.open(key).await.map_err(ConnectError::Source)?;
                Ok(self.parse(body.as_mut()).await?)
            }
            Place::Address(url) => {
                self.formats.accept_address(&target.name)?;
                let place = url.origin().ascii_serialization();
                self.places.read(&place, &place, |caller| self.fetched(caller, url)).await
            }
        }
    }

    async fn parse(&self, body: &mut dyn FileBody) -> Result<Extraction, FormatError> {
        self.deps.readers.file(self.formats.reader, self.limits, body, self.deadline).await
    }

    /// Fetches and reads a file. One that breaks off is read again from its start, as often as its failure allows.
    async fn fetched(&self, caller: Caller<'_>, url: &Url) -> Result<Extraction, ConnectError> {
        // One more, so that it is the parser that says a file is too large.
        let max_bytes = self.limits.max_bytes + 1024 * 1024;
        let http = HttpCall { max_bytes, ..HttpCall::get(url.clone()) };
        let mut tried = Tried::default();
        loop {
            let open = caller.open_body(&http, &mut tried).await?;
            let mut body = WebBody { open, broken: None };
            let read = self.parse(&mut body).await;
            match (body.broken, read) {
                (Some(error), _) => caller.again(error.into(), None, &mut tried).await?,
                (None, Ok(found)) => return Ok(found),
                (None, Err(error)) => {
                    if is_malformed(&error) {
                        caller.malformed();
                    }
                    return Err(error.into());
                }
            }
        }
    }
}

/// Whether a file is not what it should be, rather than too much or out of reach.
pub(crate) fn is_malformed(error: &FormatError) -> bool {
    const CODES: [&str; 7] = [
        "FILE_EMPTY",
        "FILE_NOT_XML",
        "FILE_ENCODING",
        "FILE_TRUNCATED",
        "FILE_MALFORMED",
        "FILE_DTD_REFUSED",
        "FILE_WRONG_KIND",
    ];
    CODES.contains(&error.code())
}

/// The files meant by `source`, and whether there are more than are read.
async fn targets(
    deps: &Deps,
    call: &Call,
    connection: &FileConnection,
) -> Result<(Vec<Target>, bool), ConnectError> {
    let sources = sources(call)?;
    let mut all: Vec<Target> = Vec::new();
    let mut truncated = false;
    for source in sources {
        let found = match connection.source {
            FileSource::Url => (vec![address(&source)?], false),
            FileSource::Directory => folder(deps, call, &source).await?,
            FileSource::Upload => uploads(deps, call, &source).await?,
        };
        truncated |= found.1;
        // The same file named twice is read once.
        for target in found.0 {
            if !all.contains(&target) {
                all.push(target);
            }
        }
    }
    if connection.source == FileSource::Upload {
        require_named(&all)?;
    }
    truncated |= all.len() > MAX_FILES;
    all.truncate(MAX_FILES);
    Ok((all, truncated))
}

/// A single file that is not there is an error of the call; one of many is an error of that file.
fn require_named(targets: &[Target]) -> Result<(), ConnectError> {
    match targets {
        [Target { place: Place::Missing, reference, .. }] => Err(missing(reference)),
        _ => Ok(()),
    }
}

/// Why a source that reads well has no file.
fn missing(source: &str) -> ConnectError {
    let why = match source.strip_prefix("folders/") {
        Some(place) if place.contains('/') => "was never uploaded into this folder",
        Some(_) => "is a folder without files",
        None => {
            "was never uploaded, or lies in a folder: its source is then `folders/{folder}/{file_id}`"
        }
    };
    ConnectError::NotUploaded { named: source.to_owned(), why }
}

/// What a call names as its files.
pub(crate) fn source(call: &Call) -> Option<&Value> {
    call.inputs.get("source").or_else(|| call.params.get("source"))
}

fn sources(call: &Call) -> Result<Vec<String>, ConnectError> {
    let wrong = || {
        ConnectError::Argument("the input `source` must be a text or a list of texts".to_owned())
    };
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        // What the upload door and earlier steps give: an object with the file's source or id.
        Value::Object(file) => file
            .get("source")
            .or_else(|| file.get("file_id"))
            .or_else(|| file.get("id"))
            .and_then(Value::as_str)
            .map(str::to_owned),
        _ => None,
    };
    let value = source(call).ok_or_else(wrong)?;
    let sources: Vec<String> = match value {
        Value::Array(items) => {
            items.iter().map(|item| text(item).ok_or_else(wrong)).collect::<Result<_, _>>()?
        }
        one => vec![text(one).ok_or_else(wrong)?],
    };
    if sources.is_empty() || sources.len() > MAX_FILES {
        return Err(ConnectError::Argument(format!(
            "the input `source` must name 1 to {MAX_FILES} files"
        )));
    }
    Ok(sources)
}

/// An uploaded file, or those of a folder. A file that is not there is one all the same, so that the others are read.
async fn uploads(
    deps: &Deps,
    call: &Call,
    source: &str,
) -> Result<(Vec<Target>, bool), ConnectError> {
    let unknown = || ConnectError::NotASource(source.chars().take(180).collect());
    let prefix = keys::source_prefix(&call.owner, source).ok_or_else(unknown)?;
    let (files, truncated) = listed(deps, call, &prefix).await?;
    let missing =
        || Target { reference: source.to_owned(), name: source.to_owned(), place: Place::Missing };
    Ok((if files.is_empty() { vec![missing()] } else { files }, truncated))
}

async fn folder(deps: &Deps, call: &Call, name: &str) -> Result<(Vec<Target>, bool), ConnectError> {
    let unknown = || ConnectError::NotASource(name.chars().take(120).collect());
    let prefix = keys::folder_prefix(&call.owner, name.trim_matches('/')).ok_or_else(unknown)?;
    let (files, truncated) = listed(deps, call, &prefix).await?;
    if files.is_empty() { Err(unknown()) } else { Ok((files, truncated)) }
}

async fn listed(
    deps: &Deps,
    call: &Call,
    prefix: &str,
) -> Result<(Vec<Target>, bool), ConnectError> {
    let listing = deps.files.list(prefix, MAX_FILES).await.map_err(ConnectError::Source)?;
    let found = listing.files.into_iter();
    let files = found.filter_map(|entry| key_target(call, entry.key, entry.bytes)).collect();
    Ok((files, listing.truncated))
}

fn key_target(call: &Call, key: String, bytes: u64) -> Option<Target> {
    let (file, name) = keys::parse(&call.owner, &key)?;
    Some(Target { reference: file.to_string(), name, place: Place::Key { key, bytes } })
}

fn address(source: &str) -> Result<Target, ConnectError> {
    let url = Url::parse(source)
        .map_err(|_| ConnectError::NotASource(source.chars().take(120).collect()))?;
    let name =
        url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default().to_owned();
    Ok(Target { reference: public_address(&url), name, place: Place::Address(url) })
}

/// The formats a call reads: those the connection accepts and the endpoint's parser knows.
struct Formats<'f> {
    accepted: &'f [&'f str],
    reader: &'f Reader,
}

impl Formats<'_> {
    fn all(&self) -> impl Iterator<Item = &str> {
        let endings = self.reader.endings();
        self.accepted.iter().copied().filter(|ending| endings.contains(ending))
    }

    fn accept(&self, name: &str) -> Result<(), ConnectError> {
        let ending = ending(name);
        if self.all().any(|accepted| accepted == ending) {
            return Ok(());
        }
        let all: Vec<&str> = self.all().collect();
        let message = format!("the file is not one of {}", all.join(", "));
        let help = "name a file of such a format, or use a connector that reads this one";
        Err(unread("FILE_FORMAT", message, help))
    }

    /// Addresses may end in anything, but not in another format.
    fn accept_address(&self, name: &str) -> Result<(), ConnectError> {
        let ending = ending(name);
        let mut known = PARSERS.iter().flat_map(|(_, endings)| endings.iter());
        if known.any(|known| *known == ending) { self.accept(name) } else { Ok(()) }
    }
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

/// A body from the web. The parser only learns that it broke off; who may try again wants to know how.
struct WebBody {
    open: Streaming,
    broken: Option<HttpError>,
}

impl FileBody for WebBody {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, SourceError>> {
        Box::pin(async move {
            self.open.chunk().await.map_err(|error| {
                self.broken = Some(error.clone());
                Box::new(error) as SourceError
            })
        })
    }
}
