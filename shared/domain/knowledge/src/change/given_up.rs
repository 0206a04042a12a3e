//! What is shown of names that could not be resolved.

use serde_json::{Map, json};

use super::{Changes, Origin};
use crate::extract::Extracted;
use crate::fold::squeeze;
use crate::model::{EntityId, derived_id};
use crate::rows::{Discovery, DiscoveryId, DiscoveryStatus, DiscoveryType};

/// A row for each name, so that whoever looks for what has become of it reads that nothing has. The graph gains nothing; the
/// entities of the rows are in no graph.
#[must_use]
pub fn given_up(origin: &Origin, entities: &[Extracted], why: &str) -> Changes {
    let rows = entities.iter().enumerate().map(|(n, entity)| row(origin, n, entity, why));
    Changes { discoveries: rows.collect(), ..Changes::default() }
}

fn row(origin: &Origin, n: usize, entity: &Extracted, why: &str) -> Discovery {
    let place = n.to_string();
    let id = |of: &str| derived_id(&[of, &origin.idempotency_key, "given up", &place]);
    Discovery {
        id: DiscoveryId::from_bytes(id("discovery")),
        execution_id: origin.run.clone(),
        user_id: origin.owner.clone(),
        namespace: origin.namespace.clone(),
        status: DiscoveryStatus::GivenUp,
        discovery_type: DiscoveryType::NewEntity,
        entity_name: squeeze(&entity.name),
        entity_type: entity.entity_type.clone(),
        entity_id: EntityId::from_bytes(id("entity")),
        relationship_type: None,
        related_entity_name: None,
        source_connector: entity.source_connector.clone(),
        source_endpoint: entity.source_endpoint.clone(),
        confidence: entity.confidence,
        details: Map::from_iter([("reason".to_owned(), json!(why))]),
        discovered_at: origin.now,
    }
}
