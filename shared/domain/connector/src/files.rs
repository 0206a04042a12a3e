//! Uploaded files, as a connector reads them.

use jiff::Timestamp;

use crate::binding::SourceFuture;

/// One file in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its key.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// When it was put there last.
    pub modified_at: Option<Timestamp>,
    /// What stands for its content.
    pub etag: Option<String>,
}

/// Files under a prefix.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// In the order of their keys.
    pub files: Vec<FileEntry>,
    /// Whether there are more than were asked for.
    pub truncated: bool,
}

/// The body of a file, piece by piece.
pub trait FileBody: Send {
    /// The next bytes, or `None` at the end.
    fn next(&mut self) -> SourceFuture<'_, Option<Vec<u8>>>;
}

/// Where uploaded files lie. `store-uploads` implements it.
pub trait Files: Send + Sync {
    /// The first `most` files under a prefix.
    fn list<'a>(&'a self, prefix: &'a str, most: usize) -> SourceFuture<'a, Listing>;

    /// Opens a file.
    fn open<'a>(&'a self, key: &'a str) -> SourceFuture<'a, Box<dyn FileBody>>;
}
