//! Documents and folders.

use countersign_document::folder_name;
use countersign_identity::UserId;
use countersign_store_kit::{Page, Query, Stored, Window, Write};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::file_changes::{place, put};
use crate::ids::DocumentId;
use crate::keys;
use crate::{Answer, ContentError, ContentStore, Result};

/// A document without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// The id.
    pub id: DocumentId,
    /// Whose it is.
    pub owner: UserId,
    /// For people.
    pub title: String,
    /// Its name as a file.
    pub filename: String,
    /// The folder it lies in; none for the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_id: Option<String>,
    /// Such as `text/markdown; charset=utf-8`.
    pub media_type: String,
    /// The size of the body.
    pub bytes: u64,
    /// The run that wrote it.
    pub run: String,
    /// When.
    pub created_at: Timestamp,
    /// When text was added last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// A document to write.
#[derive(Debug, Clone)]
pub struct NewDocument {
    /// What is stored of it besides the body.
    pub document: Document,
    /// The text.
    pub body: String,
}

/// A folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Its id, chosen by its owner: `nonprofit-investigations`.
    pub id: String,
    /// Whose it is.
    pub owner: UserId,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A document as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DocumentItem {
    #[serde(flatten)]
    pub(crate) document: Document,
    pub(crate) body: Stored,
    /// One more with every change.
    #[serde(default)]
    pub(crate) version: u64,
}

/// A document whose text can be read: a long one lies in the bucket.
#[derive(Debug)]
pub struct Readable(DocumentItem);

impl Readable {
    /// The document.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.0.document
    }

    /// The document alone.
    #[must_use]
    pub fn into_document(self) -> Document {
        self.0.document
    }
}

impl ContentStore {
    /// Writes a document unless one with its id exists; answers with the one that stands.
    pub fn create_document<'a>(&'a self, new: &'a NewDocument) -> Answer<'a, Document> {
        Box::pin(async move {
            let document = &new.document;
            let owner = &document.owner;
            let body = self.blobs.store(&place(owner, &document.id), &json!(new.body)).await?;
            let item = DocumentItem { document: document.clone(), body, version: 0 };
            self.table.put_once(put(&item)?, document).await
        })
    }

    /// A document of this owner.
    pub fn document(&self, owner: &UserId, id: &DocumentId) -> Answer<'_, Option<Document>> {
        self.table.read(keys::document(owner, id))
    }

    /// A document of this owner with its text.
    pub fn document_body(
        &self,
        owner: &UserId,
        id: &DocumentId,
    ) -> Answer<'_, Option<(Document, String)>> {
        let key = keys::document(owner, id);
        Box::pin(async move {
            let Some(item) = self.table.get::<DocumentItem>(&key).await? else { return Ok(None) };
            let body = self.text_of(&item).await?;
            Ok(Some((item.document, body)))
        })
    }

    /// The text of a document.
    pub(crate) async fn text_of(&self, item: &DocumentItem) -> Result<String> {
        Ok(match self.blobs.load(&item.body).await? {
            Value::String(text) => text,
            other => other.to_string(),
        })
    }

    /// The documents of a folder, newest first; without one all documents, by id.
    pub fn documents(
        &self,
        owner: &UserId,
        folder: Option<&str>,
        window: Window,
    ) -> Answer<'_, Page<Document>> {
        self.table.page(listed(owner, folder).within(window))
    }

    /// As [`ContentStore::documents`], each so that its text can be read. Outside a folder as they are at this moment.
    pub fn readable(
        &self,
        owner: &UserId,
        folder: Option<&str>,
        window: Window,
    ) -> Answer<'_, Page<Readable>> {
        let query = listed(owner, folder).within(window);
        let query = if folder.is_none() { query.consistent() } else { query };
        Box::pin(async move {
            let page: Page<DocumentItem> =
                self.table.query(query).await?.decode(self.table.name())?;
            Ok(Page { items: page.items.into_iter().map(Readable).collect(), next: page.next })
        })
    }

    /// The text of a document.
    ///
    /// # Errors
    /// [`ContentError`] when the bucket does not answer.
    pub async fn text(&self, of: &Readable) -> Result<String> {
        self.text_of(&of.0).await
    }

    /// Whether there is a folder with this id.
    pub fn has_folder<'a>(&'a self, owner: &'a UserId, id: &'a str) -> Answer<'a, bool> {
        Box::pin(async move {
            let folder: Option<Folder> = self.table.get(&keys::folder(owner, id)).await?;
            Ok(folder.is_some())
        })
    }

    /// The folder with this id, made when it is missing and may be.
    pub async fn ensure_folder(
        &self,
        owner: &UserId,
        id: &str,
        create_if_missing: bool,
        now: Timestamp,
    ) -> Result<Folder> {
        folder_name(id).map_err(|_| ContentError::FolderId(id.chars().take(80).collect()))?;
        let key = keys::folder(owner, id);
        if let Some(folder) = self.table.get(&key).await? {
            return Ok(folder);
        }
        if !create_if_missing {
            return Err(ContentError::NoFolder(id.to_owned()));
        }
        let folder = Folder { id: id.to_owned(), owner: owner.clone(), created_at: now };
        self.table.try_write(Write::put(&key, &folder)?.if_absent()).await?;
        Ok(folder)
    }

    /// The folders of an owner, by id.
    pub fn folders(&self, owner: &UserId, window: Window) -> Answer<'_, Page<Folder>> {
        self.under(owner, keys::FOLDER, window)
    }
}

/// Where to read the documents of a folder; without one, all documents.
fn listed(owner: &UserId, folder: Option<&str>) -> Query {
    match folder {
        Some(folder) => Query::index(&keys::in_folder(owner, Some(folder))).descending(),
        None => Query::partition(&keys::partition(owner)).prefix("DOC#"),
    }
}
