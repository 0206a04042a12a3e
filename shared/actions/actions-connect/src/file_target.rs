//! Which files a call means by its `source`.

use countersign_connector::request::public_address;
use countersign_connector::{FileConnection, FileSource, keys};
use countersign_failure::Failure as _;
use countersign_formats::FormatError;
use countersign_registry::action::Call;
use serde_json::Value;
use url::Url;

use crate::deps::Deps;
use crate::error::ConnectError;

/// Files read by one call.
pub(crate) const MAX_FILES: usize = 500;

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
pub(crate) async fn targets(
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
        Some(place) if place.contains('/') => "was never uploaded into this folder, or was removed",
        Some(_) => "is a folder without files",
        None => {
            "was never uploaded, was removed, or is in a folder: its source is then `folders/{folder}/{file_id}`"
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

/// An address as people write one. What only a lenient reader takes for an address is none: whoever checks the text sees another.
fn address(source: &str) -> Result<Target, ConnectError> {
    let is_written = source.starts_with("https://") || source.starts_with("http://");
    let is_one_word = !source.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\');
    let url =
        Some(source).filter(|_| is_written && is_one_word).and_then(|text| Url::parse(text).ok());
    let url = url.ok_or_else(|| ConnectError::NotASource(source.chars().take(120).collect()))?;
    let name =
        url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default().to_owned();
    Ok(Target { reference: public_address(&url), name, place: Place::Address(url) })
}
