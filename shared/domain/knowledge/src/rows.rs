//! The rows written beside the graph: resolution log (F-247, F-400), reviews (F-248, F-401), discoveries (F-251, F-399).

use countersign_identity::UserId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::{EntityId, EntityType, Namespace, Relationship};

countersign_ids::prefixed_id! {
    /// One row of the resolution log.
    pub struct LogId("rlog");
}

countersign_ids::prefixed_id! {
    /// One doubtful merge.
    pub struct ReviewId("review");
}

countersign_ids::prefixed_id! {
    /// One thing a run found.
    pub struct DiscoveryId("disc");
}

/// What was done with a mention (F-247).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ResolutionAction {
    /// Joined to another by score.
    AutoMerge,
    /// Joined by a person.
    UserMerge,
    /// Taken apart by a person.
    UserSplit,
    /// Became an entity of its own.
    CreateNew,
    /// Left for a person.
    FlagReview,
}

impl ResolutionAction {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// By what two mentions were matched (F-243, F-247).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MatchMethod {
    /// The same name after normalising.
    ExactName,
    /// Similar names.
    FuzzyName,
    /// The same external id.
    ExternalId,
    /// Similar names seen with the same third thing.
    ContextOverlap,
}

impl MatchMethod {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One entry of the audit log of resolution (F-400).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ResolutionLogEntry")]
pub struct ResolutionLogRow {
    /// Derived from the call and the row's content.
    pub id: LogId,
    /// Whose graph.
    pub user_id: UserId,
    /// The run; empty for what a person did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub execution_id: String,
    /// What was done.
    pub action: ResolutionAction,
    /// The mention.
    pub source_entity_name: String,
    /// Its kind.
    pub source_entity_type: EntityType,
    /// Its entity, where it is or was one of its own: what a person merged, or what a split has made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_entity_id: Option<EntityId>,
    /// What it was compared with or joined to.
    pub target_entity_name: String,
    /// The entity in the graph.
    pub target_entity_id: EntityId,
    /// The score.
    pub confidence: f64,
    /// By what, when there was a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_method: Option<MatchMethod>,
    /// `jaro_winkler`, `external_id_match`, `shared_context`, `shared_documents` (ids), …
    #[serde(default)]
    pub match_details: Map<String, Value>,
    /// The review that was decided by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_id: Option<ReviewId>,
    /// Who decided it; none where it was a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<UserId>,
    /// Whether it can be undone.
    pub is_reversible: bool,
    /// When it was undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversed_at: Option<Timestamp>,
    /// By whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversed_by: Option<UserId>,
    /// When it was done.
    pub created_at: Timestamp,
}

/// Where a review stands (F-248).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReviewStatus {
    /// Waiting for a person.
    Pending,
    /// A person joined them.
    ApprovedMerge,
    /// A person kept them apart.
    Rejected,
    /// A person put it aside.
    Skipped,
}

impl ReviewStatus {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A doubtful merge in the review queue (F-401).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EntityReview")]
pub struct ReviewRow {
    /// Derived from owner, namespace and the two entities, so that the same doubt is asked once.
    pub id: ReviewId,
    /// Whose graph.
    pub user_id: UserId,
    /// The run that first met the doubt.
    pub execution_id: String,
    /// One of the two.
    pub source_entity_name: String,
    /// Its kind.
    pub source_entity_type: EntityType,
    /// Its entity.
    pub source_entity_id: EntityId,
    /// The other.
    pub candidate_entity_name: String,
    /// Its entity.
    pub candidate_entity_id: EntityId,
    /// The score.
    pub confidence: f64,
    /// `jaro_winkler`, `reason`, …
    #[serde(default)]
    pub match_details: Map<String, Value>,
    /// `shared_relationships`: names that both were seen with or are related to; `source_documents`: ids of those that name the one.
    #[serde(default)]
    pub context: Map<String, Value>,
    /// Where it stands.
    pub status: ReviewStatus,
    /// When a person decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed_at: Option<Timestamp>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed_by: Option<UserId>,
    /// The row of the log that the merge has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_id: Option<LogId>,
    /// When it was first asked.
    pub created_at: Timestamp,
}

/// What kind of thing a run found (F-251).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DiscoveryType {
    /// An entity the graph did not have.
    NewEntity,
    /// An edge the graph did not have.
    NewRelationship,
    /// Mentions joined to one entity.
    EntityMerge,
    /// An external id for a known entity.
    NewExternalId,
    /// A pattern an analysis found.
    PatternDetected,
}

impl DiscoveryType {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Whether the graph has what was found (F-314).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DiscoveryStatus {
    /// It has.
    #[default]
    Stored,
    /// Writing failed, and is tried again.
    Pending,
    /// It could not be resolved, or written, for a week: nothing tries it any more.
    GivenUp,
}

impl DiscoveryStatus {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One discovery of a run (F-399).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Discovery {
    /// Derived from the call and the discovery's content.
    pub id: DiscoveryId,
    /// The run.
    pub execution_id: String,
    /// Whose graph.
    pub user_id: UserId,
    /// Which part of the graph.
    #[serde(default)]
    pub namespace: Namespace,
    /// Whether the graph has it.
    #[serde(default)]
    pub status: DiscoveryStatus,
    /// What kind.
    pub discovery_type: DiscoveryType,
    /// The entity.
    pub entity_name: String,
    /// Its kind.
    pub entity_type: EntityType,
    /// Its id.
    pub entity_id: EntityId,
    /// The relationship, for [`DiscoveryType::NewRelationship`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relationship_type: Option<Relationship>,
    /// The far end, for [`DiscoveryType::NewRelationship`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related_entity_name: Option<String>,
    /// The connector it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_connector: Option<String>,
    /// The connector's endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_endpoint: Option<String>,
    /// How sure.
    pub confidence: f64,
    /// More, by kind.
    #[serde(default)]
    pub details: Map<String, Value>,
    /// When.
    pub discovered_at: Timestamp,
}
