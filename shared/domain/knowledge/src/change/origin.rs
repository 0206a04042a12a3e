//! Where a call's entities come from: its data sources and documents, and how each entity is linked to them.

use std::collections::BTreeMap;

use super::Planner;
use crate::extract::{Extracted, FoundIn};
use crate::fold::squeeze;
use crate::model::{
    DataSource, Document, EntityType, InDocument, InDocuments, InSources, MentioningId, SourceId,
    join_documents, join_sources, short,
};

/// The most data sources of one call; what comes from others has no source.
pub const MAX_CALL_SOURCES: usize = 1_000;

/// The most documents of one call; what stands in others is mentioned nowhere.
pub const MAX_CALL_DOCUMENTS: usize = 5_000;

/// The sources and documents of a call.
#[derive(Debug, Default)]
pub(super) struct Origins {
    pub(super) sources: BTreeMap<SourceId, DataSource>,
    pub(super) documents: BTreeMap<MentioningId, Document>,
    /// Which entities name an end of a relationship that is not an entity of the call.
    naming: BTreeMap<(EntityType, String), Vec<usize>>,
}

impl Origins {
    pub(super) fn of(origin: &super::Origin, entities: &[Extracted]) -> Self {
        let mut all = Self::default();
        for (index, entity) in entities.iter().enumerate() {
            all.add_source(origin, entity);
            all.add_document(origin, entity);
            if let Some(end) = &entity.related_to {
                let key = (end.entity_type.clone(), squeeze(&end.name));
                all.naming.entry(key).or_default().push(index);
            }
        }
        all
    }

    fn add_source(&mut self, origin: &super::Origin, entity: &Extracted) {
        let Some(source) = origin.source(entity) else { return };
        keep(&mut self.sources, source.id.clone(), source, MAX_CALL_SOURCES, |known, source| {
            known.retrieved_at = known.retrieved_at.min(source.retrieved_at);
        });
    }

    fn add_document(&mut self, origin: &super::Origin, entity: &Extracted) {
        let Some(found) = &entity.document else { return };
        let document = origin.document(entity, found);
        let (id, most) = (document.id.clone(), MAX_CALL_DOCUMENTS);
        keep(&mut self.documents, id, document, most, |known, document| {
            known.created_at = known.created_at.min(document.created_at);
        });
    }
}

/// Keeps what is met for the first time, unless there is too much; `again` is what meeting it again says of what is known.
fn keep<K: Ord, T>(
    all: &mut BTreeMap<K, T>,
    id: K,
    met: T,
    most: usize,
    again: impl FnOnce(&mut T, T),
) {
    if let Some(known) = all.get_mut(&id) {
        again(known, met);
    } else if all.len() < most {
        all.insert(id, met);
    }
}

impl super::Origin {
    /// The source that a record names; none when it names no connector.
    fn source(&self, entity: &Extracted) -> Option<DataSource> {
        let connector = entity.source_connector.as_deref().filter(|id| !id.is_empty())?;
        let asked = (entity.source_endpoint.as_deref(), entity.source_query.as_deref());
        let at = entity.retrieved_at.unwrap_or(self.now);
        Some(DataSource::new(&self.scope(), &self.run, connector, asked, at))
    }

    fn document(&self, entity: &Extracted, found: &FoundIn) -> Document {
        Document {
            id: Document::id_of(&self.scope(), &found.reference),
            user_id: self.owner.clone(),
            namespace: self.namespace.clone(),
            reference: short(&found.reference),
            title: short(&found.title),
            doc_type: short(&found.doc_type),
            created_at: entity.retrieved_at.unwrap_or(self.now),
        }
    }
}

impl Planner<'_> {
    /// The source of what an entity says, if it is one of the call's.
    pub(super) fn source_of(&self, entity: &Extracted) -> Option<SourceId> {
        let source = self.origin.source(entity)?;
        self.origins.sources.contains_key(&source.id).then_some(source.id)
    }

    /// How mentions are linked to sources and documents. An end of a relationship was found where the relationship was.
    pub(super) fn links(&self, members: &[usize]) -> (InSources, InDocuments) {
        let (mut sources, mut documents) = (InSources::new(), InDocuments::new());
        for member in members {
            let own = self.entities.get(*member);
            for entity in own.into_iter().chain(self.naming(*member)) {
                let at = entity.retrieved_at.unwrap_or(self.origin.now);
                if let Some(id) = self.source_of(entity) {
                    join_sources(&mut sources, &InSources::from([(id, at)]));
                }
                let mention = if own.is_some() {
                    self.mention(entity)
                } else {
                    self.mention(entity).map(|(id, one)| (id, InDocument { count: 1, ..one }))
                };
                join_documents(&mut documents, &mention.into_iter().collect(), InDocument::more);
            }
        }
        (sources, documents)
    }

    /// The entities that name a far end; none of what is an entity itself.
    fn naming(&self, member: usize) -> impl Iterator<Item = &Extracted> {
        let mention = self.mentions.get(member).filter(|_| member >= self.entities.len());
        let key = mention.map(|one| (one.entity_type.clone(), squeeze(&one.name)));
        let named = key.and_then(|key| self.origins.naming.get(&key));
        named.into_iter().flatten().filter_map(|index| self.entities.get(*index))
    }

    fn mention(&self, entity: &Extracted) -> Option<(MentioningId, InDocument)> {
        let found = entity.document.as_ref()?;
        let id = Document::id_of(&self.origin.scope(), &found.reference);
        let beside = || entity.context.iter().cloned().collect::<Vec<String>>().join(", ");
        let context = found.quote.clone().unwrap_or_else(beside);
        let mention = InDocument {
            count: found.count.max(1),
            context: Some(short(&context)).filter(|text| !text.is_empty()),
            section: found.section.as_deref().map(short),
            confidence: if entity.confidence.is_finite() {
                entity.confidence.clamp(0.0, 1.0)
            } else {
                0.0
            },
            first_read: entity.retrieved_at.unwrap_or(self.origin.now),
        };
        self.origins.documents.contains_key(&id).then_some((id, mention))
    }
}
