//! Data sources and documents: where what the graph knows was found.

use countersign_knowledge::change::Changes;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{DataSource, Document, Entity, MentioningId, SourceId};
use countersign_store_kit::{Key, Page, Query, Window, Write, decode};
use jiff::Timestamp;

use crate::items::Pointer;
use crate::{Answer, KnowledgeStore, Result, keys};

impl KnowledgeStore {
    /// Writes what is not there, or was read earlier than what is: so doing it again, in whatever order, changes nothing.
    pub(crate) async fn write_origins(&self, scope: &Scope, changes: &Changes) -> Result<()> {
        let sources = changes.sources.iter().map(|source| keys::source(scope, &source.id));
        let documents = changes.documents.iter().map(|one| keys::document(scope, &one.id));
        let wanted: Vec<Key> = sources.chain(documents).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let stands = self.table.get_many(&wanted).await?;
        let mut writes = Vec::new();
        for source in &changes.sources {
            let known = stands.get(&keys::source(scope, &source.id)).cloned();
            let known: Option<DataSource> =
                known.map(|item| decode(self.table.name(), item)).transpose()?;
            if is_earlier(source.retrieved_at, known.map(|known| known.retrieved_at)) {
                writes.extend(source_writes(scope, source)?);
            }
        }
        for document in &changes.documents {
            let known = stands.get(&keys::document(scope, &document.id)).cloned();
            let known: Option<Document> =
                known.map(|item| decode(self.table.name(), item)).transpose()?;
            if is_earlier(document.created_at, known.map(|known| known.created_at)) {
                let place = keys::place(document.created_at, document.id.as_str());
                let write = Write::put(&keys::document(scope, &document.id), document)?;
                writes.push(write.indexed(&keys::documents(scope), &place));
            }
        }
        self.table.write_many(writes).await
    }

    /// One data source of the owner, or none.
    pub fn source(&self, scope: &Scope, id: &SourceId) -> Answer<'_, Option<DataSource>> {
        self.table.read(keys::source(scope, id))
    }

    /// A page of data sources: those that a run read by id, else those of a connector, or all, newest first.
    pub fn sources(
        &self,
        scope: &Scope,
        (run, connector): (Option<&str>, Option<&str>),
        window: Window,
    ) -> Answer<'_, Page<DataSource>> {
        let query = match (run, connector) {
            (Some(run), _) => Query::partition(&keys::discoveries_of(&scope.owner, run))
                .prefix(&keys::sources_of_run(scope)),
            (None, Some(connector)) => {
                Query::index(&keys::sources_of(scope, connector)).descending()
            }
            (None, None) => Query::index(&keys::sources(scope)).descending(),
        };
        self.page_of(query, window)
    }

    /// One document of the owner, or none.
    pub fn document(&self, scope: &Scope, id: &MentioningId) -> Answer<'_, Option<Document>> {
        self.table.read(keys::document(scope, id))
    }

    /// A page of documents, newest first.
    pub fn documents(&self, scope: &Scope, window: Window) -> Answer<'_, Page<Document>> {
        self.newest(&keys::documents(scope), window)
    }

    /// A page of the entities that a document names, those that people merged once a page. One that keeps no mention of it
    /// is left out, so a page may be short.
    pub fn mentioned_in<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a MentioningId,
        window: Window,
    ) -> Answer<'a, Page<Entity>> {
        let page = self.page_of(Query::partition(&keys::mentions(scope, id)), window);
        Box::pin(async move {
            let page: Page<Pointer> = page.await?;
            let ids = page.items.into_iter().map(|pointer| pointer.id).collect();
            let mut items = self.views_of(scope, ids).await?;
            items.retain(|entity| entity.mentioned_in.contains_key(id));
            Ok(Page { items, next: page.next })
        })
    }

    /// These sources and documents, by id; those that are not there are left out.
    pub fn origins<'a>(
        &'a self,
        scope: &'a Scope,
        entity: &'a Entity,
    ) -> Answer<'a, (Vec<DataSource>, Vec<Document>)> {
        Box::pin(async move {
            let sources = entity.discovered_by.keys().map(|id| keys::source(scope, id));
            let documents = entity.mentioned_in.keys().map(|id| keys::document(scope, id));
            let (sources, documents) =
                (sources.collect::<Vec<Key>>(), documents.collect::<Vec<_>>());
            let wanted: Vec<Key> = sources.iter().chain(&documents).cloned().collect();
            let mut found = self.table.get_many(&wanted).await?;
            let table = self.table.name();
            let sources = sources.iter().filter_map(|key| found.remove(key));
            let sources = sources.map(|item| decode(table, item)).collect::<Result<_>>()?;
            let documents = documents.iter().filter_map(|key| found.remove(key));
            let documents = documents.map(|item| decode(table, item)).collect::<Result<_>>()?;
            Ok((sources, documents))
        })
    }
}

fn is_earlier(new: Timestamp, known: Option<Timestamp>) -> bool {
    known.is_none_or(|known| new < known)
}

/// A source is found by its id and its connector, and among what its run has read.
fn source_writes(scope: &Scope, source: &DataSource) -> Result<[Write; 2]> {
    let place = keys::place(source.retrieved_at, source.id.as_str());
    let own = Write::put(&keys::source(scope, &source.id), source)?;
    let of_run = Write::put(&keys::source_of_run(scope, source), source)?;
    Ok([
        own.indexed(&keys::sources_of(scope, &source.connector_id), &place),
        of_run.indexed(&keys::sources(scope), &place),
    ])
}

/// Where the entities that a document names are found.
pub(crate) fn mention_pointers(scope: &Scope, entities: &[Entity]) -> Result<Vec<(Key, Write)>> {
    let mut all = Vec::new();
    for entity in entities {
        for id in entity.mentioned_in.keys() {
            let key = Key::new(keys::mentions(scope, id), entity.id.as_str());
            let write = Write::put(&key, &Pointer { id: entity.id.clone() })?;
            all.push((key, write));
        }
    }
    Ok(all)
}
