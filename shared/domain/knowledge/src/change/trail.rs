//! What is kept about the decisions: the log, what is new, and what a person is asked.

use serde_json::{Map, Value, json};

use super::common_ground::named;
use super::{Changes, Planner};
use crate::model::{Agreed, Edge, EntityId, MAX_ALIASES, derived_id};
use crate::resolve::{Ambiguity, Candidate, Cluster, Link};
use crate::review::review_id;
use crate::rows::{
    Discovery, DiscoveryId, DiscoveryStatus, DiscoveryType, LogId, ResolutionAction,
    ResolutionLogRow, ReviewRow, ReviewStatus,
};

impl Planner<'_> {
    pub(super) fn log_cluster(&self, cluster: &Cluster, id: &EntityId, changes: &mut Changes) {
        if cluster.known.is_none() {
            self.log_new(cluster, id, changes);
        }
        self.log_merges(cluster, id, changes);
        self.discover_ids(cluster, id, changes);
    }

    /// An entity that was not known.
    fn log_new(&self, cluster: &Cluster, id: &EntityId, changes: &mut Changes) {
        let (name, confidence) = (&cluster.canonical_name, cluster.confidence);
        let details = Map::from_iter([("mentions".to_owned(), json!(cluster.members.len()))]);
        let action = ResolutionAction::CreateNew;
        changes.log.push(self.log_row(action, cluster, id, name, None, confidence, details));
        let new = self.discovery(DiscoveryType::NewEntity, cluster, id, name, Map::new());
        changes.discoveries.push(new);
    }

    /// Names that were taken for one.
    fn log_merges(&self, cluster: &Cluster, id: &EntityId, changes: &mut Changes) {
        let spelt = self.members_by_spelling(cluster);
        for link in &cluster.links {
            let link = &link.towards(&cluster.entity_type, &cluster.canonical_name);
            let mut details = details(link);
            let documents = self.documents_of_both((cluster, &spelt), link);
            details.insert("shared_documents".to_owned(), documents);
            let row = self.log_row(
                ResolutionAction::AutoMerge,
                cluster,
                id,
                &link.source_name,
                Some(link),
                link.score,
                details,
            );
            changes.log.push(row);
        }
        if !cluster.links.is_empty() {
            let aliases: Vec<&String> = cluster.aliases.iter().take(MAX_ALIASES).collect();
            let names = Map::from_iter([("aliases".to_owned(), json!(aliases))]);
            changes.discoveries.push(self.discovery(
                DiscoveryType::EntityMerge,
                cluster,
                id,
                &cluster.canonical_name,
                names,
            ));
        }
    }

    /// Identifiers that the entity did not have.
    fn discover_ids(&self, cluster: &Cluster, id: &EntityId, changes: &mut Changes) {
        let before = self.known.get(id).map(|entity| &entity.external_ids);
        for external in cluster
            .external_ids
            .iter()
            .filter(|external| before.is_none_or(|ids| !ids.contains(external)))
        {
            let details = Map::from_iter([
                ("scheme".to_owned(), json!(external.scheme)),
                ("value".to_owned(), json!(external.value)),
            ]);
            let salt = format!("{}:{}", external.scheme, external.value);
            changes.discoveries.push(self.discovery(
                DiscoveryType::NewExternalId,
                cluster,
                id,
                &salt,
                details,
            ));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of one row")]
    fn log_row(
        &self,
        action: ResolutionAction,
        cluster: &Cluster,
        id: &EntityId,
        source: &str,
        link: Option<&Link>,
        confidence: f64,
        match_details: Map<String, Value>,
    ) -> ResolutionLogRow {
        let target = link.map_or(cluster.canonical_name.as_str(), |link| link.target_name.as_str());
        let salt = format!("{action:?}");
        ResolutionLogRow {
            id: LogId::from_bytes(derived_id(&[
                "log",
                &self.origin.idempotency_key,
                &salt,
                id.as_str(),
                source,
                target,
            ])),
            user_id: self.origin.owner.clone(),
            execution_id: self.origin.run.clone(),
            action,
            source_entity_name: source.to_owned(),
            source_entity_type: cluster.entity_type.clone(),
            source_entity_id: None,
            target_entity_name: cluster.canonical_name.clone(),
            target_entity_id: id.clone(),
            confidence,
            match_method: link.map(|link| link.method),
            match_details,
            review_id: None,
            decided_by: None,
            is_reversible: action == ResolutionAction::AutoMerge,
            reversed_at: None,
            reversed_by: None,
            created_at: self.origin.now,
        }
    }

    fn discovery(
        &self,
        kind: DiscoveryType,
        cluster: &Cluster,
        id: &EntityId,
        salt: &str,
        details: Map<String, Value>,
    ) -> Discovery {
        let source = cluster.members.iter().find_map(|member| self.entities.get(*member));
        let kind_name = format!("{kind:?}");
        Discovery {
            id: DiscoveryId::from_bytes(derived_id(&[
                "discovery",
                &self.origin.idempotency_key,
                &kind_name,
                id.as_str(),
                salt,
            ])),
            execution_id: self.origin.run.clone(),
            user_id: self.origin.owner.clone(),
            namespace: self.origin.namespace.clone(),
            status: DiscoveryStatus::Stored,
            discovery_type: kind,
            entity_name: cluster.canonical_name.clone(),
            entity_type: cluster.entity_type.clone(),
            entity_id: id.clone(),
            relationship_type: None,
            related_entity_name: None,
            source_connector: source.and_then(|entity| entity.source_connector.clone()),
            source_endpoint: source.and_then(|entity| entity.source_endpoint.clone()),
            confidence: cluster.confidence,
            details,
            discovered_at: self.origin.now,
        }
    }

    pub(super) fn found_edge(&self, n: usize, edge: &Edge) -> Option<Discovery> {
        let cluster =
            |id: &EntityId| self.place.get(id).map(|place| &self.resolution.clusters[*place]);
        let (near, far) = (cluster(&edge.from)?, cluster(&edge.to)?);
        let salt = format!("{}:{}:{n}", edge.relationship.as_str(), edge.to);
        let Agreed { properties: mut details, differing } = edge.agreed();
        if !differing.is_empty() {
            details.insert("differing".to_owned(), json!(differing));
        }
        details.insert("to".to_owned(), json!(edge.to));
        let found =
            self.discovery(DiscoveryType::NewRelationship, near, &edge.from, &salt, details);
        Some(Discovery {
            relationship_type: Some(edge.relationship),
            related_entity_name: Some(far.canonical_name.clone()),
            confidence: edge.confidence,
            ..found
        })
    }

    pub(super) fn doubt(&self, ambiguity: &Ambiguity, changes: &mut Changes) {
        let cluster = &self.resolution.clusters[ambiguity.cluster];
        let id = &self.ids[ambiguity.cluster];
        let (candidate_id, candidate_name) = match &ambiguity.candidate {
            Candidate::Cluster(index) => {
                (self.ids[*index].clone(), self.resolution.clusters[*index].canonical_name.clone())
            }
            Candidate::Known(id, name) => (id.clone(), name.clone()),
        };
        let mut details = details(&ambiguity.link);
        details.insert("reason".to_owned(), json!(ambiguity.reason));
        details.insert("why".to_owned(), json!(ambiguity.why));
        let documents = self.documents_of(cluster);
        let others = self.documents_of_candidate(&ambiguity.candidate);
        let shared = named(documents.intersection(&others));
        details.insert("shared_documents".to_owned(), shared);
        let link = &ambiguity.link;
        let row = self.log_row(
            ResolutionAction::FlagReview,
            cluster,
            id,
            &link.source_name,
            Some(link),
            link.score,
            details.clone(),
        );
        changes.log.push(ResolutionLogRow {
            id: LogId::from_bytes(derived_id(&[
                "doubt",
                &self.origin.idempotency_key,
                id.as_str(),
                candidate_id.as_str(),
            ])),
            target_entity_name: candidate_name.clone(),
            target_entity_id: candidate_id.clone(),
            ..row
        });
        let ends = (id, &candidate_id);
        let relationships = self.shared_relationships(link, ends, &changes.edges);
        let context = Map::from_iter([
            ("source_documents".to_owned(), named(&documents)),
            ("shared_relationships".to_owned(), relationships),
        ]);
        let candidate = (candidate_id, candidate_name);
        let review = self.review(cluster, id, candidate, link.score);
        changes.reviews.push(ReviewRow { match_details: details, context, ..review });
    }

    /// What a person is asked, without what it is based on.
    fn review(
        &self,
        cluster: &Cluster,
        id: &EntityId,
        (candidate_entity_id, candidate_entity_name): (EntityId, String),
        confidence: f64,
    ) -> ReviewRow {
        ReviewRow {
            id: review_id(&self.origin.scope(), id, &candidate_entity_id),
            user_id: self.origin.owner.clone(),
            execution_id: self.origin.run.clone(),
            source_entity_name: cluster.canonical_name.clone(),
            source_entity_type: cluster.entity_type.clone(),
            source_entity_id: id.clone(),
            candidate_entity_name,
            candidate_entity_id,
            confidence,
            match_details: Map::new(),
            context: Map::new(),
            status: ReviewStatus::Pending,
            reviewed_at: None,
            reviewed_by: None,
            log_id: None,
            created_at: self.origin.now,
        }
    }
}

/// Why two names were taken for one, or nearly.
pub(super) fn details(link: &Link) -> Map<String, Value> {
    let mut details = Map::from_iter([
        ("jaro_winkler".to_owned(), json!(link.jaro_winkler)),
        ("external_id_match".to_owned(), json!(link.shared_id)),
        ("matched_with".to_owned(), json!(link.target_name)),
    ]);
    if !link.shared_context.is_empty() {
        details.insert("shared_context".to_owned(), json!(link.shared_context));
    }
    details
}
