//! `search_knowledge_graph` (F-043): entities by name or identifier, and what is around them.

use std::collections::{BTreeMap, BTreeSet};

use countersign_knowledge::explore::{
    Budget, Expansion, Explore, RelationshipRecord, Subgraph, expand,
};
use countersign_knowledge::fold::search_words;
use countersign_knowledge::graph::{GraphError, Scope};
use countersign_knowledge::{
    Edge, Entity, EntityId, EntityType, ExternalId, Relationship, external_id_map,
};
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::search_knowledge_graph as declared;
use countersign_registry::shape::Formed;
use countersign_registry::{Perform, Warnings};
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
        // One for the whole call, whatever number of names and parts of the graph it has. What a part leaves goes to those behind it.
        let (mut met, mut budget) = (Met::default(), Budget::default());
        let scopes = scopes(self.stores.profiles.as_ref(), call, namespace).await?;
        for (n, scope) in scopes.iter().enumerate() {
            let mut share = budget.take_share(scopes.len() - n);
            let limits = (&asked, &mut share);
            let found = search(self.stores.explore.as_ref(), scope, &wanted, limits, &mut met);
            let found = found.await.map_err(failed)?;
            budget.give_back(&share);
            all.entities.extend(found.entities);
            all.relationships.extend(found.relationships);
            all.is_cut |= found.is_cut;
        }
        Ok(answer(&all, &wanted, &met).into())
    }
}

/// What is looked for.
struct Wanted {
    names: Vec<String>,
    /// Those that are looked for by the same words are looked for once.
    by_words: BTreeMap<Vec<String>, Vec<String>>,
    /// An identifier, as it was written.
    id: Option<(String, ExternalId)>,
}

/// What became of what is looked for.
#[derive(Default)]
struct Met {
    /// What found something.
    found: BTreeSet<String>,
    /// Names that were not looked for in all parts of the graph, or not to the end of what begins like them.
    cut: BTreeSet<String>,
}

/// What one part of the graph has.
async fn search(
    graph: &dyn Explore,
    scope: &Scope,
    wanted: &Wanted,
    (asked, budget): (&Expansion, &mut Budget),
    met: &mut Met,
) -> Result<Subgraph, GraphError> {
    let (start, is_cut) = named(graph, scope, wanted, (&asked.types, budget), met).await?;
    // Kinds narrow what the names find, not what is around it.
    let asked = Expansion { types: BTreeSet::new(), ..asked.clone() };
    let mut found = expand(graph, scope, start, &asked).await?;
    found.is_cut |= is_cut;
    Ok(found)
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
            0..=MAX_NAMES => {
                let mut by_words = BTreeMap::<Vec<String>, Vec<String>>::new();
                for name in &names {
                    by_words.entry(search_words(name)).or_default().push(name.clone());
                }
                Ok(Self { names, by_words, id })
            }
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

/// What the names and the identifier find, and whether some were left out. Each name has the same share of the budget. Those for
/// which it is too little are looked for once more with what the other names of this part leave.
async fn named(
    graph: &dyn Explore,
    scope: &Scope,
    wanted: &Wanted,
    (types, budget): (&BTreeSet<EntityType>, &mut Budget),
    met: &mut Met,
) -> Result<(Vec<Entity>, bool), GraphError> {
    let mut found = Found { types, entities: BTreeMap::new() };
    if let Some((text, id)) = &wanted.id {
        let entities = graph.with_identifier(scope, id).await?;
        found.add(met, std::slice::from_ref(text), entities);
    }
    let mut turns: Vec<Turn<'_>> = wanted.by_words.values().map(|names| (names, None)).collect();
    for _ in 0..2 {
        turns = round(graph, scope, turns, budget, (&mut found, &mut *met)).await?;
    }
    met.cut.extend(turns.into_iter().flat_map(|(names, _)| names.iter().cloned()));
    let is_cut = !met.cut.is_empty() || found.entities.len() > MAX_FOUND;
    Ok((found.entities.into_values().take(MAX_FOUND).collect(), is_cut))
}

/// Names of the same words, and the share with which they were not looked for to their end.
type Turn<'a> = (&'a Vec<String>, Option<Budget>);

/// Looks for each of these names that has more now than it had; those that were not looked for to their end.
async fn round<'a>(
    graph: &dyn Explore,
    scope: &Scope,
    turns: Vec<Turn<'a>>,
    budget: &mut Budget,
    (found, met): (&mut Found<'_>, &mut Met),
) -> Result<Vec<Turn<'a>>, GraphError> {
    let (count, mut cut) = (turns.len(), Vec::new());
    for (n, (names, had)) in turns.into_iter().enumerate() {
        let share = budget.take_share(count - n);
        let mut rest = share;
        let is_more = had.is_none_or(|had| share.is_more_than(&had)) && !share.is_spent();
        let mut is_cut = !is_more;
        if let Some(name) = names.first().filter(|_| is_more) {
            let of_name = graph.named(scope, name, &mut rest).await?;
            is_cut = of_name.is_cut;
            found.add(met, names, of_name.entities);
        }
        budget.give_back(&rest);
        if is_cut {
            cut.push((names, Some(share)));
        }
    }
    Ok(cut)
}

/// Entities of these kinds; of every kind when there are none.
struct Found<'a> {
    types: &'a BTreeSet<EntityType>,
    entities: BTreeMap<EntityId, Entity>,
}

impl Found<'_> {
    /// What was found for these texts.
    fn add(&mut self, met: &mut Met, texts: &[String], mut entities: Vec<Entity>) {
        entities.retain(|entity| self.types.is_empty() || self.types.contains(&entity.entity_type));
        if !entities.is_empty() {
            met.found.extend(texts.iter().cloned());
        }
        self.entities.extend(entities.into_iter().map(|entity| (entity.id.clone(), entity)));
    }
}

/// That not all was looked at: what was found of a name may not be all, and one that found nothing may be there.
fn warnings(met: &Met) -> Warnings {
    let warning = |name: &String| {
        let short: String = name.chars().take(80).collect();
        format!(
            "`{short}` was not looked for to its end: too many names of the graph begin like those that are looked for; write more of them, or look for fewer at a time"
        )
    };
    met.cut.iter().map(warning).collect()
}

fn answer(found: &Subgraph, wanted: &Wanted, met: &Met) -> Value {
    let all_wanted = wanted.names.iter().chain(wanted.id.iter().map(|(text, _)| text));
    let is_missing = |text: &&String| !met.found.contains(*text) && !met.cut.contains(*text);
    let not_found: BTreeSet<&String> = all_wanted.filter(is_missing).collect();
    let warnings = warnings(met);
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
        "warnings": warnings.kept(),
        "warning_count": warnings.count(),
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
