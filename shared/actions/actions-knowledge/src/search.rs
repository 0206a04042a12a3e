//! `search_knowledge_graph` (F-043): entities by name or identifier, and what is around them.

use std::collections::{BTreeMap, BTreeSet};

use countersign_knowledge::explore::{Expansion, Explore, RelationshipRecord, Subgraph, expand};
use countersign_knowledge::graph::{GraphError, Scope};
use countersign_knowledge::{
    Edge, Entity, EntityId, EntityType, ExternalId, Relationship, external_id_map,
};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::search_knowledge_graph as declared;
use countersign_registry::shape::Formed;
use serde_json::{Value, json};

use crate::Stores;
use crate::namespaces::scopes;
use crate::resolve_entities::failed;

/// The most names of one call.
const MAX_NAMES: usize = 50;

/// The most entities that the names of one call find.
const MAX_FOUND: usize = 200;

pub(crate) struct SearchKnowledgeGraph {
    pub(crate) stores: Stores,
}

impl Perform for SearchKnowledgeGraph {
    type Action = declared::SearchKnowledgeGraph;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Formed<declared::Output>, ActionError> {
        let (wanted, asked) = (Wanted::of(inputs)?, expansion(&params)?);
        let namespace = params.namespace.as_deref();
        let mut all = Subgraph::default();
        let mut met = BTreeSet::new();
        for scope in scopes(self.stores.profiles.as_ref(), call, namespace).await? {
            let found = search(self.stores.explore.as_ref(), &scope, &wanted, &asked).await;
            let (found, named) = found.map_err(failed)?;
            all.entities.extend(found.entities);
            all.relationships.extend(found.relationships);
            all.is_cut |= found.is_cut;
            met.extend(named);
        }
        let all_wanted = wanted.names.iter().chain(wanted.id.iter().map(|(text, _)| text));
        let not_found: Vec<&String> = all_wanted.filter(|text| !met.contains(*text)).collect();
        Ok(answer(&all, &not_found).into())
    }
}

/// What is looked for.
struct Wanted {
    names: Vec<String>,
    /// An identifier, as it was written.
    id: Option<(String, ExternalId)>,
}

/// What one part of the graph has, and the names that found something.
async fn search(
    graph: &dyn Explore,
    scope: &Scope,
    wanted: &Wanted,
    asked: &Expansion,
) -> Result<(Subgraph, BTreeSet<String>), GraphError> {
    let (start, named, is_cut) = named(graph, scope, wanted, &asked.types).await?;
    // Kinds narrow what the names find, not what is around it.
    let asked = Expansion { types: BTreeSet::new(), ..asked.clone() };
    let mut found = expand(graph, scope, start, &asked).await?;
    found.is_cut |= is_cut;
    Ok((found, named))
}

impl Wanted {
    fn of(inputs: declared::Inputs) -> Result<Self, ActionError> {
        let bad = |message: &str| ActionError::terminal("BAD_INPUT", message);
        let read = |text: String| match ExternalId::parse(&text) {
            Some(id) => Ok((text, id)),
            None => Err(bad("`external_id` must be `scheme:value`, such as `ein:12-3456789`")),
        };
        let id = inputs.external_id.map(read).transpose()?;
        let all = inputs.entity_name.into_iter().chain(inputs.entity_names.unwrap_or_default());
        let names: Vec<String> = all.filter(|name| !name.trim().is_empty()).collect();
        match names.len() {
            0 if id.is_none() => {
                Err(bad("`entity_name`, `entity_names` or `external_id` must name something"))
            }
            0..=MAX_NAMES => Ok(Self { names, id }),
            count => Err(bad(&format!(
                "`entity_names` has {count} names; one call finds at most {MAX_NAMES}"
            ))),
        }
    }
}

fn expansion(params: &declared::Params) -> Result<Expansion, ActionError> {
    let relationship = |text: &String| {
        Relationship::parse(text).ok_or_else(|| {
            let text: String = text.chars().take(40).collect();
            let message = format!("`relationship_types`: `{text}` is not a relationship");
            ActionError::terminal("BAD_PARAM", message)
        })
    };
    let hops = if params.include_related { params.max_hops } else { 0 };
    Ok(Expansion {
        max_hops: u8::try_from(hops).unwrap_or(u8::MAX),
        relationships: params
            .relationship_types
            .iter()
            .map(relationship)
            .collect::<Result<BTreeSet<Relationship>, ActionError>>()?,
        types: params.entity_types.iter().map(|kind| EntityType::from(kind.as_str())).collect(),
    })
}

/// What the names and the identifier find, those of them that find something, and whether some were left out.
async fn named(
    graph: &dyn Explore,
    scope: &Scope,
    wanted: &Wanted,
    types: &BTreeSet<EntityType>,
) -> Result<(Vec<Entity>, BTreeSet<String>, bool), GraphError> {
    let (mut found, mut named) = (BTreeMap::<EntityId, Entity>::new(), BTreeSet::new());
    let mut met = |text: &String, mut of_one: Vec<Entity>| {
        of_one.retain(|entity| types.is_empty() || types.contains(&entity.entity_type));
        if !of_one.is_empty() {
            named.insert(text.clone());
        }
        found.extend(of_one.into_iter().map(|entity| (entity.id.clone(), entity)));
    };
    let mut is_cut = false;
    for name in &wanted.names {
        let of_name = graph.named(scope, name).await?;
        is_cut |= of_name.is_cut;
        met(name, of_name.entities);
    }
    if let Some((text, id)) = &wanted.id {
        met(text, graph.with_identifier(scope, id).await?);
    }
    is_cut |= found.len() > MAX_FOUND;
    Ok((found.into_values().take(MAX_FOUND).collect(), named, is_cut))
}

fn answer(found: &Subgraph, not_found: &[&String]) -> Value {
    let names: BTreeMap<&EntityId, &str> =
        found.entities.iter().map(|entity| (&entity.id, entity.canonical_name.as_str())).collect();
    let related = |(record, edge): (RelationshipRecord, &Edge)| {
        json!({
            "source": names.get(&edge.from),
            "target": names.get(&edge.to),
            "type": edge.relationship,
            "properties": record.properties,
            "differing": record.differing,
            "confidence": edge.confidence,
            "source_id": edge.from,
            "target_id": edge.to,
            "readings": edge.provenance.len(),
            "more_readings": edge.is_cut,
        })
    };
    let records = found.relationship_records().into_iter().zip(&found.relationships);
    json!({
        "entities": found.entities.iter().map(entity).collect::<Vec<Value>>(),
        "relationships": records.map(related).collect::<Vec<Value>>(),
        "count": found.entities.len(),
        "is_cut": found.is_cut,
        "not_found": not_found,
    })
}

fn entity(entity: &Entity) -> Value {
    json!({
        "name": entity.canonical_name,
        "type": entity.entity_type,
        "subtype": entity.subtype,
        "aliases": entity.aliases,
        "external_ids": external_id_map(&entity.external_ids),
        "confidence": entity.confidence,
        "entity_id": entity.id,
        "source_count": entity.source_count,
        "counted_with": entity.counted_with,
        "first_seen": entity.first_seen,
        "last_seen": entity.last_seen,
    })
}
