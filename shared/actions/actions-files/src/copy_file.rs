//! `copy_file` (F-086).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::copy_file as declared;
use countersign_registry::shape::filled;
use countersign_store_content::{ContentStore, Document, DocumentId, NewDocument, derived};

use crate::{failed, text_of};

pub(crate) struct CopyFile(pub(crate) Arc<ContentStore>);

impl Perform for CopyFile {
    type Action = declared::CopyFile;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let id = DocumentId::from_bytes(derived(&["copy", &call.idempotency_key]));
        if let Some(copy) = self.0.document(&call.owner, &id).await.map_err(failed)? {
            return Ok(output(copy));
        }
        let folder = inputs.target_folder_id.trim();
        self.0.ensure_folder(&call.owner, folder, false, call.now).await.map_err(failed)?;
        let (original, body) = text_of(&self.0, &call.owner, &inputs.document_id).await?;
        let document = Document {
            id,
            title: filled(params.new_title).unwrap_or(original.title),
            folder_id: Some(folder.to_owned()),
            run: call.run.clone(),
            created_at: call.now,
            updated_at: None,
            ..original
        };
        let copy = self.0.create_document(&NewDocument { document, body }).await.map_err(failed)?;
        Ok(output(copy))
    }
}

fn output(copy: Document) -> declared::Output {
    declared::Output {
        new_document_id: copy.id.to_string(),
        new_folder_path: copy.path(),
        new_title: copy.title,
    }
}
