//! Documents by their names.

use countersign_identity::UserId;
use countersign_store_kit::{Page, Query};

use crate::documents::Document;
use crate::ids::DocumentId;
use crate::keys;
use crate::{Answer, ContentError, ContentStore, Result};

/// The most pages of a folder that a name is looked for in.
const MAX_PAGES: usize = 50;
/// Documents a page.
const PAGE: i32 = 100;

impl Document {
    /// Folder and name; the name alone without a folder.
    #[must_use]
    pub fn path(&self) -> String {
        match &self.folder_id {
            Some(folder) => format!("{folder}/{}", self.filename),
            None => self.filename.clone(),
        }
    }
}

impl ContentStore {
    /// The document that somebody names by its id, or by its path: folder and name.
    ///
    /// # Errors
    /// [`ContentError::NoDocument`], [`ContentError::Ambiguous`], [`ContentError::FolderTooLarge`] and
    /// [`ContentError::Store`].
    pub fn named<'a>(&'a self, owner: &'a UserId, name: &'a str) -> Answer<'a, Document> {
        Box::pin(async move {
            let found = match DocumentId::parse(name.trim()) {
                Ok(id) => self.document(owner, &id).await?,
                Err(_) => self.at_path(owner, name.trim()).await?,
            };
            found.ok_or_else(|| ContentError::NoDocument(name.chars().take(80).collect()))
        })
    }

    async fn page_of(&self, query: Query) -> Result<Page<Document>> {
        self.table.page(query).await
    }

    async fn at_path(&self, owner: &UserId, path: &str) -> Result<Option<Document>> {
        let (folder, filename) = match path.split_once('/') {
            Some((folder, filename)) => (Some(folder), filename),
            None => (None, path),
        };
        let (mut found, mut next) = (None::<Document>, None);
        for _ in 0..MAX_PAGES {
            let query = Query::index(&keys::in_folder(owner, folder)).limit(PAGE);
            let page: Page<Document> = self.page_of(query.after(next.as_deref())).await?;
            for document in page.items.into_iter().filter(|one| one.filename == filename) {
                if let Some(other) = found {
                    let (one, other) = (other.id, document.id);
                    return Err(ContentError::Ambiguous { path: path.to_owned(), one, other });
                }
                found = Some(document);
            }
            next = page.next;
            if next.is_none() {
                return Ok(found);
            }
        }
        Err(ContentError::FolderTooLarge(folder.unwrap_or_default().to_owned()))
    }
}
