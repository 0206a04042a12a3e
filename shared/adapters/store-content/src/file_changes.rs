//! Changes of documents that were signed: each is one transaction, made once, and only of the document that was shown.

use countersign_effect::{FileAction, FileEffect};
use countersign_identity::UserId;
use countersign_store_kit::{Expr, Key, StoreError, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::documents::{Document, DocumentItem};
use crate::ids::DocumentId;
use crate::keys;
use crate::removed::removal;
use crate::tables::CALL_KEPT;
use crate::{Answer, ContentError, ContentStore, Result, derived};

/// For how many hours it is known which call has made which change.
pub const CHANGE_KEPT_HOURS: u32 = 400 * 24;

/// A change that was signed.
#[derive(Debug, Clone)]
pub struct FileChange<'a> {
    /// Whose document.
    pub owner: &'a UserId,
    /// The run that makes it.
    pub run: &'a str,
    /// What was signed.
    pub effect: &'a FileEffect,
    /// Its text.
    pub signed: &'a str,
    /// The same for every attempt of one call.
    pub idempotency_key: &'a str,
    /// When.
    pub now: Timestamp,
}

/// The text of a document after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewText {
    /// As it was.
    Same,
    /// This one.
    Is(String),
}

/// Gives the new text of a document from its old one; none when that is not what was signed.
type Make<'m> = dyn Fn(&str) -> Option<NewText> + Send + Sync + 'm;

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChanged {
    /// What was signed, as its text.
    pub effect: String,
    /// The document.
    pub document: DocumentId,
}

impl ContentStore {
    /// The change that a call has made; none when it has made none.
    pub fn changed_file<'a>(
        &'a self,
        owner: &'a UserId,
        idempotency_key: &'a str,
    ) -> Answer<'a, Option<FileChanged>> {
        self.table.read(mark(owner, idempotency_key))
    }

    /// Makes a change, and gives the text of the document after it. A repeated call changes nothing. `make` gives the new
    /// text of the old one; none when that is not what was signed.
    ///
    /// # Errors
    /// [`ContentError::Changed`] when the document is not the one that was shown, [`ContentError::PathTaken`] when another one is
    /// where it is to be: nothing is changed then. Else [`ContentError::NoDocument`] and [`ContentError::Store`].
    pub fn change_file<'a>(
        &'a self,
        change: FileChange<'a>,
        make: impl Fn(&str) -> Option<NewText> + Send + Sync + 'a,
    ) -> Answer<'a, String> {
        Box::pin(async move {
            let missing = || ContentError::NoDocument(change.effect.document.clone());
            let id = DocumentId::parse(&change.effect.document).map_err(|_| missing())?;
            if self.changed_file(change.owner, change.idempotency_key).await?.is_some() {
                return self.text_now(change.owner, &id).await;
            }
            let done = FileChanged { effect: change.signed.to_owned(), document: id.clone() };
            let done = Write::put(&mark(change.owner, change.idempotency_key), &done)?;
            let mut writes = vec![done.expires_at(change.now.as_second() + CALL_KEPT).if_absent()];
            let text = match change.effect.action {
                FileAction::Create => {
                    self.creation(&change, id.clone(), &make, &mut writes).await?
                }
                _ => self.alteration(&change, &id, &make, &mut writes).await?,
            };
            match self.table.transact_contended(writes).await {
                Ok(()) => {}
                Err(error) if error.is_condition() => self.lost(&change, &id).await?,
                Err(error) => return Err(error.into()),
            }
            Ok(text)
        })
    }

    /// Somebody was faster: this call, somebody who brought another document to where this one is to be, or somebody who changed this one.
    async fn lost(&self, change: &FileChange<'_>, id: &DocumentId) -> Result<()> {
        if self.changed_file(change.owner, change.idempotency_key).await?.is_some() {
            return Ok(());
        }
        if let Some(to) = &change.effect.to {
            self.path_is_free(change.owner, to, id).await?;
        }
        Err(changed(change))
    }

    async fn text_now(&self, owner: &UserId, id: &DocumentId) -> Result<String> {
        Ok(self.document_body(owner, id).await?.map(|(_, text)| text).unwrap_or_default())
    }

    async fn creation(
        &self,
        change: &FileChange<'_>,
        id: DocumentId,
        make: &Make<'_>,
        writes: &mut Vec<Write>,
    ) -> Result<String> {
        let FileChange { owner, effect, now, .. } = *change;
        let Some(NewText::Is(text)) = make("") else { return Err(changed(change)) };
        // Another one may have been made at its path since it was shown.
        match self.take_path(owner, &effect.path, &id).await {
            Err(ContentError::PathTaken(_)) => return Err(changed(change)),
            take => writes.push(take?),
        }
        let (folder, filename) = match effect.path.split_once('/') {
            Some((folder, filename)) => (Some(folder.to_owned()), filename),
            None => (None, effect.path.as_str()),
        };
        if let Some(folder) = &folder {
            self.ensure_folder(owner, folder, true, now).await?;
        }
        let document = Document {
            id,
            owner: owner.clone(),
            title: effect.title.clone(),
            filename: filename.to_owned(),
            folder_id: folder,
            media_type: media_type(filename).to_owned(),
            bytes: text.len() as u64,
            run: change.run.to_owned(),
            created_at: now,
            updated_at: None,
        };
        let body = self.blobs.store(&place(owner, &document.id), &json!(text)).await?;
        writes.push(put(&DocumentItem { document, body, version: 0 })?.if_absent());
        Ok(text)
    }

    async fn alteration(
        &self,
        change: &FileChange<'_>,
        id: &DocumentId,
        make: &Make<'_>,
        writes: &mut Vec<Write>,
    ) -> Result<String> {
        let FileChange { owner, effect, now, .. } = *change;
        let key = keys::document(owner, id);
        let item = self.table.get::<DocumentItem>(&key).await?;
        let item = item.ok_or_else(|| changed(change))?;
        let before = self.text_of(&item).await?;
        let shown = effect.before.as_ref().is_some_and(|shown| shown.sha256 == sha256(&before));
        if !shown || item.document.path() != effect.path || item.document.title != effect.title {
            return Err(changed(change));
        }
        let made = make(&before).ok_or_else(|| changed(change))?;
        let is_same = item.is_same()?;
        match effect.action {
            FileAction::Delete => {
                writes.push(Write::delete(&key).when(is_same));
                writes.push(removal(item, change.run, now)?);
                writes.extend(self.leave_path(owner, &effect.path, id).await?);
            }
            FileAction::Move => writes.extend(self.relocation(change, id, is_same).await?),
            FileAction::Create | FileAction::Patch => {
                let NewText::Is(text) = made else { return Err(changed(change)) };
                let body = self.blobs.store(&place(owner, id), &json!(text)).await?;
                let patched = Write::update(&key).set("body", &body)?;
                let patched =
                    patched.set("bytes", &(text.len() as u64))?.set("updated_at", &now)?;
                writes.push(patched.add("version", &1)?.when(is_same));
                return Ok(text);
            }
        }
        Ok(before)
    }
}

impl ContentStore {
    /// The writes that move a document: it has the path that was signed, and gives the other one up.
    async fn relocation(
        &self,
        change: &FileChange<'_>,
        id: &DocumentId,
        is_same: Expr,
    ) -> Result<Vec<Write>> {
        let FileChange { owner, effect, now, .. } = *change;
        let to = effect.to.as_deref().ok_or_else(|| changed(change))?;
        let (folder, _) = to.split_once('/').ok_or_else(|| changed(change))?;
        let moved = Write::update(&keys::document(owner, id)).set("folder_id", &folder)?;
        let moved = moved.set("GSI1PK", &keys::in_folder(owner, Some(folder)))?;
        let moved = moved.set("updated_at", &now)?.add("version", &1)?.when(is_same);
        let mut writes = vec![moved, self.take_path(owner, to, id).await?];
        if to != effect.path {
            writes.extend(self.leave_path(owner, &effect.path, id).await?);
        }
        Ok(writes)
    }
}

impl DocumentItem {
    /// That the document is still the one that was read.
    pub(crate) fn is_same(&self) -> std::result::Result<Expr, StoreError> {
        let text = match self.version {
            0 => "attribute_exists(#PK) AND (attribute_not_exists(#version) OR #version = :before)",
            _ => "#version = :before",
        };
        Expr::new(text).bind("before", &self.version)
    }
}

/// The write of a document as it is, with its index.
pub(crate) fn put(item: &DocumentItem) -> std::result::Result<Write, StoreError> {
    let document = &item.document;
    let index = keys::in_folder(&document.owner, document.folder_id.as_deref());
    let sort = keys::at(document.created_at, &document.id);
    let put = Write::put(&keys::document(&document.owner, &document.id), item)?;
    Ok(put.indexed(&index, &sort))
}

/// Where a text lies that is too large for its item.
pub(crate) fn place(owner: &UserId, id: &DocumentId) -> String {
    format!("exports/documents/{owner}/{id}")
}

fn mark(owner: &UserId, key: &str) -> Key {
    keys::file_change(owner, &hex::encode(derived(&["file", key])))
}

fn changed(change: &FileChange<'_>) -> ContentError {
    ContentError::Changed(change.effect.path.clone())
}

fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// What a new file is, by the ending of its name.
fn media_type(filename: &str) -> &'static str {
    match filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("md" | "markdown") => "text/markdown; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::{CALL_KEPT, CHANGE_KEPT_HOURS};

    #[test]
    fn k_49_people_are_told_how_long_a_change_is_known() {
        assert_eq!(i64::from(CHANGE_KEPT_HOURS) * 3_600, CALL_KEPT);
    }
}
