//! Calling a `file_parser` (F-099): which files, each read on its own, nothing lost.

use std::time::Duration;

use countersign_connector::request::public_address;
use countersign_connector::{
    FileBody, FileConnection, FileId, FileSource, Operation, PARSERS, SourceError, keys,
};
use countersign_failure::{Class, Failure};
use countersign_formats::{Extraction, FormatError, Limits, Reader};
use countersign_http_out::{Call as HttpCall, Streaming};
use countersign_registry::action::Call;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use url::Url;

use crate::binding::Resolved;
use crate::error::ConnectError;
use crate::handler::Deps;
use crate::output::{Origin, shaped, stamp};
use crate::stream::parse;

/// Files read by one call.
const MAX_FILES: usize = 500;
/// Records returned by one call.
const MAX_RECORDS: usize = 50_000;
/// Warnings returned by one call.
const MAX_WARNINGS: usize = 200;
/// Files read at the same time.
const AT_ONCE: usize = 4;
/// Time kept for storing the output.
const RESERVE: Duration = Duration::from_secs(3);

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    /// A file's id, or an address without its query.
    reference: String,
    name: String,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Key { key: String, bytes: u64 },
    Address(Url),
    Missing,
}

/// Why one file could not be read.
struct FileFault {
    code: &'static str,
    message: String,
    class: Class,
}

impl FileFault {
    fn of(error: &dyn Failure) -> Self {
        Self { code: error.code(), message: error.to_string(), class: error.class() }
    }

    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), class: Class::Terminal }
    }
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
    let formats = Formats { accepted: &formats, reader: &reader };
    let limits = Limits::for_megabytes(connection.max_file_size_mb);
    let started = tokio::time::Instant::now();
    let (targets, truncated) = targets(deps, call, connection).await?;
    let deadline = started + call.remaining.saturating_sub(RESERVE);
    let reading: Vec<_> =
        targets.iter().map(|target| timed(deps, &formats, &limits, target, deadline)).collect();
    let mut gathered = Gathered::default();
    let mut reading = futures::stream::iter(reading).buffered(AT_ONCE);
    for target in &targets {
        let Some(outcome) = reading.next().await else { break };
        gathered.add(target, outcome, resolved, call);
    }
    gathered.finish(resolved, targets.len(), truncated)
}

/// Reads one file, or gives up when the step's time ends.
fn timed<'t>(
    deps: &'t Deps,
    formats: &'t Formats<'t>,
    limits: &'t Limits,
    target: &'t Target,
    deadline: tokio::time::Instant,
) -> BoxFuture<'t, Result<Extraction, FileFault>> {
    Box::pin(async move {
        let reading = read(deps, formats, limits, target);
        tokio::time::timeout_at(deadline, reading).await.unwrap_or_else(|_| {
            let message = "the step's time ended before the file was read".to_owned();
            Err(FileFault { code: "FILE_TIME", message, class: Class::Retryable })
        })
    })
}

/// What was read of all files.
#[derive(Default)]
struct Gathered {
    records: Vec<Map<String, Value>>,
    errors: Vec<Value>,
    warnings: Vec<Value>,
    read: usize,
    first: Option<FileFault>,
}

impl Gathered {
    fn add(
        &mut self,
        target: &Target,
        outcome: Result<Extraction, FileFault>,
        resolved: &Resolved,
        call: &Call,
    ) {
        let found = outcome.and_then(|found| {
            if self.records.len() + found.records.len() > MAX_RECORDS {
                let message = format!(
                    "more than {MAX_RECORDS} records in one call; read this file in another"
                );
                return Err(FileFault::new("FILE_RECORDS", message));
            }
            Ok(found)
        });
        let found = match found {
            Ok(found) => found,
            Err(fault) => return self.fail(target, fault),
        };
        let offset = self.records.len();
        let origin = Origin { reference: &target.reference, name: &target.name };
        for mut record in found.records {
            stamp(&mut record, resolved, call, &origin);
            self.records.push(record);
        }
        for warning in
            found.warnings.into_iter().take(MAX_WARNINGS.saturating_sub(self.warnings.len()))
        {
            self.warnings.push(json!({
                "file": target.reference, "name": target.name, "record": warning.record.map(|record| offset + record),
                "field": warning.field, "message": warning.message,
            }));
        }
        self.read += 1;
    }

    fn fail(&mut self, target: &Target, fault: FileFault) {
        self.errors.push(json!({
            "file": target.reference, "name": target.name, "code": fault.code, "message": fault.message,
        }));
        self.first.get_or_insert(fault);
    }

    /// The output, or an error when no file could be read.
    fn finish(
        self,
        resolved: &Resolved,
        count: usize,
        truncated: bool,
    ) -> Result<Value, ConnectError> {
        if let (0, Some(fault)) = (self.read, self.first) {
            return Err(ConnectError::NothingRead {
                count,
                first: fault.message,
                code: fault.code,
                class: fault.class,
            });
        }
        let mut output = shaped(resolved.endpoint.output.shape, self.records, truncated);
        output.insert("files_read".to_owned(), self.read.into());
        output.insert("errors".to_owned(), self.errors.into());
        output.insert("warnings".to_owned(), self.warnings.into());
        Ok(output.into())
    }
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
            FileSource::Upload => match source.strip_prefix("folders/") {
                Some(name) => folder(deps, call, name).await?,
                None => (vec![upload(deps, call, &source).await?], false),
            },
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
        [Target { place: Place::Missing, reference, .. }] => {
            Err(ConnectError::NotASource(reference.clone()))
        }
        _ => Ok(()),
    }
}

fn sources(call: &Call) -> Result<Vec<String>, ConnectError> {
    let wrong = || {
        ConnectError::Argument("the input `source` must be a text or a list of texts".to_owned())
    };
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        // What the upload door and earlier steps give: an object with the file's id.
        Value::Object(file) => file
            .get("file_id")
            .or_else(|| file.get("id"))
            .and_then(Value::as_str)
            .map(str::to_owned),
        _ => None,
    };
    let value =
        call.inputs.get("source").or_else(|| call.params.get("source")).ok_or_else(wrong)?;
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

async fn upload(deps: &Deps, call: &Call, source: &str) -> Result<Target, ConnectError> {
    let file = FileId::parse(source)
        .map_err(|_| ConnectError::NotASource(source.chars().take(120).collect()))?;
    let prefix = keys::file_prefix(&call.owner, &file);
    let listing = deps.files.list(&prefix, 1).await.map_err(ConnectError::Source)?;
    let missing =
        || Target { reference: file.to_string(), name: String::new(), place: Place::Missing };
    Ok(listing
        .files
        .into_iter()
        .next()
        .and_then(|entry| key_target(call, entry.key, entry.bytes))
        .unwrap_or_else(missing))
}

async fn folder(deps: &Deps, call: &Call, name: &str) -> Result<(Vec<Target>, bool), ConnectError> {
    let unknown = || ConnectError::NotASource(name.chars().take(120).collect());
    let prefix = keys::folder_prefix(&call.owner, name.trim_matches('/')).ok_or_else(unknown)?;
    let listing = deps.files.list(&prefix, MAX_FILES).await.map_err(ConnectError::Source)?;
    let files: Vec<Target> = listing
        .files
        .into_iter()
        .filter_map(|entry| key_target(call, entry.key, entry.bytes))
        .collect();
    if files.is_empty() { Err(unknown()) } else { Ok((files, listing.truncated)) }
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

async fn read(
    deps: &Deps,
    formats: &Formats<'_>,
    limits: &Limits,
    target: &Target,
) -> Result<Extraction, FileFault> {
    let body: Box<dyn FileBody> = match &target.place {
        Place::Missing => return Err(FileFault::new("FILE_UNKNOWN", "there is no such file")),
        Place::Key { bytes, .. } if *bytes > limits.max_bytes => {
            return Err(FileFault::of(&FormatError::TooLarge { max_bytes: limits.max_bytes }));
        }
        Place::Key { key, .. } => {
            formats.accept(&target.name)?;
            deps.files.open(key).await.map_err(|error| FileFault::of(error.as_ref()))?
        }
        Place::Address(url) => {
            formats.accept_address(&target.name)?;
            // One more, so that it is the parser that says a file is too large.
            let http = HttpCall {
                max_bytes: limits.max_bytes + 1024 * 1024,
                ..HttpCall::get(url.clone())
            };
            let open = deps.egress.open(http).await.map_err(|error| FileFault::of(&error))?;
            if !(200..300).contains(&open.status) {
                let message = format!("the address answered with HTTP {}", open.status);
                return Err(FileFault::new("FILE_SOURCE", message));
            }
            Box::new(WebBody(open))
        }
    };
    let reader = formats.reader.clone();
    parse(body, reader, *limits).await.map_err(|error| FileFault::of(&error))
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

    fn accept(&self, name: &str) -> Result<(), FileFault> {
        let ending = ending(name);
        if self.all().any(|accepted| accepted == ending) {
            return Ok(());
        }
        let all: Vec<&str> = self.all().collect();
        let message = format!("the file is not one of {}", all.join(", "));
        Err(FileFault::new("FILE_FORMAT", message))
    }

    /// Addresses may end in anything, but not in another format.
    fn accept_address(&self, name: &str) -> Result<(), FileFault> {
        let ending = ending(name);
        let mut known = PARSERS.iter().flat_map(|(_, endings)| endings.iter());
        if known.any(|known| *known == ending) { self.accept(name) } else { Ok(()) }
    }
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

struct WebBody(Streaming);

impl FileBody for WebBody {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, SourceError>> {
        Box::pin(
            async move { self.0.chunk().await.map_err(|error| Box::new(error) as SourceError) },
        )
    }
}
