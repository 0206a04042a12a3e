//! What an agent learns: entities, how their names are read and compared, how mentions become entities, and the shape
//! of the graph they are kept in.
//!
//! The way of a record: [`extract`] finds mentions in it, [`resolve()`] groups mentions that mean the same thing (and
//! recognises what the graph already knows), [`change`] turns the groups into writes that can be repeated safely.
//! [`cross`] matches two record sets directly. [`review`] is what people decide afterwards, [`decided`] how the graph is read
//! under their decisions, [`explore`] what is found in it. [`compare`] is the one judgement all of them share. Nothing here
//! reads a clock, a network or a table.

pub mod change;
pub mod compare;
pub mod cross;
pub mod decided;
pub mod discovered;
mod error;
mod evidence;
pub mod explore;
pub mod extract;
pub mod fold;
mod gazetteer;
pub mod graph;
mod model;
mod nicknames;
pub mod organisation;
pub mod person;
pub mod recognise;
mod resolve;
pub mod review;
mod rows;
mod scope;

pub use error::KnowledgeError;
pub use model::{
    Agreed, DataSource, Document, Edge, EdgeEnd, Entity, EntityId, EntityType, ExternalId,
    InDocument, InDocuments, InSources, InvalidNamespace, MAX_ALIASES, MAX_CONTEXT,
    MAX_EXTERNAL_IDS, MAX_LINKS, MAX_PLACES, MAX_PROVENANCE, MAX_SOURCES, MentioningId, Namespace,
    Provenance, Relationship, SourceId, Stated, Taken, derived_id, external_id_map,
};
pub use resolve::{
    Ambiguity, Candidate, Cluster, DEFAULT_THRESHOLD, Known, Link, MAX_AMBIGUOUS, MAX_CANDIDATES,
    MAX_KEYS, MAX_MENTIONS, Mention, NEVER_BELOW, Resolution, Settings, Strategy, block_keys,
    id_key, lookup_keys, resolve, resolve_while, too_alike,
};
pub use rows::{
    Discovery, DiscoveryId, DiscoveryStatus, DiscoveryType, LogId, MatchMethod, ResolutionAction,
    ResolutionLogRow, ReviewId, ReviewRow, ReviewStatus,
};
