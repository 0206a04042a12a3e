//! `/uploads`: the files that are there.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_connector::{FileEntry, FileId, keys};
use countersign_store_kit::Page as Stored;
use countersign_web::Page;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::uploads::no_folder;
use crate::lists::{Asked, PageOf, paged};

/// Which files.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadQuery {
    /// At most so many files, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Those in this folder; left out, those in none.
    folder: Option<String>,
}

paged!(UploadQuery);

/// A file that somebody has uploaded.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Uploaded {
    /// `file_…`.
    #[schema(value_type = String)]
    file_id: FileId,
    /// What a playbook names to read it, and `DELETE /uploads/{source}` to remove it.
    source: String,
    /// The name it is kept under.
    name: String,
    /// The folder it lies in.
    folder: Option<String>,
    /// Its size in bytes.
    size: u64,
    /// When it was uploaded, or its content replaced.
    #[schema(value_type = Option<String>, format = DateTime)]
    modified_at: Option<Timestamp>,
}

/// The caller's uploaded files in a folder, or those in none, in the order of their ids.
#[utoipa::path(
    get, path = "/uploads", tag = "content", params(UploadQuery),
    responses((status = 200, body = Page<Uploaded>), (status = 422, description = "INVALID_INPUT: there can be no such folder"))
)]
pub(crate) async fn list(asked: Asked<UploadQuery>) -> PageOf<Uploaded> {
    let (owner, folder) = (&asked.owner, asked.query.folder.as_deref());
    let prefix = match folder {
        Some(folder) => keys::folder_prefix(owner, folder).ok_or_else(no_folder)?,
        None => keys::loose_prefix(owner),
    };
    let paging = asked.paging("uploads", &[("folder", folder)]).await?;
    let page = asked.ctx.uploads.page(&prefix, paging.limit, paging.after()).await?;
    let uploaded = |file: FileEntry| {
        let (file_id, name) = keys::parse(owner, &file.key)?;
        let (source, folder) = (keys::source(folder, &file_id), folder.map(str::to_owned));
        let (size, modified_at) = (file.bytes, file.modified_at);
        Some(Uploaded { file_id, source, name, folder, size, modified_at })
    };
    let items = page.items.into_iter().filter_map(uploaded).collect();
    paging.page(Stored { items, next: page.next })
}
