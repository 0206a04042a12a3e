//! Documents by their names, and whose a path is.
//!
//! A new file, a move and a restoration take a path for their document, in the transaction that makes them: of two that want the
//! same one, one gets it. What runs write with `route_output`, and copies, take none, as did everything in earlier releases;
//! they are found in the index.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Page, Query, Write};
use serde::{Deserialize, Serialize};

use crate::documents::Document;
use crate::ids::DocumentId;
use crate::keys;
use crate::{Answer, ContentError, ContentStore, Result};

/// The most pages of a folder that a name is looked for in.
const MAX_PAGES: usize = 50;
/// Documents a page.
const PAGE: i32 = 100;

/// That a path belongs to a document.
#[derive(Serialize, Deserialize)]
struct Taken {
    document: DocumentId,
}

impl Taken {
    /// That the path still belongs to this document.
    fn is_same(&self) -> Result<Expr> {
        Ok(Expr::new("#document = :document").bind("document", &self.document)?)
    }
}

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

    /// Nothing when no other document of this owner is at a path.
    ///
    /// # Errors
    /// [`ContentError::PathTaken`] and [`ContentError::Store`].
    pub fn path_is_free<'a>(
        &'a self,
        owner: &'a UserId,
        path: &'a str,
        document: &'a DocumentId,
    ) -> Answer<'a, ()> {
        Box::pin(async move { self.take_path(owner, path, document).await.map(drop) })
    }

    /// The write that takes a path for a document, in the transaction that brings it there.
    pub(crate) async fn take_path(
        &self,
        owner: &UserId,
        path: &str,
        document: &DocumentId,
    ) -> Result<Write> {
        let taken = || ContentError::PathTaken(path.to_owned());
        if self.has_another(owner, path, document).await? {
            return Err(taken());
        }
        let key = keys::path(owner, path);
        let take = Write::put(&key, &Taken { document: document.clone() })?;
        let Some(held) = self.table.get::<Taken>(&key).await? else { return Ok(take.if_absent()) };
        // The index may not have seen it yet.
        if held.document != *document && self.is_at(owner, path, &held.document).await? {
            return Err(taken());
        }
        Ok(take.when(held.is_same()?))
    }

    /// The write that gives a path up that a document has taken; none when it has not.
    pub(crate) async fn leave_path(
        &self,
        owner: &UserId,
        path: &str,
        document: &DocumentId,
    ) -> Result<Option<Write>> {
        let key = keys::path(owner, path);
        let held = self.table.get::<Taken>(&key).await?;
        let own = held.filter(|held| held.document == *document);
        Ok(own.map(|own| own.is_same()).transpose()?.map(|same| Write::delete(&key).when(same)))
    }

    /// Whether the index has another document at a path.
    async fn has_another(&self, owner: &UserId, path: &str, document: &DocumentId) -> Result<bool> {
        match self.at_path(owner, path).await {
            Ok(found) => Ok(found.is_some_and(|found| found.id != *document)),
            Err(ContentError::Ambiguous { .. }) => Ok(true),
            // Nobody finds a document of such a folder by its path.
            Err(ContentError::FolderTooLarge(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn is_at(&self, owner: &UserId, path: &str, document: &DocumentId) -> Result<bool> {
        let found = self.document(owner, document).await?;
        Ok(found.is_some_and(|found| found.path() == path))
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
