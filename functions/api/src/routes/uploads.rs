//! `/uploads`: addresses to put files to (K-92). Files never pass through the API.

use std::time::Duration;

use aws_sdk_s3::presigning::PresigningConfig;
use axum::extract::State;
use axum::response::Response;
use countersign_connector::{FileId, MAX_FILE_SIZE_MB, PARSERS, keys, media_type};
use countersign_document::FOLDER_RULE;
use countersign_identity::UserId;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{FieldError, Json, Problem};
use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{Analyst, Ctx, now};
use crate::idempotency::do_once;
use crate::{Context, quotas};

/// No file is larger than the largest a connector may read.
const MAX_BYTES: i64 = MAX_FILE_SIZE_MB as i64 * 1024 * 1024;
/// What file systems take.
const MAX_NAME: usize = 255;
/// So many files a request.
const MAX_FILES: usize = 100;
/// An address is good for this long.
const GOOD_FOR: Duration = Duration::from_secs(15 * 60);

/// Files that no parser of connectors reads and that are taken nevertheless, by ending.
const OTHERS: [(&str, &str); 3] = [
    ("md", "text/markdown"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("zip", "application/zip"),
];

/// Files to come.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Uploads {
    /// 1 to 100 files.
    files: Vec<NewFile>,
    /// A folder of the caller's to put them into: 1 to 128 letters, digits, `_` and `-`.
    #[serde(default)]
    folder: Option<String>,
}

/// A file to come.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFile {
    /// Its name, 1 to 255 characters; its ending says what kind it is.
    name: String,
    /// Its size in bytes, at most 200 MB. The address accepts exactly so many.
    size: i64,
}

/// Where to put a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Upload {
    /// `file_…`.
    #[schema(value_type = String)]
    file_id: FileId,
    /// What a playbook names to read the file: its id, or `folders/{folder}/{file_id}` where it lies in one.
    source: String,
    /// The name it is kept under.
    name: String,
    /// Send the bytes here with `PUT`.
    url: String,
    /// Headers the request must carry.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    headers: serde_json::Map<String, serde_json::Value>,
    /// Until when the address is good.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// Gives an address per file, in the order of the request. Each is good for 15 minutes, one file, its size and its type.
/// An empty file is accepted like any other: the step that reads it reports it by name.
#[utoipa::path(
    post, path = "/uploads", tag = "content", request_body = Uploads,
    params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = Vec<Upload>), (status = 422, description = "INVALID_INPUT"), (status = 429, description = "QUOTA_EXCEEDED: `Retry-After` says when the day's quota begins anew"))
)]
pub(crate) async fn create(
    State(ctx): Ctx,
    Analyst(ref owner): Analyst,
    key: Key,
    Json(body): Json<Uploads>,
) -> Result<Response, Problem> {
    let attempt = Attempt::new(owner, "POST /uploads", key, &body)?;
    do_once(&ctx, &attempt, async {
        let kinds = checked(&body)?;
        let bytes = body.files.iter().map(|file| file.size.unsigned_abs()).sum();
        quotas::upload(&ctx, owner, &attempt, bytes, now()).await?;
        let mut uploads = Vec::with_capacity(kinds.len());
        for (n, (file, kind)) in body.files.iter().zip(kinds).enumerate() {
            let id = file_id(attempt.id(), n);
            uploads.push(address(&ctx, owner, body.folder.as_deref(), file, id, kind).await?);
        }
        countersign_web::idempotency::StoredAnswer::new(StatusCode::CREATED, None, &uploads)
    })
    .await
}

/// The content type of every file, or everything that is wrong. One file that cannot be accepted refuses the whole
/// request, so that nobody goes on without it unawares.
fn checked(body: &Uploads) -> Result<Vec<&'static str>, Problem> {
    let mut errors = Vec::new();
    if !(1..=MAX_FILES).contains(&body.files.len()) {
        errors.push(FieldError::new("files", format!("has 1 to {MAX_FILES} files")));
    }
    let mut kinds = Vec::new();
    for (n, file) in body.files.iter().enumerate() {
        if !(0..=MAX_BYTES).contains(&file.size) {
            errors.push(FieldError::new(
                format!("files[{n}].size"),
                format!("is 0 to {MAX_BYTES} bytes, and {:.60} has {}", file.name, file.size),
            ));
        }
        match kind_of(n, &file.name) {
            Ok(kind) => kinds.push(kind),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(kinds) } else { Err(Problem::invalid(errors)) }
}

/// The content type of the file, or what is wrong with its name.
fn kind_of(n: usize, name: &str) -> Result<&'static str, FieldError> {
    let wrong = |message: String| FieldError::new(format!("files[{n}].name"), message);
    let characters = name.chars().count();
    if name.trim().is_empty() {
        return Err(wrong("a file must have a name".to_owned()));
    }
    if characters > MAX_NAME {
        return Err(wrong(format!("is 1 to {MAX_NAME} characters, and this has {characters}")));
    }
    let unknown = || wrong(format!("`{name:.60}` has an ending that is not taken"));
    kind(name).ok_or_else(|| unknown().with_hint(format!("one of {}", known())))
}

fn kind(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let other = || OTHERS.iter().find(|(known, _)| *known == ending).map(|(_, kind)| *kind);
    media_type(&ending).or_else(other)
}

/// Every ending that is taken: those of the parsers first.
fn known() -> String {
    let parsed = PARSERS.iter().flat_map(|(_, endings)| endings.iter().copied());
    parsed.chain(OTHERS.iter().map(|(ending, _)| *ending)).collect::<Vec<_>>().join(", ")
}

/// Ids follow from the request, so that a repeated one names the same files.
fn file_id(seed: [u8; 16], n: usize) -> FileId {
    let mut digest = Sha256::new();
    digest.update(seed);
    digest.update((n as u64).to_be_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    FileId::from_bytes(bytes)
}

async fn address(
    ctx: &Context,
    owner: &UserId,
    folder: Option<&str>,
    file: &NewFile,
    id: FileId,
    kind: &'static str,
) -> Result<Upload, Problem> {
    let key = match folder {
        None => keys::file_key(owner, &id, &file.name),
        Some(folder) => keys::folder_key(owner, folder, &id, &file.name).ok_or_else(no_folder)?,
    };
    let put = ctx.blobs.client().put_object().bucket(ctx.blobs.bucket()).key(&key);
    let put = put.content_type(kind).content_length(file.size);
    let unsigned = |error: String| {
        tracing::error!(error, "an address could not be signed");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "PRESIGN_FAILED",
            "the address could not be made",
        )
    };
    let config =
        PresigningConfig::expires_in(GOOD_FOR).map_err(|error| unsigned(error.to_string()))?;
    let signed = put.presigned(config).await.map_err(|error| unsigned(error.to_string()))?;
    let mut headers: serde_json::Map<String, serde_json::Value> =
        signed.headers().map(|(name, value)| (name.to_owned(), value.into())).collect();
    headers.insert("content-type".to_owned(), kind.into());
    Ok(Upload {
        source: keys::source(folder, &id),
        file_id: id,
        name: keys::safe_name(&file.name),
        url: signed.uri().to_owned(),
        headers,
        expires_at: now() + SignedDuration::from_secs(15 * 60),
    })
}

/// What is not the name of a folder.
pub(super) fn no_folder() -> Problem {
    Problem::field("folder", FOLDER_RULE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, i64)], expect: Result<&[&str], &[&str]>) {
        let files = files
            .iter()
            .map(|(name, size)| NewFile { name: (*name).to_owned(), size: *size })
            .collect();
        let found = checked(&Uploads { files, folder: None });
        let found = found.map_err(|problem| {
            problem.errors.iter().map(|error| error.path.clone()).collect::<Vec<_>>()
        });
        let expect = expect
            .map(<[&str]>::to_vec)
            .map_err(|paths| paths.iter().map(|path| (*path).to_owned()).collect());
        assert_eq!(found, expect);
    }

    #[test]
    fn k_92_kind_and_size_are_bounded_before_a_byte_is_sent() {
        check(&[("a.xml", 1), ("B.XML", MAX_BYTES)], Ok(&["application/xml", "application/xml"]));
        check(&[("a.exe", 1)], Err(&["files[0].name"]));
        check(
            &[("xml", 1), ("a.xml", 0), ("b.xml", MAX_BYTES + 1), ("c.xml", -1)],
            Err(&["files[0].name", "files[2].size", "files[3].size"]),
        );
        let long = format!("{}.xml", "a".repeat(MAX_NAME));
        check(
            &[("", 1), (" ", 1), (&long, 1)],
            Err(&["files[0].name", "files[1].name", "files[2].name"]),
        );
        check(&[], Err(&["files"]));
        check(&[("a.xml", 1); 101], Err(&["files"]));
    }

    #[test]
    fn f_099_an_empty_file_is_uploaded_so_that_the_run_can_report_it() {
        check(&[("a.xml", 1), ("b.csv", 0)], Ok(&["application/xml", "text/csv"]));
        check(&[("empty.exe", 0)], Err(&["files[0].name"]));
    }

    #[test]
    fn f_099_every_file_a_parser_reads_can_be_uploaded() {
        for ending in PARSERS.iter().flat_map(|(_, endings)| *endings) {
            let expect = media_type(ending).unwrap();
            check(&[(&format!("a.{ending}"), MAX_BYTES)], Ok(&[expect]));
            assert!(known().split(", ").any(|known| known == *ending), "{ending}");
        }
        for (ending, kind) in OTHERS {
            check(&[(&format!("a.{ending}"), 1)], Ok(&[kind]));
        }
        assert_eq!(MAX_BYTES, 200 * 1024 * 1024, "as the documents say");
    }

    #[test]
    fn every_file_of_a_request_has_an_id_of_its_own() {
        assert_ne!(file_id([1; 16], 0), file_id([1; 16], 1));
        assert_eq!(file_id([1; 16], 7), file_id([1; 16], 7));
    }
}
