//! Text that is added to documents (F-286).

use countersign_identity::UserId;
use countersign_store_kit::{StoreError, Write};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::against_others::against_others;
use crate::documents::{Document, DocumentItem};
use crate::file_changes::place;
use crate::ids::DocumentId;
use crate::keys;
use crate::tables::CALL_KEPT;
use crate::{ContentError, ContentStore, Result, derived};

/// The largest document that is added to, in bytes.
pub const MAX_DOCUMENT: usize = 4 * 1024 * 1024;

/// Text on its way to the end of a document.
#[derive(Debug, Clone)]
pub struct Addition<'a> {
    /// Whose document.
    pub owner: &'a UserId,
    /// The document, `doc_…`.
    pub document: &'a str,
    /// What is added.
    pub text: String,
    /// The same for every attempt of one call.
    pub idempotency_key: &'a str,
    /// When.
    pub now: Timestamp,
}

impl ContentStore {
    /// Adds text to the end of a Markdown document. A repeated call adds nothing and answers with the document as it is.
    ///
    /// # Errors
    /// [`ContentError::NoDocument`], [`ContentError::NotMarkdown`], [`ContentError::DocumentTooLarge`] and
    /// [`ContentError::Store`].
    pub async fn append_to_document(&self, addition: Addition<'_>) -> Result<Document> {
        against_others(|| self.add(&addition)).await
    }

    async fn add(&self, addition: &Addition<'_>) -> Result<Document> {
        let missing = || ContentError::NoDocument(addition.document.chars().take(80).collect());
        let id = DocumentId::parse(addition.document).map_err(|_| missing())?;
        let hash = hex::encode(derived(&["append", addition.idempotency_key]));
        let mark = keys::addition(addition.owner, &id, &hash);
        let key = keys::document(addition.owner, &id);
        let item = self.table.get::<DocumentItem>(&key).await?.ok_or_else(missing)?;
        if self.table.get::<Value>(&mark).await?.is_some() {
            return Ok(item.document);
        }
        let is_same = item.is_same()?;
        let body = self.text_of(&item).await?;
        let (document, body) = added(item.document, &body, addition)?;
        let stored = self.blobs.store(&place(addition.owner, &id), &json!(body)).await?;
        let done = Write::put(&mark, &json!({ "bytes": document.bytes }))?;
        let done = done.expires_at(addition.now.as_second() + CALL_KEPT).if_absent();
        let update = Write::update(&key)
            .set("body", &stored)?
            .set("bytes", &document.bytes)?
            .set("updated_at", &document.updated_at)?
            .add("version", &1)?
            .when(is_same);
        let written: std::result::Result<(), StoreError> =
            self.table.transact(vec![done, update]).await;
        written?;
        Ok(document)
    }
}

/// The document and its text with the addition.
fn added(document: Document, body: &str, addition: &Addition<'_>) -> Result<(Document, String)> {
    if !document.media_type.starts_with("text/markdown") {
        return Err(ContentError::NotMarkdown(document.filename));
    }
    let body = format!("{}\n\n{}", body.trim_end(), addition.text);
    if body.len() > MAX_DOCUMENT {
        return Err(ContentError::DocumentTooLarge(document.filename));
    }
    let (bytes, updated_at) = (body.len() as u64, Some(addition.now));
    Ok((Document { bytes, updated_at, ..document }, body))
}

#[cfg(test)]
mod tests {
    use countersign_failure::Failure as _;

    use super::*;

    fn check(media_type: &str, body: &str, text: &str, expect: std::result::Result<&str, &str>) {
        let owner = UserId::from_bytes([1; 16]);
        let document = Document {
            id: DocumentId::from_bytes([2; 16]),
            owner: owner.clone(),
            title: "Log".to_owned(),
            filename: "log.md".to_owned(),
            folder_id: None,
            media_type: media_type.to_owned(),
            bytes: body.len() as u64,
            run: "run_1".to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: None,
        };
        let addition = Addition {
            owner: &owner,
            document: "",
            text: text.to_owned(),
            idempotency_key: "k",
            now: Timestamp::UNIX_EPOCH,
        };
        match (added(document, body, &addition), expect) {
            (Ok((document, body)), expect) => {
                assert_eq!(Ok(body.as_str()), expect);
                assert_eq!(document.bytes, body.len() as u64);
            }
            (Err(error), expect) => assert_eq!(Err(error.code()), expect),
        }
    }

    #[test]
    fn f_286_text_is_added_after_an_empty_line_and_to_markdown_only() {
        let markdown = "text/markdown; charset=utf-8";
        check(markdown, "# A\n\n", "## B\n", Ok("# A\n\n## B\n"));
        check("application/json", "{}", "## B\n", Err("DOCUMENT_NOT_MARKDOWN"));
        check(markdown, "# A\n", &"x".repeat(MAX_DOCUMENT), Err("DOCUMENT_TOO_LARGE"));
    }
}
