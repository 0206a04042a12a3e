//! Where knowledge comes from: data sources (F-254), documents (F-253), and how an entity is linked to them (F-256, F-268).
//!
//! Their ids follow from what they are about, and joining keeps what came first, so that writing them again changes nothing.

use std::collections::BTreeMap;

use countersign_identity::UserId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Namespace, derived_id};
use crate::scope::Scope;

countersign_ids::prefixed_id! {
    /// One data source of one owner's graph.
    pub struct SourceId("src");
}

countersign_ids::prefixed_id! {
    /// One document of one owner's graph: a file or an article that names entities.
    pub struct MentioningId("mdoc");
}

/// The most data sources, and the most documents, that an entity keeps; the earliest stay.
pub const MAX_LINKS: usize = 50;

/// The most characters of each text that is kept of a source, a document or a mention.
pub(super) const MAX_TEXT: usize = 200;

/// A text cut to what is kept of it.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

/// What a run asked of a connector (F-254).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GraphSource")]
pub struct DataSource {
    /// Derived from the graph, the run, the connector, its endpoint and what was asked.
    pub id: SourceId,
    /// Whose graph.
    pub user_id: UserId,
    /// Which part of it.
    pub namespace: Namespace,
    /// The connector.
    pub connector_id: String,
    /// Its endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The address that was asked, without its query; none for files: [`Document`] names these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The run.
    pub execution_id: String,
    /// When it was first read.
    pub retrieved_at: Timestamp,
}

impl DataSource {
    /// What a run reads of a connector at this time.
    #[must_use]
    pub fn new(
        scope: &Scope,
        run: &str,
        connector: &str,
        (endpoint, query): (Option<&str>, Option<&str>),
        retrieved_at: Timestamp,
    ) -> Self {
        let (connector_id, endpoint, query) =
            (short(connector), endpoint.map(short), query.map(short));
        let id = SourceId::from_bytes(derived_id(&[
            "source",
            scope.owner.as_str(),
            scope.namespace.as_str(),
            run,
            &connector_id,
            endpoint.as_deref().unwrap_or_default(),
            query.as_deref().unwrap_or_default(),
        ]));
        Self {
            id,
            user_id: scope.owner.clone(),
            namespace: scope.namespace.clone(),
            connector_id,
            endpoint,
            query,
            execution_id: run.to_owned(),
            retrieved_at,
        }
    }
}

/// A file or an article that names entities (F-253).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GraphDocument")]
pub struct Document {
    /// Derived from the graph and the reference.
    pub id: MentioningId,
    /// Whose graph.
    pub user_id: UserId,
    /// Which part of it.
    pub namespace: Namespace,
    /// The id of an uploaded file, or an address.
    pub reference: String,
    /// The file's name, or the article's title.
    pub title: String,
    /// The extension of the file's name, such as `xml`; `article` of a feed; else `file`.
    pub doc_type: String,
    /// When it was first read.
    pub created_at: Timestamp,
}

impl Document {
    /// The id that the document with this reference has.
    #[must_use]
    pub fn id_of(scope: &Scope, reference: &str) -> MentioningId {
        let reference = short(reference);
        let parts = ["document", scope.owner.as_str(), scope.namespace.as_str(), &reference];
        MentioningId::from_bytes(derived_id(&parts))
    }
}

/// How an entity stands in a document (F-256).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EntityMention")]
pub struct InDocument {
    /// How often it is named: the most that one call found.
    pub count: usize,
    /// The text around its first mention, else the organisations in the same record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The page, the heading or the field of its first mention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// How sure the surest mention is, 0 to 1.
    pub confidence: f64,
    /// When the document was first read.
    pub first_read: Timestamp,
}

impl InDocument {
    /// Joins another mention in the same document, `count` apart. The earlier text stays.
    fn join(&mut self, other: &Self) {
        let order = |one: &Self| (one.first_read, one.section.clone(), one.context.clone());
        if order(other) < order(self) {
            self.context.clone_from(&other.context);
            self.section.clone_from(&other.section);
            self.first_read = other.first_read;
        }
        self.confidence = self.confidence.max(other.confidence);
    }

    /// The same mentions, read again.
    pub(crate) fn again(&mut self, other: &Self) {
        self.count = self.count.max(other.count);
        self.join(other);
    }

    /// More mentions in the same document.
    pub(crate) fn more(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.join(other);
    }
}

/// The documents that name an entity.
pub type InDocuments = BTreeMap<MentioningId, InDocument>;

/// The sources that an entity was found in, and when.
pub type InSources = BTreeMap<SourceId, Timestamp>;

/// Joins sources; the earliest [`MAX_LINKS`] stay.
pub(crate) fn join_sources(into: &mut InSources, other: &InSources) {
    for (id, at) in other {
        let first = into.entry(id.clone()).or_insert(*at);
        *first = (*first).min(*at);
    }
    keep_first(into, |at| *at);
}

/// Joins documents by what `join` says of one that both have; the earliest [`MAX_LINKS`] stay.
pub(crate) fn join_documents(
    into: &mut InDocuments,
    other: &InDocuments,
    join: fn(&mut InDocument, &InDocument),
) {
    for (id, mention) in other {
        match into.get_mut(id) {
            Some(known) => join(known, mention),
            None => {
                into.insert(id.clone(), mention.clone());
            }
        }
    }
    keep_first(into, |mention| mention.first_read);
}

fn keep_first<K: Ord + Clone, V>(links: &mut BTreeMap<K, V>, at: impl Fn(&V) -> Timestamp) {
    while links.len() > MAX_LINKS {
        let last = links.iter().max_by_key(|(id, link)| (at(link), (*id).clone()));
        let Some(last) = last.map(|(id, _)| id.clone()) else { return };
        links.remove(&last);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn source(n: u8, second: i64) -> InSources {
        let at = Timestamp::from_second(second).unwrap();
        InSources::from([(SourceId::from_bytes([n; 16]), at)])
    }

    fn mention(n: u8, count: usize, second: i64) -> InDocuments {
        let first_read = Timestamp::from_second(second).unwrap();
        let section = Some(format!("page {second}"));
        let one = InDocument { count, context: None, section, confidence: 0.5, first_read };
        InDocuments::from([(MentioningId::from_bytes([n; 16]), one)])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn f_256_f_268_links_are_the_same_in_whatever_order_and_however_often_they_are_joined(
            found in proptest::collection::vec((0_u8..90, 1_usize..5, 0_i64..50), 0..150),
            turned in any::<proptest::sample::Index>(),
        ) {
            let joined = |order: &[(u8, usize, i64)]| {
                let (mut sources, mut documents) = (InSources::new(), InDocuments::new());
                for (n, count, second) in order {
                    join_sources(&mut sources, &source(*n, *second));
                    join_documents(&mut documents, &mention(*n, *count, *second), InDocument::again);
                }
                (sources, documents)
            };
            let once = joined(&found);
            prop_assert!(once.0.len() <= MAX_LINKS && once.1.len() <= MAX_LINKS);
            let mut other = found.clone();
            if !other.is_empty() {
                let at = turned.index(other.len());
                other.rotate_left(at);
            }
            other.extend(found.iter().rev().copied());
            prop_assert_eq!(joined(&other).0, once.0);
            // What was left out for want of room and comes again may have been counted less.
            let read = |all: InDocuments| -> Vec<(MentioningId, Timestamp)> {
                all.into_iter().map(|(id, mention)| (id, mention.first_read)).collect()
            };
            prop_assert_eq!(read(joined(&other).1), read(once.1));
        }
    }

    #[test]
    fn f_256_two_that_become_one_are_counted_together() {
        let mut one = mention(1, 2, 5);
        join_documents(&mut one, &mention(1, 3, 4), InDocument::more);
        join_documents(&mut one, &mention(1, 1, 9), InDocument::again);
        let one = one.into_values().next().unwrap();
        assert_eq!((one.count, one.section.as_deref()), (5, Some("page 4")));
    }

    #[test]
    fn f_254_a_source_read_again_by_the_same_run_is_the_same() {
        let scope =
            |byte| Scope { owner: UserId::from_bytes([byte; 16]), namespace: Namespace::default() };
        let made = |owner, run: &str, query, second| {
            let at = Timestamp::from_second(second).unwrap();
            DataSource::new(&scope(owner), run, "irs", (Some("filings"), query), at).id
        };
        let id = made(1, "run_1", None, 0);
        assert_eq!(made(1, "run_1", None, 60), id);
        for other in
            [made(2, "run_1", None, 0), made(1, "run_2", None, 0), made(1, "run_1", Some("a"), 0)]
        {
            assert_ne!(other, id);
        }
    }
}
