//! What the caller is told.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::trail::details;
use super::{Origin, ids};
use crate::model::{EntityId, external_id_map};
use crate::resolve::{Ambiguity, Candidate, Cluster, Resolution};

/// The output of `resolve_entities` (F-048). Far ends that were not given as entities are written but not answered.
#[must_use]
pub fn answer(origin: &Origin, given: usize, resolution: &Resolution) -> Value {
    let ids = ids(origin, resolution);
    let shown = |cluster: &&Cluster| cluster.members.iter().any(|member| *member < given);
    let merged = |cluster: &Cluster| {
        let count = cluster.members.iter().filter(|member| **member < given).count();
        if cluster.known.is_some() { count } else { count.saturating_sub(1) }
    };
    let resolved: Vec<Value> = resolution
        .clusters
        .iter()
        .zip(&ids)
        .filter(|(cluster, _)| shown(cluster))
        .map(|(cluster, id)| {
            json!({
                "canonical_name": cluster.canonical_name,
                "type": cluster.entity_type,
                "aliases": cluster.aliases,
                "spellings": cluster.spellings,
                "merge_count": merged(cluster),
                "confidence": cluster.confidence,
                "entity_id": id,
                "is_known": cluster.known.is_some(),
                "external_ids": external_id_map(&cluster.external_ids),
            })
        })
        .collect();
    let ambiguous: Vec<Value> = resolution
        .ambiguous
        .iter()
        .map(|ambiguity| doubtful(ambiguity, resolution, &ids))
        .collect();
    let merge_count: usize = resolution.clusters.iter().filter(shown).map(merged).sum();
    json!({ "resolved": resolved, "merge_count": merge_count, "ambiguous": ambiguous, "ambiguous_left_out": resolution.left_out })
}

/// The entity of every mention, by its index: id and canonical name. A mention without a name has none.
#[must_use]
pub fn entities_of(
    origin: &Origin,
    resolution: &Resolution,
) -> BTreeMap<usize, (EntityId, String)> {
    let ids = ids(origin, resolution);
    let mut all = BTreeMap::new();
    for (cluster, id) in resolution.clusters.iter().zip(&ids) {
        for member in &cluster.members {
            all.insert(*member, (id.clone(), cluster.canonical_name.clone()));
        }
    }
    all
}

fn doubtful(ambiguity: &Ambiguity, resolution: &Resolution, ids: &[EntityId]) -> Value {
    let (candidate_id, candidate) = match &ambiguity.candidate {
        Candidate::Cluster(index) => (&ids[*index], &resolution.clusters[*index].canonical_name),
        Candidate::Known(id, name) => (id, name),
    };
    let cluster = &resolution.clusters[ambiguity.cluster];
    json!({
        "entity": cluster.canonical_name,
        "type": cluster.entity_type,
        "candidate": candidate,
        "entity_id": ids[ambiguity.cluster],
        "candidate_id": candidate_id,
        "confidence": ambiguity.link.score,
        "match_method": ambiguity.link.method,
        "match_details": details(&ambiguity.link),
        "reason": ambiguity.reason,
        "why": ambiguity.why,
    })
}
