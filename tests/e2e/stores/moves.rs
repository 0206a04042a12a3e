//! Documents that are moved to one path at the same moment.

use countersign_effect::{FileAction, FileEffect, TextHash, Version};
use countersign_identity::UserId;
use countersign_store_content::{
    ContentError, ContentStore, Document, DocumentId, FileChange, NewDocument, NewText,
};
use countersign_store_kit::Blobs;
use futures::future::join_all;
use jiff::Timestamp;

const TO: &str = "archive/a.md";
/// Of a text with nothing in it.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The n-th document, in a folder of its own.
fn document(owner: &UserId, n: u8) -> Document {
    Document {
        id: DocumentId::from_bytes([n; 16]),
        owner: owner.clone(),
        title: "A".to_owned(),
        filename: "a.md".to_owned(),
        folder_id: Some(format!("in-{n}")),
        media_type: "text/markdown; charset=utf-8".to_owned(),
        bytes: 0,
        run: "run_1".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: None,
    }
}

/// Its move, as it was signed.
fn signed(document: &Document) -> FileEffect {
    FileEffect {
        v: Version,
        action: FileAction::Move,
        document: document.id.to_string(),
        title: document.title.clone(),
        path: document.path(),
        to: Some(TO.to_owned()),
        before: Some(TextHash { bytes: 0, sha256: EMPTY.to_owned() }),
        edits: Vec::new(),
        after: None,
        text: None,
        restorable_days: None,
        key: document.id.to_string(),
    }
}

#[tokio::test]
async fn f_085_of_documents_that_are_moved_to_one_path_at_once_one_gets_it_and_the_others_are_told()
{
    let blobs = Blobs::of(&super::aws().await, "no-bucket-is-needed");
    let store = ContentStore::new(super::table("content").await, blobs);
    let owner = UserId::from_bytes([5; 16]);
    let documents: Vec<Document> = (1..=8).map(|n| document(&owner, n)).collect();
    for document in &documents {
        let new = NewDocument { document: document.clone(), body: String::new() };
        store.create_document(&new).await.unwrap();
    }
    let effects: Vec<FileEffect> = documents.iter().map(signed).collect();
    let moves = effects.iter().map(|effect| {
        let change = FileChange {
            owner: &owner,
            run: "run_1",
            effect,
            signed: "{}",
            idempotency_key: &effect.key,
            now: Timestamp::UNIX_EPOCH,
        };
        store.change_file(change, |_| Some(NewText::Same))
    });
    let ended = join_all(moves).await;
    let refused: Vec<ContentError> = ended.into_iter().filter_map(Result::err).collect();
    assert_eq!(refused.len(), 7, "one gets it: {refused:?}");
    for error in refused {
        assert!(matches!(&error, ContentError::PathTaken(path) if path == TO), "{error}");
    }
}
