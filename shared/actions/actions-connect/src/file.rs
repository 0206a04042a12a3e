//! Calling a `file_parser` (F-099): which files, each read on its own, nothing lost.

use countersign_connector::{
    FileBody, FileConnection, Operation, PARSERS, SourceError, SourceFuture,
};
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
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::file_target::{Place, Target, is_malformed, targets, unread};
use crate::gathered::Gathered;
use crate::multi_source::Sources;

/// Files read at the same time: as many as there are readers, so that none is opened long before it is read.
const AT_ONCE: usize = Readers::AT_ONCE;

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
        places: Sources::open(deps, call, resolved, connection.timeout_seconds).await?,
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
    places: Sources<'r>,
    deadline: Instant,
}

impl Reading<'_> {
    async fn all(&self, targets: &[Target], resolved: &Resolved, call: &Call) -> Gathered {
        let mut gathered = Gathered::default();
        gathered.same_names(targets);
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
    fn next(&mut self) -> SourceFuture<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            self.open.chunk().await.map_err(|error| {
                self.broken = Some(error.clone());
                Box::new(error) as SourceError
            })
        })
    }
}
