//! `restore_file`: takes back what `delete_file` has done (K-47).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::{Nothing, restore_file as declared};
use countersign_store_content::{ContentError, ContentStore, DocumentId};

use crate::failed;

pub(crate) struct RestoreFile(pub(crate) Arc<ContentStore>);

impl Perform for RestoreFile {
    type Action = declared::RestoreFile;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        _: Nothing,
    ) -> Result<declared::Output, ActionError> {
        let named = inputs.document_id.trim();
        let missing = || failed(ContentError::NoDocument(named.chars().take(80).collect()));
        let id = DocumentId::parse(named).map_err(|_| missing())?;
        let document = self.0.restore_document(&call.owner, &id, call.now).await.map_err(failed)?;
        let document = document.ok_or_else(missing)?;
        let path = document.path();
        Ok(declared::Output { success: true, title: document.title, path })
    }
}
