//! The ports of destinations, in memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Mutex;

use countersign_actions_knowledge::GraphPort;
use countersign_identity::UserId;
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_report::{GraphConfig, WrittenDestination};
use countersign_store_content::{
    Document, Export, NewDocument, NewExport, RowWrite, TableInfo, Written,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::content_port::Addition;
use crate::{ContentPort, OwnDestination, ProfileOutputs};

/// Rows by id.
type Rows = BTreeMap<String, Map<String, Value>>;

/// A content port in memory that keeps what a real one keeps: ids once, rows by id, folders and tables.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) folders: Mutex<Vec<String>>,
    pub(super) documents: Mutex<BTreeMap<String, NewDocument>>,
    pub(super) exports: Mutex<BTreeMap<String, NewExport>>,
    pub(super) rows: Mutex<BTreeMap<String, Rows>>,
    pub(super) calls: Mutex<BTreeMap<String, Written>>,
    /// How often writing a document fails by something that passes.
    pub(super) outages: Mutex<u32>,
}

impl ContentPort for Memory {
    fn folder<'a>(
        &'a self,
        _: &'a UserId,
        id: &'a str,
        create_if_missing: bool,
        _: Timestamp,
    ) -> ActionFuture<'a, ()> {
        Box::pin(async move {
            let mut folders = self.folders.lock().unwrap();
            if !create_if_missing && !folders.iter().any(|known| known == id) {
                return Err(ActionError::terminal(
                    "FOLDER_NOT_FOUND",
                    format!("the folder `{id}` does not exist"),
                ));
            }
            folders.push(id.to_owned());
            Ok(())
        })
    }

    fn document<'a>(&'a self, new: &'a NewDocument) -> ActionFuture<'a, Document> {
        Box::pin(async move {
            let mut outages = self.outages.lock().unwrap();
            if *outages > 0 {
                *outages -= 1;
                return Err(ActionError::retryable("STORE_UNAVAILABLE", "the table is busy"));
            }
            let mut documents = self.documents.lock().unwrap();
            let stands =
                documents.entry(new.document.id.to_string()).or_insert_with(|| new.clone());
            Ok(stands.document.clone())
        })
    }

    fn append<'a>(&'a self, addition: Addition<'a>) -> ActionFuture<'a, Document> {
        Box::pin(async move {
            let mut documents = self.documents.lock().unwrap();
            let Some(known) = documents.get_mut(addition.document) else {
                return Err(ActionError::terminal("DOCUMENT_NOT_FOUND", "there is none"));
            };
            known.body.push_str(&addition.text);
            Ok(known.document.clone())
        })
    }

    fn rows<'a>(&'a self, write: RowWrite<'a>) -> ActionFuture<'a, (TableInfo, Written)> {
        Box::pin(async move {
            let name = format!("{}/{}", write.workspace, write.table);
            let info = TableInfo {
                workspace_id: write.workspace.to_owned(),
                table_name: write.table.to_owned(),
                schema: write.schema,
                row_count: 0,
                created_at: write.now,
                updated_at: write.now,
            };
            if let Some(done) = self.calls.lock().unwrap().get(write.idempotency_key) {
                return Ok((info, *done));
            }
            let mut tables = self.rows.lock().unwrap();
            let table = tables.entry(name).or_default();
            let mut written = Written { inserted: 0, updated: 0, skipped: 0 };
            for row in write.rows {
                match table.entry(row.id) {
                    Entry::Occupied(_) => written.skipped += 1,
                    Entry::Vacant(place) => {
                        written.inserted += 1;
                        place.insert(row.cells);
                    }
                }
            }
            self.calls.lock().unwrap().insert(write.idempotency_key.to_owned(), written);
            Ok((info, written))
        })
    }

    fn export<'a>(&'a self, new: &'a NewExport) -> ActionFuture<'a, Export> {
        Box::pin(async move {
            let mut exports = self.exports.lock().unwrap();
            let stands = exports.entry(new.export.id.to_string()).or_insert_with(|| new.clone());
            Ok(stands.export.clone())
        })
    }
}

/// A graph that says how much it was given, and where.
impl GraphPort for Memory {
    fn keep<'a>(
        &'a self,
        _: &'a Call,
        key: &'a str,
        config: &'a GraphConfig,
        items: &'a [Value],
    ) -> ActionFuture<'a, Value> {
        let kept = json!({"key": key, "namespace": config.namespace, "items": items.len()});
        Box::pin(std::future::ready(Ok(kept)))
    }
}

/// A profile with these destinations.
pub(super) struct Profile(pub(super) Vec<Value>);

impl ProfileOutputs for Profile {
    fn destinations<'a>(
        &'a self,
        _: &'a UserId,
        _: &'a str,
    ) -> ActionFuture<'a, Vec<OwnDestination>> {
        Box::pin(async move {
            let read = |value: &Value| serde_json::from_value::<WrittenDestination>(value.clone());
            let own = |value: &Value| OwnDestination {
                destination: read(value).unwrap().into(),
                digest: value["type"].to_string(),
            };
            Ok(self.0.iter().map(own).collect())
        })
    }
}
