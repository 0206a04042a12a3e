//! What the actions write to.

use countersign_failure::Failure;
use countersign_identity::UserId;
use countersign_registry::action::{ActionError, ActionFuture};
pub(crate) use countersign_store_content::Addition;
use countersign_store_content::{
    ContentError, ContentStore, Document, Export, NewDocument, NewExport, RowWrite, TableInfo,
    Written,
};
use futures::TryFutureExt as _;

/// Documents, tables and files. [`ContentStore`] is the one that lasts; tests bring one in memory.
pub trait ContentPort: Send + Sync {
    /// Makes sure a folder is there, makes it when it is missing and may be.
    fn folder<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a str,
        create_if_missing: bool,
        now: jiff::Timestamp,
    ) -> ActionFuture<'a, ()>;

    /// Writes a document unless it is there; answers with the one that stands.
    fn document<'a>(&'a self, new: &'a NewDocument) -> ActionFuture<'a, Document>;

    /// Adds text to a document; a repeated call adds nothing and answers with the one that stands.
    fn append<'a>(&'a self, addition: Addition<'a>) -> ActionFuture<'a, Document>;

    /// Writes rows; a repeated call answers as the first.
    fn rows<'a>(&'a self, write: RowWrite<'a>) -> ActionFuture<'a, (TableInfo, Written)>;

    /// Writes a file unless it is there; answers with the one that stands.
    fn export<'a>(&'a self, new: &'a NewExport) -> ActionFuture<'a, Export>;
}

impl ContentPort for ContentStore {
    fn folder<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a str,
        create_if_missing: bool,
        now: jiff::Timestamp,
    ) -> ActionFuture<'a, ()> {
        Box::pin(async move {
            self.ensure_folder(owner, id, create_if_missing, now)
                .await
                .map(drop)
                .map_err(action_error)
        })
    }

    fn document<'a>(&'a self, new: &'a NewDocument) -> ActionFuture<'a, Document> {
        Box::pin(self.create_document(new).map_err(action_error))
    }

    fn append<'a>(&'a self, addition: Addition<'a>) -> ActionFuture<'a, Document> {
        Box::pin(self.append_to_document(addition).map_err(action_error))
    }

    fn rows<'a>(&'a self, write: RowWrite<'a>) -> ActionFuture<'a, (TableInfo, Written)> {
        Box::pin(self.write_rows(write).map_err(action_error))
    }

    fn export<'a>(&'a self, new: &'a NewExport) -> ActionFuture<'a, Export> {
        Box::pin(self.create_export(new).map_err(action_error))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape `map_err` wants")]
fn action_error(error: ContentError) -> ActionError {
    ActionError::from_failure(&error as &dyn Failure)
}
