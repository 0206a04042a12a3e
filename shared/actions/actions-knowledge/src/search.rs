//! `search_knowledge_graph` (F-043): entities by name, and what is around them.

use std::collections::{BTreeMap, BTreeSet};

use countersign_knowledge::explore::{Expansion, Explore, Subgraph, expand};
use countersign_knowledge::graph::{GraphError, Scope};
use countersign_knowledge::{Edge, Entity, EntityId, EntityType, Relationship, external_id_map};
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
        run(&self.stores, call, inputs, &params).await.map(Into::into)
    }
}

async fn run(
    stores: &Stores,
    call: &Call,
    inputs: declared::Inputs,
    params: &declared::Params,
) -> Result<Value, ActionError> {
    let (names, asked) = (names(inputs)?, expansion(params)?);
    let namespace = params.namespace.as_deref();
    let mut all = Subgraph::default();
    let mut met = BTreeSet::new();
    for scope in scopes(stores.profiles.as_ref(), call, namespace).await? {
        let found = search(stores.explore.as_ref(), &scope, &names, &asked).await;
        let (found, named) = found.map_err(failed)?;
        all.entities.extend(found.entities);
        all.relationships.extend(found.relationships);
        all.is_cut |= found.is_cut;
        met.extend(named);
    }
    let not_found: Vec<&String> = names.iter().filter(|name| !met.contains(*name)).collect();
    Ok(answer(&all, &not_found))
}

/// What one part of the graph has, and the names that found something.
async fn search(
    graph: &dyn Explore,
    scope: &Scope,
    names: &[String],
    asked: &Expansion,
) -> Result<(Subgraph, BTreeSet<String>), GraphError> {
    let (start, named, is_cut) = named(graph, scope, names, &asked.types).await?;
    // Kinds narrow what the names find, not what is around it.
    let asked = Expansion { types: BTreeSet::new(), ..asked.clone() };
    let mut found = expand(graph, scope, start, &asked).await?;
    found.is_cut |= is_cut;
    Ok((found, named))
}

fn names(inputs: declared::Inputs) -> Result<Vec<String>, ActionError> {
    let all = inputs.entity_name.into_iter().chain(inputs.entity_names.unwrap_or_default());
    let names: Vec<String> = all.filter(|name| !name.trim().is_empty()).collect();
    match names.len() {
        0 => Err(ActionError::terminal(
            "BAD_INPUT",
            "`entity_name` or `entity_names` must name something",
        )),
        1..=MAX_NAMES => Ok(names),
        count => Err(ActionError::terminal(
            "BAD_INPUT",
            format!("`entity_names` has {count} names; one call finds at most {MAX_NAMES}"),
        )),
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

/// What the names find, the names that find something, and whether some were left out.
async fn named(
    graph: &dyn Explore,
    scope: &Scope,
    names: &[String],
    types: &BTreeSet<EntityType>,
) -> Result<(Vec<Entity>, BTreeSet<String>, bool), GraphError> {
    let (mut found, mut named) = (BTreeMap::<EntityId, Entity>::new(), BTreeSet::new());
    for name in names {
        let mut of_name = graph.named(scope, name).await?;
        of_name.retain(|entity| types.is_empty() || types.contains(&entity.entity_type));
        if !of_name.is_empty() {
            named.insert(name.clone());
        }
        found.extend(of_name.into_iter().map(|entity| (entity.id.clone(), entity)));
    }
    let is_cut = found.len() > MAX_FOUND;
    Ok((found.into_values().take(MAX_FOUND).collect(), named, is_cut))
}

fn answer(found: &Subgraph, not_found: &[&String]) -> Value {
    let names: BTreeMap<&EntityId, &str> =
        found.entities.iter().map(|entity| (&entity.id, entity.canonical_name.as_str())).collect();
    let related = |(record, edge): (Value, &Edge)| {
        json!({
            "source": names.get(&edge.from),
            "target": names.get(&edge.to),
            "type": edge.relationship,
            "properties": record["properties"],
            "confidence": edge.confidence,
            "source_id": edge.from,
            "target_id": edge.to,
            "readings": edge.provenance.len(),
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
        "first_seen": entity.first_seen,
        "last_seen": entity.last_seen,
    })
}
